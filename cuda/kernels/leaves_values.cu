// leaves_values.cu: the values of a case's formulas in leaves and then beyond sides, with derivatives by least squares: frames::derived.
// Defined before it: case_around.
// Map     one thread per leaf, and per boundary face
// Bytes   8 M of a leaf, and of its neighbours where there are derivatives; 8 per value
// Order   every number is written by one thread: repeats bit for bit

struct AroundLeaf {
    const LeavesArgs& args;
    unsigned cells, boundary;

    // The state in a leaf, or behind these beyond a boundary face.
    __device__ __forceinline__ Array<double, M> q(unsigned place) const
    {
        return place < cells ? values_at<M>(args.values, place, cells) : values_at<M>(args.beyond, place - cells, boundary);
    }
    __device__ __forceinline__ Spotted point(unsigned place) const
    {
        const Vector at = place < cells ? vector_at(args.before.centroid + place, cells)
                                        : vector_at(args.at_ghosts + (place - cells), boundary);
        Spotted here{{0.0, 0.0, 0.0}, args.t};
        #pragma unroll
        for (int d = 0; d < DIM; d++) here.x[d] = at[d];
        return here;
    }
    // The gradient in a leaf, beyond a face that within: `leaves_slopes`.
    template <class Value> __device__ __forceinline__ Vector gradient(unsigned place, Value value) const
    {
        const LeafMesh& mesh = args.before;
        const unsigned leaf = place < cells ? place : mesh.tables.left[args.first_boundary + (place - cells)];
        const unsigned row = mesh.tables.slices[leaf / 32] + leaf % 32, count = mesh.link_starts[leaf + 1] - mesh.link_starts[leaf];
        Vector sum = zero();
        const double own = value(leaf);
        for (unsigned k = 0, at = row; k < count; k++, at += 32) {
            const double difference = value(mesh.tables.neighbours[at]) - own;
            sum = sum + difference * vector_at(mesh.tables.weight + at, mesh.tables.num_entries);
        }
        return sum;
    }
};

extern "C" __global__ void leaves_values(const LeavesArgs args)
{
    start_next();
    const unsigned place = item_of_thread(), cells = args.before.tables.num_cells, boundary = args.before.tables.num_faces - args.first_boundary;
    await_previous();
    if (place >= cells + boundary) return;
    double values[NUM_VALUES];
    case_around(AroundLeaf{args, cells, boundary}, place, values);
    for (int k = 0; k < NUM_VALUES; k++) args.new_values[size_t(k) * (cells + boundary) + place] = values[k];
}
