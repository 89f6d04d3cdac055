// clip_tags.cu: removes tags of cells that cannot nest in the base level, as regrid::nest::LevelNesting::clip does.
// Map     one warp per tile; a lane takes two rows
// Bytes   a tile's words, and the words of the base level's covered cells around it, from the cache
// Floor   a launch
// Order   every word is written by one lane: repeats bit for bit

// The range of the base level's cells along an axis that must be covered for a patch over a cell, as far as they lie in a domain.
__device__ __forceinline__ void needed_along(const NestArgs& args, const CellBox& domain, int axis, int cell, int& lo, int& hi)
{
    lo = cell - args.width, hi = cell + 1 + args.width;
    for (int k = int(args.num_between) - 1; k >= 0; k--) {
        const int ratio = args.between[k][axis];
        lo = floor_divide(lo, ratio) - args.width, hi = floor_divide(hi + ratio - 1, ratio) + args.width;
    }
    lo = max(lo, domain.lo[axis]), hi = min(hi, domain.hi[axis]);
}

extern "C" __global__ void clip_tags(const NestArgs args)
{
    start_next();
    await_previous();
    const unsigned number = warp_number(), lane = lane_number();
    if (number >= args.map.num_tiles) return;
    const FlagTile& tile = args.map.tiles[number];
    const CellBox domain = endless_domain(args.base);
    for (int row = lane; row < TILE_ROWS; row += 32) {
        Word& word = args.words[size_t(number) * TILE_ROWS + row];
        const Word tags = word;
        if (tags == 0) continue;
        int first = tile.at[X] * 64, end = first + 64 - __clzll(tags), unused;
        first += __ffsll(tags) - 1;
        // What all cells of the row need.
        CellBox region = domain;
        needed_along(args, domain, X, first, region.lo[X], unused);
        needed_along(args, domain, X, end - 1, unused, region.hi[X]);
        #pragma unroll
        for (int d = 1, rest = row; d < DIM; d++, rest /= TILE_EXTENT)
            needed_along(args, domain, d, tile.at[d] * TILE_EXTENT + rest % TILE_EXTENT, region.lo[d], region.hi[d]);
        // The columns of the base level that lack a cell of these, from the tile's that holds the first one: a row needs at most three words.
        const int column = tile_of(region.lo[X], X);
        Word open[4] = {};
        const Span span(region);
        for (int i = 0; i < span.count; i++) {
            const Cell at = span.tile(i);
            const unsigned place = number_of(args.base, at);
            for (int r = 0; r < TILE_ROWS; r++) {
                const Word mask = row_mask(region, at, r);
                if (mask) open[(at[X] - column) & 3] |= mask & ~word_around(args.base, args.covered, at, place, r);
            }
        }
        Word kept = tags;
        for (Word rest = tags; rest != 0; rest &= rest - 1) {
            const int bit = __ffsll(rest) - 1;
            int lo, hi;
            needed_along(args, domain, X, tile.at[X] * 64 + bit, lo, hi);
            Word lacks = 0;
            #pragma unroll
            for (int k = 0; k < 4; k++) {
                const int start = (column + k) * 64;
                lacks |= open[k] & lowest(hi - start) & ~lowest(lo - start);
            }
            if (lacks) kept &= ~(1ull << bit);
        }
        word = kept;
    }
}
