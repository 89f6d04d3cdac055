// tags.cuh: the tags of a level, in tiles of 64, 64 x 64 or 64 x 8 x 8 cells, a word for each row of a tile along x; and boxes of cells. "By
// a block" means by all its threads together, whose number is a multiple of 32.

constexpr unsigned NO_TILE = 0xffffffffu;

// Length of a tile in cells.
__device__ constexpr int extent(int axis) { return axis == X ? 64 : TILE_EXTENT; }
__device__ __forceinline__ int tile_of(int cell, int axis) { return floor_divide(cell, extent(axis)); }

// The `count` lowest bits: none below 1, all from 64 on.
__device__ __forceinline__ Word lowest(int count) { return count > 0 ? ~0ull >> max(64 - count, 0) : 0; }

// The sum over a warp's lanes.
__device__ __forceinline__ unsigned sum_of_warp(unsigned number)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL, number);
#else
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) number += __shfl_xor_sync(ALL, number, distance);
    return number;
#endif
}

// The smallest number of a warp's lanes.
__device__ __forceinline__ int smallest_of_warp(int number)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(ALL, number);
#else
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) number = min(number, __shfl_xor_sync(ALL, number, distance));
    return number;
#endif
}

// The largest number of a warp's lanes.
__device__ __forceinline__ Word largest_of_warp(Word number)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const unsigned high = __reduce_max_sync(ALL, unsigned(number >> 32));
    return Word(high) << 32 | __reduce_max_sync(ALL, unsigned(number >> 32) == high ? unsigned(number) : 0u);
#else
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const Word other = __shfl_xor_sync(ALL, number, distance);
        number = other > number ? other : number;
    }
    return number;
#endif
}

// The tiles that a box touches, x fastest.
struct Span {
    int lo[DIM], size[DIM], count;

    __device__ __forceinline__ explicit Span(const CellBox& box) : count(1)
    {
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            lo[d] = tile_of(box.lo[d], d);
            size[d] = max(tile_of(box.hi[d] - 1, d) + 1 - lo[d], 0);
            count *= size[d];
        }
    }

    __device__ __forceinline__ Cell tile(int number) const
    {
        Cell tile = cell_of_number(size, number);
        #pragma unroll
        for (int d = 0; d < DIM; d++) tile[d] += lo[d];
        return tile;
    }
};

// The tile that has a number.
__device__ __forceinline__ Cell tile_at(const TileMap& map, unsigned number)
{
    Cell tile;
    #pragma unroll
    for (int d = 0; d < DIM; d++) tile[d] = map.tiles[number].at[d];
    return tile;
}

// The number of a tile in its table, if it is there.
__device__ __forceinline__ unsigned number_of(const TileMap& map, const Cell& tile)
{
    bool there = true;
    size_t place = 0;
    #pragma unroll
    for (int d = DIM - 1; d >= 0; d--) {
        const int at = tile[d] - map.lo[d];
        there = there && at >= 0 && at < map.size[d];
        place = place * map.size[d] + at;
    }
    return there ? map.numbers[place] : NO_TILE;
}

// Further than any box reaches past a side.
constexpr int FAR = 1 << 28;

// The cells of a level's domain, unbounded along periodic axes.
__device__ __forceinline__ CellBox endless_domain(const TileMap& map)
{
    CellBox cells = map.domain;
    #pragma unroll
    for (int d = 0; d < DIM; d++)
        if (map.periodic[d]) cells.lo[d] -= FAR, cells.hi[d] += FAR;
    return cells;
}

__device__ __forceinline__ int modulo(int a, int b) { return a - floor_divide(a, b) * b; }

// The bits of a row of a tile, given its number in the table; past a periodic side the bits at the other side. Zero where there is no tile.
__device__ __forceinline__ Word word_around(const TileMap& map, const Word* words, const Cell& tile, unsigned number, int row)
{
    bool inside = true;
    #pragma unroll
    for (int d = 0; d < DIM; d++)
        inside = inside && (!map.periodic[d] || (tile[d] >= 0 && (tile[d] + 1) * extent(d) <= map.domain.hi[d]));
    if (inside) return number == NO_TILE ? 0 : words[size_t(number) * TILE_ROWS + row];
    Cell at = tile;
    int place = row;
    #pragma unroll
    for (int d = 1, rest = row, stride = 1; d < DIM; d++, rest /= TILE_EXTENT, stride *= TILE_EXTENT) {
        if (!map.periodic[d]) continue;
        const int across = rest % TILE_EXTENT, cell = modulo(tile[d] * TILE_EXTENT + across, map.domain.hi[d]);
        at[d] = cell / TILE_EXTENT;
        place += (cell % TILE_EXTENT - across) * stride;
    }
    const auto word_at = [&](int column) {
        at[X] = column;
        const unsigned number = number_of(map, at);
        return number == NO_TILE ? 0 : words[size_t(number) * TILE_ROWS + place];
    };
    if (!map.periodic[X]) return word_at(tile[X]);
    const int end = map.domain.hi[X];
    Word found = 0;
    for (int bit = 0; bit < 64;) {
        const int cell = modulo(tile[X] * 64 + bit, end), there = min(64 - cell % 64, end - cell);
        found |= (word_at(cell / 64) >> (cell % 64) & lowest(there)) << bit;
        bit += there;
    }
    return found;
}

// The planes across x of a tile that lie in a box, as bits.
__device__ __forceinline__ Word columns_mask(const CellBox& box, const Cell& tile)
{
    return lowest(box.hi[X] - tile[X] * 64) & ~lowest(box.lo[X] - tile[X] * 64);
}

// The cells of a box in a row of a tile, as bits.
__device__ __forceinline__ Word row_mask(const CellBox& box, const Cell& tile, int row)
{
    bool inside = row < TILE_ROWS;
    #pragma unroll
    for (int d = 1, rest = row; d < DIM; d++, rest /= TILE_EXTENT) {
        const int cell = tile[d] * TILE_EXTENT + rest % TILE_EXTENT;
        inside = inside && cell >= box.lo[d] && cell < box.hi[d];
    }
    return inside ? columns_mask(box, tile) : 0;
}

// The rows of a tile that lie in a box, as bits.
__device__ __forceinline__ Word rows_mask(const CellBox& box, const Cell& tile)
{
    Word rows = 1;
#if DIM > 1
    const int y = tile[Y] * TILE_EXTENT;
    rows = lowest(min(box.hi[Y] - y, TILE_EXTENT)) & ~lowest(box.lo[Y] - y);
#endif
#if DIM > 2
    // The rows of a plane, in each of its planes.
    const int z = tile[Z] * TILE_EXTENT;
    rows = (rows * 0x0101010101010101ull) & lowest(8 * (box.hi[Z] - z)) & ~lowest(8 * (box.lo[Z] - z));
#endif
    return rows;
}

// Shared memory for finding the smallest box around bits.
struct Hull {
    int lo[3], hi[3];
};

// The smallest box around the bits of a region, which `bits(number, tile, row)` returns for the number of a tile, if it exists; empty if
// there are none. By a block.
template <class Bits> __device__ CellBox hull_of(const CellBox& region, const TileMap& map, Hull& hull, Bits bits)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = lane_number();
    __syncthreads();
    if (threadIdx.x < 3) hull.lo[threadIdx.x] = 0x3fffffff, hull.hi[threadIdx.x] = -0x3fffffff;
    __syncthreads();
    const Span span(region);
    for (int i = is_empty(region) ? span.count : warp; i < span.count; i += warps) {
        const Cell tile = span.tile(i);
        const unsigned number = number_of(map, tile);
        Word columns = 0, rows = 0;
        #pragma unroll
        for (int upper = 0; upper < 2; upper++) {
            const int row = lane + 32 * upper;
            const Word mask = row_mask(region, tile, row), word = mask ? bits(number, tile, row) & mask : 0;
            columns |= word;
            rows |= Word(__ballot_sync(ALL, word != 0)) << (32 * upper);
        }
        #pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) columns |= __shfl_xor_sync(ALL, columns, distance);
        if (lane != 0 || rows == 0) continue;
        atomicMin(&hull.lo[X], tile[X] * 64 + __ffsll(columns) - 1);
        atomicMax(&hull.hi[X], tile[X] * 64 + 64 - __clzll(columns));
#if DIM == 2
        atomicMin(&hull.lo[Y], tile[Y] * 64 + __ffsll(rows) - 1);
        atomicMax(&hull.hi[Y], tile[Y] * 64 + 64 - __clzll(rows));
#elif DIM == 3
        atomicMin(&hull.lo[Z], tile[Z] * 8 + (__ffsll(rows) - 1) / 8);
        atomicMax(&hull.hi[Z], tile[Z] * 8 + (63 - __clzll(rows)) / 8 + 1);
        unsigned plane = unsigned(rows | rows >> 32);
        plane = (plane | plane >> 16 | plane >> 8 | plane >> 24) & 0xffu;
        atomicMin(&hull.lo[Y], tile[Y] * 8 + __ffs(plane) - 1);
        atomicMax(&hull.hi[Y], tile[Y] * 8 + 64 - __clzll(Word(plane)));
#endif
    }
    __syncthreads();
    CellBox found = region;
    #pragma unroll
    for (int d = 0; d < DIM; d++) found.lo[d] = hull.lo[d], found.hi[d] = hull.hi[d];
    return found;
}
