// transfer.cuh: transfer variables, between levels in place of states: amrclaw/src/exec/cpu/transfer_variables.rs, riemann/src/patch/transfer.rs.

#if HAS_TRANSFER
// Equations whose quantities are kept from being negative.
__device__ __forceinline__ constexpr int count_kept()
{
    int count = 0;
    for (int m = 0; m < M; m++) count += int(Solver::KEPT >> m & 1);
    return count;
}
// Components of a message: transfer variables, then the most that the cell has of each quantity that is kept; a state is marked by a number
// below zero there.
constexpr int SENT = M + (count_kept() > 0 ? count_kept() : 1);

// Transfer variables, and what the cell has of the quantities that are kept.
struct Variables {
    State t, most;
};

__device__ __forceinline__ Aux aux_at(const Real* aux, const Patch& patch, const Cell& cell)
{
    Aux values;
    if constexpr (A > 0) {
        const Real* first = aux + place(patch, A, cell);
        #pragma unroll
        for (int a = 0; a < A; a++) values[a] = first[size_t(a) * patch.component];
    }
    return values;
}

__device__ __forceinline__ Variables variables_of(const Solver& solver, const State& q, const Aux& aux)
{
    Variables values;
    values.t = solver.to_transfer(q, aux);
    #pragma unroll
    for (int m = 0; m < M; m++) values.most[m] = real_max(q[m], Real(0));
    return values;
}

// The state; where it has more of a quantity than `most`, the one with less in this variable.
__device__ __forceinline__ State bounded_state(const Solver& solver, State t, const Aux& aux, const State& most)
{
    State q = solver.from_transfer(t, aux);
    #pragma unroll
    for (int m = 0; m < M; m++) {
        if (!(Solver::KEPT >> m & 1)) continue;
        const Real weight = solver.transfer_weight(t, aux)[m];
        if (q[m] > most[m] && weight > Real(0)) {
            t[m] += (most[m] - q[m]) / weight;
            q = solver.from_transfer(t, aux);
            q[m] = real_min(q[m], most[m]);
        }
    }
    return q;
}
#endif
