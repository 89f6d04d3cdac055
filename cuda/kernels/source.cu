// source.cu: applies the solver's source to every cell for a time.
// Map     some blocks share a patch, one cell a thread at a time, x fastest
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one thread: repeats bit for bit

extern "C" __global__ void source(const SourceArgs args)
{
    start_next();
    await_previous();
    unsigned number = blockIdx.x / args.blocks_per_patch, part = blockIdx.x % args.blocks_per_patch;
    const Patch& patch = args.patches[number];
    const Solver solver{SOLVER_PARAMETERS};
    const int beyond = args.ghosts ? NUM_GHOST : 0;
    int size[DIM], cells = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cells *= size[d] = patch.size[d] + 2 * beyond;
    Real t = Real(args.t), dt = Real(args.dt);
    bool finite = true;
    for (int i = part * blockDim.x + threadIdx.x; i < cells; i += args.blocks_per_patch * blockDim.x) {
        Cell cell = cell_of_number(size, i), in_level;
        if (!source_place(args, patch, beyond, cell, in_level)) continue;
        Array<Real, 3> centre;
        #pragma unroll
        for (int d = 0; d < 3; d++) {
            centre[d] = Real(0);
            if (d >= DIM) continue;
            centre[d] = Real(centre_of(args.level, d, in_level[d]));
        }
        if (args.centres)
            for (int d = 0; d < DIM; d++) centre[d] = args.centres[place(patch, DIM, cell) + size_t(d) * patch.component];
        State q;
        Aux aux;
        size_t at = place(patch, M, cell), at_aux = place(patch, A, cell);
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = args.from[at + size_t(m) * patch.component];
        #pragma unroll
        for (int a = 0; a < A; a++) aux[a] = args.aux[at_aux + size_t(a) * patch.component];
        q = solver.source(centre, t, dt, q, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            args.to[at + size_t(m) * patch.component] = q[m];
            // False for NaN and infinities alike.
            finite = finite && q[m] - q[m] == Real(0);
        }
#if HAS_POSITIVE
        finite = finite && solver.least_positive(q, aux) > Real(0);
#endif
    }
    if (!finite && !args.ghosts) atomicOr(&args.reports[number].not_finite, 1u);
}
