// largest.cu: the largest absolute value of each equation over a level's own cells.
// Map     some blocks share a patch, one cell a thread at a time, x fastest
// Shared  the maxima of the warps
// Bytes   M Real per cell
// Order   by atomicMax of bits, whose order does not matter; NaN is ignored

extern "C" __global__ void largest(const LargestArgs args)
{
    __shared__ unsigned long long found[LARGEST_THREADS / 32][M];
    start_next();
    await_previous();
    unsigned number = blockIdx.x / args.blocks_per_patch, part = blockIdx.x % args.blocks_per_patch;
    const Patch& patch = args.view.patches[number];
    int cells = 1;
    #pragma unroll
    for (int d = 0; d < DIM; d++) cells *= patch.size[d];
    double most[M];
    #pragma unroll
    for (int m = 0; m < M; m++) most[m] = 0.0;
    for (int i = part * LARGEST_THREADS + threadIdx.x; i < cells; i += args.blocks_per_patch * LARGEST_THREADS) {
        const size_t at = place(patch, M, cell_of_number(patch.size, i));
        #pragma unroll
        for (int m = 0; m < M; m++) {
            const double value = double(real_abs(args.view.q[at + size_t(m) * patch.component]));
            most[m] = value > most[m] ? value : most[m];
        }
    }
    unsigned long long bits[M];
    #pragma unroll
    for (int m = 0; m < M; m++) bits[m] = (unsigned long long)__double_as_longlong(most[m]);
    raise_to(args.largest, bits, found);
}
