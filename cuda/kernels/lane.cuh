// lane.cuh: a lane of the update in planes: its neighbours, where it reads and writes.
// Defined before it: ALONG, the axis that rows follow one another along, 1 for y or 2 for z; SWEEP_X, SWEEP_ROWS.

// The axis along which rows follow one another, and the one across a tile's plane.
constexpr Axis ROWS = Axis(ALONG), PLANES = Axis(3 - ALONG);

constexpr int MARGIN = SWEEP_X ? 2 : 0;
constexpr bool SPLIT_WAVES = TRANSVERSE > 0 && SWEEP_X && SWEEP_ROWS;

// The value of the lane to the left, of the lane to the right. A constant needs no exchange.
__device__ __forceinline__ Real from_left(Real v) { return __shfl_up_sync(ALL_LANES, v, 1); }
__device__ __forceinline__ Real from_right(Real v) { return __shfl_down_sync(ALL_LANES, v, 1); }
template <int N> __device__ __forceinline__ Array<Real, N> from_left(const Array<Real, N>& a)
{
    Array<Real, N> b;
#pragma unroll
    for (int n = 0; n < N; n++) b[n] = from_left(a[n]);
    return b;
}
template <int N> __device__ __forceinline__ Array<Real, N> from_right(const Array<Real, N>& a)
{
    Array<Real, N> b;
#pragma unroll
    for (int n = 0; n < N; n++) b[n] = from_right(a[n]);
    return b;
}
__device__ __forceinline__ Array<State, W> from_right(const Array<State, W>& a)
{
    Array<State, W> b;
#pragma unroll
    for (int w = 0; w < W; w++) b[w] = from_right(a[w]);
    return b;
}

// Where a lane reads and writes. The lanes of a warp hold as many parts of a tile side by side as fit, one above the other in the tile, each
// with the columns around it. All parts have the same number of rows: where the rows do not divide evenly, the last part begins in rows of
// the one before it, and both write the same values there.
struct Lane {
    const UpdateArgs& args;
    const Tile tile;
    const Patch patch;
    // Numbers from the patch's first cell to the first interior one of the plane.
    const long long to_plane;
    // That cell's number, its component 0 in arrays of states and of auxiliary values.
    const unsigned long long first_cell, first_state, first_aux;
    int lane;     // 0 … 31
    int parts;    // of the tile
    int part;     // the lane's
    int place;    // 0 … in its part: MARGIN is the tile's first column
    int column;   // of the patch; lanes that no cell of the tile needs stand at the last that one does
    int to_part;  // numbers from the first row of the first part to that of the lane's
    bool inside;  // the column is one of the tile's

    __device__ __forceinline__ Lane(const UpdateArgs& a, int number)
        : args(a), tile(a.tiles[number]), patch(a.patches[tile.patch]),
          to_plane(patch.inner + (long long)tile.lo[PLANES] * patch.stride[PLANES]), first_cell(patch.first + to_plane),
          first_state(PACK_OVERRUN + patch.first * M + to_plane), first_aux(PACK_OVERRUN + patch.first * A + to_plane),
          lane(threadIdx.x & 31)
    {
        const int width = tile.size[X] + 2 * MARGIN;
        parts = 32 / width;
        part = min(lane / width, parts - 1);
        place = lane - part * width;
        column = tile.lo[X] - MARGIN + min(place, width - 1);
        to_part = rows_below(part) * patch.stride[ROWS];
        inside = place >= MARGIN && place - MARGIN < tile.size[X];
    }

    // Rows of each part.
    __device__ __forceinline__ int num_rows() const { return (tile.size[ROWS] + parts - 1) / parts; }
    // Rows of the tile below those of a part.
    __device__ __forceinline__ int rows_below(int part) const { return min(part * num_rows(), tile.size[ROWS] - num_rows()); }

    // First row of the first part, and the row behind its last: rows are named by those of the first part.
    __device__ __forceinline__ int first_row() const { return tile.lo[ROWS]; }
    __device__ __forceinline__ int end_row() const { return tile.lo[ROWS] + num_rows(); }

    // Numbers from the plane's first cell to the lane's in row k.
    __device__ __forceinline__ long long offset(int k) const { return (long long)k * patch.stride[ROWS] + to_part + column; }

    // The state of the lane's column in row k.
    __device__ __forceinline__ State state(int k) const
    {
        const Real* cell = args.q + first_state + offset(k);
        State q;
#pragma unroll
        for (int m = 0; m < M; m++) q[m] = cell[(long long)m * patch.component];
        return q;
    }
    // Auxiliary values I columns to the right.
    __device__ __forceinline__ Aux aux(int i, int k) const
    {
        return aux_at(max(-args.num_ghost, min(column + i, patch.size[X] + args.num_ghost - 1)), k);
    }
    __device__ __forceinline__ Aux aux_at(int i, int k) const
    {
        Aux values;
        if constexpr (A > 0) {
            const Real* cell = args.aux + first_aux + (long long)k * patch.stride[ROWS] + to_part + i;
#pragma unroll
            for (int a = 0; a < A; a++) values[a] = __ldg(cell + (long long)a * patch.component);
        }
        return values;
    }
    // The cell of a patch so many steps from the lane's in row k; in place of one that does not exist, one at the edge.
    __device__ __forceinline__ long long offset(const Steps& steps, int k) const
    {
        const int x = max(-args.num_ghost, min(column + steps[X], patch.size[X] + args.num_ghost - 1));
        return (long long)(k + steps[ROWS]) * patch.stride[ROWS] + (long long)steps[PLANES] * patch.stride[PLANES] + to_part + x;
    }
    __device__ __forceinline__ Real inverse_capacity(int k) const
    {
        if constexpr (CAPACITY >= 0) return Real(1.0) / aux(0, k)[CAPACITY];
        else return Real(1.0);
    }
    // Auxiliary values of the cell I columns to the right and of its neighbours along the axis that is not AXIS.
    __device__ __forceinline__ TransverseAux transverse_aux(Axis axis, int i, int k) const
    {
        const int di = axis == X ? 0 : 1, dk = axis == X ? 1 : 0;
        return TransverseAux{aux(i - di, k - dk), aux(i, k), aux(i + di, k + dk)};
    }
};

// The cells around a lane's in row K.
struct LaneCells {
    const Lane& at;
    int k;

    __device__ __forceinline__ State state(const Steps& steps) const
    {
        const Real* cell = at.args.q + at.first_state + at.offset(steps, k);
        State q;
#pragma unroll
        for (int m = 0; m < M; m++) q[m] = cell[(long long)m * at.patch.component];
        return q;
    }
    __device__ __forceinline__ Aux aux(const Steps& steps) const
    {
        Aux values;
        if constexpr (A > 0) {
            const Real* cell = at.args.aux + at.first_aux + at.offset(steps, k);
#pragma unroll
            for (int a = 0; a < A; a++) values[a] = __ldg(cell + (long long)a * at.patch.component);
        }
        return values;
    }
};
