// source_step.cuh: one step of a case's source term in a cell: `exec/cpu/source_step.rs`.
// Defined before it: case_function.

// The state after `dt`: one step of the midpoint rule, second order in time.
__device__ __forceinline__ Array<double, M> source_step(
    Point at, double dt, const Array<double, M>& q, const Array<double, A>& aux)
{
    double rates[M];
    Array<double, M> middle, after;
    case_function(at, q, aux, rates);
    #pragma unroll
    for (int m = 0; m < M; m++) middle[m] = q[m] + 0.5 * dt * rates[m];
    at.t += 0.5 * dt;
    case_function(at, middle, aux, rates);
    #pragma unroll
    for (int m = 0; m < M; m++) after[m] = q[m] + dt * rates[m];
    return after;
}
