// flag_difference.cu: one bit per cell, set where |q(i+1) - q(i-1)| is above the tolerance along some axis for some
// component: AMRClaw's default criterion.
// Map     one block per tile of 64 x 64 cells; a warp takes 32 cells of a row at a time, one a lane
// Shared  the tile's bits, and those of the cells that patches cover
// Bytes   M Real per cell (neighbours come from the cache), two bits written
// Floor   the bytes
// Order   bits are set atomically: repeats bit for bit

extern "C" __global__ void flag_difference(const FlagArgs args)
{
    __shared__ unsigned bits[2 * TILE_ROWS], covered[2 * TILE_ROWS];
    start_next();
    await_previous();
    const FlagTile tile = args.tiles[blockIdx.x];
    const Real tolerance = Real(args.tolerance);
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int word = threadIdx.x; word < 2 * TILE_ROWS; word += blockDim.x) bits[word] = covered[word] = 0;
    __syncthreads();
    for (unsigned part = tile.first_part; part < tile.end_part; part++) {
        const Patch& patch = args.patches[args.parts[part]];
        // The tile's first cell, counted from the patch's, and the patch's rows and words in the tile.
        const int x0 = tile.x * 64 - patch.lo_x, y0 = tile.y * TILE_ROWS - patch.lo_y;
        const int first_row = max(-y0, 0), rows = min(patch.ny - y0, TILE_ROWS) - first_row;
        const int first_word = max(-x0, 0) / 32, words = (min(patch.nx - x0, 64) + 31) / 32 - first_word;
        for (int i = warp; i < words * rows; i += warps) {
            const int row = first_row + i / words, word = first_word + i % words;
            const int x = x0 + word * 32 + int(lane_number()), y = y0 + row;
            const bool inside = x >= 0 && x < patch.nx;
            bool flag = false;
            if (inside) {
                const Real* cell = args.q + place(patch, M, x, y);
                #pragma unroll
                for (int m = 0; m < M; m++) {
                    const Real* here = cell + size_t(m) * patch.component;
                    flag |= real_abs(here[1] - here[-1]) > tolerance;
                    if (DIM > 1) flag |= real_abs(here[patch.row] - here[-patch.row]) > tolerance;
                }
            }
            const unsigned found = __ballot_sync(0xffffffffu, flag), cells = __ballot_sync(0xffffffffu, inside);
            if (lane_number() != 0) continue;
            if (found) atomicOr(bits + 2 * row + word, found);
            atomicOr(covered + 2 * row + word, cells);
        }
    }
    __syncthreads();
    for (int word = threadIdx.x; word < 2 * TILE_ROWS; word += blockDim.x) {
        const unsigned place = blockIdx.x * (2 * TILE_ROWS) + word;
        args.bits[place] = bits[word];
        args.covered[place] = covered[word];
    }
}
