// list_chunks.cu: cuts the regions of tables into chunks, the warps' work.
// Map     one thread per chunk
// Bytes   one Chunk written; the regions' first chunks are read from the cache
// Floor   a launch
// Order   no atomics: repeats bit for bit

extern "C" __global__ void list_chunks(const ListArgs args)
{
    await_previous();
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= args.num_chunks) return;
    // The last region whose first chunk is not behind this one.
    unsigned here = 0, behind = args.num_regions;
    while (behind - here > 1) {
        unsigned middle = (here + behind) / 2;
        (args.regions[middle].first_chunk <= number ? here : behind) = middle;
    }
    const Chunked region = args.regions[here];
    Chunk chunk;
    chunk.region = region.number;
    chunk.first = (number - region.first_chunk) * region.chunk_cells;
    args.chunks[number] = chunk;
}
