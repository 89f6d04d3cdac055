// register_coarse.cu: the coarse side of the conservation fix, after a coarse sweep: starts the sums with minus dt times the coarse flux,
// and stores states and aux beside the faces as they were before the sweep.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time
// Bytes   (6 M + 3 A) Real per face
// Order   every slot is written by one lane: repeats bit for bit

// AXIS is a constant for the compiler, so that no state is indexed by a variable.
template <Axis AXIS> __device__ __forceinline__ void register_coarse_faces(
    const RegisterArgs& args, const Work<FaceRun>& work, const Patch& patch)
{
    const bool first = has_axis(args.first_sweep, AXIS);
    const Solver solver{SOLVER_PARAMETERS};
    Real dt = Real(args.dt);
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = in_coarse(patch, cell_of(work.item, i), work.item);
        size_t slot = work.item.first_slot + i;
        State here = state_at(args, patch, cell), flux = seen_flux<AXIS>(solver, args, patch, is_below(work.item), cell, args.first_kept + slot);
        Real* kept = args.coarse_cells + size_t(args.sweep) * (M + A) * args.num_slots + slot;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            Real* sum = args.sums + size_t(m) * args.num_slots + slot;
            Real before = first ? Real(0) : *sum;
            *sum = before - dt * flux[m];
            kept[size_t(m) * args.num_slots] = here[m];
        }
        for (int a = 0; a < A; a++)
            kept[size_t(M + a) * args.num_slots] = args.view.aux[place(patch, A, cell) + size_t(a) * patch.component];
    }
}

#if SOURCES
// Keeps, in the first sweep, the coarse cells as sources will act on them: see `exec/cpu/source_cells.rs`.
__device__ __forceinline__ void keep_source_cells(
    const RegisterArgs& args, const Work<FaceRun>& work, const Patch& patch)
{
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = in_coarse(patch, cell_of(work.item, i), work.item);
        const size_t at = place(patch, M, cell), at_aux = place(patch, A, cell), at_centre = place(patch, DIM, cell);
        const size_t component = patch.component, slots = args.num_slots;
        Real* kept = args.source_cells + work.item.first_slot + i;
        for (int m = 0; m < M; m++) {
            kept[m * slots] = args.start[at + m * component];
            kept[(M + m) * slots] = args.view.q[at + m * component];
        }
        for (int a = 0; a < A; a++) kept[(2 * M + a) * slots] = args.view.aux[at_aux + a * component];
        if (args.centres)
            for (int d = 0; d < DIM; d++) kept[(2 * M + A + d) * slots] = args.centres[at_centre + d * component];
    }
}
#endif

extern "C" __global__ void register_coarse(const RegisterArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.coarse_patch];
    await_previous();
#if SOURCES
    if (args.start && args.sweep == 0) keep_source_cells(args, work, patch);
#endif
    if (!has_axis(args.swept, work.item.axis)) return;
    if (work.item.axis == X) register_coarse_faces<X>(args, work, patch);
#if DIM > 1
    if (work.item.axis == Y) register_coarse_faces<Y>(args, work, patch);
#endif
#if DIM > 2
    if (work.item.axis == Z) register_coarse_faces<Z>(args, work, patch);
#endif
}
