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

  runs() { return this.get("runs").then((answer) => answer.json()); }
  points(run, frame, wish) { return this.get(`${run}/points/${frame}`, wish).then((answer) => answer.json()); }
  range(run, wish) { return this.get(`${run}/range/0`, wish).then((answer) => answer.json()); }
  gauge(run, number) { return this.get(`${run}/gauge/${number}`).then((answer) => answer.json()); }
  steps(run, from) { return this.get(`${run}/steps/${from}`).then((answer) => answer.json()); }
  figure(run, frame, wish) { return this.get(`${run}/figure/${frame}`, wish).then((answer) => answer.blob()); }
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
  const patches = head.patches.map(([level, number, lo, hi, extremes, coded]) => {
    const patch = { level, number, lo, hi, size: lo.map((first, d) => hi[d] - first), extremes, coded };
    Object.assign(patch, read(buffer, offset, patch));
    offset += width * patch.values.length;
    return patch;
  });
  return { ...head, patches, bytes: (buffer.byteLength * 4) / width };
}

function floats(buffer, offset, { size }) {
  return { values: new Float32Array(buffer, offset, size.reduce((product, n) => product * n, 1)) };
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
