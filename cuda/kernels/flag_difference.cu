// flag_difference.cu: one bit per cell, set where |q(i+1) - q(i-1)| is above the tolerance along some axis for some
// component: AMRClaw's default criterion.
// Map     FLAG_BLOCKS blocks share a patch; a warp takes 32 cells of a row at a time, one a lane
// Bytes   M Real per cell (neighbours come from the cache), one bit written
// Floor   the bytes
// Order   every word is written by one warp: repeats bit for bit

extern "C" __global__ void flag_difference(const FlagArgs args)
{
    await_previous();
    const unsigned number = blockIdx.x / FLAG_BLOCKS, part = blockIdx.x % FLAG_BLOCKS;
    const Patch& patch = args.patches[number];
    const Real tolerance = Real(args.tolerance);
    // Words of 64 cells on the host, in halves here.
    const int words = (patch.nx + 63) / 64 * 2, warps = FLAG_BLOCKS * blockDim.x / 32;
    unsigned* bits = args.bits + args.first_bits[number] * 2;
    for (int word = (part * blockDim.x + threadIdx.x) / 32; word < words * patch.ny; word += warps) {
        const int y = word / words, x = (word - y * words) * 32 + int(lane_number());
        bool flag = false;
        if (x < patch.nx) {
            const Real* cell = args.q + place(patch, M, x, y);
            #pragma unroll
            for (int m = 0; m < M; m++) {
                const Real* here = cell + size_t(m) * patch.component;
                flag |= real_abs(here[1] - here[-1]) > tolerance;
                if (DIM > 1) flag |= real_abs(here[patch.row] - here[-patch.row]) > tolerance;
            }
        }
        const unsigned found = __ballot_sync(0xffffffffu, flag);
        if (lane_number() == 0) bits[word] = found;
    }
}
