// source_cells.cu: applies the solver's source to the coarse cells beside a finer level, for a time.
// Map     one warp per chunk of a run's faces, one coarse cell a lane at a time
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one lane: repeats bit for bit

extern "C" __global__ void source_cells(const SourceCellsArgs args)
{
    start_next();
    const unsigned warp = warp_number();
    if (warp >= args.table.num_chunks) return;
    const Chunk chunk = args.table.chunks[warp];
    const FaceRun run = args.table.items[chunk.region];
    await_previous();
    const Solver solver{SOLVER_PARAMETERS};
    const Real t = Real(args.t), dt = Real(args.dt);
    const int end = min(num_cells(run), int(chunk.first + args.table.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        const Cell cell = cell_of(run, i);
        const size_t component = args.num_slots;
        Real* here = args.cells + run.first_slot + i;
        Array<Real, 3> centre;
        #pragma unroll
        for (int d = 0; d < 3; d++) {
            centre[d] = Real(0);
            if (d >= DIM) continue;
            centre[d] = args.has_centres ? here[size_t(2 * M + A + d) * component]
                                         : Real(centre_of(args.level, d, cell[d] - run.shift[d]));
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
