// cells_update.cu: a stage of all cells of a mesh, each of which solves the Riemann problems of all its faces.
// Map     one thread per cell
// Bytes   2 M Real of the cell, M of each cell behind its faces or of the states there; DIM + 1 Real and 8 bytes per face
// Order   faces in the order of the cell's list, no atomics on values: repeats bit for bit

extern "C" __global__ void cells_update(const CellsArgs args)
{
    start_next();
    const unsigned cell = item_of_thread();
    await_previous();
    Real courant = Real(0);
    bool broken = false;
    if (cell < args.tables.num_cells) {
        const Solver solver{SOLVER_PARAMETERS};
        const State own = state_of(args, cell);
        const Aux aux = aux_of(args, cell);
        Entered entered;
        unsigned entry;
        #pragma unroll 1
        for (Row row(args, cell); row.read(args, entry); row.next()) {
            const unsigned face = entry / 2, side = entry % 2, behind = __ldg(args.tables.neighbours + row.place);
            const FaceFrame frame = frame_of(args, face);
            const Real moving = speed_of(args, face);
            State here = own, there;
            if (ORDER > 1 && args.is_second) {
                here = numbers_at<M>(place_at_face(args, face, side), 2 * size_t(args.tables.num_faces));
                there = numbers_at<M>(place_at_face(args, face, 1 - side), 2 * size_t(args.tables.num_faces));
            } else {
                there = state_of(args, behind);
            }
            const Aux aux_there = aux_behind(args, behind, cell);
            const Normal met =
                solve(solver, frame, moving, side ? there : here, side ? here : there, side ? aux_there : aux, side ? aux : aux_there);
            State into = side ? met.apdq : met.amdq;
            if (ORDER > 1 && args.is_second) add_within(solver, frame, moving, side, own, here, aux, into);
            into = frame.leave(into);
            entered.add(__ldg(args.tables.size + face), fastest_of(met, moving), into);
        }
        courant = real_max(end_stage(args, solver, cell, entered, broken), courant);
    }
    report_stage(*args.report, courant, broken);
}
