// conserve.cu: shifts the interpolated cells of each coarse cell so that the sum of kappa_f Q_f / N is kappa_c Q_c. Where that cannot be or
// leaves one inadmissible, all get the same state. Cells that hold transfer variables get states.
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

#if HAS_TRANSFER
// Replaces transfer variables of the fine cells in a coarse one by states of which the sum of kappa_f Q_f is `wanted`: `Shifted::restore` in
// amrclaw/src/exec/cpu/transfer_variables.rs. False if shifts cannot do it. `capacity`: the sum of kappa_f.
template <class Wanted, class Kappa>
__device__ __forceinline__ bool restore(const ConserveArgs& args, const Patch& fine, Real* states, const Real* beside,
    int num_fine, double capacity, Wanted wanted, Kappa kappa)
{
    const Solver solver{SOLVER_PARAMETERS};
    auto load = [&](size_t at, State& t, Aux& aux) {
        for (int m = 0; m < M; m++) t[m] = states[at + size_t(m) * fine.component];
        for (int a = 0; a < A; a++) aux[a] = beside[at + size_t(a) * fine.component];
    };
    const double round_off = double(num_fine) * (sizeof(Real) == 8 ? 2.220446049250313e-16 : 1.1920928955078125e-7);
    const double least = sizeof(Real) == 8 ? 2.2250738585072014e-308 : 1.1754943508222875e-38;
    State t;
    Aux aux;
    for (int m = 0; m < M; m++) {
        Real* values = states + size_t(m) * fine.component;
        bool is_kept = false;
        for (int step = 0; step < num_fine + 8; step++) {
            double held = 0.0, size = 0.0, weight = 0.0;
            for_each_fine(args, fine, [&](size_t at) {
                load(at, t, aux);
                const double part = kappa(at) * double(solver.from_transfer(t, aux)[m]);
                held += part;
                size += fabs(part);
                weight += kappa(at) * double(solver.transfer_weight(t, aux)[m]);
            });
            const double rest = wanted(m) - held;
            is_kept = fabs(rest) <= (step > 0 ? fmax(least, round_off * (fabs(wanted(m)) + size)) : 0.0);
            if (is_kept || !(weight > 0.0)) break;
            const Real shift = Real(rest / weight);
            double largest = 0.0;
            for_each_fine(args, fine, [&](size_t at) {
                values[at] += shift;
                const double size = fabs(double(values[at]));
                largest = size > largest ? size : largest;
            });
            is_kept = fabs(double(shift)) <= round_off * largest;
            if (is_kept) break;
        }
        if (!is_kept) return false;
    }
    const double bound = 2.0 / capacity * double(num_fine);
    State most;
    for (int m = 0; m < M; m++) most[m] = real_max(Real(wanted(m) * bound), Real(0));
    for_each_fine(args, fine, [&](size_t at) {
        load(at, t, aux);
        const State q = bounded_state(solver, t, aux, most);
        for (int m = 0; m < M; m++) states[at + size_t(m) * fine.component] = q[m];
    });
    return true;
}
#endif

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
        const Real* beside = args.fine.aux + place(fine, A, fine_cell);
        double own = 1.0;
#if CAPACITY >= 0
        own = args.coarse.aux[place(coarse, A, coarse_cell) + size_t(CAPACITY) * coarse.component];
        auto kappa = [&](size_t at) { return double(beside[at + size_t(CAPACITY) * fine.component]); };
#else
        auto kappa = [&](size_t) { return 1.0; };
#endif
        Real* states = args.fine.q + place(fine, M, fine_cell);
        auto wanted = [&](int m) {
            double mean = args.coarse.q[place(coarse, M, coarse_cell) + size_t(m) * coarse.component];
            return own * mean * double(num_fine);
        };
        double capacity = 0.0;
        for_each_fine(args, fine, [&](size_t at) { capacity += kappa(at); });
        bool kept = true;
#if HAS_TRANSFER
        kept = restore(args, fine, states, beside, num_fine, capacity, wanted, kappa);
#else
        for (int m = 0; m < M; m++) {
            Real* values = states + size_t(m) * fine.component;
            double held = 0.0;
            for_each_fine(args, fine, [&](size_t at) { held += kappa(at) * double(values[at]); });
            Real shift = Real((wanted(m) - held) / capacity);
            for_each_fine(args, fine, [&](size_t at) { values[at] += shift; });
        }
#endif
#if HAS_ADMISSIBLE
        const Solver solver{SOLVER_PARAMETERS};
        for_each_fine(args, fine, [&](size_t at) {
            State q;
            Aux aux;
            for (int m = 0; m < M; m++) q[m] = states[at + size_t(m) * fine.component];
            for (int a = 0; a < A; a++) aux[a] = beside[at + size_t(a) * fine.component];
            kept = kept && solver.is_admissible(q, aux, Real(0));
        });
#endif
        for (int m = 0; m < M && !kept; m++) {
            Real mean = Real(wanted(m) / capacity);
            for_each_fine(args, fine, [&](size_t at) { states[at + size_t(m) * fine.component] = mean; });
        }
    }
}
