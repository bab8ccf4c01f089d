// The recording embedded in this file: base64 of deflate of a pack.

import { decodeFrame, decodeScene, POSE_FLOATS, splitPack } from "./protocol";
import type { Frame, Scene, Vec3 } from "./protocol";
import type { Source } from "./source";
import { digestOf } from "./summary";
import type { Digest } from "./summary";

export class RecordingSource implements Source {
  private readonly digests: Digest[];

  private constructor(
    readonly scene: Scene,
    private readonly frames: Frame[],
  ) {
    this.digests = frames.map((frame) => digestOf(frame, this.scene));
  }

  static async fromBase64(text: string): Promise<RecordingSource> {
    const packed = await inflate(bytesOfBase64(text.trim()));
    const [scene, ...frames] = splitPack(packed);
    if (!scene) throw new Error("the recording is empty");
    return new RecordingSource(decodeScene(new TextDecoder().decode(scene)), frames.map(decodeFrame));
  }

  get length(): number {
    return this.frames.length;
  }

  frame(index: number): Frame {
    return this.frames[index] ?? missing(index);
  }

  digest(index: number): Digest {
    return this.digests[index] ?? missing(index);
  }

  position(index: number, body: number): Vec3 {
    const [x = NaN, y = NaN, z = NaN] = this.frame(index).poses.subarray(POSE_FLOATS * body, POSE_FLOATS * body + 3);
    return [x, y, z];
  }
}

function missing(index: number): never {
  throw new RangeError(`there is no frame ${index}`);
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
