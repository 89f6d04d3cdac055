// boundary_function.cu: ghost cells beyond the sides of the domain across one axis: first as the sides' conditions give them, then by
// functions of the case, where there are some. Axes follow one another, since corners are filled from what earlier axes have written.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 M Real per cell
// Floor   a launch: few patches lie at the sides
// Order   every cell is written by one lane, and none is read that a lane writes: repeats bit for bit

extern "C" __global__ void boundary_function(const BoundaryArgs args)
{
    start_next();
    const unsigned warp = warp_number();
    if (warp >= args.table.num_chunks) return;
    const Chunk chunk = args.table.chunks[warp];
    const Region region = args.table.items[chunk.region];
    const Origin origin = args.origins[chunk.region];
    const Patch patch = args.patches[region.target];
    // The side's own function, or none.
    const unsigned side = region.source;
    const bool asks = side < 2 && (args.functions >> side & 1);
    await_previous();
    Value* q = reinterpret_cast<Value*>(args.q);
    const int end = min(num_cells(region), int(chunk.first + args.table.chunk_cells));
    bool allowed = true;
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        const Cell cell = cell_of(region, i);
        Cell source;
        #pragma unroll
        for (int d = 0; d < DIM; d++) source[d] = origin.scale[d] * cell[d] + origin.offset[d];
        const Cell local = in_patch(patch, cell);
        const size_t component = patch.component, to = place(patch, M, local);
        Array<double, M> values = values_at<M>(args.q, place(patch, M, in_patch(patch, source)), component);
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
                if (d == args.axis) beside[d] += (side == 1 ? region.shift[d] : 0) - cell[d];
            case_boundary(
                point, args.axis, int(side), values,
                values_at<A>(args.aux, place(patch, A, beside), component), ghost);
            #pragma unroll
            for (int m = 0; m < M; m++) {
                values[m] = double(Value(ghost[m]));
                // False for NaN and infinities alike.
                allowed = allowed && values[m] - values[m] == 0.0;
            }
#if HAS_POSITIVE
            const Solver solver{SOLVER_PARAMETERS};
            const size_t at_aux = place(patch, A, local);
            allowed = allowed && solver.least_positive(values, values_at<A>(args.aux, at_aux, component)) > 0.0;
#endif
        }
        #pragma unroll
        for (int m = 0; m < M; m++) q[to + m * component] = Value(values[m]);
    }
    // The coarsest level, and on it the first patch, wins.
    const unsigned long long here = (unsigned long long)(256 - args.level) << 32 | (0xffffffffu - region.target);
    if (!allowed) atomicMax(args.refused, here);
}
