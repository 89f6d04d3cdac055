// mapped_cells.cuh: the geometry of a mapped mesh's cells, those behind walls included, as auxiliary values.

// A cell's lower faces, and its size per unit of the computational coordinates.
struct MappedCell {
    Face faces[DIM];
    double capacity;
};

// The face along its axis and the size of a cell behind a wall are those of the mirror image; between such cells there are no faces, except
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
            for (int n = 0; n < DIM; n++) mapped.faces[d].normal[n] = n < 2 ? MAP_NO_FACE[axis][upper][n] : 0.0;
        }
        // A cell beyond a side of another axis is not mirrored.
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

// Where the solver's own values of a cell are evaluated.
__device__ Point origin_of(const Level& level, const Point& at)
{
    Point from = at;
    unsigned walls;
    for (int d = 0; d < DIM; d++) from.cell[d] = origin_of(MAP_BEYOND[d], level.count(d), at.cell[d], walls);
    return from;
}

// The solver's own values; then for each axis what is stored of the normal of the lower face, with its size; then the capacity.
__device__ __forceinline__ void case_function(
    const Point& at, const Array<double, M>& q, const Array<double, A>& aux, double* values)
{
    Level level;
    Place cell;
    for (int d = 0; d < DIM; d++) {
        level.dx[d] = at.level.dx[d];
        level.step[d] = max(int(rint(at.level.dx[d] / MAP_DX[d])), 1);
        cell[d] = at.cell[d];
    }
    if (NUM_OWN > 0) own_values(origin_of(level, at), values);
    MappedCell mapped;
    for (int axis = 0; axis < DIM; axis++) mapped.faces[axis] = lower_face(level, axis, cell);
    mapped.capacity = capacity_of(level, cell);
    for (int axis = 0; axis < DIM; axis++)
        for (int side = 0; side < 2; side++)
            if (changes_signs(MAP_BEYOND[axis][side])) put_behind_wall(level, axis, side == 1, cell, mapped);
    double* geometry = values + NUM_OWN;
    for (int axis = 0; axis < DIM; axis++) {
        const Spot frame = frame_of(axis, mapped.faces[axis].normal);
        for (int d = 0; d < DIM; d++) geometry[(DIM + 1) * axis + d] = frame[d];
        geometry[(DIM + 1) * axis + DIM] = mapped.faces[axis].size;
    }
    geometry[(DIM + 1) * DIM] = mapped.capacity;
}
