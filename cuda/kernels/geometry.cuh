// geometry.cuh: vectors, faces and cells of a mesh, and gradients by least squares: unstructured::mesh::geometry and unstructured::step, operation by
// operation. In the plane sums of three products are of two and 0, which leaves bits as they are.
// Defined before it: in space FaceSums.

// In the plane it is read and written at once.
struct alignas(DIM == 2 ? 16 : 8) Vector {
    double x[DIM];
    __device__ __forceinline__ double& operator[](int d) { return x[d]; }
    __device__ __forceinline__ double operator[](int d) const { return x[d]; }
};
template <class Of> __device__ __forceinline__ Vector vector_of(Of of)
{
    Vector made;
    #pragma unroll
    for (int d = 0; d < DIM; d++) made[d] = of(d);
    return made;
}
__device__ __forceinline__ Vector zero() { return vector_of([](int) { return 0.0; }); }
__device__ __forceinline__ Vector operator+(Vector a, Vector b) { return vector_of([&](int d) { return a[d] + b[d]; }); }
__device__ __forceinline__ Vector operator-(Vector a, Vector b) { return vector_of([&](int d) { return a[d] - b[d]; }); }
__device__ __forceinline__ Vector operator*(double f, Vector a) { return vector_of([&](int d) { return f * a[d]; }); }
__device__ __forceinline__ double dot(Vector a, Vector b)
{
    return a[0] * b[0] + a[1] * b[1] + (DIM > 2 ? a[DIM - 1] * b[DIM - 1] : 0.0);
}

// One of components that lie apart.
__device__ __forceinline__ Vector vector_at(const double* first, size_t apart)
{
    return vector_of([&](int d) { return first[d * apart]; });
}
__device__ __forceinline__ void set_vector(double* first, size_t apart, Vector value)
{
    #pragma unroll
    for (int d = 0; d < DIM; d++) first[d * apart] = value[d];
}

// One of components that lie together.
__device__ __forceinline__ Vector& vector_in(double* first, size_t number) { return reinterpret_cast<Vector*>(first)[number]; }

// The mean of points.
__device__ __forceinline__ Vector mean_of(const Vector* points, unsigned count)
{
    Vector sum = zero();
    for (unsigned k = 0; k < count; k++) sum = sum + points[k];
    return 1.0 / double(count) * sum;
}

#if DIM > 2
__device__ __forceinline__ Vector cross(Vector a, Vector b)
{
    return Vector{{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

// `size · normal` of a triangle, of its two shortest edges.
__device__ __forceinline__ Vector triangle(Vector a, Vector b, Vector c)
{
    const Vector edges[3] = {b - a, c - b, a - c};
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (dot(edges[k], edges[k]) >= dot(edges[longest], edges[longest])) longest = k;
    return 0.5 * cross(edges[(longest + 1) % 3], edges[(longest + 2) % 3]);
}

// The triangles of a face: itself, or those around the mean of its corners.
__device__ __forceinline__ unsigned num_triangles(unsigned count) { return count == 3 ? 1 : count; }
__device__ __forceinline__ Vector apex_of(const Vector* corners, unsigned count) { return count == 3 ? corners[2] : mean_of(corners, count); }
#endif

// `size · normal` of a face with these corners, and its centroid.
__device__ __forceinline__ Vector vector_of_face(const Vector* corners, unsigned count, Vector& centre)
{
#if DIM > 2
    if (count == 3) {
        centre = mean_of(corners, 3);
        return triangle(corners[0], corners[1], corners[2]);
    }
    const Vector apex = mean_of(corners, count);
    Vector whole = zero(), sum = zero();
    if (count == 4) {
        const Vector along = corners[1] - corners[0], beside = corners[3] - corners[0], skew = (corners[2] - corners[1]) - beside;
        whole = cross(along, beside) + 0.5 * cross(skew, beside - along);
    } else {
        for (unsigned k = 0; k < count; k++) whole = whole + triangle(corners[k], corners[(k + 1) % count], apex);
    }
    for (unsigned k = 0; k < count; k++) {
        const Vector part[3] = {corners[k], corners[(k + 1) % count], apex};
        sum = sum + dot(triangle(part[0], part[1], part[2]), whole) * (mean_of(part, 3) - corners[0]);
    }
    centre = corners[0] + 1.0 / dot(whole, whole) * sum;
    return whole;
#else
    centre = mean_of(corners, 2);
    return Vector{{corners[1][1] - corners[0][1], corners[0][0] - corners[1][0]}};
#endif
}

// Volume and centroid of a cell, which is seen from the mean of its nodes.
template <class Cell> __device__ __forceinline__ void measure_cell(const Cell& cell, double& volume, Vector& centroid)
{
    Vector origin = zero(), moment = zero();
    for (unsigned k = 0; k < cell.num_nodes(); k++) origin = origin + cell.node(k);
    origin = 1.0 / double(cell.num_nodes()) * origin;
    volume = 0.0;
    for (unsigned face = 0; face < cell.num_faces(); face++) {
#if DIM > 2
        const unsigned count = cell.num_corners(face);
        Vector corners[4];
        for (unsigned k = 0; k < count; k++) corners[k] = cell.corner(face, k);
        const Vector middle = apex_of(corners, count), apex = middle - origin;
        for (unsigned k = 0; k < num_triangles(count); k++) {
            const Vector next = corners[(k + 1) % count], a = corners[k] - origin, b = next - origin, sum = (a + b) + apex;
            const double part = dot(triangle(corners[k], next, middle), sum) / 9.0;
            volume += part;
            moment = moment + part * (0.25 * sum);
        }
#else
        const Vector a = cell.corner(face, 0) - origin, b = cell.corner(face, 1) - origin;
        const double part = 0.5 * (a[0] * b[1] - a[1] * b[0]);
        volume += part;
        moment = moment + part * (1.0 / 3.0 * (a + b));
#endif
    }
    centroid = origin + 1.0 / volume * moment;
}

// What states are turned by at a face: its normal, in space half way to it.
__device__ __forceinline__ Vector turn_of(Vector normal)
{
#if DIM > 2
    const auto half = FaceSums().half_way(normal[0], normal[1], normal[2]);
    return vector_of([&](int d) { return half[d]; });
#else
    return normal;
#endif
}

// From the centroid of a cell at a side to its mirror image there.
__device__ __forceinline__ Vector to_mirror_image(Vector to_face, Vector normal) { return 2.0 * dot(to_face, normal) * normal; }

// A distance over its square.
__device__ __forceinline__ Vector over_square(Vector far)
{
    const double squared = dot(far, far);
    return vector_of([&](int d) { return far[d] / squared; });
}

// The weights of differences in a gradient by least squares.
struct LeastSquares {
    Vector matrix[DIM] = {};

    // The weight of what is so far away, before it is `solved`.
    __device__ __forceinline__ Vector add(Vector far)
    {
        const Vector weight = over_square(far);
        for (int i = 0; i < DIM; i++) matrix[i] = matrix[i] + weight[i] * far;
        return weight;
    }
    // Inverts the matrix, once all are added.
    __device__ __forceinline__ void solve()
    {
        Vector inverse[DIM];
#if DIM > 2
        const Vector minors[3] = {cross(matrix[1], matrix[2]), cross(matrix[2], matrix[0]), cross(matrix[0], matrix[1])};
        const double determinant = dot(matrix[0], minors[0]);
        for (int i = 0; i < 3; i++) inverse[i] = vector_of([&](int j) { return minors[j][i] / determinant; });
#else
        const double determinant = matrix[0][0] * matrix[1][1] + matrix[0][1] * (0.0 - matrix[1][0]) + 0.0;
        inverse[0] = Vector{{matrix[1][1] / determinant, (0.0 - matrix[0][1]) / determinant}};
        inverse[1] = Vector{{(0.0 - matrix[1][0]) / determinant, matrix[0][0] / determinant}};
#endif
        for (int i = 0; i < DIM; i++) matrix[i] = inverse[i];
    }
    __device__ __forceinline__ Vector solved(Vector weight) const { return vector_of([&](int d) { return dot(matrix[d], weight); }); }
};
