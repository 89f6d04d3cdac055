// patch.cuh: where the numbers of a patch lie, and which warp works on what.
// Defined before it: DIM, NUM_GHOST, PACK_OVERRUN.

constexpr int GHOSTS_Y = DIM > 1 ? NUM_GHOST : 0;

// Position of component 0 of a cell, counted from the patch's first interior cell, in an array of `count` components.
__device__ __forceinline__ size_t place(const Patch& patch, int count, int x, int y)
{
    return PACK_OVERRUN + patch.first * count + size_t(y + GHOSTS_Y) * patch.row + (x + NUM_GHOST);
}

// The same cell's position in an array of one number a cell.
__device__ __forceinline__ size_t cell_number(const Patch& patch, int x, int y)
{
    return patch.first + size_t(y + GHOSTS_Y) * patch.row + (x + NUM_GHOST);
}

__device__ __forceinline__ unsigned warp_number() { return (blockIdx.x * blockDim.x + threadIdx.x) / 32; }
__device__ __forceinline__ unsigned lane_number() { return threadIdx.x % 32; }

__device__ __forceinline__ int floor_divide(int a, int b)
{
    int quotient = a / b;
    return quotient - (a % b < 0);
}
