// totals.cu: sums over rows of cells, weighted with the capacity.
// Map     one thread per row and equation
// Bytes   (1 + capacity) Real per cell
// Order   along x, in double; rows are added up by the host in their order: repeats bit for bit

extern "C" __global__ void totals(const TotalsArgs args)
{
    start_next();
    await_previous();
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= args.num_rows * M) return;
    unsigned number = thread / M, m = thread % M;
    const Region& row = args.rows[number];
    const Patch& patch = args.view.patches[row.target];
    const Cell first = in_patch(patch, cell_of(row, 0));
    const Real* values = args.view.q + place(patch, M, first) + size_t(m) * patch.component;
    double sum = -0.0;
#if CAPACITY >= 0
    const Real* kappa = args.view.aux + place(patch, A, first) + size_t(CAPACITY) * patch.component;
    for (int i = 0; i < row.size[0]; i++) sum += double(values[i]) * double(kappa[i]);
#else
    for (int i = 0; i < row.size[0]; i++) sum += double(values[i]);
#endif
    args.sums[size_t(number) * M + m] = sum;
}
