// sum_plan.cu: prefix sums of the patches' counts of each kind, in place, and their totals.
// Map     one block per kind
// Shared  sums of warps
// Bytes   8 bytes a patch and kind
// Floor   a launch
// Order   no atomics: repeats bit for bit

extern "C" __global__ void sum_plan(const PlanArgs args)
{
    __shared__ unsigned of_warps[SUM_THREADS / 32];
    start_next();
    await_previous();
    const unsigned count = as_found(args.level).num_boxes;
    unsigned* column = args.counts + blockIdx.x * args.room;
    unsigned before = 0;
    for (unsigned first = 0; first < count; first += SUM_THREADS) {
        const unsigned k = first + threadIdx.x, own = k < count ? column[k] : 0;
        unsigned all;
        const unsigned up_to = sum_up_to_of_block(own, of_warps, all);
        if (k < count) column[k] = before + up_to - own;
        before += all;
    }
    if (threadIdx.x == 0) args.totals[blockIdx.x] = before;
}
