// plan.cuh: what a patch of a level has to do with others: the plans of amrclaw::plan, found around one patch at a time. A block of one warp
// takes a patch: it looks for patches near it, then each lane cuts what they leave open of one box beside it.

// Patches near one that there is room for, and boxes that they leave open of another.
constexpr int NEAR = DIM == 3 ? 256 : 128, PARTS = 64;

// What a side of the domain shows beyond it.
enum Beyond { BEYOND_PERIODIC, BEYOND_NEAREST, BEYOND_MIRRORED, BEYOND_WALL };

// Items of a plan, by kind: those of the first four are in one table, the next two in tables of their own, the last two in one.
enum Kind { COPIES, INTERPS, OUTSIDE_COPIES, OUTSIDE_INTERPS, AVERAGES, RUNS, MOVED, NEW, KINDS };
// What is counted of each patch: items and chunks by kind, coarse and fine faces, chunks of coarse cells under new ones.
enum Column { ITEMS = 0, CHUNKS = KINDS, FACES = 2 * KINDS, FINE_FACES, NEW_COARSE, COLUMNS };
static_assert(COLUMNS == PLAN_COLUMNS, "the host knows as many");

// A part of a region that a patch covers, in the region's coordinates, and how far these are from the patch's.
struct Image {
    CellBox part;
    int patch, shift[DIM];
};

// Images found around a patch.
struct Near {
    Image images[NEAR];
    int count;
};

// The number of the first box that begins at a cell of the last axis or behind it: they are in that order. By a warp.
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

// Lists what patches of a level cover of a region, as periodic images too; but for patch number `own` itself. By a warp.
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
        const unsigned begin = first_behind_cell(level, here.lo[DIM - 1] - level.tallest + 1);
        const unsigned end = first_behind_cell(level, here.hi[DIM - 1]);
        for (unsigned first = begin; first < end; first += 32) {
            image.patch = int(first + lane_number());
            bool is_near = image.patch < int(end) && (shifted || image.patch != own);
            if (is_near) {
                image.part = intersection(level.boxes[image.patch], here);
                is_near = !is_empty(image.part);
            }
            const unsigned all = __ballot_sync(ALL, is_near);
            const int place = found + __popc(all & ((1u << lane_number()) - 1u));
            if (is_near && place < NEAR) {
                #pragma unroll
                for (int d = 0; d < DIM; d++) image.part.lo[d] += image.shift[d], image.part.hi[d] += image.shift[d];
                near.images[place] = image;
            }
            found += __popc(all);
        }
    }
    if (found > NEAR) *failed = 1;
    if (lane_number() == 0) near.count = min(found, NEAR);
    __syncwarp();
}

// Cells of one patch that come from another's, as tables have them.
__device__ __forceinline__ Region region_of(int target, int source, const CellBox& cells, const int* shift)
{
    Region region = {};
    region.target = target, region.source = source;
    #pragma unroll
    for (int d = 0; d < 3; d++) {
        region.lo[d] = d < DIM ? cells.lo[d] : 0;
        region.size[d] = d < DIM ? cells.hi[d] - cells.lo[d] : 1;
        region.shift[d] = d < DIM && shift ? shift[d] : 0;
    }
    return region;
}

// What a lane has found: counted, or written behind what is before it.
template <bool WRITES> struct Items {
    const PlanArgs& args;
    unsigned next[COLUMNS];
    unsigned inside, moved; // items of ghost cells inside the domain, and of cells that the level had before

    __device__ __forceinline__ explicit Items(const PlanArgs& args) : args(args), inside(0), moved(0)
    {
        #pragma unroll
        for (int column = 0; column < COLUMNS; column++) next[column] = 0;
    }

    // The chunks of an item with so many cells.
    __device__ __forceinline__ void chunks(const PlanTable& table, unsigned& next_chunk, unsigned item, Word cells) const
    {
        const unsigned count = (unsigned(cells) + table.chunk_cells - 1) / table.chunk_cells;
        if (WRITES)
            for (unsigned k = 0; k < count; k++) {
                Chunk chunk;
                chunk.region = item, chunk.first = k * table.chunk_cells;
                table.chunks[next_chunk + k] = chunk;
            }
        next_chunk += count;
    }

    template <Kind KIND>
    __device__ __forceinline__ void region(
        const PlanTable& table, int target, int source, const CellBox& cells, const int* shift, const Origin* origin = nullptr)
    {
        const unsigned item = next[ITEMS + KIND]++;
        chunks(table, next[CHUNKS + KIND], item, volume(cells));
        if (!WRITES) return;
        table.regions[item] = region_of(target, source, cells, shift);
        if (origin) args.origins[item - inside] = *origin;
    }

    // Faces between a patch and coarse cells beside it, which a patch holds.
    __device__ __forceinline__ void run(int patch, const Image& under, const CellBox& cells, int axis, int side)
    {
        const unsigned item = next[ITEMS + RUNS]++;
        const unsigned faces = volume(cells);
        chunks(args.runs, next[CHUNKS + RUNS], item, faces);
        if (WRITES) {
            FaceRun run = {};
            run.coarse_patch = under.patch, run.fine_patch = patch, run.axis = axis, run.coarse_side = side;
            #pragma unroll
            for (int d = 0; d < 3; d++) {
                run.lo[d] = d < DIM ? cells.lo[d] : 0;
                run.size[d] = d < DIM ? cells.hi[d] - cells.lo[d] : 1;
                run.shift[d] = d < DIM ? under.shift[d] : 0;
            }
            run.first_slot = next[FACES], run.first_fine = next[FINE_FACES];
            args.face_runs[item] = run;
        }
        next[FACES] += faces, next[FINE_FACES] += faces * faces_of(args.ratio, axis);
    }

    // Coarse cells under new ones.
    __device__ __forceinline__ void new_coarse(int patch, const Image& under, const CellBox& cells)
    {
        if (!args.conserves) return;
        const CellBox coarse = coarse_from_fine(cells, args.ratio);
        // They are numbered as the new ones.
        const unsigned item = next[ITEMS + NEW] - 1 - moved;
        chunks(args.new_coarse, next[NEW_COARSE], item, volume(coarse));
        if (WRITES) args.new_coarse.regions[item] = region_of(patch, under.patch, coarse, under.shift);
    }
};

// Where a cell outside the domain has its value from along an axis, and whether that changes its sign there.
__device__ __forceinline__ int origin_of(const PlanArgs& args, int axis, int cell, bool& negated)
{
    const int count = args.level.domain.hi[axis];
    negated = false;
    while (cell < 0 || cell >= count) {
        const bool upper = cell >= 0;
        const unsigned beyond = args.beyond[axis][upper];
        if (beyond == BEYOND_PERIODIC) break;
        if (beyond == BEYOND_NEAREST) return upper ? count - 1 : 0;
        cell = upper ? 2 * count - 1 - cell : -1 - cell;
        negated = negated != (beyond == BEYOND_WALL);
    }
    return cell;
}

// The ghost cells of a patch outside the domain that have their values from some cells, which are those of the patch itself or those that fill
// ghost cells inside.
template <Kind KIND, bool WRITES>
__device__ void find_outside(
    Items<WRITES>& items, int patch, const CellBox& grown, int source, const CellBox& from, const int* shift)
{
    const PlanArgs& args = items.args;
    for (int side = 0; side < 2 * DIM; side++) {
        // Along axes before the side's own all ghost cells, along later ones those inside the domain.
        CellBox cells = grown;
        bool there = true;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int count = args.level.domain.hi[d], axis = side / 2;
            if (args.periodic[d]) there = there && d != axis;
            else if (d > axis) cells.lo[d] = max(cells.lo[d], 0), cells.hi[d] = min(cells.hi[d], count);
            else if (d == axis && side % 2 == 0) cells.hi[d] = min(cells.hi[d], 0);
            else if (d == axis) cells.lo[d] = max(cells.lo[d], count);
        }
        if (!there || is_empty(cells)) continue;
        // Widths of the domain that the cells touch: each is mirrored or not as a whole.
        int width[DIM], widths[DIM], count = 1;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            width[d] = args.periodic[d] ? 0 : floor_divide(cells.lo[d], args.level.domain.hi[d]);
            widths[d] = args.periodic[d] ? 1 : floor_divide(cells.hi[d] - 1, args.level.domain.hi[d]) + 1 - width[d];
            count *= widths[d];
        }
        for (int k = 0; k < count; k++) {
            const Cell number = cell_of_number(widths, k);
            CellBox part = cells;
            Origin origin = {};
            #pragma unroll
            for (int d = 0; d < 3; d++) {
                origin.scale[d] = 1;
                if (d >= DIM) continue;
                const int size = args.level.domain.hi[d];
                if (!args.periodic[d]) {
                    part.lo[d] = max(part.lo[d], (width[d] + number[d]) * size);
                    part.hi[d] = min(part.hi[d], (width[d] + number[d] + 1) * size);
                }
                bool negated, unused;
                const int first = origin_of(args, d, part.lo[d], negated);
                const int scale = part.hi[d] - part.lo[d] > 1 ? origin_of(args, d, part.lo[d] + 1, unused) - first : 0;
                const int offset = first - scale * part.lo[d];
                origin.scale[d] = scale, origin.offset[d] = offset, origin.negated[d] = negated;
                // Those that have their values from the source.
                if (scale == 0 && (offset < from.lo[d] || offset >= from.hi[d])) part.hi[d] = part.lo[d];
                if (scale == 1) {
                    part.lo[d] = max(part.lo[d], from.lo[d] - offset), part.hi[d] = min(part.hi[d], from.hi[d] - offset);
                } else if (scale == -1) {
                    part.lo[d] = max(part.lo[d], offset + 1 - from.hi[d]), part.hi[d] = min(part.hi[d], offset + 1 - from.lo[d]);
                }
            }
            if (!is_empty(part)) items.template region<KIND>(args.ghost, patch, source, part, shift, &origin);
        }
    }
}

// Cuts what images cover off a box. Answers the number of parts that are left.
__device__ int find_open(const CellBox& box, const Near& near, CellBox* parts, unsigned* failed)
{
    Word covered = 0;
    for (int i = 0; i < near.count; i++) covered += volume(intersection(near.images[i].part, box));
    if (covered == volume(box)) return 0;
    int count = 1;
    parts[0] = box;
    for (int i = 0; i < near.count && covered > 0; i++) {
        // What is put behind the others has nothing in common with the image.
        for (int k = count - 1; k >= 0; k--) {
            CellBox rest = parts[k];
            const CellBox common = intersection(rest, near.images[i].part);
            if (is_empty(common)) continue;
            parts[k] = parts[--count];
            #pragma unroll
            for (int d = DIM - 1; d >= 0; d--) {
                CellBox below = rest, above = rest;
                below.hi[d] = common.lo[d], above.lo[d] = common.hi[d];
                rest.lo[d] = common.lo[d], rest.hi[d] = common.hi[d];
                if (count + 2 > PARTS) {
                    *failed = 1;
                    return 0;
                }
                if (!is_empty(below)) parts[count++] = below;
                if (!is_empty(above)) parts[count++] = above;
            }
        }
    }
    return count;
}

// Patches near one: of its own level, of the coarser one, of the level before it was replaced.
struct Surroundings {
    Near beside, under, before;

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
        if (lane_number() == 0) under.count = before.count = 0;
        __syncwarp();
        find_near(args.level, reach, args.periodic, number, beside, args.failed);
        if (args.coarse.num_boxes > 0) find_near(args.coarse, coarse_from_fine(reach, args.ratio), args.periodic, -1, under, args.failed);
        if (args.old.num_boxes > 0) find_near(args.old, patch, none, -1, before, args.failed);
    }
};

// Finds all that a patch has to do with others. By a warp.
template <bool WRITES> __device__ void find_items(Items<WRITES>& items, int number, const Surroundings& near)
{
    const PlanArgs& args = items.args;
    const int lane = lane_number();
    const CellBox patch = args.level.boxes[number];
    CellBox grown = patch;
    #pragma unroll
    for (int d = 0; d < DIM; d++) grown.lo[d] -= NUM_GHOST, grown.hi[d] += NUM_GHOST;
    CellBox inside = grown;
    bool is_inside = true;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        if (args.periodic[d]) continue;
        inside.lo[d] = max(inside.lo[d], 0), inside.hi[d] = min(inside.hi[d], args.level.domain.hi[d]);
        is_inside = is_inside && inside.lo[d] == grown.lo[d] && inside.hi[d] == grown.hi[d];
    }
    const CellBox covered = coarse_from_fine(patch, args.ratio);
    for (int i = lane; i < near.beside.count; i += 32) {
        const Image& image = near.beside.images[i];
        const CellBox part = intersection(image.part, inside);
        if (is_empty(part)) continue;
        items.template region<COPIES>(args.ghost, number, image.patch, part, image.shift);
        if (!is_inside) find_outside<OUTSIDE_COPIES>(items, number, grown, image.patch, part, image.shift);
    }
    for (int i = lane; i < near.under.count; i += 32) {
        const Image& image = near.under.images[i];
        const CellBox part = intersection(image.part, covered);
        if (!is_empty(part)) items.template region<AVERAGES>(args.averages, image.patch, number, part, nullptr);
    }
    for (int i = lane; i < near.before.count; i += 32) {
        const Image& image = near.before.images[i];
        items.template region<MOVED>(args.values, number, image.patch, image.part, image.shift);
    }
    if (lane == 31 && !is_inside) find_outside<OUTSIDE_COPIES>(items, number, grown, number, patch, nullptr);
    if (args.coarse.num_boxes == 0) return;
    // A lane for each box beside the patch, for ghost cells and for faces, and one for the patch itself.
    const int task = lane / (2 * DIM), axis = lane % (2 * DIM) / 2, side = lane % 2;
    CellBox box = task == 0 ? inside : task == 1 ? covered : patch;
    if (task > 2 || (task == 1 && !args.keeps_faces) || (task == 2 && (lane > 4 * DIM || !args.transfers))) return;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        if (task == 0 && d > axis) box.lo[d] = patch.lo[d], box.hi[d] = patch.hi[d];
        if (task > 1 || d != axis) continue;
        const CellBox& within = task == 0 ? patch : covered;
        if (side == Lower) box.hi[d] = within.lo[d], box.lo[d] = task == 0 ? box.lo[d] : within.lo[d] - 1;
        else box.lo[d] = within.hi[d], box.hi[d] = task == 0 ? box.hi[d] : within.hi[d] + 1;
    }
    if (is_empty(box)) return;
    if (task == 1) box = fine_from_coarse(box, args.ratio);
    CellBox parts[PARTS];
    const int count = find_open(box, task == 2 ? near.before : near.beside, parts, args.failed);
    for (int k = 0; k < count; k++) {
        const CellBox open = parts[k], coarse = coarse_from_fine(open, args.ratio);
        Word found = 0;
        for (int i = 0; i < near.under.count; i++) {
            const Image& image = near.under.images[i];
            const CellBox under = intersection(image.part, coarse);
            if (is_empty(under)) continue;
            const CellBox cells = intersection(fine_from_coarse(under, args.ratio), open);
            found += volume(cells);
            if (task == 0) {
                items.template region<INTERPS>(args.ghost, number, image.patch, cells, image.shift);
                if (!is_inside) find_outside<OUTSIDE_INTERPS>(items, number, grown, image.patch, cells, image.shift);
            } else if (task == 1) {
                items.run(number, image, under, axis, side);
            } else {
                items.template region<NEW>(args.values, number, image.patch, cells, image.shift);
                items.new_coarse(number, image, cells);
            }
        }
        // The level is not nested in the coarser one.
        if (task != 1 && found != volume(open)) *args.failed = 1;
    }
}
