// around.cuh: a cell of a patch, and the cells around it, so many cells away along each axis.

// WITHIN: differences are those within the patch.
template <bool WITHIN, class Args> struct Around {
    const Args& args;
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
    // The difference of the values two cells apart around a cell; within a patch, at its sides, the one-sided one of second order:
    // `frames::derived::evaluate`, operation by operation.
    template <class Value> __device__ __forceinline__ double difference(int axis, int i, int j, int k, Value value) const
    {
        const auto beside = [&](int by) { return value(i + by * (axis == 0), j + by * (axis == 1), k + by * (axis == 2)); };
        if (!WITHIN) return beside(1) - beside(-1);
        const int at = away(i, j, k)[axis], count = patch.size[axis];
        const bool is_lowest = at == 0, is_aside = is_lowest || at + 1 == count;
        double v[3] = {0.0, 0.0, 0.0};
        if (count == 1) return 0.0;
        // One text of the value, which may contain differences.
        #pragma unroll 1
        for (int n = 0; n < (is_aside && count > 2 ? 3 : 2); n++) v[n] = beside(!is_aside ? 1 - 2 * n : is_lowest ? n : -n);
        if (!is_aside) return v[0] - v[1];
        if (count == 2) return 2.0 * (is_lowest ? v[1] - v[0] : v[0] - v[1]);
        return is_lowest ? -3.0 * v[0] + 4.0 * v[1] - v[2] : 3.0 * v[0] - 4.0 * v[1] + v[2];
    }
};
