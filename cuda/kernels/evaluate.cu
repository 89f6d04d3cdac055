// evaluate.cu: values of cells from a function of position and time: initial data, auxiliary values.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   NUM_VALUES Real per cell
// Floor   the bytes, or the function's operations
// Order   every cell is written by one lane: repeats bit for bit

extern "C" __global__ void evaluate(const EvaluateArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const Patch patch = args.patches[work.item.target];
    await_previous();
    Value* out = reinterpret_cast<Value*>(args.out);
    bool allowed = true;
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        Cell asked;
        #pragma unroll
        for (int d = 0; d < DIM; d++) asked[d] = cell[d] - work.item.shift[d];
        double values[NUM_VALUES];
        const Point point = point_of(args.level, args.t, asked);
        case_function(point, Array<double, M>(), Array<double, A>(), values);
        const size_t at = place(patch, NUM_VALUES, in_patch(patch, cell));
        #pragma unroll
        for (int n = 0; n < NUM_VALUES; n++) {
            const Value value = Value(values[n]);
            out[at + size_t(n) * patch.component] = value;
            values[n] = double(value);
            // False for NaN and infinities alike.
            allowed = allowed && value - value == Value(0) && (!(POSITIVE_VALUES >> n & 1) || value > Value(0));
        }
#if HAS_POSITIVE
        State q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = values[m];
        const Solver solver{SOLVER_PARAMETERS};
        const size_t at_aux = place(patch, A, in_patch(patch, cell));
        allowed = allowed && solver.least_positive(q, values_at<A>(args.aux, at_aux, patch.component)) > 0.0;
#endif
    }
    if (!allowed) atomicOr(args.refused, 1u);
}
