// source.cu: applies the solver's source to every cell for a time, and to the coarse cells beside the level.
// Map     some blocks share a patch, one cell a thread at a time, x fastest; then one warp per chunk of a run's faces, one coarse cell a lane at a time
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one thread: repeats bit for bit

__device__ __forceinline__ void source_beside(const SourceArgs& args)
{
    for_each_beside(args, [&](size_t slot, const Cell& in_level, const Real* all_aux, size_t at_aux, size_t between) {
        const SourceCells& beside = args.beside;
        const Solver solver{SOLVER_PARAMETERS};
        const size_t component = beside.num_slots;
        Real* here = beside.cells + slot;
        Array<Real, 3> centre;
        #pragma unroll
        for (int d = 0; d < 3; d++) {
            centre[d] = Real(0);
            if (d >= DIM) continue;
            if (beside.centres) centre[d] = beside.centres[in_level[0] + size_t(d) * between];
            else centre[d] = beside.has_centres ? here[size_t(2 * M + A + d) * component] : Real(centre_of(beside.level, d, in_level[d]));
        }
        State q;
        Aux aux;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = here[size_t(m) * component];
        #pragma unroll
        for (int a = 0; a < A; a++) aux[a] = all_aux[at_aux + size_t(a) * between];
        q = solver.source(centre, Real(args.t), Real(args.dt), q, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) here[size_t(m) * component] = q[m];
    });
}

extern "C" __global__ void source(const SourceArgs args)
{
    start_next();
    if (blockIdx.x >= args.num_blocks) return source_beside(args);
    await_previous();
    const Solver solver{SOLVER_PARAMETERS};
    Real t = Real(args.t), dt = Real(args.dt);
    bool finite = true;
    const unsigned number = for_each_place(args, [&](const Patch& patch, const SourcePlace& there) {
        Array<Real, 3> centre;
        #pragma unroll
        for (int d = 0; d < 3; d++) {
            centre[d] = Real(0);
            if (d >= DIM) continue;
            centre[d] = Real(centre_of(args.level, d, there.in_level[d]));
        }
        if (args.centres)
            for (int d = 0; d < DIM; d++) centre[d] = args.centres[place(patch, DIM, there.origin) + size_t(d) * patch.component];
        State q;
        Aux aux;
        const size_t at = place(patch, M, there.cell), from = place(patch, M, there.origin), at_aux = place(patch, A, there.origin);
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = args.from[from + size_t(m) * patch.component];
        #pragma unroll
        for (int a = 0; a < A; a++) aux[a] = args.aux[at_aux + size_t(a) * patch.component];
        q = solver.source(centre, t, dt, q, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            args.to[at + size_t(m) * patch.component] = there.negates(args, m) ? -q[m] : q[m];
            // False for NaN and infinities alike.
            finite = finite && q[m] - q[m] == Real(0);
        }
#if HAS_POSITIVE
        finite = finite && solver.least_positive(q, aux) > Real(0);
#endif
    });
    if (!finite && !args.ghosts) atomicOr(&args.reports[number].not_finite, 1u);
}
