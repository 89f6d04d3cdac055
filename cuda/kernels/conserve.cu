// conserve.cu: shifts the interpolated cells of each coarse cell so that the sum of kappa_f Q_f / N is kappa_c Q_c. Where that leaves one
// inadmissible, all get the same state.
// Map     one warp per chunk of a region's coarse cells, one cell a lane at a time; regions are whole coarse cells
// Bytes   (3 N + 1) M Real + (2 N + 1) Real per coarse cell, N fine cells in a coarse one
// Order   sums run over x, then y, then z, in double: repeats bit for bit

// Calls `visit` with the offset of each fine cell over a coarse one from the first of them.
template <class Visit> __device__ __forceinline__ void for_each_fine(const ConserveArgs& args, const Patch& fine, Visit visit)
{
    for (int kz = 0; kz < (DIM > 2 ? args.ratio[2] : 1); kz++)
        for (int ky = 0; ky < (DIM > 1 ? args.ratio[1] : 1); ky++)
            for (int kx = 0; kx < args.ratio[0]; kx++) visit(size_t(kz) * stride(fine, Z) + size_t(ky) * stride(fine, Y) + kx);
}

extern "C" __global__ void conserve(const ConserveArgs args)
{
    start_next();
    await_previous();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const Patch& fine = args.fine.patches[work.item.target];
    const Patch& coarse = args.coarse.patches[work.item.source];
    int num_fine = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) num_fine *= args.ratio[d];
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        const Cell fine_cell = in_patch(fine, first_fine(cell, args.ratio)), coarse_cell = in_patch(coarse, cell, work.item.shift);
        const Real* kappa = args.fine.aux + place(fine, A, fine_cell) + size_t(CAPACITY) * fine.component;
        double own = args.coarse.aux[place(coarse, A, coarse_cell) + size_t(CAPACITY) * coarse.component];
        Real* states = args.fine.q + place(fine, M, fine_cell);
        auto wanted = [&](int m) {
            double mean = args.coarse.q[place(coarse, M, coarse_cell) + size_t(m) * coarse.component];
            return own * mean * double(num_fine);
        };
        double capacity = 0.0;
        for_each_fine(args, fine, [&](size_t at) { capacity += double(kappa[at]); });
        for (int m = 0; m < M; m++) {
            Real* values = states + size_t(m) * fine.component;
            double held = 0.0;
            for_each_fine(args, fine, [&](size_t at) { held += double(kappa[at]) * double(values[at]); });
            Real shift = Real((wanted(m) - held) / capacity);
            for_each_fine(args, fine, [&](size_t at) { values[at] += shift; });
        }
#if HAS_ADMISSIBLE
        const Solver solver{SOLVER_PARAMETERS};
        const Real* beside = args.fine.aux + place(fine, A, fine_cell);
        bool admitted = true;
        for_each_fine(args, fine, [&](size_t at) {
            State q;
            Aux aux;
            for (int m = 0; m < M; m++) q[m] = states[at + size_t(m) * fine.component];
            for (int a = 0; a < A; a++) aux[a] = beside[at + size_t(a) * fine.component];
            admitted = admitted && solver.is_admissible(q, aux, Real(0));
        });
        for (int m = 0; m < M && !admitted; m++) {
            Real mean = Real(wanted(m) / capacity);
            for_each_fine(args, fine, [&](size_t at) { states[at + size_t(m) * fine.component] = mean; });
        }
#endif
    }
}
