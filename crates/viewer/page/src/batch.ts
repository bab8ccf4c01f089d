// Many equal solids in one draw call, and their edges in another, each at its own place in its own colour.

import { Color, DynamicDrawUsage, EdgesGeometry, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshStandardMaterial } from "three";
import type { Box3, BufferGeometry, InstancedBufferAttribute } from "three";

const EDGE_ANGLE = 35; // degrees; sharper edges get a line

/** Lines drawn once an instance: what makes three.js do so for meshes, for lines. */
class InstancedEdges extends LineSegments<EdgesGeometry, LineBasicMaterial> {
  readonly isInstancedMesh = true;
  readonly instanceColor = null;
  readonly morphTexture = null;

  constructor(
    geometry: EdgesGeometry,
    material: LineBasicMaterial,
    readonly instanceMatrix: InstancedBufferAttribute,
    public count: number,
  ) {
    super(geometry, material);
  }
}

export class Batch {
  readonly mesh: InstancedMesh<BufferGeometry, MeshStandardMaterial>;
  readonly edges: InstancedEdges | null;

  constructor(geometry: BufferGeometry, sharp: boolean, count: number) {
    this.mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ roughness: 0.62, metalness: 0.02 }), count);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    const lines = new LineBasicMaterial({ transparent: true, opacity: 0.3 });
    this.edges = sharp ? new InstancedEdges(new EdgesGeometry(geometry, EDGE_ANGLE), lines, this.mesh.instanceMatrix, count) : null;
    for (const object of [this.mesh, this.edges]) if (object) object.frustumCulled = false;
    geometry.computeBoundingBox();
  }

  place(instance: number, matrix: Matrix4): void {
    this.mesh.setMatrixAt(instance, matrix);
  }

  paint(instance: number, colour: Color): void {
    this.mesh.setColorAt(instance, colour);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  /** After places have changed. */
  moved(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    // Found again when a ray asks for it.
    this.mesh.boundingSphere = null;
  }

  fade(opacity: number): void {
    const { material } = this.mesh;
    material.opacity = opacity;
    material.transparent = opacity < 1;
    material.depthWrite = opacity > 0.5;
    material.needsUpdate = true;
  }

  /** The box around one of them, where it is now. */
  boxOf(instance: number, box: Box3): Box3 {
    const around = this.mesh.geometry.boundingBox;
    this.mesh.getMatrixAt(instance, scratch);
    return around ? box.copy(around).applyMatrix4(scratch) : box.makeEmpty();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
    this.edges?.geometry.dispose();
    this.edges?.material.dispose();
  }
}

const scratch = new Matrix4();
