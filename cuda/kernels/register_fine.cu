// register_fine.cu: the fine side of the conservation fix, after a fine sweep: adds dt times the fine fluxes and the
// fluctuations between the kept coarse states and the fine ghost cells over them (C1 of Berger & LeVeque 1998,
// doi:10.1137/S0036142997315974).
// Map     one warp per chunk of a run's faces, one coarse face with its fine ones a lane at a time
// Bytes   (M + A + 2 M) Real per coarse face, (3 M + 2 A) Real per fine face
// Order   every slot is written by one lane, fine faces in their order: repeats bit for bit

// Normal of the faces that an auxiliary value lives on, or -1.
__device__ constexpr int AUX_FACE[] = {AUX_FACE_LIST};

// The axis is known to the compiler, so that no state is indexed by it; so is COUNT, the fine faces of a coarse one, or 0 where
// it is none of the usual.
template <Axis AXIS, int COUNT> __device__ __forceinline__ void register_fine_faces(
    const RegisterArgs& args, const Chunk& chunk, const FaceRun& run, const Patch& patch)
{
    const Solver solver{SOLVER_PARAMETERS};
    bool lower = run.coarse_side == Lower;
    const int count = COUNT > 0 ? COUNT : AXIS == X ? args.ratio_y : args.ratio_x;
    Real dt = Real(args.dt / double(count));
    Real towards_coarse = lower ? Real(1) : Real(-1);
    int end = min(run.nx * run.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / run.nx;
        int x = (run.x + (i - row * run.nx)) * args.ratio_x + (AXIS == X && lower ? args.ratio_x - 1 : 0) - patch.lo_x;
        int y = (run.y + row) * args.ratio_y + (AXIS == Y && lower ? args.ratio_y - 1 : 0) - patch.lo_y;
        size_t slot = run.first_slot + i;
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
            int fine_x = x + (AXIS == X ? 0 : k), fine_y = y + (AXIS == X ? k : 0);
            ghost = state_at(args, patch, fine_x, fine_y);
            State flux = seen_flux<AXIS>(solver, args, patch, run, fine_x, fine_y, run.first_fine + i * count + k);
            Aux aux_coarse, aux_ghost;
            #pragma unroll
            for (int a = 0; a < A; a++) {
                size_t at = place(patch, A, fine_x, fine_y) + size_t(a) * patch.component;
                aux_coarse[a] = kept[size_t(M + a) * args.num_slots];
                aux_ghost[a] = args.aux[at];
                if (AUX_FACE[a] == int(AXIS)) {
                    // Values on the face itself are those of the patch's own edge, for both sides.
                    size_t above = lower ? (AXIS == X ? 1 : patch.row) : 0;
                    aux_coarse[a] = aux_ghost[a] = args.aux[at + above];
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
    }
}

extern "C" __global__ void register_fine(const RegisterArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    const Chunk chunk = args.chunks[warp];
    const FaceRun run = args.runs[chunk.region];
    const Patch patch = args.patches[run.fine_patch];
    await_previous();
    if (!(args.swept >> run.axis & 1)) return;
    if (args.ratio_x == 2 && args.ratio_y == 2) {
        if (run.axis == X) register_fine_faces<X, 2>(args, chunk, run, patch);
        else register_fine_faces<Y, 2>(args, chunk, run, patch);
    } else {
        if (run.axis == X) register_fine_faces<X, 0>(args, chunk, run, patch);
        else register_fine_faces<Y, 0>(args, chunk, run, patch);
    }
}
