// settled.cuh: states that take the place of new ones: riemann/src/patch/settled.rs.

// Whether component m is kept nonnegative.
__device__ __forceinline__ constexpr bool is_kept(int m) { return Solver::KEPT >> m & 1; }

// The part of its motion that stays in a cell that has LEFT of what it HELD.
__device__ __forceinline__ Real staying(Real held, Real left)
{
    const Real enough = Real(0.5) * held;
    return left < enough ? real_max(left / enough, Real(0.0)) : Real(1.0);
}

// The state that takes the place of a new one of which a part of the motion stays.
template <class S> __device__ __forceinline__ State settled(const S& solver, const State& q, const Aux& aux, Real part)
{
    if constexpr (S::SETTLES) {
        State moving = solver.settle(q, aux, false);
        if (!(part < Real(1.0))) return moving;
        const State still = solver.settle(q, aux, true);
#pragma unroll
        for (int m = 0; m < M; m++) moving[m] = still[m] + part * (moving[m] - still[m]);
        return moving;
    } else return q;
}
