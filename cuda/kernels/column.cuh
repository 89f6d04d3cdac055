// column.cuh: a column of the update in space: where its thread reads and writes, and what it passes to its neighbours.
// Defined before it: THREADS, threads of a block.

// Where a thread reads and writes. Its column is one of the tile's, or of those around them.
struct Column {
    const UpdateArgs& args;
    const Tile tile;
    const Patch patch;
    int columns, rows; // of the tile and around it
    int i, j;          // counted from the tile's first column
    bool there;        // there are as many columns as threads
    int rows_of_plane, rows_of_patch; // with ghost cells

    __device__ __forceinline__ Column(const UpdateArgs& a, int number)
        : args(a), tile(a.tiles[number]), patch(a.patches[tile.patch]), columns(tile.size[X] + 2), rows(tile.size[Y] + 2)
    {
        const int thread = min(int(threadIdx.x), columns * rows - 1);
        j = thread / columns - 1;
        i = thread % columns - 1;
        there = int(threadIdx.x) < columns * rows;
        rows_of_plane = patch.stride[Z] / patch.stride[Y];
        rows_of_patch = patch.component / patch.stride[Y];
    }

    __device__ __forceinline__ int position(Axis axis) const { return axis == X ? i : j; }
    __device__ __forceinline__ int first_plane() const { return tile.lo[Z]; }
    __device__ __forceinline__ int end_plane() const { return tile.lo[Z] + tile.size[Z]; }

    // True in the tile's columns; `beyond`: and in those above its last along an axis.
    __device__ __forceinline__ bool in_rows(bool beyond = false) const { return j >= 0 && j < tile.size[Y] + beyond; }
    __device__ __forceinline__ bool in_columns(bool beyond = false) const { return i >= 0 && i < tile.size[X] + beyond; }
    __device__ __forceinline__ bool inside() const { return there && in_columns() && in_rows(); }
    // True for columns whose lower faces along an axis are the tile's.
    __device__ __forceinline__ bool has_faces(Axis axis) const
    {
        return there && in_columns(axis == X) && in_rows(axis == Y);
    }

    // Numbers from the patch's first interior cell to the cell DX, DY, DZ from the column's in plane k. In place of a cell that does not
    // exist, a cell at the edge is read.
    __device__ __forceinline__ long long offset(int dx, int dy, int k) const
    {
        const int ghosts = args.num_ghost;
        int x = tile.lo[X] + i + dx, y = tile.lo[Y] + j + dy;
        // One cell around the columns always exists.
        if (dx < -1) x = max(x, -ghosts);
        if (dx > 1) x = min(x, patch.size[X] + ghosts - 1);
        if (dy < -1) y = max(y, -ghosts);
        if (dy > 1) y = min(y, patch.size[Y] + ghosts - 1);
        return x + (long long)y * patch.stride[Y] + (long long)min(k, patch.size[Z] + ghosts - 1) * patch.stride[Z];
    }

    __device__ __forceinline__ State state(int dx, int dy, int k) const
    {
        const Real* cell = args.q + (PACK_OVERRUN + patch.first * M + patch.inner) + offset(dx, dy, k);
        State q;
#pragma unroll
        for (int m = 0; m < M; m++) q[m] = cell[(long long)m * patch.component];
        return q;
    }
    __device__ __forceinline__ Aux aux(int dx, int dy, int k) const
    {
        Aux values;
        if constexpr (A > 0) {
            const Real* cell = args.aux + (PACK_OVERRUN + patch.first * A + patch.inner) + offset(dx, dy, k);
#pragma unroll
            for (int a = 0; a < A; a++) values[a] = __ldg(cell + (long long)a * patch.component);
        }
        return values;
    }
    // Those of the cell STEPS up along an axis.
    __device__ __forceinline__ State state_along(Axis axis, int steps, int k) const
    {
        return state(axis == X ? steps : 0, axis == Y ? steps : 0, k);
    }
    __device__ __forceinline__ Aux aux_along(Axis axis, int steps, int k) const
    {
        return aux(axis == X ? steps : 0, axis == Y ? steps : 0, k + (axis == Z ? steps : 0));
    }
    // Auxiliary values of the cell STEPS up along an axis and of its neighbours along ACROSS.
    __device__ __forceinline__ TransverseAux transverse_aux(Axis across, Axis axis, int steps, int k) const
    {
        const int dx = axis == X ? steps : 0, dy = axis == Y ? steps : 0, dz = axis == Z ? steps : 0;
        const int ax = across == X, ay = across == Y, az = across == Z;
        return TransverseAux{
            aux(dx - ax, dy - ay, k + dz - az), aux(dx, dy, k + dz), aux(dx + ax, dy + ay, k + dz + az)};
    }
    __device__ __forceinline__ Real inverse_capacity(Axis axis, int steps, int k) const
    {
        if constexpr (CAPACITY >= 0) return Real(1.0) / aux_along(axis, steps, k)[CAPACITY];
        else return Real(1.0);
    }

    // True if a map names the lower face along an axis in plane k. A face between two tiles belongs to the upper one; a patch's last faces
    // to its last tiles.
    __device__ __forceinline__ bool keeps(Axis axis, int k) const
    {
        const int place = axis == Z ? k : position(axis) + tile.lo[axis];
        const bool last = place == tile.lo[axis] + tile.size[axis];
        if (!has_faces(axis) || (last && place != patch.size[axis])) return false;
        return __ldg(args.face_words + map_word(axis, k)) >> (map_column() % 32) & 1u;
    }
    // Where the map has that face: column among the bits of a row, and number of the word.
    __device__ __forceinline__ int map_column() const { return tile.lo[X] + i + args.num_ghost; }
    __device__ __forceinline__ unsigned map_word(Axis axis, int k) const
    {
        const int ghosts = args.num_ghost, words = (patch.stride[Y] + 31) / 32;
        const int row = axis * rows_of_patch + (k + ghosts) * rows_of_plane + tile.lo[Y] + j + ghosts;
        return patch.first_word + row * words + map_column() / 32;
    }
    // Stores the correction of such a face.
    __device__ __forceinline__ void keep(Axis axis, int k, const State& correction) const
    {
        const unsigned place = place_of_face(args.face_words, args.face_bases, map_word(axis, k), map_column() % 32);
        const unsigned slot = __ldg(args.face_slots + place) & 0x7fffffffu;
#pragma unroll
        for (int m = 0; m < M; m++) args.kept[m * args.kept_stride + slot] = correction[m];
    }
};

// The cells around the one UP cells above a column's in plane K along an axis.
struct ColumnCells {
    const Column& at;
    Axis axis;
    int up, k;

    __device__ __forceinline__ int from_column(const Steps& steps, Axis along) const { return steps[along] + (along == axis ? up : 0); }
    __device__ __forceinline__ State state(const Steps& steps) const
    {
        return at.state(from_column(steps, X), from_column(steps, Y), k + from_column(steps, Z));
    }
    __device__ __forceinline__ Aux aux(const Steps& steps) const
    {
        return at.aux(from_column(steps, X), from_column(steps, Y), k + from_column(steps, Z));
    }
};

// Vectors that are exchanged together.
constexpr int VECTORS = 4;
constexpr int VECTOR_NUMBERS = M * THREADS;
// With two buffers used in turn, one is read while the other one is written.
constexpr int PLACES = 2 * VECTORS * VECTOR_NUMBERS * sizeof(Real) <= 48 * 1024 ? 2 : 1;
constexpr int EXCHANGE_NUMBERS = PLACES * VECTORS * VECTOR_NUMBERS;

// Exchange of vectors between neighbouring columns, through shared memory. All threads take part in every turn.
struct Exchange {
    Real* numbers; // [place, vector, component, thread]
    int place;

    // Begins a turn: the buffer of the last turn but one is free.
    __device__ __forceinline__ void begin()
    {
        if constexpr (PLACES == 1) __syncthreads();
        else place ^= 1;
    }
    __device__ __forceinline__ Real* of(int vector) const
    {
        return numbers + (place * VECTORS + vector) * VECTOR_NUMBERS + threadIdx.x;
    }
    // Writes a vector. Returns which components are zero whatever the data are, the same for all columns: these are not written.
    __device__ __forceinline__ Array<bool, M> offer(int vector, const State& values) const
    {
        Array<bool, M> zero;
#pragma unroll
        for (int m = 0; m < M; m++) {
            zero[m] = known_zero(values[m]);
            if (!zero[m]) of(vector)[m * THREADS] = values[m];
        }
        return zero;
    }
    // Waits until all columns have written theirs.
    __device__ __forceinline__ void end() const { __syncthreads(); }
    // The vector of the column above or below along an axis; at the block's edge the column's own. ZERO: what `offer` has returned.
    __device__ __forceinline__ State take(
        const Column& at, int vector, Axis axis, int step, const Array<bool, M>& zero) const
    {
        const int position = at.position(axis) + step, count = axis == X ? at.columns : at.rows;
        const bool has = at.there && position >= -1 && position < count - 1;
        const Real* theirs = of(vector) + (has ? step * (axis == X ? 1 : at.columns) : 0);
        State values;
#pragma unroll
        for (int m = 0; m < M; m++) values[m] = zero[m] ? Real(0.0) : theirs[m * THREADS];
        return values;
    }
};
