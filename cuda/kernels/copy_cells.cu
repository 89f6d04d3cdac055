// copy_cells.cu: copies cells between arrays with any number of components: into messages for other ranks, and out of them.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 components Real per cell
// Floor   a launch: messages of ranks are a few percent of a level
// Order   every cell is written by one lane: repeats bit for bit

extern "C" __global__ void copy_cells(const CopyArgs args)
{
    start_next();
    const unsigned warp = warp_number();
    if (warp >= args.table.num_chunks) return;
    const Chunk chunk = args.table.chunks[warp];
    const Region region = args.table.items[chunk.region];
    const Patch to = args.target_patches[region.target], from = args.source_patches[region.source];
    await_previous();
    const int end = min(num_cells(region), int(chunk.first + args.table.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        const Cell cell = cell_of(region, i), written = in_patch(to, cell);
        const size_t source = place(from, args.count, in_patch(from, cell, region.shift));
        const size_t target = place(to, args.count, written);
        Real kappa = Real(1);
#if CAPACITY >= 0
        if (args.capacity) kappa = args.capacity[place(to, A, written) + size_t(CAPACITY) * to.component];
#endif
        for (unsigned m = 0; m < args.count; m++) {
            const Real value = args.source[source + size_t(m) * from.component];
            args.target[target + size_t(m) * to.component] = args.capacity ? value / kappa : value;
        }
    }
}
