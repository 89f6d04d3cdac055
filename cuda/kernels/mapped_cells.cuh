// mapped_cells.cuh: the geometry of a mapped grid's cells, what is behind walls included, as auxiliary values.

// A cell's lower faces, and its size per unit of the computational coordinates.
struct MappedCell {
    Face faces[DIM];
    double capacity;
};

// Of a cell behind a wall the face along its axis and the size are those of the mirror image; between the cells there are no faces, but
// where sweeps go along one axis after the other.
__device__ __noinline__ void put_behind_wall(const Level& level, int axis, bool upper, const Place& cell, MappedCell& mapped)
{
    const int count = level.count(axis);
    if (upper ? cell[axis] < count : cell[axis] >= 0) return;
    bool mirrored = cell[axis] >= -count && cell[axis] < 2 * count;
    for (int d = 0; d < DIM; d++) {
        if (d == axis) continue;
        if (!MAP_FACES_BEHIND_WALLS) {
            mapped.faces[d].size = 0.0;
            for (int n = 0; n < DIM; n++) mapped.faces[d].normal[n] = 0.0;
        }
        // Beside the domain nothing is mirrored.
        mirrored = mirrored && (MAP_PERIODIC[d] || (cell[d] >= 0 && cell[d] < level.count(d)));
    }
    if (!mirrored) return;
    Place image = cell;
    image[axis] = upper ? count : 0;
    const Spot wall = lower_face(level, axis, image).normal;
    image[axis] = upper ? 2 * count - cell[axis] : -cell[axis];
    const Face face = lower_face(level, axis, image);
    const double along = dot(face.normal, wall);
    // The mirror image of what points towards larger indices points towards smaller ones.
    for (int d = 0; d < DIM; d++) mapped.faces[axis].normal[d] = -(face.normal[d] - (along + along) * wall[d]);
    mapped.faces[axis].size = face.size;
    mapped.capacity = capacity_of(level, moved(image, axis, -1));
}

// What is kept of the normal of the lower face along each axis with its size, then the capacity.
__device__ __forceinline__ void case_function(
    const Point& at, const Array<double, M>& q, const Array<double, A>& aux, double* values)
{
    Level level;
    Place cell;
    for (int d = 0; d < DIM; d++) {
        level.dx[d] = at.dx[d];
        level.step[d] = max(int(rint(at.dx[d] / MAP_DX[d])), 1);
        cell[d] = int(rint((at.lower(d) - MAP_LOWER[d]) / at.dx[d]));
    }
    MappedCell mapped;
    for (int axis = 0; axis < DIM; axis++) mapped.faces[axis] = lower_face(level, axis, cell);
    mapped.capacity = capacity_of(level, cell);
    for (int axis = 0; axis < DIM; axis++)
        for (int side = 0; side < 2; side++)
            if (MAP_WALL[axis][side]) put_behind_wall(level, axis, side == 1, cell, mapped);
    for (int axis = 0; axis < DIM; axis++) {
        const Spot frame = frame_of(axis, mapped.faces[axis].normal);
        for (int d = 0; d < DIM; d++) values[(DIM + 1) * axis + d] = frame[d];
        values[(DIM + 1) * axis + DIM] = mapped.faces[axis].size;
    }
    values[(DIM + 1) * DIM] = mapped.capacity;
}
