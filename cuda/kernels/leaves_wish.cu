// leaves_wish.cu: the levels that leaves should have: of their flags, then, call by call, of those near them.
// Map     one thread per leaf
// Bytes   12 bytes per leaf; 12 per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_wish(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.num_cells) return;
    const LeafMesh& mesh = args.before;
    const unsigned own = mesh.level[leaf];
    if (args.call == 0) {
        const unsigned flags = args.flags[leaf];
        args.next[leaf] = flags & 1 ? min(own + 1, args.finest) : flags & 2 ? own : own - min(own, 1u);
        return;
    }
    unsigned most = 0;
    for (unsigned at = mesh.link_starts[leaf]; at < mesh.link_starts[leaf + 1]; at++) {
        const Link link(mesh.links[at]);
        if (!link.is_boundary()) most = max(most, args.levels[link.to]);
    }
    args.next[leaf] = max(args.levels[leaf], min(most, own + 1));
}
