// number_faces.cu: gives each marked face of a map a place for its slot: those of a word follow the word's base, then come those of the next
// word of the row.
// Map     a block per patch, a thread takes some words of bits, of all axes' faces
// Shared  faces of each warp
// Bytes   8 read and 4 written a word
// Order   where the places of a patch's faces begin depends on the order of the blocks; the slots stored there do not

extern "C" __global__ void number_faces(const NumberFacesArgs args)
{
    __shared__ unsigned of_warps[32], before_patch;
    start_next();
    const Patch patch = args.patches[blockIdx.x];
    const unsigned num_words = DIM * (patch.component / patch.stride[1]) * ((patch.stride[1] + 31) / 32);
    const unsigned of_thread = (num_words + blockDim.x - 1) / blockDim.x;
    const unsigned begin = patch.first_word + min(threadIdx.x * of_thread, num_words);
    const unsigned end = patch.first_word + min((threadIdx.x + 1) * of_thread, num_words);
    await_previous();
    unsigned faces = 0, all;
    for (unsigned word = begin; word < end; word++) faces += __popc(args.words[word]);
    const unsigned up_to = sum_up_to_of_block(faces, of_warps, all);
    if (threadIdx.x == 0) before_patch = atomicAdd(args.count, all);
    __syncthreads();
    unsigned base = before_patch + up_to - faces;
    for (unsigned word = begin; word < end; word++) {
        args.bases[word] = base;
        base += __popc(args.words[word]);
    }
}
