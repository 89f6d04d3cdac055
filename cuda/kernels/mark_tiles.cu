// mark_tiles.cu: sets a bit for every aligned tile of `size` cells along each axis that holds a tag; bits lie along the Morton curve, as in
// regrid::tiles.
// Map     one warp per tile of tags; a lane takes two rows
// Bytes   512 bytes read a tile of tags, and 8 changed for each aligned tile that its rows touch
// Floor   a launch
// Order   bits are set atomically: repeats bit for bit

// The place of an aligned tile along the curve: the bits of its indices, the first axis' lowest one last.
__device__ __forceinline__ Word curve_place(const Cell& tile)
{
    Word place = 0;
    #pragma unroll
    for (int d = 0; d < DIM; d++)
        for (int bit = 0; tile[d] >> bit != 0; bit++) place |= Word(tile[d] >> bit & 1) << (bit * DIM + d);
    return place;
}

extern "C" __global__ void mark_tiles(const MarkTilesArgs args)
{
    start_next();
    await_previous();
    const unsigned number = warp_number();
    if (number >= args.map.num_tiles) return;
    const FlagTile& tile = args.map.tiles[number];
    for (int row = lane_number(); row < TILE_ROWS; row += 32) {
        Word tags = args.words[size_t(number) * TILE_ROWS + row];
        Cell aligned;
        #pragma unroll
        for (int d = 1, rest = row; d < DIM; d++, rest /= TILE_EXTENT)
            aligned[d] = (tile.at[d] * TILE_EXTENT + rest % TILE_EXTENT) / args.size;
        const int first = tile.at[X] * 64;
        while (tags != 0) {
            aligned[X] = (first + __ffsll(tags) - 1) / args.size;
            const Word place = curve_place(aligned);
            atomicOr(args.marks + place / 64, 1ull << (place % 64));
            tags &= ~lowest((aligned[X] + 1) * args.size - first);
        }
    }
}
