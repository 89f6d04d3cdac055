// motion_nodes.cu: where the nodes of a mesh are at a time, by formulas of where they were before they moved; springs draw those that are not held.
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
    const bool is_drawn = args.is_held && !args.is_held[node];
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        if (is_drawn) {
            const double first = args.displaced[0][size_t(node) * DIM + d], second = args.displaced[1][size_t(node) * DIM + d];
            values[d] = at.x[d] + (first + args.share * (second - first));
        }
        to[d] = values[d];
    }
}
