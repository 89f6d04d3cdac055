// signature.cuh: the signatures of a candidate for a box, the number of tags in each plane across each axis, which a block has in its memory
// while it cuts the candidate.

constexpr int WARPS = CLUSTER_THREADS / 32;

static_assert(WARPS <= 32, "a lane for each warp");
// Behind all planes.
constexpr int NOWHERE = 0x3fffffff;

// What the threads of a block share besides the signatures.
struct Shared {
    CellBox taken;         // the one that comes next
    unsigned is_there;     // if one does
    unsigned holds_all;    // if it is the first, of all tags
    // Results of each warp: the first plane with tags and one past the last, counted from the planes that were first at the beginning,
    // the number of tags, and the best cut.
    int first[3][WARPS], end[3][WARPS];
    unsigned tags[WARPS];
    Word best[WARPS];
    Hull hull;
};

// A candidate and its signatures. By a block.
struct Signature {
    const ClusterArgs& args;
    Shared& shared;
    unsigned* const counts;  // tags in each plane, one axis after another
    unsigned* const cut_off; // in the same places those of the part to be cut off; in space zero in between
    unsigned* const tagged;  // bits of the planes with tags, in words that begin with each axis
    CellBox box;             // around the candidate's tags
    unsigned tags;
    int start[DIM];          // where the counts of an axis begin
    int first[DIM];          // the candidate's first plane there
    int first_word[DIM];

    __device__ __forceinline__ Signature(const ClusterArgs& args, Shared& shared, unsigned* memory, int planes)
        : args(args), shared(shared), counts(memory), cut_off(memory + planes), tagged(memory + 2 * planes)
    {
        if (DIM > 2)
            for (int k = threadIdx.x; k < planes; k += blockDim.x) cut_off[k] = 0;
    }

    // The plane across an axis with which a thread begins: axes begin with different warps, so that those of small candidates are
    // processed at the same time.
    static __device__ __forceinline__ int first_of_thread(int axis)
    {
        return (threadIdx.x + axis * (WARPS / DIM) * 32) % CLUSTER_THREADS;
    }

    // Lays out the counts of a candidate's planes, which are still to be counted.
    __device__ __forceinline__ void begin(const CellBox& candidate)
    {
        box = candidate;
        int end = 0, words = 0;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int size = box.hi[d] - box.lo[d];
            start[d] = end, first[d] = 0, first_word[d] = words;
            end += size, words += (size + 31) / 32;
        }
        if (DIM > 2) {
            for (int k = threadIdx.x; k < end; k += blockDim.x) counts[k] = 0;
            __syncthreads();
        }
    }

    // Reads the counts of all tags, and resets them to zero for the next ones.
    __device__ __forceinline__ void take_all() const
    {
        for (unsigned k = threadIdx.x; k < args.num_planes; k += CLUSTER_THREADS) {
            counts[k] = args.planes[k];
            args.planes[k] = 0;
        }
    }

    // Cuts the smaller part off, and returns it.
    __device__ __forceinline__ CellBox cut(int axis, int at)
    {
        int planes = 0, rest = 0;
        #pragma unroll
        for (int d = 0; d < DIM; d++)
            if (d == axis) planes = at - box.lo[d], rest = box.hi[d] - at;
        const bool upper = planes >= rest;
        const CellBox smaller = half(box, axis, at, upper);
        box = half(box, axis, at, !upper);
        #pragma unroll
        for (int d = 0; d < DIM; d++)
            if (d == axis && !upper) first[d] += planes;
        return smaller;
    }

    // Tile `k` of a line: tiles that share planes across x, or that hold the same rows.
    static __device__ __forceinline__ Cell tile_of_line(const Span& span, bool of_rows, int line, int k)
    {
        Cell tile;
        int across = of_rows ? line : k;
        tile[X] = span.lo[X] + (of_rows ? k : line);
        #pragma unroll
        for (int d = 1; d < DIM - 1; d++) {
            tile[d] = span.lo[d] + across % span.size[d];
            across /= span.size[d];
        }
        if (DIM > 1) tile[DIM - 1] = span.lo[DIM - 1] + across;
        return tile;
    }

    // Adds up the tags of a region in each plane across each axis but one, in the places of the candidate's planes. A warp takes a line of
    // tiles.
    __device__ __forceinline__ void count(const CellBox& region, unsigned* to, int left_out) const
    {
        const int lane = lane_number();
        const Span span(region);
        int across = 1;
        #pragma unroll
        for (int d = 1; d < DIM; d++) across *= span.size[d];
        const int columns = left_out == X ? 0 : span.size[X], rows = DIM == 1 || (DIM == 2 && left_out == Y) ? 0 : across;
        for (int n = threadIdx.x / 32; n < columns + rows; n += WARPS) {
            const bool of_rows = n >= columns;
            const int length = of_rows ? span.size[X] : across, line = of_rows ? n - columns : n;
            // Tags of two planes.
            unsigned counted[2] = {0, 0};
            for (int of_lanes = 0; of_lanes < length; of_lanes += 32) {
                unsigned own = 0;
                Word own_mask = 0;
                if (of_lanes + lane < length) {
                    const Cell tile = tile_of_line(span, of_rows, line, of_lanes + lane);
                    own = number_of(args.map, tile);
                    own_mask = of_rows ? columns_mask(region, tile) : rows_mask(region, tile);
                    if (own == NO_TILE) own = 0, own_mask = 0;
                }
                const int end = min(length - of_lanes, 32);
                #pragma unroll 1
                for (int from = 0; from < end; from += 4) count_tiles(own, own_mask, from, of_rows, counted);
            }
            const Cell tile = tile_of_line(span, of_rows, line, 0);
            #pragma unroll
            for (int upper = 0; upper < 2; upper++) {
                const int plane = lane + 32 * upper;
                const unsigned found = counted[upper];
                if (!of_rows) {
                    const int x = tile[X] * 64 + plane;
                    if (x >= region.lo[X] && x < region.hi[X]) to[start[X] + first[X] + x - box.lo[X]] = found;
                }
#if DIM == 2
                const int y = tile[Y] * 64 + plane;
                if (of_rows && y >= region.lo[Y] && y < region.hi[Y]) to[start[Y] + first[Y] + y - box.lo[Y]] = found;
#elif DIM == 3
                const int y = tile[Y] * 8 + plane % 8, z = tile[Z] * 8 + plane / 8;
                if (!of_rows || found == 0 || y < region.lo[Y] || y >= region.hi[Y] || z < region.lo[Z] || z >= region.hi[Z]) continue;
                if (left_out != Y) atomicAdd(to + (start[Y] + first[Y] + y - box.lo[Y]), found);
                if (left_out != Z) atomicAdd(to + (start[Z] + first[Z] + z - box.lo[Z]), found);
#endif
            }
        }
    }

    // Adds the tags of four tiles in two planes across x, or two rows, within the masks. `own`: the number of a lane's tile; the first
    // is that of lane `from`. All loads are issued before any value is used.
    __device__ __forceinline__ void count_tiles(unsigned own, Word own_mask, int from, bool of_rows, unsigned* counted) const
    {
        constexpr int N = 4;
        const int lane = lane_number();
        Word masks[N], words[N][2];
        #pragma unroll
        for (int k = 0; k < N; k++) {
            const TurnedTile& turned = args.turned[__shfl_sync(ALL, own, from + k)];
            masks[k] = __shfl_sync(ALL, own_mask, from + k);
            if (masks[k] == 0) continue;
            #pragma unroll
            for (int n = 0; n < 2; n++) {
                const int line = lane + 32 * n + (of_rows ? 64 : 0);
                words[k][n] = masks[k] == ~0ull ? turned.counts[line] : turned.lines[line];
            }
        }
        #pragma unroll
        for (int k = 0; k < N; k++)
            #pragma unroll
            for (int n = 0; n < 2; n++)
                if (masks[k]) counted[n] += masks[k] == ~0ull ? unsigned(words[k][n]) : __popcll(words[k][n] & masks[k]);
    }

    // Subtracts what was cut off along an axis, if anything, from the counts, and shrinks the candidate to its tags. A warp takes words
    // of planes.
    __device__ __forceinline__ void shrink(int cut_axis)
    {
        const int lane = lane_number(), warp = threadIdx.x / 32;
        unsigned found = 0;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int lo = first[d], end = lo + box.hi[d] - box.lo[d];
            int lowest_tagged = NOWHERE, end_tagged = 0;
            #pragma unroll 1
            for (int word = lo / 32 + first_of_thread(d) / 32; word * 32 < end; word += WARPS) {
                const int k = word * 32 + lane;
                unsigned own = 0;
                if (k >= lo && k < end) {
                    own = counts[start[d] + k];
                    if (cut_axis >= 0 && d != cut_axis) {
                        own -= cut_off[start[d] + k];
                        counts[start[d] + k] = own;
                        if (DIM > 2) cut_off[start[d] + k] = 0;
                    }
                }
                if (d == X) found += own;
                const unsigned bits = __ballot_sync(ALL, own != 0);
                if (lane == 0) tagged[first_word[d] + word] = bits;
                if (bits == 0) continue;
                lowest_tagged = min(lowest_tagged, word * 32 + __ffs(int(bits)) - 1);
                end_tagged = word * 32 + 32 - __clz(int(bits));
            }
            if (lane == 0) shared.first[d][warp] = lowest_tagged, shared.end[d][warp] = end_tagged;
        }
        found = sum_of_warp(found);
        if (lane == 0) shared.tags[warp] = found;
        __syncthreads();
        const bool of_warp = lane < WARPS;
        tags = sum_of_warp(of_warp ? shared.tags[lane] : 0);
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int lo = box.lo[d] - first[d];
            first[d] = smallest_of_warp(of_warp ? shared.first[d][lane] : NOWHERE);
            box.lo[d] = lo + first[d];
            box.hi[d] = lo - smallest_of_warp(of_warp ? -shared.end[d][lane] : 0);
        }
    }

    // The last plane before one across an axis, which is not the first, that holds tags; counted from the candidate's first.
    __device__ __forceinline__ int tagged_before(int axis, int plane) const
    {
        const unsigned* words = tagged + first_word[axis];
        const int last = first[axis] + plane - 1;
        int at = last / 32;
        unsigned bits = words[at] & (0xffffffffu >> (31 - last % 32));
        while (bits == 0) bits = words[--at];
        return at * 32 + 31 - __clz(int(bits)) - first[axis];
    }
};
