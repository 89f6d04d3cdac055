// mapped_space.cuh: faces and volumes of the cells of a mapped mesh in space, see `mesh::mapping::space`.

__device__ __forceinline__ Spot cross(const Spot& a, const Spot& b)
{
    return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
__device__ __forceinline__ double triple(const Spot& a, const Spot& b, const Spot& c) { return dot(a, cross(b, c)); }

// The finest faces on a cell's lower face together: the first corner, ∫ dA, and ∫ (r − corner)·dA.
struct Sheet {
    Spot corner, vector;
    double cone;
};

__device__ __noinline__ Sheet sheet_of(const Level& level, int axis, const Place& cell)
{
    const int first = (axis + 1) % 3, second = (axis + 2) % 3;
    const Place from = level.first(cell);
    Sheet sheet = {node(from), {{0.0, 0.0, 0.0}}, 0.0};
    for (int j = 0; j < level.step[second]; j++) {
        for (int i = 0; i < level.step[first]; i++) {
            const Place at = moved(moved(from, second, j), first, i);
            const Spot p00 = node(at), p10 = node(moved(at, first, 1));
            const Spot p01 = node(moved(at, second, 1)), p11 = node(moved(moved(at, second, 1), first, 1));
            const Spot vector = cross(minus(p11, p00), minus(p01, p10));
            const Spot a = minus(p00, sheet.corner), b = minus(p10, sheet.corner);
            const Spot c = minus(p01, sheet.corner), d = minus(p11, sheet.corner);
            sheet.cone += 0.25 * ((triple(a, b, d) + triple(a, d, c)) + (triple(a, b, c) + triple(b, d, c)));
            for (int m = 0; m < 3; m++) sheet.vector[m] += 0.5 * vector[m];
        }
    }
    return sheet;
}

__device__ __noinline__ Face lower_face(const Level& level, int axis, const Place& cell)
{
    Face face;
    const double length = unit(sheet_of(level, axis, cell).vector, face.normal);
    face.size = length / (level.dx[(axis + 1) % 3] * level.dx[(axis + 2) % 3]);
    return face;
}

// A cell's volume per unit of the computational coordinates.
__device__ __noinline__ double capacity_of(const Level& level, const Place& cell)
{
    double three_volumes = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const Sheet lower = sheet_of(level, axis, cell), upper = sheet_of(level, axis, moved(cell, axis, 1));
        const double away = dot(minus(upper.corner, lower.corner), upper.vector);
        three_volumes += away + (upper.cone - lower.cone);
    }
    return three_volumes / 3.0 / (level.dx[0] * level.dx[1] * level.dx[2]);
}

// What is stored of a face's normal: the vector half way between it and the axis; zero where there is no face.
__device__ __forceinline__ Spot frame_of(int axis, const Spot& normal)
{
    // Behind a wall there is no such face.
    if (fmax(fmax(fabs(normal[0]), fabs(normal[1])), fabs(normal[2])) < 1e-30) return normal;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double along = normal[axis], first = normal[i], second = normal[j];
    const double across = sqrt(first * first + second * second);
    Spot half = {{0.0, 0.0, 0.0}};
    if (along >= 0.0) {
        const double length = sqrt((1.0 + along) * (1.0 + along) + across * across);
        half[axis] = (1.0 + along) / length;
        half[i] = first / length;
        half[j] = second / length;
    } else if (across > 0.0) {
        // The same without cancellation, from the part across the axis.
        const double part = sqrt(0.5 * (1.0 - along));
        half[axis] = 0.5 * across / part;
        half[i] = first / across * part;
        half[j] = second / across * part;
    } else {
        half[i] = 1.0;
    }
    return half;
}
