// springs_sum.cu: adds up what the warps have noted, and says how the iteration goes on.
// Map     one block of 32 warps
// Shared  the sum of each warp
// Bytes   8 per warp that has noted
// Order   every 1024th part by one thread, then as trees: unstructured::motion::springs

extern "C" __global__ void springs_sum(const SpringsArgs args)
{
    __shared__ double of_warps[32];
    start_next();
    await_previous();
    if (args.state->is_done) return;
    double sum = 0.0;
    for (unsigned part = threadIdx.x; part < args.num_parts; part += blockDim.x) sum += args.parts[part];
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = sum_of_warp(of_warps[threadIdx.x]);
    if (threadIdx.x != 0) return;
    SpringsState& state = *args.state;
    if (args.is_along) {
        state.factor = state.left / sum;
        state.iterations++;
        return;
    }
    if (state.iterations == 0) state.enough = state.tolerance * state.tolerance * sum;
    state.factor = state.iterations == 0 ? 0.0 : sum / state.left;
    state.left = sum;
    state.is_done = !(sum > state.enough) || state.iterations == args.num_nodes * DIM;
}
