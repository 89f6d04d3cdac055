// flag_function.cu: one bit per cell, set where a function of position, time and state, and of those of the neighbours, is not zero.
// Map     that of flag_tiles.cuh
// Bytes   (M + A) Real per cell at most (neighbours come from the cache), two bits written

// A cell and the cells around it, so many cells away along each axis.
struct Around {
    const FlagFunctionArgs& args;
    const Patch& patch;
    const Cell& cell;

    __device__ __forceinline__ Cell away(int i, int j, int k) const
    {
        const int by[] = {i, j, k};
        Cell there;
        #pragma unroll
        for (int d = 0; d < DIM; d++) there[d] = cell[d] + by[d];
        return there;
    }
    __device__ __forceinline__ Point point(int i, int j, int k) const
    {
        Cell in_level = away(i, j, k);
        #pragma unroll
        for (int d = 0; d < DIM; d++) in_level[d] += patch.lo[d];
        return point_of(args.level, args.t, in_level);
    }
    __device__ __forceinline__ Array<double, M> q(int i, int j, int k) const
    {
        return values_at<M>(args.view.q, place(patch, M, away(i, j, k)), patch.component);
    }
    __device__ __forceinline__ Array<double, A> aux(int i, int j, int k) const
    {
        return values_at<A>(args.view.aux, place(patch, A, away(i, j, k)), patch.component);
    }
};

extern "C" __global__ void flag_function(const FlagFunctionArgs args)
{
    start_next();
    await_previous();
    flag_tiles(args, [&](const Patch& patch, const Cell& cell) {
        double wanted;
        case_flag(Around{args, patch, cell}, &wanted);
        return wanted != 0.0;
    });
}
