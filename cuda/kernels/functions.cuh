// functions.cuh: arguments of functions of a case, and the operations of their formulas. They compute in double, whatever the arrays hold.
// Defined before it: VALUE, the type of these numbers; Real is double.

typedef VALUE Value;

// The distance of a place from the origin.
template <class Where> __device__ __forceinline__ double radius_of(const Where& at)
{
    double sum = product_alone(at.centre(0), at.centre(0));
    #pragma unroll
    for (int d = 1; d < DIM; d++) sum += product_alone(at.centre(d), at.centre(d));
    return sqrt(sum);
}

// A cell of a level.
struct Point {
    const Lattice& level;
    int cell[3];
    double t;
    double duration; // of a step of a source that is integrated by formulas

    __device__ __forceinline__ double centre(int d) const
    {
#if ON_MESH
        return level.centroids[size_t(d) * size_t(level.cells[0]) + cell[0]];
#else
        return centre_of(level, d, cell[d]);
#endif
    }
    __device__ __forceinline__ double lower(int d) const { return face_of(level, d, cell[d]); }
    __device__ __forceinline__ double upper(int d) const { return face_of(level, d, cell[d] + 1); }
    __device__ __forceinline__ double radius() const { return radius_of(*this); }
};

// A place that is no cell's centre, for the mapping of a mesh, or beyond the sides of a mesh from a file.
struct Spotted {
    double x[3], t;

    __device__ __forceinline__ double centre(int d) const { return x[d]; }
    __device__ __forceinline__ double radius() const { return radius_of(*this); }
};

// Operations of formulas. Truth is 1 or 0; what is not 0 is true.
__device__ __forceinline__ double formula_truth(bool holds) { return holds ? 1.0 : 0.0; }
__device__ __forceinline__ double formula_less(double a, double b) { return formula_truth(a < b); }
__device__ __forceinline__ double formula_less_equal(double a, double b) { return formula_truth(a <= b); }
__device__ __forceinline__ double formula_greater(double a, double b) { return formula_truth(a > b); }
__device__ __forceinline__ double formula_greater_equal(double a, double b) { return formula_truth(a >= b); }
__device__ __forceinline__ double formula_equal(double a, double b) { return formula_truth(a == b); }
__device__ __forceinline__ double formula_not_equal(double a, double b) { return formula_truth(a != b); }
__device__ __forceinline__ double formula_and(double a, double b) { return formula_truth(a != 0.0 && b != 0.0); }
__device__ __forceinline__ double formula_or(double a, double b) { return formula_truth(a != 0.0 || b != 0.0); }
__device__ __forceinline__ double formula_not(double a) { return formula_truth(a == 0.0); }
__device__ __forceinline__ double formula_select(double a, double b, double c) { return a != 0.0 ? b : c; }
__device__ __forceinline__ double formula_sqrt(double a) { return sqrt(a); }
__device__ __forceinline__ double formula_abs(double a) { return fabs(a); }
__device__ __forceinline__ double formula_min(double a, double b) { return a < b || a != a ? a : b; }
__device__ __forceinline__ double formula_max(double a, double b) { return a > b || a != a ? a : b; }
__device__ __forceinline__ double formula_floor(double a) { return floor(a); }
__device__ __forceinline__ double formula_ceil(double a) { return ceil(a); }
__device__ __forceinline__ double formula_sign(double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a; }
__device__ __forceinline__ double formula_heaviside(double a) { return formula_truth(a >= 0.0); }
__device__ __forceinline__ double formula_mod(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}
