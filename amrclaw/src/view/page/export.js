// What leaves the page: pictures, tables, the command that draws the same.

/** Saves a blob as a file. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The values along lines as a table. */
export function table(lines) {
  const rows = lines.flatMap(({ name, points, found, along }) => found.map((value, k) => [name, along[k], ...points[k], ...(value ?? ["", "", "", []]).slice(0, 2)].join(",")));
  const axes = ["x", "y", "z"].slice(0, lines[0]?.points[0].length ?? 2);
  return [["line", "distance", ...axes, "value", "level"].join(","), ...rows].join("\n") + "\n";
}

/** A word for a shell. */
function quoted(text) { return /^[\w./=,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`; }

/** The command that draws what is shown. */
export function command(dir, frame, { field, range, log, slice, numbers, colours }) {
  const words = ["amrclaw", "plot", quoted(dir), "--frame", frame, "--field", quoted(field)];
  if (range) words.push("--range", range);
  if (numbers) words.push("--zoom", numbers);
  if (slice) { const [axis, place] = slice.split(","); words.push("--slice", `${"xyz"[Number(axis)]}=${place}`); }
  if (log) words.push("--log");
  if (colours) words.push("--colours", colours);
  return words.join(" ");
}
