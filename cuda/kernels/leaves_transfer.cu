// leaves_transfer.cu: values of new leaves: limited linear in the father, the mean of sons, as adapt::transfer.
// Map     one thread per new leaf; that of a first son makes those of its brothers
// Bytes   16 M bytes per leaf
// Order   every number is written by one thread: repeats bit for bit

// What a limited gradient adds to a father's value in each of its sons.
__device__ __forceinline__ void linear(const LeavesArgs& args, unsigned father, unsigned first, const double* values, double* changes)
{
    const LeafMesh &old = args.before, &mesh = args.now;
    Array<Real, 3> gradient{{0.0, 0.0, 0.0}};
    double below = 0.0, above = 0.0, factor = 1.0, sum = 0.0, whole = 0.0;
    const unsigned row = old.tables.slices[father / 32] + father % 32, count = old.link_starts[father + 1] - old.link_starts[father];
    for (unsigned k = 0, place = row; k < count; k++, place += 32) {
        const unsigned behind = old.tables.neighbours[place];
        const double difference = behind < old.tables.num_cells ? values[behind] - values[father] : 0.0;
        for (int d = 0; d < DIM; d++) gradient[d] += old.tables.weight[size_t(d) * old.tables.num_entries + place] * difference;
        below = fmin(below, difference), above = fmax(above, difference);
    }
    const Vector from = vector_at(old.centroid + father, old.tables.num_cells);
    for (unsigned k = 0; k < SONS; k++) {
        const Vector far = vector_at(mesh.centroid + first + k, mesh.tables.num_cells) - from;
        changes[k] = CellSums().change(gradient, Array<Real, 3>{{far[0], far[1], DIM > 2 ? far[DIM - 1] : 0.0}});
        factor = CellSums().barth_jespersen(factor, changes[k], below, above);
    }
    for (unsigned k = 0; k < SONS; k++) sum += mesh.tables.volume[first + k] * changes[k], whole += mesh.tables.volume[first + k];
    for (unsigned k = 0; k < SONS; k++) changes[k] = factor * (changes[k] - sum / whole);
}

extern "C" __global__ void leaves_transfer(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.now.tables.num_cells) return;
    const unsigned from = args.from[leaf], cells = args.now.tables.num_cells, before = args.before.tables.num_cells;
    const int change = args.change[leaf];
    if (change <= 0) {
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const double* values = args.values + size_t(m) * before + from;
            const double value = change < 0 ? mean_of_sons(args.before.tables.volume + from, values) : values[0];
            args.new_values[size_t(m) * cells + leaf] = value;
        }
        return;
    }
    if (son_of(args.now.level[leaf], args.now.place[leaf]) != 0) return;
    double changes[M][SONS];
    #pragma unroll
    for (int m = 0; m < M; m++) linear(args, from, leaf, args.values + size_t(m) * before, changes[m]);
    bool is_fine = true;
#if HAS_POSITIVE
    const Solver solver{SOLVER_PARAMETERS};
    for (unsigned k = 0; k < SONS; k++) {
        State q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = args.values[size_t(m) * before + from] + changes[m][k];
        is_fine = is_fine && solver.least_positive(q, Aux()) > Real(0);
    }
#endif
    // If one of the sons may not have its state, all get their father's.
    #pragma unroll
    for (int m = 0; m < M; m++)
        for (unsigned k = 0; k < SONS; k++)
            args.new_values[size_t(m) * cells + leaf + k] = args.values[size_t(m) * before + from] + (is_fine ? changes[m][k] : 0.0);
}
