// register_coarse.cu: the coarse side of the conservation fix, after a coarse sweep: the sums begin with minus dt times
// the coarse flux, and the states and aux that the sweep met beside the faces are kept.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time
// Bytes   (6 M + 3 A) Real per face
// Order   every slot is written by one lane: repeats bit for bit

// The axis is known to the compiler, so that no state is indexed by it.
template <Axis AXIS> __device__ __forceinline__ void register_coarse_faces(
    const RegisterArgs& args, const Chunk& chunk, const FaceRun& run, const Patch& patch)
{
    const bool first = args.first_sweep >> AXIS & 1;
    const Solver solver{SOLVER_PARAMETERS};
    Real dt = Real(args.dt);
    int end = min(run.nx * run.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / run.nx;
        int x = run.x + (i - row * run.nx) - run.shift_x - patch.lo_x, y = run.y + row - run.shift_y - patch.lo_y;
        size_t slot = run.first_slot + i;
        State here = state_at(args, patch, x, y), flux = seen_flux<AXIS>(solver, args, patch, run, x, y, args.first_tap + slot);
        Real* kept = args.coarse_cells + size_t(args.sweep) * (M + A) * args.num_slots + slot;
        #pragma unroll
        for (int m = 0; m < M; m++) {
            Real* sum = args.sums + size_t(m) * args.num_slots + slot;
            Real before = first ? Real(0) : *sum;
            *sum = before - dt * flux[m];
            kept[size_t(m) * args.num_slots] = here[m];
        }
        for (int a = 0; a < A; a++)
            kept[size_t(M + a) * args.num_slots] = args.aux[place(patch, A, x, y) + size_t(a) * patch.component];
    }
}

extern "C" __global__ void register_coarse(const RegisterArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    const Chunk chunk = args.chunks[warp];
    const FaceRun run = args.runs[chunk.region];
    const Patch patch = args.patches[run.coarse_patch];
    await_previous();
    if (!(args.swept >> run.axis & 1)) return;
    if (run.axis == X) register_coarse_faces<X>(args, chunk, run, patch);
    else register_coarse_faces<Y>(args, chunk, run, patch);
}
