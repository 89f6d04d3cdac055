// leaves_renew.cu: the new leaves, and what they come from: where each old one's begin is the sum of how many those before it become.
// Map     one thread per old leaf
// Bytes   24 bytes per old leaf, 24 per new one
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void __launch_bounds__(LEAVES_THREADS) leaves_renew(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    const LeafMesh& now = args.now;
    const bool is_leaf = leaf < args.before.tables.num_cells;
    const unsigned own = is_leaf ? args.before.level[leaf] : 0, level = is_leaf ? args.settled[leaf] : 0;
    const unsigned root = is_leaf ? args.before.root[leaf] : 0;
    const unsigned long long place = is_leaf ? args.before.place[leaf] : 0;
    const unsigned become = !is_leaf ? 0 : level > own ? SONS : level == own || son_of(own, place) == 0;
    const auto count = [&](unsigned) { return (unsigned long long)(become << 8 * LeafTotal::Leaves | unsigned(level != own) << 8 * LeafTotal::Changes); };
    const auto take = [&](unsigned column, unsigned first) {
        if (column != LeafTotal::Leaves || !is_leaf) return;
        args.numbers[leaf] = first;
        for (unsigned son = 0; son < become && first + son < args.room; son++) {
            const unsigned to = first + son;
            now.root[to] = root, now.level[to] = level;
            // A first son's place is its father's.
            now.place[to] = level > own ? place | (unsigned long long)son << shift_of(level) : place;
            args.from[to] = leaf, args.change[to] = int(level) - int(own);
            if (now.place[to] == 0) now.starts[root] = to;
        }
    };
    sum_columns(args, LeafTotal::Leaves, LeafTotal::Changes + 1, count, take);
    if (is_last_block()) now.starts[args.num_roots] = args.totals[LeafTotal::Leaves];
}
