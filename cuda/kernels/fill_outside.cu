// fill_outside.cu: ghost cells outside the domain, from the patch's own cells, those inside the domain having been filled.
// Map     one block per patch, one cell a thread at a time, side after side
// Bytes   2 M Real per cell
// Floor   a launch: few patches lie at the sides
// Order   every cell is written by one thread, and none is read that a thread writes: repeats bit for bit

extern "C" __global__ void fill_outside(const FillOutsideArgs args)
{
    start_next();
    const Patch patch = args.view.patches[blockIdx.x];
    await_previous();
    for (int side = 0; side < 2 * DIM; side++) {
        // Along axes before the side's own all ghost cells, along later ones those inside the domain.
        int size[DIM], cells = 1;
        Cell first;
        bool there = true;
        #pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int axis = side / 2, count = args.domain[d];
            const bool repeats = args.periodic >> d & 1;
            int lo = patch.lo[d] - NUM_GHOST, hi = patch.lo[d] + patch.size[d] + NUM_GHOST;
            if (d == axis) there = !repeats;
            if (d > axis && !repeats) lo = max(lo, 0), hi = min(hi, count);
            if (d == axis && side % 2 == 0) hi = min(hi, 0);
            if (d == axis && side % 2 == 1) lo = max(lo, count);
            first[d] = lo, size[d] = max(hi - lo, 0);
            cells *= size[d];
        }
        if (!there) continue;
        for (int i = threadIdx.x; i < cells; i += blockDim.x) {
            Cell cell = cell_of_number(size, i), source;
            unsigned walls = 0;
            #pragma unroll
            for (int d = 0; d < DIM; d++) {
                cell[d] += first[d];
                unsigned along;
                source[d] = origin_of(args.beyond[d], args.domain[d], cell[d], along);
                walls |= along << (2 * d);
            }
            Real* to = args.view.q + place(patch, M, in_patch(patch, cell));
            const Real* from = args.view.q + place(patch, M, in_patch(patch, source));
            #pragma unroll
            for (int m = 0; m < M; m++) {
                const bool negated = __popc(walls & args.signs[m]) & 1;
                const Real value = from[size_t(m) * patch.component];
                to[size_t(m) * patch.component] = negated ? -value : value;
            }
        }
    }
}
