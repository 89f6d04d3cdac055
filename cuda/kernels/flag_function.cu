// flag_function.cu: one bit per cell, set where a function of position, time and state is not zero.
// Map     that of flag_tiles.cuh
// Bytes   (M + A) Real per cell at most, two bits written

extern "C" __global__ void flag_function(const FlagFunctionArgs args)
{
    start_next();
    await_previous();
    flag_tiles(args, [&](const Patch& patch, const Cell& cell) {
        Cell in_level;
        #pragma unroll
        for (int d = 0; d < DIM; d++) in_level[d] = cell[d] + patch.lo[d];
        const Point point = point_of(args.level, args.t, in_level);
        const size_t component = patch.component;
        double wanted;
        case_function(point, values_at<M>(args.q, place(patch, M, cell), component),
            values_at<A>(args.aux, place(patch, A, cell), component), &wanted);
        return wanted != 0.0;
    });
}
