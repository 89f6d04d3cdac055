// source_function.cu: applies the source terms of a case to every cell for a time.
// Map     some blocks share a patch, one cell a thread at a time, x fastest
// Bytes   (2 M + A) Real per cell
// Order   every cell is written by one thread: repeats bit for bit

extern "C" __global__ void source_function(const SourceArgs args)
{
    start_next();
    await_previous();
    unsigned number = blockIdx.x / args.blocks_per_patch, part = blockIdx.x % args.blocks_per_patch;
    const Patch& patch = args.patches[number];
    Value* to = reinterpret_cast<Value*>(args.to);
    const int beyond = args.ghosts ? NUM_GHOST : 0;
    int size[DIM], cells = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cells *= size[d] = patch.size[d] + 2 * beyond;
    bool finite = true, reverses = false;
    for (int i = part * blockDim.x + threadIdx.x; i < cells; i += args.blocks_per_patch * blockDim.x) {
        Cell cell = cell_of_number(size, i), in_level;
        if (!source_place(args, patch, beyond, cell, in_level)) continue;
        const size_t at = place(patch, M, cell), component = patch.component;
        const Array<double, M> q = values_at<M>(args.from, at, component);
        const Array<double, A> aux = values_at<A>(args.aux, place(patch, A, cell), component);
        const Point point = point_of(args.level, args.t, in_level);
        Array<double, M> after = source_step(point, args.dt, q, aux, reverses);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const Value value = Value(after[m]);
            to[at + m * component] = value;
            after[m] = double(value);
            // False for NaN and infinities alike.
            finite = finite && value - value == Value(0);
        }
#if HAS_POSITIVE
        const Solver solver{SOLVER_PARAMETERS};
        finite = finite && solver.least_positive(after, aux) > 0.0;
#endif
    }
    if (reverses) atomicOr(&args.reports[number].reverses, 1u);
    if (!finite && !args.ghosts) atomicOr(&args.reports[number].not_finite, 1u);
}
