// outside.cuh: cells outside the domain: `mesh::outside`.

__device__ __forceinline__ bool changes_signs(int rule) { return rule == -2; }

// The cell from which one outside the domain takes its value along an axis of `count` cells, and a bit for each of its walls, 1 for the lower,
// 2 for the upper one, at which the value is mirrored an odd number of times. `sides`: the rules beyond both, `mesh::Beyond::number`.
__device__ __forceinline__ int origin_of(const int* sides, int count, int cell, unsigned& walls)
{
    walls = 0;
    while (cell < 0 || cell >= count) {
        const bool upper = cell >= 0;
        const int rule = sides[upper];
        if (rule == 1) break;
        if (rule == 0) return upper ? count - 1 : 0;
        cell = upper ? 2 * count - 1 - cell : -1 - cell;
        walls ^= unsigned(changes_signs(rule)) << upper;
    }
    return cell;
}
