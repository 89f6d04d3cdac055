// mapped_plane.cuh: geometry of the cells of a mapped grid in the plane, operation by operation as the host computes it.
// Defined before it: map_position, which says where a computational point lies; of the finest level that there can be MAP_FINEST, its cells
// along each axis, and MAP_DX, their size; the domain's MAP_LOWER and MAP_UPPER; MAP_PERIODIC; MAP_WALL, by axis and side.

typedef Array<double, 2> Spot;

__device__ __forceinline__ Spot minus(const Spot& a, const Spot& b) { return {{a[0] - b[0], a[1] - b[1]}}; }
__device__ __forceinline__ double cross(const Spot& a, const Spot& b) { return a[0] * b[1] - a[1] * b[0]; }

// Where a node of the finest level lies that is in the domain. Called, not inlined: cells ask for dozens of nodes, and formulas may be long.
__device__ __noinline__ Spot node_inside(int i, int j)
{
    const int node[] = {i, j};
    Point at;
    for (int d = 0; d < 3; d++) {
        at.first[d] = d == 2 ? 0.0 : node[d] == MAP_FINEST[d] ? MAP_UPPER[d] : MAP_LOWER[d] + double(node[d]) * MAP_DX[d];
        at.dx[d] = 0.0;
    }
    at.cells = at.t = 0.0;
    double values[2];
    map_position(at, values);
    return {{values[0], values[1]}};
}

// Beyond a periodic side nodes lie as at the other side, moved along; beyond others as the mirror images of those inside in the node
// on the side.
struct Beyond {
    int image, from, side;
    bool periodic;

    __device__ __forceinline__ Beyond(int axis, int node)
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
        for (int d = 0; d < 2; d++)
            spot[d] = periodic ? image[d] + (side[d] - from[d]) : side[d] + (from[d] - image[d]);
        return spot;
    }
};

__device__ __forceinline__ bool is_inside(int axis, int node) { return node >= 0 && node <= MAP_FINEST[axis]; }

__device__ Spot node_in_column(int i, int j)
{
    if (is_inside(Y, j)) return node_inside(i, j);
    const Beyond beyond(Y, j);
    return beyond.place(node_inside(i, beyond.image), node_inside(i, beyond.from), node_inside(i, beyond.side));
}

__device__ Spot node(int i, int j)
{
    if (is_inside(X, i)) return node_in_column(i, j);
    const Beyond beyond(X, i);
    return beyond.place(node_in_column(beyond.image, j), node_in_column(beyond.from, j), node_in_column(beyond.side, j));
}

// A level: its cells are of so many finest ones along each axis, and have this size.
struct Level {
    int step[2];
    double dx[2];
};

// A cell's lower face along an axis.
struct Face {
    Spot normal;
    double size;
};

__device__ __noinline__ Face lower_face(const Level& level, int axis, int i, int j)
{
    const Spot first = node(i * level.step[X], j * level.step[Y]);
    const Spot last = node((axis == Y ? i + 1 : i) * level.step[X], (axis == X ? j + 1 : j) * level.step[Y]);
    const Spot along = minus(last, first);
    const Spot vector = axis == X ? Spot{{along[1], -along[0]}} : Spot{{-along[1], along[0]}};
    const double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1]);
    // A face without a size, at a pole, has no normal: any will do.
    const Spot normal = length > 0.0 ? Spot{{vector[0] / length, vector[1] / length}} : Spot{{1.0, 0.0}};
    return {normal, length / level.dx[1 - axis]};
}

// The area between the straight line from a node to the level's next one along an axis and the line through the finest nodes between.
__device__ __noinline__ double bulge(const Level& level, int axis, int i, int j)
{
    const int x = i * level.step[X], y = j * level.step[Y];
    const Spot first = node(x, y);
    Spot before = {{0.0, 0.0}};
    double area = 0.0;
    for (int k = 1; k <= level.step[axis]; k++) {
        const Spot here = minus(node(axis == X ? x + k : x, axis == Y ? y + k : y), first);
        area = area + 0.5 * cross(before, here);
        before = here;
    }
    return area;
}

// A cell's area per unit of the computational coordinates.
__device__ __noinline__ double capacity_of(const Level& level, int i, int j)
{
    const int x = i * level.step[X], y = j * level.step[Y], right = x + level.step[X], up = y + level.step[Y];
    double area = 0.5 * cross(minus(node(right, up), node(x, y)), minus(node(x, up), node(right, y)));
    if (level.step[X] != 1 || level.step[Y] != 1) {
        area += (bulge(level, X, i, j) - bulge(level, X, i, j + 1)) + (bulge(level, Y, i + 1, j) - bulge(level, Y, i, j));
    }
    return area / (level.dx[0] * level.dx[1]);
}

// Of a cell behind a wall the face along its axis and the area are those of the mirror image; between the cells there are no faces.
__device__ __noinline__ void put_behind_wall(const Level& level, int axis, bool upper, const int* cell, double* values)
{
    const int across = 1 - axis, count = MAP_FINEST[axis] / level.step[axis];
    if (upper ? cell[axis] < count : cell[axis] >= 0) return;
    for (int n = 0; n < 3; n++) values[3 * across + n] = 0.0;
    const bool beside = cell[across] < 0 || cell[across] >= MAP_FINEST[across] / level.step[across];
    if ((beside && !MAP_PERIODIC[across]) || cell[axis] < -count || cell[axis] >= 2 * count) return;
    int image[] = {cell[0], cell[1]};
    image[axis] = upper ? count : 0;
    const Spot wall = lower_face(level, axis, image[0], image[1]).normal;
    image[axis] = upper ? 2 * count - cell[axis] : -cell[axis];
    const Face face = lower_face(level, axis, image[0], image[1]);
    const double along = face.normal[0] * wall[0] + face.normal[1] * wall[1];
    for (int d = 0; d < 2; d++) values[3 * axis + d] = -(face.normal[d] - (along + along) * wall[d]);
    values[3 * axis + 2] = face.size;
    image[axis] -= 1;
    values[6] = capacity_of(level, image[0], image[1]);
}

// Normal and size of the lower face along each axis, then the capacity.
__device__ __forceinline__ void case_function(
    const Point& at, const Array<double, M>& q, const Array<double, A>& aux, double* values)
{
    Level level;
    int cell[2];
    for (int d = 0; d < 2; d++) {
        level.dx[d] = at.dx[d];
        level.step[d] = max(int(rint(at.dx[d] / MAP_DX[d])), 1);
        cell[d] = int(rint((at.lower(d) - MAP_LOWER[d]) / at.dx[d]));
    }
    for (int axis = 0; axis < 2; axis++) {
        const Face face = lower_face(level, axis, cell[0], cell[1]);
        for (int d = 0; d < 2; d++) values[3 * axis + d] = face.normal[d];
        values[3 * axis + 2] = face.size;
    }
    values[6] = capacity_of(level, cell[0], cell[1]);
    for (int axis = 0; axis < 2; axis++)
        for (int side = 0; side < 2; side++)
            if (MAP_WALL[axis][side]) put_behind_wall(level, axis, side == 1, cell, values);
}
