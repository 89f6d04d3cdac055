// flag_widen.cu: tags every cell of the domain within `width` cells (maximum norm) of a flag; `width` is at most 64.
// Map     one block per tile of 64 x 64 cells; a thread per row of the tiles below, here and above, then one per row here
// Shared  those rows, widened along x
// Bytes   nine tiles read (mostly from the cache), one written, of 512 bytes each
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
    __shared__ Word wide[SIDES * TILE_ROWS];
    start_next();
    await_previous();
    const FlagTile tile = args.tiles[blockIdx.x];
    const int row = threadIdx.x % TILE_ROWS, side = threadIdx.x / TILE_ROWS - SIDES / 2;
    if (threadIdx.x < SIDES * TILE_ROWS) {
        Word before = 0, here = 0, after = 0;
        const unsigned first = side < 0 ? tile.below : side > 0 ? tile.above : blockIdx.x - 1;
        for (unsigned k = 0; k < 3; k++) {
            if (first + k >= args.num_tiles) continue;
            const FlagTile& near = args.tiles[first + k];
            const int column = near.x - tile.x;
            if (near.y != tile.y + side || column < -1 || column > 1) continue;
            const Word word = args.flags[(first + k) * TILE_ROWS + row];
            if (column < 0) before = word;
            if (column == 0) here = word;
            if (column > 0) after = word;
        }
        wide[threadIdx.x] = widen_row(before, here, after, args.width);
    }
    __syncthreads();
    if (threadIdx.x >= TILE_ROWS) return;
    const int reach = DIM > 1 ? args.width : 0, y = tile.y * TILE_ROWS + row;
    Word found = 0;
    for (int other = -reach; other <= reach; other++) found |= wide[BELOW + row + other];
    // Cut to the domain.
    const Word inside = low_bits(args.cells_x - tile.x * 64);
    args.tags[blockIdx.x * TILE_ROWS + row] = y >= 0 && y < args.cells_y ? found & inside : 0;
}
