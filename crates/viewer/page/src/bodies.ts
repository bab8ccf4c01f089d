// The things that ride on bodies or stand in the world: built once from the scene, moved by the poses of a frame.

import {
  Box3,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  Vector3,
} from "three";
import type { Object3D } from "three";
import { runOf } from "./ghosts";
import { Ground } from "./ground";
import { POSE_FLOATS } from "./protocol";
import type { Frame, Geometry, Scene } from "./protocol";
import { solidGeometry } from "./shapes";
import type { Theme } from "./theme";

/** What a scene file means by "nobody chose a colour" (Rust: RecordedGeometry::UNCOLOURED). */
const UNCOLOURED = [0.5, 0.5, 0.5, 1] as const;
const EDGE_ANGLE = 35; // degrees; sharper edges get a line
const SEE_THROUGH = 0.35;

interface Part {
  geometry: Geometry;
  mesh: Mesh<Mesh["geometry"], MeshStandardMaterial>;
  edges: LineSegments<EdgesGeometry, LineBasicMaterial> | null;
}

export class Bodies extends Group {
  readonly grounds: Ground[] = [];
  private readonly frames: Group[];
  private readonly parts: Part[] = [];
  private transparent = false;
  private ghosts = false;

  constructor(private readonly recorded: Scene) {
    super();
    const scene = recorded;
    this.frames = scene.bodies.map((name) => {
      const group = new Group();
      group.name = name;
      this.add(group);
      return group;
    });
    for (const geometry of scene.geometries) {
      const carrier = geometry.body === null ? this : this.frames[geometry.body];
      carrier?.add(this.build(geometry));
    }
  }

  private build(geometry: Geometry): Object3D {
    const { shape } = geometry;
    let object: Mesh;
    if (shape.kind === "plane") {
      const ground = new Ground();
      this.grounds.push(ground);
      object = ground;
    } else {
      const solid = solidGeometry(shape);
      const mesh = new Mesh(solid, new MeshStandardMaterial({ roughness: 0.62, metalness: 0.02 }));
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      const sharp = ["box", "cylinder", "cone", "height_field", "mesh"].includes(shape.kind);
      const edges = sharp
        ? new LineSegments(new EdgesGeometry(solid, EDGE_ANGLE), new LineBasicMaterial({ transparent: true, opacity: 0.3 }))
        : null;
      if (edges) mesh.add(edges);
      this.parts.push({ geometry, mesh, edges });
      object = mesh;
    }
    const [w, x, y, z] = geometry.quaternion;
    object.position.set(...geometry.position);
    object.quaternion.set(x, y, z, w).normalize();
    object.name = geometry.name;
    return object;
  }

  pose(frame: Frame): void {
    this.frames.forEach((body, i) => {
      const pose = frame.poses.subarray(POSE_FLOATS * i, POSE_FLOATS * (i + 1));
      const [px, py, pz, w, x, y, z] = pose as unknown as [number, number, number, number, number, number, number];
      // A body whose pose is not a number (a run that blew up) disappears instead of breaking the picture.
      body.visible = pose.length === POSE_FLOATS && pose.every(Number.isFinite);
      if (!body.visible) return;
      body.position.set(px, py, pz);
      body.quaternion.set(x, y, z, w).normalize();
    });
  }

  paint(theme: Theme): void {
    for (const ground of this.grounds) ground.paint(theme);
    for (const { geometry, mesh, edges } of this.parts) {
      const [r, g, b, alpha] = geometry.rgba;
      const uncoloured = UNCOLOURED.every((value, i) => Math.abs(value - (geometry.rgba[i] ?? 0)) < 1e-3);
      if (!uncoloured) mesh.material.color.setRGB(r, g, b, "srgb");
      else if (geometry.body === null) mesh.material.color.set(theme.fixed);
      else mesh.material.color.set(theme.bodies[this.hue(geometry.body) % theme.bodies.length] ?? theme.fixed);
      const ghost = this.ghosts && geometry.body !== null && runOf(this.recorded, geometry.body) > 0;
      const seeThrough = ghost || (this.transparent && geometry.body !== null);
      mesh.material.opacity = seeThrough ? Math.min(alpha, SEE_THROUGH) : alpha;
      mesh.material.transparent = mesh.material.opacity < 1;
      mesh.material.depthWrite = mesh.material.opacity > 0.5;
      mesh.material.needsUpdate = true;
      edges?.material.color.set(theme.edge);
    }
  }

  seeThrough(on: boolean, theme: Theme): void {
    this.transparent = on;
    this.paint(theme);
  }

  /** All but the first run become ghosts. */
  fade(on: boolean, theme: Theme): void {
    this.ghosts = on;
    this.paint(theme);
  }

  /** Bodies differ in colour; of several runs the runs do. */
  private hue(body: number): number {
    return this.recorded.runs.length > 1 ? runOf(this.recorded, body) : body;
  }

  /** Fixes an object to a body, in its frame. */
  carry(object: Object3D, body: number): void {
    this.frames[body]?.add(object);
  }

  /** A point of a body, from its frame to the world. */
  toWorld(body: number, point: Vector3): Vector3 {
    this.updateMatrixWorld(true);
    return this.frames[body]?.localToWorld(point.clone()) ?? point.clone();
  }

  /** A point of the world, in the frame of a body. */
  toBody(body: number, point: Vector3): Vector3 {
    this.updateMatrixWorld(true);
    return this.frames[body]?.worldToLocal(point.clone()) ?? point.clone();
  }

  /** Where a body is now; null when it is not shown. */
  positionOf(body: number): Vector3 | null {
    const group = this.frames[body];
    return group?.visible ? group.position.clone() : null;
  }

  /** The box around everything that moves, or of that around one run (around the fixed things when nothing does). */
  extent(run: number | null = null): Box3 {
    this.updateMatrixWorld(true);
    const box = new Box3();
    const moving = this.parts.filter(
      ({ geometry: { body } }) => body !== null && (run === null || runOf(this.recorded, body) === run),
    );
    for (const { mesh } of moving.length > 0 ? moving : this.parts) box.expandByObject(mesh);
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
    return box;
  }

  /** Meshes that a click can hit, each with its body. */
  pickable(): { mesh: Mesh; body: number }[] {
    return this.parts.flatMap(({ mesh, geometry }) => (geometry.body === null ? [] : [{ mesh, body: geometry.body }]));
  }

  highlight(body: number | null): void {
    for (const { geometry, edges } of this.parts) {
      if (edges) edges.material.opacity = geometry.body !== null && geometry.body === body ? 0.95 : 0.3;
    }
  }
}
