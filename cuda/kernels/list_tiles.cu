// list_tiles.cu: cuts cells of patches into tiles, the work of the update's blocks.
// Map     one thread per tile
// Bytes   one Tile written; the cells are read from the cache
// Floor   a launch
// Order   no atomics: repeats bit for bit

extern "C" __global__ void list_tiles(const ListTilesArgs args)
{
    await_previous();
    const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= args.num_tiles) return;
    const unsigned k = last_not_behind(args.num_cells, number, [&](unsigned n) { return args.cells[n].first_tile; });
    const CutCells cells = args.cells[k];
    const int of_cells = int(number - cells.first_tile), rest = of_cells / cells.pieces[X];
    const int piece[3] = {of_cells - rest * cells.pieces[X], rest % cells.pieces[Y], rest / cells.pieces[Y]};
    Tile tile;
    tile.patch = cells.patch;
#pragma unroll
    for (int d = 0; d < 3; d++) {
        const int length = cells.size[d] / cells.pieces[d], longer = cells.size[d] - length * cells.pieces[d];
        tile.lo[d] = cells.lo[d] + piece[d] * length + min(piece[d], longer);
        tile.size[d] = length + (piece[d] < longer);
    }
    args.tiles[number] = tile;
}
