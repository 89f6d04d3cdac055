// lists.cu: lists of the items whose mark is set, in four ways. Those of Comput. Phys. Commun. 207 (2016), 114-122, section 3: a counter in the
// device's memory that each item adds to; one addition for the items of a warp, counted by their ballot; one for those of a block, counted in its
// shared memory. These lists are in any order. And sums of the marks before an item, which need no atomics and keep the order.
// Map     a thread for each item, BLOCK threads a block; in `list_offsets` one block
// Defined before it: ListArgs

enum { BLOCK = 256, WARPS = BLOCK / 32, ALL = 0xffffffffu };

__device__ __forceinline__ unsigned item_of() { return blockIdx.x * BLOCK + threadIdx.x; }
__device__ __forceinline__ bool is_marked(const ListArgs& a, unsigned item) { return item < a.count && a.marks[item] != 0; }
// Threads of the warp before this one.
__device__ __forceinline__ unsigned before_lane() { return (1u << (threadIdx.x % 32)) - 1; }

extern "C" __global__ void list_atomics(const ListArgs a)
{
    const unsigned item = item_of();
    if (is_marked(a, item)) a.list[atomicAdd(a.length, 1u)] = item;
}

extern "C" __global__ void list_ballot(const ListArgs a)
{
    const unsigned item = item_of();
    const bool marked = is_marked(a, item);
    const unsigned all = __ballot_sync(ALL, marked);
    unsigned first = 0;
    if (threadIdx.x % 32 == 0 && all != 0) first = atomicAdd(a.length, (unsigned)__popc(all));
    first = __shfl_sync(ALL, first, 0);
    if (marked) a.list[first + __popc(all & before_lane())] = item;
}

extern "C" __global__ void list_shared(const ListArgs a)
{
    __shared__ unsigned count, first;
    const unsigned item = item_of();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const bool marked = is_marked(a, item);
    const unsigned own = marked ? atomicAdd(&count, 1u) : 0;
    __syncthreads();
    if (threadIdx.x == 0) first = count == 0 ? 0 : atomicAdd(a.length, count);
    __syncthreads();
    if (marked) a.list[first + own] = item;
}

// The sum of `own` over the threads of a block up to this one.
__device__ unsigned sum_up_to(unsigned own, unsigned* of_warps)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned far = 1; far < 32; far *= 2) {
        const unsigned other = __shfl_up_sync(ALL, own, far);
        if (lane >= far) own += other;
    }
    if (lane == 31) of_warps[warp] = own;
    __syncthreads();
    for (unsigned k = 0; k < warp; k++) own += of_warps[k];
    __syncthreads();
    return own;
}

extern "C" __global__ void list_counts(const ListArgs a)
{
    const int count = __syncthreads_count(is_marked(a, item_of()));
    if (threadIdx.x == 0) a.blocks[blockIdx.x] = count;
}

// Of each block the sum of those before it.
extern "C" __global__ void list_offsets(const ListArgs a)
{
    __shared__ unsigned of_warps[WARPS], total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (unsigned first = 0; first < a.num_blocks; first += BLOCK) {
        const unsigned block = first + threadIdx.x;
        const unsigned own = block < a.num_blocks ? a.blocks[block] : 0;
        const unsigned sum = total + sum_up_to(own, of_warps);
        if (block < a.num_blocks) a.blocks[block] = sum - own;
        if (threadIdx.x == BLOCK - 1) total = sum;
        __syncthreads();
    }
    if (threadIdx.x == 0) *a.length = total;
}

extern "C" __global__ void list_sums(const ListArgs a)
{
    __shared__ unsigned of_warps[WARPS];
    const unsigned item = item_of();
    const bool marked = is_marked(a, item);
    const unsigned all = __ballot_sync(ALL, marked), warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) of_warps[warp] = __popc(all);
    __syncthreads();
    unsigned first = a.blocks[blockIdx.x];
    for (unsigned k = 0; k < warp; k++) first += of_warps[k];
    if (marked) a.list[first + __popc(all & before_lane())] = item;
}
