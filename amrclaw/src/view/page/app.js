// The page: controls, views, keys.

import { LINE_COLOURS, chartIn, curvesOf, drawChart } from "./chart.js";
import { command, save, table } from "./export.js";
import { MapView } from "./map.js";
import { between, bytes, short, suiting } from "./scale.js";
import { drawGrid } from "./grid.js";
import { SavedSource } from "./saved.js";
import { difference } from "./difference.js";
import { Source, extent, valueAt } from "./source.js";

/** Cells that are fetched at once: about four for each pixel of a large screen. */
const CELLS = 8e6;
/** Milliseconds between looks at the run, and between frames that play. */
const LOOK = 400, PLAY = 80;
const AXES = ["x", "y", "z"];

const $ = (id) => document.getElementById(id);
const isSaved = SavedSource.here();
const source = isSaved ? new SavedSource() : new Source();

/** All that the address tells of the view. */
const state = { frame: -1, field: "", map: "auto", range: "frame", low: "", high: "", log: false, levels: 0, outlines: true, cuts: [], part: null };
let all = null, colours = null, views = [], plots = [], isFresh = true, lines = [], playing = false, request = 0, allRange = null, follow = true;
const steps = [];

/** A view: of a run, or of the difference of both; in three dimensions of a cut. */
class View {
  constructor(run, axis, isDifference) {
    [this.run, this.axis, this.isDifference] = [run, axis, isDifference];
    this.figure = $("views").appendChild(document.createElement("figure"));
    this.caption = this.figure.appendChild(document.createElement("figcaption"));
    this.stage = this.figure.appendChild(document.createElement("div"));
    this.stage.className = "stage";
    this.tiles = null;
    this.dimension = all.runs[run].fields.dimension;
    if (this.dimension === 1) {
      this.canvas = this.stage.appendChild(document.createElement("canvas"));
      this.canvas.tabIndex = 0;
    } else {
      this.map = new MapView(this.stage, colours);
      this.canvas = this.map.canvas;
      const bar = this.figure.appendChild(document.createElement("div"));
      bar.className = "bar";
      this.bar = bar.appendChild(document.createElement("canvas"));
      this.ends = this.figure.appendChild(document.createElement("div"));
      this.ends.className = "ends";
      this.listen();
    }
    if (axis !== null && !isSaved) this.addSlider();
  }

  addSlider() {
    const label = this.figure.appendChild(document.createElement("label"));
    label.textContent = `${AXES[this.axis]} = `;
    this.slider = label.appendChild(document.createElement("input"));
    Object.assign(this.slider, { type: "range", min: "0", max: "1000", value: String(Math.round(1000 * (state.cuts[this.axis] ?? 0.5))) });
    this.slider.addEventListener("input", () => { state.cuts[this.axis] = Number(this.slider.value) / 1000; show(); });
  }

  /** The cut's axis and place. */
  slice(box) {
    if (this.axis === null) return undefined;
    const part = state.cuts[this.axis] ?? 0.5, [low, high] = endsOf(box, this.axis);
    return `${this.axis},${low + part * (high - low)}`;
  }

  /** Coordinates in the frame's axes of a place in the view. */
  point([x, y]) {
    if (this.axis === null) return [x, y];
    const place = Number(this.cut.split(",")[1]), point = [x, y];
    point.splice(this.axis, 0, place);
    return point;
  }

  listen() {
    const at = (event) => { const ratio = window.devicePixelRatio || 1; return [event.offsetX * ratio, event.offsetY * ratio]; };
    let from = null, drawn = null, isClick = false;
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (!this.tiles) return;
      this.map.zoom(Math.exp(-0.002 * event.deltaY), ...at(event));
      linked(this);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      if (!this.tiles) return;
      this.canvas.setPointerCapture(event.pointerId);
      from = at(event);
      isClick = true;
      drawn = event.shiftKey ? { from: this.map.position(...from), to: this.map.position(...from), colour: LINE_COLOURS[lines.length % LINE_COLOURS.length] } : null;
      if (drawn) this.map.lines.push(drawn);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.tiles) return;
      const now = at(event);
      isClick &&= from !== null && Math.hypot(now[0] - from[0], now[1] - from[1]) < 3;
      if (!from) { probe(this, this.map.position(...now)); return; }
      if (isClick) return;
      if (drawn) drawn.to = this.map.position(...now);
      else { this.map.move(now[0] - from[0], now[1] - from[1]); from = now; }
      linked(this);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (drawn) addLine(this, drawn).catch(tell);
      else if (isClick && this.slider) cutAt(this.point(this.map.position(...at(event))), this);
      from = drawn = null;
      remember();
    });
    this.canvas.addEventListener("dblclick", () => { this.map.part = null; linked(this); });
  }
}

/** Moves the cuts along other axes than a view's to a point. */
function cutAt(point, { axis: own, box }) {
  for (const [axis, place] of point.entries()) {
    const [low, high] = endsOf(box, axis);
    if (axis !== own) state.cuts[axis] = Math.min(1, Math.max(0, (place - low) / (high - low)));
  }
  for (const { slider, axis } of views) if (slider) slider.value = String(Math.round(1000 * (state.cuts[axis] ?? 0.5)));
  show();
}

/** Where the other cuts meet that of a view. */
function crossOf({ axis: own, box }) {
  return own === null ? null : [0, 1, 2].filter((axis) => axis !== own).map((axis) => { const [low, high] = endsOf(box, axis); return low + (state.cuts[axis] ?? 0.5) * (high - low); });
}

/** From where to where cuts along an axis may be: of mapped meshes in physical space. */
function endsOf(box, axis) { return box.extent?.[axis] ?? [box.lower[axis], box.upper[axis]]; }

/** Gives views of the same axes the same part, and draws all. */
function linked(view) {
  for (const other of views) if (other.map && other.axis === view.axis) other.map.part = view.map.part && { ...view.map.part };
  state.part = views[0].map?.part ?? null;
  if (state.range === "visible") rescale();
  draw();
}

/** Shows errors, and removes them when all is well. */
function tell(error) {
  $("error").hidden = !error;
  $("error").textContent = error ? String(error.message ?? error) : "";
}

/** Levels that are fetched: those chosen, or as many as there is room for. */
function levelsOf(box, dimension) {
  if (state.levels) return state.levels;
  let cells = 0, levels = 0;
  for (const { boxes } of box.levels) {
    // A cut meets about one layer of each patch.
    for (const [lo, hi] of boxes) cells += lo.reduce((n, first, d) => n * (hi[d] - first), 1) ** (dimension === 3 ? 2 / 3 : 1);
    if (cells > CELLS && levels) break;
    levels += 1;
  }
  return levels;
}

const boxes = new Map();
async function boxOf(run, frame) {
  const key = `${run} ${frame} ${markOf(run, frame)}`;
  if (!boxes.has(key)) {
    if (boxes.size > 40) boxes.delete(boxes.keys().next().value);
    boxes.set(key, source.boxes(run, frame).catch((error) => { boxes.delete(key); throw error; }));
  }
  return boxes.get(key);
}

/** Changes when a run in the same folder begins anew, and with the time of its present state. */
function markOf(run, number) {
  const { record, frames } = all.runs[run];
  return JSON.stringify([record?.totals_initial, frames.find(([known]) => known === number)?.[1]]);
}

async function fetchTiles(view, number, field = state.field) {
  if (view.isDifference) {
    const [[first, slice, box], [second]] = await Promise.all([0, 1].map((run) => fetchTiles({ run, axis: view.axis, slice: view.slice, dimension: view.dimension }, nearest(run, number), field)));
    return [difference(first, second), slice, box];
  }
  const box = await boxOf(view.run, number);
  const slice = view.slice(box);
  return [await source.tiles(view.run, number, { field, slice, levels: levelsOf(box, view.dimension) }, markOf(view.run, number)), slice, box];
}

/** That frame of a run, or its last one. */
function nearest(run, number) { return numbers(run).includes(number) ? number : numbers(run).at(-1); }

function numbers(run = 0) { return all.runs[run].frames.map(([number]) => number); }

/** Fetches and draws the present frame; what comes too late is dropped. */
async function show() {
  const mine = ++request;
  const number = numbers()[state.frame];
  if (number === undefined || !views.length) { draw(); return; }
  try {
    const found = await Promise.all(views.map((view) => fetchTiles(view, nearest(view.run, number))));
    if (mine !== request) return;
    views.forEach((view, k) => {
      [view.tiles, view.cut, view.box] = found[k];
      view.map?.take(view.tiles);
    });
    const most = Math.max(...views.map(({ box }) => box.levels.length));
    fill($("levels"), ["all", ...Array.from({ length: most }, (_, l) => `1 to ${l + 1}`)], String(state.levels));
    $("time").textContent = `frame ${number}, t = ${short(views[0].tiles.time)}`;
    tell(null);
    await rescale();
    draw();
    lines.forEach((line) => measure(line).then(drawLines, tell));
    remember();
    for (const near of [state.frame + 1, state.frame - 1]) {
      const ahead = numbers()[near];
      if (ahead !== undefined && !state.levels) views.filter(({ run, isDifference }) => run === 0 && !isDifference).forEach((view) => fetchTiles(view, ahead).catch(() => {}));
    }
  } catch (error) {
    if (mine === request) tell(error);
  }
}

/** The colour scale of all runs, and that of their difference. */
let scale = suiting(0, 1, false), differenceScale = scale;
const scaleOf = (view) => (view.isDifference ? differenceScale : scale);
async function rescale() {
  const given = [state.low, state.high].map(Number);
  if (state.range === "given" && given[0] < given[1] && (!state.log || given[0] > 0)) {
    scale = between(given[0], given[1], state.log);
  } else {
    if (state.range === "all") {
      const key = JSON.stringify([state.field, state.log, numbers().length]);
      if (allRange?.key !== key) allRange = { key, range: await source.range(0, { field: state.field, log: state.log ? 1 : undefined }) };
    }
    const seen = (view) => (state.range === "visible" && view.map ? view.map.visible() : view.tiles?.patches ?? []);
    const range = (state.range === "all" && allRange?.range) || extent(runViews().flatMap(seen), state.log);
    scale = range ? suiting(range[0], range[1], state.log) : suiting(state.log ? 1 : 0, state.log ? 10 : 1, state.log);
    [$("low").value, $("high").value] = [String(scale.low), String(scale.high)];
  }
  if (colours[state.map]) scale.map = state.map;
  const apart = extent(views.filter(({ isDifference }) => isDifference).flatMap(({ tiles }) => tiles?.patches ?? []), false);
  if (apart) differenceScale = suiting(Math.min(apart[0], -apart[1]), Math.max(apart[1], -apart[0]), false);
}

function runViews() { return views.filter(({ isDifference }) => !isDifference); }

function draw() {
  for (const view of views) {
    if (!view.tiles) continue;
    if (view.map) {
      view.map.cross = crossOf(view);
      view.map.draw(scaleOf(view), state.outlines);
      const name = view.isDifference ? "first − second" : all.runs[view.run].name;
      view.caption.textContent = `${all.runs.length > 1 ? name + " · " : ""}${view.cut ? `${AXES[view.axis]} = ${short(Number(view.cut.split(",")[1]))} · ` : ""}${view.map.caption()}`;
      drawBar(view);
    } else drawCurve(view);
  }
  const number = numbers()[state.frame];
  $("command").textContent = number === undefined || !views[0]?.tiles ? "" : command(all.runs[0].name, number, figureWish(views[0]));
}

function drawBar(view) {
  const { low, high, map } = scaleOf(view), { table } = colours[map];
  const count = table.length / 3;
  [view.bar.width, view.bar.height] = [count, 1];
  const picture = new ImageData(count, 1);
  for (let k = 0; k < count; k += 1) picture.data.set([...table.slice(3 * k, 3 * k + 3), 255], 4 * k);
  view.bar.getContext("2d").putImageData(picture, 0, 0);
  view.ends.replaceChildren(...[low, high].map((value) => { const end = document.createElement("span"); end.textContent = short(value); return end; }));
}

/** A field in one dimension. */
function drawCurve(view) {
  const range = view.isDifference || state.range === "frame" || state.range === "visible" ? null : [scale.low, scale.high];
  const name = all.runs.length < 2 ? "" : `${view.isDifference ? "first − second" : all.runs[view.run].name}: `;
  view.axes = drawChart(view.canvas, curvesOf(view.tiles), { title: `${name}${state.field}, t = ${short(view.tiles.time)}`, log: state.log && !view.isDifference, range });
}

/** Values at places of a view, with level, patch and cell. */
function valuesAt(view, places) {
  if (view.isDifference) return Promise.resolve(places.map((place) => valueAt(view.tiles, place)));
  const list = places.flatMap((place) => view.point(place)).join(",");
  return source.points(view.run, nearest(view.run, numbers()[state.frame]), { field: state.field, slice: view.cut, numbers: list });
}

/** The value under the pointer, in full precision. */
let asked = 0;
async function probe(view, place) {
  const mine = ++asked;
  const point = view.point(place);
  try {
    const [found] = await valuesAt(view, [place]);
    if (mine !== asked) return;
    const where = point.map((x, d) => `${AXES[d]} = ${short(x)}`).join(", ");
    $("probe").textContent = found ? `${state.field} = ${found[0]}${found[4] === undefined ? "" : " ± " + found[4].toExponential(1)}   level ${found[1]}, patch ${found[2]}${found[3].length ? `, cell [${found[3].join(", ")}]` : ""}   ${where}` : where;
  } catch (error) { if (mine === asked) tell(error); }
}

/** Keeps a line along which values are shown, of both runs. */
async function addLine(view, drawn) {
  if (Math.hypot(drawn.to[0] - drawn.from[0], drawn.to[1] - drawn.from[1]) === 0) return;
  const shown = view.isDifference ? [view] : runViews().filter(({ axis }) => axis === view.axis);
  const number = 1 + new Set(lines.map(({ drawn: of }) => of)).size;
  const added = shown.map((of) => ({ drawn, view: of, from: drawn.from, to: drawn.to, colour: "", name: `line ${number}` }));
  added.forEach((line, k) => { line.colour = LINE_COLOURS[(lines.length + k) % LINE_COLOURS.length]; if (shown.length > 1) line.name += ` ${all.runs[line.view.run].name}`; });
  for (const line of added.filter(({ view: of }) => of !== view)) line.view.map.lines.push({ ...drawn, colour: line.colour });
  lines.push(...added);
  await Promise.all(added.map(measure));
  drawLines();
  draw();
}

async function measure(line) {
  const { view, from, to } = line;
  const { dx, extents, lower, upper } = view.tiles;
  // Cells of a mapped mesh are about as large as those of a mesh without a mapping.
  const finest = Math.min(...dx.at(-1).map((size, d) => (size * (extents.upper[d] - extents.lower[d])) / (upper[d] - lower[d])));
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const count = Math.max(2, Math.min(2000, Math.ceil((2 * length) / finest)));
  line.along = Array.from({ length: count }, (_, k) => (length * k) / (count - 1));
  const places = line.along.map((s) => from.map((x, d) => Number((x + ((to[d] - x) * s) / length).toPrecision(12))));
  line.points = places.map((place) => view.point(place));
  // A request's target is limited in length.
  const batches = [];
  for (let k = 0; k < count; k += 60) batches.push(valuesAt(view, places.slice(k, k + 60)));
  line.found = (await Promise.all(batches)).flat();
}

function drawLines() {
  const canvas = $("lines").querySelector("canvas") ?? chartIn($("lines"));
  canvas.parentElement.hidden = !lines.length;
  if (lines.length) drawChart(canvas, lines.map(({ along, found, colour, name }) => ({ x: along, y: found.map((value) => value && Number(value[0])), colour, name })), { title: state.field, log: state.log });
}

/** Charts of the run: what its steps and gauges say. */
async function charts() {
  if (!$("charts").open) return;
  const rows = (steps[0] ?? { records: [] }).records;
  const curve = (name, y, k = 0) => ({ x: rows.map(({ time }) => time), y, colour: LINE_COLOURS[k % 6], name });
  const levels = Math.max(0, ...rows.slice(-1).map(({ patches }) => patches.length));
  const each = (what) => Array.from({ length: levels }, (_, l) => curve(`level ${l + 1}`, rows.map((row) => row[what][l] ?? null), l));
  const rate = rows.map((row, k) => (k ? (row.advanced - rows[k - 1].advanced) / (row.wall - rows[k - 1].wall) : null));
  const phases = Object.keys(rows[0]?.phases ?? {}).map((name, k) => curve(name, rows.map((row) => row.phases[name]), k));
  const totals = [{ time: rows[0]?.time - rows[0]?.dt, totals: all.runs[0].record?.totals_initial ?? {} }, ...rows.filter((row) => row.totals)];
  const largest = totals.flatMap((row) => Object.values(row.totals)).reduce((most, total) => Math.max(most, Math.abs(total)), 0);
  const drifts = Object.entries(totals[0].totals).flatMap(([name, initial], k) => {
    const size = Math.max(...totals.map((row) => Math.abs(row.totals[name] ?? 0)));
    // A total that is round-off compared with others has no drift.
    if (!(size > 1e-10 * largest)) return [];
    return [{ ...curve(name, totals.map((row) => (row.totals[name] - initial) / size), k), x: totals.map(({ time }) => time) }];
  });
  const wanted = [
    ["step", [curve("dt", rows.map(({ dt }) => dt))]], ["Courant number", [curve("", rows.map(({ courant }) => courant))]],
    ["patches", each("patches")], ["cells", each("cells")], ["cell updates a second", [curve("", rate)]], ["seconds", phases],
    ...(totals.length > 1 && drifts.length ? [["relative drift of totals", drifts]] : []),
  ];
  if (rows.length) wanted.forEach(([title, curves], k) => drawChart($("steps").children[k]?.firstChild ?? chartIn($("steps")), curves, { title }));
  await Promise.all(all.runs[0].gauges.map(async (_, k) => {
    const { name, columns, values } = await source.gauge(0, k);
    const fields = columns.slice(2).map((column, c) => ({ x: values[1], y: values[c + 2], colour: LINE_COLOURS[c % 6], name: column }));
    drawChart($("gauges").children[k]?.firstChild ?? chartIn($("gauges")), fields, { title: `gauge ${name}` });
  }));
}

function figureWish(view) {
  const wish = { field: state.field, range: `${scale.low},${scale.high}`, log: state.log ? 1 : undefined, slice: view?.cut, colours: state.map === "auto" ? undefined : state.map };
  if (view?.map?.part && view.axis === null) {
    const [left, top] = view.map.position(0, 0), [right, bottom] = view.map.position(view.canvas.width, view.canvas.height);
    wish.numbers = [left, right, bottom, top].map((x) => x.toPrecision(7)).join(",");
  }
  return wish;
}

function fill(select, words, chosen) {
  if (select.options.length !== words.length) {
    select.replaceChildren(...words.map((word, k) => { const option = document.createElement("option"); [option.value, option.textContent] = [String(k), word]; return option; }));
  }
  select.value = chosen;
}

/** Colour maps by name. */
function mapsOf(maps) {
  const made = Object.entries(maps).flatMap(([name, { colours: text, levels }]) => {
    const table = bytes(text), reversed = Uint8Array.from(table, (_, k) => table[table.length - 3 - k + 2 * (k % 3)]);
    return [[name, { table, levels }], [`${name}_r`, { table: reversed, levels }]];
  });
  for (const [name] of made) $("map").append(new Option(name, name));
  $("map").value = state.map;
  return Object.fromEntries(made);
}

/** Shows a picture that the run's case asks for. */
async function showPlot(plot) {
  if (!views[0]?.box) return;
  const known = Object.keys(colours).find((name) => name.toLowerCase() === plot.colours?.toLowerCase());
  const [low, high] = plot.range ?? ["", ""];
  Object.assign(state, { field: plot.fields[0], map: known ?? "auto", log: plot.log, outlines: !plot.no_outlines, range: plot.range ? "given" : "frame", low, high });
  const [view] = views, { lower, upper } = view.box, isPlane = view.dimension === 2;
  KEYS.Escape();
  if (!isPlane) for (const [axis, place] of plot.slices) { const [low, high] = endsOf(view.box, axis); state.cuts[axis] = (place - low) / (high - low); }
  for (const { slider, axis } of views) if (slider) slider.value = String(Math.round(1000 * (state.cuts[axis] ?? 0.5)));
  if (isPlane) {
    const [x, y] = [plot.zoom[0] ?? [lower[0], upper[0]], plot.zoom[1] ?? [lower[1], upper[1]]];
    const scale = Math.max((x[1] - x[0]) / view.canvas.width, (y[1] - y[0]) / view.canvas.height);
    view.map.part = plot.zoom.length ? { centre: [x, y].map(([from, to]) => 0.5 * (from + to)), scale } : null;
    linked(view);
  }
  controls();
  await show();
  const across = plot.slices.map(([axis, place]) => [lower, upper].map((end) => [0, 1].map((d) => (d === axis ? place : end[d]))));
  for (const [from, to] of isPlane ? [...across, ...(plot.line ? [plot.line] : [])] : []) {
    const drawn = { from, to, colour: LINE_COLOURS[lines.length % LINE_COLOURS.length] };
    view.map.lines.push(drawn);
    await addLine(view, drawn);
  }
}

/** Takes what is new of the runs. */
async function look() {
  const before = all && numbers().length, shown = all?.runs[0].frames.at(-1)?.[1];
  all = await source.runs();
  colours ??= mapsOf(await source.colours());
  const { record, name, fields, error } = all.runs[0];
  $("name").textContent = name;
  $("status").textContent = record ? `${record.status}${record.error ? ": " + record.error : ""}` : "";
  if (error) tell(error);
  if (!fields) return;
  if (!views.length && all.runs.every((run) => run.fields)) begin();
  const count = numbers().length;
  $("frame").max = String(Math.max(0, count - 1));
  const renewed = follow && shown !== all.runs[0].frames.at(-1)?.[1];
  if (count !== before || state.frame < 0 || renewed) {
    if (follow || state.frame < 0 || state.frame >= count) state.frame = count - 1;
    controls();
    await show();
    if (isFresh && views[0]?.tiles) {
      isFresh = false;
      if (plots.length) { $("plots").value = "1"; await showPlot(plots[0]); }
    }
  }
  let more = false;
  for (const [run] of all.runs.entries()) {
    const known = (steps[run] ??= { records: [], next: 0 });
    const { records, next } = await source.steps(run, known.next);
    if (next < known.next) known.records = [];
    known.records.push(...records);
    known.next = next;
    more ||= records.length > 0;
  }
  if (record?.status === "running" && steps[0].records.length) {
    const last = steps[0].records.at(-1);
    $("status").textContent = `running: step ${last.step}, t = ${short(last.time)}`;
  }
  if (more || count !== before) await charts();
}

function begin() {
  const { names, quantities, dimension } = all.runs[0].fields;
  plots = (all.runs[0].record?.plots ?? []).filter(({ fields: [first] }) => !isSaved || names.includes(first));
  $("ready").hidden = !plots.length;
  fill($("plots"), ["", ...plots.map(({ name }) => name)], "0");
  state.field ||= names[0];
  $("fields").replaceChildren(...[...names, ...quantities.map(([name]) => name)].map((name) => { const option = document.createElement("option"); option.value = name; return option; }));
  const axes = dimension === 3 ? [2, 1, 0] : [null];
  views = all.runs.flatMap((_, run) => axes.map((axis) => new View(run, axis, false)));
  if (all.runs.length === 2 && all.runs[1].fields.dimension === dimension) views.push(...axes.map((axis) => new View(0, axis, true)));
  if (state.part && views[0].map) views.forEach((view) => { if (view.axis === views[0].axis) view.map.part = state.part; });
  $("views").className = views.length > 1 ? "several" : "";
  new ResizeObserver(draw).observe($("views"));
  for (const kind of ["png", "svg"]) $(`figure-${kind}`).hidden = isSaved;
  if (isSaved) $("note").textContent = source.note();
}

/** Shows the state in the controls. */
function controls() {
  $("frame").value = String(state.frame);
  for (const id of ["field", "map", "range"]) $(id).value = state[id];
  for (const id of ["log", "outlines"]) $(id).checked = state[id];
  if (state.range === "given") [$("low").value, $("high").value] = [String(state.low), String(state.high)];
  $("play").textContent = playing ? "❚❚ pause" : "▶ play";
}

/** Keeps the state in the address, behind the token. */
function remember() {
  const parts = new URLSearchParams(location.hash.slice(1));
  parts.set("state", JSON.stringify(state));
  // A page within a page has no address of its own.
  if (location.href !== "about:srcdoc") history.replaceState(null, "", "#" + parts);
}

function goTo(frame) {
  state.frame = Math.max(0, Math.min(numbers().length - 1, frame));
  follow = state.frame === numbers().length - 1;
  controls();
  return show();
}

async function play() {
  playing = !playing;
  controls();
  while (playing) {
    const start = performance.now();
    await goTo(state.frame + 1 < numbers().length ? state.frame + 1 : 0);
    await new Promise((done) => setTimeout(done, Math.max(0, PLAY - (performance.now() - start))));
  }
}

function set(changes) { Object.assign(state, changes); $("plots").value = "0"; controls(); return show(); }

const zoomed = (factor) => { if (views[0]?.map && views[0].tiles) { views[0].map.zoom(factor); linked(views[0]); } };
const moved = (x, y) => { if (views[0]?.map && views[0].tiles) { views[0].map.move(x, y); linked(views[0]); } };
const KEYS = {
  ArrowLeft: () => goTo(state.frame - 1), ArrowRight: () => goTo(state.frame + 1), Home: () => goTo(0), End: () => goTo(Infinity),
  " ": play, "+": () => zoomed(1.25), "-": () => zoomed(0.8), 0: () => { views.forEach((view) => view.map && (view.map.part = null)); draw(); },
  w: () => moved(0, 40), s: () => moved(0, -40), a: () => moved(40, 0), d: () => moved(-40, 0),
  "[": () => views[0]?.box && set({ levels: Math.max(1, (state.levels || views[0].box.levels.length) - 1) }), "]": () => views[0]?.box && set({ levels: state.levels + 1 < views[0].box.levels.length ? state.levels + 1 : 0 }),
  o: () => set({ outlines: !state.outlines }), l: () => set({ log: !state.log }),
  Escape: () => { lines = []; views.forEach((view) => view.map && (view.map.lines = [])); drawLines(); draw(); },
};
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement && event.target.type !== "range" && event.target.type !== "checkbox") return;
  if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
$("frame").addEventListener("input", () => goTo(Number($("frame").value)));
for (const [id, key] of [["first", "Home"], ["previous", "ArrowLeft"], ["play", " "], ["next", "ArrowRight"], ["last", "End"]]) $(id).addEventListener("click", () => KEYS[key]());
for (const id of ["field", "map", "range"]) $(id).addEventListener("change", () => set({ [id]: $(id).value }));
for (const id of ["log", "outlines"]) $(id).addEventListener("change", () => set({ [id]: $(id).checked }));
for (const id of ["low", "high"]) $(id).addEventListener("change", () => set({ range: "given", low: $("low").value, high: $("high").value }));
$("plots").addEventListener("change", () => { const plot = plots[Number($("plots").value) - 1]; if (plot) showPlot(plot).catch(tell); });
$("levels").addEventListener("change", () => set({ levels: Number($("levels").value) }));
$("charts").addEventListener("toggle", () => charts().catch(tell));
$("png").addEventListener("click", () => {
  const { canvas, map } = views[0];
  const whole = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  for (const layer of [canvas, map?.over]) if (layer) whole.getContext("2d").drawImage(layer, 0, 0);
  whole.toBlob((blob) => save(blob, `frame_${numbers()[state.frame]}.png`));
});
for (const kind of ["png", "svg"]) {
  $(`figure-${kind}`).addEventListener("click", () => source.figure(0, numbers()[state.frame], figureWish(views[0]), kind).then((blob) => save(blob, `plot.${kind}`), tell));
}
$("csv").addEventListener("click", () => save(new Blob([table(lines)], { type: "text/csv" }), "lines.csv"));

try {
  const kept = new URLSearchParams(location.hash.slice(1)).get("state");
  Object.assign(state, JSON.parse(kept ?? "{}"));
  isFresh = !kept;
} catch { /* A damaged address shows the default view. */ }
window.amrclaw = {
  state: () => ({ ...state, frames: all && numbers(), scale, draws: views[0]?.map?.draws, scriptTime: views[0]?.map?.scriptTime, time: views[0]?.tiles?.time, steps: steps[0]?.records.length, shown: views[0]?.tiles?.shown }),
  set, goTo, views: () => views, show, source,
};
$("grid").addEventListener("toggle", () => {
  if (!$("grid").open || !views.length) return;
  const pick = (field, frame) => { state.field = field; goTo(frame); };
  const fields = isSaved ? source.saved.fields : [state.field];
  drawGrid($("grid").querySelector("div"), { view: views[0], frames: numbers(), fields, source, fetchTiles, colours, pick }).catch(tell);
});
for (;;) {
  try { await look(); } catch (error) { tell(error); }
  if (isSaved) break;
  await new Promise((done) => setTimeout(done, LOOK));
}
