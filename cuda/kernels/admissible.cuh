// admissible.cuh: corrections of faces that would make a state inadmissible: riemann/src/patch/admissible.rs; and limited fluxes of what is
// kept from being negative: riemann/src/patch/nonnegative.rs.

constexpr bool LIMITS_FLUXES = Solver::KEPT != 0;

// What leaves a cell through its faces below and above.
__device__ __forceinline__ Real outward(Real below, Real above) { return real_max(-below, Real(0.0)) + real_max(above, Real(0.0)); }

// The state as it is judged: what is kept nonnegative otherwise counts as if it were so.
__device__ __forceinline__ State without_debts(State q)
{
#pragma unroll
    for (int m = 0; m < M; m++)
        if (is_kept(m)) q[m] = real_max(q[m], Real(0.0));
    return q;
}

// First-order fluxes through a face; of components that are not kept nonnegative nothing.
template <class S>
__device__ __forceinline__ State first_order_flux(
    const S& solver, Axis axis, const State& ql, const Aux& aux_l, const Aux& aux_r, const State& amdq)
{
    State first_order;
#pragma unroll
    for (int m = 0; m < M; m++) first_order[m] = Real(0.0);
    if constexpr (S::KEPT != 0) {
        const State flux = solver.flux_below(axis, ql, aux_l, aux_r);
#pragma unroll
        for (int m = 0; m < M; m++)
            if (is_kept(m)) first_order[m] = flux[m] + amdq[m];
    }
    return first_order;
}

// What a cell can give: see Supply of the CPU's update.
struct Supply {
    Real drained, share;

    __device__ __forceinline__ Supply(Real q, Real outflow, Real faces, Real width)
    {
        const Real one = Real(1.0), least = Real(sizeof(Real) == 8 ? 1e-15 : 5e-7);
        const Real held = real_max(q, Real(0.0));
        const Real part = real_max(held / outflow - one - least, -one);
        drained = outflow > held ? part : Real(0.0);
        share = real_max((held - outflow) * (one - least), Real(0.0)) * faces * width;
    }
};

// Limits the corrections of a face between two cells with what leaves them at first order. WIDTH: Δx/Δt.
template <int FACES> __device__ __forceinline__ void limit_fluxes(const State& below, const State& above, const State& outflow_below,
    const State& outflow_above, Real kappa_below, Real kappa_above, Real width, const State& first_order, State& correction)
{
#pragma unroll
    for (int m = 0; m < M; m++) {
        if (!is_kept(m)) continue;
        const Supply from_below(below[m], outflow_below[m], Real(1.0 / FACES), CAPACITY >= 0 ? width / kappa_below : width);
        const Supply from_above(above[m], outflow_above[m], Real(1.0 / FACES), CAPACITY >= 0 ? width / kappa_above : width);
        const Real bounded = real_max(real_min(correction[m], from_below.share), -from_above.share);
        correction[m] = add(bounded, multiply(first_order[m] > Real(0.0) ? from_below.drained : from_above.drained, first_order[m]));
    }
}

// Makes those of the new values that are kept nonnegative so to the bit, where they owe no more than before. Returns the part of the motion
// that stays.
__device__ __forceinline__ Real keep_nonnegative(const State& old, const State& outflow, State& q)
{
    Real part = Real(1.0);
#pragma unroll
    for (int m = 0; m < M; m++) {
        if (!is_kept(m)) continue;
        const Real held = real_max(old[m], Real(0.0));
        part = real_min(part, outflow[m] > held ? Real(0.0) : staying(held, q[m]));
        const Real least = real_min(old[m], Real(0.0));
        q[m] = q[m] < least ? least : q[m];
    }
    return part;
}

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
// the face and in both cells. FACES: among which a cell shares what it has. A function of its own: few steps call it, and its numbers must not take registers from those
// that do not.
template <Axis AXIS> __device__ __noinline__ void keep_admissible(const Solver& solver, const State& ql, const State& qr,
    const Aux& aux_l, const Aux& aux_r, Real kappa_l, Real kappa_r, Real dtdx, unsigned faces, State& correction)
{
    const Normal face = solver.normal(AXIS, ql, qr, aux_l, aux_r);
    const Real weight = Real(faces) * dtdx, weight_l = weight * kappa_l, weight_r = weight * kappa_r;
    State below = ql, above = qr;
#pragma unroll
    for (int m = 0; m < M; m++) {
        below[m] -= weight_l * (face.amdq[m] + correction[m]);
        above[m] -= weight_r * (face.apdq[m] - correction[m]);
    }
    below = without_debts(below);
    above = without_debts(above);
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

// Whether a new state is what the solver asks of a step: what must be positive is; and what must not be negative is not below round-off, unless
// corrections are left out and it was so before, because of another level. OLD gives the state before.
template <class Old>
__device__ __forceinline__ bool is_right(const Solver& solver, const State& q, const Aux& aux, bool keeps_admissible, Old old)
{
    bool right = true;
#if HAS_POSITIVE
    right = solver.least_positive(q, aux) > Real(0.0);
#endif
#if HAS_ADMISSIBLE
    if (Solver::FALLS_BACK) {
        const auto fits = [&](const State& state) { return solver.is_admissible(without_debts(state), aux, Real(LEAST_NONNEGATIVE)); };
        right = right && (fits(q) || (keeps_admissible && !fits(old())));
    }
#endif
    return right;
}
