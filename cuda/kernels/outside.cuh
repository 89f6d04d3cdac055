// outside.cuh: cells outside the domain: `mesh::outside`.

// What lies beyond a side of the domain.
enum Beyond { BEYOND_PERIODIC, BEYOND_NEAREST, BEYOND_MIRRORED, BEYOND_WALL };

// The cell from which one outside the domain takes its value along an axis of `count` cells, and whether the sign changes there. `sides`: what
// lies beyond both.
__device__ __forceinline__ int origin_of(const unsigned* sides, int count, int cell, bool& negated)
{
    negated = false;
    while (cell < 0 || cell >= count) {
        const bool upper = cell >= 0;
        const unsigned beyond = sides[upper];
        if (beyond == BEYOND_PERIODIC) break;
        if (beyond == BEYOND_NEAREST) return upper ? count - 1 : 0;
        cell = upper ? 2 * count - 1 - cell : -1 - cell;
        negated = negated != (beyond == BEYOND_WALL);
    }
    return cell;
}
