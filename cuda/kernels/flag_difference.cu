// flag_difference.cu: one bit per cell, set where |q(i+1) - q(i-1)| is above the tolerance along some axis for some
// component: AMRClaw's default criterion.
// Map     BLOCKS_PER_PATCH blocks share a patch, one cell a thread at a time, x fastest
// Bytes   M Real per cell (neighbours come from the cache), one bit written
// Order   bits are set atomically in words that were zero: repeats bit for bit

extern "C" __global__ void flag_difference(const FlagArgs args)
{
    unsigned number = blockIdx.x / BLOCKS_PER_PATCH, part = blockIdx.x % BLOCKS_PER_PATCH;
    const Patch& patch = args.patches[number];
    Real tolerance = Real(args.tolerance);
    // Words of 64 cells on the host, in halves here.
    unsigned words = (patch.nx + 63) / 64 * 2;
    unsigned* bits = args.bits + args.first_bits[number] * 2;
    int cells = patch.nx * patch.ny;
    for (int i = part * blockDim.x + threadIdx.x; i < cells; i += BLOCKS_PER_PATCH * blockDim.x) {
        int y = i / patch.nx, x = i - y * patch.nx;
        size_t q = place(patch, M, x, y);
        bool flag = false;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const Real* here = args.q + q + size_t(m) * patch.component;
            flag |= real_abs(here[1] - here[-1]) > tolerance;
            if (DIM > 1) flag |= real_abs(here[patch.row] - here[-patch.row]) > tolerance;
        }
        if (flag) atomicOr(bits + y * words + x / 32, 1u << (x % 32));
    }
}
