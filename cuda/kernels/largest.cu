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
    const Real* q = args.q + place(patch, M, 0, 0);
    int cells = patch.nx * patch.ny;
    for (int m = 0; m < M; m++) {
        const Real* values = q + size_t(m) * patch.component;
        double most = 0.0;
        for (int i = part * blockDim.x + threadIdx.x; i < cells; i += BLOCKS_PER_PATCH * blockDim.x) {
            int row = i / patch.nx;
            double value = double(real_abs(values[size_t(row) * patch.row + (i - row * patch.nx)]));
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
