// kept.cuh: what the update in planes keeps. What is said of y holds for z in a sweep along it.

// Keeps the second-order corrections of faces at the edge of another level, which a map names. The lanes hold the masks of 32
// rows.
struct KeptFaces {
    unsigned x_faces, y_faces; // of rows base + lane - 1 and base + lane, a bit for each lane
    unsigned rows;             // which of these 32 rows have any
    int base;
    bool keeps_x, keeps_y;     // of the row at hand
    unsigned x_slot, y_slot;   // where these go

    __device__ __forceinline__ KeptFaces(const Lane& at) : base(at.first_row())
    {
        if constexpr (KEEPS_FACES > 0) fetch(at);
    }

    __device__ __forceinline__ void fetch(const Lane& at)
    {
        // A face between two tiles belongs to the upper one; a patch's last faces to its last tiles.
        const int end = at.end_row(), right = at.tile.lo[X] + at.tile.size[X];
        const unsigned own = ((at.tile.size[X] < 32 ? 1u << at.tile.size[X] : 0u) - 1u) << MARGIN;
        const unsigned last = right == at.patch.size[X] && at.tile.size[X] < 32 ? 1u << (MARGIN + at.tile.size[X]) : 0u;
        const int row = base + at.lane;
        // All that may be needed is asked for at once.
        const unsigned y = SWEEP_ROWS ? line(at, ROWS, min(row, end == at.patch.size[ROWS] ? end : end - 1)) : 0u;
        const unsigned x = SWEEP_X ? line(at, X, min(max(row, at.first_row() + 1), end) - 1) : 0u;
        y_faces = row < end || (row == end && end == at.patch.size[ROWS]) ? y & own : 0u;
        x_faces = row > at.first_row() && row <= end ? x & (own | last) : 0u;
        rows = __ballot_sync(ALL_LANES, (x_faces | y_faces) != 0u);
    }

    // Marked faces below the cells of a row, one bit a lane.
    __device__ __forceinline__ unsigned line(const Lane& at, int axis, int k) const
    {
        const int of_row = at.patch.stride[Y], rows = at.patch.component / of_row, words = (of_row + 31) / 32;
        const int bit = at.tile.lo[X] - MARGIN + at.args.num_ghost, row = (int(at.to_plane) + k * at.patch.stride[ROWS]) / of_row;
        const unsigned* start = at.args.face_words + at.patch.first_word + (axis * rows + row) * words;
        // Beyond the patch's last word no lane has a cell of its own.
        return __funnelshift_r(start[bit / 32], start[min(bit / 32 + 1, words - 1)], bit % 32);
    }

    // Before row K is worked on: asks for what its end needs. For every row in turn.
    __device__ __forceinline__ void expect(const Lane& at, int k)
    {
        keeps_x = keeps_y = false;
        if (k < at.first_row()) return;
        if (k - base == 32) {
            base += 32;
            fetch(at);
        }
        if (!(rows >> (k - base) & 1u)) return;
        keeps_x = __shfl_sync(ALL_LANES, x_faces, k - base) >> at.lane & 1u;
        keeps_y = __shfl_sync(ALL_LANES, y_faces, k - base) >> at.lane & 1u;
        if (keeps_x) x_slot = slot(at, X, k - 1);
        if (keeps_y) y_slot = slot(at, ROWS, k);
    }

    __device__ __forceinline__ unsigned slot(const Lane& at, int axis, int k) const
    {
        return at.args.face_slots[axis * at.args.num_cells + at.first_cell + (long long)k * at.patch.stride[ROWS] + at.column];
    }

    // F: of the x-faces of row k − 1. G: of the y-faces k. Whoever reads what is kept adds the fluctuations.
    __device__ __forceinline__ void keep(const Lane& at, const State& f, const State& g) const
    {
        if (keeps_y) store(at, y_slot, g);
        if (keeps_x) store(at, x_slot, f);
    }

    __device__ __forceinline__ void store(const Lane& at, unsigned to, const State& correction) const
    {
#pragma unroll
        for (int m = 0; m < M; m++) at.args.kept[m * at.args.kept_stride + (to & 0x7fffffffu)] = correction[m];
    }
};
