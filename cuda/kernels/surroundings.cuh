// surroundings.cuh: the patches near one, and the parts of boxes beside it that they do not cover. A block takes a patch, and each of its
// warps one of the levels with patches near it.

// Most patches near one; most parts that they leave of a box beside it; most parts of all boxes.
constexpr int NEAR = DIM == 3 ? 256 : 128, PARTS = 64, OPEN = 2 * PARTS;
// Boxes that a lane loads before it compares any.
constexpr int ASKED = 4;

// A warp for each level where near patches lie.
enum Task { BESIDE, UNDER, BEFORE, TASKS };
static_assert(32 * TASKS == PLAN_THREADS, "the host gives a block as many warps");

// A part of a region that a patch covers, in the region's coordinates, and their shift from the patch's.
struct Image {
    CellBox part;
    int patch, shift[DIM];
};

// Images found around a patch.
struct Near {
    Image images[NEAR];
    int count;
};

// A level as kernels have found it, where the host does not know it yet. If boxes are missing, it has none.
__device__ __forceinline__ PlanLevel as_found(PlanLevel level)
{
    if (!level.found) return level;
    level.num_boxes = level.found->failed ? 0 : min(level.found->nested, level.num_boxes);
    level.tallest = int(level.found->tallest);
    return level;
}

// The number of the first box that begins at a cell of the last axis or behind it: boxes are sorted that way. By a warp.
__device__ __forceinline__ unsigned first_behind_cell(const PlanLevel& level, int cell)
{
    unsigned lo = 0, hi = level.num_boxes;
    while (lo < hi) {
        const unsigned step = (hi - lo + 31) / 32, probe = lo + lane_number() * step;
        const bool is_before = probe < hi && level.boxes[probe].lo[DIM - 1] < cell;
        const unsigned before = __popc(__ballot_sync(ALL, is_before));
        if (before == 0) return lo;
        hi = min(hi, lo + before * step);
        lo += (before - 1) * step + 1;
    }
    return lo;
}

// Lists the parts of a region that patches of a level cover, periodic images too; without patch number `own` itself. By a warp.
__device__ void find_near(
    const PlanLevel& level, const CellBox& region, const unsigned* periodic, int own, Near& near, unsigned* failed)
{
    const Periods periods(level.domain, periodic, region);
    int found = 0;
    for (int number = 0; number < periods.count; number++) {
        const Cell shift = periods.shift(level.domain, number);
        Image image;
        const CellBox here = shifted_back(region, shift);
        bool shifted = false;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            image.shift[d] = shift[d];
            shifted = shifted || shift[d] != 0;
        }
        // Up to the first that begins behind the region.
        bool is_last = false;
        const unsigned begin = first_behind_cell(level, here.lo[DIM - 1] - level.tallest + 1);
        for (unsigned first = begin; !is_last && first < level.num_boxes; first += 32 * ASKED) {
            CellBox boxes[ASKED];
            #pragma unroll
            for (int n = 0; n < ASKED; n++)
                boxes[n] = level.boxes[min(first + 32 * n + lane_number(), level.num_boxes - 1)];
            #pragma unroll
            for (int n = 0; n < ASKED; n++) {
                image.patch = int(first + 32 * n + lane_number());
                image.part = intersection(boxes[n], here);
                const bool is_near = image.patch < int(level.num_boxes) && (shifted || image.patch != own) && !is_empty(image.part);
                const unsigned all = __ballot_sync(ALL, is_near);
                const int place = found + __popc(all & ((1u << lane_number()) - 1u));
                if (is_near && place < NEAR) {
                    #pragma unroll
                    for (int d = 0; d < DIM; d++) image.part.lo[d] += image.shift[d], image.part.hi[d] += image.shift[d];
                    near.images[place] = image;
                }
                found += __popc(all);
            }
            is_last = __any_sync(ALL, boxes[ASKED - 1].lo[DIM - 1] >= here.hi[DIM - 1]);
        }
    }
    if (found > NEAR) *failed = 1;
    if (lane_number() == 0) near.count = min(found, NEAR);
    __syncwarp();
}

// Parts of boxes beside a patch, each with the number of its box.
struct Open {
    CellBox parts[OPEN];
    unsigned char box[OPEN];
};

// Patches near one: of its own level, of the coarser one, of the level before it was replaced; and the parts that they do not cover.
struct Surroundings {
    Near of_task[TASKS];
    Open open[TASKS];

    // By a block.
    __device__ __forceinline__ void find(const PlanArgs& args, int number)
    {
        const CellBox patch = args.level.boxes[number];
        CellBox reach = patch;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int cells = max(args.ratio[d], NUM_GHOST);
            reach.lo[d] -= cells, reach.hi[d] += cells;
        }
        const unsigned none[3] = {0, 0, 0};
        const int task = threadIdx.x / 32;
        Near& near = of_task[task];
        if (lane_number() == 0) near.count = 0;
        __syncwarp();
        if (task == BESIDE) find_near(as_found(args.level), reach, args.periodic, number, near, args.failed);
        if (task == UNDER && args.coarse.num_boxes > 0)
            find_near(as_found(args.coarse), coarse_from_fine(reach, args.ratio), args.periodic, -1, near, args.failed);
        if (task == BEFORE && args.old.num_boxes > 0) find_near(args.old, patch, none, -1, near, args.failed);
        __syncthreads();
    }
};

// Writes the parts of a box that remain when a part of it is taken away, if `places` is given. Returns their number.
__device__ __forceinline__ int cut_off(CellBox rest, const CellBox& taken, CellBox* places)
{
    int count = 0;
    #pragma unroll
    for (int d = DIM - 1; d >= 0; d--) {
        CellBox below = rest, above = rest;
        below.hi[d] = taken.lo[d], above.lo[d] = taken.hi[d];
        rest.lo[d] = taken.lo[d], rest.hi[d] = taken.hi[d];
        if (!is_empty(below)) {
            if (places) places[count] = below;
            count++;
        }
        if (!is_empty(above)) {
            if (places) places[count] = above;
            count++;
        }
    }
    return count;
}

// Subtracts images from a box. Appends the remaining parts to those of the boxes before, and returns the number of all. By a warp: each lane
// holds two parts.
__device__ int add_open(const CellBox& box, int number, const Near& near, Open& open, int before, unsigned* failed)
{
    const int lane = lane_number(), room = min(PARTS, OPEN - before);
    CellBox* parts = open.parts + before;
    int count = 1;
    if (room == 0) {
        *failed = 1;
        return before;
    }
    if (lane == 0) parts[0] = box;
    __syncwarp();
    for (int first = 0; first < near.count; first += 32) {
        const bool touches = first + lane < near.count && !is_empty(intersection(near.images[first + lane].part, box));
        for (unsigned touching = __ballot_sync(ALL, touches); touching != 0; touching &= touching - 1) {
            const CellBox image = near.images[first + __ffs(int(touching)) - 1].part;
            CellBox own[2], common[2];
            int left[2];
            #pragma unroll
            for (int n = 0; n < 2; n++) {
                left[n] = 0;
                if (32 * n + lane >= count) continue;
                own[n] = parts[32 * n + lane];
                common[n] = intersection(own[n], image);
                left[n] = is_empty(common[n]) ? 1 : cut_off(own[n], common[n], nullptr);
            }
            const unsigned up_to = sum_up_to(left[0] + left[1]);
            count = __shfl_sync(ALL, up_to, 31);
            if (count > room) {
                *failed = 1;
                return before;
            }
            // All lanes have read their parts.
            __syncwarp();
            CellBox* places = parts + (up_to - left[0] - left[1]);
            #pragma unroll
            for (int n = 0; n < 2; n++) {
                if (left[n] == 0) continue;
                if (is_empty(common[n])) *places = own[n];
                else cut_off(own[n], common[n], places);
                places += left[n];
            }
            __syncwarp();
        }
    }
    for (int k = lane; k < count; k += 32) open.box[before + k] = number;
    __syncwarp();
    return before + count;
}
