// leaves_count.cu: how many new leaves each leaf becomes, and whether there are others than before.
// Map     one thread per leaf
// Bytes   16 bytes per leaf
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_count(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.num_cells) return;
    const unsigned own = args.before.level[leaf], level = args.levels[leaf];
    args.counts[leaf] = level > own ? SONS : level == own || son_of(own, args.before.place[leaf]) == 0;
    // Every thread that writes it writes the same.
    if (level != own) *args.renews = 1;
}
