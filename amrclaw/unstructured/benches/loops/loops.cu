// loops.cu: four sums over a mesh of tetrahedra, each by loops over its faces, cells and nodes. One text for the device and, compiled as C++, for the
// host's threads. Kernels are those of Weng et al. 2021, doi:10.1186/s42774-021-00073-y, algorithms 2 to 11; "stored" ones store what a face
// contributes, "gather" ones add it up in the order of the receiver's list.
// Defined before it: LoopArgs; KERNEL(name, item), the head of a kernel's body for one item from args.first to args.end; atomic_add, atomic_least and
// atomic_most for positive numbers.
// Arrays are [component, item]; a face has three nodes, a cell four nodes and four faces. A face's left cell lies against its vector.

enum { M = 5, PRESSURE = 4 };

struct Ends {
    unsigned left, right;
    bool inside;
};

FUNCTION Ends ends_of(const LoopArgs& a, unsigned face)
{
    const unsigned right = a.right[face];
    return Ends{a.left[face], right, right < a.cells};
}

template <bool ATOMIC> FUNCTION void add(double* to, double value)
{
    if (ATOMIC) atomic_add(to, value);
    else *to += value;
}

FUNCTION double face_sum(const LoopArgs& a, int m, const Ends& e)
{
    const double* q = a.q + size_t(m) * a.cells;
    return q[e.left] + (e.inside ? q[e.right] : 0.0);
}

// NV: what cells have, added at their nodes. By faces each cell is met three times at a node.
template <bool ATOMIC> FUNCTION void nodes_by_face(const LoopArgs& a, unsigned face)
{
    const Ends e = ends_of(a, face);
    for (int m = 0; m < M; m++) {
        const double sum = face_sum(a, m, e);
        for (int k = 0; k < 3; k++) add<ATOMIC>(a.at_nodes + size_t(m) * a.nodes + a.face_nodes[3 * size_t(face) + k], sum);
    }
}
KERNEL(nv_face_atomic, face) { nodes_by_face<true>(args, face); }
KERNEL(nv_face_coloured, i) { nodes_by_face<false>(args, args.list[i]); }
KERNEL(nv_face_stored, face)
{
    const Ends e = ends_of(args, face);
    for (int m = 0; m < M; m++) args.stored[size_t(m) * args.faces + face] = face_sum(args, m, e);
}
KERNEL(nv_face_gather, node)
{
    for (int m = 0; m < M; m++) {
        double sum = 0.0;
        for (unsigned k = args.node_face_starts[node]; k < args.node_face_starts[node + 1]; k++)
            sum += args.stored[size_t(m) * args.faces + args.node_faces[k]];
        args.at_nodes[size_t(m) * args.nodes + node] = sum;
    }
}
KERNEL(nv_cell, cell)
{
    for (int m = 0; m < M; m++)
        for (int k = 0; k < 4; k++)
            atomic_add(args.at_nodes + size_t(m) * args.nodes + args.cell_nodes[4 * size_t(cell) + k], args.q[size_t(m) * args.cells + cell]);
}
KERNEL(nv_node, node)
{
    for (int m = 0; m < M; m++) {
        double sum = 0.0;
        for (unsigned k = args.node_cell_starts[node]; k < args.node_cell_starts[node + 1]; k++)
            sum += args.q[size_t(m) * args.cells + args.node_cells[k]];
        args.at_nodes[size_t(m) * args.nodes + node] = sum;
    }
}

// GQ: the mean of a face's nodes times its vector, added to both cells.
FUNCTION double face_mean(const LoopArgs& a, int m, unsigned face)
{
    const double* values = a.node_values + size_t(m) * a.nodes;
    const unsigned* nodes = a.face_nodes + 3 * size_t(face);
    return (values[nodes[0]] + values[nodes[1]] + values[nodes[2]]) / 3.0;
}
FUNCTION double* gradient_at(const LoopArgs& a, int m, int d, unsigned cell) { return a.gradient + size_t(3 * m + d) * a.cells + cell; }
template <bool ATOMIC> FUNCTION void add_to_cells(const LoopArgs& a, const Ends& e, int m, unsigned face, double mean)
{
    for (int d = 0; d < 3; d++) {
        const double part = mean * a.vector[size_t(d) * a.faces + face];
        add<ATOMIC>(gradient_at(a, m, d, e.left), part);
        if (e.inside) add<ATOMIC>(gradient_at(a, m, d, e.right), -part);
    }
}
template <bool ATOMIC> FUNCTION void gradient_by_face(const LoopArgs& a, unsigned face)
{
    const Ends e = ends_of(a, face);
    for (int m = 0; m < M; m++) add_to_cells<ATOMIC>(a, e, m, face, face_mean(a, m, face));
}
template <bool STORED> FUNCTION void gradient_by_cell(const LoopArgs& a, unsigned cell)
{
    for (int m = 0; m < M; m++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; k++) {
            const unsigned entry = a.cell_faces[4 * size_t(cell) + k], face = entry / 2;
            const double mean = STORED ? a.stored[size_t(m) * a.faces + face] : face_mean(a, m, face);
            for (int d = 0; d < 3; d++) sum[d] += (entry % 2 ? -mean : mean) * a.vector[size_t(d) * a.faces + face];
        }
        for (int d = 0; d < 3; d++) *gradient_at(a, m, d, cell) = sum[d];
    }
}
KERNEL(gq_face_atomic, face) { gradient_by_face<true>(args, face); }
KERNEL(gq_face_coloured, i) { gradient_by_face<false>(args, args.list[i]); }
KERNEL(gq_face_stored, face)
{
    for (int m = 0; m < M; m++) args.stored[size_t(m) * args.faces + face] = face_mean(args, m, face);
}
KERNEL(gq_face_gather, cell) { gradient_by_cell<true>(args, cell); }
KERNEL(gq_cell, cell) { gradient_by_cell<false>(args, cell); }
KERNEL(gq_node, node)
{
    for (unsigned k = args.node_face_starts[node]; k < args.node_face_starts[node + 1]; k++) {
        const unsigned face = args.node_faces[k];
        const Ends e = ends_of(args, face);
        for (int m = 0; m < M; m++) add_to_cells<true>(args, e, m, face, args.node_values[size_t(m) * args.nodes + node] / 3.0);
    }
}

// SF: fluxes, which faces have, added to both cells.
template <bool ATOMIC> FUNCTION void flux_by_face(const LoopArgs& a, unsigned face)
{
    const Ends e = ends_of(a, face);
    for (int m = 0; m < M; m++) {
        const double flux = a.flux[size_t(m) * a.faces + face];
        add<ATOMIC>(a.residual + size_t(m) * a.cells + e.left, -flux);
        if (e.inside) add<ATOMIC>(a.residual + size_t(m) * a.cells + e.right, flux);
    }
}
KERNEL(sf_face_atomic, face) { flux_by_face<true>(args, face); }
KERNEL(sf_face_coloured, i) { flux_by_face<false>(args, args.list[i]); }
KERNEL(sf_cell, cell)
{
    for (int m = 0; m < M; m++) {
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            const unsigned entry = args.cell_faces[4 * size_t(cell) + k];
            const double flux = args.flux[size_t(m) * args.faces + entry / 2];
            sum += entry % 2 ? flux : -flux;
        }
        args.residual[size_t(m) * args.cells + cell] = sum;
    }
}

// LM: the least and the largest pressure of a cell and its neighbours.
FUNCTION const double* pressures(const LoopArgs& a) { return a.q + size_t(PRESSURE) * a.cells; }
template <bool ATOMIC> FUNCTION void widen(const LoopArgs& a, unsigned cell, double pressure)
{
    double *least = a.extremes + cell, *most = least + a.cells;
    if (ATOMIC) {
        atomic_least(least, pressure);
        atomic_most(most, pressure);
    } else {
        *least = pressure < *least ? pressure : *least;
        *most = pressure > *most ? pressure : *most;
    }
}
template <bool ATOMIC> FUNCTION void extremes_by_face(const LoopArgs& a, unsigned face)
{
    const Ends e = ends_of(a, face);
    if (!e.inside) return;
    widen<ATOMIC>(a, e.left, pressures(a)[e.right]);
    widen<ATOMIC>(a, e.right, pressures(a)[e.left]);
}
KERNEL(lm_start, cell) { args.extremes[cell] = args.extremes[size_t(args.cells) + cell] = pressures(args)[cell]; }
KERNEL(lm_face_atomic, face) { extremes_by_face<true>(args, face); }
KERNEL(lm_face_coloured, i) { extremes_by_face<false>(args, args.list[i]); }
KERNEL(lm_face_stored, face)
{
    const Ends e = ends_of(args, face);
    const double own = pressures(args)[e.left], other = e.inside ? pressures(args)[e.right] : own;
    args.stored[face] = own < other ? own : other;
    args.stored[size_t(args.faces) + face] = own > other ? own : other;
}
KERNEL(lm_face_gather, cell)
{
    double least = pressures(args)[cell], most = least;
    for (int k = 0; k < 4; k++) {
        const unsigned face = args.cell_faces[4 * size_t(cell) + k] / 2;
        const double below = args.stored[face], above = args.stored[size_t(args.faces) + face];
        least = below < least ? below : least, most = above > most ? above : most;
    }
    args.extremes[cell] = least, args.extremes[size_t(args.cells) + cell] = most;
}
KERNEL(lm_cell, cell)
{
    double least = pressures(args)[cell], most = least;
    for (int k = 0; k < 4; k++) {
        const unsigned entry = args.cell_faces[4 * size_t(cell) + k];
        const Ends e = ends_of(args, entry / 2);
        if (!e.inside) continue;
        const double other = pressures(args)[entry % 2 ? e.left : e.right];
        least = other < least ? other : least, most = other > most ? other : most;
    }
    args.extremes[cell] = least, args.extremes[size_t(args.cells) + cell] = most;
}
