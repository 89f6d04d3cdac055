// source.cu: lets the solver's source act on every cell for a time.
// Map     BLOCKS_PER_PATCH blocks share a patch, one cell a thread at a time, x fastest
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one thread: repeats bit for bit

extern "C" __global__ void source(const SourceArgs args)
{
    start_next();
    await_previous();
    unsigned number = blockIdx.x / BLOCKS_PER_PATCH, part = blockIdx.x % BLOCKS_PER_PATCH;
    const Patch& patch = args.patches[number];
    const Solver solver{SOLVER_PARAMETERS};
    int beyond_x = args.ghosts ? NUM_GHOST : 0, beyond_y = args.ghosts ? GHOSTS_Y : 0;
    int nx = patch.nx + 2 * beyond_x, cells = nx * (patch.ny + 2 * beyond_y);
    Real t = Real(args.t), dt = Real(args.dt);
    bool finite = true;
    for (int i = part * blockDim.x + threadIdx.x; i < cells; i += BLOCKS_PER_PATCH * blockDim.x) {
        int row = i / nx;
        int x = i - row * nx - beyond_x, y = row - beyond_y;
        Array<Real, 3> centre;
        centre[0] = Real(args.lower_x + double(x + patch.lo_x) * args.dx + 0.5 * args.dx);
        centre[1] = DIM > 1 ? Real(args.lower_y + double(y + patch.lo_y) * args.dy + 0.5 * args.dy) : Real(0);
        centre[2] = Real(0);
        State q;
        Aux aux;
        size_t at = place(patch, M, x, y), at_aux = place(patch, A, x, y);
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
