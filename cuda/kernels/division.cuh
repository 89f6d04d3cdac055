// division.cuh: how triangles and quadrilaterals, or hexahedra, are divided: unstructured::adapt::division.

constexpr unsigned MOST_LEVELS = 20, SONS = 1 << DIM;
// Of the shape of which there is most: nodes, sides, parts and corners of a side.
constexpr unsigned NODES = 1 << DIM, MOST_SIDES = 2 * DIM, PARTS = 1 << (DIM - 1);
// Of the table of a shape's division: where parts of sides, means of nodes, corners of sides and their number begin; words.
constexpr unsigned AT = SONS * MOST_SIDES, MEANS = AT + MOST_SIDES * PARTS, CORNERS = MEANS + SONS * NODES, SIDES = CORNERS + MOST_SIDES,
                   DIVISION = SIDES + 1;

// Where the number of the son of a level stands in a place; that number.
__device__ __forceinline__ unsigned shift_of(unsigned level) { return DIM * (MOST_LEVELS - level); }
__device__ __forceinline__ unsigned son_of(unsigned level, unsigned long long place) { return unsigned(place >> shift_of(level)) & (SONS - 1); }

// A node of a son of a cell with these nodes.
__device__ __forceinline__ Vector node_of_son(const Vector* nodes, const unsigned* division, unsigned son, unsigned node)
{
    // How many nodes there is the mean of, then these.
    const unsigned means = division[MEANS + NODES * son + node], of = means & 15;
    const Vector a = nodes[means >> 4 & 7], b = nodes[means >> 8 & 7];
    return of == 8   ? mean_of(nodes, NODES)
           : of == 4 ? 0.25 * ((a + b) + (nodes[means >> 12 & 7] + nodes[means >> 16 & 7]))
           : of == 2 ? 0.5 * (a + b)
                     : a;
}
