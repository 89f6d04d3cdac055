// springs.cuh: nodes on springs, and sums over them in the order of unstructured::motion::springs.

__device__ __forceinline__ unsigned node_of_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The sum over a warp's lanes, in lane 0.
__device__ __forceinline__ double sum_of_warp(double value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

// Notes the sum of what the nodes of a warp give.
__device__ __forceinline__ void note_part(const SpringsArgs& args, unsigned node, double term)
{
    const double sum = sum_of_warp(term);
    if (node % 32 == 0 && node < args.num_nodes) args.parts[node / 32] = sum;
}
