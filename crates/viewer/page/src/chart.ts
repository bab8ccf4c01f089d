// The strip chart behind the scrub bar: one quantity over the whole run, and under it a ribbon with the share of
// open, sticking and sliding contacts. Each column of pixels shows the extremes of the frames it covers, so that a
// single bad step is never lost.

import { number, scientific } from "./format";
import { indexAt, span } from "./source";
import type { Source } from "./source";
import { modeShares } from "./summary";
import type { Digest } from "./summary";
import type { Theme } from "./theme";

export interface Quantity {
  name: string;
  unit: string;
  of(digest: Digest): number;
  logarithmic: boolean;
}

export const QUANTITIES: Quantity[] = [
  { name: "natural map", unit: "m/s", of: (digest) => digest.naturalMap, logarithmic: true },
  { name: "energy", unit: "J", of: (digest) => digest.energy, logarithmic: false },
  { name: "vertical force", unit: "N", of: (digest) => digest.force[2], logarithmic: false },
  { name: "largest force", unit: "N", of: (digest) => digest.largest, logarithmic: false },
  { name: "penetration", unit: "m", of: (digest) => digest.penetration, logarithmic: false },
  { name: "iterations", unit: "–", of: (digest) => digest.iterations, logarithmic: false },
];

const RIBBON = 5; // pixels
const SMALLEST = 1e-18; // a residual of exactly zero is drawn here

/** Lowest and highest value over the run, as labels; null when there is no finite value. */
export function drawChart(
  canvas: HTMLCanvasElement,
  source: Source,
  quantity: Quantity,
  theme: Theme,
): { low: string; high: string } | null {
  const ratio = Math.min(devicePixelRatio, 2);
  const width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
  const height = Math.max(Math.round(canvas.clientHeight * ratio), 1);
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  if (!pen || source.length === 0) return null;

  const columns = framesOfColumns(source, width);
  drawRibbon(pen, source, columns, height, Math.round(RIBBON * ratio), theme);

  const level = (value: number) => (quantity.logarithmic ? Math.log10(Math.max(value, SMALLEST)) : value);
  const extremes = columns.map(([first, last]) => {
    let low = Infinity;
    let high = -Infinity;
    for (let i = first; i <= last; i++) {
      const value = quantity.of(source.digest(i));
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, level(value));
      high = Math.max(high, level(value));
    }
    return [low, high] as const;
  });
  const low = Math.min(...extremes.map(([value]) => value));
  const high = Math.max(...extremes.map(([, value]) => value));
  if (!(low <= high)) return null;

  // Rounding noise on a constant is a straight line, not a mountain range.
  const floor = quantity.logarithmic ? 1 : Math.max(1e-6 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  const range = Math.max(high - low, floor);
  const middle = 0.5 * (low + high);
  const top = 5 * ratio;
  const usable = height - Math.round(RIBBON * ratio) - 2 * top;
  const y = (value: number) => top + usable * (0.5 - (value - middle) / range);

  const fill = new Path2D();
  const line = new Path2D();
  const bottom = top + usable + 2 * ratio;
  let previous: number | null = null;
  extremes.forEach(([lowest, highest], x) => {
    if (!(lowest <= highest)) {
      previous = null;
      return;
    }
    const upper = y(highest);
    const lower = Math.max(y(lowest), upper);
    fill.rect(x, upper, 1, bottom - upper);
    if (previous === null) line.moveTo(x + 0.5, upper);
    else line.lineTo(x + 0.5, upper);
    if (lower - upper > 1) line.lineTo(x + 0.5, lower);
    previous = lower;
  });
  pen.globalAlpha = 0.16;
  pen.fillStyle = theme.chart;
  pen.fill(fill);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.chart;
  pen.lineWidth = 1.25 * ratio;
  pen.lineJoin = "round";
  pen.stroke(line);

  const label = (value: number) =>
    quantity.logarithmic ? scientific(10 ** value) : number(value);
  return { low: label(low), high: label(high) };
}

/** First and last frame that each column of pixels covers; at least the frame shown there. */
function framesOfColumns(source: Source, width: number): [number, number][] {
  const [start, end] = span(source);
  const columns: [number, number][] = [];
  let next = 0;
  for (let x = 0; x < width; x++) {
    const last = indexAt(source, start + ((end - start) * (x + 1)) / width);
    columns.push([Math.min(next, last), last]);
    next = last + 1;
  }
  return columns;
}

function drawRibbon(
  pen: CanvasRenderingContext2D,
  source: Source,
  columns: [number, number][],
  bottom: number,
  thickness: number,
  theme: Theme,
): void {
  columns.forEach(([first, last], x) => {
    const shares = modeShares(source, first, last);
    let y = bottom;
    for (const mode of ["stick", "slide", "open"] as const) {
      const part = shares[mode] * thickness;
      pen.fillStyle = theme.mode[mode];
      pen.fillRect(x, y - part, 1, part);
      y -= part;
    }
  });
}
