// mapped_nodes.cuh: positions of the nodes of a mapped mesh, computed by the host's operations in the same order.
// Defined before it: map_position, which gives the position of a computational point; of the finest possible level MAP_FINEST, its cells
// along each axis, and MAP_DX, their size; the domain's MAP_LOWER and MAP_UPPER; MAP_PERIODIC; MAP_BEYOND, what lies beyond the sides, by
// axis and side; MAP_NO_FACE, the first two components of what stands for normals behind them.

typedef Array<double, DIM> Spot;
// A node of the finest level, or a cell of any.
typedef Array<int, DIM> Place;

__device__ __forceinline__ Spot minus(const Spot& a, const Spot& b)
{
    Spot c;
    #pragma unroll
    for (int d = 0; d < DIM; d++) c[d] = a[d] - b[d];
    return c;
}
__device__ __forceinline__ double dot(const Spot& a, const Spot& b)
{
    double sum = a[0] * b[0];
    #pragma unroll
    for (int d = 1; d < DIM; d++) sum = sum + a[d] * b[d];
    return sum;
}
__device__ __forceinline__ Place moved(Place place, int axis, int by)
{
    place[axis] += by;
    return place;
}

// Position of a node in the domain. Not inlined: a cell uses dozens of nodes, and formulas may be long.
__device__ __noinline__ Spot node_inside(const Place& node)
{
    Spotted at{{0.0, 0.0, 0.0}, 0.0};
    for (int d = 0; d < DIM; d++)
        at.x[d] = position(MAP_LOWER[d], MAP_UPPER[d], double(MAP_FINEST[d]), 2.0 * double(node[d]));
    double values[DIM];
    map_position(at, values);
    Spot spot;
    for (int d = 0; d < DIM; d++) spot[d] = values[d];
    return spot;
}

// Beyond a periodic side nodes are those at the other side, shifted; beyond other sides they are mirror images, about the node on the side,
// of those inside.
struct NodeBeyond {
    int image, from, side;
    bool periodic;

    __device__ __forceinline__ NodeBeyond(int axis, int node)
    {
        const int count = MAP_FINEST[axis];
        periodic = MAP_PERIODIC[axis];
        side = node > count ? count : 0;
        from = periodic ? count - side : side;
        image = periodic ? from + (node - side) : min(max(2 * side - node, 0), count);
    }
    __device__ __forceinline__ Spot place(const Spot& image, const Spot& from, const Spot& side) const
    {
        Spot spot;
        for (int d = 0; d < DIM; d++)
            spot[d] = periodic ? image[d] + (side[d] - from[d]) : side[d] + (from[d] - image[d]);
        return spot;
    }
};

// Position of a node that is not beyond the sides of the axes before AXIS.
template <int AXIS> __device__ Spot node_from(Place node)
{
    if constexpr (AXIS == DIM) {
        return node_inside(node);
    } else {
        if (node[AXIS] >= 0 && node[AXIS] <= MAP_FINEST[AXIS]) return node_from<AXIS + 1>(node);
        const NodeBeyond beyond(AXIS, node[AXIS]);
        Place image = node, from = node, side = node;
        image[AXIS] = beyond.image, from[AXIS] = beyond.from, side[AXIS] = beyond.side;
        return beyond.place(node_from<AXIS + 1>(image), node_from<AXIS + 1>(from), node_from<AXIS + 1>(side));
    }
}

__device__ __noinline__ Spot node(const Place& place) { return node_from<0>(place); }

// A level: its cells hold so many cells of the finest level along each axis, and have this size.
struct Level {
    int step[DIM];
    double dx[DIM];

    __device__ __forceinline__ int count(int axis) const { return MAP_FINEST[axis] / step[axis]; }
    // The first node of a cell.
    __device__ __forceinline__ Place first(Place cell) const
    {
        for (int d = 0; d < DIM; d++) cell[d] *= step[d];
        return cell;
    }
};

// A cell's lower face along an axis.
struct Face {
    Spot normal;
    double size;
};

// A unit vector, and the length. A face without a size, at a pole, has no normal: any will do.
__device__ __forceinline__ double unit(const Spot& vector, Spot& normal)
{
    const double length = sqrt(dot(vector, vector));
    for (int d = 0; d < DIM; d++) normal[d] = length > 0.0 ? vector[d] / length : d == 0 ? 1.0 : 0.0;
    return length;
}
