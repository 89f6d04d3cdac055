// source_place.cuh: the cells in which a source acts, and where.

// A cell of a patch with `beyond` ghost cells, counted from the patch's first one.
struct SourcePlace {
    // The cell, and the one from whose state it comes: itself, or, with `mirrors`, the cell inside the domain that it mirrors.
    Cell cell, origin;
    // The cell at whose position the source acts, beyond a periodic side the one that it is an image of.
    Cell in_level;
    // The walls at which it is mirrored, a bit each.
    unsigned walls;
    // False outside the domain, but for cells that a user's function fills: corners belong to the last axis.
    bool acts;

    __device__ __forceinline__ SourcePlace(const SourceArgs& args, const Patch& patch, int beyond, const Cell& counted)
        : cell(counted), walls(0), acts(true)
    {
        bool turned = false;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int count = args.domain[d];
            cell[d] -= beyond;
            int& at = in_level[d] = cell[d] + patch.lo[d];
            unsigned along = 0;
            if (args.mirrors) at = origin_of(args.beyond[d], count, at, along);
            walls |= along << (2 * d);
            origin[d] = at - patch.lo[d];
            if (args.periodic >> d & 1) {
                // Each pass of a folded side turns the cells.
                const bool folded = args.periodic >> (3 + d) & 1;
                while (at < 0) at += count, turned ^= folded;
                while (at >= count) at -= count, turned ^= folded;
            } else if (at < 0 || at >= count) {
                acts = args.users >> (2 * d + (at >= count)) & 1;
            }
        }
        #pragma unroll
        for (int d = 0; d < DIM; d++)
            if (turned) in_level[d] = args.domain[d] - 1 - in_level[d];
    }
    // Whether a component changes its sign on the way.
    __device__ __forceinline__ bool negates(const SourceArgs& args, int m) const
    {
        return walls != 0 && __popc(walls & args.signs[m]) & 1;
    }
};

// Calls `act` for the cells of the block's patch in which the source acts: some blocks share a patch, one cell a thread at a time, x fastest.
// Returns the patch's number.
template <class Act> __device__ __forceinline__ unsigned for_each_place(const SourceArgs& args, const Act& act)
{
    const unsigned number = blockIdx.x / args.blocks_per_patch, part = blockIdx.x % args.blocks_per_patch;
    const Patch& patch = args.patches[number];
    const int beyond = args.ghosts ? NUM_GHOST : 0;
    int size[DIM], cells = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cells *= size[d] = patch.size[d] + 2 * beyond;
    for (int i = part * blockDim.x + threadIdx.x; i < cells; i += args.blocks_per_patch * blockDim.x) {
        const SourcePlace there(args, patch, beyond, cell_of_number(size, i));
        if (there.acts) act(patch, there);
    }
    return number;
}

// The warp's number among those of the chunks of faces, whose blocks come after those of patches; and whether it has none.
__device__ __forceinline__ unsigned warp_beside(const SourceArgs& args) { return warp_number() - args.num_blocks * (blockDim.x / 32); }

// Calls `act` for the coarse cells beside the level, one warp per chunk of a run's faces, or for the states beyond the sides of a mesh, one a lane:
// with the state's slot, the cell in whose place the source acts, the array of its auxiliary values, the first one, and how far these are apart.
template <class Act> __device__ __forceinline__ void for_each_beside(const SourceArgs& args, const Act& act)
{
    const SourceCells& beside = args.beside;
    if (warp_beside(args) >= beside.table.num_chunks) return;
    if (beside.places) {
        const unsigned slot = 32 * warp_beside(args) + lane_number();
        await_previous();
        if (slot >= beside.num_slots) return;
        Cell cell;
        #pragma unroll
        for (int d = 0; d < DIM; d++) cell[d] = d == 0 ? int(beside.places[slot]) : 0;
        act(slot, cell, beside.aux, size_t(cell[0]), size_t(beside.level.cells[0]));
        return;
    }
    const Work<FaceRun> work(beside.table, warp_beside(args));
    await_previous();
    for (int i = work.first; i < work.end; i += 32) {
        Cell cell = cell_of(work.item, i);
        #pragma unroll
        for (int d = 0; d < DIM; d++) cell[d] = work.item.turned ? work.item.shift[d] - cell[d] : cell[d] - work.item.shift[d];
        const size_t slot = work.item.first_slot + i;
        act(slot, cell, beside.cells, slot + size_t(2 * M) * beside.num_slots, size_t(beside.num_slots));
    }
}
