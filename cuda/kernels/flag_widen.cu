// flag_widen.cu: tags every cell of the domain within `width` cells (maximum norm) of a flag, but for those within `inset` cells of
// one that no patch covers; an `inset` below 0 is none. Both are at most 64.
// Map     one block per tile of 64 x 64 cells; a thread per row of the tiles below, here and above, then one per row here
// Shared  those rows' flags and uncovered cells, widened along x
// Bytes   nine tiles of flags and of covered cells read (mostly from the cache), one written, of 512 bytes each
// Floor   a launch
// Order   every word is written by one thread: repeats bit for bit

typedef unsigned long long Word;

// The `count` lowest bits: none below 1, all from 64 on.
__device__ __forceinline__ Word low_bits(int count) { return count > 0 ? ~0ull >> max(64 - count, 0) : 0; }

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
    Word wide = up | down | low_bits(width - __clzll(before));
    if (after) wide |= ~low_bits(64 - width + __ffsll(after) - 1);
    return wide;
}

extern "C" __global__ void flag_widen(const WidenArgs args)
{
    constexpr int SIDES = DIM > 1 ? 3 : 1, BELOW = SIDES / 2 * TILE_ROWS;
    __shared__ Word wide[SIDES * TILE_ROWS], barred[SIDES * TILE_ROWS];
    start_next();
    await_previous();
    const FlagTile tile = args.tiles[blockIdx.x];
    const int row = threadIdx.x % TILE_ROWS, side = threadIdx.x / TILE_ROWS - SIDES / 2;
    if (threadIdx.x < SIDES * TILE_ROWS) {
        // Of the columns before, here and after. Where there is no tile, nothing is flagged or covered.
        Word flags[3] = {0, 0, 0}, open[3];
        const int y = (tile.y + side) * TILE_ROWS + row;
        #pragma unroll
        for (int column = 0; column < 3; column++) {
            const int x = (tile.x + column - 1) * 64;
            open[column] = x >= 0 && y >= 0 && y < args.cells_y ? low_bits(args.cells_x - x) : 0;
        }
        const unsigned first = side < 0 ? tile.below : side > 0 ? tile.above : blockIdx.x - 1;
        for (unsigned k = 0; k < 3; k++) {
            if (first + k >= args.num_tiles) continue;
            const FlagTile& near = args.tiles[first + k];
            if (near.y != tile.y + side) continue;
            const unsigned place = (first + k) * TILE_ROWS + row;
            #pragma unroll
            for (int column = 0; column < 3; column++) {
                if (near.x != tile.x + column - 1) continue;
                flags[column] = args.flags[place];
                open[column] &= ~args.covered[place];
            }
        }
        wide[threadIdx.x] = widen_row(flags[0], flags[1], flags[2], args.width);
        barred[threadIdx.x] = args.inset < 0 ? 0 : widen_row(open[0], open[1], open[2], args.inset);
    }
    __syncthreads();
    if (threadIdx.x >= TILE_ROWS) return;
    const int reach = DIM > 1 ? args.width : 0, inset = DIM > 1 ? max(args.inset, 0) : 0, y = tile.y * TILE_ROWS + row;
    Word found = 0, out = 0;
    for (int other = -reach; other <= reach; other++) found |= wide[BELOW + row + other];
    for (int other = -inset; other <= inset; other++) out |= barred[BELOW + row + other];
    // Cut to the domain.
    const Word inside = low_bits(args.cells_x - tile.x * 64);
    args.tags[blockIdx.x * TILE_ROWS + row] = y >= 0 && y < args.cells_y ? found & ~out & inside : 0;
}
