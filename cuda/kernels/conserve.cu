// conserve.cu: shifts the interpolated cells of each coarse cell so that the sum of kappa_f Q_f / N is kappa_c Q_c.
// Map     one warp per chunk of a region's coarse cells, one cell a lane at a time; regions are whole coarse cells
// Bytes   (3 N + 1) M Real + (2 N + 1) Real per coarse cell, N fine cells in a coarse one
// Order   sums run over x, then y, in double: repeats bit for bit

extern "C" __global__ void conserve(const ConserveArgs args)
{
    start_next();
    await_previous();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    Chunk chunk = args.chunks[warp];
    const Region& region = args.regions[chunk.region];
    const Patch& fine = args.fine_patches[region.target];
    const Patch& coarse = args.coarse_patches[region.source];
    int end = min(region.nx * region.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / region.nx;
        int x = region.x + (i - row * region.nx), y = region.y + row;
        int fine_x = x * args.ratio_x - fine.lo_x, fine_y = y * args.ratio_y - fine.lo_y;
        int coarse_x = x - region.shift_x - coarse.lo_x, coarse_y = y - region.shift_y - coarse.lo_y;
        const Real* kappa = args.fine_aux + place(fine, A, fine_x, fine_y) + size_t(CAPACITY) * fine.component;
        double own = args.coarse_aux[place(coarse, A, coarse_x, coarse_y) + size_t(CAPACITY) * coarse.component];
        for (int m = 0; m < M; m++) {
            Real* values = args.fine + place(fine, M, fine_x, fine_y) + size_t(m) * fine.component;
            double held = 0.0, capacity = 0.0;
            for (int ky = 0; ky < args.ratio_y; ky++)
                for (int kx = 0; kx < args.ratio_x; kx++) {
                    size_t at = size_t(ky) * fine.row + kx;
                    held += double(kappa[at]) * double(values[at]);
                    capacity += double(kappa[at]);
                }
            double mean = args.coarse[place(coarse, M, coarse_x, coarse_y) + size_t(m) * coarse.component];
            double wanted = own * mean * double(args.ratio_x * args.ratio_y);
            Real shift = Real((wanted - held) / capacity);
            for (int ky = 0; ky < args.ratio_y; ky++)
                for (int kx = 0; kx < args.ratio_x; kx++) values[size_t(ky) * fine.row + kx] += shift;
        }
    }
}
