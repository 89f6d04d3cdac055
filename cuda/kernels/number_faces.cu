// number_faces.cu: gives the faces that a map marks places in a row, for their slots: those of a word lie behind the word's base, those of
// the next word of the row behind them.
// Map     a block per patch, a thread takes some rows of bits, of all axes' faces
// Bytes   8 read and 4 written a word
// Order   bases depend on which thread comes first; the slots that lie there do not

// Rows of a thread, so that few warps ask for places at once.
constexpr unsigned ROWS_OF_THREAD = 4;

extern "C" __global__ void number_faces(const NumberFacesArgs args)
{
    start_next();
    const Patch patch = args.patches[blockIdx.x];
    const unsigned words = (patch.stride[1] + 31) / 32, all = DIM * (patch.component / patch.stride[1]) * words;
    const unsigned step = ROWS_OF_THREAD * words;
    await_previous();
    for (unsigned turn = 0; turn < all; turn += blockDim.x * step) {
        const unsigned first = turn + threadIdx.x * step;
        const unsigned begin = patch.first_word + min(first, all), end = patch.first_word + min(first + step, all);
        unsigned faces = 0;
        for (unsigned word = begin; word < end; word++) faces += __popc(args.words[word]);
        const unsigned up_to = sum_up_to(faces);
        unsigned of_warp = 0;
        if (lane_number() == 31 && up_to > 0) of_warp = atomicAdd(args.count, up_to);
        unsigned base = __shfl_sync(0xffffffffu, of_warp, 31) + up_to - faces;
        if (faces == 0) continue;
        for (unsigned word = begin; word < end; word++) {
            args.bases[word] = base;
            base += __popc(args.words[word]);
        }
    }
}
