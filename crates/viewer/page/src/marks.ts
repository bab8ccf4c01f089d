// Many equal marks in one draw call, each drawn twice: solid where it can be seen, faint where a body hides it.

import { Color, DynamicDrawUsage, GreaterDepth, Group, InstancedMesh } from "three";
import type { BufferGeometry, Material, Matrix4 } from "three";

export class Marks extends Group {
  private readonly solid: InstancedMesh;
  private readonly faint: InstancedMesh;
  count = 0;

  constructor(geometry: BufferGeometry, solid: Material, faint: Material, capacity: number) {
    super();
    faint.depthFunc = GreaterDepth;
    faint.depthWrite = false;
    // Both in the pass of transparent things, where the render order below holds.
    faint.transparent = true;
    solid.transparent = true;

    this.solid = new InstancedMesh(geometry, solid, capacity);
    this.solid.setColorAt(0, new Color());
    this.solid.instanceMatrix.setUsage(DynamicDrawUsage);
    this.faint = new InstancedMesh(geometry, faint, capacity);
    this.faint.instanceMatrix = this.solid.instanceMatrix;
    this.faint.instanceColor = this.solid.instanceColor;
    this.faint.renderOrder = 1;
    this.solid.renderOrder = 2;
    for (const mesh of [this.faint, this.solid]) {
      mesh.frustumCulled = false;
      this.add(mesh);
    }
  }

  begin(): void {
    this.count = 0;
  }

  push(matrix: Matrix4, colour: Color): void {
    this.solid.setMatrixAt(this.count, matrix);
    this.solid.setColorAt(this.count, colour);
    this.count++;
  }

  /** Hands the marks pushed since `begin` to the graphics card. */
  flush(shown: boolean): void {
    for (const mesh of [this.solid, this.faint]) {
      mesh.count = this.count;
      mesh.visible = shown && this.count > 0;
    }
    if (!this.solid.visible) return;
    this.solid.instanceMatrix.needsUpdate = true;
    if (this.solid.instanceColor) this.solid.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    this.solid.geometry.dispose();
    for (const mesh of [this.solid, this.faint]) {
      (mesh.material as Material).dispose();
      mesh.dispose();
    }
  }
}
