// register_fine.cu: the fine side of the conservation fix, after a fine sweep: adds dt times the fine fluxes and the
// fluctuations between the kept coarse states and the fine ghost cells over them (C1 of Berger & LeVeque 1998,
// doi:10.1137/S0036142997315974).
// Map     one warp per chunk of a run's faces, one coarse face with its fine ones a lane at a time
// Bytes   (M + A + 2 M) Real per coarse face, (3 M + 2 A) Real per fine face
// Order   every slot is written by one lane, fine faces in their order: repeats bit for bit

// Normal of the faces that an auxiliary value lives on, or -1.
__device__ constexpr int AUX_FACE[] = {AUX_FACE_LIST};

#if SOURCES
// Subtracts what sources have changed in the fluxes of the quantities that they have changed: see `exec/cpu/register.rs`.
template <Axis AXIS> __device__ __forceinline__ void take_source_changes(
    const Solver& solver, const RegisterArgs& args, const Patch& patch, const Cell& first, int count, bool lower,
    size_t slot, Real dt)
{
    const size_t slots = args.num_slots;
    const Real* cells = args.source_cells + slot;
    State now, then, total;
    bool any = false;
    #pragma unroll
    for (int m = 0; m < M; m++) {
        now[m] = cells[m * slots], then[m] = cells[(M + m) * slots], total[m] = Real(0);
        any = any || !(now[m] == then[m]);
    }
    if (!any) return;
    const Real* kept = args.coarse_cells + size_t(args.sweep) * (M + A) * slots + slot;
    for (int k = 0; k < count; k++) {
        const Cell cell = behind(first, args.ratio, AXIS, k);
        Aux aux;
        #pragma unroll
        for (int a = 0; a < A; a++) {
            aux[a] = kept[size_t(M + a) * slots];
            if (AUX_FACE[a] == int(AXIS))
                aux[a] = args.view.aux[place(patch, A, cell) + size_t(a) * patch.component + (lower ? stride(patch, AXIS) : 0)];
        }
        const Normal face = solver.normal(AXIS, then, now, aux, aux);
        #pragma unroll
        for (int m = 0; m < M; m++) total[m] += face.amdq[m] + face.apdq[m];
    }
    #pragma unroll
    for (int m = 0; m < M; m++)
        if (!(now[m] == then[m])) args.sums[m * slots + slot] -= dt * total[m];
}
#endif

// AXIS is a constant for the compiler, so that no state is indexed by a variable; so is COUNT, the number of fine faces of a coarse one, or
// 0 where it is unusual.
template <Axis AXIS, int COUNT> __device__ __forceinline__ void register_fine_faces(
    const RegisterArgs& args, const Work<FaceRun>& work, const Patch& patch)
{
    const Solver solver{SOLVER_PARAMETERS};
    bool lower = work.item.coarse_side == Lower;
    const int count = COUNT > 0 ? COUNT : faces_of(args.ratio, AXIS);
    // The sums are fluxes along the axes of the coarse patch.
    const Real dt = Real(work.item.turned ? -args.dt / double(count) : args.dt / double(count));
    Real towards_coarse = lower ? Real(1) : Real(-1);
    for (int i = work.first; i < work.end; i += 32) {
        const Cell first = in_patch(patch, first_behind(cell_of(work.item, i), args.ratio, AXIS, lower));
        size_t slot = work.item.first_slot + i;
        const Real* kept = args.coarse_cells + size_t(args.sweep) * (M + A) * args.num_slots + slot;
        State coarse, ghost, total, sums;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            coarse[m] = kept[size_t(m) * args.num_slots];
            sums[m] = args.sums[size_t(m) * args.num_slots + slot];
            total[m] = Real(0);
        }
        #pragma unroll (COUNT > 0 ? COUNT : 1)
        for (int k = 0; k < count; k++) {
            const Cell cell = behind(first, args.ratio, AXIS, k);
            ghost = state_at(args, patch, cell);
            State flux = seen_flux<AXIS>(solver, args, patch, lower, cell, work.item.first_fine + i * count + k);
            Aux aux_coarse, aux_ghost;
            #pragma unroll
            for (int a = 0; a < A; a++) {
                size_t at = place(patch, A, cell) + size_t(a) * patch.component;
                aux_coarse[a] = kept[size_t(M + a) * args.num_slots];
                aux_ghost[a] = args.view.aux[at];
                if (AUX_FACE[a] == int(AXIS)) {
                    // Values that live on the face are those at the patch's edge, for both sides.
                    size_t above = lower ? stride(patch, AXIS) : 0;
                    aux_coarse[a] = aux_ghost[a] = args.view.aux[at + above];
                }
            }
            Normal face = lower ? solver.normal(AXIS, coarse, ghost, aux_coarse, aux_ghost)
                                : solver.normal(AXIS, ghost, coarse, aux_ghost, aux_coarse);
            #pragma unroll
            for (int m = 0; m < M; m++) {
                Real c1 = towards_coarse * (face.amdq[m] + face.apdq[m]);
                total[m] += c1 + flux[m];
            }
        }
        #pragma unroll
        for (int m = 0; m < M; m++) args.sums[size_t(m) * args.num_slots + slot] = sums[m] + dt * total[m];
#if SOURCES
        take_source_changes<AXIS>(solver, args, patch, first, count, lower, slot, dt);
#endif
    }
}

template <int COUNT> __device__ __forceinline__ void register_fine_run(
    const RegisterArgs& args, const Work<FaceRun>& work, const Patch& patch)
{
    if (work.item.axis == X) register_fine_faces<X, COUNT>(args, work, patch);
#if DIM > 1
    if (work.item.axis == Y) register_fine_faces<Y, COUNT>(args, work, patch);
#endif
#if DIM > 2
    if (work.item.axis == Z) register_fine_faces<Z, COUNT>(args, work, patch);
#endif
}

extern "C" __global__ void register_fine(const RegisterArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.fine_patch];
    await_previous();
    if (!has_axis(args.swept, work.item.axis)) return;
    bool halves = true;
    #pragma unroll
    for (int d = 0; d < DIM; d++) halves = halves && args.ratio[d] == 2;
    if (halves) register_fine_run<1 << (DIM - 1)>(args, work, patch);
    else register_fine_run<0>(args, work, patch);
}
