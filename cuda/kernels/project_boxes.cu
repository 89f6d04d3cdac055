// project_boxes.cu: tags the cells beneath boxes two levels finer, with room around them, as regrid::nest::project does.
// Map     one warp per box; a lane takes a row of a tile
// Bytes   some tiles a box, read and written
// Floor   a launch
// Order   bits are set atomically: repeats bit for bit

// Tags a region. By a warp.
__device__ __forceinline__ void tag(const ProjectArgs& args, const CellBox& region)
{
    const Span span(region);
    for (int i = 0; i < span.count; i++) {
        const Cell tile = span.tile(i);
        const unsigned place = number_of(args.map, tile);
        for (int row = lane_number(); row < TILE_ROWS; row += 32) {
            const Word mask = row_mask(region, tile, row);
            if (mask == 0) continue;
            if (place == NO_TILE) args.finer->failed = 1;
            else atomicOr(args.words + size_t(place) * TILE_ROWS + row, mask);
        }
    }
}

extern "C" __global__ void project_boxes(const ProjectArgs args)
{
    start_next();
    await_previous();
    const unsigned count = min(args.finer->nested, args.room), warps = gridDim.x * blockDim.x / 32;
    for (unsigned number = warp_number(); number < count; number += warps) {
        const CellBox surrounded = grown(coarse_from_fine(args.boxes[number], args.ratio_fine), args.width);
        const CellBox region = grown(coarse_from_fine(surrounded, args.ratio), args.around);
        const Periods periods(args.map.domain, args.map.periodic, region);
        for (int k = 0; k < periods.count; k++) {
            // What lies past a periodic side is tagged at the other side.
            const CellBox image = shifted_back(region, periods.shift(args.map.domain, k));
            tag(args, intersection(image, args.map.domain));
        }
    }
}
