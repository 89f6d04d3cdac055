// Where data come from in a page that holds them: the answers of the server, deflated, and values in 16 bits.

import { LAST_CODE, Source, codesIn, decode, extent, valueAt } from "./source.js";
import { bytes } from "./scale.js";

/** What the codes after the last one stand for. */
const NOT_FINITE = [-Infinity, Infinity, NaN];

export class SavedSource extends Source {
  /** Whether the page holds its data. */
  static here() { return document.getElementById("runs") !== null; }

  async get(path) {
    const element = document.getElementById(path);
    if (!element) throw new Error("this page does not hold that: amrclaw view shows all of a run");
    return new Response(new Blob([bytes(element.textContent)]).stream().pipeThrough(new DecompressionStream("deflate")));
  }

  async runs() {
    const all = await super.runs();
    this.saved = all.saved;
    return all;
  }

  /** What the page says of its data. */
  note() {
    const { fields, errors, left_out: left } = this.saved;
    const told = fields.map((field, k) => `${field} ± ${errors[k].toExponential(1)}`).join(", ");
    return `Values are rounded: ${told} at most${left ? ". " + left[0].toUpperCase() + left.slice(1) : ""}.`;
  }

  async steps(run, from) { return from ? { records: [], next: from } : super.steps(run, 0); }

  async tiles(run, frame, wish, mark) {
    const field = this.saved.fields.indexOf(wish.field);
    if (field < 0) throw new Error(`this page holds ${this.saved.fields.join(", ")}: amrclaw view computes formulas`);
    const tiles = await super.tiles(run, `${frame}/${field}/${wish.slice?.split(",")[0] ?? ""}`, {}, mark);
    if (!wish.levels || wish.levels >= tiles.shown) return tiles;
    return { ...tiles, dx: tiles.dx.slice(0, wish.levels), patches: tiles.patches.filter(({ level }) => level < wish.levels), shown: wish.levels };
  }

  decode(buffer) { return decode(buffer, 2, values); }

  async range(run, { field, log }) {
    const all = await this.runs();
    const tiles = await Promise.all(all.runs[run].frames.flatMap(([frame]) => (all.runs[run].fields.dimension === 3 ? [0, 1, 2] : [null]).map((axis) => this.tiles(run, frame, { field, slice: axis === null ? undefined : String(axis) }))));
    return extent(tiles.flatMap(({ patches }) => patches), log);
  }

  async points(run, frame, { field, numbers, slice }) {
    const tiles = await this.tiles(run, frame, { field, slice });
    const { dimension } = (await this.runs()).runs[run].fields;
    const all = numbers.split(",").map(Number), found = [];
    for (let k = 0; k < all.length; k += dimension) {
      const point = all.slice(k, k + dimension);
      if (slice) point.splice(Number(slice.split(",")[0]), 1);
      found.push(valueAt(tiles, point));
    }
    return found;
  }
}

/** The values of a patch's codes. */
function values(buffer, offset, { size, coded: [first, last, log, error] }) {
  const codes = codesIn(buffer, offset, size.reduce((product, n) => product * n, 1), size[0]), found = new Float32Array(codes.length);
  const [a, b] = log ? [Math.log(first), Math.log(last)] : [first, last];
  codes.forEach((code, k) => {
    const part = code / LAST_CODE, value = (1 - part) * a + part * b;
    found[k] = code > LAST_CODE ? NOT_FINITE[code - LAST_CODE - 1] : log ? Math.exp(value) : value;
  });
  return { values: found, error };
}
