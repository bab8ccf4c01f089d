// What is inside: frames of the bodies, centres of mass, ellipsoids of inertia, joint axes with their limits. Made when
// first asked for, and fixed to the bodies, so that nothing has to be moved.

import {
  ArrowHelper,
  AxesHelper,
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  RingGeometry,
  SphereGeometry,
  Vector3,
} from "three";
import type { Object3D } from "three";
import type { Bodies } from "./bodies";
import type { Inertia, Joint, Scene } from "./protocol";
import type { Theme } from "./theme";

export const PARTS = ["frames", "masses", "inertias", "joints"] as const;
export type Part = (typeof PARTS)[number];

// Lengths, in sizes of the scene.
const AXIS = 0.16;
const JOINT = 0.22;
const MASS = 0.022;
/** Axes and ellipsoids are seen through the bodies. */
const ON_TOP = { depthTest: false, transparent: true } as const;

export class Anatomy {
  private readonly made = new Map<Part, Object3D[]>();
  private readonly shown = new Set<Part>();
  private scale = 1;
  private theme: Theme | null = null;

  constructor(
    private readonly scene: Scene,
    private readonly bodies: Bodies,
  ) {}

  /** A length typical of the scene [m]. */
  size(scale: number): void {
    this.scale = scale;
  }

  has(part: Part): boolean {
    const { inertias, joints } = this.scene.mechanism;
    if (part === "frames") return this.scene.bodies.length > 0;
    return part === "joints" ? joints.some(({ kind }) => kind !== "free") : inertias.length > 0;
  }

  on(part: Part): boolean {
    return this.shown.has(part);
  }

  show(part: Part, on: boolean): void {
    if (on) this.shown.add(part);
    else this.shown.delete(part);
    if (on && !this.made.has(part)) {
      this.made.set(part, this.make(part));
      if (this.theme) this.paint(this.theme);
    }
    for (const object of this.made.get(part) ?? []) object.visible = on;
  }

  paint(theme: Theme): void {
    this.theme = theme;
    const colours: Record<Part, string> = { frames: "", masses: theme.mass, inertias: theme.mass, joints: theme.joint };
    for (const [part, objects] of this.made) {
      if (part === "frames") continue;
      for (const object of objects) {
        object.traverse((child) => {
          if (child instanceof Mesh || child instanceof Line) (child.material as MeshBasicMaterial).color.set(colours[part]);
        });
      }
    }
  }

  private make(part: Part): Object3D[] {
    const { inertias, joints } = this.scene.mechanism;
    const place = (object: Object3D, body: number) => {
      object.traverse((child) => (child.renderOrder = 3));
      this.bodies.carry(object, body);
      return object;
    };
    switch (part) {
      case "frames":
        return this.scene.bodies.map((_, body) => place(triad(AXIS * this.scale), body));
      case "masses":
        return inertias.map((inertia, body) => place(massMark(inertia, MASS * this.scale), body));
      case "inertias":
        return inertias.map((inertia, body) => place(ellipsoid(inertia), body));
      case "joints":
        return joints.filter(({ kind }) => kind !== "free").map((joint) => place(jointMark(joint, JOINT * this.scale), joint.body));
    }
  }
}

function triad(length: number): Object3D {
  const axes = new AxesHelper(length);
  axes.setColors("#d8435e", "#3f9c5a", "#3a78d6");
  Object.assign(axes.material, ON_TOP);
  return axes;
}

function massMark({ com }: Inertia, radius: number): Object3D {
  const mark = new Mesh(new SphereGeometry(radius, 20, 14), new MeshBasicMaterial(ON_TOP));
  mark.position.set(...com);
  return mark;
}

function ellipsoid({ com, semi_axes, quaternion: [w, x, y, z] }: Inertia): Object3D {
  const material = new MeshBasicMaterial({ ...ON_TOP, opacity: 0.28, wireframe: false });
  const mark = new Mesh(new SphereGeometry(1, 32, 20), material);
  mark.position.set(...com);
  mark.quaternion.set(x, y, z, w);
  mark.scale.set(...(semi_axes.map((a) => Math.max(a, 1e-4)) as [number, number, number]));
  return mark;
}

/** The axis; of a hinge with limits, the sector it may turn through, as far as the joint itself says where zero is. */
function jointMark({ kind, axis, anchor, limit }: Joint, length: number): Object3D {
  const mark = new Group();
  mark.position.set(...anchor);
  if (kind === "ball") {
    mark.add(new Mesh(new SphereGeometry(0.12 * length, 16, 12), new MeshBasicMaterial(ON_TOP)));
    return mark;
  }
  const along = new Vector3(...axis).normalize();
  const shaft = [along.clone().multiplyScalar(-0.5 * length), along.clone().multiplyScalar(0.5 * length)];
  mark.add(new Line(new BufferGeometry().setFromPoints(shaft), new LineBasicMaterial(ON_TOP)));
  const head = new ArrowHelper(along, along.clone().multiplyScalar(0.3 * length), 0.2 * length, 0, 0.14 * length, 0.09 * length);
  for (const part of [head.line, head.cone]) Object.assign(part.material, ON_TOP);
  mark.add(head);
  if (kind === "hinge" && limit) {
    const opening = Math.min(limit[1] - limit[0], 2 * Math.PI);
    const sector = new RingGeometry(0.16 * length, 0.24 * length, 40, 1, 0, opening);
    const ring = new Mesh(sector, new MeshBasicMaterial({ ...ON_TOP, side: DoubleSide, opacity: 0.4 }));
    ring.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), along));
    mark.add(ring);
  }
  return mark;
}
