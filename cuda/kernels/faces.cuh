// faces.cuh: faces between two levels, counted along runs, and the map of those whose corrections the update keeps.

// Fine faces of a coarse one with this normal.
__device__ __forceinline__ int faces_of(const int* ratio, unsigned axis)
{
    int count = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) count *= axis == d ? 1 : ratio[d];
    return count;
}

// The first fine cell behind a coarse face: the cells behind it form a layer of one cell along its normal, on the side of the fine patch.
__device__ __forceinline__ Cell first_behind(const Cell& coarse, const int* ratio, unsigned axis, bool lower)
{
    Cell fine = first_fine(coarse, ratio);
    #pragma unroll
    for (int d = 0; d < DIM; d++) fine[d] += axis == d && lower ? ratio[d] - 1 : 0;
    return fine;
}

// Fine cell number `k` behind a coarse face, x fastest; `first`: number 0.
__device__ __forceinline__ Cell behind(Cell first, const int* ratio, unsigned axis, int k)
{
#if DIM == 3
    const int row = axis == X ? ratio[Y] : ratio[X], across = k / row, along = k - across * row;
    first[X] += axis == X ? 0 : along;
    first[Y] += axis == X ? along : axis == Y ? 0 : across;
    first[Z] += axis == Z ? 0 : across;
#else
    #pragma unroll
    for (int d = 0; d < DIM; d++) first[d] += axis == d ? 0 : k;
#endif
    return first;
}

// Number of the word in which the map has the face below a cell.
__device__ __forceinline__ unsigned map_word(const Patch& patch, unsigned axis, const Cell& cell)
{
    unsigned words = (patch.stride[1] + 31) / 32, row = 0, rows = 1;
    #pragma unroll
    for (int d = DIM - 1; d > 0; d--) {
        const unsigned extent = patch.size[d] + 2 * NUM_GHOST;
        row = row * extent + (cell[d] + NUM_GHOST);
        rows *= extent;
    }
    return patch.first_word + (axis * rows + row) * words + unsigned(cell[0] + NUM_GHOST) / 32;
}

// And its bit.
__device__ __forceinline__ unsigned map_bit(const Cell& cell) { return unsigned(cell[0] + NUM_GHOST) % 32; }
