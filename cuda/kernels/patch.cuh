// patch.cuh: cells, where the numbers of a patch lie, and which warp works on what. Whatever differs by axis is an array over axes;
// loops over it have DIM turns, which the compiler unrolls.
// Defined before it: DIM, NUM_GHOST, PACK_OVERRUN.

// A cell, or a number of cells along each axis.
typedef Array<int, DIM> Cell;

// Numbers from a cell to its upper neighbour along an axis.
__device__ __forceinline__ int stride(const Patch& patch, int axis) { return axis == X ? 1 : patch.stride[axis]; }

// Position within a patch of a cell, counted from the patch's first interior cell.
__device__ __forceinline__ size_t place_within(const Patch& patch, const Cell& cell)
{
    size_t position = cell[0] + NUM_GHOST;
    #pragma unroll
    for (int d = 1; d < DIM; d++) position += size_t(cell[d] + NUM_GHOST) * patch.stride[d];
    return position;
}

// Position of the cell's component 0 in an array of `count` components.
__device__ __forceinline__ size_t place(const Patch& patch, int count, const Cell& cell)
{
    return PACK_OVERRUN + patch.first * count + place_within(patch, cell);
}

// Offset of the cell with number `i` in a box from the box's first cell, x fastest.
__device__ __forceinline__ Cell cell_of_number(const int* size, int i)
{
    Cell cell;
    #pragma unroll
    for (int d = 0; d < DIM - 1; d++) {
        const int rest = i / size[d];
        cell[d] = i - rest * size[d];
        i = rest;
    }
    cell[DIM - 1] = i;
    return cell;
}

// Cells of a region or run.
template <class Box> __device__ __forceinline__ int num_cells(const Box& box)
{
    int count = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) count *= box.size[d];
    return count;
}

// Cell number `i` of a region or run.
template <class Box> __device__ __forceinline__ Cell cell_of(const Box& box, int i)
{
    Cell cell = cell_of_number(box.size, i);
    #pragma unroll
    for (int d = 0; d < DIM; d++) cell[d] += box.lo[d];
    return cell;
}

// The cell counted from the patch's first, in whose coordinates it is `shift` less.
__device__ __forceinline__ Cell in_patch(const Patch& patch, const Cell& cell, const int* shift)
{
    Cell local;
    #pragma unroll
    for (int d = 0; d < DIM; d++) local[d] = cell[d] - shift[d] - patch.lo[d];
    return local;
}
__device__ __forceinline__ Cell in_patch(const Patch& patch, const Cell& cell)
{
    Cell local;
    #pragma unroll
    for (int d = 0; d < DIM; d++) local[d] = cell[d] - patch.lo[d];
    return local;
}

// The coarse cell of a face of a run, in the coarse patch.
__device__ __forceinline__ Cell in_coarse(const Patch& patch, const Cell& cell, const FaceRun& run)
{
    Cell local;
    #pragma unroll
    for (int d = 0; d < DIM; d++) local[d] = (run.turned ? run.shift[d] - cell[d] : cell[d] - run.shift[d]) - patch.lo[d];
    return local;
}

// Whether the coarse cells of a run lie on the lower side of their faces, in the coarse patch.
__device__ __forceinline__ bool is_below(const FaceRun& run) { return (run.coarse_side == Lower) != (run.turned != 0); }

// Notes a patch with a state that is not finite or not allowed. The coarsest level, and on it the first patch, wins: in the upper half is
// 256 less the level, in the lower the complement of the patch's number.
__device__ __forceinline__ void refuse(unsigned long long* refused, unsigned level, unsigned patch)
{
    atomicMax(refused, (unsigned long long)(256 - level) << 32 | (0xffffffffu - patch));
}

// The upper neighbour along an axis, if `there`.
__device__ __forceinline__ Cell next_along(Cell cell, unsigned axis, bool there = true)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++) cell[d] += axis == d && there;
    return cell;
}

// The first of the fine cells over a coarse one.
__device__ __forceinline__ Cell first_fine(const Cell& coarse, const int* ratio)
{
    Cell fine;
    #pragma unroll
    for (int d = 0; d < DIM; d++) fine[d] = coarse[d] * ratio[d];
    return fine;
}

// Among ranges that follow one another, the number of the one that contains `number`: the last whose first place is not behind it.
template <class First> __device__ __forceinline__ unsigned last_not_behind(unsigned count, unsigned number, First first)
{
    unsigned here = 0, behind = count;
    while (behind - here > 1) {
        const unsigned middle = (here + behind) / 2;
        (first(middle) <= number ? here : behind) = middle;
    }
    return here;
}

__device__ __forceinline__ unsigned item_of_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ unsigned warp_number() { return (blockIdx.x * blockDim.x + threadIdx.x) / 32; }
__device__ __forceinline__ unsigned lane_number() { return threadIdx.x % 32; }

// The work of a warp, for which a table has a chunk: cells of one item, a lane's FIRST one and then every 32nd before END. It is read
// before the kernels before this one are complete: tables do not change while they are used.
template <class Item> struct Work {
    Item item;
    unsigned number; // of the item
    int first, end;

    template <class Table> __device__ __forceinline__ explicit Work(const Table& table, unsigned warp = warp_number())
    {
        const Chunk chunk = table.chunks[warp];
        number = chunk.region;
        item = table.items[number];
        first = chunk.first + lane_number();
        end = min(num_cells(item), int(chunk.first + table.chunk_cells));
    }
};

// Inclusive prefix sum over a warp's lanes.
__device__ __forceinline__ unsigned sum_up_to(unsigned number)
{
    #pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned below = __shfl_up_sync(0xffffffffu, number, distance);
        if (lane_number() >= distance) number += below;
    }
    return number;
}

// The same over all threads of a block, and the sum of all. `of_warps`: a place for each warp that is still active, the first ones; free
// again when all have returned.
__device__ __forceinline__ unsigned sum_up_to_of_block(
    unsigned number, unsigned* of_warps, unsigned& all, unsigned num_warps = blockDim.x / 32)
{
    const unsigned warp = threadIdx.x / 32;
    unsigned up_to = sum_up_to(number);
    if (lane_number() == 31) of_warps[warp] = up_to;
    __syncthreads();
    all = 0;
    for (unsigned k = 0; k < num_warps; k++) {
        if (k < warp) up_to += of_warps[k];
        all += of_warps[k];
    }
    __syncthreads();
    return up_to;
}

__device__ __forceinline__ int floor_divide(int a, int b)
{
    int quotient = a / b;
    return quotient - (a % b < 0);
}
