// leaves_differ.cu: flags leaves where a field differs much from that of neighbours, as adapt::differences, and as adapt::differences_of_families
// where fathers would: bit 0 to be divided, bit 1 not to be joined.
// Map     one thread per leaf
// Bytes   20 per leaf; of a family's leaves and of their neighbours 12 per face
// Order   every number is written by one thread: repeats bit for bit

// A field in a leaf, or beyond a boundary face.
__device__ __forceinline__ double value_behind(const LeafMesh& mesh, const double* field, const double* beyond, unsigned behind)
{
    return behind < mesh.tables.num_cells ? field[behind] : beyond[behind - mesh.tables.num_cells];
}

extern "C" __global__ void leaves_differ(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.before.tables.num_cells) return;
    const LeafMesh& mesh = args.before;
    double low = args.field[leaf], high = low;
    const unsigned first = family_of(mesh, leaf), rows = first == NONE ? 1 : 1 + SONS;
    unsigned flags = 0;
    for (unsigned row = 0; row < rows; row++) {
        // First the leaf itself, then its family as their father.
        const unsigned of = row == 0 ? leaf : first + row - 1;
        if (row == 1) low = high = args.coarse[leaf];
        const unsigned count = mesh.link_starts[of + 1] - mesh.link_starts[of];
        for (unsigned k = 0, place = mesh.tables.slices[of / 32] + of % 32; k < count; k++, place += 32) {
            const unsigned behind = mesh.tables.neighbours[place];
            // Values on the father's level, if there are any.
            const bool is_fine = row == 0 || (behind < mesh.tables.num_cells && mesh.level[behind] < mesh.level[of]);
            const double value = is_fine ? value_behind(mesh, args.field, args.beyond, behind)
                                         : value_behind(mesh, args.coarse, args.beyond_coarse, behind);
            low = fmin(low, value), high = fmax(high, value);
        }
        if (row == 0) flags = high - low > args.tolerance;
        else if (row == SONS) flags |= unsigned(high - low > args.kept) << 1;
    }
    add_flags(args, leaf, flags);
}
