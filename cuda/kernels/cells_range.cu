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
            double most = sign ? -above : above;
            most = most > 0.0 ? most : 0.0;
            #pragma unroll
            for (int distance = 16; distance > 0; distance /= 2) {
                const double other = __shfl_xor_sync(0xffffffffu, most, distance);
                most = other > most ? other : most;
            }
            const unsigned long long bits = (unsigned long long)__double_as_longlong(most);
            unsigned long long* known = args.range + 2 * m + sign;
            // Atomic operations on one word are serialised: most warps find nothing larger than is known.
            if (threadIdx.x % 32 == 0 && bits > *(volatile const unsigned long long*)known) atomicMax(known, bits);
        }
    }
}
