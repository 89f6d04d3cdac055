// continue_aux.cu: copies auxiliary values from cells inside the domain to cells outside, with the signs of mirror images beyond walls.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 A Real per cell
// Floor   a launch: few patches lie at the sides
// Order   every cell is written by one lane, and none is read that a lane writes: repeats bit for bit

__device__ constexpr int FACE_OF[] = {AUX_FACE_LIST}, SIGNS[] = {AUX_SIGNS_LIST};

extern "C" __global__ void continue_aux(const ContinueArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const Origin origin = args.origins[work.number];
    const Patch patch = args.patches[work.item.target];
    await_previous();
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        Cell source;
        #pragma unroll
        for (int d = 0; d < DIM; d++) source[d] = origin.scale[d] * cell[d] + origin.offset[d];
        const size_t from = place(patch, A, in_patch(patch, source)), to = place(patch, A, in_patch(patch, cell));
        #pragma unroll
        for (int a = 0; a < A; a++) {
            const size_t component = size_t(a) * patch.component;
            if (FACE_OF[a] != args.face) continue;
            const Real value = args.aux[from + component];
            args.aux[to + component] = __popc(origin.walls & unsigned(SIGNS[a])) & 1 ? -value : value;
        }
    }
}
