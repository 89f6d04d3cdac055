// flag_regions.cu: clears flags where regions forbid them, and sets those of all covered cells where regions force them, as
// regrid::region::apply does.
// Map     one thread per row of a tile
// Bytes   a word of flags read and written a row, one of covered cells read; the boxes of the tile's plane
// Floor   a launch
// Order   every word is written by one thread: repeats bit for bit

extern "C" __global__ void flag_regions(const FlagRegionsArgs args)
{
    start_next();
    await_previous();
    const unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= args.map.num_tiles * TILE_ROWS) return;
    const Cell tile = tile_at(args.map, place / TILE_ROWS);
    const int plane = tile[DIM - 1] - args.map.lo[DIM - 1];
    Word forced = 0, forbidden = 0, allowed = 0;
    for (unsigned k = args.starts[plane]; k < args.starts[plane + 1]; k++) {
        const FlagRegion& region = args.regions[k];
        const Word mask = row_mask(region.cells, tile, place % TILE_ROWS);
        (region.forbids ? forbidden : allowed) |= mask;
        if (region.forces) forced |= mask;
    }
    args.flags[place] = (args.flags[place] & ~(forbidden & ~allowed)) | (forced & args.covered[place]);
}
