// leaves_entries.cu: what leaves see across their faces, in slices of 32 leaves: the faces, the leaves behind them, and the weights of differences in gradients by least squares.
// Map     one thread per leaf of full slices
// Bytes   16 bytes per leaf; 88 per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_entries(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    const LeafMesh& mesh = args.now;
    const unsigned cells = mesh.tables.num_cells;
    if (leaf >= (cells + 31) / 32 * 32) return;
    const unsigned first = leaf < cells ? mesh.link_starts[leaf] : 0, count = leaf < cells ? mesh.link_starts[leaf + 1] - first : 0;
    const unsigned row = mesh.tables.slices[leaf / 32] + leaf % 32, end = mesh.tables.slices[leaf / 32 + 1];
    const Vector centroid = vector_at(mesh.centroid + min(leaf, cells - 1), cells);
    LeastSquares squares;
    for (unsigned k = 0, place = row; place < end; k++, place += 32) {
        Vector to_face = zero(), weight = zero();
        unsigned entry = NONE, behind = NONE;
        if (k < count) {
            entry = args.rows[first + k];
            const unsigned face = entry / 2, side = entry % 2;
            behind = side ? mesh.tables.left[face] : mesh.tables.right[face];
            const Vector moved = shift_of_link(args, mesh, first + k);
            to_face = vector_in(mesh.centre, face) + double(side) * moved - centroid;
            Vector far;
            if (behind < cells) {
                far = vector_at(mesh.centroid + behind, cells) + (side ? 1.0 : -1.0) * moved - centroid;
            } else {
                const Vector normal = vector_at(args.normals + (behind - cells), mesh.tables.num_faces - args.first_boundary);
                far = to_mirror_image(to_face, normal);
            }
            weight = squares.add(far);
        }
        mesh.tables.entries[place] = entry, mesh.tables.neighbours[place] = behind;
        set_vector(mesh.tables.to_face + place, mesh.tables.num_entries, to_face);
        set_vector(mesh.tables.weight + place, mesh.tables.num_entries, weight);
    }
    squares.solve();
    for (unsigned k = 0, place = row; k < count; k++, place += 32) {
        const Vector weight = vector_at(mesh.tables.weight + place, mesh.tables.num_entries);
        set_vector(mesh.tables.weight + place, mesh.tables.num_entries, squares.solved(weight));
    }
}
