// sum_plan.cu: adds up what patches have of each kind: in place of each patch's number that of all before it, and the sums.
// Map     one block per kind
// Shared  sums of warps
// Bytes   8 bytes a patch and kind
// Floor   a launch
// Order   no atomics: repeats bit for bit

extern "C" __global__ void sum_plan(const PlanArgs args)
{
    __shared__ unsigned sums[SUM_THREADS / 32];
    start_next();
    await_previous();
    const unsigned count = args.level.num_boxes, lane = lane_number(), warp = threadIdx.x / 32;
    unsigned* column = args.counts + blockIdx.x * count;
    unsigned before = 0;
    for (unsigned first = 0; first < count; first += SUM_THREADS) {
        const unsigned k = first + threadIdx.x, own = k < count ? column[k] : 0;
        const unsigned sum = sum_up_to(own);
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        unsigned of_warps = 0, all = 0;
        for (unsigned other = 0; other < SUM_THREADS / 32; other++) {
            if (other < warp) of_warps += sums[other];
            all += sums[other];
        }
        if (k < count) column[k] = before + of_warps + sum - own;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) args.totals[blockIdx.x] = before;
}
