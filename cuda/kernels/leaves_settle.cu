// leaves_settle.cu: a sweep that brings levels beside one another together, and joins brothers all or none. A sweep behind one that has changed nothing does nothing.
// Map     one thread per leaf
// Bytes   16 bytes per leaf; 12 per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_settle(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.num_cells) return;
    const LeafMesh& mesh = args.before;
    if (args.call > 0 && args.changed[args.call - 1] == 0) return;
    const unsigned own = mesh.level[leaf], was = args.levels[leaf], first = args.families[leaf];
    unsigned near = 0;
    for (unsigned at = mesh.link_starts[leaf]; at < mesh.link_starts[leaf + 1]; at++) {
        const Link link(mesh.links[at]);
        if (!link.is_boundary()) near = max(near, args.levels[link.to]);
    }
    unsigned level = max(was, near - min(near, 1u));
    if (level < own) {
        bool stays = false;
        for (unsigned son = 0; son < SONS; son++) stays = stays || args.levels[first + son] >= own;
        if (stays) level = own;
    }
    args.next[leaf] = level;
    // Every thread that writes it writes the same.
    if (level != was) args.changed[args.call] = 1;
}
