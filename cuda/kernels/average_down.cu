// average_down.cu: means of fine cells onto the coarse cells beneath: Q_c = sum of kappa_f Q_f / (kappa_c N).
// Map     one warp per chunk of a region's coarse cells, one cell a lane at a time
// Bytes   (N + 1) M Real per coarse cell, N fine cells in a coarse one
// Order   sums run over x, then y, as written: repeats bit for bit

extern "C" __global__ void average_down(const AverageArgs args)
{
    await_previous();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    Chunk chunk = args.chunks[warp];
    const Region& region = args.regions[chunk.region];
    const Patch& coarse = args.coarse_patches[region.target];
    const Patch& fine = args.fine_patches[region.source];
    Real weight = Real(args.weight);
    int end = min(region.nx * region.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / region.nx;
        int x = region.x + (i - row * region.nx), y = region.y + row;
        int fine_x = x * args.ratio_x - fine.lo_x, fine_y = y * args.ratio_y - fine.lo_y;
        size_t target = place(coarse, M, x - coarse.lo_x, y - coarse.lo_y);
        size_t source = place(fine, M, fine_x, fine_y);
        #pragma unroll 3
        for (int m = 0; m < M; m++) {
            const Real* values = args.fine + source + size_t(m) * fine.component;
            Real sum = Real(0);
#if CAPACITY >= 0
            size_t kappa = place(fine, A, fine_x, fine_y) + size_t(CAPACITY) * fine.component;
            for (int ky = 0; ky < args.ratio_y; ky++)
                for (int kx = 0; kx < args.ratio_x; kx++) {
                    size_t at = size_t(ky) * fine.row + kx;
                    sum += __ldg(args.fine_aux + kappa + at) * __ldg(values + at);
                }
            size_t own = place(coarse, A, x - coarse.lo_x, y - coarse.lo_y) + size_t(CAPACITY) * coarse.component;
            Real mean = sum * weight / args.coarse_aux[own];
#else
            // Differences from the first cell: the mean of equal values is that value, to the bit.
            Real first = __ldg(values);
            #pragma unroll 2
            for (int ky = 0; ky < args.ratio_y; ky++) {
                const Real* line = values + size_t(ky) * fine.row;
                Real part = args.ratio_x == 2 ? (__ldg(line) - first) + (__ldg(line + 1) - first)
                                                : Real(0) + (__ldg(line) - first);
                for (int kx = args.ratio_x == 2 ? 2 : 1; kx < args.ratio_x; kx++) part = part + (__ldg(line + kx) - first);
                sum += part;
            }
            Real mean = first + sum * weight;
#endif
            args.coarse[target + size_t(m) * coarse.component] = mean;
        }
    }
}
