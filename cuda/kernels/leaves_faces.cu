// leaves_faces.cu: the faces of leaves: first how many of each group a leaf has on whose left it is, and how wide slices are; then, where these counts have been summed up, the faces.
// Map     one thread per leaf
// Bytes   16 bytes per leaf; 112 per face
// Order   every number is written by one thread: repeats bit for bit

// A node of a side of a leaf: its first or its second one.
__device__ __forceinline__ Vector corner(const LeavesArgs& args, unsigned leaf, unsigned side, unsigned which)
{
    const unsigned corners = division_of(args, args.now.root[leaf])[CORNERS + side];
    return vector_at(args.now.points + 8 * size_t(leaf) + 2 * (corners >> 4 * which & 15), 1);
}

extern "C" __global__ void leaves_faces(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.now.num_cells) return;
    const LeafMesh& mesh = args.now;
    const unsigned cells = mesh.num_cells, first = mesh.link_starts[leaf], end = mesh.link_starts[leaf + 1];
    if (args.call == 0) {
        for (unsigned group = 0; group < args.num_groups; group++) {
            unsigned count = 0;
            for (unsigned at = first; at < end; at++) {
                const Link link(mesh.links[at]);
                count += link.group() == group && link.owns(leaf);
            }
            args.counts[size_t(group) * cells + leaf] = count;
        }
        if (leaf % 32 != 0) return;
        unsigned width = 0;
        for (unsigned k = leaf; k < min(leaf + 32, cells); k++) width = max(width, mesh.link_starts[k + 1] - mesh.link_starts[k]);
        mesh.slices[leaf / 32] = 32 * width;
        return;
    }
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
        const Vector a = corner(args, of, side, !is_own), b = corner(args, of, side, is_own);
        const Vector across{{b[1] - a[1], a[0] - b[0]}};
        const double size = sqrt(dot(across, across));
        Vector centre = 1.0 / 2.0 * ((Vector{{0.0, 0.0}} + a) + b);
        // The right cell's are moved to where the left cell sees them.
        if (!is_own && group > 0) centre = centre - shift_of_group(args, group);
        mesh.left[face] = leaf;
        mesh.right[face] = link.is_boundary() ? cells + (face - args.first_boundary) : link.to;
        if (link.is_boundary()) args.rules[face - args.first_boundary] = group - 1 - args.num_periodic;
        mesh.size[face] = size;
        set_vector(mesh.turn + face, mesh.num_faces, 1.0 / size * across);
        set_vector(mesh.centre + 2 * size_t(face), 1, centre);
    }
}
