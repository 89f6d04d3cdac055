// A field in the plane: every patch at its own resolution, by WebGL2.
//
// Patches lie in textures of rows; one draw call with an instance for each patch of a texture, coarse to fine. Positions are reduced to the
// view's on the CPU in double precision. The cell of a pixel is that at its centre, as in `amrclaw plot`. Patches of mapped meshes are drawn one
// by one, as triangles between their nodes.

import { short } from "./scale.js";
import { LAST_CODE } from "./source.js";

const VERTEX = `#version 300 es
layout(location=0) in vec4 place;   // lower and upper corner, in parts of the view
layout(location=1) in ivec3 tile;   // first value in the texture, columns, rows
flat out ivec3 its;
out vec2 cell;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  its = tile;
  cell = corner * vec2(tile.yz);
  gl_Position = vec4(2.0 * mix(place.xy, place.zw, corner) - 1.0, 0.0, 1.0);
}`;
const MAPPED_VERTEX = `#version 300 es
precision highp int; precision highp usampler2D;
uniform usampler2D nodes;
uniform vec4 place;   // of the first and the last code, in parts of the view
uniform ivec4 tile;   // first value, columns, rows or 0 for pieces with four nodes each, first node
flat out int number;
void main() {
  int n = gl_VertexID / 6, k = gl_VertexID - 6 * n;
  ivec2 corner = ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(0, 1), ivec2(1, 0), ivec2(1, 1))[k];
  ivec2 at = ivec2(n % tile.y, n / tile.y) + corner;
  int node = tile.w + (tile.z > 0 ? at.y * (tile.y + 1) + at.x : 4 * n + 2 * corner.y + corner.x);
  int width = textureSize(nodes, 0).x;
  vec2 part = vec2(texelFetch(nodes, ivec2(node % width, node / width), 0).rg) / ${LAST_CODE}.0;
  number = tile.x + n;
  gl_Position = vec4(2.0 * mix(place.xy, place.zw, part) - 1.0, 0.0, 1.0);
}`;
const FRAGMENT = (inputs, number) => `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D values, colours;
uniform vec2 range;
uniform bool logarithmic;
${inputs}
out vec4 colour;
void main() {
  ${number}
  int width = textureSize(values, 0).x;
  float v = texelFetch(values, ivec2(n % width, n / width), 0).r;
  if (isnan(v)) { colour = vec4(1, 0, 1, 1); return; }
  float part = logarithmic ? log(max(v, 1.1754944e-38) / range.x) / log(range.y / range.x) : (v - range.x) / (range.y - range.x);
  int last = textureSize(colours, 0).x - 1;
  colour = texelFetch(colours, ivec2(int(clamp(part, 0.0, 1.0) * float(last) + 0.5), 0), 0);
}`;
/** Values in a row of a texture, and most rows. */
const WIDTH = 4096, ROWS = 4096;
/** Patches with fewer pixels get no outline: it would hide them. */
const SMALLEST = 4;

const STRAIGHT = [VERTEX, FRAGMENT("flat in ivec3 its; in vec2 cell;", `
  ivec2 at = clamp(ivec2(floor(cell)), ivec2(0), its.yz - 1);
  int n = its.x + at.y * its.y + at.x;`)];
const MAPPED = [MAPPED_VERTEX, FRAGMENT("flat in int number;", "int n = number;")];

export class MapView {
  /** @param {HTMLElement} stage @param {any} colours by map */
  constructor(stage, colours) {
    this.canvas = stage.appendChild(document.createElement("canvas"));
    this.canvas.tabIndex = 0;
    this.over = stage.appendChild(document.createElement("canvas"));
    this.over.style.pointerEvents = "none";
    const gl = this.canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL2");
    this.gl = gl;
    this.maps = colours;
    this.programs = { straight: link(gl, STRAIGHT), mapped: null };
    this.colours = Object.fromEntries(Object.keys(colours).map((name) => [name, texture(gl, gl.RGB8, colours[name].table.length / 3, 1, gl.RGB, gl.UNSIGNED_BYTE, colours[name].table)]));
    /** @type {{texture: WebGLTexture, patches: any[], array: WebGLVertexArrayObject, places: WebGLBuffer}[]} */
    this.atlases = [];
    this.tiles = null;
    /** The part that is shown, by axis; null for all. */
    this.part = null;
    this.lines = [];
    /** Where cuts along the axes of this one meet it. */
    this.cross = null;
    this.draws = 0;
    this.scriptTime = 0;
  }

  /** Takes the values of a frame; the part that is shown stays. */
  take(tiles) {
    const { gl } = this;
    for (const { texture: old, array, places, kinds, nodes } of this.atlases) {
      gl.deleteTexture(old); gl.deleteTexture(nodes); gl.deleteVertexArray(array); gl.deleteBuffer(places); gl.deleteBuffer(kinds);
    }
    this.atlases = [];
    this.tiles = tiles;
    let [group, used] = [[], 0];
    const close = () => { if (group.length) this.atlases.push(this.atlas(group, used)); [group, used] = [[], 0]; };
    for (const patch of tiles.patches) {
      // A mapped patch has more nodes than values.
      const count = patch.mesh ? patch.mesh.codes[0].length : patch.values.length;
      if (used + count > WIDTH * ROWS) close();
      group.push({ patch, first: used });
      used += count;
    }
    close();
  }

  atlas(group, used) {
    const { gl } = this;
    const rows = Math.max(1, Math.ceil(used / WIDTH));
    const all = new Float32Array(rows * WIDTH);
    for (const { patch, first } of group) all.set(patch.values, first);
    const array = gl.createVertexArray(), places = gl.createBuffer(), kinds = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, kinds);
    gl.bufferData(gl.ARRAY_BUFFER, new Int32Array(group.flatMap(({ patch, first }) => [first, patch.size[0], patch.size[1]])), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 3, gl.INT, 0, 0);
    gl.vertexAttribDivisor(1, 1);
    gl.bindBuffer(gl.ARRAY_BUFFER, places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(0, 1);
    const firsts = group.map(({ first }) => first);
    return { texture: texture(gl, gl.R32F, WIDTH, rows, gl.RED, gl.FLOAT, all), patches: group.map(({ patch }) => patch), firsts, array, places, kinds, nodes: this.nodes(group, rows) };
  }

  /** A texture of the nodes of mapped patches. */
  nodes(group, rows) {
    if (!group.some(({ patch }) => patch.mesh)) return null;
    const all = new Uint16Array(2 * rows * WIDTH);
    for (const { patch: { mesh }, first } of group) for (let d = 0; d < 2; d += 1) mesh.codes[d].forEach((code, k) => { all[2 * (first + k) + d] = code; });
    return texture(this.gl, this.gl.RG16UI, WIDTH, rows, this.gl.RG_INTEGER, this.gl.UNSIGNED_SHORT, all);
  }

  /** The part that the canvas shows: the domain, or what was chosen, in the canvas's shape. */
  view() {
    const { lower, upper } = this.tiles.extents;
    const [width, height] = [this.canvas.width, this.canvas.height];
    if (this.part) return this.part;
    const scale = Math.max((upper[0] - lower[0]) / width, (upper[1] - lower[1]) / height);
    return { centre: [0, 1].map((d) => 0.5 * (lower[d] + upper[d])), scale };
  }

  /** Physical position of a point of the canvas, in pixels from its upper left corner. */
  position(x, y) {
    const { centre, scale } = this.view();
    return [centre[0] + (x - 0.5 * this.canvas.width) * scale, centre[1] - (y - 0.5 * this.canvas.height) * scale];
  }

  /** The pixel of a physical position. */
  pixel([x, y]) {
    const { centre, scale } = this.view();
    return [0.5 * this.canvas.width + (x - centre[0]) / scale, 0.5 * this.canvas.height - (y - centre[1]) / scale];
  }

  /** Magnifies about a point of the canvas. */
  zoom(factor, x = 0.5 * this.canvas.width, y = 0.5 * this.canvas.height) {
    const { centre, scale } = this.view(), at = this.position(x, y);
    this.part = { centre: centre.map((c, d) => at[d] + (c - at[d]) / factor), scale: scale / factor };
  }

  /** Moves by pixels. */
  move(x, y) {
    const { centre, scale } = this.view();
    this.part = { centre: [centre[0] - x * scale, centre[1] + y * scale], scale };
  }

  /** Patches in sight. */
  visible() {
    const [left, top] = this.position(0, 0), [right, bottom] = this.position(this.canvas.width, this.canvas.height);
    const box = [[left, right], [bottom, top]];
    return this.tiles.patches.filter((patch) => [0, 1].every((d) => this.corner(patch, 1, d) > box[d][0] && this.corner(patch, 0, d) < box[d][1]));
  }

  /** The least or largest coordinate of a patch. */
  corner({ level, lo, hi, mesh }, upper, d) {
    if (mesh) return mesh.ends[d][upper];
    return this.tiles.lower[d] + (upper ? hi[d] : lo[d]) * this.tiles.dx[level][d];
  }

  /** Draws. @param {import("./scale.js").Scale} scale */
  draw(scale, outlines) {
    if (!this.tiles) return;
    const start = performance.now();
    const { gl, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const size = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * ratio)));
    for (const c of [canvas, this.over]) if (c.width !== size[0] || c.height !== size[1]) [c.width, c.height] = size;
    gl.viewport(0, 0, ...size);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const mapped = this.atlases.some(({ nodes }) => nodes);
    if (mapped) this.programs.mapped ??= link(gl, MAPPED);
    const program = mapped ? this.programs.mapped : this.programs.straight;
    gl.useProgram(program);
    const uniform = (name) => gl.getUniformLocation(program, name);
    gl.uniform2f(uniform("range"), scale.low, scale.high);
    gl.uniform1i(uniform("logarithmic"), Number(scale.log));
    gl.uniform1i(uniform("values"), 0);
    gl.uniform1i(uniform("colours"), 1);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.colours[scale.map]);
    gl.activeTexture(gl.TEXTURE0);
    const [left, top] = this.position(0, 0), [right, bottom] = this.position(...size);
    const part = (x, d) => (d ? (x - bottom) / (top - bottom) : (x - left) / (right - left));
    this.draws = 0;
    for (const { texture: values, patches, firsts, array, places, nodes } of this.atlases) {
      const corners = new Float32Array(4 * patches.length);
      patches.forEach((patch, k) => {
        for (let d = 0; d < 2; d += 1) {
          corners[4 * k + d] = part(this.corner(patch, 0, d), d);
          corners[4 * k + 2 + d] = part(this.corner(patch, 1, d), d);
        }
      });
      gl.bindTexture(gl.TEXTURE_2D, values);
      if (nodes) {
        gl.bindVertexArray(null);
        gl.uniform1i(uniform("nodes"), 2);
        gl.activeTexture(gl.TEXTURE2);
        gl.bindTexture(gl.TEXTURE_2D, nodes);
        gl.activeTexture(gl.TEXTURE0);
        const [place, tile] = [uniform("place"), uniform("tile")];
        patches.forEach(({ size, mesh }, k) => {
          gl.uniform4fv(place, corners.subarray(4 * k, 4 * k + 4));
          gl.uniform4i(tile, firsts[k], size[0], mesh.lines ? 0 : size[1], firsts[k]);
          gl.drawArrays(gl.TRIANGLES, 0, 6 * size[0] * size[1]);
        });
        this.draws += patches.length;
        continue;
      }
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, places);
      gl.bufferData(gl.ARRAY_BUFFER, corners, gl.DYNAMIC_DRAW);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, patches.length);
      this.draws += 1;
    }
    this.drawOver(scale, outlines);
    this.scriptTime = performance.now() - start;
  }

  /** Outlines where no finer data lie over them, and lines along which values are shown. */
  drawOver(scale, outlines) {
    const paper = this.over.getContext("2d");
    paper.clearRect(0, 0, this.over.width, this.over.height);
    for (let level = 0; outlines && level < this.tiles.dx.length; level += 1) {
      const patches = this.tiles.patches.filter((patch) => patch.level === level);
      paper.strokeStyle = rgb(this.maps[scale.map].levels[level % 6]);
      for (const patch of patches) {
        if (patch.mesh) { this.outline(paper, patch); continue; }
        const [x0, y1] = this.pixel([this.corner(patch, 0, 0), this.corner(patch, 0, 1)]);
        const [x1, y0] = this.pixel([this.corner(patch, 1, 0), this.corner(patch, 1, 1)]);
        if (level) paper.clearRect(x0, y0, x1 - x0, y1 - y0);
        if (Math.min(x1 - x0, y1 - y0) >= SMALLEST) paper.strokeRect(Math.round(x0) + 0.5, Math.round(y0) + 0.5, Math.round(x1 - x0), Math.round(y1 - y0));
      }
    }
    if (this.cross) {
      const [x, y] = this.pixel(this.cross);
      paper.strokeStyle = "#888a";
      paper.beginPath();
      paper.moveTo(x, 0); paper.lineTo(x, this.over.height);
      paper.moveTo(0, y); paper.lineTo(this.over.width, y);
      paper.stroke();
    }
    this.lines.forEach(({ from, to, colour }) => {
      paper.strokeStyle = colour;
      paper.lineWidth = 2;
      paper.beginPath();
      paper.moveTo(...this.pixel(from));
      paper.lineTo(...this.pixel(to));
      paper.stroke();
      paper.lineWidth = 1;
    });
  }

  /** The outline of a mapped patch, in place of what lies beneath it. */
  outline(paper, { mesh: { columns, ends, codes, lines }, size: [across, up] }) {
    if (lines) {
      paper.beginPath();
      for (const [x0, y0, x1, y1] of lines) { paper.moveTo(...this.pixel([x0, y0])); paper.lineTo(...this.pixel([x1, y1])); }
      paper.stroke();
      return;
    }
    const edge = [];
    for (let i = 0; i < across; i += 1) edge.push(i);
    for (let j = 0; j < up; j += 1) edge.push(j * columns + across);
    for (let i = across; i > 0; i -= 1) edge.push(up * columns + i);
    for (let j = up; j > 0; j -= 1) edge.push(j * columns);
    const path = new Path2D();
    for (const n of edge) path.lineTo(...this.pixel(ends.map(([first, last], d) => first + ((last - first) * codes[d][n]) / LAST_CODE)));
    path.closePath();
    paper.globalCompositeOperation = "destination-out";
    paper.fill(path);
    paper.globalCompositeOperation = "source-over";
    if (Math.min(across, up) >= 2) paper.stroke(path);
  }

  /** What the view shows, in words. */
  caption() {
    const { shown, all, patches, time, cells = patches.reduce((sum, { values }) => sum + values.length, 0) } = this.tiles;
    // In cuts of mapped cells values are those of pieces.
    const counts = [[this.tiles.cells ? 0 : patches.length, "patch", "patches"], [patches[0]?.mesh?.lines && !this.tiles.cells ? 0 : cells, "cell", "cells"]];
    const told = counts.filter(([count]) => count).map(([count, one, more]) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`).join(", ");
    return `t = ${short(time)} · ${told}` + (shown < all ? ` · levels 1 to ${shown} of ${all}` : "");
  }
}

export function rgb(colour) { return `rgb(${colour.join(",")})`; }

function texture(gl, kind, width, height, format, type, data) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, kind, width, height, 0, format, type, data);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  return made;
}

function link(gl, [vertex, fragment]) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}
