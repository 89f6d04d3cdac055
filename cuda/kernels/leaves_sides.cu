// leaves_sides.cu: where states beyond boundary faces are wanted: those of ghost cells, and at faces.
// Map     one thread per boundary face
// Bytes   72 bytes per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_sides(const LeavesArgs args)
{
    start_next();
    const unsigned number = item_of_thread();
    await_previous();
    const LeafMesh& mesh = args.now;
    const unsigned count = mesh.num_faces - args.first_boundary, face = args.first_boundary + number;
    if (number >= count) return;
    const Vector at = vector_at(mesh.centre + 2 * size_t(face), 1), normal = vector_at(mesh.turn + face, mesh.num_faces);
    const Vector from = vector_at(mesh.centroid + mesh.left[face], mesh.num_cells);
    const double distance = dot(at - from, normal);
    set_vector(args.at_ghosts + number, count, from + 2.0 * distance * normal);
    set_vector(args.at_sides + number, count, at);
}
