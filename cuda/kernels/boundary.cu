// boundary.cu: ghost cells outside the domain, from the patch's own cells inside it.
// Map     one warp per chunk of a region's cells, one cell a lane at a time
// Bytes   2 M Real per cell
// Order   every cell is written by one lane and only cells inside the domain are read: repeats bit for bit

// Where a ghost cell's value comes from along one axis; `mirrored` is set at walls.
__device__ __forceinline__ int inside(int i, int cells, unsigned lower, unsigned upper, bool& mirrored)
{
    if (lower == BOUNDARY_PERIODIC || (i >= 0 && i < cells)) return i;
    unsigned kind = i < 0 ? lower : upper;
    mirrored = kind == BOUNDARY_WALL;
    if (mirrored) return i < 0 ? -1 - i : 2 * cells - 1 - i;
    return i < 0 ? 0 : cells - 1;
}

extern "C" __global__ void boundary(const BoundaryArgs args)
{
    start_next();
    unsigned warp = warp_number();
    if (warp >= args.num_chunks) return;
    const Chunk chunk = args.chunks[warp];
    const Region region = args.regions[chunk.region];
    const Patch patch = args.patches[region.target];
    await_previous();
    int end = min(region.nx * region.ny, int(chunk.first + args.chunk_cells));
    for (int i = chunk.first + lane_number(); i < end; i += 32) {
        int row = i / region.nx;
        int x = region.x + (i - row * region.nx), y = region.y + row;
        bool wall_x = false, wall_y = false;
        int from_x = inside(x, args.cells_x, args.lower_x, args.upper_x, wall_x);
        int from_y = DIM > 1 ? inside(y, args.cells_y, args.lower_y, args.upper_y, wall_y) : y;
        size_t target = place(patch, M, x - patch.lo_x, y - patch.lo_y);
        size_t source = place(patch, M, from_x - patch.lo_x, from_y - patch.lo_y);
        // All loads come before the stores: the compiler cannot know that they read other places.
        Real values[M];
        #pragma unroll
        for (int m = 0; m < M; m++) values[m] = args.q[source + size_t(m) * patch.component];
        #pragma unroll
        for (int m = 0; m < M; m++) {
            bool turned = (wall_x && m == args.normal_x) != (wall_y && m == args.normal_y);
            args.q[target + size_t(m) * patch.component] = turned ? -values[m] : values[m];
        }
    }
}
