// The things that ride on bodies or stand in the world: built once from the scene, moved by the poses of a frame. Equal
// shapes share a draw call, so that hundreds of bodies cost little more than one; moving them allocates nothing.

import { Box3, Color, Group, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import type { Object3D } from "three";
import { Batch } from "./batch";
import { runOf } from "./ghosts";
import { Ground } from "./ground";
import { POSE_FLOATS } from "./protocol";
import type { Frame, Geometry, Scene } from "./protocol";
import { solidGeometry } from "./shapes";
import type { Solid } from "./shapes";
import { isPose } from "./summary";
import type { Theme } from "./theme";

/** What a scene file means by "nobody chose a colour" (Rust: RecordedGeometry::UNCOLOURED). */
const UNCOLOURED = [0.5, 0.5, 0.5, 1] as const;
const SEE_THROUGH = 0.35;
/** Heights to fall from that are still framed, in diagonals; and where what has fallen over may lie, in heights. */
const FAR_BELOW = 20;
const FALLEN = 0.6;
const HIGHLIGHT = 0.3; // opacity of the picked body's glow
const SHARP: readonly string[] = ["box", "cylinder", "cone", "height_field", "mesh"];

/** A shape on a body or in the world, and where it is drawn. */
interface Part {
  geometry: Geometry;
  /** In the body. */
  local: Matrix4;
  batch: Batch;
  instance: number;
}

/** Parts drawn alike. */
interface Lot {
  batch: Batch;
  parts: Part[];
  /** Whether they ride on bodies, and on those of a ghost. */
  moving: boolean;
  ghost: boolean;
  alpha: number;
}

export class Bodies extends Group {
  readonly grounds: Ground[] = [];
  /** Of the plane z = 0, where there is no ground and something stands in the world. */
  readonly marks: Ground[] = [];
  private readonly lots: Lot[] = [];
  private readonly parts: Part[] = [];
  /** Of every body, its pose now; nothing where it is not a number. */
  private readonly poses: Matrix4[];
  private readonly lost: boolean[];
  /** What is fixed to bodies beside their shapes. */
  private readonly carried = new Map<number, Group>();
  private readonly glow = new Group();
  private readonly glowing = new MeshBasicMaterial({ transparent: true, opacity: HIGHLIGHT, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -1 });
  private transparent = false;
  private ghosts = false;

  constructor(private readonly recorded: Scene) {
    super();
    this.poses = recorded.bodies.map(() => new Matrix4());
    this.lost = recorded.bodies.map(() => false);
    const alike = new Map<string, Geometry[]>();
    for (const geometry of recorded.geometries) {
      const { shape, body, rgba } = geometry;
      if (shape.kind === "plane") {
        this.addGround(geometry);
        continue;
      }
      const kind = body === null ? "fixed" : this.runOf(body) > 0 ? "ghost" : "moving";
      const key = `${kind} ${rgba[3]} ${JSON.stringify(shape)}`;
      const lot = alike.get(key);
      if (lot) lot.push(geometry);
      else alike.set(key, [geometry]);
    }
    for (const geometries of alike.values()) this.addLot(geometries);
    if (this.grounds.length === 0 && stands(recorded)) {
      const mark = new Ground(true);
      this.marks.push(mark);
      this.add(mark);
    }
    this.place();
  }

  private addGround(geometry: Geometry): void {
    const ground = new Ground();
    ground.applyMatrix4(localOf(geometry));
    this.grounds.push(ground);
    if (geometry.body === null) this.add(ground);
    else this.carry(ground, geometry.body);
  }

  private addLot(geometries: Geometry[]): void {
    const [first] = geometries;
    if (!first) return;
    const shape = first.shape as Solid;
    const batch = new Batch(solidGeometry(shape), SHARP.includes(shape.kind), geometries.length);
    const parts = geometries.map((geometry, instance): Part => ({ geometry, local: localOf(geometry), batch, instance }));
    const { body } = first;
    this.lots.push({ batch, parts, moving: body !== null, ghost: body !== null && this.runOf(body) > 0, alpha: first.rgba[3] });
    this.parts.push(...parts);
    this.add(batch.mesh);
    if (batch.edges) this.add(batch.edges);
  }

  pose(frame: Frame): void {
    const { poses } = frame;
    for (let body = 0; body < this.poses.length; body++) {
      const at = POSE_FLOATS * body;
      // A body whose pose is not a number (a run that blew up) disappears instead of breaking the picture.
      this.lost[body] = !isPose(poses, at);
      const matrix = this.poses[body];
      if (!matrix || this.lost[body]) continue;
      position.fromArray(poses, at);
      quaternion.set(poses[at + 4] ?? 0, poses[at + 5] ?? 0, poses[at + 6] ?? 0, poses[at + 3] ?? 1).normalize();
      matrix.compose(position, quaternion, ONE);
    }
    this.place();
  }

  /** Puts everything where the bodies are. */
  private place(): void {
    for (const { batch, parts } of this.lots) {
      for (const { geometry, local, instance } of parts) {
        const { body } = geometry;
        const pose = body === null ? null : this.poses[body];
        if (body !== null && this.lost[body]) batch.place(instance, NOWHERE);
        else batch.place(instance, pose ? world.multiplyMatrices(pose, local) : local);
      }
      batch.moved();
    }
    for (const [body, group] of this.carried) {
      group.visible = !this.lost[body];
      const pose = this.poses[body];
      if (pose && group.visible) pose.decompose(group.position, group.quaternion, group.scale);
    }
  }

  paint(theme: Theme): void {
    for (const ground of [...this.grounds, ...this.marks]) ground.paint(theme);
    for (const { batch, parts, moving, ghost, alpha } of this.lots) {
      for (const { geometry, instance } of parts) {
        const [r, g, b] = geometry.rgba;
        const uncoloured = UNCOLOURED.every((value, i) => Math.abs(value - (geometry.rgba[i] ?? 0)) < 1e-3);
        if (!uncoloured) colour.setRGB(r, g, b, "srgb");
        else if (geometry.body === null) colour.set(theme.fixed);
        else colour.set(theme.bodies[this.hue(geometry.body) % theme.bodies.length] ?? theme.fixed);
        batch.paint(instance, colour);
      }
      const seeThrough = (ghost && this.ghosts) || (moving && this.transparent);
      batch.fade(seeThrough ? Math.min(alpha, SEE_THROUGH) : alpha);
      batch.edges?.material.color.set(theme.edge);
    }
    this.glowing.color.set(theme.hand);
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

  private runOf(body: number): number {
    return runOf(this.recorded, body);
  }

  /** Bodies differ in colour; of several runs the runs do. */
  private hue(body: number): number {
    return this.recorded.runs.length > 1 ? this.runOf(body) : body;
  }

  /** Fixes an object to a body, in its frame. */
  carry(object: Object3D, body: number): void {
    let group = this.carried.get(body);
    if (!group) {
      group = new Group();
      this.poses[body]?.decompose(group.position, group.quaternion, group.scale);
      this.carried.set(body, group);
      this.add(group);
    }
    group.add(object);
  }

  /** A point of a body, from its frame to the world. */
  toWorld(body: number, point: Vector3): Vector3 {
    const pose = this.poses[body];
    return pose ? point.clone().applyMatrix4(pose) : point.clone();
  }

  /** A point of the world, in the frame of a body. */
  toBody(body: number, point: Vector3): Vector3 {
    const pose = this.poses[body];
    return pose ? point.clone().applyMatrix4(pose.clone().invert()) : point.clone();
  }

  /** Where a body is now; null when it is not shown. */
  positionOf(body: number): Vector3 | null {
    const pose = this.poses[body];
    return pose && !this.lost[body] ? new Vector3().setFromMatrixPosition(pose) : null;
  }

  /** The box around everything that moves, or of that around one run (around the fixed things when nothing does). */
  extent(run: number | null = null): Box3 {
    const box = new Box3();
    const part = new Box3();
    const moving = this.parts.filter(
      ({ geometry: { body } }) => body !== null && !this.lost[body] && (run === null || this.runOf(body) === run),
    );
    for (const { batch, instance } of moving.length > 0 ? moving : this.parts) box.union(batch.boxOf(instance, part));
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
    return box;
  }

  /** Widens a box of which nobody knows yet how it moves: down to a level ground not far below, and to fall over there. */
  makeRoomToFall(box: Box3): void {
    const size = box.getSize(new Vector3());
    const level = this.grounds.find(({ parent, matrix }) => parent === this && (matrix.elements[10] ?? 0) > 0.99);
    if (!level || box.min.z - level.position.z > FAR_BELOW * size.length()) return;
    box.min.z = Math.min(box.min.z, level.position.z);
    const reach = FALLEN * (box.max.z - box.min.z);
    box.expandByVector(new Vector3(Math.max(reach - size.x / 2, 0), Math.max(reach - size.y / 2, 0), 0));
  }

  /** What a click can hit. */
  get pickable(): Object3D[] {
    return this.lots.filter(({ moving }) => moving).map(({ batch }) => batch.mesh);
  }

  /** The body of an instance that was hit. */
  bodyOf(mesh: Object3D, instance: number): number | null {
    const lot = this.lots.find(({ batch }) => batch.mesh === mesh);
    return lot?.parts[instance]?.geometry.body ?? null;
  }

  /** One body glows. */
  highlight(body: number | null): void {
    this.glow.clear();
    this.glow.removeFromParent();
    if (body === null) return;
    for (const { geometry, batch, local } of this.parts) {
      if (geometry.body !== body) continue;
      const mesh = new Mesh(batch.mesh.geometry, this.glowing);
      mesh.applyMatrix4(local);
      this.glow.add(mesh);
    }
    this.carry(this.glow, body);
  }

  dispose(): void {
    for (const { batch } of this.lots) batch.dispose();
  }
}

/** Whether something is fixed to the world: a shape, or a mechanism without a free joint. */
function stands({ geometries, mechanism: { joints } }: Scene): boolean {
  const fixed = geometries.some(({ body }) => body === null);
  return fixed || (joints.length > 0 && joints.every(({ kind }) => kind !== "free"));
}

function localOf({ position: at, quaternion: [w, x, y, z] }: Geometry): Matrix4 {
  return new Matrix4().compose(new Vector3(...at), new Quaternion(x, y, z, w).normalize(), ONE);
}

const ONE = new Vector3(1, 1, 1);
const NOWHERE = new Matrix4().makeScale(0, 0, 0);
const position = new Vector3();
const quaternion = new Quaternion();
const world = new Matrix4();
const colour = new Color();
