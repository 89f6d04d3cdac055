// reflux.cu: adds the sums of the conservation fix to the coarse cells beside a fine level.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time; of the faces of one cell, which the
//         face map of the coarse level tells, the first in the order of slots does all of them
// Bytes   at most 2 DIM words of the map and 2 DIM slots, 3 M Real per face
// Order   a cell's faces in the order of their slots, by one lane: repeats bit for bit

// Whether the map has the face below a cell.
__device__ __forceinline__ bool is_kept(const RefluxArgs& args, const Patch& patch, unsigned axis, const Cell& cell)
{
    return args.words[map_word(patch, axis, cell)] >> map_bit(cell) & 1;
}

// The slot of a kept coarse face that is seen from `side`, or none.
__device__ __forceinline__ unsigned slot_at(
    const RefluxArgs& args, const Patch& patch, bool kept, unsigned axis, const Cell& cell, unsigned side)
{
    unsigned slot = ~0u;
    if (kept) slot = args.slots[place_of_face(args.words, args.bases, map_word(patch, axis, cell), map_bit(cell))];
    unsigned number = slot & 0x7fffffffu;
    return kept && slot >> 31 == side && number >= args.first_kept ? number - args.first_kept : ~0u;
}

extern "C" __global__ void reflux(const RefluxArgs args)
{
    start_next();
    if (warp_number() >= args.table.num_chunks) return;
    const Work<FaceRun> work(args.table);
    const Patch patch = args.view.patches[work.item.coarse_patch];
    await_previous();
    bool allowed = true;
    for (int i = work.first; i < work.end; i += 32) {
        const Cell cell = in_patch(patch, cell_of(work.item, i), work.item.shift);
        // Lower and upper face along each axis: seen from the cell above and from the cell below it. Independent loads are issued
        // together.
        bool kept[2 * DIM];
        unsigned faces[2 * DIM], first = ~0u;
        #pragma unroll
        for (int k = 0; k < 2 * DIM; k++) kept[k] = is_kept(args, patch, k / 2, next_along(cell, k / 2, k % 2));
        #pragma unroll
        for (int k = 0; k < 2 * DIM; k++) {
            faces[k] = slot_at(args, patch, kept[k], k / 2, next_along(cell, k / 2, k % 2), k % 2 ? Lower : Upper);
            first = min(first, faces[k]);
        }
        if (first != work.item.first_slot + i) continue;
#if CAPACITY >= 0
        Real kappa = args.view.aux[place(patch, A, cell) + size_t(CAPACITY) * patch.component];
#else
        Real kappa = Real(1);
#endif
        Real* values = args.view.q + place(patch, M, cell);
        Array<Real, M> q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = values[size_t(m) * patch.component];
        for (unsigned next = first; next != ~0u;) {
            unsigned after = ~0u;
            int face = 0;
            double dx = args.dx[0];
            #pragma unroll
            for (int k = 0; k < 2 * DIM; k++) {
                if (faces[k] == next) face = k, dx = args.dx[k / 2];
                else if (faces[k] > next) after = min(after, faces[k]);
            }
            // The cell above its lower face lies on the face's upper side.
            Real outward = face % 2 == 0 ? Real(1) : Real(-1);
            Real scale = outward / (Real(dx) * kappa);
            #pragma unroll
            for (int m = 0; m < M; m++) q[m] += scale * args.sums[size_t(m) * args.num_slots + next];
            next = after;
        }
        #pragma unroll
        for (int m = 0; m < M; m++) {
            values[size_t(m) * patch.component] = q[m];
            allowed = allowed && q[m] - q[m] == Real(0);
        }
#if HAS_POSITIVE
        const Solver solver{SOLVER_PARAMETERS};
        Aux aux;
        #pragma unroll
        for (int a = 0; a < A; a++) aux[a] = args.view.aux[place(patch, A, cell) + size_t(a) * patch.component];
        allowed = allowed && solver.least_positive(q, aux) > Real(0);
#endif
    }
    if (!allowed) refuse(args.refused, args.level, work.item.coarse_patch);
}
