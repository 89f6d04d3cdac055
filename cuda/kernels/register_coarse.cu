// register_coarse.cu: the coarse side of the conservation fix, after a coarse sweep: the sums begin with minus dt times
// the coarse flux, and the states and aux that the sweep met beside the faces are kept.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time
// Bytes   (4 M + 2 A) Real per face
// Order   every slot is written by one lane: repeats bit for bit

extern "C" __global__ void register_coarse(const RegisterArgs args)
{
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    Chunk chunk = args.chunks[warp];
    const FaceRun& run = args.runs[chunk.region];
    if (!(args.swept >> run.axis & 1)) return;
    bool first = args.first_sweep >> run.axis & 1;
    const Patch& patch = args.patches[run.coarse_patch];
    Real dt = Real(args.dt);
    int end = min(run.nx * run.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / run.nx;
        int x = run.x + (i - row * run.nx) - run.shift_x - patch.lo_x, y = run.y + row - run.shift_y - patch.lo_y;
        size_t slot = run.first_slot + i;
        size_t q = place(patch, M, x, y);
        Real* kept = args.coarse_cells + size_t(args.sweep) * (M + A) * args.num_slots + slot;
        for (int m = 0; m < M; m++) {
            Real* sum = args.sums + size_t(m) * args.num_slots + slot;
            Real before = first ? Real(0) : *sum;
            *sum = before - dt * args.taps[size_t(m) * args.tap_stride + args.first_tap + slot];
            kept[size_t(m) * args.num_slots] = args.q[q + size_t(m) * patch.component];
        }
        for (int a = 0; a < A; a++)
            kept[size_t(M + a) * args.num_slots] = args.aux[place(patch, A, x, y) + size_t(a) * patch.component];
    }
}
