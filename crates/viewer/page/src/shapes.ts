// Shapes of the protocol as triangles. three.js turns capsules, cylinders and cones about y; ours have their axis along z.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
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
    case "ellipsoid":
      return new SphereGeometry(1, 64, 40).scale(...shape.radii);
    case "cone":
      return new ConeGeometry(shape.radius, 2 * shape.half_height, 48).rotateX(Math.PI / 2);
    case "height_field":
      return heightFieldGeometry(shape);
    case "mesh":
      return meshGeometry(shape.vertices.flat(), shape.triangles.flat());
  }
}

/** Top, walls and bottom of the solid under a grid of heights, cut as the solid that collides. */
function heightFieldGeometry({ rows, cols, size, heights, bottom }: Extract<Solid, { kind: "height_field" }>): BufferGeometry {
  const vertices: number[] = [];
  const triangles: number[] = [];
  const x = (c: number) => size[0] * (c / (cols - 1) - 0.5);
  const y = (r: number) => size[1] * (r / (rows - 1) - 0.5);
  const quad = (a: number, b: number, c: number, d: number) => triangles.push(a, b, c, a, c, d);
  heights.forEach((z, i) => vertices.push(x(i % cols), y(Math.floor(i / cols)), z));
  for (let r = 0; r + 1 < rows; r++) {
    for (let c = 0; c + 1 < cols; c++) {
      const a = r * cols + c;
      quad(a, a + 1, a + cols + 1, a + cols);
    }
  }
  // Around the border, counter-clockwise from above: each corner and its foot.
  const last = rows * cols - 1;
  const border: number[] = [];
  for (let c = 0; c + 1 < cols; c++) border.push(c);
  for (let r = 0; r + 1 < rows; r++) border.push(r * cols + cols - 1);
  for (let c = 0; c + 1 < cols; c++) border.push(last - c);
  for (let r = 0; r + 1 < rows; r++) border.push(last - cols + 1 - r * cols);
  const foot = vertices.length / 3;
  for (const i of border) vertices.push(vertices[3 * i] ?? 0, vertices[3 * i + 1] ?? 0, bottom);
  border.forEach((a, i) => {
    const next = (i + 1) % border.length;
    quad(border[next] ?? 0, a, foot + i, foot + next);
  });
  const [w, h] = [cols - 1, rows - 1];
  quad(foot, foot + w + h + w, foot + w + h, foot + w);
  return meshGeometry(vertices, triangles);
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
