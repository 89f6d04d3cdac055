// source_function_cells.cu: applies the source terms of a case to the coarse cells beside a finer level, for a time.
// Map     one warp per chunk of a run's faces, one coarse cell a lane at a time
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one lane: repeats bit for bit

extern "C" __global__ void source_function_cells(const SourceCellsArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    await_previous();
    Value* cells = reinterpret_cast<Value*>(args.cells);
    for (int i = work.first; i < work.end; i += 32) {
        Cell cell = cell_of(work.item, i);
        #pragma unroll
        for (int d = 0; d < DIM; d++) cell[d] -= work.item.shift[d];
        const size_t slot = work.item.first_slot + i, component = args.num_slots;
        const Array<double, M> q = values_at<M>(args.cells, slot, component);
        const Array<double, A> aux = values_at<A>(args.cells, slot + 2 * M * component, component);
        bool reverses;
        const Array<double, M> after = source_step(point_of(args.level, args.t, cell), args.dt, q, aux, reverses);
        #pragma unroll
        for (int m = 0; m < M; m++) cells[slot + m * component] = Value(after[m]);
    }
}
