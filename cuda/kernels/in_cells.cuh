// in_cells.cuh: a case's function in the cells of a patch.
// Defined before it: case_function.

// The point at which a cell's function is evaluated; the cell in the level's coordinates.
__device__ __forceinline__ Point point_of(const Lattice& level, double t, const Cell& cell)
{
    Point at{level, {0, 0, 0}, t};
    #pragma unroll
    for (int d = 0; d < DIM; d++) at.cell[d] = cell[d];
    return at;
}

// A cell's N values, which begin at `first` and are `component` numbers apart.
template <int N> __device__ __forceinline__ Array<double, N> values_at(const Real* array, size_t first, size_t component)
{
    const Value* numbers = reinterpret_cast<const Value*>(array);
    Array<double, N> values;
    #pragma unroll
    for (int n = 0; n < N; n++) values[n] = double(numbers[first + size_t(n) * component]);
    return values;
}
