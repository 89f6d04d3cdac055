// face_map.cu: marks the faces whose fluxes the update keeps, from runs of faces beside coarse or fine patches.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time
// Bytes   one atomic and one store of 4 bytes per face
// Order   every face is marked by one lane; bits are set atomically: repeats bit for bit

__device__ __forceinline__ void mark(const FaceMapArgs& args, const Patch& patch, unsigned axis, int x, int y, unsigned slot)
{
    unsigned words = (patch.row + 31) / 32, rows = patch.component / patch.row;
    unsigned bit = x + NUM_GHOST;
    unsigned word = patch.first_word + (axis * rows + (y + GHOSTS_Y)) * words + bit / 32;
    atomicOr(args.words + word, 1u << (bit % 32));
    args.slots[axis * args.num_cells + cell_number(patch, x, y)] = slot;
}

extern "C" __global__ void face_map(const FaceMapArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    const Chunk chunk = args.chunks[warp];
    const FaceRun run = args.runs[chunk.region];
    const Patch patch = args.patches[args.fine ? run.fine_patch : run.coarse_patch];
    await_previous();
    int end = min(run.nx * run.ny, int(chunk.first + args.chunk_cells));
    // A face is named after the cell above it.
    int above_x = run.axis == X && run.coarse_side == Lower, above_y = run.axis == Y && run.coarse_side == Lower;
    unsigned side = unsigned(run.coarse_side) << 31;
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / run.nx;
        int x = run.x + (i - row * run.nx), y = run.y + row;
        if (!args.fine) {
            unsigned slot = args.first_slot + run.first_slot + i;
            mark(args, patch, run.axis, x - run.shift_x - patch.lo_x + above_x, y - run.shift_y - patch.lo_y + above_y, slot | side);
            continue;
        }
        // The fine cells behind the face: one thick along the axis, on the side of the fine patch.
        int count = run.axis == X ? args.ratio_y : args.ratio_x;
        int first_x = x * args.ratio_x + (run.axis == X && run.coarse_side == Lower ? args.ratio_x - 1 : 0);
        int first_y = y * args.ratio_y + (run.axis == Y && run.coarse_side == Lower ? args.ratio_y - 1 : 0);
        for (int k = 0; k < count; k++) {
            int fine_x = first_x + (run.axis == X ? 0 : k), fine_y = first_y + (run.axis == X ? k : 0);
            unsigned slot = run.first_fine + i * count + k;
            mark(args, patch, run.axis, fine_x - patch.lo_x + above_x, fine_y - patch.lo_y + above_y, slot | side);
        }
    }
}
