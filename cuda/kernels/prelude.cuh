// prelude.cuh: what comes before a solver's text and before every kernel.
// Defined before it: Real; and, where there is a solver, NUM_EQUATIONS, NUM_WAVES, NUM_AUX.

// Not all versions of NVRTC have these; the newer ones check and compute more.
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_offsetof)
#define ASSERT_OFFSET(STRUCT, FIELD, BYTES) static_assert(__builtin_offsetof(STRUCT, FIELD) == BYTES, "layout")
#else
#define ASSERT_OFFSET(STRUCT, FIELD, BYTES)
#endif
#if __has_builtin(__builtin_constant_p)
#define KNOWN(condition) (__builtin_constant_p(condition) && (condition))
#else
#define KNOWN(condition) false
#endif

// Comes first in every kernel: lets the kernel behind this one start as soon as there is room.
__device__ __forceinline__ void start_next()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Waits for the kernel before, whose end a launch may not have waited for. Only tables and aux may be read before, which the host
// has sent or kernels have written behind which none is started ahead (`list_chunks`, `evaluate`, `continue_aux`); but no values. Values are never read by __ldg, which the compiler may move ahead of this.
__device__ __forceinline__ void await_previous()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class T, int N> struct Array {
    T v[N > 0 ? N : 1];
    __device__ __forceinline__ T& operator[](int i) { return v[i]; }
    __device__ __forceinline__ const T& operator[](int i) const { return v[i]; }
};

enum Axis { X, Y, Z };
enum Side { Lower, Upper };

// The functions of riemann::real::Real, with the same meaning where an argument is NaN.
// Where the slot lies of a face that a map marks, by number and bit of its word.
__device__ __forceinline__ unsigned place_of_face(const unsigned* words, const unsigned* bases, unsigned word, unsigned bit)
{
    return bases[word] + __popc(words[word] & ((1u << bit) - 1u));
}
template <class T> __device__ __forceinline__ T select(bool which, T yes, T no) { return which ? yes : no; }
__device__ __forceinline__ Real real_min(Real a, Real b) { return a < b ? a : b; }
__device__ __forceinline__ Real real_max(Real a, Real b) { return a > b ? a : b; }
__device__ __forceinline__ double real_abs(double a) { return fabs(a); }
__device__ __forceinline__ float real_abs(float a) { return fabsf(a); }
__device__ __forceinline__ double real_sqrt(double a) { return sqrt(a); }
__device__ __forceinline__ float real_sqrt(float a) { return sqrtf(a); }

// Quotients and roots. With FUSED from the device's approximations, in double refined to an error of a unit in the last place or two,
// without the branches that the rare rounding, the subnormal and the huge need: those keep the compiler from working on several
// quotients at once. Subnormal numbers count as zero.
#if FUSED
__device__ __forceinline__ double reciprocal(double a)
{
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    r = fma(r, fma(-a, r, 1.0), r);
    return fma(r, fma(-a, r, 1.0), r);
}
__device__ __forceinline__ float reciprocal(float a)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
// Of any number: 1/0 is an infinity, 1/∞ zero, as they should be.
__device__ __forceinline__ double safe_reciprocal(double a)
{
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    const double e = fma(-a, r, 1.0), refined = fma(r, fma(e, e, e), r);
    const unsigned exponent = unsigned(__double2hiint(r)) & 0x7ff00000u;
    return exponent - 1u < 0x7ff00000u - 1u ? refined : r;
}
__device__ __forceinline__ float safe_reciprocal(float a) { return reciprocal(a); }
__device__ __forceinline__ double root(double a)
{
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    const double s = a * r, e = fma(-s, r, 1.0);
    const double refined = fma(s * e, fma(0.375, e, 0.5), s);
    return a >= 0.0 && a < 1e-290 ? 0.0 : refined;
}
__device__ __forceinline__ float root(float a)
{
    float r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
#endif
__device__ __forceinline__ Real real_quotient(Real numerator, Real denominator)
{
#if FUSED
    return numerator * safe_reciprocal(denominator);
#else
    return numerator / denominator;
#endif
}
__device__ __forceinline__ Real real_root(Real a)
{
#if FUSED
    return root(a);
#else
    return real_sqrt(a);
#endif
}

#ifdef NUM_EQUATIONS
constexpr int M = NUM_EQUATIONS, W = NUM_WAVES, A = NUM_AUX;
typedef Array<Real, M> State;
typedef Array<Real, A> Aux;

struct Normal {
    Array<State, W> waves;
    Array<Real, W> speeds;
    State amdq, apdq;
};
struct Transverse {
    State bmasdq, bpasdq;
};
struct TransverseAux {
    Aux below, here, above;
};
#endif
