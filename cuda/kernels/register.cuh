// register.cuh: the flux through a face of the conservation fix. The update keeps only the second-order corrections of these faces; their
// Riemann problems are solved again here, where every face has a lane.

__device__ __forceinline__ State state_at(const RegisterArgs& args, const Patch& patch, const Cell& cell)
{
    const Real* values = args.view.q + place(patch, M, cell);
    State q;
    #pragma unroll
    for (int m = 0; m < M; m++) q[m] = values[size_t(m) * patch.component];
    return q;
}

__device__ __forceinline__ Aux aux_at(const RegisterArgs& args, const Patch& patch, const Cell& cell)
{
    Aux values;
    if constexpr (A > 0) {
        const Real* from = args.view.aux + place(patch, A, cell);
        #pragma unroll
        for (int a = 0; a < A; a++) values[a] = from[size_t(a) * patch.component];
    }
    return values;
}

// The cells around one of a patch.
struct PatchCells {
    const RegisterArgs& args;
    const Patch& patch;
    const Cell& cell;

    __device__ __forceinline__ Cell at(const Steps& steps) const
    {
        Cell there = cell;
        #pragma unroll
        for (int d = 0; d < DIM; d++) there[d] += steps[d];
        return there;
    }
    __device__ __forceinline__ State state(const Steps& steps) const { return state_at(args, patch, at(steps)); }
    __device__ __forceinline__ Aux aux(const Steps& steps) const { return aux_at(args, patch, at(steps)); }
};

// The flux through the face beside a cell, as seen from that cell, which lies on the face's `lower` side or on the upper one: the fluctuation that
// enters it, and the correction kept at place `kept`.
template <Axis AXIS> __device__ __forceinline__ State seen_flux(
    const Solver& solver, const RegisterArgs& args, const Patch& patch, bool lower, const Cell& cell, size_t kept)
{
    State flux;
    Cell below = cell;
    below[AXIS] -= !lower;
    const Cell above = next_along(below, AXIS);
    const Normal face = at_face(solver, AXIS, PatchCells{args, patch, above})
                            .normal(AXIS, state_at(args, patch, below), state_at(args, patch, above), aux_at(args, patch, below),
                                aux_at(args, patch, above));
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const Real correction = args.kept[size_t(m) * args.kept_stride + kept];
        flux[m] = lower ? face.amdq[m] + correction : correction - face.apdq[m];
    }
    return flux;
}

// Whether the sweep was along an axis.
__device__ __forceinline__ bool has_axis(unsigned axes, unsigned axis) { return axes >> axis & 1; }
