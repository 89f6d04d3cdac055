// found.cuh: what an update finds in its cells and faces, and how it enters the patch's report.

constexpr unsigned ALL_LANES = 0xffffffffu;

// The bits of the exponent: they are largest for NaN and infinity.
__device__ __forceinline__ int exponent_bits(double v) { return __double2hiint(v) & 0x7fffffff; }
__device__ __forceinline__ int exponent_bits(float v) { return __float_as_int(v) & 0x7fffffff; }
constexpr int NOT_FINITE = sizeof(Real) == 8 ? 0x7ff00000 : 0x7f800000;

// The largest Courant number of a lane, and whether the values that it has written are finite, and positive where they must be.
struct Found {
    Real courant;
    int exponents;

    // KAPPA_BELOW, KAPPA_ABOVE: 1/κ on the two sides; a wave is scaled by that of the cell that it enters.
    __device__ __forceinline__ void speeds(const Array<Real, W>& s, Real kappa_below, Real kappa_above, Real dtdx, bool counts)
    {
        Real largest = Real(0.0);
#pragma unroll
        for (int w = 0; w < W; w++) largest = real_max(real_max(s[w] * kappa_above, -s[w] * kappa_below), largest);
        courant = real_max(courant, counts ? largest * dtdx : Real(0.0));
    }

    // Adds the results of all lanes of a warp to the report.
    __device__ __forceinline__ void report(PatchReport& report) const
    {
        const double largest = largest_of_warp(double(courant));
        const int exponent = largest_of_warp(exponents);
        if (threadIdx.x % 32 == 0) {
            atomicMax(&report.courant, (unsigned long long)__double_as_longlong(largest));
            if (exponent >= NOT_FINITE) atomicOr(&report.not_finite, 1u);
        }
    }
};
