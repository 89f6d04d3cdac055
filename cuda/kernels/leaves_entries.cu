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
    const unsigned cells = mesh.num_cells;
    if (leaf >= (cells + 31) / 32 * 32) return;
    const unsigned first = leaf < cells ? mesh.link_starts[leaf] : 0, count = leaf < cells ? mesh.link_starts[leaf + 1] - first : 0;
    const unsigned row = mesh.slices[leaf / 32] + leaf % 32, end = mesh.slices[leaf / 32 + 1];
    const Vector centroid = vector_at(mesh.centroid + min(leaf, cells - 1), cells);
    double matrix[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    for (unsigned k = 0, place = row; place < end; k++, place += 32) {
        Vector to_face{{0.0, 0.0}}, weight{{0.0, 0.0}};
        unsigned entry = NONE, behind = NONE;
        if (k < count) {
            entry = args.rows[first + k];
            const unsigned face = entry / 2, side = entry % 2;
            behind = side ? mesh.left[face] : mesh.right[face];
            const Vector moved = shift_of_group(args, Link(mesh.links[first + k]).group());
            to_face = vector_at(mesh.centre + 2 * size_t(face), 1) + double(side) * moved - centroid;
            const Vector normal = vector_at(mesh.turn + face, mesh.num_faces);
            const Vector far = behind < cells ? vector_at(mesh.centroid + behind, cells) + (side ? 1.0 : -1.0) * moved - centroid
                                              : 2.0 * dot(to_face, normal) * normal;
            const double squared = dot(far, far);
            weight = Vector{{far[0] / squared, far[1] / squared}};
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) matrix[i][j] += weight[i] * far[j];
        }
        mesh.entries[place] = entry, mesh.neighbours[place] = behind;
        set_vector(mesh.to_face + place, mesh.num_entries, to_face);
        set_vector(mesh.weight + place, mesh.num_entries, weight);
    }
    const double determinant = matrix[0][0] * matrix[1][1] + matrix[0][1] * (0.0 - matrix[1][0]) + 0.0;
    const Vector inverse[2] = {{{matrix[1][1] / determinant, (0.0 - matrix[0][1]) / determinant}},
        {{(0.0 - matrix[1][0]) / determinant, matrix[0][0] / determinant}}};
    for (unsigned k = 0, place = row; k < count; k++, place += 32) {
        const Vector weight = vector_at(mesh.weight + place, mesh.num_entries);
        set_vector(mesh.weight + place, mesh.num_entries, Vector{{dot(inverse[0], weight), dot(inverse[1], weight)}});
    }
}
