// leaves_slopes.cu: the gradient of a field in each leaf, by least squares.
// Map     one thread per leaf
// Bytes   16 bytes per leaf; 28 and what a neighbour has per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_slopes(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.tables.num_cells) return;
    const LeafMesh& mesh = args.before;
    Vector gradient = zero();
    const double own = args.field[leaf];
    const unsigned row = mesh.tables.slices[leaf / 32] + leaf % 32, count = mesh.link_starts[leaf + 1] - mesh.link_starts[leaf];
    for (unsigned k = 0, place = row; k < count; k++, place += 32) {
        const unsigned behind = mesh.tables.neighbours[place];
        const double difference = (behind < mesh.tables.num_cells ? args.field[behind] : args.beyond[behind - mesh.tables.num_cells]) - own;
        gradient = gradient + difference * vector_at(mesh.tables.weight + place, mesh.tables.num_entries);
    }
    set_vector(args.slopes + leaf, mesh.tables.num_cells, gradient);
}
