// Where frames come from. The view and the controls know only this interface: a recording fills it once; a live session
// appends to it as messages arrive, and forgets what is too old to keep.

import type { Frame, Scene, Vec3 } from "./protocol";
import type { Digest } from "./summary";

export interface Source {
  readonly scene: Scene;
  /** How many frames there are now. */
  readonly length: number;
  /** The frame at 0 <= index < length, in order of time. */
  frame(index: number): Frame;
  /** What the charts need of it. */
  digest(index: number): Digest;
  /** Where a body's origin is in it [m]. */
  position(index: number, body: number): Vec3;
}

/** Index of the last frame at or before t; 0 when t is before the first. */
export function indexAt(source: Source, t: number): number {
  let low = 0;
  let high = source.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (source.digest(middle).t <= t) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** First and last instant [s]. */
export function span(source: Source): [number, number] {
  if (source.length === 0) return [0, 0];
  return [source.digest(0).t, source.digest(source.length - 1).t];
}
