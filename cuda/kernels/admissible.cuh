// admissible.cuh: corrections of faces that would make a state inadmissible: riemann/src/patch/admissible.rs.

#if HAS_ADMISSIBLE
// The largest speed of the waves at a face, either way.
__device__ __forceinline__ Real fastest(const Normal& face)
{
    Real largest = Real(0.0);
#pragma unroll
    for (int w = 0; w < W; w++) largest = real_max(largest, real_abs(face.speeds[w]));
    return largest;
}

// The same of the waves in a cell: those between it and another like it. A function of its own, for it is needed four times.
__device__ __noinline__ Real fastest_in(const Solver& solver, Axis axis, const State& q, const Aux& aux_l, const Aux& aux_r)
{
    return fastest(solver.normal(axis, q, q, aux_l, aux_r));
}

// Makes the correction of a face with normal AXIS zero if a partial state beside it would not be admissible, or its waves much faster than at
// the face and in both cells. FACES: of a cell. A function of its own: few steps call it, and its numbers must not take registers from those
// that do not.
template <Axis AXIS, int FACES> __device__ __noinline__ void keep_admissible(const Solver& solver, const State& ql, const State& qr,
    const Aux& aux_l, const Aux& aux_r, Real kappa_l, Real kappa_r, Real dtdx, State& correction)
{
    const Normal face = solver.normal(AXIS, ql, qr, aux_l, aux_r);
    const Real weight = Real(FACES) * dtdx, weight_l = weight * kappa_l, weight_r = weight * kappa_r;
    State below = ql, above = qr;
#pragma unroll
    for (int m = 0; m < M; m++) {
        below[m] -= weight_l * (face.amdq[m] + correction[m]);
        above[m] -= weight_r * (face.apdq[m] - correction[m]);
    }
    bool kept = solver.is_admissible(below, aux_l, Real(0.0)) && solver.is_admissible(above, aux_r, Real(0.0));
    if (kept) {
        const auto in_cell = [&](const State& q) { return fastest_in(solver, AXIS, q, aux_l, aux_r); };
        const Real before = real_max(real_max(fastest(face), in_cell(ql)), in_cell(qr));
        kept = real_max(in_cell(below), in_cell(above)) <= Real(MOST_SPEED_UP) * before;
    }
#pragma unroll
    for (int m = 0; m < M; m++) correction[m] = kept ? correction[m] : Real(0.0);
}
#endif

// Whether a new state is what the solver asks of a step: what must be positive is; and, as long as corrections are not left out, what must not
// be negative is not below round-off.
__device__ __forceinline__ bool is_right(const Solver& solver, const State& q, const Aux& aux, bool keeps_admissible)
{
    bool right = true;
#if HAS_POSITIVE
    right = solver.least_positive(q, aux) > Real(0.0);
#endif
#if HAS_ADMISSIBLE
    if (!keeps_admissible) right = right && solver.is_admissible(q, aux, Real(LEAST_NONNEGATIVE));
#endif
    return right;
}
