// flag_tiles.cuh: one bit per cell of a level, in the tiles of a tag set.
// Map     one block per tile of 64, 64 x 64 or 64 x 8 x 8 cells; a warp takes 32 cells of a row at a time, one a lane
// Shared  the tile's bits, and those of the cells that patches cover
// Bytes   what the criterion reads, two bits written
// Floor   the bytes
// Order   bits are set atomically: repeats bit for bit

// Sets the bits of the cells for which `wanted` holds, which is asked with the cell's patch and the cell counted from the patch's first.
template <class Args, class Wanted> __device__ __forceinline__ void flag_tiles(const Args& args, Wanted wanted)
{
    __shared__ unsigned bits[2 * TILE_ROWS], covered[2 * TILE_ROWS];
    const FlagTile tile = args.tiles[blockIdx.x];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int word = threadIdx.x; word < 2 * TILE_ROWS; word += blockDim.x) bits[word] = covered[word] = 0;
    __syncthreads();
    for (unsigned part = tile.first_part; part < tile.end_part; part++) {
        const Patch& patch = args.patches[args.parts[part]];
        // The tile's first cell, counted from the patch's, and the patch's rows and words in the tile.
        int origin[DIM], first[DIM], size[DIM];
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int extent = d == X ? 64 : TILE_EXTENT;
            origin[d] = tile.at[d] * extent - patch.lo[d];
            first[d] = max(-origin[d], 0);
            size[d] = min(patch.size[d] - origin[d], extent) - first[d];
        }
        first[X] /= 32;
        size[X] = (min(patch.size[X] - origin[X], 64) + 31) / 32 - first[X];
        int num_words = 1;
        #pragma unroll
        for (int d = 0; d < DIM; d++) num_words *= size[d];
        for (int i = warp; i < num_words; i += warps) {
            Cell at = cell_of_number(size, i), cell;
            int row = 0;
            #pragma unroll
            for (int d = DIM - 1; d >= 0; d--) {
                at[d] += first[d];
                cell[d] = origin[d] + at[d];
                if (d > 0) row = row * TILE_EXTENT + at[d];
            }
            const int word = at[X];
            cell[X] = origin[X] + word * 32 + int(lane_number());
            const bool inside = cell[X] >= 0 && cell[X] < patch.size[X];
            bool flag = false;
            if (inside) flag = wanted(patch, cell);
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
