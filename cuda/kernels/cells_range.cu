// cells_range.cu: how far each component's values lie above and below that of the first cell, for Venkatakrishnan's limiter.
// Map     one thread per cell
// Bytes   M Real per cell
// Order   by atomicMax of bits, whose order does not matter; NaN is ignored

extern "C" __global__ void cells_range(const CellsArgs args)
{
    start_next();
    const unsigned cell = item_of_thread();
    await_previous();
    const State first = variables_of(state_of(args, 0), aux_of(args, 0));
    const State here = cell < args.tables.num_cells ? variables_of(state_of(args, cell), aux_of(args, cell)) : first;
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const double above = double(here[m] - first[m]);
        #pragma unroll
        for (int sign = 0; sign < 2; sign++) {
            const double own = sign ? -above : above, most = largest_of_warp(own > 0.0 ? own : 0.0);
            if (threadIdx.x % 32 == 0) raise_word(args.range + 2 * m + sign, (unsigned long long)__double_as_longlong(most));
        }
    }
}
