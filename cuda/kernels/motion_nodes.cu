// motion_nodes.cu: where the nodes of a mesh are at a time, by formulas of where they were before they moved.
// Defined before it: case_nodes, these formulas.
// Map     one thread per node
// Bytes   16 DIM per node
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void motion_nodes(const MotionArgs args)
{
    start_next();
    const unsigned node = item_of_thread();
    await_previous();
    if (node >= args.num_nodes) return;
    Spotted at{{0.0, 0.0, 0.0}, args.t};
    double* to = args.after.points + size_t(node) * DIM;
    #pragma unroll
    for (int d = 0; d < DIM; d++) at.x[d] = args.still_points[size_t(node) * DIM + d];
    double values[DIM];
    case_nodes(at, values);
    #pragma unroll
    for (int d = 0; d < DIM; d++) to[d] = values[d];
}
