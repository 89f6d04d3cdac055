// leaves_faces.cu: the faces of leaves; beyond those at the boundary, where ghost cells are.
// Map     one thread per leaf, for the faces on whose left it is
// Bytes   16 bytes per leaf; 112 per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void leaves_faces(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.now.num_cells) return;
    const LeafMesh& mesh = args.now;
    const unsigned cells = mesh.num_cells, first = mesh.link_starts[leaf], end = mesh.link_starts[leaf + 1];
    for (unsigned at = first; at < end; at++) {
        const Link link(mesh.links[at]);
        const unsigned group = link.group();
        if (!link.owns(leaf)) {
            if (group == 0) args.rows[at] = 2 * face_of(args, link.to, mate_of(mesh, link)) + 1;
            continue;
        }
        const unsigned face = face_of(args, leaf, at);
        args.rows[at] = 2 * face;
        if (group > 0 && !link.is_boundary()) args.rows[mate_of(mesh, link)] = 2 * face + 1;
        // The nodes are those of the finer cell.
        const bool is_own = link.part() == WHOLE;
        const unsigned of = is_own ? leaf : link.to, side = is_own ? link.side() : link.its_side();
        const unsigned numbers = division_of(args, mesh.root[of])[CORNERS + side];
        Vector corners[PARTS], centre;
        for (unsigned k = 0; k < PARTS; k++)
            corners[is_own ? k : PARTS - 1 - k] = vector_at(node_at(mesh.points, of, numbers >> 4 * k & 15), 1);
        const Vector across = vector_of_side(corners, centre);
        const double size = sqrt(dot(across, across));
        // The right cell's are moved to where the left cell sees them.
        if (!is_own && group > 0) centre = centre - shift_of_group(args, group);
        mesh.left[face] = leaf;
        mesh.right[face] = link.is_boundary() ? cells + (face - args.first_boundary) : link.to;
        const Vector normal = 1.0 / size * across;
        mesh.size[face] = size;
#if DIM > 2
        const Array<Real, 3> half = FaceSums().half_way(normal[0], normal[1], normal[2]);
        const Vector turn = vector_of([&](int d) { return half[d]; });
#else
        const Vector turn = normal;
#endif
        set_vector(mesh.turn + face, mesh.num_faces, turn);
        set_vector(mesh.centre + DIM * size_t(face), 1, centre);
        if (!link.is_boundary()) continue;
        const unsigned number = face - args.first_boundary, count = mesh.num_faces - args.first_boundary;
        const Vector from = vector_at(mesh.centroid + leaf, cells);
        const double distance = dot(centre - from, normal);
        args.rules[number] = group - 1 - args.num_periodic;
        set_vector(args.normals + number, count, normal);
        set_vector(args.at_ghosts + number, count, from + 2.0 * distance * normal);
        set_vector(args.at_sides + number, count, centre);
    }
}
