// average_down.cu: means of fine cells onto the coarse cells beneath: Q_c = sum of kappa_f Q_f / (kappa_c N).
// Map     one warp per chunk of a region's coarse cells, one cell a lane at a time
// Bytes   (N + 1) M Real per coarse cell, N fine cells in a coarse one
// Order   sums run over x, then y, then z, as written: repeats bit for bit

// The mean of the values of the fine cells from `values` on, RATIO along each axis; 0: as the arguments say.
template <int RATIO>
__device__ __forceinline__ Real mean_of(
    const AverageArgs& args, const Real* values, const Real* kappa, const Patch& fine, Real coarse_kappa)
{
    const int ratio_x = RATIO > 0 ? RATIO : args.ratio[X];
    const int ratio_y = DIM < 2 ? 1 : RATIO > 0 ? RATIO : args.ratio[Y];
    const int ratio_z = DIM < 3 ? 1 : RATIO > 0 ? RATIO : args.ratio[Z];
    const Real weight = Real(args.weight);
    Real sum = Real(0);
#if CAPACITY < 0
    // Differences from the first cell: the mean of equal values is that value, to the bit.
    const Real first = values[0];
#endif
    #pragma unroll
    for (int kz = 0; kz < ratio_z; kz++)
        #pragma unroll
        for (int ky = 0; ky < ratio_y; ky++) {
            const size_t row = size_t(ky) * stride(fine, Y) + size_t(kz) * stride(fine, Z);
#if CAPACITY >= 0
            #pragma unroll
            for (int kx = 0; kx < ratio_x; kx++) sum += kappa[row + kx] * values[row + kx];
#else
            const Real* line = values + row;
            Real part = ratio_x == 2 ? (line[0] - first) + (line[1] - first) : Real(0) + (line[0] - first);
            #pragma unroll
            for (int kx = ratio_x == 2 ? 2 : 1; kx < ratio_x; kx++) part = part + (line[kx] - first);
            sum += part;
#endif
        }
#if CAPACITY >= 0
    return sum * weight / coarse_kappa;
#else
    return first + sum * weight;
#endif
}

template <int RATIO>
__device__ __forceinline__ void average_cells(
    const AverageArgs& args, const Work<Region>& work, const Patch& coarse, const Patch& fine)
{
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        const Cell coarse_cell = in_patch(coarse, cell), fine_cell = in_patch(fine, first_fine(cell, args.ratio));
        const Real* values = args.fine.q + place(fine, M, fine_cell);
        const Real* kappa = nullptr;
        Real coarse_kappa = Real(1);
#if CAPACITY >= 0
        kappa = args.fine.aux + place(fine, A, fine_cell) + size_t(CAPACITY) * fine.component;
        if (args.coarse.aux) coarse_kappa = args.coarse.aux[place(coarse, A, coarse_cell) + size_t(CAPACITY) * coarse.component];
#endif
        // All loads come before the stores: the compiler cannot know that they access different memory.
        Real means[M];
        #pragma unroll
        for (int m = 0; m < M; m++)
            means[m] = mean_of<RATIO>(args, values + size_t(m) * fine.component, kappa, fine, coarse_kappa);
        Real* target = args.coarse.q + place(coarse, M, coarse_cell);
        #pragma unroll
        for (int m = 0; m < M; m++) target[size_t(m) * coarse.component] = means[m];
    }
}

extern "C" __global__ void average_down(const AverageArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const Patch coarse = args.coarse.patches[work.item.target], fine = args.fine.patches[work.item.source];
    await_previous();
    // The usual ratio is a constant for the compiler, which then issues the loads of all cells at once.
    bool halves = DIM > 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) halves = halves && args.ratio[d] == 2;
    if (halves) average_cells<2>(args, work, coarse, fine);
    else average_cells<0>(args, work, coarse, fine);
}
