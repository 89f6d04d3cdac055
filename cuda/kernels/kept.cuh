// kept.cuh: corrections that the update in planes keeps. What is said of y holds for z in a sweep along it.

// Keeps the second-order corrections of faces at the edge of another level, which a map marks. The lanes hold the masks of 32 rows, or of
// fewer of each part of the tile.
struct KeptFaces {
    unsigned x_faces, y_faces; // of rows base + n - 1 and base + n, a bit for each place; n: the lane's number within its part's
    unsigned x_place, y_place; // where the slots of these rows' first ones lie
    unsigned rows;             // in which of these rows any part has some
    int base, of_part;         // first row at hand, number of rows of each part
    unsigned x_word, y_word, word_step; // words of the map: where those of row 0 begin, and from row to row
    bool keeps_x, keeps_y;     // of the row at hand
    unsigned x_slot, y_slot;   // where these go

    __device__ __forceinline__ KeptFaces(const Lane& at) : base(at.first_row()), of_part(32 / at.parts)
    {
        if constexpr (KEEPS_FACES > 0) {
            const int of_row = at.patch.stride[Y], rows = at.patch.component / of_row, words = (of_row + 31) / 32;
            const int first = int(at.to_plane) / of_row;
            x_word = at.patch.first_word + (X * rows + first) * words;
            y_word = at.patch.first_word + (ROWS * rows + first) * words;
            word_step = at.patch.stride[ROWS] / of_row * words;
            fetch(at);
        }
    }

    __device__ __forceinline__ void fetch(const Lane& at)
    {
        // A face between two tiles belongs to the upper one; a patch's last faces to its last tiles.
        const int end = at.end_row(), right = at.tile.lo[X] + at.tile.size[X];
        const unsigned own = ((at.tile.size[X] < 32 ? 1u << at.tile.size[X] : 0u) - 1u) << MARGIN;
        const unsigned last = right == at.patch.size[X] && at.tile.size[X] < 32 ? 1u << (MARGIN + at.tile.size[X]) : 0u;
        const int part = min(at.lane / of_part, at.parts - 1), row = base + at.lane - part * of_part, below = at.rows_below(part);
        const int last_row = below + end == at.patch.size[ROWS] ? end : end - 1;
        // All loads that may be needed are issued at once.
        const unsigned y = SWEEP_ROWS ? line(at, y_word, below + min(row, last_row), y_place) : 0u;
        const unsigned x = SWEEP_X ? line(at, x_word, below + min(max(row, at.first_row() + 1), end) - 1, x_place) : 0u;
        y_faces = row <= last_row ? y & own : 0u;
        x_faces = row > at.first_row() && row <= end ? x & (own | last) : 0u;
        const unsigned all = __ballot_sync(ALL_LANES, (x_faces | y_faces) != 0u);
        rows = 0u;
        for (int n = 0; n < at.parts; n++) rows |= all >> n * of_part;
    }

    // Marked faces below the cells of row K, one bit a lane. FIRST: where the slots lie of the tile's own, if there are any.
    __device__ __forceinline__ unsigned line(const Lane& at, unsigned word, int k, unsigned& first) const
    {
        const int own = at.tile.lo[X] + at.args.num_ghost, bit = own - MARGIN, words = (at.patch.stride[Y] + 31) / 32;
        const unsigned row = word + k * word_step; // rows of ghost cells come before row 0
        first = place_of_face(at.args.face_words, at.args.face_bases, row + own / 32, own % 32);
        const unsigned* start = at.args.face_words + row;
        // Beyond the patch's last word no lane has a cell of its own.
        return __funnelshift_r(start[bit / 32], start[min(bit / 32 + 1, words - 1)], bit % 32);
    }

    // Before row K is processed: loads what its end needs. To be called for every row in turn.
    __device__ __forceinline__ void expect(const Lane& at, int k)
    {
        keeps_x = keeps_y = false;
        if (k < at.first_row()) return;
        if (k - base == of_part) {
            base += of_part;
            fetch(at);
        }
        if (!(rows >> (k - base) & 1u)) return;
        if constexpr (SWEEP_X) keeps_x = keeps(at, x_faces, x_place, k - base, x_slot);
        if constexpr (SWEEP_ROWS) keeps_y = keeps(at, y_faces, y_place, k - base, y_slot);
    }

    // Whether the lane's face of a row is marked, and its slot then: those of a row follow one another.
    __device__ __forceinline__ bool keeps(const Lane& at, unsigned faces, unsigned place, int row, unsigned& slot) const
    {
        const int holder = at.part * of_part + row;
        const unsigned of_row = __shfl_sync(ALL_LANES, faces, holder), first = __shfl_sync(ALL_LANES, place, holder);
        const bool kept = of_row >> at.place & 1u;
        if (kept) slot = at.args.face_slots[first + __popc(of_row & ((1u << at.place) - 1u))];
        return kept;
    }

    // F: of the x-faces of row k − 1. G: of the y-faces k. Those who read the kept corrections add the fluctuations.
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
