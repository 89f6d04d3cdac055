// count_plan.cu: counts the items of each kind, and their chunks, in a level's plans for each of its patches.
// Map     one block per patch, a warp for each level where others are near it
// Shared  the patches near it, and what each lane has counted
// Bytes   the boxes of patches within the largest height of one, from the cache; 2.5 kB of counts a patch
// Floor   a launch; 10 us for some thousand patches
// Order   every count is written by one lane: repeats bit for bit

extern "C" __global__ void count_plan(const PlanArgs args)
{
    __shared__ Surroundings near;
    __shared__ unsigned counted[32][PlanColumn::All];
    start_next();
    await_previous();
    if (blockIdx.x >= as_found(args.level).num_boxes) return;
    near.find(args, blockIdx.x);
    Items<false> items(args);
    find_items(items, blockIdx.x, near);
    const int task = threadIdx.x / 32;
    #pragma unroll
    for (unsigned column = 0; column < PlanColumn::All; column++)
        if (task_of(column) == task) counted[lane_number()][column] = items.next[column];
    __syncthreads();
    // A thread for each column adds up what all lanes have counted.
    const unsigned column = threadIdx.x;
    if (column >= PlanColumn::All) return;
    unsigned sum = 0;
    unsigned* before = args.lanes + blockIdx.x * 32 * PlanColumn::All + column;
    for (int lane = 0; lane < 32; lane++) {
        before[lane * PlanColumn::All] = sum;
        sum += counted[lane][column];
    }
    args.counts[column * args.room + blockIdx.x] = sum;
}
