// source_cells.cu: applies the solver's source to the coarse cells beside a finer level, for a time.
// Map     one warp per chunk of a run's faces, one coarse cell a lane at a time
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one lane: repeats bit for bit

extern "C" __global__ void source_cells(const SourceCellsArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    await_previous();
    const Solver solver{SOLVER_PARAMETERS};
    const Real t = Real(args.t), dt = Real(args.dt);
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        const size_t component = args.num_slots;
        Real* here = args.cells + work.item.first_slot + i;
        Array<Real, 3> centre;
        #pragma unroll
        for (int d = 0; d < 3; d++) {
            centre[d] = Real(0);
            if (d >= DIM) continue;
            centre[d] = args.has_centres ? here[size_t(2 * M + A + d) * component]
                                         : Real(centre_of(args.level, d, cell[d] - work.item.shift[d]));
        }
        State q;
        Aux aux;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = here[size_t(m) * component];
        #pragma unroll
        for (int a = 0; a < A; a++) aux[a] = here[size_t(2 * M + a) * component];
        q = solver.source(centre, t, dt, q, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) here[size_t(m) * component] = q[m];
    }
}
