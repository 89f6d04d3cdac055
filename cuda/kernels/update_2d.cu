// update_2d.cu: the wave-propagation update of patches in planes, unsplit or one sweep of a split scheme, in space too:
// riemann/src/patch/update.rs.
// Map     one warp per tile of a plane, marched up its rows: up to 32 columns, of which MARGIN on both sides only serve the others;
//         of a tile of few columns it takes several parts, one above the other, side by side
// x       neighbours are lanes of the warp: shuffles
// y       neighbours are rows before: registers
// z       in a sweep along it as y: planes are then those of x and z, whose rows follow one another along z
// Bytes   q read once (and 2 MARGIN/COLUMNS and 4/rows at the edges), written once; aux from the first-level cache
// Order   that of the CPU, operation by operation; largest Courant numbers by atomicMax of bits, whose order does not matter
// Options ORDER, TRANSVERSE, ALONG, SWEEP_X, SWEEP_ROWS, LIMITERS, CAPACITY, KEEPS_FACES, FUSED, WARPS: each costs only where it is used

// Rows of which the march is made: with the code of the fallback in each, two do not fit in the instruction cache.
constexpr int ROWS_AT_ONCE = Solver::FALLS_BACK || LIMITS_FLUXES ? 1 : 2;

// Faces of a cell that are swept together.
constexpr int FACES = SWEEP_X && SWEEP_ROWS ? 4 : 2;

// The four transverse parts of a face: of the lower-going fluctuation down and up, then of the upper-going one.
struct Parts {
    Transverse lower, upper;
};

__device__ __forceinline__ Parts split_transversely(const Solver& solver, const Lane& at, Axis axis, int i_lower, int k_lower,
    int i_upper, int k_upper, const State& ql, const State& qr, State lower, State upper, const State& correction)
{
    if constexpr (TRANSVERSE == 2 && (ORDER == 2 || !FUSED)) {
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real whole = add(correction[m], correction[m]);
            lower[m] = add(lower[m], whole);
            upper[m] = subtract(upper[m], whole);
        }
    }
    const TransverseAux aux_lower = at.transverse_aux(axis, i_lower, k_lower);
    const TransverseAux aux_upper = at.transverse_aux(axis, i_upper, k_upper);
    const Axis across = axis == X ? Y : X;
    const State mean = solver.mean_state(ql, qr);
    return Parts{solver.transverse(axis, across, Lower, ql, qr, mean, aux_lower, lower),
                 solver.transverse(axis, across, Upper, ql, qr, mean, aux_upper, upper)};
}

// What the x-faces of a row contribute: see XRow of the CPU's update.
struct XRow {
    State fluctuations, correction, down, up;
    // Of what is kept nonnegative: the flux through the left face, and what leaves the cell through both.
    State first_order, outflow;
};

__device__ __forceinline__ XRow solve_row(const Solver& solver, const Lane& at, int k, const State& q, Real kappa, Real dtdx,
    bool counts, Found& found)
{
    XRow row;
    const State ql = from_left(q);
    const Normal face = at_face(solver, X, LaneCells{at, k}).normal(X, ql, q, at.aux(-1, k), at.aux(0, k));
    const Real kappa_left = CAPACITY >= 0 ? from_left(kappa) : Real(1.0);
    found.speeds(face.speeds, kappa_left, kappa, dtdx, counts && at.place >= MARGIN && at.place - MARGIN <= at.tile.size[X]);
    if constexpr (ORDER == 2) {
        const Array<Real, W> dot_right = dots(face.waves, from_right(face.waves));
        const Real mean = Real(0.5) * (kappa_left + kappa);
        row.correction = limited_correction(face.waves, face.speeds, from_left(dot_right), dot_right, dtdx * mean);
    } else {
#pragma unroll
        for (int m = 0; m < M; m++) row.correction[m] = Real(0.0);
    }
#if HAS_ADMISSIBLE
    if constexpr (Solver::FALLS_BACK && !SPLIT_WAVES && ORDER == 2) {
        if (at.args.sharing_faces)
            keep_admissible<X>(at_face(solver, X, LaneCells{at, k}), ql, q, at.aux(-1, k), at.aux(0, k), kappa_left, kappa,
                dtdx, at.args.sharing_faces, row.correction);
    }
#endif
    if constexpr (LIMITS_FLUXES) {
        row.first_order = first_order_flux(solver, X, ql, at.aux(-1, k), at.aux(0, k), face.amdq);
#pragma unroll
        for (int m = 0; m < M; m++)
            if (is_kept(m)) row.outflow[m] = outward(row.first_order[m], from_right(row.first_order[m])) * (dtdx * kappa);
    }
    const State amdq_right = from_right(face.amdq);
#pragma unroll
    for (int m = 0; m < M; m++) row.fluctuations[m] = add(face.apdq[m], amdq_right[m]);
    if constexpr (SPLIT_WAVES) {
        const Parts parts = split_transversely(solver, at, X, -1, k, 0, k, ql, q, face.amdq, face.apdq, row.correction);
        const State down_right = from_right(parts.lower.bmasdq), up_right = from_right(parts.lower.bpasdq);
#pragma unroll
        for (int m = 0; m < M; m++) {
            row.down[m] = add(parts.upper.bmasdq[m], down_right[m]);
            row.up[m] = add(parts.upper.bpasdq[m], up_right[m]);
        }
    }
    return row;
}

// What is kept nonnegative of the lane to the left.
__device__ __forceinline__ State kept_from_left(const State& a)
{
    State b = a;
#pragma unroll
    for (int m = 0; m < M; m++)
        if (is_kept(m)) b[m] = from_left(a[m]);
    return b;
}

// Limits the corrections of the left faces of cells with the state q.
__device__ __forceinline__ void limit_row(const State& q, const State& outflow, Real kappa, Real dtdx, const State& first_order, State& f)
{
    const Real kappa_left = CAPACITY >= 0 ? from_left(kappa) : Real(1.0);
    limit_fluxes<FACES>(kept_from_left(q), q, kept_from_left(outflow), outflow, kappa_left, kappa, Real(1.0) / dtdx, first_order, f);
}

// Writes row k's new state, and records whether it is finite and positive where it must be.
__device__ __forceinline__ void write(const Solver& solver, const Lane& at, int k, const State& before, const State& q, Real part, Found& found)
{
    if (!at.inside) return;
    Real* cell = at.args.q_next + at.first_state + at.offset(k);
    const State in_order = settled(solver, q, at.aux(0, k), part, before, LIMITS_FLUXES ? Real(at.args.free) : Real(0.0));
#pragma unroll
    for (int m = 0; m < M; m++) {
        cell[(long long)m * at.patch.component] = in_order[m];
        found.exponents = max(found.exponents, exponent_bits(q[m]));
    }
#if HAS_ADMISSIBLE
    if (!is_right(solver, q, at.aux(0, k), at.args.sharing_faces, [&] { return at.state(k); })) found.exponents = NOT_FINITE;
#endif
}

// The rows that a march begins with, loaded before anything else.
struct March {
    RowsAhead rows;
    State below, here;

    __device__ __forceinline__ March(const Lane& at, Real* shared) : rows(at, shared)
    {
        const int first = at.first_row();
#pragma unroll
        for (int k = 0; k < ROWS_AHEAD; k++) rows.ask(at, first + k);
        below = at.state(first - 2);
        here = at.state(first - 1);
    }
};

// Columns and rows together, or rows (y, or z in its place) alone.
__device__ __forceinline__ void march(
    const Solver& solver, const Lane& at, const March& start, KeptFaces& kept, Found& found)
{
    const Real half = Real(0.5), dtdx = Real(at.args.dt_over_dx[X]), dtdy = Real(at.args.dt_over_dx[ROWS]);
    const int first = at.first_row(), last = at.end_row();

    // Row k − 1: its state, and what has been computed for it so far. Face k − 1 between rows k − 2 and k − 1.
    State q_below = start.below, q_here = start.here;
    Real kappa_below = Real(1.0);
    XRow x_below;
    State left, right, g_below, bpdq_below, outflow_below;
    // Face k.
    Normal here = at_face(solver, ROWS, LaneCells{at, first - 1})
                      .normal(ROWS, q_below, q_here, at.aux(0, first - 2), at.aux(0, first - 1));
    State first_order = first_order_flux(solver, ROWS, q_below, at.aux(0, first - 2), at.aux(0, first - 1), here.amdq);
    Array<Real, W> dot_below;
#pragma unroll
    for (int m = 0; m < M; m++) {
        outflow_below[m] = x_below.first_order[m] = Real(0.0);
        x_below.fluctuations[m] = x_below.correction[m] = x_below.up[m] = Real(0.0);
        left[m] = right[m] = g_below[m] = bpdq_below[m] = Real(0.0);
    }
#pragma unroll
    for (int w = 0; w < W; w++) dot_below[w] = Real(0.0);

#pragma unroll ROWS_AT_ONCE
    for (int k = first - 1; k <= last; k++) {
        if constexpr (KEEPS_FACES > 0) kept.expect(at, k);
        start.rows.ask(at, k + 1 + ROWS_AHEAD);
        const State q_above = start.rows.take(k + 1);
        const Real kappa_here = at.inverse_capacity(k);
        // 1. Solve faces k + 1.
        const Normal above =
            at_face(solver, ROWS, LaneCells{at, k + 1}).normal(ROWS, q_here, q_above, at.aux(0, k), at.aux(0, k + 1));
        const Array<Real, W> dot_above = dots(here.waves, above.waves);
        // 2. Solve and limit the x-faces of row k.
        XRow x_here;
        if constexpr (SWEEP_X) x_here = solve_row(solver, at, k, q_here, kappa_here, dtdx, first <= k && k < last, found);
        // 3. Limit and split faces k; finish the corrections around row k − 1.
        found.speeds(here.speeds, kappa_below, kappa_here, dtdy, k >= first && at.inside);
        State g, f;
#pragma unroll
        for (int m = 0; m < M; m++) g[m] = Real(0.0), f[m] = x_below.correction[m];
        if constexpr (ORDER == 2) {
            const Real mean = dtdy * (half * (kappa_below + kappa_here));
            g = limited_correction(here.waves, here.speeds, dot_below, dot_above, mean);
        }
        if constexpr (SPLIT_WAVES) {
            const Parts parts =
                split_transversely(solver, at, Y, 0, k - 1, 0, k, q_below, q_here, here.amdq, here.apdq, g);
            const Real from_above = half * dtdx * kappa_here, from_below = half * dtdx * kappa_below;
            const Real sent = half * dtdy * kappa_below;
#pragma unroll
            for (int m = 0; m < M; m++) {
                left[m] = multiply(sent, add(left[m], parts.lower.bmasdq[m]));
                right[m] = multiply(sent, add(right[m], parts.lower.bpasdq[m]));
                g[m] = subtract(g[m], add(multiply(from_above, x_here.down[m]), multiply(from_below, x_below.up[m])));
                f[m] = subtract(f[m], add(left[m], from_left(right[m])));
                left[m] = parts.upper.bmasdq[m];
                right[m] = parts.upper.bpasdq[m];
            }
        }
#if HAS_ADMISSIBLE
        if (Solver::FALLS_BACK && at.args.sharing_faces) {
            const Aux aux_below = at.aux(0, k - 1);
            keep_admissible<ROWS>(at_face(solver, ROWS, LaneCells{at, k}), q_below, q_here, aux_below, at.aux(0, k),
                kappa_below, kappa_here, dtdy, at.args.sharing_faces, g);
            if constexpr (SPLIT_WAVES)
                keep_admissible<X>(at_face(solver, X, LaneCells{at, k - 1}), from_left(q_below), q_below,
                    at.aux(-1, k - 1), aux_below,
                    from_left(kappa_below), kappa_below, dtdx, at.args.sharing_faces, f);
        }
#endif
        State outflow_above = outflow_below;
        if constexpr (LIMITS_FLUXES) {
            const State first_order_above = first_order_flux(solver, ROWS, q_here, at.aux(0, k), at.aux(0, k + 1), above.amdq);
            State outflow_here = outflow_below;
#pragma unroll
            for (int m = 0; m < M; m++) {
                if (!is_kept(m)) continue;
                const Real along = outward(first_order[m], first_order_above[m]) * (dtdy * kappa_here);
                outflow_here[m] = (SWEEP_X ? x_here.outflow[m] : Real(0.0)) + along;
            }
            limit_fluxes<FACES>(q_below, q_here, outflow_below, outflow_here, kappa_below, kappa_here, Real(1.0) / dtdy, first_order, g);
            if constexpr (SWEEP_X) limit_row(q_below, outflow_below, kappa_below, dtdx, x_below.first_order, f);
            first_order = first_order_above;
            outflow_above = outflow_here;
        }
        // 4. Row k − 1 is complete.
        State q = q_below;
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real y_part = add(add(bpdq_below[m], here.amdq[m]), subtract(g[m], g_below[m]));
            Real part = Real(0.0);
            if constexpr (SWEEP_X) {
                const Real x_part = add(x_below.fluctuations[m], subtract(from_right(f[m]), f[m]));
                part = multiply(dtdx * kappa_below, x_part);
            }
            q[m] = subtract(q[m], add(multiply(dtdy * kappa_below, y_part), part));
        }
        const Real part = keep_nonnegative(q_below, outflow_below, q);
        if (k > first) write(solver, at, k - 1, q_below, q, part, found);
        if constexpr (KEEPS_FACES > 0) {
            if (k >= first) kept.keep(at, f, g);
        }
        // 5. Row k becomes row k − 1.
        bpdq_below = here.apdq;
        outflow_below = outflow_above;
        here = above;
        dot_below = dot_above;
        g_below = g;
        if constexpr (SWEEP_X) x_below = x_here;
        kappa_below = kappa_here;
        q_below = q_here;
        q_here = q_above;
    }
}

// Columns (x) alone: rows are independent of each other.
__device__ __forceinline__ void sweep_rows(const Solver& solver, const Lane& at, KeptFaces& kept, Found& found)
{
    const Real dtdx = Real(at.args.dt_over_dx[X]);
    const int last = at.end_row();
    State unused;
#pragma unroll
    for (int m = 0; m < M; m++) unused[m] = Real(0.0);
    for (int k = at.first_row(); k < last; k++) {
        const Real kappa = at.inverse_capacity(k);
        State q = at.state(k);
        XRow row = solve_row(solver, at, k, q, kappa, dtdx, true, found);
        if constexpr (LIMITS_FLUXES) limit_row(q, row.outflow, kappa, dtdx, row.first_order, row.correction);
        const State old = q;
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real f = row.correction[m];
            const Real x_part = add(row.fluctuations[m], subtract(from_right(f), f));
            q[m] = subtract(q[m], add(Real(0.0), multiply(dtdx * kappa, x_part)));
        }
        const Real part = keep_nonnegative(old, row.outflow, q);
        write(solver, at, k, old, q, part, found);
        if constexpr (KEEPS_FACES > 0) {
            kept.expect(at, k + 1);
            kept.keep(at, row.correction, unused);
        }
    }
}

extern "C" __global__ void __launch_bounds__(32, WARPS) update_2d(const __grid_constant__ UpdateArgs args)
{
    start_next();
    // The block is one warp, so that the compiler sees that all lanes have the same tile. If it must expect them to diverge, it checks
    // for that before every shuffle, and moves nothing across.
    const Lane at(args, blockIdx.x);
    await_previous();
    const Solver solver{SOLVER_PARAMETERS};
    Found found{Real(0.0), 0};
    // Tiles with and without kept faces run the same loop: two loops would not fit in the instruction cache together.
    if constexpr (SWEEP_ROWS) {
        __shared__ Real shared[ROW_NUMBERS];
        const March start(at, shared);
        KeptFaces kept(at);
        march(solver, at, start, kept, found);
    } else {
        KeptFaces kept(at);
        sweep_rows(solver, at, kept, found);
    }
    found.report(args.reports[at.tile.patch]);
}
