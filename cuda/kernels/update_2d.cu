// update_2d.cu: the wave-propagation update of patches, unsplit or one sweep of a split scheme: riemann/src/patch/update.rs.
// Map     one warp per tile: up to COLUMNS columns (and HALO more on both sides, which are recomputed), marched up its rows
// x       neighbours are lanes of the warp: shuffles
// y       neighbours are rows before: registers
// Bytes   q read once (and 2 HALO/COLUMNS and 4/rows at the edges), written once; aux from the first-level cache
// Order   that of the CPU, operation by operation; largest Courant numbers by atomicMax of bits, whose order does not matter
// Options ORDER, TRANSVERSE, SWEEP_X, SWEEP_Y, LIMITERS, CAPACITY, TAPS, FUSED, WARPS, BLOCKS: each costs only where it is used

constexpr int HALO = SWEEP_X ? 2 : 0;
constexpr bool SPLIT_WAVES = TRANSVERSE > 0 && SWEEP_X && SWEEP_Y;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The value of the lane to the left, of the lane to the right. A constant needs no exchange.
__device__ __forceinline__ Real from_left(Real v) { return __shfl_up_sync(ALL_LANES, v, 1); }
__device__ __forceinline__ Real from_right(Real v) { return __shfl_down_sync(ALL_LANES, v, 1); }
template <int N> __device__ __forceinline__ Array<Real, N> from_left(const Array<Real, N>& a)
{
    Array<Real, N> b;
#pragma unroll
    for (int n = 0; n < N; n++) b[n] = from_left(a[n]);
    return b;
}
template <int N> __device__ __forceinline__ Array<Real, N> from_right(const Array<Real, N>& a)
{
    Array<Real, N> b;
#pragma unroll
    for (int n = 0; n < N; n++) b[n] = from_right(a[n]);
    return b;
}
__device__ __forceinline__ Array<State, W> from_right(const Array<State, W>& a)
{
    Array<State, W> b;
#pragma unroll
    for (int w = 0; w < W; w++) b[w] = from_right(a[w]);
    return b;
}

// Bits that tell NaN and infinity from numbers: they are the largest.
__device__ __forceinline__ int exponent_bits(double v) { return __double2hiint(v) & 0x7fffffff; }
__device__ __forceinline__ int exponent_bits(float v) { return __float_as_int(v) & 0x7fffffff; }
constexpr int NOT_FINITE = sizeof(Real) == 8 ? 0x7ff00000 : 0x7f800000;

// Where a lane reads and writes.
struct Lane {
    const UpdateArgs& args;
    const Tile tile;
    const Patch patch;
    int lane;    // 0 … 31
    int column;  // of the patch; lanes beyond its ghost cells stand at the last
    bool inside; // the column is one of the tile's

    __device__ __forceinline__ Lane(const UpdateArgs& a, int number)
        : args(a), tile(a.tiles[number]), patch(a.patches[tile.patch]), lane(threadIdx.x & 31)
    {
        column = min(tile.column + lane - HALO, patch.columns + a.num_ghost - 1);
        inside = lane >= HALO && lane - HALO < tile.columns;
    }

    // The state of the lane's column in row k.
    __device__ __forceinline__ State state(int k) const { return state_at(column, k); }
    __device__ __forceinline__ State state_at(int i, int k) const
    {
        const Real* cell = args.q + patch.q + (long long)k * patch.row + i;
        State q;
#pragma unroll
        for (int m = 0; m < M; m++) q[m] = __ldg(cell + (long long)m * patch.component);
        return q;
    }
    // Auxiliary values I columns to the right.
    __device__ __forceinline__ Aux aux(int i, int k) const
    {
        return aux_at(max(-args.num_ghost, min(column + i, patch.columns + args.num_ghost - 1)), k);
    }
    __device__ __forceinline__ Aux aux_at(int i, int k) const
    {
        Aux values;
        if constexpr (A > 0) {
            const Real* cell = args.aux + patch.aux + (long long)k * patch.row + i;
#pragma unroll
            for (int a = 0; a < A; a++) values[a] = __ldg(cell + (long long)a * patch.component);
        }
        return values;
    }
    __device__ __forceinline__ Real inverse_capacity(int k) const
    {
        if constexpr (CAPACITY >= 0) return Real(1.0) / aux(0, k)[CAPACITY];
        else return Real(1.0);
    }
    // Auxiliary values of the cell I columns to the right and of its neighbours across faces normal to AXIS's partner.
    __device__ __forceinline__ TransverseAux transverse_aux(Axis axis, int i, int k) const
    {
        const int di = axis == X ? 0 : 1, dk = axis == X ? 1 : 0;
        return TransverseAux{aux(i - di, k - dk), aux(i, k), aux(i + di, k + dk)};
    }
};

// The largest Courant number that a lane has met, and whether what it wrote is finite.
struct Found {
    Real courant;
    int exponents;

    // KAPPA_BELOW, KAPPA_ABOVE: 1/κ on the two sides; a wave counts with that of the cell it runs into.
    __device__ __forceinline__ void speeds(const Array<Real, W>& s, Real kappa_below, Real kappa_above, Real dtdx, bool counts)
    {
        Real largest = Real(0.0);
#pragma unroll
        for (int w = 0; w < W; w++) largest = real_max(real_max(s[w] * kappa_above, -s[w] * kappa_below), largest);
        courant = real_max(courant, counts ? largest * dtdx : Real(0.0));
    }

    __device__ __forceinline__ void report(const Lane& at) const
    {
        double largest = double(courant);
        int exponent = exponents;
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            const double other = __shfl_xor_sync(ALL_LANES, largest, distance);
            largest = other > largest ? other : largest;
            exponent = max(exponent, __shfl_xor_sync(ALL_LANES, exponent, distance));
        }
        if (at.lane == 0) {
            PatchReport& report = at.args.reports[at.tile.patch];
            atomicMax(&report.courant, (unsigned long long)__double_as_longlong(largest));
            if (exponent >= NOT_FINITE) atomicOr(&report.not_finite, 1u);
        }
    }
};

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
    return Parts{solver.transverse(axis, Lower, ql, qr, aux_lower, lower), solver.transverse(axis, Upper, ql, qr, aux_upper, upper)};
}

// What the x-faces leave of a row: see XRow of the CPU's update.
struct XRow {
    State fluctuations, correction, down, up;
};

__device__ __forceinline__ XRow solve_row(const Solver& solver, const Lane& at, int k, const State& q, Real kappa, Real dtdx,
    bool counts, Found& found)
{
    XRow row;
    const State ql = from_left(q);
    const Normal face = solver.normal(X, ql, q, at.aux(-1, k), at.aux(0, k));
    const Real kappa_left = CAPACITY >= 0 ? from_left(kappa) : Real(1.0);
    found.speeds(face.speeds, kappa_left, kappa, dtdx, counts && at.lane >= HALO && at.lane - HALO <= at.tile.columns);
    if constexpr (ORDER == 2) {
        const Array<Real, W> dot_right = dots(face.waves, from_right(face.waves));
        const Real mean = Real(0.5) * (kappa_left + kappa);
        row.correction = limited_correction(face.waves, face.speeds, from_left(dot_right), dot_right, dtdx * mean);
    } else {
#pragma unroll
        for (int m = 0; m < M; m++) row.correction[m] = Real(0.0);
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

// Writes row k's new state.
__device__ __forceinline__ void write(const Lane& at, int k, const State& q, Found& found)
{
    if (!at.inside) return;
    Real* cell = at.args.q_next + at.patch.q + (long long)k * at.patch.row + at.column;
#pragma unroll
    for (int m = 0; m < M; m++) {
        cell[(long long)m * at.patch.component] = q[m];
        found.exponents = max(found.exponents, exponent_bits(q[m]));
    }
}

#if TAPS == 2
// Keeps the fluxes of faces at the edge of another level, which a map names. The lanes hold the masks of 32 rows.
struct TapReader {
    unsigned x_faces, y_faces; // of rows base + lane - 1 and base + lane, a bit for each lane
    int base;

    __device__ __forceinline__ TapReader(const Lane& at) : base(at.tile.row) {}

    // True if the tile keeps anything. Reads the masks of all its rows, and the first ones last.
    __device__ __forceinline__ bool any(const Lane& at)
    {
        unsigned faces = 0;
        for (base = at.tile.row + at.tile.rows / 32 * 32; base >= at.tile.row; base -= 32) {
            fetch(at);
            faces |= x_faces | y_faces;
        }
        base = at.tile.row;
        return __any_sync(ALL_LANES, faces != 0u);
    }

    __device__ __forceinline__ void fetch(const Lane& at)
    {
        // A face between two tiles belongs to the upper one; a patch's last faces to its last tiles.
        const int end = at.tile.row + at.tile.rows, right = at.tile.column + at.tile.columns;
        const unsigned own = ((at.tile.columns < 32 ? 1u << at.tile.columns : 0u) - 1u) << HALO;
        const unsigned last = right == at.patch.columns && at.tile.columns < 32 ? 1u << (HALO + at.tile.columns) : 0u;
        const int row = base + at.lane;
        y_faces = SWEEP_Y && (row < end || (row == end && end == at.patch.rows)) ? line(at, 1, row) & own : 0u;
        x_faces = SWEEP_X && row > at.tile.row && row <= end ? line(at, 0, row - 1) & (own | last) : 0u;
    }

    // Marked faces below the cells of a row, one bit a lane.
    __device__ __forceinline__ unsigned line(const Lane& at, int axis, int k) const
    {
        const int rows = at.patch.component / at.patch.row, words = (at.patch.row + 31) / 32;
        const int bit = at.tile.column - HALO + at.args.num_ghost;
        const unsigned* start = at.args.map_words + at.patch.first_word + (axis * rows + k + (rows - at.patch.rows) / 2) * words;
        const unsigned low = start[bit / 32], high = bit / 32 + 1 < words ? start[bit / 32 + 1] : 0u;
        return __funnelshift_r(low, high, bit % 32);
    }

    // F: of the x-faces of row k − 1. G, BELOW, ABOVE: correction and fluctuations of the y-faces k.
    __device__ __forceinline__ void keep(
        const Solver& solver, const Lane& at, int k, const State& f, const State& g, const State& below, const State& above)
    {
        if (k - base == 32) {
            base += 32;
            fetch(at);
        }
        const unsigned x = __shfl_sync(ALL_LANES, x_faces, k - base), y = __shfl_sync(ALL_LANES, y_faces, k - base);
        if ((x | y) == 0u) return;
        const int i = at.column;
        if (SWEEP_Y && (y >> at.lane & 1u)) store(at, 1, k, g, below, above);
        if (SWEEP_X && (x >> at.lane & 1u)) {
            // An x-face is solved once more: few are kept, and holding all costs registers.
            const Normal face = solver.normal(
                X, at.state_at(i - 1, k - 1), at.state_at(i, k - 1), at.aux_at(i - 1, k - 1), at.aux_at(i, k - 1));
            store(at, 0, k - 1, f, face.amdq, face.apdq);
        }
    }

    __device__ __forceinline__ void store(
        const Lane& at, int axis, int k, const State& correction, const State& lower, const State& upper) const
    {
        const unsigned to = at.args.map_slots[axis * at.args.map_cells + at.patch.cell + (long long)k * at.patch.row + at.column];
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real seen = to >> 31 ? correction[m] - upper[m] : lower[m] + correction[m];
            at.args.tap_values[m * at.args.tap_stride + (to & 0x7fffffffu)] = seen;
        }
    }
};
#else
// Keeps the fluxes of faces at the edge of another level. A tile's taps are sorted by the row that completes them; the lanes
// hold the next 32 of them.
struct TapReader {
    unsigned position, slot; // of the lane's own tap
    int next, left;          // within the 32, and in all

    __device__ __forceinline__ TapReader(const Lane& at) : next(0), left(TAPS ? at.tile.num_taps : 0) { fetch(at); }

    __device__ __forceinline__ void fetch(const Lane& at)
    {
        if (at.lane < left) {
            const Tap tap = at.args.taps[at.tile.first_tap + at.tile.num_taps - left + at.lane];
            position = tap.position;
            slot = tap.slot;
        }
    }

    // True if the tile keeps anything.
    __device__ __forceinline__ bool any(const Lane&) const { return left > 0; }

    // F: of the x-faces of row k − 1. G, BELOW, ABOVE: correction and fluctuations of the y-faces k.
    __device__ __forceinline__ void keep(
        const Solver& solver, const Lane& at, int k, const State& f, const State& g, const State& below, const State& above)
    {
        while (left > 0) {
            const unsigned tap = __shfl_sync(ALL_LANES, position, next), to = __shfl_sync(ALL_LANES, slot, next);
            if (int(tap >> 8) != k - at.tile.row) break;
            if ((tap & 31) == at.lane) store(solver, at, k, tap, to, f, g, below, above);
            left--;
            if (++next == 32) {
                next = 0;
                fetch(at);
            }
        }
    }

    __device__ __forceinline__ void store(const Solver& solver, const Lane& at, int k, unsigned tap, unsigned to, const State& f,
        const State& g, const State& below, const State& above) const
    {
        State lower = below, upper = above, correction = g;
        if (!(tap & 32)) {
            // An x-face is solved once more: few are kept, and holding all costs registers.
            const int i = at.column;
            const Normal face = solver.normal(
                X, at.state_at(i - 1, k - 1), at.state_at(i, k - 1), at.aux_at(i - 1, k - 1), at.aux_at(i, k - 1));
            lower = face.amdq;
            upper = face.apdq;
            correction = f;
        }
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real seen = tap & 64 ? correction[m] - upper[m] : lower[m] + correction[m];
            at.args.tap_values[m * at.args.tap_stride + to] = seen;
        }
    }
};

#endif

// Columns and rows together, or rows (y) alone. KEEP: the tile has taps.
template <bool KEEP> __device__ __forceinline__ void march(const Solver& solver, const Lane& at, TapReader& taps, Found& found)
{
    const Real half = Real(0.5), dtdx = Real(at.args.dt_over_dx), dtdy = Real(at.args.dt_over_dy);
    const int first = at.tile.row, last = first + at.tile.rows;

    // Row k − 1: state, and what it waits for. Face k − 1 between rows k − 2 and k − 1.
    State q_below = at.state(first - 2), q_here = at.state(first - 1), q_above = at.state(first);
    Real kappa_below = Real(1.0);
    XRow x_below;
    State left, right, g_below, bpdq_below;
    // Face k.
    Normal here = solver.normal(Y, q_below, q_here, at.aux(0, first - 2), at.aux(0, first - 1));
    Array<Real, W> dot_below;
#pragma unroll
    for (int m = 0; m < M; m++) {
        x_below.fluctuations[m] = x_below.correction[m] = x_below.up[m] = Real(0.0);
        left[m] = right[m] = g_below[m] = bpdq_below[m] = Real(0.0);
    }
#pragma unroll
    for (int w = 0; w < W; w++) dot_below[w] = Real(0.0);

#pragma unroll 2
    for (int k = first - 1; k <= last; k++) {
        const State q_next = at.state(min(k + 2, last + 1));
        const Real kappa_here = at.inverse_capacity(k);
        // 1. Solve faces k + 1.
        const Normal above = solver.normal(Y, q_here, q_above, at.aux(0, k), at.aux(0, k + 1));
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
#pragma unroll
            for (int m = 0; m < M; m++) {
                left[m] = multiply(kappa_below, add(left[m], parts.lower.bmasdq[m]));
                right[m] = multiply(kappa_below, add(right[m], parts.lower.bpasdq[m]));
                g[m] = subtract(g[m], add(multiply(from_above, x_here.down[m]), multiply(from_below, x_below.up[m])));
                f[m] = subtract(f[m], multiply(half * dtdy, add(left[m], from_left(right[m]))));
                left[m] = parts.upper.bmasdq[m];
                right[m] = parts.upper.bpasdq[m];
            }
        }
        // 4. Row k − 1 is complete.
        State q = q_below;
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real y_part = add(add(bpdq_below[m], here.amdq[m]), subtract(g[m], g_below[m]));
            q[m] = subtract(q[m], multiply(dtdy * kappa_below, y_part));
            if constexpr (SWEEP_X) {
                const Real x_part = add(x_below.fluctuations[m], subtract(from_right(f[m]), f[m]));
                q[m] = subtract(q[m], multiply(dtdx * kappa_below, x_part));
            }
        }
        if (k > first) write(at, k - 1, q, found);
        if constexpr (KEEP) {
            if (k >= first) taps.keep(solver, at, k, f, g, here.amdq, here.apdq);
        }
        // 5. Row k becomes row k − 1.
        bpdq_below = here.apdq;
        here = above;
        dot_below = dot_above;
        g_below = g;
        if constexpr (SWEEP_X) x_below = x_here;
        kappa_below = kappa_here;
        q_below = q_here;
        q_here = q_above;
        q_above = q_next;
    }
}

// Columns (x) alone: rows do not know each other.
template <bool KEEP> __device__ __forceinline__ void sweep_rows(const Solver& solver, const Lane& at, TapReader& taps, Found& found)
{
    const Real dtdx = Real(at.args.dt_over_dx);
    const int last = at.tile.row + at.tile.rows;
    State unused;
#pragma unroll
    for (int m = 0; m < M; m++) unused[m] = Real(0.0);
    for (int k = at.tile.row; k < last; k++) {
        const Real kappa = at.inverse_capacity(k);
        State q = at.state(k);
        const XRow row = solve_row(solver, at, k, q, kappa, dtdx, true, found);
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real f = row.correction[m];
            const Real x_part = add(row.fluctuations[m], subtract(from_right(f), f));
            q[m] = subtract(q[m], multiply(dtdx * kappa, x_part));
        }
        write(at, k, q, found);
        if constexpr (KEEP) taps.keep(solver, at, k + 1, row.correction, unused, unused, unused);
    }
}

template <bool KEEP> __device__ __forceinline__ void update(const Solver& solver, const Lane& at, TapReader& taps, Found& found)
{
    if constexpr (SWEEP_Y) march<KEEP>(solver, at, taps, found);
    else sweep_rows<KEEP>(solver, at, taps, found);
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS) update_2d(const __grid_constant__ UpdateArgs args)
{
    const int number = blockIdx.x * WARPS + threadIdx.x / 32;
    if (number >= args.num_tiles) return;
    const Lane at(args, number);
    const Solver solver{SOLVER_PARAMETERS};
    Found found{Real(0.0), 0};
    // Few tiles have taps: the others do not carry the code that keeps them through their loop.
    TapReader taps(at);
    if (TAPS && taps.any(at)) update<(TAPS > 0)>(solver, at, taps, found);
    else update<false>(solver, at, taps, found);
    found.report(at);
}
