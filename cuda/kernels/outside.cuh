// outside.cuh: cells outside the domain: `mesh::outside`.

// The cell from which one outside the domain takes its value along an axis of `count` cells, and a bit for each of its walls, 1 for the lower,
// 2 for the upper one, at which the value is mirrored an odd number of times. `sides`: what lies beyond both.
__device__ __forceinline__ int origin_of(const unsigned* sides, int count, int cell, unsigned& walls)
{
    walls = 0;
    while (cell < 0 || cell >= count) {
        const bool upper = cell >= 0;
        const unsigned beyond = sides[upper];
        if (beyond == Beyond::Periodic || beyond == Beyond::Itself) break;
        if (beyond == Beyond::Nearest) return upper ? count - 1 : 0;
        cell = upper ? 2 * count - 1 - cell : -1 - cell;
        walls ^= unsigned(beyond == Beyond::Wall) << upper;
    }
    return cell;
}
