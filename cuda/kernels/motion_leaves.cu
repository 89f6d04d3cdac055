// motion_leaves.cu: where the nodes of leaves are, when those of roots are.
// Map     one thread per leaf
// Bytes   12 bytes per leaf; 24 DIM per node
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void motion_leaves(const MotionArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.tables.num_cells) return;
    const unsigned root = args.root[leaf], first = args.root_starts[root], count = args.root_starts[root + 1] - first;
    const unsigned* division = args.division + (DIM > 2 ? 0 : args.shapes[leaf]) * DIVISION;
    Vector nodes[NODES], sons[NODES];
    for (unsigned k = 0; k < count; k++) nodes[k] = vector_in(args.root_points, args.root_nodes[first + k]);
    for (unsigned level = 1; level <= args.level[leaf]; level++) {
        const unsigned son = son_of(level, args.place[leaf]);
        for (unsigned k = 0; k < count; k++) sons[k] = node_of_son(nodes, division, son, k);
        for (unsigned k = 0; k < count; k++) nodes[k] = sons[k];
    }
    for (unsigned k = 0; k < count; k++) vector_in(args.after.points, args.cell_starts[leaf] + k) = nodes[k];
}
