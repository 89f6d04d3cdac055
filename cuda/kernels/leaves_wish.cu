// leaves_wish.cu: the levels that leaves should have, with those near them.
// Map     one thread per leaf
// Bytes   12 bytes per leaf; 12 per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_wish(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf < args.before.tables.num_cells) args.next[leaf] = widened_wish_of(args, leaf);
}
