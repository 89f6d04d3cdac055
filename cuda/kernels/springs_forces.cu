// springs_forces.cu: the forces of displacements, and the sums of their products with these.
// Map     one thread per node
// Bytes   8 DIM² + 4 and DIM gathered doubles per node that acts on another; 16 DIM per node
// Order   nodes in the order of the row, products axis by axis: unstructured::motion::springs, operation by operation

extern "C" __global__ void springs_forces(const SpringsArgs args)
{
    start_next();
    const unsigned node = node_of_thread(), lane = node % 32;
    await_previous();
    if (args.state->is_done) return;
    double term = 0.0;
    if (node < args.num_nodes) {
        double force[DIM] = {};
        const unsigned end = __ldg(args.slices + node / 32 + 1);
        for (unsigned place = __ldg(args.slices + node / 32); place < end; place += 32) {
            const unsigned column = __ldg(args.columns + place + lane);
            if (column == NO_ITEM) break;
            const double* block = args.blocks + size_t(place) * (DIM * DIM) + lane;
            const double* from = args.from + size_t(column) * DIM;
            #pragma unroll
            for (int i = 0; i < DIM; i++)
                #pragma unroll
                for (int j = 0; j < DIM; j++) force[i] += __ldg(block + 32 * (i * DIM + j)) * from[j];
        }
        const size_t first = size_t(node) * DIM;
        #pragma unroll
        for (int i = 0; i < DIM; i++) {
            args.forces[first + i] = force[i];
            term += args.from[first + i] * force[i];
        }
    }
    note_part(args, node, term);
}
