// lattice.cuh: where the cells of a level lie: `riemann::lattice`, operation by operation.

// Never contracted with a sum, whatever the options are.
#ifdef __CUDACC__
__device__ __forceinline__ double product_alone(double a, double b) { return __dmul_rn(a, b); }
#else
inline double product_alone(double a, double b) { return a * b; }
#endif
__device__ __forceinline__ double position(double lower, double upper, double cells, double halves)
{
    const double all = cells + cells, sum = product_alone(lower, all - halves) + product_alone(upper, halves);
    return halves == 0.0 ? lower : halves == all ? upper : sum / all;
}
__device__ __forceinline__ double face_of(const Lattice& level, int axis, int cell)
{
    return position(level.lower[axis], level.upper[axis], level.cells[axis], 2.0 * double(cell));
}
__device__ __forceinline__ double centre_of(const Lattice& level, int axis, int cell)
{
    return position(level.lower[axis], level.upper[axis], level.cells[axis], 2.0 * double(cell) + 1.0);
}
