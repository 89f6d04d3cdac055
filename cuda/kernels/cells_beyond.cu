// cells_beyond.cu: the states beyond the boundary faces of a mesh, as the sides' rules give them.
// Defined before it: FaceFrame; case_beyond, the rules of the mesh's sides by their numbers; MOVES: the faces do.
// Map     one thread per boundary face
// Bytes   2 M + 2 DIM Real and 8 bytes per face
// Order   every state is written by one thread: repeats bit for bit

extern "C" __global__ void cells_beyond(const CellsBeyondArgs args)
{
    start_next();
    const unsigned face = blockIdx.x * blockDim.x + threadIdx.x;
    await_previous();
    if (face >= args.num_boundary) return;
    const unsigned inside = args.inside_at ? args.inside_at[face] : face;
    const State q = values_at<M>(args.inside, inside, args.inside_component);
    const Value* turns = reinterpret_cast<const Value*>(args.turn);
    Array<Real, 3> turn;
    Spotted at{{0.0, 0.0, 0.0}, args.t};
    #pragma unroll
    for (int d = 0; d < 3; d++) {
        turn[d] = d < DIM ? double(turns[size_t(d) * args.num_faces + face]) : 0.0;
        if (d < DIM) at.x[d] = args.positions[size_t(d) * args.num_boundary + face];
    }
    // The velocity of the face along its normal.
    Array<double, 3> velocity{{0.0, 0.0, 0.0}};
    const double speed = MOVES ? double(reinterpret_cast<const Value*>(args.moving)[face]) : 0.0;
    for (int d = 0; d < DIM && MOVES; d++) velocity[d] = speed * args.normals[size_t(d) * args.num_boundary + face];
    double values[M];
    case_beyond(args.rules[face], at, FaceFrame(turn), velocity, q, values);
    Value* to = reinterpret_cast<Value*>(args.to);
    #pragma unroll
    for (int m = 0; m < M; m++) to[m * size_t(args.to_component) + face] = Value(values[m]);
}
