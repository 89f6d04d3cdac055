// number_faces.cu: gives the faces that a map marks places in a row, for their slots: those of a word lie behind the word's base, those of
// the next word of the row behind them.
// Map     some blocks per patch, a thread takes some rows of bits, of all axes' faces
// Bytes   8 read and 4 written a word
// Order   bases depend on which thread comes first; the slots that lie there do not

// Rows of a thread, so that few threads ask for places at once.
constexpr unsigned ROWS_OF_THREAD = 4;

extern "C" __global__ void number_faces(const NumberFacesArgs args)
{
    start_next();
    const Patch patch = args.patches[blockIdx.x / BLOCKS_PER_PATCH];
    const unsigned words = (patch.stride[1] + 31) / 32, all = DIM * (patch.component / patch.stride[1]) * words;
    const unsigned step = ROWS_OF_THREAD * words, thread = blockIdx.x % BLOCKS_PER_PATCH * blockDim.x + threadIdx.x;
    await_previous();
    for (unsigned first = thread * step; first < all; first += BLOCKS_PER_PATCH * blockDim.x * step) {
        const unsigned begin = patch.first_word + first, end = patch.first_word + min(first + step, all);
        unsigned faces = 0;
        for (unsigned word = begin; word < end; word++) faces += __popc(args.words[word]);
        if (faces == 0) continue;
        unsigned base = atomicAdd(args.count, faces);
        for (unsigned word = begin; word < end; word++) {
            args.bases[word] = base;
            base += __popc(args.words[word]);
        }
    }
}
