// plan.cuh: the items of the plans of amrclaw::plan that belong to one patch, found around it. Each warp of the patch's block finds the
// items of some kinds: each of its lanes takes a near patch, or a part of a box beside the patch that near ones do not cover.

// The warp that counts a column.
__device__ constexpr int task_of(unsigned column)
{
    const unsigned of_faces = column == PlanColumn::NewCoarse ? PlanColumn::New : PlanColumn::Runs;
    const unsigned kind = column < PlanColumn::Faces ? column % PlanColumn::Kinds : of_faces;
    return kind < PlanColumn::Averages ? BESIDE : kind < PlanColumn::Moved ? UNDER : BEFORE;
}

// Cells of one patch whose values come from another, as tables hold them.
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

// The items that a lane has found: counted, or written behind those before them.
template <bool WRITES> struct Items {
    const PlanArgs& args;
    unsigned next[PlanColumn::All];
    unsigned inside, moved; // items of ghost cells inside the domain, and of cells that the level had before

    __device__ __forceinline__ explicit Items(const PlanArgs& args) : args(args), inside(0), moved(0)
    {
        #pragma unroll
        for (unsigned column = 0; column < PlanColumn::All; column++) next[column] = 0;
    }

    // The chunks of an item with so many cells.
    __device__ __forceinline__ void chunks(const PlanTable& table, unsigned& next_chunk, unsigned item, Word cells) const
    {
        const unsigned count = (unsigned(cells) + table.chunk_cells - 1) / table.chunk_cells;
        if (WRITES && table.chunks)
            for (unsigned k = 0; k < count; k++) {
                Chunk chunk;
                chunk.region = item, chunk.first = k * table.chunk_cells;
                table.chunks[next_chunk + k] = chunk;
            }
        next_chunk += count;
    }

    template <unsigned KIND>
    __device__ __forceinline__ void region(
        const PlanTable& table, int target, int source, const CellBox& cells, const int* shift, const Origin* origin = nullptr)
    {
        const unsigned item = next[KIND]++;
        chunks(table, next[PlanColumn::Kinds + KIND], item, volume(cells));
        if (!WRITES) return;
        table.regions[item] = region_of(target, source, cells, shift);
        if (origin) args.origins[item - inside] = *origin;
    }

    // A run of faces between a patch and the coarse cells beside it in a coarse patch.
    __device__ __forceinline__ void run(int patch, const Image& under, const CellBox& cells, int axis, int side)
    {
        const unsigned item = next[PlanColumn::Runs]++;
        const unsigned faces = volume(cells);
        chunks(args.runs, next[PlanColumn::Kinds + PlanColumn::Runs], item, faces);
        if (WRITES) {
            FaceRun run = {};
            run.coarse_patch = under.patch, run.fine_patch = patch, run.axis = axis, run.coarse_side = side;
            #pragma unroll
            for (int d = 0; d < 3; d++) {
                run.lo[d] = d < DIM ? cells.lo[d] : 0;
                run.size[d] = d < DIM ? cells.hi[d] - cells.lo[d] : 1;
                run.shift[d] = d < DIM ? under.shift[d] : 0;
            }
            run.first_slot = next[PlanColumn::Faces], run.first_fine = next[PlanColumn::FineFaces];
            args.face_runs[item] = run;
        }
        next[PlanColumn::Faces] += faces, next[PlanColumn::FineFaces] += faces * faces_of(args.ratio, axis);
    }

    // Coarse cells under new ones.
    __device__ __forceinline__ void new_coarse(int patch, const Image& under, const CellBox& cells)
    {
        if (!args.conserves) return;
        const CellBox coarse = coarse_from_fine(cells, args.ratio);
        // They are numbered like the new cells.
        const unsigned item = next[PlanColumn::New] - 1 - moved;
        chunks(args.new_coarse, next[PlanColumn::NewCoarse], item, volume(coarse));
        if (WRITES) args.new_coarse.regions[item] = region_of(patch, under.patch, coarse, under.shift);
    }
};

// The ghost cells of a patch outside the domain whose values come from given cells: those of the patch itself, or those from which ghost
// cells inside are filled.
template <unsigned KIND, bool WRITES>
__device__ void find_outside(
    Items<WRITES>& items, int patch, const CellBox& grown, int source, const CellBox& from, const int* shift)
{
    const PlanArgs& args = items.args;
    for (int side = 0; side < 2 * DIM; side++) {
        // Along axes before the side's own all ghost cells, along later ones those inside the domain. They take the values of cells
        // at the same distance from the side.
        CellBox cells = grown;
        bool there = true;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int count = args.level.domain.hi[d], axis = side / 2;
            const bool is_near = side % 2 == 0 ? from.lo[d] < NUM_GHOST : from.hi[d] > count - NUM_GHOST;
            if (d == axis) there = !args.periodic[d] && is_near;
            if (args.periodic[d]) continue;
            if (d > axis) cells.lo[d] = max(cells.lo[d], 0), cells.hi[d] = min(cells.hi[d], count);
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
                unsigned walls, unused;
                const int first = origin_of(args.beyond[d], size, part.lo[d], walls);
                const int scale = part.hi[d] - part.lo[d] > 1 ? origin_of(args.beyond[d], size, part.lo[d] + 1, unused) - first : 0;
                const int offset = first - scale * part.lo[d];
                origin.scale[d] = scale, origin.offset[d] = offset, origin.walls |= walls << (2 * d);
                // The cells whose origins lie in the source.
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

// Finds the coarse cells that give values to the parts that near patches do not cover, or that share faces with them. COUNT: number of
// parts. By a warp.
template <bool WRITES>
__device__ void find_sources(
    Items<WRITES>& items, int number, int count, const CellBox& grown, bool is_inside, const Surroundings& surroundings)
{
    const PlanArgs& args = items.args;
    const int task = threadIdx.x / 32;
    const Near& under = surroundings.of_task[UNDER];
    for (int k = lane_number(); k < count; k += 32) {
        const CellBox open = surroundings.open[task].parts[k], coarse = coarse_from_fine(open, args.ratio);
        const int beside = surroundings.open[task].box[k];
        Word found = 0;
        for (int i = 0; i < under.count; i++) {
            const Image& image = under.images[i];
            const CellBox common = intersection(image.part, coarse);
            if (is_empty(common)) continue;
            const CellBox cells = intersection(fine_from_coarse(common, args.ratio), open);
            found += volume(cells);
            if (task == BESIDE) {
                items.template region<PlanColumn::Interps>(args.ghost, number, image.patch, cells, image.shift);
                if (!is_inside) find_outside<PlanColumn::OutsideInterps>(items, number, grown, image.patch, cells, image.shift);
            } else if (task == UNDER) {
                items.run(number, image, common, beside / 2, beside % 2);
            } else {
                items.template region<PlanColumn::New>(args.values, number, image.patch, cells, image.shift);
                items.new_coarse(number, image, cells);
            }
        }
        // The level is not nested in the coarser one.
        if (task != UNDER && found != volume(open)) *args.failed = 1;
    }
}

// Finds all items of a patch: ghost cells by the first warp, coarse cells and faces by the second, new values by the third.
template <bool WRITES> __device__ void find_items(Items<WRITES>& items, int number, Surroundings& surroundings)
{
    const PlanArgs& args = items.args;
    const int lane = lane_number(), task = threadIdx.x / 32;
    const Near& near = surroundings.of_task[task];
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
    for (int i = lane; i < near.count; i += 32) {
        const Image& image = near.images[i];
        const CellBox part = task == BEFORE ? image.part : intersection(image.part, task == BESIDE ? inside : covered);
        if (is_empty(part)) continue;
        if (task == BESIDE) items.template region<PlanColumn::Copies>(args.ghost, number, image.patch, part, image.shift);
        else if (task == UNDER) items.template region<PlanColumn::Averages>(args.averages, image.patch, number, part, nullptr);
        else items.template region<PlanColumn::Moved>(args.values, number, image.patch, part, image.shift);
    }
    if (task == BESIDE && !is_inside && args.outside_last) {
        if (lane == 0) find_outside<PlanColumn::OutsideCopies>(items, number, grown, number, inside, nullptr);
    } else if (task == BESIDE && !is_inside) {
        // For the near patches that fill ghost cells inside the domain, and for the patch itself.
        for (int i = lane; i <= near.count; i += 32) {
            const bool is_own = i == near.count;
            const CellBox from = is_own ? patch : intersection(near.images[i].part, inside);
            const int* shift = is_own ? nullptr : near.images[i].shift;
            if (!is_empty(from)) find_outside<PlanColumn::OutsideCopies>(items, number, grown, is_own ? number : near.images[i].patch, from, shift);
        }
    }
    if (args.coarse.num_boxes == 0) return;
    if ((task == UNDER && !args.keeps_faces) || (task == BEFORE && !args.transfers)) return;
    // Boxes beside the patch, for ghost cells and for faces, or the patch itself.
    int num_open = 0;
    #pragma unroll 1
    for (int beside = 0; beside < (task == BEFORE ? 1 : 2 * DIM); beside++) {
        const int axis = beside / 2, side = beside % 2;
        CellBox box = task == BESIDE ? inside : task == UNDER ? covered : patch;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            if (task == BESIDE && d > axis) box.lo[d] = patch.lo[d], box.hi[d] = patch.hi[d];
            if (task == BEFORE || d != axis) continue;
            const CellBox& within = task == BESIDE ? patch : covered;
            if (side == Lower) box.hi[d] = within.lo[d], box.lo[d] = task == BESIDE ? box.lo[d] : within.lo[d] - 1;
            else box.lo[d] = within.hi[d], box.hi[d] = task == BESIDE ? box.hi[d] : within.hi[d] + 1;
        }
        if (is_empty(box)) continue;
        if (task == UNDER) box = fine_from_coarse(box, args.ratio);
        const Near& covering = surroundings.of_task[task == BEFORE ? BEFORE : BESIDE];
        num_open = add_open(box, beside, covering, surroundings.open[task], num_open, args.failed);
    }
    find_sources(items, number, num_open, grown, is_inside || args.outside_last, surroundings);
}
