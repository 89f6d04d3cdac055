// prelude.cuh: definitions before a solver's text and before every kernel.
// Defined before it: Real; and, where there is a solver, NUM_EQUATIONS, NUM_WAVES, NUM_AUX.

// Not all versions of NVRTC have these built-ins; newer versions check and evaluate more with them.
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_offsetof)
#define ASSERT_OFFSET(STRUCT, FIELD, BYTES) static_assert(__builtin_offsetof(STRUCT, FIELD) == BYTES, "layout")
#else
#define ASSERT_OFFSET(STRUCT, FIELD, BYTES)
#endif
// Where the compiler is the host's.
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#if __has_builtin(__builtin_constant_p)
#define KNOWN(condition) (__builtin_constant_p(condition) && (condition))
#else
#define KNOWN(condition) false
#endif

// The first call of every kernel: lets the next kernel start as soon as there is room.
__device__ __forceinline__ void start_next()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Waits for the end of the kernel before, since a kernel may be launched before that one has ended. Before this call only tables and aux may
// be read: the host has sent them, or kernels have written them (`list_chunks`, `evaluate`, `continue_aux`) behind which no kernel starts
// early. Values must not be read before it, and never by __ldg, which the compiler may move ahead of this call.
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

// The largest of a number over a warp's lanes; NaN is passed over.
template <class T> __device__ __forceinline__ T largest_of_warp(T most)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const T other = __shfl_xor_sync(0xffffffffu, most, distance);
        most = other > most ? other : most;
    }
    return most;
}

// Raises a word to another. Atomic operations on one word are serialised: most warps find nothing larger than is known.
template <class Word> __device__ __forceinline__ void raise_word(Word* known, Word word)
{
    if (word > *(volatile const Word*)known) atomicMax(known, word);
}

__device__ __forceinline__ Real real_min(Real a, Real b) { return a < b ? a : b; }
__device__ __forceinline__ Real real_max(Real a, Real b) { return a > b ? a : b; }
__device__ __forceinline__ double real_abs(double a) { return fabs(a); }
__device__ __forceinline__ float real_abs(float a) { return fabsf(a); }
__device__ __forceinline__ double real_sqrt(double a) { return sqrt(a); }
__device__ __forceinline__ float real_sqrt(float a) { return sqrtf(a); }

// Quotients and roots. With FUSED from the device's approximations, in double precision refined to an error of one or two units in the last
// place. Branches for rare roundings, subnormal and huge numbers are left out: they would keep the compiler from overlapping several
// quotients. Subnormal numbers count as zero.
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
// For any number: 1/0 is an infinity, 1/∞ is zero.
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
