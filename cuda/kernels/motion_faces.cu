// motion_faces.cu: the faces of a mesh that moves half way of a step, and their speeds, which are exact for nodes on straight lines; beyond those at the
// boundary, where ghost cells are.
// Map     one thread per face
// Bytes   16 DIM + 4 per node; 16 DIM + 32 per face
// Order   every number is written by one thread: repeats bit for bit

// The volume that a face sweeps along its normal. Of each of its triangles, whose vector is quadratic in time, Simpson's rule is exact.
__device__ __forceinline__ double swept_by(const Vector* before, const Vector* half_way, const Vector* after, Vector across, unsigned count)
{
#if DIM > 2
    const Vector apexes[3] = {apex_of(before, count), apex_of(half_way, count), apex_of(after, count)};
    double sum = -0.0;
    for (unsigned k = 0; k < num_triangles(count); k++) {
        const unsigned next = (k + 1) % count;
        const Vector ways = ((after[k] - before[k]) + (after[next] - before[next])) + (apexes[2] - apexes[0]);
        const Vector of = (triangle(before[k], before[next], apexes[0]) + 4.0 * triangle(half_way[k], half_way[next], apexes[1]))
            + triangle(after[k], after[next], apexes[2]);
        sum += dot(of, ways) / 18.0;
    }
    return sum;
#else
    return 0.5 * dot(across, (after[0] - before[0]) + (after[1] - before[1]));
#endif
}

extern "C" __global__ void motion_faces(const MotionArgs args)
{
    start_next();
    const unsigned face = item_of_thread();
    await_previous();
    if (face >= args.tables.num_faces) return;
    Vector before[MOST_CORNERS], half_way[MOST_CORNERS], after[MOST_CORNERS], centre;
    const unsigned count = corners_of<HALF_WAY>(args, face, half_way);
    corners_of<BEFORE>(args, face, before);
    corners_of<AFTER>(args, face, after);
    const Vector across = vector_of_face(half_way, count, centre);
    const double size = sqrt(dot(across, across)), swept = swept_by(before, half_way, after, across, count);
    const Vector normal = 1.0 / size * across, turn = turn_of(normal);
    // The nodes of some periodic faces are the right cell's.
    if (face >= args.first_periodic && face < args.first_boundary) centre = centre + vector_in(args.seen, face - args.first_periodic);
    for (int d = 0; d < DIM; d++) reinterpret_cast<Value*>(args.tables.turn)[size_t(d) * args.tables.num_faces + face] = Value(turn[d]);
    reinterpret_cast<Value*>(args.tables.size)[face] = Value(size);
    reinterpret_cast<Value*>(args.speed)[face] = Value(swept / (size * args.dt));
    vector_in(args.centre, face) = centre;
    vector_in(args.normal, face) = normal;
    args.face_size[face] = size, args.swept[face] = swept;
    if (face < args.first_boundary) return;
    const unsigned number = face - args.first_boundary, boundary = args.tables.num_faces - args.first_boundary;
    const Vector from = vector_at(args.half_way.centroid + args.tables.left[face], args.tables.num_cells);
    set_vector(args.normals + number, boundary, normal);
    set_vector(args.at_ghosts + number, boundary, from + to_mirror_image(centre - from, normal));
    set_vector(args.at_sides + number, boundary, centre);
}
