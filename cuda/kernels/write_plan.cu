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
    for (unsigned column = 0; column < PlanColumn::All; column++)
        if (task_of(column) == task)
            items.next[column] = args.counts[column * args.room + blockIdx.x]
                + args.lanes[(blockIdx.x * 32 + lane_number()) * PlanColumn::All + column];
    // Kinds that share a table are stored one after the other.
    #pragma unroll
    for (unsigned what = 0; what <= PlanColumn::Kinds; what += PlanColumn::Kinds) {
        unsigned before = 0;
        #pragma unroll
        for (unsigned kind = PlanColumn::Copies; kind <= PlanColumn::OutsideInterps; kind++) {
            items.next[what + kind] += before;
            before += args.totals[what + kind];
        }
        items.next[what + PlanColumn::New] += args.totals[what + PlanColumn::Moved];
    }
    items.inside = args.totals[PlanColumn::Copies] + args.totals[PlanColumn::Interps];
    items.moved = args.totals[PlanColumn::Moved];
    find_items(items, blockIdx.x, near);
}
