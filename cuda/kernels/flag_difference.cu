// flag_difference.cu: one bit per cell, set where |q(i+1) - q(i-1)| is above the tolerance along some axis for some
// component: AMRClaw's default criterion.
// Map     that of flag_tiles.cuh
// Bytes   M Real per cell (neighbours come from the cache), two bits written

extern "C" __global__ void flag_difference(const FlagArgs args)
{
    start_next();
    await_previous();
    const Real tolerance = Real(args.tolerance);
    flag_tiles(args, [&](const Patch& patch, const Cell& cell) {
        const Real* values = args.view.q + place(patch, M, cell);
        bool flag = false;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const Real* here = values + size_t(m) * patch.component;
            flag |= real_abs(here[1] - here[-1]) > tolerance;
            #pragma unroll
            for (int d = 1; d < DIM; d++) flag |= real_abs(here[patch.stride[d]] - here[-patch.stride[d]]) > tolerance;
        }
        return flag;
    });
}
