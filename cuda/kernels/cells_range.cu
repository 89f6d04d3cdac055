// cells_range.cu: how far each component's values lie above and below that of the first cell, for Venkatakrishnan's limiter.
// Map     one thread per cell
// Bytes   M Real per cell
// Order   by atomicMax of bits, whose order does not matter; NaN is ignored

extern "C" __global__ void cells_range(const CellsArgs args)
{
    start_next();
    const unsigned cell = item_of_thread();
    await_previous();
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const Real* values = args.now + size_t(m) * args.num_cells;
        const double above = cell < args.num_cells ? double(values[cell] - values[0]) : 0.0;
        #pragma unroll
        for (int sign = 0; sign < 2; sign++) {
            const double own = sign ? -above : above, most = largest_of_warp(own > 0.0 ? own : 0.0);
            if (threadIdx.x % 32 == 0) raise_word(args.range + 2 * m + sign, (unsigned long long)__double_as_longlong(most));
        }
    }
}
