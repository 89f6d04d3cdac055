// maxima.cuh: largest numbers over all threads of a launch, as integers in the same order.

// Raises each of N numbers to the largest of a block's threads. `found`: memory that the block shares.
template <int N>
__device__ __forceinline__ void raise_to(
    unsigned long long* largest, const unsigned long long (&most)[N], unsigned long long (&found)[LARGEST_THREADS / 32][N])
{
    #pragma unroll
    for (int n = 0; n < N; n++) {
        const unsigned long long of_warp = largest_of_warp(most[n]);
        if (lane_number() == 0) found[threadIdx.x / 32][n] = of_warp;
    }
    __syncthreads();
    for (int n = threadIdx.x; n < N; n += LARGEST_THREADS) {
        unsigned long long of_block = 0;
        for (int warp = 0; warp < LARGEST_THREADS / 32; warp++) of_block = found[warp][n] > of_block ? found[warp][n] : of_block;
        raise_word(largest + n, of_block);
    }
}
