// Where data come from: the server of `amrclaw view`.

const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";

/** Most bytes of tiles that are kept. */
const KEPT = 512 * 2 ** 20;

export class Source {
  constructor() {
    /** @type {Map<string, {bytes: number, tiles: Promise<any>}>} The last used last. */
    this.kept = new Map();
    this.bytes = 0;
  }

  async get(path, wish = {}) {
    const pairs = Object.entries(wish).filter(([, value]) => value !== undefined && value !== "");
    const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&");
    const answer = await fetch(`api/${path}${query ? "?" + query : ""}`, { headers: { Authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  }

  decode(buffer) { return decode(buffer, 4, floats); }

  colours() { return this.get("colours").then((answer) => answer.json()); }
  runs() { return this.get("runs").then((answer) => answer.json()); }
  points(run, frame, wish) { return this.get(`${run}/points/${frame}`, wish).then((answer) => answer.json()); }
  range(run, wish) { return this.get(`${run}/range/0`, wish).then((answer) => answer.json()); }
  gauge(run, number) { return this.get(`${run}/gauge/${number}`).then((answer) => answer.json()); }
  steps(run, from) { return this.get(`${run}/steps/${from}`).then((answer) => answer.json()); }
  figure(run, frame, wish, kind) { return this.get(`${run}/${kind}/${frame}`, wish).then((answer) => answer.blob()); }
  boxes(run, frame) { return this.get(`${run}/boxes/${frame}`).then((answer) => answer.json()); }

  /** A field of a frame: kept, as long as there is room. `mark` changes with the file. */
  tiles(run, frame, wish, mark) {
    const key = JSON.stringify([run, frame, wish, mark]);
    const found = this.kept.get(key);
    if (found) {
      this.kept.delete(key);
      this.kept.set(key, found);
      return found.tiles;
    }
    const entry = { bytes: 0, tiles: this.get(`${run}/tiles/${frame}`, wish).then((answer) => answer.arrayBuffer()).then((buffer) => this.decode(buffer)) };
    this.kept.set(key, entry);
    entry.tiles.then((tiles) => {
      entry.bytes = tiles.bytes;
      this.bytes += tiles.bytes;
      for (const [oldest, old] of this.kept) {
        if (this.bytes <= KEPT || oldest === key) break;
        this.kept.delete(oldest);
        this.bytes -= old.bytes;
      }
    }, () => this.kept.delete(key));
    return entry.tiles;
  }
}

/** The tiles in an answer: a JSON text behind its length, then values of `width` bytes, which `read` reads. */
export function decode(buffer, width, read) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let offset = 4 + length;
  const patches = head.patches.map(([level, number, lo, hi, extremes, coded, mesh, lines]) => {
    const patch = { level, number, lo, hi, size: lo.map((first, d) => hi[d] - first), extremes, coded };
    Object.assign(patch, read(buffer, offset, patch));
    offset += width * patch.values.length;
    if (mesh) {
      // Positions of the cells' corners, between the least and the largest; pieces in a cut, beside lines, have four each.
      const columns = lines ? 4 : patch.size[0] + 1, count = columns * (lines ? patch.size[0] : patch.size[1] + 1);
      patch.mesh = { columns, lines, ends: mesh, codes: mesh.map((_, d) => codesIn(buffer, offset + 2 * count * d, count, columns)) };
      offset += 4 * count;
    }
    return patch;
  });
  const meshes = patches.filter(({ mesh }) => mesh).map(({ mesh }) => mesh.ends);
  const extents = meshes.length ? { lower: [0, 1].map((d) => Math.min(...meshes.map((ends) => ends[d][0]))), upper: [0, 1].map((d) => Math.max(...meshes.map((ends) => ends[d][1]))) } : head;
  return { ...head, patches, extents, bytes: (buffer.byteLength * 4) / width };
}

/** The code of the largest value. */
export const LAST_CODE = 65532;

/** Codes of 16 bits: differences of either sign from the code before in a row, from the row before at its start; low bytes, then high ones. */
export function codesIn(buffer, offset, count, columns) {
  const coded = new Uint8Array(buffer, offset, 2 * count), codes = new Uint16Array(count);
  for (let k = 0; k < count; k += 1) {
    const small = coded[k] | (coded[count + k] << 8);
    const before = k % columns ? codes[k - 1] : k ? codes[k - columns] : 0;
    codes[k] = before + ((small >>> 1) ^ -(small & 1));
  }
  return codes;
}

function floats(buffer, offset, { size }) {
  return { values: new Float32Array(buffer, offset, size.reduce((product, n) => product * n, 1)) };
}

/** The finest value at a place, with level, patch, cell and, of codes, its error; null outside. */
export function valueAt(tiles, place) {
  for (let l = tiles.dx.length - 1; l >= 0; l -= 1) {
    for (const patch of tiles.patches) {
      const cell = patch.level === l ? cellAt(tiles, patch, place) : null;
      if (!cell) continue;
      const offset = cell.reduceRight((sum, i, d) => sum * patch.size[d] + i, 0);
      return [patch.values[offset], l + 1, patch.number, patch.mesh?.lines ? [] : cell.map((i, d) => i + patch.lo[d]), patch.error];
    }
  }
  return null;
}

/** The cell of a patch at a place, from the patch's first one; null outside. */
function cellAt(tiles, patch, place) {
  if (patch.mesh) return mappedCell(patch.mesh, place);
  const cell = place.map((x, d) => {
    const at = (x - tiles.lower[d]) / tiles.dx[patch.level][d] - patch.lo[d];
    // The domain's upper end belongs to its last cell.
    return x === tiles.upper[d] ? Math.ceil(at) - 1 : Math.floor(at);
  });
  return cell.every((i, d) => i >= 0 && i < patch.size[d]) ? cell : null;
}

/** The cell of a mapped patch that has a place in one of its two triangles. */
function mappedCell(mesh, place) {
  const { columns, ends, lines, codes: [x, y] } = mesh;
  const [u, v] = place.map((at, d) => (LAST_CODE * (at - ends[d][0])) / (ends[d][1] - ends[d][0]));
  if (!(u >= 0 && u <= LAST_CODE && v >= 0 && v <= LAST_CODE)) return null;
  const within = (a, b, c) => {
    const side = (p, q) => (x[q] - x[p]) * (v - y[p]) - (y[q] - y[p]) * (u - x[p]);
    // A plane through nodes leaves pieces without area.
    if ((x[b] - x[a]) * (y[c] - y[a]) === (y[b] - y[a]) * (x[c] - x[a])) return false;
    const sides = [side(a, b), side(b, c), side(c, a)];
    return sides.every((s) => s >= 0) || sides.every((s) => s <= 0);
  };
  if (lines) {
    for (let n = 0; n < x.length; n += 4) if (within(n, n + 1, n + 2) || within(n + 2, n + 1, n + 3)) return [n / 4, 0];
    return null;
  }
  const rows = x.length / columns - 1;
  mesh.rows ??= Array.from({ length: rows }, (_, j) => [x, y].map((codes) => { const row = codes.subarray(j * columns, (j + 2) * columns); return [row.reduce((a, b) => Math.min(a, b)), row.reduce((a, b) => Math.max(a, b))]; }));
  for (let j = 0; j < rows; j += 1) {
    const [[left, right], [bottom, top]] = mesh.rows[j];
    if (u < left || u > right || v < bottom || v > top) continue;
    for (let n = j * columns; n < (j + 1) * columns - 1; n += 1) {
      if (within(n, n + 1, n + columns) || within(n + columns, n + 1, n + columns + 1)) return [n - j * columns, j];
    }
  }
  return null;
}

/** Smallest and largest value of patches, in cells that no finer ones cover. */
export function extent(patches, log) {
  let [low, high] = [Infinity, -Infinity];
  for (const { extremes } of patches) {
    const least = extremes[log ? 2 : 0];
    if (least !== null) low = Math.min(low, least);
    if (extremes[1] !== null) high = Math.max(high, extremes[1]);
  }
  return low <= high ? [low, high] : null;
}
