// sum_up.cu: prefix sums of a list of counts, in place, and behind them and in a place of its own the total, once `sum_parts` has added up parts.
// Map     one block per part, SUM_ITEMS numbers a thread
// Shared  sums of warps
// Bytes   8 per number; 4 per part in each block
// Order   no atomics: repeats bit for bit

extern "C" __global__ void sum_up(const SumArgs args)
{
    __shared__ unsigned of_warps[SUM_THREADS / 32];
    start_next();
    const unsigned first = item_of_thread() * SUM_ITEMS, end = min(first + SUM_ITEMS, args.count);
    await_previous();
    unsigned before = 0, own = 0, all;
    for (unsigned part = threadIdx.x; part < blockIdx.x; part += SUM_THREADS) before += args.sums[part];
    sum_up_to_of_block(before, of_warps, before);
    for (unsigned k = first; k < end; k++) own += args.counts[k];
    unsigned next = before + sum_up_to_of_block(own, of_warps, all) - own;
    for (unsigned k = first; k < end; k++) {
        const unsigned count = args.counts[k];
        args.counts[k] = next;
        next += count;
    }
    if (first < args.count && end == args.count) args.counts[args.count] = *args.total = next;
}
