// boxes.cuh: boxes of cells, half open.

typedef unsigned long long Word;

constexpr unsigned ALL = 0xffffffffu;

__device__ __forceinline__ bool is_empty(const CellBox& box)
{
    bool empty = false;
    #pragma unroll
    for (int d = 0; d < DIM; d++) empty = empty || box.lo[d] >= box.hi[d];
    return empty;
}

__device__ __forceinline__ Word volume(const CellBox& box)
{
    Word cells = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cells *= Word(max(box.hi[d] - box.lo[d], 0));
    return cells;
}

__device__ __forceinline__ CellBox intersection(const CellBox& a, const CellBox& b)
{
    CellBox both = a;
    #pragma unroll
    for (int d = 0; d < DIM; d++) both.lo[d] = max(a.lo[d], b.lo[d]), both.hi[d] = min(a.hi[d], b.hi[d]);
    return both;
}

// The smallest box that holds both, neither of which is empty.
__device__ __forceinline__ CellBox joined(const CellBox& a, const CellBox& b)
{
    CellBox hull = a;
    #pragma unroll
    for (int d = 0; d < DIM; d++) hull.lo[d] = min(a.lo[d], b.lo[d]), hull.hi[d] = max(a.hi[d], b.hi[d]);
    return hull;
}

__device__ __forceinline__ CellBox grown(CellBox box, int by)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++) box.lo[d] -= by, box.hi[d] += by;
    return box;
}

__device__ __forceinline__ CellBox shifted_back(CellBox box, const Cell& by)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++) box.lo[d] -= by[d], box.hi[d] -= by[d];
    return box;
}

// The cells of the coarser level that a box touches.
__device__ __forceinline__ CellBox coarse_from_fine(CellBox box, const int* ratio)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++)
        box.lo[d] = floor_divide(box.lo[d], ratio[d]), box.hi[d] = floor_divide(box.hi[d] + ratio[d] - 1, ratio[d]);
    return box;
}

__device__ __forceinline__ CellBox fine_from_coarse(CellBox box, const int* ratio)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++) box.lo[d] *= ratio[d], box.hi[d] *= ratio[d];
    return box;
}

// The part of a box before, and not before, a cell of an axis.
__device__ __forceinline__ CellBox half(CellBox box, int axis, int at, bool upper)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        if (d == axis && upper) box.lo[d] = at;
        if (d == axis && !upper) box.hi[d] = at;
    }
    return box;
}

// The periods of a domain that a region reaches; one where it has sides. The domain begins at cell 0.
struct Periods {
    int first[DIM], turns[DIM], count;

    __device__ __forceinline__ Periods(const CellBox& domain, const unsigned* periodic, const CellBox& region) : count(1)
    {
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            first[d] = periodic[d] ? floor_divide(region.lo[d], domain.hi[d]) : 0;
            turns[d] = periodic[d] ? floor_divide(region.hi[d] - 1, domain.hi[d]) + 1 - first[d] : 1;
            count *= turns[d];
        }
    }

    // How far one of them lies from the domain.
    __device__ __forceinline__ Cell shift(const CellBox& domain, int number) const
    {
        Cell shift = cell_of_number(turns, number);
        #pragma unroll
        for (int d = 0; d < DIM; d++) shift[d] = (first[d] + shift[d]) * domain.hi[d];
        return shift;
    }
};
