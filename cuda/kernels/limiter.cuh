// limiter.cuh: the limited second-order correction of a face, operation by operation that of riemann/src/patch/correction.rs.
// Defined before it: LIMITERS, one number per wave as in riemann::limiter::Limiter; FWAVES; FUSED.

constexpr int limiters[] = {LIMITERS};

// Sums and products without terms that the compiler knows to be zero: components that a solver's waves never touch. In IEEE arithmetic that
// is not exact (0 · ∞, −0 + 0), so without FUSED they are plain.
__device__ __forceinline__ bool known_zero(Real a) { return FUSED && KNOWN(a == Real(0.0)); }
__device__ __forceinline__ Real add(Real a, Real b) { return known_zero(a) ? b : known_zero(b) ? a : a + b; }
__device__ __forceinline__ Real subtract(Real a, Real b) { return known_zero(b) ? a : known_zero(a) ? -b : a - b; }
__device__ __forceinline__ Real multiply(Real a, Real b) { return known_zero(a) || known_zero(b) ? Real(0.0) : a * b; }

// a[0] b[0] + a[1] b[1] + …, in this order.
__device__ __forceinline__ Real dot(const State& a, const State& b)
{
    Real sum = multiply(a[0], b[0]);
#pragma unroll
    for (int m = 1; m < M; m++) sum = add(sum, multiply(a[m], b[m]));
    return sum;
}

__device__ __forceinline__ Array<Real, W> dots(const Array<State, W>& a, const Array<State, W>& b)
{
    Array<Real, W> sums;
#pragma unroll
    for (int w = 0; w < W; w++) sums[w] = dot(a[w], b[w]);
    return sums;
}

// Numerator / denominator, the denominator positive.
__device__ __forceinline__ Real quotient(Real numerator, Real denominator)
{
#if FUSED
    return numerator * reciprocal(denominator);
#else
    return numerator / denominator;
#endif
}

// Squares of waves up to this count as zero, since the approximate reciprocal treats subnormal numbers as zero.
constexpr Real SMALLEST = Real(FUSED ? (sizeof(Real) == 8 ? 1e-290 : 1e-36) : 0.0);

__device__ __forceinline__ Real nonzero(Real n) { return n > SMALLEST ? n : Real(1.0); }

// φ(d / n) of the limiter with number KIND.
__device__ __forceinline__ Real phi(int kind, Real d, Real n)
{
    const Real zero = Real(0.0), one = Real(1.0), two = Real(2.0);
    switch (kind) {
    case 0: return one;
    case 1: return quotient(real_max(real_min(d, n), zero), nonzero(n));
    case 2: {
        const Real steep = real_min(two * d, n), flat = real_min(d, two * n);
        return quotient(real_max(real_max(steep, flat), zero), nonzero(n));
    }
    case 3: {
        const bool aligned = d > SMALLEST;
        return quotient(aligned ? two * d : zero, aligned ? n + d : one);
    }
    default: {
        const Real central = Real(0.5) * (n + d);
        return quotient(real_max(real_min(central, real_min(two * n, two * d)), zero), nonzero(n));
    }
    }
}

// ½ Σ |s| (1 − |s| Δt/κΔx) φ 𝒲; for f-waves sgn(s) in place of the first |s|. DOT_BELOW, DOT_ABOVE: the waves times
// those of the neighbouring faces.
__device__ __forceinline__ State limited_correction(const Array<State, W>& waves, const Array<Real, W>& speeds,
    const Array<Real, W>& dot_below, const Array<Real, W>& dot_above, Real dtdx)
{
    const Real zero = Real(0.0), half = Real(0.5), one = Real(1.0);
    State correction;
#pragma unroll
    for (int w = 0; w < W; w++) {
        const Real speed = speeds[w];
        const bool rightward = speed > zero;
        const Real size = real_abs(speed);
        const Real lead = FWAVES ? (rightward ? one : speed < zero ? -one : zero) : size;
        const Real limited = phi(limiters[w], rightward ? dot_below[w] : dot_above[w], dot(waves[w], waves[w]));
        const Real factor = half * lead * (one - size * dtdx) * limited;
#pragma unroll
        for (int m = 0; m < M; m++) {
            correction[m] = add(w > 0 ? correction[m] : zero, multiply(factor, waves[w][m]));
        }
    }
    return correction;
}
