// cells_states.cu: the states that cells have at their faces, by limited gradients, and half a step later if the scheme asks for it.
// Map     one thread per cell
// Bytes   M Real of the cell and of each cell behind its faces, with Venkatakrishnan's limiter 3 M; M + 2 DIM Real and 8 bytes per face
// Order   differences in the order of the cell's list; every state is written by one thread: repeats bit for bit

// The vector of an entry.
__device__ __forceinline__ Array<Real, 3> vector_at(const CellsArgs& args, const Real* table, unsigned place)
{
    Array<Real, 3> vector;
    #pragma unroll
    for (int d = 0; d < 3; d++) vector[d] = d < DIM ? __ldg(table + size_t(d) * args.tables.num_entries + place) : Real(0);
    return vector;
}

extern "C" __global__ void cells_states(const CellsArgs args)
{
    start_next();
    const unsigned cell = item_of_thread();
    await_previous();
    if (cell >= args.tables.num_cells) return;
    const State own_state = state_of(args, cell);
    const Aux aux = aux_of(args, cell);
    const State own = variables_of(own_state, aux);
    Array<Real, 3> gradient[M];
    State below, above, factor;
    #pragma unroll
    for (int m = 0; m < M; m++) {
        below[m] = above[m] = Real(0), factor[m] = Real(1);
        #pragma unroll
        for (int d = 0; d < 3; d++) gradient[m][d] = Real(0);
    }
    unsigned entry;
    for (Row row(args, cell); row.read(args, entry); row.next()) {
        const unsigned behind = __ldg(args.tables.neighbours + row.place);
        const State there = variables_of(state_of(args, behind), aux_behind(args, behind, cell));
        const Array<Real, 3> weight = vector_at(args, args.tables.weight, row.place);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const Real difference = there[m] - own[m];
            #pragma unroll
            for (int d = 0; d < DIM; d++) gradient[m][d] += weight[d] * difference;
            below[m] = real_min(below[m], difference), above[m] = real_max(above[m], difference);
        }
    }
    if (LIMITER == CellLimiter::Venkatakrishnan) {
        // Those of neighbours too: values of cells that are twice as far as a face are among them.
        for (Row row(args, cell); row.read(args, entry); row.next()) {
            const unsigned behind = __ldg(args.tables.neighbours + row.place);
            if (behind >= args.tables.num_cells) continue;
            #pragma unroll
            for (int m = 0; m < M; m++) {
                const Real* extremes = args.extremes + size_t(m) * args.tables.num_cells + behind;
                below[m] = real_min(below[m], extremes[0] - own[m]);
                above[m] = real_max(above[m], extremes[size_t(M) * args.tables.num_cells] - own[m]);
            }
        }
    }
    if (LIMITER != CellLimiter::None) {
        State smooth;
        #pragma unroll
        for (int m = 0; m < M && LIMITER == CellLimiter::Venkatakrishnan; m++) {
            const auto far = [&](int sign) { return Real(__longlong_as_double((long long)args.range[2 * m + sign])); };
            const Real range = far(0) + far(1);
            smooth[m] = Real(args.smooth) * range * range;
        }
        for (Row row(args, cell); row.read(args, entry); row.next()) {
            const Array<Real, 3> to_face = vector_at(args, args.tables.to_face, row.place);
            #pragma unroll
            for (int m = 0; m < M; m++) {
                const Real change = CellSums().change(gradient[m], to_face);
                if (LIMITER == CellLimiter::Venkatakrishnan) factor[m] = CellSums().venkatakrishnan(factor[m], change, below[m], above[m], smooth[m]);
                else factor[m] = CellSums().barth_jespersen(factor[m], change, below[m], above[m]);
            }
        }
    }
    const Solver solver{SOLVER_PARAMETERS};
    const auto store = [&](State q) {
#if HAS_ADMISSIBLE
        if (!solver.is_admissible(q, aux, Real(0))) q = own_state;
#endif
        Real* to = place_at_face(args, entry / 2, entry % 2);
        #pragma unroll
        for (int m = 0; m < M; m++) to[2 * size_t(m) * args.tables.num_faces] = q[m];
        return q;
    };
    Entered lost;
    for (Row row(args, cell); row.read(args, entry); row.next()) {
        const Array<Real, 3> to_face = vector_at(args, args.tables.to_face, row.place);
        State q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = CellSums().at_face(own[m], factor[m], CellSums().change(gradient[m], to_face));
        q = store(state_by(q, aux, own, own_state));
        if (PREDICTS) {
            const FaceFrame frame = frame_of(args, entry / 2);
            State into = Entered().into;
            add_within(solver, frame, speed_of(args, entry / 2), entry % 2, own_state, q, aux, into);
            lost.add(__ldg(args.tables.size + entry / 2), Real(0), frame.leave(into));
        }
    }
    if (PREDICTS) {
        const Real per_volume = real_quotient(Real(0.5 * args.dt), __ldg(args.tables.volume + cell));
        for (Row row(args, cell); row.read(args, entry); row.next()) {
            State q = numbers_at<M>(place_at_face(args, entry / 2, entry % 2), 2 * size_t(args.tables.num_faces));
            #pragma unroll
            for (int m = 0; m < M; m++) q[m] = q[m] - per_volume * lost.into[m];
            store(q);
        }
    }
}
