// leaves_means.cu: the states of leaves with those of complete families replaced by their mean, as adapt::of_families.
// Map     one thread per leaf
// Bytes   16 M per leaf
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_means(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    const unsigned cells = args.before.tables.num_cells;
    if (leaf >= cells) return;
    const unsigned first = family_of(args.before, leaf);
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const double* values = args.values + size_t(m) * cells;
        args.new_values[size_t(m) * cells + leaf] = first == NONE ? values[leaf] : mean_of_sons(args.before.tables.volume + first, values + first);
    }
}
