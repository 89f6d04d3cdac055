// project_boxes.cu: tags what lies beneath the boxes two levels finer, with room around: what regrid::nest::project tags.
// Map     one warp per box; a lane takes a row of a tile
// Bytes   some tiles a box, read and written
// Floor   a launch
// Order   bits are set atomically: repeats bit for bit

extern "C" __global__ void project_boxes(const ProjectArgs args)
{
    start_next();
    await_previous();
    const unsigned count = min(args.finer->nested, args.room), lane = lane_number(), warps = gridDim.x * blockDim.x / 32;
    for (unsigned number = warp_number(); number < count; number += warps) {
        const CellBox surrounded = grown(coarse_from_fine(args.boxes[number], args.ratio_fine), args.width);
        const CellBox region = intersection(grown(coarse_from_fine(surrounded, args.ratio), args.around), args.domain);
        const Span span(region);
        for (int i = 0; i < span.count; i++) {
            const Cell tile = span.tile(i);
            const unsigned place = number_of(args.map, tile);
            for (int row = lane; row < TILE_ROWS; row += 32) {
                const Word mask = row_mask(region, tile, row);
                if (mask == 0) continue;
                if (place == NO_TILE) args.finer->failed = 1;
                else atomicOr(args.words + size_t(place) * TILE_ROWS + row, mask);
            }
        }
    }
}
