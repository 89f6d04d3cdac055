// source_place.cuh: the cells in which a source acts, and where.

// Counts a cell of a patch with `beyond` ghost cells from the patch's first cell. False outside the domain, but for cells that a user's function
// fills: corners belong to the last axis. `in_level`: the cell at whose position the source acts, beyond a periodic side the one that it is an
// image of.
__device__ __forceinline__ bool source_place(
    const SourceArgs& args, const Patch& patch, int beyond, Cell& cell, Cell& in_level)
{
    bool acts = true;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        const int count = args.domain[d];
        cell[d] -= beyond;
        in_level[d] = cell[d] + patch.lo[d];
        if (args.periodic >> d & 1) {
            while (in_level[d] < 0) in_level[d] += count;
            while (in_level[d] >= count) in_level[d] -= count;
        } else if (in_level[d] < 0 || in_level[d] >= count) {
            acts = args.users >> (2 * d + (in_level[d] >= count)) & 1;
        }
    }
    return acts;
}
