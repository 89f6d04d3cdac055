// formulas.cuh: operations of formulas, in double. Truth is 1 or 0; what is not 0 is true.

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
