// sort_boxes.cu: sorts boxes by their first cells, which all differ, the last axis first.
// Map     one warp per box, which counts those before it
// Bytes   all boxes for each box, from the cache
// Floor   a launch, for some thousand boxes
// Order   the largest of whole numbers by atomics: repeats bit for bit, whatever the order before

extern "C" __global__ void sort_boxes(const SortArgs args)
{
    start_next();
    await_previous();
    const unsigned count = min(args.state->nested, args.room), lane = lane_number(), warps = gridDim.x * blockDim.x / 32;
    for (unsigned number = warp_number(); number < count; number += warps) {
        const CellBox box = args.boxes[number];
        unsigned before = 0;
        for (unsigned k = lane; k < count; k += 32) {
            bool is_before = false;
            #pragma unroll
            for (int d = 0; d < DIM; d++) {
                const int first = args.boxes[k].lo[d];
                is_before = first < box.lo[d] || (first == box.lo[d] && is_before);
            }
            before += is_before;
        }
        before = sum_of_warp(before);
        if (lane != 0) continue;
        args.sorted[before] = box;
        if (before < args.room_for_patches) args.patches[before] = box;
        atomicMax(&args.state->tallest, unsigned(box.hi[DIM - 1] - box.lo[DIM - 1]));
    }
}
