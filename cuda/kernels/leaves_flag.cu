// leaves_flag.cu: flags leaves where gradients leave much of differences, as adapt::curvature: bit 0 to be divided, bit 1 not to be joined.
// Map     one thread per leaf
// Bytes   4 bytes per leaf; 48 and what a neighbour has per face
// Order   every number is written by one thread: repeats bit for bit

// What a gradient does not explain of a difference, relative to what it explains.
__device__ __forceinline__ double unexplained(Vector gradient, Vector far, double difference, double mean)
{
    const double along = dot(gradient, far), below = 0.03 * mean + fabs(along);
    return below > 0.0 ? fabs(difference - along) / below : 0.0;
}

extern "C" __global__ void leaves_flag(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.tables.num_cells) return;
    const LeafMesh& mesh = args.before;
    const unsigned cells = mesh.tables.num_cells, row = mesh.tables.slices[leaf / 32] + leaf % 32, first = mesh.link_starts[leaf];
    double most = 0.0;
    for (unsigned k = 0; first + k < mesh.link_starts[leaf + 1]; k++) {
        const unsigned place = row + 32 * k, entry = mesh.tables.entries[place], behind = mesh.tables.neighbours[place];
        const bool is_inside = behind < cells;
        const unsigned left = entry % 2 ? behind : leaf, right = entry % 2 ? leaf : behind;
        const Vector from = vector_at(mesh.centroid + left, cells);
        const Vector to = is_inside ? vector_at(mesh.centroid + right, cells) - shift_of_link(args, mesh, first + k)
                                    : 2.0 * vector_in(mesh.centre, entry / 2) - from;
        const double on_left = args.field[left], on_right = is_inside ? args.field[right] : args.beyond[right - cells];
        const Vector far = to - from;
        const double difference = on_right - on_left, mean = 0.5 * (fabs(on_right) + fabs(on_left));
        most = fmax(most, unexplained(vector_at(args.slopes + left, cells), far, difference, mean));
        if (is_inside) most = fmax(most, unexplained(vector_at(args.slopes + right, cells), far, difference, mean));
    }
    add_flags(args, leaf, unsigned(most > args.tolerance) | unsigned(most > args.kept) << 1);
}
