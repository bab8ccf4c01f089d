// Several runs of one world in one recording: in a square on flat ground (else in a row along y), or all in one place,
// the first solid and the others as ghosts. Poses and contacts are moved before anything else sees them; numbers are
// those of the first run.

import { Vector3 } from "three";
import { CORNER_FLOATS, POSE_FLOATS } from "./protocol";
import type { Frame, Patch, Scene, Shape, Vec3 } from "./protocol";

/** Distance between neighbours, in widths of a run. */
const SPACING = 1.2;
/** A name stands so far above the highest body, in the same. */
const ABOVE = 0.12;

export class Ghosts {
  apart = true;
  /** Of every body, the number of its run. */
  private readonly runs: number[];
  private readonly spacing: number;
  /** Runs in a row. */
  private readonly columns: number;

  constructor(
    private readonly scene: Scene,
    first: Frame | undefined,
  ) {
    this.runs = scene.bodies.map((_, body) => runOf(scene, body));
    this.spacing = first ? SPACING * width(scene, first) : 0;
    // A slope falls along x: there they stay in one row.
    const flat = scene.geometries.every(({ shape, quaternion }) => shape.kind !== "plane" || Math.abs(quaternion[0]) > 1 - 1e-9);
    const count = Math.max(scene.runs.length, 1);
    this.columns = flat ? Math.ceil(Math.sqrt(count)) : count;
    // In a row they would stand beside the walls and steps of the one they ran on.
    this.apart = scene.geometries.every(({ body, shape }) => body !== null || shape.kind === "plane");
  }

  get several(): boolean {
    return this.scene.runs.length > 1;
  }

  /** The frame with every run in its place. */
  place(frame: Frame): Frame {
    if (!this.several || !this.apart) return frame;
    const poses = frame.poses.slice();
    for (let body = 0; body < this.runs.length; body++) {
      const at = POSE_FLOATS * body;
      const [dx, dy] = this.aside(this.runs[body] ?? 0);
      poses[at] = (poses[at] ?? NaN) + dx;
      poses[at + 1] = (poses[at + 1] ?? NaN) + dy;
    }
    const contacts = frame.contacts.map((contact) => {
      const [x, y, z] = contact.point;
      const [dx, dy] = this.aside(this.runOf(contact));
      return { ...contact, point: [x + dx, y + dy, z] as const };
    });
    return { ...frame, poses, contacts, patches: frame.patches.map((patch) => this.placePatch(patch)) };
  }

  private placePatch(patch: Patch): Patch {
    const [dx, dy] = this.aside(this.runOf(patch));
    const corners = patch.corners.slice();
    for (let at = 0; at < corners.length; at += CORNER_FLOATS) {
      corners[at] = (corners[at] ?? NaN) + dx;
      corners[at + 1] = (corners[at + 1] ?? NaN) + dy;
    }
    return { ...patch, corners };
  }

  /** What the numbers of the panel are about. */
  first(frame: Frame): Frame {
    const run = this.scene.runs[0];
    if (!this.several || !run) return frame;
    const poses = frame.poses.subarray(POSE_FLOATS * run.first, POSE_FLOATS * (run.first + run.count));
    return { ...frame, poses, contacts: frame.contacts.filter((contact) => this.runOf(contact) === 0) };
  }

  /** Where to write the name of each run, and the name. */
  names(placed: Frame): { at: Vector3; name: string }[] {
    if (!this.several) return [];
    return this.scene.runs.flatMap(({ name, first, count }, run) => {
      const at = new Vector3(0, 0, -Infinity);
      let bodies = 0;
      for (let body = first; body < first + count; body++) {
        const [x = NaN, y = NaN, z = NaN] = placed.poses.subarray(POSE_FLOATS * body, POSE_FLOATS * body + 3);
        if (![x, y, z].every(Number.isFinite)) continue;
        at.set(at.x + x, at.y + y, Math.max(at.z, z));
        bodies++;
      }
      // Above all of it; in one place one above the other.
      const lines = this.apart ? 1 : this.scene.runs.length - run;
      return bodies > 0 ? [{ at: at.set(at.x / bodies, at.y / bodies, at.z + lines * ABOVE * this.spacing), name }] : [];
    });
  }

  /** How far a body is moved along x and y [m]. */
  shiftOf(body: number): [number, number] {
    return this.several && this.apart ? this.aside(this.runs[body] ?? 0) : [0, 0];
  }

  /** A point of a body as it is drawn, where the simulation has it. */
  real(body: number, [x, y, z]: Vec3): Vec3 {
    const [dx, dy] = this.shiftOf(body);
    return [x - dx, y - dy, z];
  }

  /** How far a run is moved along x and y [m]. */
  private aside(run: number): [number, number] {
    const rows = Math.ceil(this.scene.runs.length / this.columns);
    const [row, column] = [Math.floor(run / this.columns), run % this.columns];
    return [((rows - 1) / 2 - row) * this.spacing, (column - (this.columns - 1) / 2) * this.spacing];
  }

  private runOf({ bodies: [a, b] }: Pick<Patch, "bodies">): number {
    return this.runs[a >= 0 ? a : b] ?? 0;
  }
}

/** The run a body belongs to; 0 where there is one run. */
export function runOf(scene: Scene, body: number): number {
  return Math.max(scene.runs.findIndex(({ first, count }) => body >= first && body < first + count), 0);
}

/** How far the first run reaches along x or y at the start, whichever is more [m]. */
function width(scene: Scene, frame: Frame): number {
  const low: [number, number] = [Infinity, Infinity];
  const high: [number, number] = [-Infinity, -Infinity];
  for (const { body, position, shape } of scene.geometries) {
    if (body === null || runOf(scene, body) !== 0) continue;
    const far = Math.hypot(...position) + reach(shape);
    for (const axis of [0, 1] as const) {
      const at = frame.poses[POSE_FLOATS * body + axis] ?? NaN;
      if (!Number.isFinite(at + far)) continue;
      low[axis] = Math.min(low[axis], at - far);
      high[axis] = Math.max(high[axis], at + far);
    }
  }
  const widest = Math.max(high[0] - low[0], high[1] - low[1]);
  return widest > 0 ? widest : 1;
}

/** Farthest point of a shape from its origin [m]. */
function reach(shape: Shape): number {
  switch (shape.kind) {
    case "plane":
      return 0;
    case "sphere":
      return shape.radius;
    case "box":
      return Math.hypot(...shape.half);
    case "capsule":
      return shape.radius + shape.half_length;
    case "cylinder":
      return Math.hypot(shape.radius, shape.half_length);
    case "cone":
      return Math.hypot(shape.radius, shape.half_height);
    case "ellipsoid":
      return Math.max(...shape.radii);
    case "height_field":
      return Math.hypot(...shape.size) / 2;
    case "mesh":
      return shape.vertices.reduce((most, vertex) => Math.max(most, Math.hypot(...vertex)), 0);
  }
}
