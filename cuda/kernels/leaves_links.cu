// leaves_links.cu: the leaves behind the sides of each leaf: first how many there are, then, where these counts have been summed up, the links.
// Map     one thread per leaf
// Bytes   16 bytes per leaf, 8 and searches per face
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
        const unsigned behind = division[4 * son_of(top, place) + side];
        if (behind >> 31) {
            found.side = behind >> 4 & 15, found.turn = behind >> 8 & 15;
            found.place = ancestor(top - 1, place) | (unsigned long long)(behind & 15) << shift_of(top);
            break;
        }
        parts = parts << 1 | behind;
    }
    if (top == 0) {
        const unsigned* of_root = args.across + 2 * (4 * root + side);
        const unsigned bits = of_root[1];
        found = Across{(bits >> 9 & 1) != 0, of_root[0], bits & 15, bits >> 4 & 15, bits >> 10, (bits >> 8 & 1) != 0, 0};
        if (found.is_boundary) return found;
        top = 1;
        division = division_of(args, found.root);
    } else {
        top++;
    }
    for (; top <= level; top++, parts >>= 1) {
        const unsigned son = division[AT + 2 * found.side + (found.turn + 2 - unsigned(parts & 1)) % 2];
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

extern "C" __global__ void leaves_links(const LeavesArgs args)
{
    start_next();
    const unsigned leaf = item_of_thread();
    await_previous();
    if (leaf >= args.now.num_cells) return;
    const LeafMesh& mesh = args.now;
    const bool writes = args.call > 0;
    unsigned next = writes ? mesh.link_starts[leaf] : 0;
    const auto add = [&](const Link& link) {
        if (writes) mesh.links[next] = link.word();
        next++;
    };
    const unsigned root = mesh.root[leaf], level = mesh.level[leaf];
    for (unsigned side = 0; side < division_of(args, root)[SIDES]; side++) {
        const Across there = across(args, root, level, mesh.place[leaf], side);
        if (there.is_boundary) {
            add(Link(NONE, side, WHOLE, 0, WHOLE, false, there.group));
            continue;
        }
        const unsigned to = find(mesh, there.root, there.place), its_level = mesh.level[to];
        const unsigned* division = division_of(args, there.root);
        if (its_level <= level) {
            const unsigned behind = division[4 * son_of(max(level, 1u), there.place) + there.side];
            const bool is_part = its_level < level && !(behind >> 31);
            add(Link(to, side, WHOLE, there.side, is_part ? behind : WHOLE, there.is_left, there.group));
            continue;
        }
        for (unsigned part = 0; part < 2; part++) {
            const unsigned son = division[AT + 2 * there.side + (there.turn + 2 - part) % 2];
            const unsigned finer = find(mesh, there.root, there.place | (unsigned long long)son << shift_of(level + 1));
            add(Link(finer, side, part, there.side, WHOLE, there.is_left, there.group));
        }
    }
    if (!writes) mesh.link_starts[leaf] = next;
}
