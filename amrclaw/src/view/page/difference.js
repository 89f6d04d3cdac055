// The difference of two runs, in the cells of the first.

import { LAST_CODE, valueAt } from "./source.js";

/** How much finer than another a cell may be and count as of its size. */
const SAME = 0.999;

/**
 * Tiles of the difference of two. Of the second its cells of the same size are taken, coarser ones where it has no others; not a number
 * where it has none. Coarse cells hold the averages of finer ones over them.
 */
export function difference(first, second) {
  const patches = first.patches.map((patch) => {
    const values = new Float32Array(patch.values.length).fill(NaN);
    const same = patch.mesh?.lines && second.patches.find((other) => isSame(patch, other));
    if (same) values.forEach((_, n) => { values[n] = patch.values[n] - same.values[n]; });
    else if (patch.mesh?.lines) centresOf(patch.mesh).forEach((centre, n) => { values[n] = patch.values[n] - (valueAt(second, centre)?.[0] ?? NaN); });
    else for (const other of second.patches) {
      const finer = first.dx[patch.level].some((dx, d) => second.dx[other.level][d] < SAME * dx);
      if (other.level && finer) continue;
      // The second's cell at each cell's centre, along each axis.
      const [columns, rows] = patch.size.map((count, d) => Array.from({ length: count }, (_, i) => {
        const x = first.lower[d] + (patch.lo[d] + i + 0.5) * first.dx[patch.level][d];
        const at = Math.floor((x - second.lower[d]) / second.dx[other.level][d]) - other.lo[d];
        return at < other.size[d] ? at : -1;
      }));
      (rows ?? [0]).forEach((j, row) => {
        if (j < 0) return;
        columns.forEach((i, column) => {
          const n = row * patch.size[0] + column;
          if (i >= 0) values[n] = patch.values[n] - other.values[j * other.size[0] + i];
        });
      });
    }
    let [low, high] = [Infinity, -Infinity], positive = Infinity;
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      [low, high] = [Math.min(low, value), Math.max(high, value)];
      if (value > 0) positive = Math.min(positive, value);
    }
    return { ...patch, values, error: undefined, extremes: [low, high, positive].map((value) => (Number.isFinite(value) ? value : null)) };
  });
  return { ...first, patches };
}

/** Whether two patches have the same pieces. */
function isSame(patch, { number, level, mesh }) {
  const alike = (a, b) => a.length === b.length && a.every((x, k) => x === b[k]);
  return number === patch.number && level === patch.level && mesh && [0, 1].every((d) => alike(mesh.ends[d], patch.mesh.ends[d]) && alike(mesh.codes[d], patch.mesh.codes[d]));
}

/** The centres of the pieces of a mapped patch in a cut. */
function centresOf({ ends, codes }) {
  const along = ([first, last], d, n) => first + ((last - first) * (codes[d][n] + codes[d][n + 1] + codes[d][n + 2] + codes[d][n + 3])) / (4 * LAST_CODE);
  return Array.from({ length: codes[0].length / 4 }, (_, piece) => ends.map((end, d) => along(end, d, 4 * piece)));
}
