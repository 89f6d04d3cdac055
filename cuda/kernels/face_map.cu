// face_map.cu: marks the faces whose corrections the update keeps, from runs of faces beside coarse or fine patches; once the marked faces
// have been numbered, stores their slots.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time
// Bytes   one atomic of 4 bytes per face, then 12
// Order   every face is marked by one lane; bits are set atomically: repeats bit for bit

// Marks the face below a cell, or stores its slot.
__device__ __forceinline__ void mark(const FaceMapArgs& args, const Patch& patch, unsigned axis, const Cell& cell, unsigned slot)
{
    const unsigned word = map_word(patch, axis, cell), bit = map_bit(cell);
    if (args.numbered) args.slots[place_of_face(args.words, args.bases, word, bit)] = slot;
    else atomicOr(args.words + word, 1u << bit);
}

extern "C" __global__ void face_map(const FaceMapArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.table.num_chunks) return;
    const Chunk chunk = args.table.chunks[warp];
    const FaceRun run = args.table.items[chunk.region];
    const Patch patch = args.patches[args.fine ? run.fine_patch : run.coarse_patch];
    await_previous();
    int end = min(num_cells(run), int(chunk.first + args.table.chunk_cells));
    // A face is identified by the cell above it.
    const bool lower = run.coarse_side == Lower;
    unsigned side = unsigned(run.coarse_side) << 31;
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        const Cell cell = cell_of(run, i);
        if (!args.fine) {
            unsigned slot = args.first_slot + run.first_slot + i;
            mark(args, patch, run.axis, next_along(in_patch(patch, cell, run.shift), run.axis, lower), slot | side);
            continue;
        }
        const int count = faces_of(args.ratio, run.axis);
        const Cell first = in_patch(patch, first_behind(cell, args.ratio, run.axis, lower));
        for (int k = 0; k < count; k++) {
            unsigned slot = run.first_fine + i * count + k;
            mark(args, patch, run.axis, next_along(behind(first, args.ratio, run.axis, k), run.axis, lower), slot | side);
        }
    }
}
