// reflux.cu: gives the coarse cells beside a fine level what they must still receive.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time; of the faces of one cell, which the
//         face map of the coarse level tells, the first in the order of slots does all of them
// Bytes   at most 4 words of the map and 4 slots, 3 M Real per face
// Order   a cell's faces in the order of their slots, by one lane: repeats bit for bit

// Whether the face below a cell is tapped.
__device__ __forceinline__ bool tapped(const RefluxArgs& args, const Patch& patch, unsigned axis, int x, int y)
{
    unsigned words = (patch.row + 31) / 32, rows = patch.component / patch.row;
    unsigned bit = x + NUM_GHOST;
    return args.words[patch.first_word + (axis * rows + (y + GHOSTS_Y)) * words + bit / 32] >> (bit % 32) & 1;
}

// The slot of a tapped coarse face that is seen from `side`, or none.
__device__ __forceinline__ unsigned slot_at(
    const RefluxArgs& args, const Patch& patch, bool tapped, unsigned axis, int x, int y, unsigned side)
{
    unsigned slot = tapped ? args.slots[axis * args.num_cells + cell_number(patch, x, y)] : ~0u;
    unsigned number = slot & 0x7fffffffu;
    return tapped && slot >> 31 == side && number >= args.first_tap ? number - args.first_tap : ~0u;
}

extern "C" __global__ void reflux(const RefluxArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    const Chunk chunk = args.chunks[warp];
    const FaceRun run = args.runs[chunk.region];
    const Patch patch = args.patches[run.coarse_patch];
    await_previous();
    int end = min(run.nx * run.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / run.nx;
        int x = run.x + (i - row * run.nx) - run.shift_x - patch.lo_x, y = run.y + row - run.shift_y - patch.lo_y;
        // Lower and upper face along each axis: seen from the cell above and from the cell below it.
        // What does not depend on each other is asked for at once.
        const bool left = tapped(args, patch, X, x, y), right = tapped(args, patch, X, x + 1, y);
        const bool below = DIM > 1 && tapped(args, patch, Y, x, y), above = DIM > 1 && tapped(args, patch, Y, x, y + 1);
        const unsigned faces[4] = {slot_at(args, patch, left, X, x, y, Upper), slot_at(args, patch, right, X, x + 1, y, Lower),
            slot_at(args, patch, below, Y, x, y, Upper), slot_at(args, patch, above, Y, x, y + 1, Lower)};
        unsigned first = min(min(faces[0], faces[1]), min(faces[2], faces[3]));
        if (first != run.first_slot + i) continue;
#if CAPACITY >= 0
        Real kappa = args.aux[place(patch, A, x, y) + size_t(CAPACITY) * patch.component];
#else
        Real kappa = Real(1);
#endif
        Real* cell = args.q + place(patch, M, x, y);
        Array<Real, M> q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = cell[size_t(m) * patch.component];
        for (unsigned next = first; next != ~0u;) {
            unsigned after = ~0u;
            int face = 0;
            #pragma unroll
            for (int k = 0; k < 4; k++) {
                if (faces[k] == next) face = k;
                else if (faces[k] > next) after = min(after, faces[k]);
            }
            // The cell above its lower face lies on the face's upper side.
            Real outward = face % 2 == 0 ? Real(1) : Real(-1);
            Real scale = outward / (Real(face < 2 ? args.dx : args.dy) * kappa);
            #pragma unroll
            for (int m = 0; m < M; m++) q[m] += scale * args.sums[size_t(m) * args.num_slots + next];
            next = after;
        }
        #pragma unroll
        for (int m = 0; m < M; m++) cell[size_t(m) * patch.component] = q[m];
    }
}
