// beside.cuh: faces solved by solvers that look at the jumps beside them: riemann/src/patch/beside.rs.

// From one cell to another, in cells along each axis.
typedef Array<int, 3> Steps;

#if LOOKS_BESIDE
// The solver, told of the steepest jump beside the face below a cell along an axis. CELLS gives the state and the auxiliary values of the
// cell so many steps from that one.
template <class Cells> __device__ __forceinline__ Solver at_face(const Solver& solver, Axis axis, const Cells& cells)
{
    Real steepest = Real(0.0);
#pragma unroll
    for (int d = 0; d < Solver::dim__; d++) {
        const Axis across = Axis(d);
        if (across == axis) continue;
#pragma unroll
        for (int side = -1; side <= 0; side++) {
#pragma unroll
            for (int upper = 0; upper <= 1; upper++) {
                Steps below = {}, above = {};
                below[axis] = above[axis] = side;
                below[across] = upper - 1;
                above[across] = upper;
                steepest = real_max(steepest,
                    solver.steepness(across, cells.state(below), cells.state(above), cells.aux(below), cells.aux(above)));
            }
        }
    }
    Solver told = solver;
    told.set_beside(steepest);
    return told;
}
#else
template <class Cells> __device__ __forceinline__ const Solver& at_face(const Solver& solver, Axis, const Cells&)
{
    return solver;
}
#endif
