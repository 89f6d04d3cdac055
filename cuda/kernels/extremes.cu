// extremes.cu: the largest values of a function of the case over boxes of cells.
// Map     some blocks share a box, one cell a thread at a time, x fastest
// Shared  the maxima of the warps
// Bytes   (M + A) Real per cell at most (neighbours come from the cache)
// Order   by atomicMax of integers that are ordered like the values, NaN above all: the order of cells does not matter

__device__ __forceinline__ unsigned long long ordered(double value)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(value), sign = 1ull << 63;
    return value != value ? ~0ull : (bits & sign) ? ~bits : bits | sign;
}

extern "C" __global__ void extremes(const ExtremesArgs args)
{
    __shared__ unsigned long long found[LARGEST_THREADS / 32][NUM_VALUES];
    start_next();
    await_previous();
    const Region& box = args.boxes[blockIdx.x / args.blocks_per_box];
    const Patch& patch = args.view.patches[box.target];
    const int cells = num_cells(box), part = blockIdx.x % args.blocks_per_box;
    unsigned long long most[NUM_VALUES];
    #pragma unroll
    for (int n = 0; n < NUM_VALUES; n++) most[n] = 0;
    for (int i = part * LARGEST_THREADS + threadIdx.x; i < cells; i += args.blocks_per_box * LARGEST_THREADS) {
        const Cell cell = in_patch(patch, cell_of(box, i));
        double values[NUM_VALUES];
        case_around(Around<true, ExtremesArgs>{args, patch, cell}, values);
        #pragma unroll
        for (int n = 0; n < NUM_VALUES; n++) {
            const unsigned long long value = ordered(values[n]);
            most[n] = value > most[n] ? value : most[n];
        }
    }
    raise_to(args.largest, most, found);
}
