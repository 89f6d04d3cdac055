// largest.cu: the largest absolute value of each equation over a level's own cells.
// Map     BLOCKS_PER_PATCH blocks share a patch, one cell a thread at a time, x fastest
// Bytes   M Real per cell
// Order   by atomicMax of bits, whose order does not matter; NaN is passed over

extern "C" __global__ void largest(const LargestArgs args)
{
    start_next();
    await_previous();
    unsigned number = blockIdx.x / BLOCKS_PER_PATCH, part = blockIdx.x % BLOCKS_PER_PATCH;
    const Patch& patch = args.patches[number];
    int cells = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cells *= patch.size[d];
    for (int m = 0; m < M; m++) {
        double most = 0.0;
        for (int i = part * blockDim.x + threadIdx.x; i < cells; i += BLOCKS_PER_PATCH * blockDim.x) {
            const size_t at = place(patch, M, cell_of_number(patch.size, i)) + size_t(m) * patch.component;
            double value = double(real_abs(args.q[at]));
            most = value > most ? value : most;
        }
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            const double other = __shfl_xor_sync(0xffffffffu, most, distance);
            most = other > most ? other : most;
        }
        if (lane_number() == 0) atomicMax(args.largest + m, (unsigned long long)__double_as_longlong(most));
    }
}
