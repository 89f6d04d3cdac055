// nest.cu: makes clustered boxes nest in the base level, which stays, and splits them to the largest size of a patch, as
// regrid::nest::enforce and split_to_size do. The resulting boxes are in cells of the new level.
// Map     one block per box
// Shared  parts of a box that does not nest
// Bytes   the words of the base level's covered cells around a box, from the cache
// Floor   a launch; a box that does not nest takes some 5 us a part
// Order   the order of boxes in the list is undefined

// Most parts of a box.
constexpr int PARTS = DIM == 1 ? 64 : 256;

struct Parts {
    CellBox pending[PARTS], nested[PARTS];
    unsigned place;
    Hull hull;
};

// The cells that the base level must cover for a patch over a box to nest, within the domain's sides.
__device__ CellBox needed(const NestArgs& args, const CellBox& box)
{
    CellBox region = grown(box, args.width);
    for (int k = int(args.num_between) - 1; k >= 0; k--) region = grown(coarse_from_fine(region, args.between[k]), args.width);
    return intersection(region, endless_domain(args.base));
}

// The smallest box around the cells of a region that the base level does not cover. By a block.
__device__ CellBox open_part(const NestArgs& args, const CellBox& region, Hull& hull)
{
    return hull_of(region, args.base, hull,
        [&](unsigned number, const Cell& tile, int row) { return ~word_around(args.base, args.covered, tile, number, row); });
}

__device__ bool nests(const NestArgs& args, const CellBox& box, Hull& hull)
{
    return args.nests_all || is_empty(open_part(args, needed(args, box), hull));
}

// Writes the pieces of a nested box to the list. By a block.
__device__ void put_out(const NestArgs& args, const CellBox& box, Parts& parts)
{
    int pieces[DIM], count = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        pieces[d] = (box.hi[d] - box.lo[d] + args.largest[d] - 1) / args.largest[d];
        count *= pieces[d];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        parts.place = atomicAdd(&args.state->nested, unsigned(count));
        if (parts.place + count > args.room) args.state->failed = 1;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        if (parts.place + k >= args.room) return;
        const Cell piece = cell_of_number(pieces, k);
        CellBox out = {{0, 0, 0}, {1, 1, 1}};
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const long long size = box.hi[d] - box.lo[d];
            out.lo[d] = (box.lo[d] + int(size * piece[d] / pieces[d])) * args.ratio[d];
            out.hi[d] = (box.lo[d] + int(size * (piece[d] + 1) / pieces[d])) * args.ratio[d];
        }
        args.nested[parts.place + k] = out;
    }
}

// Where to cut a box that does not nest: the longest end that nests is cut off, if it has at least a quarter of the cells; else the box is
// halved. `open`: the box around the cells that the box needs and the base level does not cover.
__device__ void cut_unnested(const NestArgs& args, const CellBox& box, const CellBox& open, int& axis, int& at)
{
    double largest = 0.25;
    int longest = 0;
    bool found = false;
    #pragma unroll
    for (int d = DIM - 1; d >= 0; d--)
        if (box.hi[d] - box.lo[d] >= longest) longest = box.hi[d] - box.lo[d], axis = d, at = box.lo[d] + longest / 2;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        const int size = box.hi[d] - box.lo[d];
        // The longest ends that need none of the open cells: of consecutive cells a farther one needs farther cells.
        int ends[2];
        #pragma unroll
        for (int upper = 0; upper < 2; upper++) {
            int fits = 0, too_long = size;
            while (fits + 1 < too_long) {
                const int length = fits + (too_long - fits) / 2;
                const CellBox end = needed(args, half(box, d, upper ? box.hi[d] - length : box.lo[d] + length, upper));
                ((upper ? end.lo[d] >= open.hi[d] : end.hi[d] <= open.lo[d]) ? fits : too_long) = length;
            }
            ends[upper] = fits;
        }
        const double share = double(max(ends[0], ends[1])) / double(size);
        if (share < largest) continue;
        largest = share, axis = d, found = true;
        at = ends[0] >= ends[1] ? box.lo[d] + ends[0] : box.hi[d] - ends[1];
    }
}

__device__ CellBox around_tags(const NestArgs& args, const CellBox& box, Hull& hull)
{
    return hull_of(box, args.map, hull,
        [&](unsigned number, const Cell&, int row) { return number == NO_TILE ? 0 : args.words[size_t(number) * TILE_ROWS + row]; });
}

// Cuts a box that does not nest into parts that do, and joins those that make up one that does. By a block; false if there is no room.
__device__ bool enforce(const NestArgs& args, const CellBox& whole, Parts& parts)
{
    int num_pending = 1, num_nested = 0;
    __syncthreads();
    if (threadIdx.x == 0) parts.pending[0] = whole;
    while (num_pending > 0) {
        __syncthreads();
        const CellBox box = around_tags(args, parts.pending[--num_pending], parts.hull);
        if (is_empty(box)) continue;
        const CellBox open = open_part(args, needed(args, box), parts.hull);
        if (is_empty(open)) {
            if (num_nested == PARTS) return false;
            if (threadIdx.x == 0) parts.nested[num_nested] = box;
            num_nested++;
            continue;
        }
        // Tags that do not nest have been removed before.
        if (num_pending + 2 > PARTS || volume(box) == 1) return false;
        int axis = 0, at = 0;
        cut_unnested(args, box, open, axis, at);
        __syncthreads();
        if (threadIdx.x == 0) {
            parts.pending[num_pending] = half(box, axis, at, true);
            parts.pending[num_pending + 1] = half(box, axis, at, false);
        }
        num_pending += 2;
    }
    for (int first = 0; first < num_nested;) {
        __syncthreads();
        int partner = first + 1;
        for (; partner < num_nested; partner++) {
            const CellBox a = parts.nested[first], b = parts.nested[partner], hull = joined(a, b);
            if (volume(hull) == volume(a) + volume(b) && nests(args, hull, parts.hull)) break;
        }
        if (partner == num_nested) {
            first++;
            continue;
        }
        __syncthreads();
        num_nested--;
        if (threadIdx.x == 0) {
            parts.nested[first] = joined(parts.nested[first], parts.nested[partner]);
            parts.nested[partner] = parts.nested[num_nested];
        }
        first = 0;
    }
    __syncthreads();
    for (int k = 0; k < num_nested; k++) put_out(args, parts.nested[k], parts);
    return true;
}

extern "C" __global__ void nest(const NestArgs args)
{
    __shared__ Parts parts;
    start_next();
    await_previous();
    const unsigned count = min(args.state->accepted, args.room);
    for (unsigned number = blockIdx.x; number < count; number += gridDim.x) {
        const CellBox box = args.boxes[number];
        if (nests(args, box, parts.hull)) put_out(args, box, parts);
        else if (!enforce(args, box, parts) && threadIdx.x == 0) args.state->failed = 1;
    }
}
