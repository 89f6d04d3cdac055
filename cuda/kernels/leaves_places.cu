// leaves_places.cu: nodes, volumes and centroids of new leaves: those of old ones stay, sons get shares of their fathers.
// Map     one thread per leaf
// Bytes   192 bytes per leaf
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_places(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.now.num_cells) return;
    const LeafMesh &old = args.before, &mesh = args.now;
    const unsigned root = mesh.root[leaf], level = mesh.level[leaf], from = args.from[leaf];
    const int change = args.change[leaf];
    const unsigned* division = division_of(args, root);
    const bool is_new = change < 0;
    LeafCell cell;
    const double* points = is_new ? args.root_points + 8 * root : old.points + 8 * size_t(from);
    for (unsigned k = 0; k < 4; k++) cell.nodes[k] = vector_at(points + 2 * k, 1);
    cell.volume = is_new ? args.root_volume[root] : old.volume[from];
    cell.centroid = vector_at(old.centroid + from, old.num_cells);
    if (is_new && level == 0) {
        const double whole = cell.volume;
        cell.measure(division[SIDES]);
        cell.volume = whole;
    }
    for (unsigned below = change > 0 ? level : 1; change != 0 && below <= level; below++)
        cell.descend(division, son_of(below, mesh.place[leaf]));
    for (unsigned k = 0; k < 4; k++) set_vector(mesh.points + 8 * size_t(leaf) + 2 * k, 1, cell.nodes[k]);
    mesh.volume[leaf] = cell.volume;
    set_vector(mesh.centroid + leaf, mesh.num_cells, cell.centroid);
}
