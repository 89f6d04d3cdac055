// taps.cuh: faces of a tile whose fluxes, or their corrections, are kept: TAPS is 2 for a map, 1 for a table of them.

#if TAPS == 2
// Keeps the second-order corrections of faces at the edge of another level, which a map names. The lanes hold the masks of 32
// rows.
struct TapReader {
    unsigned x_faces, y_faces; // of rows base + lane - 1 and base + lane, a bit for each lane
    unsigned rows;             // which of these 32 rows have any
    int base;
    bool keeps_x, keeps_y;     // of the row at hand
    unsigned x_slot, y_slot;   // where these go

    __device__ __forceinline__ TapReader(const Lane& at) : base(at.tile.row) {}

    // True if the tile keeps anything. Reads the masks of all its rows, and the first ones last.
    __device__ __forceinline__ bool any(const Lane& at)
    {
        unsigned faces = 0;
        for (base = at.tile.row + at.tile.rows / 32 * 32; base >= at.tile.row; base -= 32) {
            fetch(at);
            faces |= rows;
        }
        base = at.tile.row;
        return faces != 0u;
    }

    __device__ __forceinline__ void fetch(const Lane& at)
    {
        // A face between two tiles belongs to the upper one; a patch's last faces to its last tiles.
        const int end = at.tile.row + at.tile.rows, right = at.tile.column + at.tile.columns;
        const unsigned own = ((at.tile.columns < 32 ? 1u << at.tile.columns : 0u) - 1u) << HALO;
        const unsigned last = right == at.patch.columns && at.tile.columns < 32 ? 1u << (HALO + at.tile.columns) : 0u;
        const int row = base + at.lane;
        // All that may be needed is asked for at once.
        const unsigned y = SWEEP_Y ? line(at, 1, min(row, end == at.patch.rows ? end : end - 1)) : 0u;
        const unsigned x = SWEEP_X ? line(at, 0, min(max(row, at.tile.row + 1), end) - 1) : 0u;
        y_faces = row < end || (row == end && end == at.patch.rows) ? y & own : 0u;
        x_faces = row > at.tile.row && row <= end ? x & (own | last) : 0u;
        rows = __ballot_sync(ALL_LANES, (x_faces | y_faces) != 0u);
    }

    // Marked faces below the cells of a row, one bit a lane.
    __device__ __forceinline__ unsigned line(const Lane& at, int axis, int k) const
    {
        const int rows = at.patch.component / at.patch.row, words = (at.patch.row + 31) / 32;
        const int bit = at.tile.column - HALO + at.args.num_ghost;
        const unsigned* start = at.args.map_words + at.patch.first_word + (axis * rows + k + (rows - at.patch.rows) / 2) * words;
        // Beyond the patch's last word no lane has a cell of its own.
        return __funnelshift_r(start[bit / 32], start[min(bit / 32 + 1, words - 1)], bit % 32);
    }

    // Before row K is worked on: asks for what its end needs. For every row in turn.
    __device__ __forceinline__ void expect(const Lane& at, int k)
    {
        keeps_x = keeps_y = false;
        if (k < at.tile.row) return;
        if (k - base == 32) {
            base += 32;
            fetch(at);
        }
        if (!(rows >> (k - base) & 1u)) return;
        keeps_x = __shfl_sync(ALL_LANES, x_faces, k - base) >> at.lane & 1u;
        keeps_y = __shfl_sync(ALL_LANES, y_faces, k - base) >> at.lane & 1u;
        if (keeps_x) x_slot = slot(at, 0, k - 1);
        if (keeps_y) y_slot = slot(at, 1, k);
    }

    __device__ __forceinline__ unsigned slot(const Lane& at, int axis, int k) const
    {
        return at.args.map_slots[axis * at.args.map_cells + at.patch.cell + (long long)k * at.patch.row + at.column];
    }

    // F: of the x-faces of row k − 1. G: of the y-faces k. Whoever reads what is kept adds the fluctuations.
    __device__ __forceinline__ void keep(
        const Solver&, const Lane& at, int, const State& f, const State& g, const State&, const State&) const
    {
        if (keeps_y) store(at, y_slot, g);
        if (keeps_x) store(at, x_slot, f);
    }

    __device__ __forceinline__ void store(const Lane& at, unsigned to, const State& correction) const
    {
#pragma unroll
        for (int m = 0; m < M; m++) at.args.tap_values[m * at.args.tap_stride + (to & 0x7fffffffu)] = correction[m];
    }
};
#else
// Keeps the fluxes of faces at the edge of another level. A tile's taps are sorted by the row that completes them; the lanes
// hold the next 32 of them.
struct TapReader {
    unsigned position, slot; // of the lane's own tap
    int next, left;          // within the 32, and in all

    __device__ __forceinline__ TapReader(const Lane& at) : next(0), left(TAPS ? at.tile.num_taps : 0) { fetch(at); }

    __device__ __forceinline__ void fetch(const Lane& at)
    {
        if (at.lane < left) {
            const Tap tap = at.args.taps[at.tile.first_tap + at.tile.num_taps - left + at.lane];
            position = tap.position;
            slot = tap.slot;
        }
    }

    // True if the tile keeps anything.
    __device__ __forceinline__ bool any(const Lane&) const { return left > 0; }
    __device__ __forceinline__ void expect(const Lane&, int) const {}

    // F: of the x-faces of row k − 1. G, BELOW, ABOVE: correction and fluctuations of the y-faces k.
    __device__ __forceinline__ void keep(
        const Solver& solver, const Lane& at, int k, const State& f, const State& g, const State& below, const State& above)
    {
        while (left > 0) {
            const unsigned tap = __shfl_sync(ALL_LANES, position, next), to = __shfl_sync(ALL_LANES, slot, next);
            if (int(tap >> 8) != k - at.tile.row) break;
            if ((tap & 31) == at.lane) store(solver, at, k, tap, to, f, g, below, above);
            left--;
            if (++next == 32) {
                next = 0;
                fetch(at);
            }
        }
    }

    __device__ __forceinline__ void store(const Solver& solver, const Lane& at, int k, unsigned tap, unsigned to, const State& f,
        const State& g, const State& below, const State& above) const
    {
        State lower = below, upper = above, correction = g;
        if (!(tap & 32)) {
            // An x-face is solved once more: few are kept, and holding all costs registers.
            const int i = at.column;
            const Normal face = solver.normal(
                X, at.state_at(i - 1, k - 1), at.state_at(i, k - 1), at.aux_at(i - 1, k - 1), at.aux_at(i, k - 1));
            lower = face.amdq;
            upper = face.apdq;
            correction = f;
        }
#pragma unroll
        for (int m = 0; m < M; m++) {
            const Real seen = tap & 64 ? correction[m] - upper[m] : lower[m] + correction[m];
            at.args.tap_values[m * at.args.tap_stride + to] = seen;
        }
    }
};

#endif
