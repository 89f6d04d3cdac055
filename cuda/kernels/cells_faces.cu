// cells_faces.cu: the fluctuations at all faces of a mesh.
// Map     one thread per face
// Bytes   2 M Real of states, at order 2 twice as many, 2 M + DIM + 1 Real and 8 bytes per face
// Order   every face is written by one thread: repeats bit for bit

extern "C" __global__ void cells_faces(const CellsArgs args)
{
    start_next();
    const unsigned face = item_of_thread();
    await_previous();
    if (face >= args.tables.num_faces) return;
    const Solver solver{SOLVER_PARAMETERS};
    const FaceFrame frame = frame_of(args, face);
    const Real moving = speed_of(args, face);
    unsigned cells[2];
    State own[2], met[2];
    Aux aux[2];
    #pragma unroll
    for (int side = 0; side < 2; side++) {
        cells[side] = __ldg((side ? args.tables.right : args.tables.left) + face);
        own[side] = state_of(args, cells[side]);
        met[side] = own[side];
        if (ORDER > 1 && args.is_second) met[side] = numbers_at<M>(place_at_face(args, face, side), 2 * size_t(args.tables.num_faces));
        aux[side] = aux_behind(args, cells[side], cells[0]);
    }
    const Normal solved = solve(solver, frame, moving, met[0], met[1], aux[0], aux[1]);
    args.speed[face] = fastest_of(solved, moving);
    #pragma unroll
    for (unsigned side = 0; side < 2; side++) {
        State into = side ? solved.apdq : solved.amdq;
        if (ORDER > 1 && args.is_second) add_within(solver, frame, moving, side, own[side], met[side], aux[side], into);
        into = frame.leave(into);
        Real* to = (side ? args.to_right : args.to_left) + face;
        #pragma unroll
        for (int m = 0; m < M; m++) to[size_t(m) * args.tables.num_faces] = into[m];
    }
}
