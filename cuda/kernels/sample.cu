// sample.cu: values at a point, linear between cell centres.
// Map     one thread per equation
// Order   corners in the order of cells, x fastest, in double: repeats bit for bit

extern "C" __global__ void sample(const SampleArgs args)
{
    start_next();
    await_previous();
    int m = threadIdx.x;
    if (m >= M) return;
    const Patch& patch = args.patches[args.patch];
    const double weights[4] = {args.weight_0, args.weight_1, args.weight_2, args.weight_3};
    double value = 0.0;
    for (int corner = 0; corner < (DIM > 1 ? 4 : 2); corner++) {
        size_t at = place(patch, M, args.x + corner % 2, args.y + corner / 2) + size_t(m) * patch.component;
        value += weights[corner] * double(args.q[at]);
    }
    args.out[m] = value;
}
