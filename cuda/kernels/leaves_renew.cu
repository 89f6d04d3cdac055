// leaves_renew.cu: the new leaves, and what they come from.
// Map     one thread per old leaf
// Bytes   20 bytes per old leaf, 24 per new one
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_renew(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.num_cells) return;
    const LeafMesh& now = args.now;
    const unsigned own = args.before.level[leaf], level = args.levels[leaf], root = args.before.root[leaf];
    const unsigned long long place = args.before.place[leaf];
    const bool is_gone = level < own && son_of(own, place) != 0;
    for (unsigned son = 0; son < (level > own ? SONS : 1) && !is_gone; son++) {
        const unsigned to = args.counts[leaf] + son;
        now.root[to] = root, now.level[to] = level;
        // A first son's place is its father's.
        now.place[to] = level > own ? place | (unsigned long long)son << shift_of(level) : place;
        args.from[to] = leaf, args.change[to] = int(level) - int(own);
        if (now.place[to] == 0) now.starts[root] = to;
    }
    if (leaf == 0) now.starts[args.num_roots] = now.num_cells;
}
