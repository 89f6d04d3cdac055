// flag_function.cu: one bit per cell, set where a function of position, time and state, and of those of the neighbours, is not zero.
// Map     that of flag_tiles.cuh
// Bytes   (M + A) Real per cell at most (neighbours come from the cache), two bits written

extern "C" __global__ void __launch_bounds__(FLAG_THREADS) flag_function(const FlagFunctionArgs args)
{
    start_next();
    await_previous();
    flag_tiles(args, [&](const Patch& patch, const Cell& cell) {
        double wanted;
        case_around(Around<false, FlagFunctionArgs>{args, patch, cell}, &wanted);
        return wanted != 0.0;
    });
}
