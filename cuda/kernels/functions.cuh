// functions.cuh: arguments of functions of a case. They compute in double, whatever the arrays hold.
// Defined before it: VALUE, the type of these numbers; Real is double.

typedef VALUE Value;

// The distance of a place from the origin.
template <class Where> __device__ __forceinline__ double radius_of(const Where& at)
{
    double sum = product_alone(at.centre(0), at.centre(0));
    #pragma unroll
    for (int d = 1; d < DIM; d++) sum += product_alone(at.centre(d), at.centre(d));
    return sqrt(sum);
}

// A cell of a level.
struct Point {
    const Lattice& level;
    int cell[3];
    double t;
    double duration; // of a step of a source that is integrated by formulas

    __device__ __forceinline__ double centre(int d) const
    {
#if ON_MESH
        return level.centroids[size_t(d) * size_t(level.cells[0]) + cell[0]];
#else
        return centre_of(level, d, cell[d]);
#endif
    }
    __device__ __forceinline__ double lower(int d) const { return face_of(level, d, cell[d]); }
    __device__ __forceinline__ double upper(int d) const { return face_of(level, d, cell[d] + 1); }
    __device__ __forceinline__ double radius() const { return radius_of(*this); }
};

// A place that is no cell's centre, for the mapping of a mesh, or beyond the sides of a mesh from a file.
struct Spotted {
    double x[3], t;

    __device__ __forceinline__ double centre(int d) const { return x[d]; }
    __device__ __forceinline__ double radius() const { return radius_of(*this); }
};
