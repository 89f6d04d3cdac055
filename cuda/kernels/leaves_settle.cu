// leaves_settle.cu: the levels that leaves get, of those that they should have: one from their own at most, brothers joined all or none, at most one apart
// across sides.
// Map     one thread per leaf, which raises the others that its level asks to be higher, and those that they ask
// Bytes   24 bytes per leaf; 24 per face
// Order   atomics on integers: the least levels that the rules allow are the same in any order

// A leaf that has been raised, and which of those that depend on it comes next: brothers, then leaves beside it.
struct Raised {
    unsigned leaf;
    unsigned short next;
    unsigned char level;
    bool by_brother;
};

extern "C" __global__ void leaves_settle(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    const LeafMesh& mesh = args.before;
    if (leaf >= mesh.num_cells) return;
    // On the way from leaf to leaf levels decrease, but once to brothers.
    Raised way[2 * (MOST_LEVELS + 2)];
    unsigned depth = 0;
    // Who raises a level passes it on, so that at the end all have been.
    const auto raise = [&](unsigned to, unsigned level, bool by_brother) {
        if (((volatile const unsigned*)args.settled)[to] >= level) return;
        if (atomicMax(args.settled + to, level) < level) way[depth++] = Raised{to, 0, (unsigned char)level, by_brother};
    };
    const unsigned wish = args.call > 0 ? widened_wish_of(args, leaf) : wish_of(args, leaf), of_leaf = mesh.level[leaf];
    const unsigned least = family_of(mesh, leaf) == NONE ? of_leaf : of_leaf - 1;
    raise(leaf, min(max(min(wish, args.finest), least), min(of_leaf + 1, MOST_LEVELS)), false);
    while (depth > 0) {
        Raised& here = way[depth - 1];
        const unsigned own = mesh.level[here.leaf], next = here.next++;
        if (next < SONS) {
            const unsigned first = here.by_brother || here.level < own ? NONE : family_of(mesh, here.leaf);
            if (first == NONE) here.next = SONS;
            else raise(first + next, own, true);
            continue;
        }
        const unsigned at = mesh.link_starts[here.leaf] + next - SONS;
        if (at == mesh.link_starts[here.leaf + 1]) {
            depth--;
            continue;
        }
        const Link link(mesh.links[at]);
        // Leaves stay at most one below their own level anyway.
        if (!link.is_boundary() && mesh.level[link.to] < here.level) raise(link.to, here.level - 1, false);
    }
}
