// count_plan.cu: how many items of each kind, and how many chunks of them, a level's plans have for each of its patches.
// Map     one block of one warp per patch
// Shared  the patches near it, and what each lane has counted
// Bytes   the boxes of patches within the largest height of one, from the cache; 2.5 kB of counts a patch
// Floor   a launch; 10 us for some thousand patches
// Order   every count is written by one lane: repeats bit for bit

extern "C" __global__ void count_plan(const PlanArgs args)
{
    __shared__ Surroundings near;
    __shared__ unsigned counted[32][COLUMNS];
    start_next();
    await_previous();
    near.find(args, blockIdx.x);
    Items<false> items(args);
    find_items(items, blockIdx.x, near);
    #pragma unroll
    for (int column = 0; column < COLUMNS; column++) counted[lane_number()][column] = items.next[column];
    __syncwarp();
    // A lane for each column adds up what all have counted.
    if (lane_number() >= COLUMNS) return;
    unsigned sum = 0;
    unsigned* before = args.lanes + blockIdx.x * 32 * COLUMNS + lane_number();
    for (int lane = 0; lane < 32; lane++) {
        before[lane * COLUMNS] = sum;
        sum += counted[lane][lane_number()];
    }
    args.counts[lane_number() * args.level.num_boxes + blockIdx.x] = sum;
}
