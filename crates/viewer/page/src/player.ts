// The clock: which instant is shown. No drawing, no buttons.
//
// What is shown is always a frame that was computed: nothing is interpolated, so that contacts and poses agree.

import { indexAt, span } from "./source";
import type { Source } from "./source";

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4] as const;

/** What the controls need of a clock. */
export interface Clock {
  readonly playing: boolean;
  readonly speed: number;
  /** Shown instant [s]. */
  readonly t: number;
  /** Frame shown at t. */
  readonly index: number;
  onChange: () => void;
  seek(t: number): void;
  /** Pauses and moves by whole frames. */
  step(frames: number): void;
  toggle(): void;
  /** The next of the usual speeds, so many places on. */
  faster(steps: number): void;
  /** Somebody scrubs: stand still, and go on afterwards. */
  hold(): void;
  letGo(): void;
  /** Lets `elapsed` seconds of wall clock pass. */
  advance(elapsed: number): void;
}

/** The usual speed so many places from another. */
export function speedFrom(speed: number, steps: number): number {
  const now = SPEEDS.findIndex((usual) => usual >= speed);
  return SPEEDS[Math.min(Math.max(now + steps, 0), SPEEDS.length - 1)] ?? 1;
}

/** Plays a recording. */
export class Player implements Clock {
  playing = false;
  loop = true;
  speed = 1;
  t: number;
  index = 0;
  onChange: () => void = () => {};
  private resume = false;

  constructor(private readonly source: Source) {
    this.t = span(source)[0];
  }

  seek(t: number): void {
    const [start, end] = span(this.source);
    this.t = Math.min(Math.max(t, start), end);
    this.index = indexAt(this.source, this.t);
    this.onChange();
  }

  step(frames: number): void {
    if (this.source.length === 0) return;
    this.playing = false;
    const index = Math.min(Math.max(this.index + frames, 0), this.source.length - 1);
    this.seek(this.source.digest(index).t);
  }

  toggle(): void {
    const [start, end] = span(this.source);
    this.playing = !this.playing && end > start;
    if (this.playing && this.t >= end) this.seek(start);
    this.onChange();
  }

  faster(steps: number): void {
    this.speed = speedFrom(this.speed, steps);
    this.onChange();
  }

  hold(): void {
    this.resume = this.playing;
    this.playing = false;
  }

  letGo(): void {
    this.playing = this.resume;
    this.onChange();
  }

  advance(elapsed: number): void {
    if (!this.playing) return;
    const [start, end] = span(this.source);
    const t = this.t + elapsed * this.speed;
    if (t <= end) return this.seek(t);
    this.playing = this.loop;
    this.seek(this.loop ? start : end);
  }
}
