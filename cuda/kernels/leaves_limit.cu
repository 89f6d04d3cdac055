// leaves_limit.cu: the levels that leaves should have, one from their own at most.
// Map     one thread per leaf
// Bytes   16 per leaf
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_limit(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.num_cells) return;
    const unsigned own = args.before.level[leaf], least = args.families[leaf] == NONE ? own : own - 1;
    args.next[leaf] = min(max(min(args.levels[leaf], args.finest), least), min(own + 1, MOST_LEVELS));
}
