// continue_aux.cu: copies auxiliary values from cells inside the domain to cells outside.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 A Real per cell
// Floor   a launch: few patches lie at the sides
// Order   every cell is written by one lane, and none is read that a lane writes: repeats bit for bit

__device__ constexpr int FACE_OF[] = {AUX_FACE_LIST};

extern "C" __global__ void continue_aux(const ContinueArgs args)
{
    start_next();
    const unsigned warp = warp_number();
    if (warp >= args.table.num_chunks) return;
    const Chunk chunk = args.table.chunks[warp];
    const Region region = args.table.items[chunk.region];
    const Origin origin = args.origins[chunk.region];
    const Patch patch = args.patches[region.target];
    await_previous();
    const int end = min(num_cells(region), int(chunk.first + args.table.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        const Cell cell = cell_of(region, i);
        Cell source;
        #pragma unroll
        for (int d = 0; d < DIM; d++) source[d] = origin.scale[d] * cell[d] + origin.offset[d];
        const size_t from = place(patch, A, in_patch(patch, source)), to = place(patch, A, in_patch(patch, cell));
        #pragma unroll
        for (int a = 0; a < A; a++) {
            const size_t component = size_t(a) * patch.component;
            if (FACE_OF[a] == args.face) args.aux[to + component] = args.aux[from + component];
        }
    }
}
