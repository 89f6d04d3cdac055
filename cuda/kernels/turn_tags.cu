// turn_tags.cu: turns each tile of tags around, so that its planes across x are words too, and counts its planes' tags; puts all cells of
// the tiles into the queue of candidates.
// Map     one warp per tile
// Bytes   512 bytes read and 1152 written a tile
// Floor   a launch
// Order   every word is written by one lane: repeats bit for bit

extern "C" __global__ void turn_tags(const TurnArgs args)
{
    start_next();
    await_previous();
    const unsigned tile = warp_number(), lane = lane_number();
    if (tile == 0 && lane == 0) {
        ClusterState& state = *args.state;
        state.taken = state.accepted = state.nested = state.failed = 0;
        state.added = state.pending = 1;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            args.queue[0].ends[2 * d] = Word(args.run) << 32 | unsigned(args.bounds.lo[d]);
            args.queue[0].ends[2 * d + 1] = Word(args.run) << 32 | unsigned(args.bounds.hi[d]);
        }
    }
    if (tile >= args.num_tiles) return;
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
    #pragma unroll
    for (int upper = 0; upper < 2; upper++) {
        turned.lines[lane + 32 * upper] = columns[upper];
        turned.lines[64 + lane + 32 * upper] = rows[upper];
        turned.counts[lane + 32 * upper] = (unsigned char)__popcll(columns[upper]);
        turned.counts[64 + lane + 32 * upper] = (unsigned char)__popcll(rows[upper]);
    }
}
