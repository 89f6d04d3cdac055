// reflux.cu: adds the sums of the conservation fix to the coarse cells beside a fine level.
// Map     one warp per chunk of a run's faces, one coarse face a lane at a time; of the faces of one cell, which the
//         face map of the coarse level tells, the first in the order of slots does all of them
// Bytes   at most 2 DIM words of the map and 2 DIM slots, 3 M Real per face
// Order   a cell's faces in the order of their slots, by one lane: repeats bit for bit

// Whether the map has the face below a cell.
template <class Args> __device__ __forceinline__ bool is_kept(const Args& args, const Patch& patch, unsigned axis, const Cell& cell)
{
    return args.words[map_word(patch, axis, cell)] >> map_bit(cell) & 1;
}

// The slot of a kept coarse face that is seen from `side`, or none.
template <class Args> __device__ __forceinline__ unsigned slot_at(
    const Args& args, const Patch& patch, bool kept, unsigned axis, const Cell& cell, unsigned side)
{
    unsigned slot = ~0u;
    if (kept) slot = args.slots[place_of_face(args.words, args.bases, map_word(patch, axis, cell), map_bit(cell))];
    unsigned number = slot & 0x7fffffffu;
    return kept && slot >> 31 == side && number >= args.first_kept ? number - args.first_kept : ~0u;
}

// The slots of a cell's lower and upper face along each axis, which are seen from the cell above and from the cell below it, or none.
// Returns the first. Independent loads are issued together.
template <class Args> __device__ __forceinline__ unsigned faces_around(
    const Args& args, const Patch& patch, const Cell& cell, unsigned (&faces)[2 * DIM])
{
    bool kept[2 * DIM];
    unsigned first = ~0u;
    #pragma unroll
    for (int k = 0; k < 2 * DIM; k++) kept[k] = is_kept(args, patch, k / 2, next_along(cell, k / 2, k % 2));
    #pragma unroll
    for (int k = 0; k < 2 * DIM; k++) {
        faces[k] = slot_at(args, patch, kept[k], k / 2, next_along(cell, k / 2, k % 2), k % 2 ? Lower : Upper);
        first = min(first, faces[k]);
    }
    return first;
}

// Calls `act` for these faces in the order of their slots, with the cell size along each one's axis.
template <class Act> __device__ __forceinline__ void in_order(const double (&sizes)[3], const unsigned (&faces)[2 * DIM], Act act)
{
    unsigned next = ~0u;
    #pragma unroll
    for (int k = 0; k < 2 * DIM; k++) next = min(next, faces[k]);
    while (next != ~0u) {
        unsigned after = ~0u;
        int face = 0;
        double dx = sizes[0];
        #pragma unroll
        for (int k = 0; k < 2 * DIM; k++) {
            if (faces[k] == next) face = k, dx = sizes[k / 2];
            else if (faces[k] > next) after = min(after, faces[k]);
        }
        act(face, next, dx);
        next = after;
    }
}

__device__ __forceinline__ Real capacity_of(const LevelView& view, const Patch& patch, const Cell& cell)
{
#if CAPACITY >= 0
    return view.aux[place(patch, A, cell) + size_t(CAPACITY) * patch.component];
#else
    return Real(1);
#endif
}

// Equation `m` in a cell.
__device__ __forceinline__ Real& value_of(const LevelView& view, const Patch& patch, const Cell& cell, int m)
{
    return view.q[place(patch, M, cell) + size_t(m) * patch.component];
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
        const Cell cell = in_coarse(patch, cell_of(work.item, i), work.item);
        unsigned faces[2 * DIM];
        if (faces_around(args, patch, cell, faces) != work.item.first_slot + i) continue;
        const Real kappa = capacity_of(args.view, patch, cell);
        Real* values = args.view.q + place(patch, M, cell);
        State q;
        #pragma unroll
        for (int m = 0; m < M; m++) q[m] = values[size_t(m) * patch.component];
        const State before = q;
        in_order(args.dx, faces, [&](int face, unsigned slot, double dx) {
            // The cell above its lower face lies on the face's upper side.
            Real outward = face % 2 == 0 ? Real(1) : Real(-1);
            Real scale = outward / (Real(dx) * kappa);
            #pragma unroll
            for (int m = 0; m < M; m++) q[m] += scale * args.sums[size_t(m) * args.num_slots + slot];
        });
        #pragma unroll
        for (int m = 0; m < M; m++) allowed = allowed && q[m] - q[m] == Real(0);
        const Solver solver{SOLVER_PARAMETERS};
        Aux aux;
        if (HAS_POSITIVE || args.settles) {
            #pragma unroll
            for (int a = 0; a < A; a++) aux[a] = args.view.aux[place(patch, A, cell) + size_t(a) * patch.component];
        }
        if (args.settles) {
            Real part = Real(1.0);
            #pragma unroll
            for (int m = 0; m < M; m++)
                if (is_kept(m)) part = real_min(part, staying(real_max(before[m], Real(0.0)), q[m]));
            q = settled(solver, q, aux, part, before, Real(args.free));
        }
        #pragma unroll
        for (int m = 0; m < M; m++) values[size_t(m) * patch.component] = q[m];
#if HAS_POSITIVE
        allowed = allowed && solver.least_positive(q, aux) > Real(0);
#endif
    }
    if (!allowed) refuse(args.refused, args.level, work.item.coarse_patch);
}
