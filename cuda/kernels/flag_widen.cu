// flag_widen.cu: tags every cell of the domain within `width` cells (maximum norm) of a flag, past periodic sides too, except those within
// `inset` cells of one that no patch covers; if `inset` is below 0, there are no exceptions. Both are at most a tile's shortest side.
// Map     one block per tile of 64, 64 x 64 or 64 x 8 x 8 cells; a thread per row of the tile and of those beside it across x, then
//         one per row of the tile
// Shared  those rows' flags and uncovered cells, widened along x
// Bytes   3, 9 or 27 tiles of flags and of covered cells read (mostly from the cache), one written, of at most 512 bytes each
// Floor   a launch
// Order   every word is written by one thread: repeats bit for bit

// A row's word, widened along x. `before` and `after`: the words beside it.
__device__ __forceinline__ Word widen_row(Word before, Word here, Word after, int width)
{
    Word up = here, down = here;
    for (int covered = 0, shift; covered < width; covered += shift) {
        shift = min(covered + 1, width - covered);
        up |= up << shift;
        down |= down >> shift;
    }
    // The last flag before the word and the first one after it reach the farthest.
    Word wide = up | down | lowest(width - __clzll(before));
    if (after) wide |= ~lowest(64 - width + __ffsll(after) - 1);
    return wide;
}

// A tile and its neighbours across x.
constexpr int SIDES = DIM == 1 ? 1 : DIM == 2 ? 3 : 9;
constexpr int HERE = SIDES / 2;

// The row at (y, z), counted from the tile's first, which may lie in a neighbouring tile.
__device__ __forceinline__ int row_number(int y, int z)
{
    const int side_y = (y + TILE_EXTENT) / TILE_EXTENT, side_z = (z + TILE_EXTENT) / TILE_EXTENT;
    const int row = y - (side_y - 1) * TILE_EXTENT + (z - (side_z - 1) * TILE_EXTENT) * TILE_EXTENT;
    return (side_y + (DIM > 2 ? 3 * side_z : 0)) * TILE_ROWS + row;
}

// All bits of the rows within `reach` of row (y, z).
__device__ __forceinline__ Word gathered(const Word* rows, int row, int reach)
{
    Word found = 0;
#if DIM == 1
    found = rows[row];
#elif DIM == 2
    for (int other = -reach; other <= reach; other++) found |= rows[HERE * TILE_ROWS + row + other];
#else
    const int y = row % TILE_EXTENT, z = row / TILE_EXTENT;
    for (int dz = -reach; dz <= reach; dz++)
        for (int dy = -reach; dy <= reach; dy++) found |= rows[row_number(y + dy, z + dz)];
#endif
    return found;
}

extern "C" __global__ void flag_widen(const WidenArgs args)
{
    __shared__ Word wide[SIDES * TILE_ROWS], barred[SIDES * TILE_ROWS];
    start_next();
    await_previous();
    const int row = threadIdx.x % TILE_ROWS, side = threadIdx.x / TILE_ROWS;
    const Cell tile = tile_at(args.map, blockIdx.x);
    if (side < SIDES) {
        const CellBox domain = endless_domain(args.map);
        // Of the tiles before, here and after.
        Word flags[3], open[3];
        #pragma unroll
        for (int column = 0; column < 3; column++) {
            Cell near = tile;
            near[X] += column - 1;
            #pragma unroll
            for (int d = 1, sides = side; d < DIM; d++, sides /= 3) near[d] += sides % 3 - 1;
            const unsigned number = number_of(args.map, near);
            flags[column] = word_around(args.map, args.flags, near, number, row);
            open[column] =
                args.inset < 0 ? 0 : row_mask(domain, near, row) & ~word_around(args.map, args.covered, near, number, row);
        }
        wide[threadIdx.x] = widen_row(flags[0], flags[1], flags[2], args.width);
        barred[threadIdx.x] = args.inset < 0 ? 0 : widen_row(open[0], open[1], open[2], args.inset);
    }
    __syncthreads();
    if (threadIdx.x >= TILE_ROWS) return;
    const Word found = gathered(wide, row, args.width), out = gathered(barred, row, max(args.inset, 0));
    args.tags[size_t(blockIdx.x) * TILE_ROWS + row] = found & ~out & row_mask(args.map.domain, tile, row);
}
