// source_step.cuh: one step of a case's source term in a cell: `exec/cpu/source_step.rs`.
// Defined before it: case_function; GIVES_STATE, whether it gives the state after a step, or rates of change.

// The state after `dt`: by the function itself, or by one step of the midpoint rule, both second order in time. `reverses` is set where the
// rates of the midpoint rule point against each other, and not because time has passed.
__device__ __forceinline__ Array<double, M> source_step(
    Point at, double dt, const Array<double, M>& q, const Array<double, A>& aux, bool& reverses)
{
    double first[M], second[M];
    Array<double, M> middle, after;
    if (GIVES_STATE) {
        at.duration = dt;
        case_function(at, q, aux, first);
        #pragma unroll
        for (int m = 0; m < M; m++) after[m] = first[m];
        return after;
    }
    case_function(at, q, aux, first);
    #pragma unroll
    for (int m = 0; m < M; m++) middle[m] = q[m] + 0.5 * dt * first[m];
    at.t += 0.5 * dt;
    case_function(at, middle, aux, second);
    bool turns = false;
    #pragma unroll
    for (int m = 0; m < M; m++) {
        turns = turns || first[m] * second[m] < 0.0;
        after[m] = q[m] + dt * second[m];
    }
    if (turns) {
        double later[M], sum = 0.0;
        case_function(at, q, aux, later);
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const double product = first[m] * (first[m] + (second[m] - later[m]));
            if (product != 0.0) sum += product / (q[m] * q[m]);
        }
        if (sum * dt * dt < -1e-24) reverses = true;
    }
    return after;
}
