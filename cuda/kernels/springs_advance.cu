// springs_advance.cu: displaces nodes by a step along a direction, and preconditions the forces that are left.
// Map     one thread per node
// Bytes   (56 + 8 DIM) DIM per node
// Order   as springs_forces

extern "C" __global__ void springs_advance(const SpringsArgs args)
{
    start_next();
    const unsigned node = node_of_thread();
    await_previous();
    if (args.state->is_done) return;
    const double step = args.state->factor;
    double term = 0.0;
    if (node < args.num_nodes) {
        const size_t first = size_t(node) * DIM;
        double residual[DIM];
        #pragma unroll
        for (int i = 0; i < DIM; i++) {
            args.displaced[first + i] += step * args.along[first + i];
            residual[i] = args.residual[first + i] + -step * args.forces[first + i];
            args.residual[first + i] = residual[i];
        }
        const double* inverse = args.inverses + size_t(node / 32 * 32) * (DIM * DIM) + node % 32;
        #pragma unroll
        for (int i = 0; i < DIM; i++) {
            double ahead = 0.0;
            #pragma unroll
            for (int j = 0; j < DIM; j++) ahead += __ldg(inverse + 32 * (i * DIM + j)) * residual[j];
            args.ahead[first + i] = ahead;
            term += residual[i] * ahead;
        }
    }
    note_part(args, node, term);
}
