// sample.cu: values at a point, linear between cell centres.
// Map     one thread per equation
// A mesh from a file has no ghost cells: the value at the point is its cell's.
// Order   corners in the order of cells, x fastest, in double: repeats bit for bit

extern "C" __global__ void sample(const SampleArgs args)
{
    start_next();
    await_previous();
    int m = threadIdx.x;
    if (m >= M) return;
    const Patch& patch = args.view.patches[args.patch];
    double value = NUM_GHOST > 0 ? 0.0 : -0.0;
    for (int corner = 0; corner < (NUM_GHOST > 0 ? 1 << DIM : 1); corner++) {
        Cell cell;
        #pragma unroll
        for (int d = 0; d < DIM; d++) cell[d] = args.cell[d] + (corner >> d & 1);
        value += args.weights[corner] * double(args.view.q[place(patch, M, cell) + size_t(m) * patch.component]);
    }
    args.out[m] = value;
}
