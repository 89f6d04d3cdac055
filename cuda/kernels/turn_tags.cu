// turn_tags.cu: transposes each tile of tags, so that its planes across x are words too, and counts the tags of its planes; puts all cells
// of the tiles into the queue of candidates, and adds up the tags of their planes.
// Map     one warp per tile
// Bytes   512 bytes read and 1152 written a tile; 4 added to for each of its planes
// Floor   a launch
// Order   every word is written by one lane, whole numbers are added: repeats bit for bit

// Adds the tags of a plane across an axis, whose first plane has its number at `planes`.
__device__ __forceinline__ void add(const TurnArgs& args, unsigned* planes, int axis, int plane, unsigned found)
{
    if (found != 0 && plane >= args.bounds.lo[axis] && plane < args.bounds.hi[axis])
        atomicAdd(planes + (plane - args.bounds.lo[axis]), found);
}

extern "C" __global__ void turn_tags(const TurnArgs args)
{
    start_next();
    await_previous();
    const unsigned tile = warp_number(), lane = lane_number();
    if (tile == 0 && lane == 0) {
        ClusterState& state = *args.state;
        state.taken = state.accepted = state.nested = state.failed = state.tallest = 0;
        state.added = state.pending = 1;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            args.queue[0].ends[2 * d] = Word(args.run) << 32 | unsigned(args.bounds.lo[d]);
            args.queue[0].ends[2 * d + 1] = Word(args.run) << 32 | unsigned(args.bounds.hi[d]);
        }
    }
    if (tile >= args.map.num_tiles) return;
    TurnedTile& turned = args.turned[tile];
    Word rows[2], columns[2] = {0, 0};
    #pragma unroll
    for (int upper = 0; upper < 2; upper++) {
        const unsigned row = lane + 32 * upper;
        rows[upper] = row < TILE_ROWS ? args.words[size_t(tile) * TILE_ROWS + row] : 0;
    }
    for (unsigned column = 0; column < 64; column++) {
        const Word low = __ballot_sync(ALL, rows[0] >> column & 1u), high = __ballot_sync(ALL, rows[1] >> column & 1u);
        if (column % 32 == lane) columns[column / 32] = high << 32 | low;
    }
    const Cell at = tile_at(args.map, tile);
    unsigned* planes[DIM];
    #pragma unroll
    for (int d = 0, end = 0; d < DIM; d++) {
        planes[d] = args.planes + end;
        end += args.bounds.hi[d] - args.bounds.lo[d];
    }
    const Word rows_inside = rows_mask(args.bounds, at), columns_inside = columns_mask(args.bounds, at);
    #pragma unroll
    for (int upper = 0; upper < 2; upper++) {
        const int line = lane + 32 * upper;
        turned.lines[line] = columns[upper];
        turned.lines[64 + line] = rows[upper];
        turned.counts[line] = (unsigned char)__popcll(columns[upper]);
        turned.counts[64 + line] = (unsigned char)__popcll(rows[upper]);
        add(args, planes[X], X, at[X] * 64 + line, __popcll(columns[upper] & rows_inside));
        const unsigned of_row = __popcll(rows[upper] & columns_inside);
        #pragma unroll
        for (int d = 1, rest = line; d < DIM; d++, rest /= TILE_EXTENT)
            add(args, planes[d], d, at[d] * TILE_EXTENT + rest % TILE_EXTENT, of_row);
    }
}
