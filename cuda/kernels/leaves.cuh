// leaves.cuh: leaves of trees of triangles and quadrilaterals: unstructured::adapt, operation by operation. Sums of three products are of two
// and 0, which leaves bits as they are.
// Defined before it: CellSums.

constexpr unsigned NONE = 0xffffffffu, WHOLE = 7, MOST_LEVELS = 20, SONS = 4;
// Of the table of a shape's division: words, and where parts of sides, means of nodes, corners of sides and their number begin.
constexpr unsigned DIVISION = 45, AT = 16, MEANS = 24, CORNERS = 40, SIDES = 44;

struct Vector {
    double x[2];
    __device__ __forceinline__ double& operator[](int d) { return x[d]; }
    __device__ __forceinline__ double operator[](int d) const { return x[d]; }
};
__device__ __forceinline__ Vector operator+(Vector a, Vector b) { return Vector{{a[0] + b[0], a[1] + b[1]}}; }
__device__ __forceinline__ Vector operator-(Vector a, Vector b) { return Vector{{a[0] - b[0], a[1] - b[1]}}; }
__device__ __forceinline__ Vector operator*(double f, Vector a) { return Vector{{f * a[0], f * a[1]}}; }
__device__ __forceinline__ double dot(Vector a, Vector b) { return a[0] * b[0] + a[1] * b[1] + 0.0; }

// One of two components that lie apart.
__device__ __forceinline__ Vector vector_at(const double* first, size_t apart) { return Vector{{first[0], first[apart]}}; }
__device__ __forceinline__ void set_vector(double* first, size_t apart, Vector value) { first[0] = value[0], first[apart] = value[1]; }

// Where the number of the son of a level stands in a place; that number; the place of the ancestor of a level.
__device__ __forceinline__ unsigned shift_of(unsigned level) { return 2 * (MOST_LEVELS - level); }
__device__ __forceinline__ unsigned son_of(unsigned level, unsigned long long place) { return unsigned(place >> shift_of(level)) & 3; }
__device__ __forceinline__ unsigned long long ancestor(unsigned level, unsigned long long place)
{
    return level == 0 ? 0 : place >> shift_of(level) << shift_of(level);
}

__device__ __forceinline__ const unsigned* division_of(const LeavesArgs& args, unsigned root)
{
    return args.division + args.shapes[root] * DIVISION;
}

// A link: a leaf behind a side of another, as `adapt::Link`. Group 0 is that of faces between leaves that touch; then come periodic pairs, then
// the boundary's names.
struct Link {
    unsigned to, bits;

    __device__ __forceinline__ Link(unsigned leaf, unsigned side, unsigned part, unsigned its_side, unsigned its_part, bool is_left, unsigned group)
        : to(leaf), bits(side | part << 3 | its_side << 6 | its_part << 9 | unsigned(is_left) << 12 | group << 13)
    {
    }
    __device__ __forceinline__ explicit Link(unsigned long long word) : to(unsigned(word)), bits(unsigned(word >> 32)) {}
    __device__ __forceinline__ unsigned long long word() const { return (unsigned long long)bits << 32 | to; }
    __device__ __forceinline__ unsigned side() const { return bits & 7; }
    __device__ __forceinline__ unsigned part() const { return bits >> 3 & 7; }
    __device__ __forceinline__ unsigned its_side() const { return bits >> 6 & 7; }
    __device__ __forceinline__ unsigned its_part() const { return bits >> 9 & 7; }
    __device__ __forceinline__ bool is_left() const { return bits >> 12 & 1; }
    __device__ __forceinline__ unsigned group() const { return bits >> 13; }
    __device__ __forceinline__ bool is_boundary() const { return to == NONE; }
    // The leaf has the face of this link: it is on the left.
    __device__ __forceinline__ bool owns(unsigned leaf) const { return group() == 0 ? leaf < to : is_boundary() || is_left(); }
};

// The number of the same link as the leaf behind has it.
__device__ __forceinline__ unsigned mate_of(const LeafMesh& mesh, const Link& link)
{
    unsigned at = mesh.link_starts[link.to];
    for (;; at++) {
        const Link other(mesh.links[at]);
        if (other.side() == link.its_side() && other.part() == link.its_part()) return at;
    }
}

// Of a link the face's number among those of its leaf in the same group.
__device__ __forceinline__ unsigned rank_of(const LeafMesh& mesh, unsigned leaf, unsigned number)
{
    const unsigned group = Link(mesh.links[number]).group();
    unsigned rank = 0;
    for (unsigned at = mesh.link_starts[leaf]; at < number; at++) {
        const Link other(mesh.links[at]);
        rank += other.group() == group && other.owns(leaf);
    }
    return rank;
}

__device__ __forceinline__ unsigned face_of(const LeavesArgs& args, unsigned leaf, unsigned number)
{
    return args.counts[size_t(Link(args.now.links[number]).group()) * args.now.num_cells + leaf] + rank_of(args.now, leaf, number);
}

// Added to a position that the left cell of a face sees, gives where the right cell sees it.
__device__ __forceinline__ Vector shift_of_group(const LeavesArgs& args, unsigned group)
{
    const bool is_periodic = group > 0 && group <= args.num_periodic;
    return is_periodic ? vector_at(args.shifts + 2 * (group - 1), 1) : Vector{{0.0, 0.0}};
}

// Nodes, volume and centroid of a cell.
struct LeafCell {
    Vector nodes[4];
    double volume;
    Vector centroid;

    __device__ __forceinline__ void measure(unsigned count)
    {
        Vector sum{{0.0, 0.0}}, moment{{0.0, 0.0}};
        for (unsigned k = 0; k < count; k++) sum = sum + nodes[k];
        const Vector origin = 1.0 / double(count) * sum;
        volume = 0.0;
        for (unsigned k = 0; k < count; k++) {
            const Vector a = nodes[k] - origin, b = nodes[(k + 1) % count] - origin;
            const double part = 0.5 * (a[0] * b[1] - a[1] * b[0]);
            volume += part;
            moment = moment + part * (1.0 / 3.0 * (a + b));
        }
        centroid = origin + 1.0 / volume * moment;
    }

    __device__ __forceinline__ LeafCell son(const unsigned* division, unsigned which) const
    {
        LeafCell made;
        const unsigned count = division[SIDES];
        for (unsigned node = 0; node < count; node++) {
            // How many nodes there is the mean of, then these.
            const unsigned means = division[MEANS + 4 * which + node], of = means & 15;
            const Vector a = nodes[means >> 4 & 15], b = nodes[means >> 8 & 15];
            made.nodes[node] = of == 1 ? a : of == 2 ? 0.5 * (a + b) : 0.25 * ((a + b) + (nodes[means >> 12 & 15] + nodes[means >> 16 & 15]));
        }
        made.measure(count);
        return made;
    }

    // Becomes one of its sons, whose volumes are shares of its own.
    __device__ __forceinline__ void descend(const unsigned* division, unsigned which)
    {
        LeafCell made = son(division, which);
        double sum = 0.0;
        for (unsigned k = 0; k < SONS; k++) sum += son(division, k).volume;
        made.volume = volume * (made.volume / sum);
        *this = made;
    }
};

// The mean of the values of sons, by volume. Equal values stay to the bit.
__device__ __forceinline__ double mean_of_sons(const double* volume, const double* values)
{
    double sum = 0.0, whole = 0.0;
    for (unsigned k = 0; k < SONS; k++) sum += volume[k] * (values[k] - values[0]), whole += volume[k];
    return values[0] + sum / whole;
}
