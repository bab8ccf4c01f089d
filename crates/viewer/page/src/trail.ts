// Where a body has been: a line through its origin over the frames there are.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Line, LineBasicMaterial } from "three";
import type { Source } from "./source";
import type { Theme } from "./theme";

const POINTS = 1200;

export class Trail extends Line<BufferGeometry, LineBasicMaterial> {
  private readonly points = new BufferAttribute(new Float32Array(3 * POINTS), 3).setUsage(DynamicDrawUsage);

  constructor() {
    super(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.9 }));
    this.geometry.setAttribute("position", this.points);
    this.frustumCulled = false;
    this.visible = false;
  }

  paint(theme: Theme): void {
    this.material.color.set(theme.trail);
  }

  /** The way of `body` up to frame `index`, moved aside by `shift` as the body is. */
  draw(source: Source, body: number, index: number, shift: readonly [number, number]): void {
    const first = Math.max(0, index - 4 * POINTS + 4);
    const stride = Math.max(1, Math.ceil((index - first + 1) / POINTS));
    let count = 0;
    for (let i = first; i <= index && count < POINTS; i += stride) {
      // The last point is where the body is.
      const [x, y, z] = source.position(i + stride > index ? index : i, body);
      if (![x, y, z].every(Number.isFinite)) continue;
      this.points.setXYZ(count++, x + shift[0], y + shift[1], z);
    }
    this.geometry.setDrawRange(0, count);
    this.points.needsUpdate = true;
  }
}
