// leaves_links.cu: nodes, volumes and centroids of new leaves, and the leaves behind their sides; how wide slices of entries are, and how many faces of each group
// leaves have on whose left they are.
// Map     one thread per leaf that there is room for
// Bytes   212 bytes per leaf and 4 per group; 8 and searches per face
// Order   every number is written by one thread: repeats bit for bit

// What lies behind a side: the boundary, or a cell of the same level.
struct Across {
    bool is_boundary;
    unsigned root, side, turn, group;
    bool is_left;
    unsigned long long place;
};

// Up to the ancestor whose side it is, and down again on the other side.
__device__ __forceinline__ Across across(const LeavesArgs& args, unsigned root, unsigned level, unsigned long long place, unsigned side)
{
    // The parts of fathers' sides, the coarsest last.
    unsigned long long parts = 0;
    unsigned top = level;
    Across found{false, root, 0, 0, 0, false, 0};
    const unsigned* division = division_of(args, root);
    for (; top > 0; top--) {
        const unsigned behind = division[MOST_SIDES * son_of(top, place) + side];
        if (behind >> 31) {
            found.side = behind >> 4 & 15, found.turn = behind >> 8 & 15;
            found.place = ancestor(top - 1, place) | (unsigned long long)(behind & 15) << shift_of(top);
            break;
        }
        parts = parts << (DIM - 1) | behind;
    }
    if (top == 0) {
        const unsigned* of_root = args.across + 2 * (MOST_SIDES * root + side);
        const unsigned bits = of_root[1];
        found = Across{(bits >> 9 & 1) != 0, of_root[0], bits & 15, bits >> 4 & 15, bits >> 10, (bits >> 8 & 1) != 0, 0};
        if (found.is_boundary) return found;
        top = 1;
        division = division_of(args, found.root);
    } else {
        top++;
    }
    for (; top <= level; top++, parts >>= DIM - 1) {
        const unsigned part = unsigned(parts) & (PARTS - 1), son = division[AT + PARTS * found.side + (found.turn + PARTS - part) % PARTS];
        found.place |= (unsigned long long)son << shift_of(top);
    }
    return found;
}

// The leaf that begins at a place or holds it.
__device__ __forceinline__ unsigned find(const LeafMesh& mesh, unsigned root, unsigned long long place)
{
    const unsigned first = mesh.starts[root];
    unsigned here = first, behind = mesh.starts[root + 1];
    while (behind - here > 1) {
        const unsigned middle = (here + behind) / 2;
        (mesh.place[middle] <= place ? here : behind) = middle;
    }
    return here;
}

// Searches the leaves behind the sides of a leaf: `take(link)` gets its links, in order.
template <class Take> __device__ __forceinline__ void each_link(const LeavesArgs& args, unsigned leaf, Take take)
{
    const LeafMesh& mesh = args.now;
    const unsigned root = mesh.root[leaf], level = mesh.level[leaf], sides = division_of(args, root)[SIDES];
    #pragma unroll 1
    for (unsigned side = 0; side < sides; side++) {
        const Across there = across(args, root, level, mesh.place[leaf], side);
        if (there.is_boundary) {
            take(Link(NONE, side, WHOLE, 0, WHOLE, false, there.group));
            continue;
        }
        const unsigned to = find(mesh, there.root, there.place), its_level = mesh.level[to];
        const unsigned* division = division_of(args, there.root);
        if (its_level <= level) {
            const unsigned behind = division[MOST_SIDES * son_of(max(level, 1u), there.place) + there.side];
            const bool is_part = its_level < level && !(behind >> 31);
            take(Link(to, side, WHOLE, there.side, is_part ? behind : WHOLE, there.is_left, there.group));
            continue;
        }
        #pragma unroll 1
        for (unsigned part = 0; part < PARTS; part++) {
            const unsigned son = division[AT + PARTS * there.side + (there.turn + PARTS - part) % PARTS];
            const unsigned finer = find(mesh, there.root, there.place | (unsigned long long)son << shift_of(level + 1));
            take(Link(finer, side, part, there.side, WHOLE, there.is_left, there.group));
        }
    }
}

// Nodes, volume and centroid of a leaf that is a share of its father, or that was not there. Few are: a call leaves registers to the others.
__device__ __noinline__ void make_cell(const LeavesArgs& args, unsigned leaf, LeafCell& cell)
{
    const LeafMesh &old = args.before, &mesh = args.now;
    const unsigned root = mesh.root[leaf], level = mesh.level[leaf], from = args.from[leaf];
    const unsigned* division = division_of(args, root);
    const bool is_son = args.change[leaf] > 0;
    for (unsigned k = 0; k < NODES; k++) cell.nodes[k] = is_son ? node_at(old.points, from, k) : node_at(args.root_points, root, k);
    if (!is_son) cell.measure(division);
    cell.volume = is_son ? old.tables.volume[from] : args.root_volume[root];
    for (unsigned below = is_son ? level : 1; below <= level; below++) cell.descend(division, son_of(below, mesh.place[leaf]));
}

// What leaves keep of themselves, and what new ones get.
__device__ __forceinline__ void place_leaf(const LeavesArgs& args, unsigned leaf, unsigned cells)
{
    const LeafMesh &old = args.before, &mesh = args.now;
    if (args.change[leaf] != 0) {
        LeafCell cell;
        make_cell(args, leaf, cell);
        for (unsigned k = 0; k < NODES; k++) node_at(mesh.points, leaf, k) = cell.nodes[k];
        mesh.tables.volume[leaf] = cell.volume;
        return set_vector(mesh.centroid + leaf, cells, cell.centroid);
    }
    const unsigned from = args.from[leaf];
    Vector nodes[NODES];
    #pragma unroll
    for (unsigned k = 0; k < NODES; k++) nodes[k] = node_at(old.points, from, k);
    #pragma unroll
    for (unsigned k = 0; k < NODES; k++) node_at(mesh.points, leaf, k) = nodes[k];
    mesh.tables.volume[leaf] = old.tables.volume[from];
    set_vector(mesh.centroid + leaf, cells, vector_at(old.centroid + from, old.tables.num_cells));
}

// The first call for a mesh finds leaves in their places.
extern "C" __global__ void __launch_bounds__(LEAVES_THREADS, 2) leaves_links(const __grid_constant__ LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    const LeafMesh& mesh = args.now;
    const unsigned cells = args.totals[LeafTotal::Leaves];
    // The host makes more room.
    if (cells > args.room) return;
    const bool is_leaf = leaf < cells;
    if (is_leaf && args.call > 0) place_leaf(args, leaf, cells);
    // Links are searched twice, which costs less than to keep them until their place is known.
    const auto count = [&](unsigned first) {
        unsigned links = 0;
        unsigned long long counts = 0;
        if (is_leaf)
            each_link(args, leaf, [&](const Link& link) {
                const unsigned column = LeafTotal::OfGroups + link.group() - first;
                if (column < COLUMNS && link.owns(leaf)) counts += 1ull << 8 * column;
                links++;
            });
        const unsigned width = largest_of_warp(links);
        if (first == LeafTotal::Links) counts += links | (lane_number() == 0 ? width << 8 * (LeafTotal::Widths - LeafTotal::Links) : 0);
        return counts;
    };
    unsigned first = 0;
    const auto take = [&](unsigned column, unsigned sum) {
        if (!is_leaf) return;
        if (column >= LeafTotal::OfGroups) args.counts[size_t(column - LeafTotal::OfGroups) * cells + leaf] = sum;
        else if (column == LeafTotal::Links) mesh.link_starts[leaf] = first = sum;
        else if (lane_number() == 0) mesh.tables.slices[leaf / 32] = 32 * sum;
    };
    sum_columns(args, LeafTotal::Links, LeafTotal::OfGroups + args.num_groups, count, take);
    if (is_leaf) each_link(args, leaf, [&](const Link& link) { mesh.links[first++] = link.word(); });
    if (is_last_block()) mesh.link_starts[cells] = args.totals[LeafTotal::Links], mesh.tables.slices[(cells + 31) / 32] = 32 * args.totals[LeafTotal::Widths];
}
