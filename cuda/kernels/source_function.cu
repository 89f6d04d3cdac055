// source_function.cu: applies the source terms of a case to every cell for a time, and to the coarse cells beside the level.
// Map     some blocks share a patch, one cell a thread at a time, x fastest; then one warp per chunk of a run's faces, one coarse cell a lane at a time
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one thread: repeats bit for bit

__device__ __forceinline__ void source_beside(const SourceArgs& args)
{
    for_each_beside(args, [&](size_t slot, const Cell& in_level, const Real* all_aux, size_t at_aux, size_t between) {
        const SourceCells& beside = args.beside;
        Value* cells = reinterpret_cast<Value*>(beside.cells);
        const size_t component = beside.num_slots;
        const Array<double, M> q = values_at<M>(beside.cells, slot, component);
        const Array<double, A> aux = values_at<A>(all_aux, at_aux, between);
        bool reverses;
        const Array<double, M> after = source_step(point_of(beside.level, args.t, in_level), args.dt, q, aux, reverses);
        #pragma unroll
        for (int m = 0; m < M; m++) cells[slot + m * component] = Value(after[m]);
    });
}

extern "C" __global__ void source_function(const SourceArgs args)
{
    start_next();
    if (blockIdx.x >= args.num_blocks) return source_beside(args);
    await_previous();
    Value* to = reinterpret_cast<Value*>(args.to);
    bool finite = true, reverses = false;
    const unsigned number = for_each_place(args, [&](const Patch& patch, const SourcePlace& there) {
        const size_t at = place(patch, M, there.cell), component = patch.component;
        const Array<double, M> q = values_at<M>(args.from, place(patch, M, there.origin), component);
        const Array<double, A> aux = values_at<A>(args.aux, place(patch, A, there.origin), component);
        const Point point = point_of(args.level, args.t, there.in_level);
        Array<double, M> after = source_step(point, args.dt, q, aux, reverses);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const Value value = Value(after[m]);
            to[at + m * component] = there.negates(args, m) ? -value : value;
            after[m] = double(value);
            // False for NaN and infinities alike.
            finite = finite && value - value == Value(0);
        }
#if HAS_POSITIVE
        const Solver solver{SOLVER_PARAMETERS};
        finite = finite && solver.least_positive(after, aux) > 0.0;
#endif
    });
    if (reverses) atomicOr(&args.reports[number].reverses, 1u);
    if (!finite && !args.ghosts) atomicOr(&args.reports[number].not_finite, 1u);
}
