// update_3d.cu: the wave-propagation update of patches in space, all axes at once: riemann/src/patch/space.
// tidy: long because all axes are updated in one march
// Map     one block per tile, one thread per column of cells of the tile and around it, marched up its planes
// x, y    the faces beside a cell are solved by its own thread; what neighbours need goes through shared memory
// z       neighbours are planes before: registers
// Bytes   q read once from memory and a dozen times from the first-level cache, written once; aux likewise
// Order   that of the CPU, operation by operation; largest Courant numbers by atomicMax of bits, whose order does not matter
// Options ORDER, TRANSVERSE, DOUBLE_TRANSVERSE, LIMITERS, CAPACITY, KEEPS_FACES, FUSED, THREADS, BLOCKS: each costs only where it is used

constexpr bool TWICE = TRANSVERSE > 0 && DOUBLE_TRANSVERSE;
constexpr bool CORRECTIONS_TOO = TRANSVERSE == 2 && (ORDER == 2 || !FUSED);

// Contributions to a cell's two faces along an axis, or values of these: lower, upper.
typedef Array<State, 2> Pair;

__device__ __forceinline__ State zeros()
{
    State q;
#pragma unroll
    for (int m = 0; m < M; m++) q[m] = Real(0.0);
    return q;
}
__device__ __forceinline__ State sum(const State& a, const State& b)
{
    State c;
#pragma unroll
    for (int m = 0; m < M; m++) c[m] = add(a[m], b[m]);
    return c;
}
__device__ __forceinline__ State difference(const State& a, const State& b)
{
    State c;
#pragma unroll
    for (int m = 0; m < M; m++) c[m] = subtract(a[m], b[m]);
    return c;
}
__device__ __forceinline__ State product(Real factor, const State& a)
{
    State c;
#pragma unroll
    for (int m = 0; m < M; m++) c[m] = multiply(factor, a[m]);
    return c;
}

// What the faces beside a cell along an axis send into it: 𝒜⁺ΔQ of the lower one, 𝒜⁻ΔQ of the upper one.
struct Incoming {
    Array<State, 3> states; // of the lower neighbour, the cell, the upper neighbour
    Pair asdq, corrections;
};

// What a cell's incoming fluctuations send through its faces along an axis, and what of them does so after it has moved to the upper or
// the lower neighbour along the third axis.
struct Parts {
    Pair t, up, down;
};

// The limited correction of a face. KAPPA: 1/κ of the cells beside it.
__device__ __forceinline__ State correction_of(const Normal& face, const Array<Real, W>& dot_below, const Array<Real, W>& dot_above,
    Real kappa_below, Real kappa_above, Real dtdx)
{
    if constexpr (ORDER == 2) {
        const Real mean = Real(0.5) * (kappa_below + kappa_above);
        return limited_correction(face.waves, face.speeds, dot_below, dot_above, dtdx * mean);
    }
    return zeros();
}

// Solves the faces beside the column's cell in plane k along x or y, and the next ones on both sides, which their limiters use.
__device__ __forceinline__ Incoming solve_faces(
    const Solver& solver, const Column& at, Axis axis, int k, bool counts, Real dtdx, Found& found)
{
    Incoming in;
#pragma unroll
    for (int n = 0; n < 3; n++) in.states[n] = at.state_along(axis, n - 1, k);
    const auto below_cell = [&](int up) -> decltype(auto) { return at_face(solver, axis, ColumnCells{at, axis, up, k}); };
    const Normal lower =
        below_cell(0).normal(axis, in.states[0], in.states[1], at.aux_along(axis, -1, k), at.aux_along(axis, 0, k));
    const Normal upper =
        below_cell(1).normal(axis, in.states[1], in.states[2], at.aux_along(axis, 0, k), at.aux_along(axis, 1, k));
    Real kappa[3];
#pragma unroll
    for (int n = 0; n < 3; n++) kappa[n] = at.inverse_capacity(axis, n - 1, k);
    found.speeds(lower.speeds, kappa[0], kappa[1], dtdx, counts);
    in.asdq[0] = lower.apdq;
    in.asdq[1] = upper.amdq;
    in.corrections[0] = in.corrections[1] = zeros();
    if constexpr (ORDER == 2) {
        const Aux aux_below = at.aux_along(axis, -2, k), aux_above = at.aux_along(axis, 2, k);
        const Normal below =
            below_cell(-1).normal(axis, at.state_along(axis, -2, k), in.states[0], aux_below, at.aux_along(axis, -1, k));
        const Normal above =
            below_cell(2).normal(axis, in.states[2], at.state_along(axis, 2, k), at.aux_along(axis, 1, k), aux_above);
        const Array<Real, W> dot_below = dots(below.waves, lower.waves), dot_here = dots(lower.waves, upper.waves);
        const Array<Real, W> dot_above = dots(upper.waves, above.waves);
        in.corrections[0] = correction_of(lower, dot_below, dot_here, kappa[0], kappa[1], dtdx);
        in.corrections[1] = correction_of(upper, dot_here, dot_above, kappa[1], kappa[2], dtdx);
    }
    return in;
}

// What enters through the lower face and moves up (SIDE: Upper), or through the upper one and moves down. TWICE_SPLIT: it will be split
// twice. The factors of the correction are those of ½ Δt/Δx and of ⅙ Δt², by which the parts are scaled.
__device__ __forceinline__ State entering(const Incoming& in, Side side, bool twice_split)
{
    const int face = side == Upper ? 0 : 1;
    if constexpr (!CORRECTIONS_TOO) return in.asdq[face];
    State correction = sum(in.corrections[face], in.corrections[face]);
    if (twice_split) correction = sum(correction, in.corrections[face]);
    return side == Lower ? sum(in.asdq[face], correction) : difference(in.asdq[face], correction);
}

// Splits what enters along THIRD, and along THROUGH what has moved there to the lower and the upper neighbour.
template <class S> __device__ __forceinline__ Array<Transverse, 2> split_twice(const S& solver, const Column& at, int k, Axis from,
    Axis through, Axis third, Side side, const State& ql, const State& qr, const State& mean, const State& asdq)
{
    const auto around = [&](int steps) { return at.transverse_aux(through, third, steps, k); };
    const TransverseAux here = at.transverse_aux(third, third, 0, k);
    if constexpr (S::IN_FRAMES) {
        const Array<TransverseAux, 4> aux = {here, around(-1), around(0), around(1)};
        return solver.transverse_twice(from, through, third, side, ql, qr, mean, aux, asdq);
    } else {
        const Transverse moved = solver.transverse(from, third, side, ql, qr, mean, here, asdq);
        Array<Transverse, 2> sent;
        sent[0] = solver.transverse(from, through, side, ql, qr, mean, around(-1), moved.bmasdq);
        sent[1] = solver.transverse(from, through, side, ql, qr, mean, around(1), moved.bpasdq);
        return sent;
    }
}

// Adds what one face along FROM sends, towards SIDE; both faces where their sum can be split.
__device__ __forceinline__ void add_parts(const Solver& solver, const Column& at, int k, Axis from, Axis through, Axis third,
    Side side, const Incoming& in, Parts& parts)
{
    const int face = side == Upper ? 0 : 1;
    const State &ql = in.states[face], &qr = in.states[face + 1];
    const State mean = solver.mean_state(ql, qr);
    State once = entering(in, side, false), twice = entering(in, side, true);
    if constexpr (Solver::SPLITS_SUMS) {
        once = sum(once, entering(in, Lower, false));
        twice = sum(twice, entering(in, Lower, true));
    }
    const Transverse here = solver.transverse(from, through, side, ql, qr, mean, at.transverse_aux(through, third, 0, k), once);
    parts.t[0] = sum(parts.t[0], here.bmasdq);
    parts.t[1] = sum(parts.t[1], here.bpasdq);
    if constexpr (TWICE) {
        const Array<Transverse, 2> moved = split_twice(solver, at, k, from, through, third, side, ql, qr, mean, twice);
        parts.up[0] = sum(parts.up[0], moved[1].bmasdq);
        parts.up[1] = sum(parts.up[1], moved[1].bpasdq);
        parts.down[0] = sum(parts.down[0], moved[0].bmasdq);
        parts.down[1] = sum(parts.down[1], moved[0].bpasdq);
    }
}

// What enters the column's cell in plane k through its faces along FROM, split along two axes. KAPPA: 1/κ of the cell, which the parts
// leave.
__device__ __forceinline__ Parts split(
    const Solver& solver, const Column& at, int k, Axis from, Axis through, Axis third, const Incoming& in, Real kappa)
{
    Parts parts;
#pragma unroll
    for (int side = 0; side < 2; side++) parts.t[side] = parts.up[side] = parts.down[side] = zeros();
    add_parts(solver, at, k, from, through, third, Upper, in, parts);
    if constexpr (!Solver::SPLITS_SUMS) add_parts(solver, at, k, from, through, third, Lower, in, parts);
    if constexpr (TWICE && CAPACITY >= 0) {
#pragma unroll
        for (int side = 0; side < 2; side++) {
            parts.up[side] = product(kappa, parts.up[side]);
            parts.down[side] = product(kappa, parts.down[side]);
        }
    }
    return parts;
}

// What cells send through their faces whose third axis is z: answers that of the plane before, for which HERE comes next. BEFORE: what
// is known of the plane before.
__device__ __forceinline__ Pair move_along_z(const Parts& here, Parts& before, Real weight)
{
    Pair sent = before.t;
    before.t = here.t;
    if constexpr (TWICE) {
#pragma unroll
        for (int side = 0; side < 2; side++) {
            sent[side] = difference(sent[side], product(weight, difference(here.down[side], before.down[side])));
            before.t[side] = difference(before.t[side], product(weight, difference(here.up[side], before.up[side])));
        }
        before.up = here.up;
        before.down = here.down;
    }
    return sent;
}

// The same where the third axis is x or y: neighbours are other threads' columns.
__device__ __forceinline__ Pair move_along(const Column& at, Exchange& exchange, Axis third, const Parts& here, Real weight)
{
    Pair sent = here.t;
    if constexpr (TWICE) {
        Array<bool, M> zero_up[2], zero_down[2];
        exchange.begin();
#pragma unroll
        for (int side = 0; side < 2; side++) {
            zero_up[side] = exchange.offer(side, here.up[side]);
            zero_down[side] = exchange.offer(2 + side, here.down[side]);
        }
        exchange.end();
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const State before = exchange.take(at, side, third, -1, zero_up[side]);
            const State after = exchange.take(at, 2 + side, third, 1, zero_down[side]);
            sent[side] = difference(sent[side], product(weight, difference(here.up[side], before)));
            sent[side] = difference(sent[side], product(weight, difference(after, here.down[side])));
        }
    }
    return sent;
}

// What is sent through a face from cells along FROM: down by the cell above the face, up by that below.
__device__ __forceinline__ State sent_through(
    const State& down, const State& up, Real kappa_below, Real kappa_above, Real dt_from)
{
    const Real half = Real(0.5) * dt_from;
    return sum(product(half * kappa_above, down), product(half * kappa_below, up));
}

// What plane k − 1 holds until plane k sends through its faces.
struct Plane {
    State x_fluctuations, y_fluctuations, z_fluctuations; // 𝒜⁺ΔQ + 𝒜⁻ΔQ
    State x_correction, y_correction;                     // of the lower faces
    State x_from_z, y_from_z;                             // what is sent through these from z
};

// The state of a column that is marched up.
struct March {
    // Along z: 𝒜⁺ΔQ and correction of face k, and face k + 1.
    State apdq, correction;
    Normal above;
    Array<Real, W> dot_here;
    // What moves along z from x to y, from y to x.
    Parts xy, yx;
    // What went up through upper faces from x and from y; H̃ of face k − 1.
    State up_xz, up_yz, h;
    Plane before;
};

__device__ __forceinline__ March start(const Solver& solver, const Column& at)
{
    March march;
    const int k = at.first_plane() - 1;
    march.apdq = march.correction = march.up_xz = march.up_yz = march.h = zeros();
    march.before = Plane{zeros(), zeros(), zeros(), zeros(), zeros(), zeros(), zeros()};
#pragma unroll
    for (int side = 0; side < 2; side++) {
        march.xy.t[side] = march.xy.up[side] = march.xy.down[side] = zeros();
        march.yx.t[side] = march.yx.up[side] = march.yx.down[side] = zeros();
    }
    const State q_below = at.state(0, 0, k - 1), q = at.state(0, 0, k), q_above = at.state(0, 0, k + 1);
    const auto below_cell = [&](int up) -> decltype(auto) { return at_face(solver, Z, ColumnCells{at, Z, up, k}); };
    const Normal here = below_cell(0).normal(Z, q_below, q, at.aux(0, 0, k - 1), at.aux(0, 0, k));
    march.above = below_cell(1).normal(Z, q, q_above, at.aux(0, 0, k), at.aux(0, 0, k + 1));
    march.dot_here = dots(here.waves, march.above.waves);
    return march;
}

// Solves face k + 2 along z, limits face k + 1, and returns what enters the cell of plane k. The column advances to face k + 1.
__device__ __forceinline__ Incoming solve_z(
    const Solver& solver, const Column& at, int k, March& march, Real dtdz, Found& found)
{
    Incoming in;
#pragma unroll
    for (int n = 0; n < 3; n++) in.states[n] = at.state(0, 0, k + n - 1);
    const Normal next = at_face(solver, Z, ColumnCells{at, Z, 2, k})
                            .normal(Z, in.states[2], at.state(0, 0, k + 2), at.aux(0, 0, k + 1), at.aux(0, 0, k + 2));
    const Array<Real, W> dot_above = dots(march.above.waves, next.waves);
    const Real kappa = at.inverse_capacity(Z, 0, k), kappa_above = at.inverse_capacity(Z, 1, k);
    const bool counts = at.inside() && k < at.end_plane();
    found.speeds(march.above.speeds, kappa, kappa_above, dtdz, counts);
    in.asdq[0] = march.apdq;
    in.asdq[1] = march.above.amdq;
    in.corrections[0] = march.correction;
    in.corrections[1] = correction_of(march.above, march.dot_here, dot_above, kappa, kappa_above, dtdz);
    march.apdq = march.above.apdq;
    march.correction = in.corrections[1];
    march.above = next;
    march.dot_here = dot_above;
    return in;
}

// The fluxes that the next plane completes: F̃ and G̃ of the lower faces in plane k − 1, H̃ of face k.
struct Fluxes {
    State f, g, h;
};

// Splits what enters the column's cells in plane k, and adds what goes through faces to their corrections.
__device__ __forceinline__ void send(const Solver& solver, const Column& at, int k, const Incoming& x, const Incoming& y,
    const Incoming& z, Exchange& exchange, March& march, Fluxes& fluxes)
{
    Real dt_over[3];
#pragma unroll
    for (int d = 0; d < 3; d++) dt_over[d] = Real(at.args.dt_over_dx[d]);
    const Real third = Real(1.0 / 3.0);
    const Real kappa = at.inverse_capacity(Z, 0, k), kappa_below = at.inverse_capacity(Z, -1, k);
    // From x: through y-faces of plane k − 1, through z-faces.
    const Pair xy = move_along_z(split(solver, at, k, X, Y, Z, x, kappa), march.xy, third * dt_over[Z]);
    const Pair xz = move_along(at, exchange, Y, split(solver, at, k, X, Z, Y, x, kappa), third * dt_over[Y]);
    // From y.
    const Pair yx = move_along_z(split(solver, at, k, Y, X, Z, y, kappa), march.yx, third * dt_over[Z]);
    const Pair yz = move_along(at, exchange, X, split(solver, at, k, Y, Z, X, y, kappa), third * dt_over[X]);
    // From z: through x- and y-faces of plane k.
    const Pair zx = move_along(at, exchange, Y, split(solver, at, k, Z, X, Y, z, kappa), third * dt_over[Y]);
    const Pair zy = move_along(at, exchange, X, split(solver, at, k, Z, Y, X, z, kappa), third * dt_over[X]);

    fluxes.h = difference(fluxes.h, sent_through(xz[0], march.up_xz, kappa_below, kappa, dt_over[X]));
    fluxes.h = difference(fluxes.h, sent_through(yz[0], march.up_yz, kappa_below, kappa, dt_over[Y]));
    march.up_xz = xz[1];
    march.up_yz = yz[1];

    exchange.begin();
    const Array<bool, M> zero_xy = exchange.offer(0, xy[1]), zero_zy = exchange.offer(1, zy[1]);
    const Array<bool, M> zero_yx = exchange.offer(2, yx[1]), zero_zx = exchange.offer(3, zx[1]);
    exchange.end();
    const State up_xy = exchange.take(at, 0, Y, -1, zero_xy), up_zy = exchange.take(at, 1, Y, -1, zero_zy);
    const State up_yx = exchange.take(at, 2, X, -1, zero_yx), up_zx = exchange.take(at, 3, X, -1, zero_zx);
    const Real left = at.inverse_capacity(X, -1, k - 1), front = at.inverse_capacity(Y, -1, k - 1);
    fluxes.g = difference(fluxes.g, sent_through(xy[0], up_xy, front, kappa_below, dt_over[X]));
    fluxes.g = difference(fluxes.g, march.before.y_from_z);
    fluxes.f = difference(fluxes.f, sent_through(yx[0], up_yx, left, kappa_below, dt_over[Y]));
    fluxes.f = difference(fluxes.f, march.before.x_from_z);
    const Real left_here = at.inverse_capacity(X, -1, k), front_here = at.inverse_capacity(Y, -1, k);
    march.before.y_from_z = sent_through(zy[0], up_zy, front_here, kappa, dt_over[Z]);
    march.before.x_from_z = sent_through(zx[0], up_zx, left_here, kappa, dt_over[Z]);
}

// Completes the column's cell in plane k − 1, and records whether it is finite and positive where it must be.
__device__ __forceinline__ void finish(const Solver& solver, const Column& at, int k, const Fluxes& fluxes, Exchange& exchange,
    const March& march, Found& found)
{
    exchange.begin();
    const Array<bool, M> zero_f = exchange.offer(0, fluxes.f), zero_g = exchange.offer(1, fluxes.g);
    exchange.end();
    const State f_right = exchange.take(at, 0, X, 1, zero_f), g_behind = exchange.take(at, 1, Y, 1, zero_g);
    if (!at.inside() || k <= at.first_plane()) return;
    const Plane& plane = march.before;
    const Real kappa = at.inverse_capacity(Z, -1, k);
    State q = at.state(0, 0, k - 1);
    const State z_part = sum(plane.z_fluctuations, difference(fluxes.h, march.h));
    const State y_part = sum(plane.y_fluctuations, difference(g_behind, fluxes.g));
    const State x_part = sum(plane.x_fluctuations, difference(f_right, fluxes.f));
    const State parts = sum(product(Real(at.args.dt_over_dx[Z]) * kappa, z_part), product(Real(at.args.dt_over_dx[Y]) * kappa, y_part));
    q = difference(q, sum(parts, product(Real(at.args.dt_over_dx[X]) * kappa, x_part)));
    Real* cell = at.args.q_next + (PACK_OVERRUN + at.patch.first * M + at.patch.inner) + at.offset(0, 0, k - 1);
    const State in_order = settled(solver, q, at.aux(0, 0, k - 1), Real(1.0), q, Real(0.0));
#pragma unroll
    for (int m = 0; m < M; m++) {
        cell[(long long)m * at.patch.component] = in_order[m];
        found.exponents = max(found.exponents, exponent_bits(q[m]));
    }
#if HAS_ADMISSIBLE
    const auto old = [&] { return at.state(0, 0, k - 1); };
    if (!is_right(solver, q, at.aux(0, 0, k - 1), at.args.sharing_faces, old)) found.exponents = NOT_FINITE;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) update_3d(const __grid_constant__ UpdateArgs args)
{
    start_next();
    const Column at(args, blockIdx.x);
    await_previous();
    __shared__ Real shared[EXCHANGE_NUMBERS];
    Exchange exchange{shared, 0};
    const Solver solver{SOLVER_PARAMETERS};
    Found found{Real(0.0), 0};
    March march = start(solver, at);
    const Real dtdx = Real(args.dt_over_dx[X]), dtdy = Real(args.dt_over_dx[Y]), dtdz = Real(args.dt_over_dx[Z]);
    const int first = at.first_plane(), end = at.end_plane();
    // The planes around the tile are processed only for what they send into it.
#pragma unroll 1
    for (int k = first - 1; k <= end; k++) {
        const bool inside = first <= k && k < end;
        // Loaded before they are needed: a plane's work ends before the loads would.
        bool keeps[3] = {};
        if constexpr (KEEPS_FACES) {
            keeps[X] = k > first && at.keeps(X, k - 1);
            keeps[Y] = k > first && at.keeps(Y, k - 1);
            keeps[Z] = k >= first && at.keeps(Z, k);
        }
        // 1. Solve and limit the faces around the cell of plane k.
        Fluxes fluxes{march.before.x_correction, march.before.y_correction, march.correction};
        const Incoming z = solve_z(solver, at, k, march, dtdz, found);
        const Incoming x = solve_faces(solver, at, X, k, inside && at.has_faces(X), dtdx, found);
        const Incoming y = solve_faces(solver, at, Y, k, inside && at.has_faces(Y), dtdy, found);
        // 2. Split what they send, and complete the fluxes that wait for it.
        if constexpr (TRANSVERSE > 0) send(solver, at, k, x, y, z, exchange, march, fluxes);
#if HAS_ADMISSIBLE
        if (Solver::FALLS_BACK && args.sharing_faces) {
            const State below = at.state(0, 0, k - 1);
            const Aux aux_below = at.aux(0, 0, k - 1);
            const Real kappa_below = at.inverse_capacity(Z, -1, k);
            keep_admissible<X>(at_face(solver, X, ColumnCells{at, X, 0, k - 1}), at.state(-1, 0, k - 1), below,
                at.aux(-1, 0, k - 1), aux_below, at.inverse_capacity(X, -1, k - 1), kappa_below, dtdx, args.sharing_faces,
                fluxes.f);
            keep_admissible<Y>(at_face(solver, Y, ColumnCells{at, Y, 0, k - 1}), at.state(0, -1, k - 1), below,
                at.aux(0, -1, k - 1), aux_below, at.inverse_capacity(Y, -1, k - 1), kappa_below, dtdy, args.sharing_faces,
                fluxes.g);
            keep_admissible<Z>(at_face(solver, Z, ColumnCells{at, Z, 0, k}), below, at.state(0, 0, k), aux_below,
                at.aux(0, 0, k), kappa_below, at.inverse_capacity(Z, 0, k), dtdz, args.sharing_faces,
                fluxes.h);
        }
#endif
        // 3. Plane k − 1 is complete.
        finish(solver, at, k, fluxes, exchange, march, found);
        if constexpr (KEEPS_FACES) {
            if (keeps[X]) at.keep(X, k - 1, fluxes.f);
            if (keeps[Y]) at.keep(Y, k - 1, fluxes.g);
            if (keeps[Z]) at.keep(Z, k, fluxes.h);
        }
        // 4. Plane k becomes plane k − 1.
        march.h = fluxes.h;
        march.before.x_fluctuations = sum(x.asdq[0], x.asdq[1]);
        march.before.y_fluctuations = sum(y.asdq[0], y.asdq[1]);
        march.before.z_fluctuations = sum(z.asdq[0], z.asdq[1]);
        march.before.x_correction = x.corrections[0];
        march.before.y_correction = y.corrections[0];
    }
    found.report(args.reports[at.tile.patch]);
}
