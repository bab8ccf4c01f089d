// Shapes of the protocol as triangles. three.js turns capsules and cylinders about y; ours have their axis along z.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  SphereGeometry,
} from "three";
import type { Shape } from "./protocol";

export type Solid = Exclude<Shape, { kind: "plane" }>;

export function solidGeometry(shape: Solid): BufferGeometry {
  switch (shape.kind) {
    case "sphere":
      return new SphereGeometry(shape.radius, 64, 40);
    case "box":
      return new BoxGeometry(2 * shape.half[0], 2 * shape.half[1], 2 * shape.half[2]);
    case "capsule":
      return new CapsuleGeometry(shape.radius, 2 * shape.half_length, 16, 40).rotateX(Math.PI / 2);
    case "cylinder":
      return new CylinderGeometry(shape.radius, shape.radius, 2 * shape.half_length, 48).rotateX(Math.PI / 2);
    case "mesh":
      return meshGeometry(shape.vertices.flat(), shape.triangles.flat());
  }
}

function meshGeometry(vertices: number[], triangles: number[]): BufferGeometry {
  const indexed = new BufferGeometry();
  indexed.setAttribute("position", new BufferAttribute(new Float32Array(vertices), 3));
  indexed.setIndex(triangles);
  // Flat facets: one sees the mesh that collides, not a smoothed one.
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
