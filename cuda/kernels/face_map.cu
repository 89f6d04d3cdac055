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
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.patches[args.fine ? work.item.fine_patch : work.item.coarse_patch];
    await_previous();
    // A face is identified by the cell above it.
    const bool lower = args.fine ? work.item.coarse_side == Lower : is_below(work.item);
    const unsigned side = unsigned(lower ? Lower : Upper) << 31;
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = cell_of(work.item, i);
        if (!args.fine) {
            unsigned slot = args.first_slot + work.item.first_slot + i;
            mark(args, patch, work.item.axis, next_along(in_coarse(patch, cell, work.item), work.item.axis, lower), slot | side);
            continue;
        }
        const int count = faces_of(args.ratio, work.item.axis);
        const Cell first = in_patch(patch, first_behind(cell, args.ratio, work.item.axis, lower));
        for (int k = 0; k < count; k++) {
            unsigned slot = work.item.first_fine + i * count + k;
            mark(args, patch, work.item.axis, next_along(behind(first, args.ratio, work.item.axis, k), work.item.axis, lower), slot | side);
        }
    }
}
