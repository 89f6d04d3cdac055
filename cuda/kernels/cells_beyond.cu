// cells_beyond.cu: the states beyond the boundary faces of a mesh, as the sides' rules give them.
// Defined before it: FaceFrame; case_beyond, the rules of the mesh's sides by their numbers; is_function, which
// of them are functions of the case; MOVES: the faces do.
// Map     one thread per boundary face
// Bytes   2 M + 2 DIM Real and 8 bytes per face; where sources have acted 3 M + 2 DIM Real
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
    Value* gained = reinterpret_cast<Value*>(args.gained);
    #pragma unroll
    for (int m = 0; m < M; m++) {
        const size_t place = m * size_t(args.num_boundary) + face;
        if (args.finds_gained) {
            // What a rule gives as before, though sources have acted within, is the side's own.
            const Value before = gained[place + M * size_t(args.num_boundary)];
            gained[place] = Value(values[m]) == before ? gained[place] - before : Value(0);
            continue;
        }
        Value value = Value(values[m]);
        if (gained && is_function(args.rules[face]) && gained[place] != Value(0)) value += Value(args.share) * gained[place];
        to[m * size_t(args.to_component) + face] = value;
    }
}
