// settled.cuh: states that take the place of new ones: riemann/src/patch/settled.rs.

// Whether component m is kept nonnegative.
__device__ __forceinline__ constexpr bool is_kept(int m) { return Solver::KEPT >> m & 1; }

// The part of its motion that stays in a cell that has LEFT of what it HELD.
__device__ __forceinline__ Real staying(Real held, Real left)
{
    const Real enough = Real(0.5) * held;
    return left < enough ? real_max(left / enough, Real(0.0)) : Real(1.0);
}

// The square of all that `still` lacks.
__device__ __forceinline__ Real square_of_motion(const State& moving, const State& still)
{
    Real square = Real(0.0);
#pragma unroll
    for (int m = 0; m < M; m++) {
        const Real momentum = moving[m] - still[m];
        square = square + momentum * momentum;
    }
    return square;
}

// What a cell holds of the quantities that are kept nonnegative.
__device__ __forceinline__ Real held_of(const State& q)
{
    Real held = Real(0.0);
#pragma unroll
    for (int m = 0; m < M; m++)
        if (is_kept(m)) held = held + real_max(q[m], Real(0.0));
    return held;
}

// How wide a cell is across its longest face, in terms of the mesh's: in the plane the frames' lengths lie before its size.
template <class S> __device__ __forceinline__ Real width_of(const Aux& aux)
{
    if constexpr (S::IN_FRAMES) return aux[A - 1] / real_max(aux[A - 5], aux[A - 2]);
    else return Real(1.0);
}

// The state that takes the place of a new one of which a part of the motion stays; it is no faster than the one before, or than is free,
// if that is not 0.
template <class S> __device__ __forceinline__ State settled(
    const S& solver, const State& q, const Aux& aux, Real part, const State& before, Real free)
{
    if constexpr (S::SETTLES) {
        State moving = solver.settle(q, aux, false);
        const State still = solver.settle(q, aux, true);
        if (free > Real(0.0)) {
            free = free * width_of<S>(aux);
            const Real square = square_of_motion(moving, still), held = held_of(q), bound = free * held;
            if (square > bound * bound) {
                const Real held_before = held_of(before);
                const Real motion = real_sqrt(square_of_motion(solver.settle(before, aux, false), solver.settle(before, aux, true)));
                const Real was = held_before > Real(0.0) ? motion / held_before : Real(0.0);
                part = real_min(part, real_max(free, was) * held / real_sqrt(square));
            }
        }
        if (!(part < Real(1.0))) return moving;
#pragma unroll
        for (int m = 0; m < M; m++) moving[m] = still[m] + part * (moving[m] - still[m]);
        return moving;
    } else return q;
}
