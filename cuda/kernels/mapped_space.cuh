// mapped_space.cuh: faces and volumes of the cells of a mapped mesh in space, see `mesh::mapping::space`.

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
            const auto sum = FaceSums().bilinear(sheet.corner, p00, p10, p01, p11);
            sheet.cone += sum.v1;
            for (int m = 0; m < 3; m++) sheet.vector[m] += sum.v0[m];
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
    const Spot turned = FaceSums().half_way(normal[axis], normal[i], normal[j]);
    Spot half;
    half[axis] = turned[0], half[i] = turned[1], half[j] = turned[2];
    return half;
}
