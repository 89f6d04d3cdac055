// fill.cu: copies cells between patches and interpolates them from coarser patches; ghost cells outside the domain take the values of cells
// inside, read from where these are read from.
// Map     one warp per chunk of a region's cells; a lane takes four cells at once that are copied, one that is interpolated
// Bytes   2 M Real per copied cell; (5 M to 10 M reads, mostly cached) + M Real per interpolated cell
// Floor   the bytes: ghost cells are a few percent of a level
// Order   every cell is written by one lane, and none is read that a lane writes: repeats bit for bit

// Slope of a cell between its neighbours, zero at extrema. `wide`: min(2 |below|, 2 |above|, |central| / 2), for ghost cells; else
// min(|below|, |above|), for new patches. No branches, which would make a cell's loads wait for those of the cell before.
__device__ __forceinline__ Real limited_slope(bool wide, Real below, Real here, Real above)
{
    const Real minus = here - below, plus = above - here, central = above - below;
    const Real least = real_min(real_abs(minus), real_abs(plus));
    const Real size = wide ? real_min(least + least, Real(0.5) * real_abs(central)) : least;
    const Real slope = central > Real(0) ? size : -size;
    return minus * plus <= Real(0) ? Real(0) : slope;
}

// Distance of a fine cell's centre from its coarse cell's, in coarse cells.
__device__ __forceinline__ Real offset_in_coarse(int fine, int coarse, int ratio)
{
    return Real((double(fine - coarse * ratio) + 0.5) / double(ratio) - 0.5);
}

#if HAS_TRANSFER

// Transfer variables, or the state that they are of a cell of a patch.
__device__ __forceinline__ Array<Real, SENT> arrived(
    const FillArgs& args, const Patch& to, const Cell& cell, const Variables& variables)
{
    Array<Real, SENT> values;
    const bool becomes_state = !(args.form & (FillForm::Variables | FillForm::IntoMessages));
    State q = variables.t;
    if (becomes_state) {
        const Solver solver{SOLVER_PARAMETERS};
        q = bounded_state(solver, q, aux_at(args.target.aux, to, in_patch(to, cell)), variables.most);
    }
    #pragma unroll
    for (int m = 0; m < M; m++) values[m] = q[m];
    values[M] = Real(0);
    int sent = M;
    #pragma unroll
    for (int m = 0; m < M; m++)
        if (Solver::KEPT >> m & 1) values[sent++] = variables.most[m];
    return values;
}
#else
constexpr int SENT = M;
#endif

// A state in a message is marked as one.
__device__ __forceinline__ Array<Real, SENT> copied_cell(
    const FillArgs& args, const Region& region, const Patch& from, const Patch& to, const Cell& cell)
{
    Array<Real, SENT> values;
#if HAS_TRANSFER
    const bool arrives = args.form & FillForm::FromMessages;
    const size_t source = place(from, arrives ? SENT : M, in_patch(from, cell, region.shift));
    #pragma unroll
    for (int m = 0; m < SENT; m++)
        values[m] = m < M || arrives ? args.source.q[source + size_t(m) * from.component] : Real(-1);
    if (arrives && values[M] >= Real(0)) {
        Variables variables;
        int sent = M;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            variables.t[m] = values[m];
            variables.most[m] = Solver::KEPT >> m & 1 ? values[sent++] : Real(0);
        }
        return arrived(args, to, cell, variables);
    }
#else
    size_t source = place(from, M, in_patch(from, cell, region.shift));
    #pragma unroll
    for (int m = 0; m < M; m++) values[m] = args.source.q[source + size_t(m) * from.component];
#endif
    return values;
}

// A value of the coarse level; BETWEEN: interpolated between its two times.
template <bool BETWEEN> __device__ __forceinline__ Real coarse_value(const FillArgs& args, Real alpha, size_t i)
{
    if (!BETWEEN) return args.coarse.q[i];
    Real before = args.coarse_old[i];
    return before + alpha * (args.coarse.q[i] - before);
}

// The state at a point of a cell, XI from its centre.
__device__ __forceinline__ Array<Real, M> inside_cell(
    const Array<Real, M>& here, const Array<Array<Real, M>, DIM>& slopes, const Array<Real, DIM>& xi)
{
    Array<Real, M> values;
    #pragma unroll
    for (int m = 0; m < M; m++) {
        Real result = here[m];
        #pragma unroll
        for (int d = 1; d < DIM; d++) result += xi[d] * slopes[d][m];
        values[m] = result + xi[0] * slopes[0][m];
    }
    return values;
}

#if HAS_ADMISSIBLE
// Makes the slopes of a cell zero where a state in it would not be admissible: riemann/src/patch/slopes.rs.
__device__ __forceinline__ void limit_slopes(
    const FillArgs& args, const State& here, const Aux& aux, Array<State, DIM>& slopes)
{
    const Solver solver{SOLVER_PARAMETERS};
    bool allowed = true;
    #pragma unroll
    for (int corner = 0; corner < 1 << DIM; corner++) {
        Array<Real, DIM> xi;
        #pragma unroll
        for (int d = 0; d < DIM; d++) xi[d] = offset_in_coarse(corner >> d & 1 ? args.ratio[d] - 1 : 0, 0, args.ratio[d]);
        #if HAS_TRANSFER
        allowed = allowed && solver.is_admissible(solver.from_transfer(inside_cell(here, slopes, xi), aux), aux, Real(0));
#else
        allowed = allowed && solver.is_admissible(inside_cell(here, slopes, xi), aux, Real(0));
#endif
    }
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        #pragma unroll
        for (int m = 0; m < M; m++) slopes[d][m] = allowed ? slopes[d][m] : Real(0);
    }
}
#endif

#if HAS_TRANSFER
// Transfer variables of a coarse cell; BETWEEN: interpolated between its two times.
template <bool BETWEEN>
__device__ __forceinline__ Variables coarse_variables(const FillArgs& args, Real alpha, const Patch& from, const Cell& cell)
{
    const Solver solver{SOLVER_PARAMETERS};
    const size_t centre = place(from, M, cell);
    const Aux aux = aux_at(args.coarse.aux, from, cell);
    auto at = [&](const Real* array) {
        State q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = array[centre + size_t(m) * from.component];
        return variables_of(solver, q, aux);
    };
    Variables here = at(args.coarse.q);
    if (BETWEEN) {
        const Variables before = at(args.coarse_old);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            here.t[m] = before.t[m] + alpha * (here.t[m] - before.t[m]);
            here.most[m] = before.most[m] + alpha * (here.most[m] - before.most[m]);
        }
    }
    return here;
}
#endif

template <bool BETWEEN>
__device__ __forceinline__ Array<Real, SENT> interpolated_cell(
    const FillArgs& args, const Region& region, const Patch& from, const Patch& to, const Cell& cell)
{
    Cell coarse;
    Array<Real, DIM> xi;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        coarse[d] = floor_divide(cell[d], args.ratio[d]);
        xi[d] = offset_in_coarse(cell[d], coarse[d], args.ratio[d]);
    }
    Real alpha = Real(args.alpha);
#if HAS_TRANSFER
    const Cell centre = in_patch(from, coarse, region.shift);
    Variables variables = coarse_variables<BETWEEN>(args, alpha, from, centre);
    const State here = variables.t;
    Array<Array<Real, DIM>, M> below, above;
    // How far the variables of quantities that are kept are from those of neighbours that are not empty either.
    State apart = variables.most;
    Array<bool, M> alone;
    #pragma unroll
    for (int m = 0; m < M; m++) alone[m] = true;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        Cell lower = centre, upper = centre;
        lower[d]--, upper[d]++;
        const Variables beneath = coarse_variables<BETWEEN>(args, alpha, from, lower);
        const Variables over = coarse_variables<BETWEEN>(args, alpha, from, upper);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            below[m][d] = beneath.t[m], above[m][d] = over.t[m];
            const Real from_below = real_abs(beneath.t[m] - here[m]), from_above = real_abs(over.t[m] - here[m]);
            if (beneath.most[m] > Real(0) && from_below < apart[m]) apart[m] = from_below;
            if (over.most[m] > Real(0) && from_above < apart[m]) apart[m] = from_above;
            alone[m] = alone[m] && !(beneath.most[m] > Real(0)) && !(over.most[m] > Real(0));
        }
    }
#else
    size_t source = place(from, M, in_patch(from, coarse, region.shift));
    // All values are loaded before the first is used.
    Array<Real, M> here;
    Array<Array<Real, DIM>, M> below, above;
    #pragma unroll
    for (int m = 0; m < M; m++) {
        size_t centre = source + size_t(m) * from.component;
        auto value = [&](size_t i) { return coarse_value<BETWEEN>(args, alpha, i); };
        here[m] = value(centre);
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            below[m][d] = value(centre - stride(from, d));
            above[m][d] = value(centre + stride(from, d));
        }
    }
#endif
    Array<Array<Real, M>, DIM> slopes;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        #pragma unroll
        for (int m = 0; m < M; m++) slopes[d][m] = limited_slope(args.wide, below[m][d], here[m], above[m][d]);
    }
#if HAS_ADMISSIBLE
    Aux aux;
    if constexpr (A > 0) {
        const Real* beneath = args.coarse.aux + place(from, A, in_patch(from, coarse, region.shift));
        #pragma unroll
        for (int a = 0; a < A; a++) aux[a] = beneath[size_t(a) * from.component];
    }
    limit_slopes(args, here, aux, slopes);
#endif
#if HAS_TRANSFER
    int num_fine = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) num_fine *= args.ratio[d];
    #pragma unroll
    for (int m = 0; m < M; m++)
        variables.most[m] =
            real_max(Real(2.0 * double(num_fine)) * (variables.most[m] - (alone[m] ? Real(0) : apart[m])), variables.most[m]);
    variables.t = inside_cell(here, slopes, xi);
    return arrived(args, to, cell, variables);
#else
    return inside_cell(here, slopes, xi);
#endif
}

// Cells that a lane copies at once, so that the latencies of their loads overlap.
constexpr int COPIED = 4;
// Blocks of a multiprocessor: so few that all values of a cell's neighbours have registers while they are loaded.
constexpr int BLOCKS = M * (2 * DIM + 1) > 24 ? 3 : 4;

// Fills the cells of a chunk, AT_ONCE by each lane: all their values are loaded before the first is stored. `value`: the value of a cell,
// given where its source lies.
template <int AT_ONCE, class Value>
__device__ __forceinline__ void fill_cells(
    const FillArgs& args, const Work<Region>& work, const Patch& to, const Origin* outside, Value value)
{
#if HAS_TRANSFER
    const int stored = args.form & FillForm::IntoMessages ? SENT : M;
#else
    constexpr int stored = M;
#endif
    for (int from = work.first; from < work.end; from += 32 * AT_ONCE) {
        Array<Array<Real, SENT>, AT_ONCE> values;
        Array<Real*, AT_ONCE> targets;
        #pragma unroll
        for (int n = 0; n < AT_ONCE; n++) {
            if (from + 32 * n >= work.end) continue;
            const Cell cell = cell_of(work.item, from + 32 * n);
            Cell source = cell;
            if (outside) {
                #pragma unroll
                for (int d = 0; d < DIM; d++) source[d] = outside->scale[d] * cell[d] + outside->offset[d];
            }
            targets[n] = args.target.q + place(to, stored, in_patch(to, cell));
            values[n] = value(source);
        }
        #pragma unroll
        for (int n = 0; n < AT_ONCE; n++) {
            if (from + 32 * n >= work.end) continue;
            #pragma unroll
            for (int m = 0; m < SENT; m++) {
                if (m >= stored) continue;
                const bool turned = outside && __popc(outside->walls & args.signs[m]) & 1;
                targets[n][size_t(m) * to.component] = turned ? -values[n][m] : values[n][m];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, BLOCKS) fill(const FillArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const bool is_outside = work.number >= args.num_inside;
    const bool copies = work.number < (is_outside ? args.num_inside + args.num_outside_copies : args.num_copies);
    const Patch to = args.target.patches[work.item.target];
    const Patch from = (copies ? args.source.patches : args.coarse.patches)[work.item.source];
    Origin origin = {};
    if (is_outside) origin = args.origins[work.number - args.num_inside];
    const Origin* outside = is_outside ? &origin : nullptr;
    await_previous();
    if (copies)
        fill_cells<COPIED>(args, work, to, outside,
            [&](const Cell& cell) { return copied_cell(args, work.item, from, to, cell); });
    else if (Real(args.alpha) == Real(1))
        fill_cells<1>(args, work, to, outside,
            [&](const Cell& cell) { return interpolated_cell<false>(args, work.item, from, to, cell); });
    else
        fill_cells<1>(args, work, to, outside,
            [&](const Cell& cell) { return interpolated_cell<true>(args, work.item, from, to, cell); });
}
