// average_down.cu: means of fine cells onto the coarse cells beneath: Q_c = sum of kappa_f Q_f / (kappa_c N).
// Map     one warp per chunk of a region's coarse cells, one cell a lane at a time
// Bytes   (N + 1) M Real per coarse cell, N fine cells in a coarse one
// Order   sums run over x, then y, as written: repeats bit for bit

// The mean of the values of the fine cells from `values` on, RATIO along each axis; 0: as the arguments say.
template <int RATIO>
__device__ __forceinline__ Real mean_of(const AverageArgs& args, const Real* values, const Real* kappa, int fine_row, Real coarse_kappa)
{
    const int ratio_x = RATIO > 0 ? RATIO : args.ratio_x, ratio_y = RATIO > 0 ? RATIO : args.ratio_y;
    const Real weight = Real(args.weight);
    Real sum = Real(0);
#if CAPACITY >= 0
    #pragma unroll
    for (int ky = 0; ky < ratio_y; ky++)
        #pragma unroll
        for (int kx = 0; kx < ratio_x; kx++) sum += kappa[size_t(ky) * fine_row + kx] * values[size_t(ky) * fine_row + kx];
    return sum * weight / coarse_kappa;
#else
    // Differences from the first cell: the mean of equal values is that value, to the bit.
    const Real first = values[0];
    #pragma unroll
    for (int ky = 0; ky < ratio_y; ky++) {
        const Real* line = values + size_t(ky) * fine_row;
        Real part = ratio_x == 2 ? (line[0] - first) + (line[1] - first) : Real(0) + (line[0] - first);
        #pragma unroll
        for (int kx = ratio_x == 2 ? 2 : 1; kx < ratio_x; kx++) part = part + (line[kx] - first);
        sum += part;
    }
    return first + sum * weight;
#endif
}

template <int RATIO>
__device__ __forceinline__ void average_cells(
    const AverageArgs& args, const Chunk& chunk, const Region& region, const Patch& coarse, const Patch& fine)
{
    int end = min(region.nx * region.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / region.nx;
        int x = region.x + (i - row * region.nx), y = region.y + row;
        int fine_x = x * args.ratio_x - fine.lo_x, fine_y = y * args.ratio_y - fine.lo_y;
        const Real* values = args.fine + place(fine, M, fine_x, fine_y);
        const Real* kappa = nullptr;
        Real coarse_kappa = Real(1);
#if CAPACITY >= 0
        kappa = args.fine_aux + place(fine, A, fine_x, fine_y) + size_t(CAPACITY) * fine.component;
        coarse_kappa = args.coarse_aux[place(coarse, A, x - coarse.lo_x, y - coarse.lo_y) + size_t(CAPACITY) * coarse.component];
#endif
        // All loads come before the stores: the compiler cannot know that they read other places.
        Real means[M];
        #pragma unroll
        for (int m = 0; m < M; m++)
            means[m] = mean_of<RATIO>(args, values + size_t(m) * fine.component, kappa, fine.row, coarse_kappa);
        Real* target = args.coarse + place(coarse, M, x - coarse.lo_x, y - coarse.lo_y);
        #pragma unroll
        for (int m = 0; m < M; m++) target[size_t(m) * coarse.component] = means[m];
    }
}

extern "C" __global__ void average_down(const AverageArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    const Chunk chunk = args.chunks[warp];
    const Region region = args.regions[chunk.region];
    const Patch coarse = args.coarse_patches[region.target], fine = args.fine_patches[region.source];
    await_previous();
    // What nearly all cases have is known to the compiler, which then asks for all cells at once.
    if (DIM > 1 && args.ratio_x == 2 && args.ratio_y == 2) average_cells<2>(args, chunk, region, coarse, fine);
    else average_cells<0>(args, chunk, region, coarse, fine);
}
