// cells_gather.cu: the end of a stage of all cells of a mesh, which take from their faces what enters them.
// Map     one thread per cell
// Bytes   3 M Real of the cell; M + 2 Real and 4 bytes per face
// Order   faces in the order of the cell's list, no atomics on values: repeats bit for bit

extern "C" __global__ void cells_gather(const CellsArgs args)
{
    start_next();
    const unsigned cell = item_of_thread();
    await_previous();
    Real courant = Real(0);
    bool broken = false;
    if (cell < args.tables.num_cells) {
        const Solver solver{SOLVER_PARAMETERS};
        Entered entered;
        unsigned entry;
        for (Row row(args, cell); row.read(args, entry); row.next()) {
            const unsigned face = entry / 2;
            const Real* from = (entry % 2 ? args.to_right : args.to_left) + face;
            entered.add(__ldg(args.tables.size + face), args.speed[face], numbers_at<M>(from, args.tables.num_faces));
        }
        courant = real_max(end_stage(args, solver, cell, entered, broken), courant);
    }
    report_stage(*args.report, courant, broken);
}
