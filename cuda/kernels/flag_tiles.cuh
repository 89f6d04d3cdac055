// flag_tiles.cuh: one bit per cell of a level, in the tiles of a tag set.
// Map     one block per tile of 64, 64 x 64 or 64 x 8 x 8 cells; a warp takes 32 cells of a row at a time, one a lane
// Shared  the tile's bits, and those of the cells that patches cover
// Bytes   what the criterion reads, two bits written
// Floor   the bytes
// Order   bits are set atomically: repeats bit for bit

// The intersection of a patch with a tile: the tile's first cell, counted from the patch's, and the patch's rows and words in the tile.
struct PartOfTile {
    unsigned patch;
    Cell origin, first, size;

    __device__ __forceinline__ PartOfTile(unsigned number, const Patch& patch, const FlagTile& tile) : patch(number)
    {
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int extent = d == X ? 64 : TILE_EXTENT;
            origin[d] = tile.at[d] * extent - patch.lo[d];
            first[d] = max(-origin[d], 0);
            size[d] = min(patch.size[d] - origin[d], extent) - first[d];
        }
        first[X] /= 32;
        size[X] = (min(patch.size[X] - origin[X], 64) + 31) / 32 - first[X];
    }

    // The same of another lane.
    __device__ __forceinline__ PartOfTile(const PartOfTile& own, int lane)
        : patch(__shfl_sync(0xffffffffu, own.patch, lane))
    {
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            origin[d] = __shfl_sync(0xffffffffu, own.origin[d], lane);
            first[d] = __shfl_sync(0xffffffffu, own.first[d], lane);
            size[d] = __shfl_sync(0xffffffffu, own.size[d], lane);
        }
    }
};

// Sets the bits of the cells for which `wanted` is true; it is called with the cell's patch and the cell counted from the patch's first. The
// words of up to 32 patches of a tile form one list, so that warps do not process small patches one after another.
template <class Args, class Wanted> __device__ __forceinline__ void flag_tiles(const Args& args, Wanted wanted)
{
    __shared__ unsigned bits[2 * TILE_ROWS], covered[2 * TILE_ROWS];
    const FlagTile tile = args.tiles[blockIdx.x];
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = lane_number();
    for (int word = threadIdx.x; word < 2 * TILE_ROWS; word += blockDim.x) bits[word] = covered[word] = 0;
    __syncthreads();
    for (unsigned from = tile.first_part; from < tile.end_part; from += 32) {
        const unsigned number = args.parts[min(from + lane, tile.end_part - 1)];
        const PartOfTile own(number, args.view.patches[number], tile);
        const int own_words = from + lane < tile.end_part ? num_cells(own) : 0, end = sum_up_to(own_words);
        const int num_words = __shfl_sync(0xffffffffu, end, 31);
        for (int i = warp; i < num_words; i += warps) {
            const int holder = __popc(__ballot_sync(0xffffffffu, end <= i));
            const PartOfTile part(own, holder);
            const Patch& patch = args.view.patches[part.patch];
            Cell at = cell_of_number(part.size.v, i - __shfl_sync(0xffffffffu, end - own_words, holder)), cell;
            int row = 0;
            #pragma unroll
            for (int d = DIM - 1; d >= 0; d--) {
                at[d] += part.first[d];
                cell[d] = part.origin[d] + at[d];
                if (d > 0) row = row * TILE_EXTENT + at[d];
            }
            const int word = at[X];
            cell[X] = part.origin[X] + word * 32 + lane;
            const bool inside = cell[X] >= 0 && cell[X] < patch.size[X];
            bool flag = false;
            if (inside) flag = wanted(patch, cell);
            const unsigned found = __ballot_sync(0xffffffffu, flag), cells = __ballot_sync(0xffffffffu, inside);
            if (lane != 0) continue;
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
