// register.cuh: the flux through a face of the conservation fix. An update that finds these faces by a map keeps their
// second-order correction alone; their fluctuations are solved for again here, where every face has a lane.
// Option WHOLE_FLUXES: the update has a table of these faces, and keeps their fluxes.

__device__ __forceinline__ State state_at(const RegisterArgs& args, const Patch& patch, int x, int y)
{
    const Real* cell = args.q + place(patch, M, x, y);
    State q;
    #pragma unroll
    for (int m = 0; m < M; m++) q[m] = cell[size_t(m) * patch.component];
    return q;
}

__device__ __forceinline__ Aux aux_at(const RegisterArgs& args, const Patch& patch, int x, int y)
{
    Aux values;
    if constexpr (A > 0) {
        const Real* cell = args.aux + place(patch, A, x, y);
        #pragma unroll
        for (int a = 0; a < A; a++) values[a] = cell[size_t(a) * patch.component];
    }
    return values;
}

// What crosses the face beside cell (x, y), as that cell sees it, which lies on the run's coarse side: the fluctuation that
// runs into it, and the correction kept at `tap`.
template <Axis AXIS> __device__ __forceinline__ State seen_flux(
    const Solver& solver, const RegisterArgs& args, const Patch& patch, const FaceRun& run, int x, int y, size_t tap)
{
    State flux;
#if WHOLE_FLUXES
    #pragma unroll
    for (int m = 0; m < M; m++) flux[m] = args.taps[size_t(m) * args.tap_stride + tap];
#else
    const bool lower = run.coarse_side == Lower;
    const int below_x = x - (AXIS == X && !lower), below_y = y - (AXIS == Y && !lower);
    const int above_x = below_x + (AXIS == X), above_y = below_y + (AXIS == Y);
    const Normal face = solver.normal(AXIS, state_at(args, patch, below_x, below_y),
        state_at(args, patch, above_x, above_y), aux_at(args, patch, below_x, below_y), aux_at(args, patch, above_x, above_y));
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const Real correction = args.taps[size_t(m) * args.tap_stride + tap];
        flux[m] = lower ? face.amdq[m] + correction : correction - face.apdq[m];
    }
#endif
    return flux;
}
