// Curves with axes: fields in one dimension, values along lines, gauges, steps.

import { short, ticks } from "./scale.js";

export const LINE_COLOURS = ["#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b"];

/** A field in one dimension: a curve for each level. */
export function curvesOf(tiles) {
  return tiles.dx.map((dx, level) => {
    const [x, y] = [[], []];
    for (const { lo, values } of tiles.patches.filter((patch) => patch.level === level)) {
      values.forEach((value, k) => { x.push(tiles.lower[0] + (lo[0] + k + 0.5) * dx[0]); y.push(value); });
      x.push(NaN); y.push(null);
    }
    return { x: x.map((at, k) => (Number.isNaN(at) ? x[k - 1] : at)), y, colour: LINE_COLOURS[(level + 1) % 6], dots: true, name: `level ${level + 1}` };
  });
}

/**
 * Draws curves into a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {{x: number[], y: (number|null)[], colour: string, dots?: boolean, name?: string}[]} curves
 * @param {{title?: string, log?: boolean, range?: number[] | null, part?: number[] | null}} options
 */
export function drawChart(canvas, curves, options = {}) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * ratio)));
  [canvas.width, canvas.height] = [width, height];
  const paper = canvas.getContext("2d");
  const ink = getComputedStyle(canvas).color;
  const em = 11 * ratio;
  paper.font = `${em}px system-ui, sans-serif`;
  const log = options.log ?? false;
  const fine = (y) => typeof y === "number" && Number.isFinite(y) && (!log || y > 0);
  const xs = options.part ?? limits(curves.flatMap(({ x }) => [least(x), most(x)]));
  const seen = curves.flatMap(({ x, y }) => { const v = y.filter((value, k) => fine(value) && x[k] >= xs[0] && x[k] <= xs[1]); return [least(v), most(v)]; });
  let [low, high] = options.range ?? limits(seen);
  if (log) [low, high] = [Math.log10(low), Math.log10(high)];
  if (!(high > low)) [low, high] = [low - Math.max(0.5 * Math.abs(low), 0.5), high + Math.max(0.5 * Math.abs(high), 0.5)];
  if (!options.range) { const margin = 0.05 * (high - low); [low, high] = [low - margin, high + margin]; }
  const [left, top, right, bottom] = [5.5 * em, 1.6 * em, width - 0.8 * em, height - 1.8 * em];
  const px = (x) => left + ((x - xs[0]) / (xs[1] - xs[0] || 1)) * (right - left);
  const py = (y) => bottom - (((log ? Math.log10(y) : y) - low) / (high - low)) * (bottom - top);
  paper.fillStyle = ink;
  paper.strokeStyle = "rgba(128,128,128,0.35)";
  paper.textAlign = "center";
  for (const x of ticks(xs[0], xs[1], (right - left) / (7 * em))) { line(paper, px(x), top, px(x), bottom); paper.fillText(short(x), px(x), bottom + 1.3 * em); }
  paper.textAlign = "right";
  for (const y of ticks(low, high, (bottom - top) / (2.2 * em))) {
    const at = bottom - ((y - low) / (high - low)) * (bottom - top);
    line(paper, left, at, right, at);
    paper.fillText(short(log ? 10 ** y : y), left - 0.4 * em, at + 0.35 * em);
  }
  paper.textAlign = "left";
  if (options.title) paper.fillText(options.title, left, em);
  paper.save();
  paper.beginPath();
  paper.rect(left, top - 1, right - left, bottom - top + 2);
  paper.clip();
  curves.forEach(({ x, y, colour, dots }) => {
    [paper.strokeStyle, paper.fillStyle, paper.lineWidth] = [colour, colour, 1.5 * ratio];
    paper.beginPath();
    let pen = false;
    x.forEach((at, k) => {
      if (!fine(y[k])) { pen = false; return; }
      if (pen) paper.lineTo(px(at), py(y[k])); else paper.moveTo(px(at), py(y[k]));
      pen = true;
    });
    paper.stroke();
    if (dots && x.length < (right - left) / (4 * ratio)) x.forEach((at, k) => fine(y[k]) && paper.fillRect(px(at) - 2 * ratio, py(y[k]) - 2 * ratio, 4 * ratio, 4 * ratio));
  });
  paper.restore();
  let at = right;
  paper.textAlign = "right";
  for (const { name, colour } of [...curves].reverse().filter((curve) => curve.name)) {
    paper.fillStyle = colour;
    paper.fillText(name, at, em);
    at -= paper.measureText(name).width + em;
  }
  return { left, right, xs };
}

function line(paper, x0, y0, x1, y1) { paper.beginPath(); paper.moveTo(x0, y0); paper.lineTo(x1, y1); paper.stroke(); }
function least(values) { return values.reduce((a, b) => Math.min(a, b), Infinity); }
function most(values) { return values.reduce((a, b) => Math.max(a, b), -Infinity); }
function limits(values) {
  const [low, high] = [least(values), most(values)];
  return low <= high ? [low, high] : [0, 1];
}

/** A canvas for a chart in an element. */
export function chartIn(parent) {
  const box = parent.appendChild(document.createElement("div"));
  box.className = "chart";
  return box.appendChild(document.createElement("canvas"));
}
