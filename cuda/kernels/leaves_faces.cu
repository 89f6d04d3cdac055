// leaves_faces.cu: the faces of leaves; beyond those at the boundary, where ghost cells are.
// Map     one thread per leaf, for the faces on whose left it is
// Bytes   16 bytes per leaf; 112 per face
// Order   every number is written by one thread: repeats bit for bit

// The number of the same link as the leaf behind has it.
__device__ __forceinline__ unsigned mate_of(const LeafMesh& mesh, const Link& link)
{
    unsigned at = mesh.link_starts[link.to];
    for (;; at++) {
        const Link other(mesh.links[at]);
        if (other.side() == link.its_side() && other.part() == link.its_part()) return at;
    }
}

// The face of a link of a leaf behind those of other groups and of leaves before; few are of groups.
__device__ __noinline__ unsigned face_of_group(const LeavesArgs& args, unsigned leaf, unsigned first, unsigned number)
{
    const unsigned group = Link(args.now.links[number]).group();
    unsigned face = args.counts[size_t(group) * args.now.tables.num_cells + leaf];
    for (unsigned before = 0; before < group; before++) face += args.totals[LeafTotal::OfGroups + before];
    for (unsigned at = first; at < number; at++) {
        const Link other(args.now.links[at]);
        face += other.group() == group && other.owns(leaf);
    }
    return face;
}

extern "C" __global__ void leaves_faces(const __grid_constant__ LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.now.tables.num_cells) return;
    const LeafMesh& mesh = args.now;
    const unsigned cells = mesh.tables.num_cells, first = mesh.link_starts[leaf], end = mesh.link_starts[leaf + 1];
    // The next face between leaves that touch.
    unsigned next = args.counts[leaf];
    #pragma unroll 1
    for (unsigned at = first; at < end; at++) {
        const Link link(mesh.links[at]);
        const unsigned group = link.group();
        if (!link.owns(leaf)) continue;
        const unsigned face = group == 0 ? next++ : face_of_group(args, leaf, first, at);
        args.rows[at] = 2 * face;
        if (!link.is_boundary()) args.rows[mate_of(mesh, link)] = 2 * face + 1;
        // The nodes are those of the finer cell.
        const bool is_own = link.part() == WHOLE;
        const unsigned of = is_own ? leaf : link.to, side = is_own ? link.side() : link.its_side();
        const unsigned numbers = division_of(args, mesh.root[of])[CORNERS + side];
        Vector corners[PARTS], centre;
        for (unsigned k = 0; k < PARTS; k++)
            corners[k] = node_at(mesh.points, of, numbers >> 4 * (is_own ? k : PARTS - 1 - k) & 15);
        const Vector across = vector_of_face(corners, PARTS, centre);
        const double size = sqrt(dot(across, across));
        // The right cell's are moved to where the left cell sees them.
        if (!is_own && group > 0) centre = centre - shift_of_group(args, group);
        mesh.tables.left[face] = leaf;
        mesh.tables.right[face] = link.is_boundary() ? cells + (face - args.first_boundary) : link.to;
        const Vector normal = 1.0 / size * across;
        mesh.tables.size[face] = size;
        set_vector(mesh.tables.turn + face, mesh.tables.num_faces, turn_of(normal));
        vector_in(mesh.centre, face) = centre;
        if (!link.is_boundary()) continue;
        const unsigned number = face - args.first_boundary, count = mesh.tables.num_faces - args.first_boundary;
        const Vector from = vector_at(mesh.centroid + leaf, cells);
        args.rules[number] = group - 1 - args.num_periodic;
        set_vector(args.normals + number, count, normal);
        set_vector(args.at_ghosts + number, count, from + to_mirror_image(centre - from, normal));
        set_vector(args.at_sides + number, count, centre);
    }
}
