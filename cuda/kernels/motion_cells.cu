// motion_cells.cu: volumes and centroids of the cells of a mesh that moves, at the end of a step and half way; which of them are folded.
// Map     one thread per cell
// Bytes   16 DIM + 8 per node and 16 DIM + 32 per cell
// Order   every number is written by one thread; the first cell by the largest of words, whose order does not matter: repeats bit for bit

template <When WHEN> struct CellAt {
    const MotionArgs& args;
    const unsigned *nodes, *shape;

    __device__ __forceinline__ CellAt(const MotionArgs& args, unsigned cell)
        : args(args), nodes(args.cell_nodes + args.cell_starts[cell]), shape(args.of_shapes + SHAPE_WORDS * args.shapes[cell])
    {
    }
    __device__ __forceinline__ unsigned num_nodes() const { return shape[0]; }
    __device__ __forceinline__ unsigned num_faces() const { return shape[1]; }
    __device__ __forceinline__ unsigned num_corners(unsigned face) const { return DIM > 2 ? shape[2 + face] & 15 : 2; }
    __device__ __forceinline__ Vector node(unsigned which) const { return node_at<WHEN>(args, nodes[which]); }
    __device__ __forceinline__ Vector corner(unsigned face, unsigned which) const
    {
        return node(shape[2 + face] >> 4 * (which + 1) & 15);
    }
    // Whether a point lies inside of all faces.
    __device__ __forceinline__ bool surrounds(Vector point) const
    {
        bool is_inside = true;
        for (unsigned face = 0; face < num_faces(); face++) {
            Vector corners[DIM > 2 ? 4 : 2], centre;
            const unsigned count = num_corners(face);
            for (unsigned k = 0; k < count; k++) corners[k] = corner(face, k);
            const Vector across = vector_of_face(corners, count, centre);
            is_inside = is_inside && dot(across, centre - point) > 0.0;
        }
        return is_inside;
    }
};

#if DIM > 2
// The volume that a cell's faces enclose, some of which have more corners than the cell; 0 where none has.
template <When WHEN> __device__ __noinline__ double enclosed(const MotionArgs& args, unsigned cell, Vector origin)
{
    double volume = -0.0;
    bool is_more = false;
    for (unsigned place = args.tables.slices[cell / 32] + cell % 32; place < args.tables.slices[cell / 32 + 1]; place += 32) {
        const unsigned entry = args.tables.entries[place], face = entry / 2;
        if (entry == NO_ITEM) break;
        Vector corners[MOST_CORNERS];
        const unsigned count = corners_of<WHEN>(args, face, corners);
        is_more = is_more || (face >= args.first_boundary && count > 4);
        const Vector apex = apex_of(corners, count), moved = entry % 2 ? shift_of_face(args, face) : zero();
        double sum = -0.0;
        for (unsigned k = 0; k < num_triangles(count); k++) {
            const Vector part[3] = {corners[k], corners[(k + 1) % count], apex};
            sum += dot(triangle(part[0], part[1], part[2]), (mean_of(part, 3) - origin) + moved) / 3.0;
        }
        volume += entry % 2 ? -sum : sum;
    }
    return is_more ? volume : 0.0;
}
#endif

// Volume and centroid of a cell.
template <When WHEN> __device__ __forceinline__ double measured(const MotionArgs& args, unsigned cell, const CellAt<WHEN>& at, Vector& centroid)
{
    double volume;
    measure_cell(at, volume, centroid);
    if (!args.bulge) return volume;
#if DIM > 2
    const double whole = enclosed<WHEN>(args, cell, centroid);
    if (whole != 0.0) volume = whole;
#endif
    return volume + args.bulge[cell];
}

extern "C" __global__ void motion_cells(const MotionArgs args)
{
    start_next();
    const unsigned cell = item_of_thread(), cells = args.tables.num_cells;
    await_previous();
    if (cell >= cells) return;
    Vector centroid;
    const CellAt<AFTER> after(args, cell);
    double volume = measured(args, cell, after, centroid);
    args.after.volume[cell] = volume;
    set_vector(args.after.centroid + cell, cells, centroid);
    if (!(volume >= args.flat * args.still_volume[cell] && volume > 0.0 && after.surrounds(centroid))) note(args, Wrong::Folded, cell);
    if (!args.before.points) return;
    volume = measured(args, cell, CellAt<HALF_WAY>(args, cell), centroid);
    args.half_way.volume[cell] = volume;
    set_vector(args.half_way.centroid + cell, cells, centroid);
    reinterpret_cast<Value*>(args.tables.volume)[cell] = Value(volume);
    if (volume <= 0.0) note(args, Wrong::FoldedHalfWay, cell);
}
