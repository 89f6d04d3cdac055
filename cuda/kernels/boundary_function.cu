// boundary_function.cu: ghost cells beyond the sides of the domain across one axis: first as the sides' conditions give them, then by
// functions of the case, where there are some; after sources what is a side's own keeps what they have made of it. Axes follow one another, since corners are filled from what earlier axes have written.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 M Real per cell
// Floor   a launch: few patches lie at the sides
// Order   every cell is written by one lane, and none is read that a lane writes: repeats bit for bit

extern "C" __global__ void boundary_function(const BoundaryArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const Origin origin = args.origins[work.number];
    const Patch patch = args.view.patches[work.item.target];
    // The side's own function, or none. Walls of mapped grids reflect what has been checked.
    const unsigned side = work.item.source;
    const bool asks = side < 2 && (args.functions >> side & 1), checks = side < 2 && (args.checked >> side & 1);
    await_previous();
    Value* q = reinterpret_cast<Value*>(args.view.q);
    bool allowed = true;
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        Cell source;
        #pragma unroll
        for (int d = 0; d < DIM; d++) source[d] = origin.scale[d] * cell[d] + origin.offset[d];
        const Cell local = in_patch(patch, cell);
        const size_t component = patch.component, to = place(patch, M, local);
        Array<double, M> values = values_at<M>(args.view.q, place(patch, M, in_patch(patch, source)), component);
        // A function sees the mirror image with its signs.
        #pragma unroll
        for (int m = 0; m < M; m++)
            if (__popc(origin.walls & args.signs[m]) & 1) values[m] = -values[m];
        if (asks) {
            const Point point = point_of(args.domain, args.t, cell);
            double ghost[M];
            // The cell whose lower face lies on the side.
            Cell beside = local;
            #pragma unroll
            for (int d = 0; d < DIM; d++)
                if (d == args.axis) beside[d] += (side == 1 ? work.item.shift[d] : 0) - cell[d];
            case_boundary(
                point, args.axis, int(side), values,
                values_at<A>(args.view.aux, place(patch, A, beside), component), ghost);
            #pragma unroll
            for (int m = 0; m < M; m++) values[m] = double(Value(ghost[m]));
        }
        if (args.before && checks) {
            const Array<double, M> before = values_at<M>(args.before, to, component);
            const Array<double, M> advanced = values_at<M>(args.view.q, to, component);
            #pragma unroll
            for (int m = 0; m < M; m++)
                if (values[m] == before[m]) values[m] = advanced[m];
        }
        if (checks) {
            // False for NaN and infinities alike.
            #pragma unroll
            for (int m = 0; m < M; m++) allowed = allowed && values[m] - values[m] == 0.0;
#if HAS_POSITIVE
            const Solver solver{SOLVER_PARAMETERS};
            const size_t at_aux = place(patch, A, local);
            allowed = allowed && solver.least_positive(values, values_at<A>(args.view.aux, at_aux, component)) > 0.0;
#endif
        }
        #pragma unroll
        for (int m = 0; m < M; m++) q[to + m * component] = Value(values[m]);
    }
    if (!allowed) refuse(args.refused, args.level, work.item.target);
}
