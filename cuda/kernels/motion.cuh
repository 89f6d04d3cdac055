// motion.cuh: a mesh whose nodes move: unstructured::motion, operation by operation.
// Defined before it: VALUE, the type of the numbers that steps read; Real is double.

typedef VALUE Value;

constexpr unsigned MOST_CORNERS = DIM > 2 ? 8 : 2;
// Of a shape there are SHAPE_WORDS: numbers of nodes and faces, then of each face the number of corners and which nodes they are, four bits each.
// When nodes are looked at. Half way they are in the middle of where they are before and after.
enum When { BEFORE, HALF_WAY, AFTER };

template <When WHEN> __device__ __forceinline__ Vector node_at(const MotionArgs& args, unsigned node)
{
    if (WHEN == BEFORE) return vector_in(args.before.points, node);
    if (WHEN == AFTER) return vector_in(args.after.points, node);
    return 0.5 * (vector_in(args.before.points, node) + vector_in(args.after.points, node));
}

// The corners of a face; their number.
template <When WHEN> __device__ __forceinline__ unsigned corners_of(const MotionArgs& args, unsigned face, Vector* corners)
{
    const unsigned first = DIM > 2 ? args.face_starts[face] : 2 * face, count = DIM > 2 ? args.face_starts[face + 1] - first : 2;
    for (unsigned k = 0; k < count; k++) corners[k] = node_at<WHEN>(args, args.face_nodes[first + k]);
    return count;
}

// Added to a position that the left cell of a face sees, gives where the right cell sees it.
__device__ __forceinline__ Vector shift_of_face(const MotionArgs& args, unsigned face)
{
    unsigned pair = 0;
    while (pair < args.num_periodic && face >= args.periodic_ends[pair]) pair++;
    return face < args.first_periodic || pair == args.num_periodic ? zero() : vector_in(args.shifts, pair);
}

// Notes the first cell of which something is wrong.
__device__ __forceinline__ void note(const MotionArgs& args, unsigned what, unsigned cell) { raise_word(args.found + what, ~cell); }
