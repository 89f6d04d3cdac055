// sum_parts.cu: of a list of counts the sum of each part that a block of `sum_up` adds up.
// Map     one block per part, SUM_ITEMS numbers a thread
// Shared  sums of warps
// Bytes   4 per number
// Order   no atomics: repeats bit for bit

extern "C" __global__ void sum_parts(const SumArgs args)
{
    __shared__ unsigned of_warps[SUM_THREADS / 32];
    start_next();
    const unsigned first = item_of_thread() * SUM_ITEMS;
    await_previous();
    unsigned own = 0, all;
    for (unsigned k = first; k < min(first + SUM_ITEMS, args.count); k++) own += args.counts[k];
    sum_up_to_of_block(own, of_warps, all);
    if (threadIdx.x == 0) args.sums[blockIdx.x] = all;
}
