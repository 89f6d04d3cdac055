// copy_cells.cu: copies cells between arrays with any number of components: into messages for other ranks, and out of them.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 components Real per cell
// Floor   a launch: messages of ranks are a few percent of a level
// Order   every cell is written by one lane: repeats bit for bit

extern "C" __global__ void copy_cells(const CopyArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<Region> work(args.table);
    const Patch to = args.target.patches[work.item.target], from = args.source.patches[work.item.source];
    await_previous();
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i), written = in_patch(to, cell);
        const size_t source = place(from, args.count, in_patch(from, cell, work.item.shift));
        const size_t target = place(to, args.count, written);
        Real kappa = Real(1);
#if CAPACITY >= 0
        if (args.target.aux) kappa = args.target.aux[place(to, A, written) + size_t(CAPACITY) * to.component];
#endif
        for (unsigned m = 0; m < args.count; m++) {
            const Real value = args.source.q[source + size_t(m) * from.component];
            args.target.q[target + size_t(m) * to.component] = args.target.aux ? value / kappa : value;
        }
    }
}
