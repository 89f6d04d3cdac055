// join_tiles.cu: makes boxes of marked tiles along the Morton curve, as regrid::tiles does: a box for each node of the curve's tree, 2^k
// tiles, that is full while its parent is not. A launch handles six levels of the tree: nodes of 2^level tiles, 64 a word. Words that are
// full are the marks of the next launch.
// Map     one thread per word
// Bytes   8 a word, 24 a box
// Floor   a launch
// Order   the order of boxes in the list is undefined

// The first bit of each node of 2^k bits in a word.
__device__ __forceinline__ Word beginnings(int k)
{
    Word bits = 1;
    for (int width = 1 << k; width < 64; width *= 2) bits |= bits << width;
    return bits;
}

// The box of a node of 2^level tiles that begins at a place along the curve.
__device__ void put_node(const JoinTilesArgs& args, Word place, int level)
{
    const unsigned number = atomicAdd(&args.state->accepted, 1u);
    if (number >= args.room) {
        args.state->failed = 1;
        return;
    }
    CellBox box = args.domain;
    #pragma unroll
    for (int d = 0; d < DIM; d++) {
        int tile = 0;
        for (int bit = 0; place >> (bit * DIM + d) != 0; bit++) tile |= int(place >> (bit * DIM + d) & 1) << bit;
        // The bits of the first axis come first: nodes are longer along it.
        const long long end = (tile + (1ll << (level + DIM - 1 - d) / DIM)) * args.size;
        box.lo[d] = tile * args.size;
        box.hi[d] = int(min(end, (long long)args.domain.hi[d]));
    }
    args.boxes[number] = box;
}

extern "C" __global__ void join_tiles(const JoinTilesArgs args)
{
    start_next();
    await_previous();
    const unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
    const Word marks = place < args.num_words ? args.marks[place] : 0;
    const bool is_full = marks == ~0ull;
    const unsigned full = __ballot_sync(ALL, is_full);
    if (lane_number() == 0 && place < (args.num_words + 63) / 64 * 64) args.full[place / 32] = full;
    if (is_full) {
        if (args.num_words == 1) put_node(args, 0, args.level + 6);
        return;
    }
    // Full nodes of 2^k bits, and those of them whose parents are not full.
    Word nodes = marks;
    for (int k = 0; k < 6; k++) {
        const Word parents = nodes & nodes >> (1 << k) & beginnings(k + 1);
        for (Word left = nodes & ~(parents | parents << (1 << k)); left != 0; left &= left - 1)
            put_node(args, (Word(place) * 64 + __ffsll(left) - 1) << args.level, args.level + k);
        nodes = parents;
    }
}
