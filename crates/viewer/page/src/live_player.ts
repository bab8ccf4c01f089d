// The clock of a live session. At the newest frame it follows the simulation; looking back pauses it, and playing from
// there takes the simulation back to what is shown.

import { speedFrom } from "./player";
import type { Clock } from "./player";
import type { Session } from "./session";
import { indexAt, span } from "./source";
import type { Source } from "./source";

export class LivePlayer implements Clock {
  t = 0;
  index = 0;
  /** Whether the newest frame is shown. */
  following = true;
  onChange: () => void = () => {};

  constructor(
    private readonly source: Source,
    private readonly session: Session,
  ) {}

  get playing(): boolean {
    return this.session.status?.playing ?? false;
  }

  get speed(): number {
    return this.session.status?.speed ?? 1;
  }

  /** A frame has come. */
  grown(): void {
    if (this.following) this.show(span(this.source)[1]);
    else this.show(this.t);
  }

  seek(t: number): void {
    const [start, end] = span(this.source);
    this.following = t >= end;
    if (!this.following && this.playing) this.session.send({ do: "pause" });
    this.show(Math.min(Math.max(t, start), end));
  }

  /** Back among the frames there are; on from the newest by a time step. */
  step(frames: number): void {
    if (this.playing) this.session.send({ do: "pause" });
    const index = this.index + frames;
    if (index >= this.source.length) {
      this.following = true;
      return this.session.send({ do: "step", count: 1 });
    }
    this.seek(this.source.digest(Math.max(index, 0)).t);
  }

  toggle(): void {
    if (this.playing) return this.session.send({ do: "pause" });
    if (!this.following) this.session.send({ do: "rewind", t: this.t });
    this.following = true;
    this.session.send({ do: "play" });
  }

  faster(steps: number): void {
    this.session.send({ do: "speed", factor: speedFrom(this.speed, steps) });
  }

  /** Looking back pauses, and one goes on from there by playing. */
  hold(): void {}
  letGo(): void {}
  advance(): void {}

  private show(t: number): void {
    this.t = t;
    this.index = indexAt(this.source, t);
    this.onChange();
  }
}
