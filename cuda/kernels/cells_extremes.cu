// cells_extremes.cu: the least and the largest of what a cell and its neighbours hold, for Venkatakrishnan's limiter.
// Map     one thread per cell
// Bytes   3 M Real of the cell, M of each cell behind its faces; 4 bytes per face
// Order   every number is written by one thread: repeats bit for bit

extern "C" __global__ void cells_extremes(const CellsArgs args)
{
    start_next();
    const unsigned cell = item_of_thread();
    await_previous();
    if (cell >= args.tables.num_cells) return;
    State least = variables_of(state_of(args, cell), aux_of(args, cell)), largest = least;
    unsigned entry;
    for (Row row(args, cell); row.read(args, entry); row.next()) {
        const unsigned behind = __ldg(args.tables.neighbours + row.place);
        const State there = variables_of(state_of(args, behind), aux_behind(args, behind, cell));
        #pragma unroll
        for (int m = 0; m < M; m++) least[m] = real_min(least[m], there[m]), largest[m] = real_max(largest[m], there[m]);
    }
    #pragma unroll
    for (int m = 0; m < M; m++) {
        args.extremes[size_t(m) * args.tables.num_cells + cell] = least[m];
        args.extremes[size_t(M + m) * args.tables.num_cells + cell] = largest[m];
    }
}
