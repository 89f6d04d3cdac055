// springs_turn.cu: the next direction.
// Map     one thread per node
// Bytes   24 DIM per node

extern "C" __global__ void springs_turn(const SpringsArgs args)
{
    start_next();
    const unsigned node = node_of_thread();
    await_previous();
    if (args.state->is_done || node >= args.num_nodes) return;
    const double share = args.state->factor;
    #pragma unroll
    for (int i = 0; i < DIM; i++) {
        double& along = args.along[size_t(node) * DIM + i];
        along = args.ahead[size_t(node) * DIM + i] + share * along;
    }
}
