// The frames of a live session: the newest ones, as they came over the socket. Kept as bytes and read when looked at,
// so that a minute of many bodies fits into memory.

import { decodeFrame, HEADER, POSE_FLOATS } from "./protocol";
import type { Frame, Scene, Vec3 } from "./protocol";
import type { Source } from "./source";
import { digestOf } from "./summary";
import type { Digest } from "./summary";

const MOST_FRAMES = 3600; // a minute
const MOST_BYTES = 160e6;

interface Kept {
  bytes: Uint8Array;
  digest: Digest;
}

export class LiveSource implements Source {
  private kept: Kept[] = [];
  private size = 0;
  /** The frame last read, and its bytes. */
  private read: { bytes: Uint8Array; frame: Frame } | null = null;

  constructor(readonly scene: Scene) {}

  get length(): number {
    return this.kept.length;
  }

  /** A frame that is not later than those there are means that time went back: they are forgotten. */
  append(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    if (frame.poses.length !== POSE_FLOATS * this.scene.bodies.length) throw new Error("a frame does not fit the scene");
    for (let last = this.kept.at(-1); last && last.digest.t >= frame.t; last = this.kept.at(-1)) {
      this.kept.pop();
      this.size -= last.bytes.byteLength;
    }
    this.kept.push({ bytes, digest: digestOf(frame, this.scene) });
    this.size += bytes.byteLength;
    this.read = { bytes, frame };
    let old = 0;
    while (this.kept.length - old > MOST_FRAMES || (this.size > MOST_BYTES && this.kept.length - old > 1)) {
      this.size -= this.kept[old]?.bytes.byteLength ?? 0;
      old++;
    }
    if (old > 0) this.kept.splice(0, old);
  }

  frame(index: number): Frame {
    const { bytes } = this.at(index);
    if (this.read?.bytes !== bytes) this.read = { bytes, frame: decodeFrame(bytes) };
    return this.read.frame;
  }

  digest(index: number): Digest {
    return this.at(index).digest;
  }

  position(index: number, body: number): Vec3 {
    const { bytes } = this.at(index);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const at = HEADER + 4 * POSE_FLOATS * body;
    return [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true)];
  }

  private at(index: number): Kept {
    const kept = this.kept[index];
    if (!kept) throw new RangeError(`there is no frame ${index}`);
    return kept;
  }
}
