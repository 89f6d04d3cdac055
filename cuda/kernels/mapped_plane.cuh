// mapped_plane.cuh: faces and areas of the cells of a mapped mesh in the plane, see `mesh::mapping::plane`.

__device__ __forceinline__ double cross(const Spot& a, const Spot& b) { return a[0] * b[1] - a[1] * b[0]; }

__device__ __noinline__ Face lower_face(const Level& level, int axis, const Place& cell)
{
    const int across = 1 - axis;
    const Place from = level.first(cell);
    const Spot along = minus(node(moved(from, across, level.step[across])), node(from));
    const Spot vector = axis == X ? Spot{{along[1], -along[0]}} : Spot{{-along[1], along[0]}};
    Face face;
    face.size = unit(vector, face.normal) / level.dx[across];
    return face;
}

// The area between the straight line from a cell's first node to the level's next one along an axis and the line through the finest nodes
// between.
__device__ __noinline__ double bulge(const Level& level, int axis, const Place& cell)
{
    const Place from = level.first(cell);
    const Spot first = node(from);
    Spot before = {{0.0, 0.0}};
    double area = 0.0;
    for (int k = 1; k <= level.step[axis]; k++) {
        const Spot here = minus(node(moved(from, axis, k)), first);
        area = area + 0.5 * cross(before, here);
        before = here;
    }
    return area;
}

// A cell's area per unit of the computational coordinates.
__device__ __noinline__ double capacity_of(const Level& level, const Place& cell)
{
    const Place p00 = level.first(cell), p10 = moved(p00, X, level.step[X]), p01 = moved(p00, Y, level.step[Y]);
    const Place p11 = moved(p10, Y, level.step[Y]);
    double area = 0.5 * cross(minus(node(p11), node(p00)), minus(node(p01), node(p10)));
    if (level.step[X] != 1 || level.step[Y] != 1) {
        area += (bulge(level, X, cell) - bulge(level, X, moved(cell, Y, 1)))
                + (bulge(level, Y, moved(cell, X, 1)) - bulge(level, Y, cell));
    }
    return area / (level.dx[0] * level.dx[1]);
}

// What is stored of a face's normal.
__device__ __forceinline__ Spot frame_of(int axis, const Spot& normal) { return normal; }
