// How values become colours: as in `amrclaw plot`.

/** @typedef {{map: string, low: number, high: number, log: boolean}} Scale */

/** The scale that suits values: diverging and symmetric about zero if both signs occur. @returns {Scale} */
export function suiting(low, high, log) {
  if (log) return high > low ? { map: "viridis", low: Math.max(low, high / 1e8), high, log } : { map: "viridis", low: 0.1 * low, high: 10 * low, log };
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (low < 0 && high > 0 && Math.min(-low, high) > 0.01 * largest) {
    return { map: "cool-warm", low: -largest, high: largest, log };
  }
  const margin = high > low ? 0 : largest === 0 ? 0.5 : 0.5 * largest;
  return { map: "viridis", low: low - margin, high: high + margin, log };
}

/** The scale between two numbers: diverging if zero lies in the middle. @returns {Scale} */
export function between(low, high, log) {
  return { map: low < 0 && low === -high ? "cool-warm" : "viridis", low, high, log };
}

/** A number with few digits. */
export function short(value) {
  if (!Number.isFinite(value)) return String(value);
  const text = value.toPrecision(5);
  return String(Number(text)).length <= 9 ? String(Number(text)) : Number(text).toExponential(3);
}

/** The bytes of base64. */
export function bytes(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** Ticks at round numbers. */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high && found.length < 50; k += 1) found.push(k * step);
  return found;
}
