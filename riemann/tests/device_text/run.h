// Reads faces, calls all functions of the solver for each along all axes, and writes the results.
inline void run(const char* input, const char* output) {
    FILE* in = fopen(input, "rb");
    FILE* out = fopen(output, "wb");
    State ql{}, qr{}, asdq{};
    Aux left{}, below{}, here{}, above{};
    while (read(ql.v, M, in) && read(qr.v, M, in) && read(asdq.v, M, in) && read(left.v, A, in) && read(below.v, A, in) &&
           read(here.v, A, in) && read(above.v, A, in)) {
        for (int a = 0; a < D; ++a) {
            Axis axis = Axis(a);
            auto solve = [&](const Solver& solver) {
                Normal face = solver.normal(axis, ql, qr, left, here);
                for (int w = 0; w < W; ++w) write(face.waves[w].v, M, out);
                write(face.speeds.v, W, out);
                write(face.amdq.v, M, out);
                write(face.apdq.v, M, out);
            };
            solve(solver);
#ifdef HAS_BESIDE
            Solver told = solver;
            told.set_beside(solver.steepness(axis, ql, qr, left, here));
            solve(told);
#endif
            for (int s = 0; s < 2; ++s) {
                for (int t = 0; t < D; ++t) {
                    if (t == a) continue;
                    Transverse split = solver.transverse(axis, Axis(t), Side(s), ql, qr, solver.mean_state(ql, qr), TransverseAux{below, here, above}, asdq);
                    write(split.bmasdq.v, M, out);
                    write(split.bpasdq.v, M, out);
                }
#ifdef HAS_BOUNDARY
                write(solver.boundary(axis, Side(s), Array<Real, 3>{{ql[0], qr[0], Real(0)}}, qr[0], ql).v, M, out);
#endif
            }
        }
#ifdef HAS_SOURCE
        write(solver.source(Array<Real, 3>{{ql[0], qr[0], Real(0)}}, qr[0], Real(0.25), ql, here).v, M, out);
#endif
#ifdef HAS_TRANSFER
        const Aux both[] = {left, here};
        for (const Aux& aux : both) {
            const State t = solver.to_transfer(ql, left);
            write(t.v, M, out);
            write(solver.from_transfer(t, aux).v, M, out);
            write(solver.transfer_weight(t, aux).v, M, out);
        }
#endif
#ifdef HAS_FLAG
        Real flag = solver.flag(Array<Real, 3>{{ql[0], qr[0], Real(0)}}, qr[0], ql, here, Array<State, 3>{{qr, asdq, ql}}, Array<State, 3>{{asdq, ql, qr}}) ? Real(1) : Real(0);
        write(&flag, 1, out);
#endif
    }
    fclose(in);
    fclose(out);
}
