// Small pictures of frames and fields, drawn when they are asked for.

import { curvesOf, drawChart } from "./chart.js";
import { MapView } from "./map.js";
import { short, suiting } from "./scale.js";

/** Most pictures of a field: of more frames, every second, third, …. */
const MOST = 100;

/** Fills an element with a row for each field; a click goes to the frame. */
export async function drawGrid(parent, { view, frames, fields, source, fetchTiles, colours, pick }) {
  parent.replaceChildren();
  const stage = parent.appendChild(document.createElement("div"));
  stage.className = "hidden";
  const map = view.map && new MapView(stage, colours);
  const every = Math.ceil(frames.length / MOST);
  for (const field of fields) {
    const title = parent.appendChild(document.createElement("h3"));
    const range = await source.range(view.run, { field });
    const scale = range ? suiting(range[0], range[1], false) : suiting(0, 1, false);
    title.textContent = `${field}, from ${short(scale.low)} to ${short(scale.high)}`;
    for (let k = (frames.length - 1) % every; k < frames.length; k += every) {
      const [tiles] = await fetchTiles(view, frames[k], field);
      if (!stage.isConnected) return;
      const button = parent.appendChild(document.createElement("button"));
      button.className = "chart";
      button.addEventListener("click", () => pick(field, k));
      const canvas = button.appendChild(document.createElement("canvas"));
      button.append(`${frames[k]}, t = ${short(tiles.time)}`);
      if (map) {
        map.take(tiles);
        map.draw(scale, false);
        [canvas.width, canvas.height] = [map.canvas.width, map.canvas.height];
        canvas.getContext("2d").drawImage(map.canvas, 0, 0);
      } else drawChart(canvas, curvesOf(tiles), { range: [scale.low, scale.high] });
    }
  }
  map?.take({ patches: [] });
  stage.remove();
  map?.gl.getExtension("WEBGL_lose_context")?.loseContext();
}
