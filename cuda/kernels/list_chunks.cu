// list_chunks.cu: cuts the regions of tables into chunks, the work of the warps.
// Map     one thread per chunk
// Bytes   one Chunk written; the regions' first chunks are read from the cache
// Floor   a launch
// Order   no atomics: repeats bit for bit

extern "C" __global__ void list_chunks(const ListArgs args)
{
    await_previous();
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= args.num_chunks) return;
    const unsigned k = last_not_behind(args.num_regions, number, [&](unsigned n) { return args.regions[n].first_chunk; });
    const Chunked region = args.regions[k];
    Chunk chunk;
    chunk.region = region.number;
    chunk.first = (number - region.first_chunk) * region.chunk_cells;
    args.chunks[number] = chunk;
}
