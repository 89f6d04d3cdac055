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
    if (leaf >= mesh.tables.num_cells) return;
    // Who raises a level passes it on, so that at the end all have been.
    const auto raises = [&](unsigned to, unsigned level) {
        return ((volatile const unsigned*)args.settled)[to] < level && atomicMax(args.settled + to, level) < level;
    };
    const unsigned wish = args.call > 0 ? widened_wish_of(args, leaf) : wish_of(args, leaf), of_leaf = mesh.level[leaf];
    const unsigned least = family_of(mesh, leaf) == NONE ? of_leaf : of_leaf - 1;
    const unsigned level = min(max(min(wish, args.finest), least), min(of_leaf + 1, MOST_LEVELS));
    if (!raises(leaf, level)) return;
    // On the way from leaf to leaf levels decrease, but once to brothers.
    Raised way[2 * (MOST_LEVELS + 2)], here{leaf, 0, (unsigned char)level, false};
    for (unsigned depth = 0;;) {
        const unsigned own = mesh.level[here.leaf], next = here.next++;
        Raised further{NONE, 0, 0, false};
        if (next < SONS) {
            if (next == 0 && (here.by_brother || here.level < own || family_of(mesh, here.leaf) == NONE)) here.next = SONS;
            else further = Raised{here.leaf - son_of(own, mesh.place[here.leaf]) + next, 0, (unsigned char)own, true};
        } else if (mesh.link_starts[here.leaf] + (next - SONS) < mesh.link_starts[here.leaf + 1]) {
            const Link link(mesh.links[mesh.link_starts[here.leaf] + (next - SONS)]);
            // Leaves stay at most one below their own level anyway.
            const bool asks = !link.is_boundary() && mesh.level[link.to] < here.level;
            if (asks) further = Raised{link.to, 0, (unsigned char)(here.level - 1), false};
        } else if (depth == 0) {
            return;
        } else {
            here = way[--depth];
        }
        if (further.leaf != NONE && raises(further.leaf, further.level)) way[depth++] = here, here = further;
    }
}
