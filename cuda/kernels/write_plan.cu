// write_plan.cu: writes the tables of a level's plans, items and chunks, in the order of the patches.
// Map     one block per patch, a warp for each level where others are near it
// Shared  the patches near it
// Bytes   those of count_plan, which it has counted, and the tables: 44 bytes a region, 60 a run, 36 more outside the domain, 8 a chunk
// Floor   a launch; 10 us for some thousand patches
// Order   every item is written by one lane: repeats bit for bit

extern "C" __global__ void write_plan(const PlanArgs args)
{
    __shared__ Surroundings near;
    start_next();
    await_previous();
    near.find(args, blockIdx.x);
    Items<true> items(args);
    const int task = threadIdx.x / 32;
    #pragma unroll
    for (int column = 0; column < COLUMNS; column++)
        if (task_of(column) == task)
            items.next[column] = args.counts[column * args.room + blockIdx.x]
                + args.lanes[(blockIdx.x * 32 + lane_number()) * COLUMNS + column];
    // Kinds that share a table are stored one after the other.
    #pragma unroll
    for (int what = ITEMS; what <= CHUNKS; what += CHUNKS - ITEMS) {
        unsigned before = 0;
        #pragma unroll
        for (int kind = COPIES; kind <= OUTSIDE_INTERPS; kind++) {
            items.next[what + kind] += before;
            before += args.totals[what + kind];
        }
        items.next[what + NEW] += args.totals[what + MOVED];
    }
    items.inside = args.totals[ITEMS + COPIES] + args.totals[ITEMS + INTERPS];
    items.moved = args.totals[ITEMS + MOVED];
    find_items(items, blockIdx.x, near);
}
