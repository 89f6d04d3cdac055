// cells.cuh: cells of any shape and their faces: riemann::cells and unstructured::step, operation by operation.
// Defined before it: FaceFrame and CellSums; ORDER; LIMITER, a CellLimiter; IS_LOCAL: each cell
// has its own time step, that of Courant number dt; FROM_BEFORE: stages start from the state before the step; PREDICTS: states at faces are
// half a step later; MOVES: faces do; HAS_VARIABLES: with case_variables and case_state, which take a state and its auxiliary values to the
// variables that are interpolated, and back.

// N values that begin at `first` and are `component` numbers apart.
template <int N> __device__ __forceinline__ Array<Real, N> numbers_at(const Real* first, size_t component)
{
    Array<Real, N> values;
    #pragma unroll
    for (int n = 0; n < N; n++) values[n] = first[n * component];
    return values;
}

// A face's frame.
__device__ __forceinline__ FaceFrame frame_of(const CellsArgs& args, unsigned face)
{
    Array<Real, 3> turn;
    #pragma unroll
    for (int d = 0; d < 3; d++) turn[d] = d < DIM ? __ldg(args.tables.turn + size_t(d) * args.tables.num_faces + face) : Real(0);
    return FaceFrame(turn);
}

// The places of a cell's faces in the table of entries: slices of 32 cells, as wide as the fullest of them.
struct Row {
    unsigned place, end;

    __device__ __forceinline__ Row(const CellsArgs& args, unsigned cell)
        : place(__ldg(args.tables.slices + cell / 32) + cell % 32), end(__ldg(args.tables.slices + cell / 32 + 1))
    {
    }
    // The face at this place, twice, plus 1 if the cell is on its right. False behind the last one.
    __device__ __forceinline__ bool read(const CellsArgs& args, unsigned& entry) const
    {
        if (place >= end) return false;
        entry = __ldg(args.tables.entries + place);
        return entry != NO_ITEM;
    }
    __device__ __forceinline__ void next() { place += 32; }
};

// The state of a cell, or of a ghost cell, which come behind.
__device__ __forceinline__ State state_of(const CellsArgs& args, unsigned cell)
{
    const bool inside = cell < args.tables.num_cells;
    const Real* first = inside ? args.now + cell : args.ghosts + (cell - args.tables.num_cells);
    return numbers_at<M>(first, inside ? args.tables.num_cells : args.tables.num_boundary);
}

// The state that a cell has at a face: side 0 is the left one.
__device__ __forceinline__ Real* place_at_face(const CellsArgs& args, unsigned face, unsigned side)
{
    return args.at_faces + size_t(side) * args.tables.num_faces + face;
}

__device__ __forceinline__ Aux aux_of(const CellsArgs& args, unsigned cell)
{
    return numbers_at<A>(args.aux + cell, args.tables.num_cells);
}

#if HAS_VARIABLES
// A function of a cell's values, which computes in double.
template <class Function> __device__ __forceinline__ State in_double(const Function& function, const State& q, const Aux& aux)
{
    Array<double, M> values;
    Array<double, A> known;
    double results[M];
    State of_cell;
    #pragma unroll
    for (int m = 0; m < M; m++) values[m] = double(q[m]);
    #pragma unroll
    for (int a = 0; a < A; a++) known[a] = double(aux[a]);
    function(values, known, results);
    #pragma unroll
    for (int m = 0; m < M; m++) of_cell[m] = Real(results[m]);
    return of_cell;
}
#endif

// The variables of a state that are interpolated to faces.
__device__ __forceinline__ State variables_of(const State& q, const Aux& aux)
{
#if HAS_VARIABLES
    return in_double(case_variables, q, aux);
#else
    return q;
#endif
}

// The state with these variables; a cell's own one to the last bit where they are its own, `own_values`.
__device__ __forceinline__ State state_by(const State& values, const Aux& aux, const State& own_values, const State& own)
{
#if HAS_VARIABLES
    bool same = true;
    #pragma unroll
    for (int m = 0; m < M; m++) same = same && values[m] == own_values[m];
    return same ? own : in_double(case_state, values, aux);
#else
    return values;
#endif
}

// The auxiliary values of a cell; of a ghost cell those of the cell within.
__device__ __forceinline__ Aux aux_behind(const CellsArgs& args, unsigned behind, unsigned cell)
{
    return aux_of(args, behind < args.tables.num_cells ? behind : cell);
}

// A face's speed along its normal.
__device__ __forceinline__ Real speed_of(const CellsArgs& args, unsigned face) { return MOVES ? __ldg(args.moving + face) : Real(0); }

// Makes a solution that of a face that moves: riemann::cells::see_from_face.
__device__ __forceinline__ void see_from_face(Normal& solved, const State& ql, const State& qr, Real moving)
{
    const Real zero = Real(0);
    State still;
    #pragma unroll
    for (int m = 0; m < M; m++) still[m] = qr[m] - ql[m];
    #pragma unroll
    for (int w = 0; w < W; w++) {
        const Real speed = solved.speeds[w], seen = speed - moving;
        const Real left = real_min(seen, zero) - real_min(speed, zero), right = real_max(seen, zero) - real_max(speed, zero);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            solved.amdq[m] += left * solved.waves[w][m];
            solved.apdq[m] += right * solved.waves[w][m];
            still[m] -= solved.waves[w][m];
        }
        solved.speeds[w] = seen;
    }
    #pragma unroll
    for (int m = 0; m < M; m++) {
        solved.amdq[m] += real_min(zero - moving, zero) * still[m];
        solved.apdq[m] += real_max(zero - moving, zero) * still[m];
    }
}

// The solution of a face's Riemann problem, in its frame.
__device__ __forceinline__ Normal solve(
    const Solver& solver, const FaceFrame& frame, Real moving, State ql, State qr, const Aux& aux_l, const Aux& aux_r)
{
    ql = frame.enter(ql), qr = frame.enter(qr);
    Normal solved = solver.normal(X, ql, qr, aux_l, aux_r);
    if (MOVES) see_from_face(solved, ql, qr, moving);
    return solved;
}

__device__ __forceinline__ Real fastest_of(const Normal& face, Real moving)
{
    Real most = real_abs(moving);
    #pragma unroll
    for (int w = 0; w < W; w++) most = real_max(most, real_abs(face.speeds[w]));
    return most;
}

// At order 2: what lies between the state of a cell and that which it has at a face is added to what enters it there, in the face's frame, as the
// difference of the fluxes, where the solver has one, else as the sum of the fluctuations.
__device__ __forceinline__ void add_within(
    const Solver& solver, const FaceFrame& frame, Real moving, unsigned side, const State& own, const State& at_face, const Aux& aux, State& into)
{
    State sum;
    if (Solver::HAS_FLUX) {
        const State ql = frame.enter(side ? at_face : own), qr = frame.enter(side ? own : at_face);
        const State left = solver.flux(X, ql, aux), right = solver.flux(X, qr, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            sum[m] = right[m] - left[m];
            if (MOVES) sum[m] -= moving * (qr[m] - ql[m]);
        }
    } else {
        const Normal within = solve(solver, frame, moving, side ? at_face : own, side ? own : at_face, aux, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) sum[m] = within.amdq[m] + within.apdq[m];
    }
    #pragma unroll
    for (int m = 0; m < M; m++) into[m] += sum[m];
}

// What enters a cell through all its faces.
struct Entered {
    State into;
    Real speeds;

    __device__ __forceinline__ Entered() : speeds(Real(0))
    {
        #pragma unroll
        for (int m = 0; m < M; m++) into[m] = Real(0);
    }
    __device__ __forceinline__ void add(Real size, Real speed, const State& fluctuation)
    {
        speeds += size * speed;
        #pragma unroll
        for (int m = 0; m < M; m++) into[m] += size * fluctuation[m];
    }
};

#if HAS_ADMISSIBLE
// Whether nothing that must not be negative is below round-off; what solvers with transfer variables keep so counts as if it were.
__device__ __forceinline__ bool fits(const Solver& solver, State q, const Aux& aux)
{
    #pragma unroll
    for (int m = 0; m < M && HAS_TRANSFER; m++)
        if (Solver::KEPT >> m & 1) q[m] = real_max(q[m], Real(0));
    return solver.is_admissible(q, aux, Real(LEAST_NONNEGATIVE));
}
#endif

// The end of a stage in a cell; returns its Courant number. In the last stage `broken` is set by a state that is not finite or not allowed.
__device__ __forceinline__ Real end_stage(const CellsArgs& args, const Solver& solver, unsigned cell, const Entered& entered, bool& broken)
{
    const Real dt = Real(args.dt), share = Real(args.share);
    // The volumes of a cell before the stage, a forward step further on, and after the stage: changes are mixed as states are.
    Real then = Real(0), after = Real(1);
    if (MOVES) {
        const Real first = Real(args.volumes[0][cell]), gained = Real(args.volumes[1][cell]) - first;
        then = FROM_BEFORE ? gained : first + (Real(args.start) + Real(1)) * gained;
        after = first + (FROM_BEFORE ? share : share * (Real(args.start) + Real(1))) * gained;
    }
    const Real per_volume = !IS_LOCAL ? real_quotient(dt, MOVES ? after : __ldg(args.tables.volume + cell))
        : entered.speeds > Real(0) ? real_quotient(Real(2) * dt, entered.speeds) : Real(0);
    const State now = numbers_at<M>(args.now + cell, args.tables.num_cells);
    State q = args.before == args.now ? now : numbers_at<M>(args.before + cell, args.tables.num_cells);
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const Real lost = per_volume * entered.into[m];
        // The volume that a state has been in before the stage counts.
        q[m] = MOVES ? q[m] + share * (real_quotient(then, after) * (now[m] - q[m]) - lost)
                     : CellSums().mixed(q[m], FROM_BEFORE ? q[m] : now[m], lost, share);
        args.to[size_t(m) * args.tables.num_cells + cell] = q[m];
        // True for NaN and infinities alike.
        broken = broken || !(q[m] - q[m] == Real(0));
    }
#if HAS_POSITIVE
    broken = broken || !(solver.least_positive(q, aux_of(args, cell)) > Real(0));
#endif
#if HAS_ADMISSIBLE
    // At first order only what was right before can be wrong.
    const auto before = [&] { return numbers_at<M>(args.before + cell, args.tables.num_cells); };
    if (args.is_last && !fits(solver, q, aux_of(args, cell)))
        broken = broken || (ORDER > 1 && args.is_second) || fits(solver, before(), aux_of(args, cell));
#endif
    broken = broken && args.is_last;
    return Real(0.5) * per_volume * entered.speeds;
}

// Adds what the lanes of a warp have found to the report.
__device__ __forceinline__ void report_stage(PatchReport& report, Real courant, bool broken)
{
    const double most = largest_of_warp(double(courant));
    broken = __any_sync(0xffffffffu, broken);
    if (threadIdx.x % 32 != 0) return;
    raise_word(&report.courant, (unsigned long long)__double_as_longlong(most));
    if (broken) atomicOr(&report.not_finite, 1u);
}
