// leaves.cuh: leaves of trees of triangles and quadrilaterals, or of hexahedra: unstructured::adapt, operation by operation.
// Defined before it: CellSums; in space FaceSums.

constexpr unsigned NONE = 0xffffffffu, WHOLE = 7, MOST_LINKS = MOST_SIDES * PARTS;

// The node of a leaf.
__device__ __forceinline__ Vector& node_at(double* points, size_t leaf, unsigned node) { return vector_in(points, leaf * NODES + node); }

// The place of the ancestor of a level.
__device__ __forceinline__ unsigned long long ancestor(unsigned level, unsigned long long place)
{
    return level == 0 ? 0 : place >> shift_of(level) << shift_of(level);
}

__device__ __forceinline__ const unsigned* division_of(const LeavesArgs& args, unsigned root)
{
    return args.division + args.shapes[root] * DIVISION;
}

// A link: a leaf behind a side of another, as `adapt::Link`. Group 0 is that of faces between leaves that touch; then come periodic pairs, then
// the boundary's names.
struct Link {
    unsigned to, bits;

    __device__ __forceinline__ Link(unsigned leaf, unsigned side, unsigned part, unsigned its_side, unsigned its_part, bool is_left, unsigned group)
        : to(leaf), bits(side | part << 3 | its_side << 6 | its_part << 9 | unsigned(is_left) << 12 | group << 13)
    {
    }
    __device__ __forceinline__ explicit Link(unsigned long long word) : to(unsigned(word)), bits(unsigned(word >> 32)) {}
    __device__ __forceinline__ unsigned long long word() const { return (unsigned long long)bits << 32 | to; }
    __device__ __forceinline__ unsigned side() const { return bits & 7; }
    __device__ __forceinline__ unsigned part() const { return bits >> 3 & 7; }
    __device__ __forceinline__ unsigned its_side() const { return bits >> 6 & 7; }
    __device__ __forceinline__ unsigned its_part() const { return bits >> 9 & 7; }
    __device__ __forceinline__ bool is_left() const { return bits >> 12 & 1; }
    __device__ __forceinline__ unsigned group() const { return bits >> 13; }
    __device__ __forceinline__ bool is_boundary() const { return to == NONE; }
    // The leaf has the face of this link: it is on the left.
    __device__ __forceinline__ bool owns(unsigned leaf) const { return group() == 0 ? leaf < to : is_boundary() || is_left(); }
};

// Added to a position that the left cell of a face sees, gives where the right cell sees it.
__device__ __forceinline__ Vector shift_of_group(const LeavesArgs& args, unsigned group)
{
    const bool is_periodic = group > 0 && group <= args.num_periodic;
    return is_periodic ? vector_in(args.shifts, group - 1) : zero();
}

// The same of the face of a link, which need not be read where nothing is periodic.
__device__ __forceinline__ Vector shift_of_link(const LeavesArgs& args, const LeafMesh& mesh, unsigned number)
{
    return args.num_periodic == 0 ? zero() : shift_of_group(args, Link(mesh.links[number]).group());
}

// Adds a field's flags to those of fields before it, which the first call has not; behind them the leaf's level. No level has been settled yet.
__device__ __forceinline__ void add_flags(const LeavesArgs& args, unsigned leaf, unsigned flags)
{
    args.flags[leaf] = args.call == 0 ? flags | args.before.level[leaf] << 2 : args.flags[leaf] | flags;
    args.settled[leaf] = 0;
}

// The first of a leaf's brothers, if all are leaves. What comes before a leaf and has its level is the brother before it, and so on.
__device__ __forceinline__ unsigned family_of(const LeafMesh& mesh, unsigned leaf)
{
    const unsigned own = mesh.level[leaf], first = leaf - son_of(max(own, 1u), mesh.place[leaf]);
    bool are_leaves = own > 0 && first + SONS <= mesh.tables.num_cells;
    for (unsigned son = 0; are_leaves && son < SONS; son++) are_leaves = mesh.level[first + son] == own;
    return are_leaves ? first : NONE;
}

// The level that a leaf should have so far: that of its flags, until there is a list.
__device__ __forceinline__ unsigned wish_of(const LeavesArgs& args, unsigned leaf)
{
    if (args.levels) return args.levels[leaf];
    const unsigned flags = args.flags[leaf], own = flags >> 2;
    return flags & 1 ? min(own + 1, args.finest) : flags & 2 ? own : own - min(own, 1u);
}

// The same once leaves have heard of those beside them.
__device__ __forceinline__ unsigned widened_wish_of(const LeavesArgs& args, unsigned leaf)
{
    const LeafMesh& mesh = args.before;
    unsigned most = 0;
    for (unsigned at = mesh.link_starts[leaf]; at < mesh.link_starts[leaf + 1]; at++) {
        const Link link(mesh.links[at]);
        if (!link.is_boundary()) most = max(most, wish_of(args, link.to));
    }
    return max(wish_of(args, leaf), min(most, mesh.level[leaf] + 1));
}

// Nodes, volume and centroid of a cell.
struct LeafCell {
    Vector nodes[NODES];
    double volume;
    Vector centroid;

    // As `measure_cell` sees it.
    struct Seen {
        const LeafCell& cell;
        const unsigned* division;

        __device__ __forceinline__ unsigned num_nodes() const { return DIM > 2 ? NODES : num_faces(); }
        __device__ __forceinline__ unsigned num_faces() const { return division[SIDES]; }
        __device__ __forceinline__ unsigned num_corners(unsigned) const { return PARTS; }
        __device__ __forceinline__ Vector node(unsigned which) const { return cell.nodes[which]; }
        __device__ __forceinline__ Vector corner(unsigned side, unsigned which) const
        {
            return cell.nodes[division[CORNERS + side] >> 4 * which & 15];
        }
    };

    __device__ __forceinline__ void measure(const unsigned* division) { measure_cell(Seen{*this, division}, volume, centroid); }

    __device__ __noinline__ LeafCell son(const unsigned* division, unsigned which) const
    {
        LeafCell made;
        for (unsigned node = 0; node < NODES; node++) made.nodes[node] = node_of_son(nodes, division, which, node);
        made.measure(division);
        return made;
    }

    // Becomes one of its sons, whose volumes are shares of its own.
    __device__ __forceinline__ void descend(const unsigned* division, unsigned which)
    {
        LeafCell made = son(division, which);
        double sum = 0.0;
        for (unsigned k = 0; k < SONS; k++) sum += son(division, k).volume;
        made.volume = volume * (made.volume / sum);
        *this = made;
    }
};

// The mean of the values of sons, by volume. Equal values stay to the bit.
__device__ __forceinline__ double mean_of_sons(const double* volume, const double* values)
{
    double sum = 0.0, whole = 0.0;
    for (unsigned k = 0; k < SONS; k++) sum += volume[k] * (values[k] - values[0]), whole += volume[k];
    return values[0] + sum / whole;
}

// Columns of numbers that a block adds up at once, each by a warp; their bytes are a word.
constexpr unsigned COLUMNS = 8;

// The sum of what all blocks before this one have, of which each tells others what it has, and what all up to it have as soon as it knows; called by a
// warp. `column`: a word for each block; a word of this launch begins with its number, then says which of the two it tells.
__device__ __forceinline__ unsigned sum_of_blocks_before(unsigned long long* column, unsigned own, unsigned launch)
{
    volatile unsigned long long* words = column;
    const unsigned long long all = 1ull << 32, mark = (unsigned long long)launch << 33;
    const unsigned lane = lane_number(), block = blockIdx.x;
    if (lane == 0) words[block] = mark | (block == 0 ? all : 0) | own;
    unsigned before = 0;
    for (unsigned end = block; end > 0; end -= 32) {
        unsigned long long word;
        do word = lane < end ? words[end - 1 - lane] : mark | all;
        while (__any_sync(0xffffffffu, word >> 33 != launch));
        // Up to the nearest one that knows the sum of all.
        const unsigned known = __ballot_sync(0xffffffffu, (word & all) != 0);
        const bool counts = known == 0 || lane < unsigned(__ffs(known));
        before += __shfl_sync(0xffffffffu, sum_up_to(counts ? unsigned(word) : 0), 31);
        if (known != 0) break;
    }
    if (lane == 0 && block > 0) words[block] = mark | all | (before + own);
    return before;
}

// Adds up columns of numbers of all threads of a launch: `count(first)` has a byte for each column from the first on, `take(column, sum)` gets the sum of
// those of the threads before, `totals[column]` that of all. One pass over the blocks, which look back: Merrill and Garland, *Single-pass parallel prefix scan
// with decoupled look-back*, NVR-2016-002; blocks are large, since each waits for one before it. The sums are of integers: in any order the same.
template <class Count, class Take>
__device__ __forceinline__ void sum_columns(const LeavesArgs& args, unsigned first, unsigned end, Count count, Take take)
{
    __shared__ unsigned of_warps[COLUMNS][32];
    const unsigned lane = lane_number(), warp = threadIdx.x / 32, num_warps = blockDim.x / 32;
    for (; first < end; first += COLUMNS) {
        const unsigned here = min(COLUMNS, end - first);
        const unsigned long long counts = count(first);
        unsigned sums[COLUMNS];
        #pragma unroll
        for (unsigned k = 0; k < COLUMNS; k++) {
            if (k >= here) continue;
            const unsigned own = unsigned(counts >> 8 * k) & 255, up_to = sum_up_to(own);
            if (lane == 31) of_warps[k][warp] = up_to;
            sums[k] = up_to - own;
        }
        __syncthreads();
        for (unsigned k = warp; k < here; k += num_warps) {
            const unsigned own = lane < num_warps ? of_warps[k][lane] : 0, up_to = sum_up_to(own), all = __shfl_sync(0xffffffffu, up_to, 31);
            const unsigned before = sum_of_blocks_before(args.sums + size_t(first + k) * gridDim.x, all, args.launch);
            of_warps[k][lane] = before + up_to - own;
            if (lane == 0 && blockIdx.x + 1 == gridDim.x) args.totals[first + k] = before + all;
        }
        __syncthreads();
        #pragma unroll
        for (unsigned k = 0; k < COLUMNS; k++)
            if (k < here) take(first + k, of_warps[k][warp] + sums[k]);
        __syncthreads();
    }
}

// True in the thread that writes what stands behind the last item of lists.
__device__ __forceinline__ bool is_last_block() { return blockIdx.x + 1 == gridDim.x && threadIdx.x == 0; }
