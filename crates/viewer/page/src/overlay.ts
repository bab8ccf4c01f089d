// Contacts: points, force arrows, friction cones.
//
// Every force f is drawn on the body it acts on, to one scale s [m/N]. The cone of a closed contact has its apex at the
// point, its axis along the normal n and height s f.n, hence a rim of radius s mu f.n, or is a smaller one of the same form
// where that would hide the bodies: the arrow stays inside the cone while the contact sticks and lies on it when the
// contact slides. An open contact bears no force; its cone is
// grey and keeps a small fixed height.

import {
  ConeGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  Group,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import { Marks } from "./marks";
import type { Contact, Frame, Mode } from "./protocol";
import { norm, sense } from "./summary";
import type { Theme } from "./theme";

export interface Shown {
  points: boolean;
  forces: boolean;
  cones: boolean;
}

/** The tip of a drawn force, for its label. */
export interface Tip {
  x: number;
  y: number;
  z: number;
  newtons: number;
}

const Z = new Vector3(0, 0, 1);
const POINT_PIXELS = 5; // radius on the screen
// In sizes of the scene:
const SHAFT = 0.011; // radius
const OPEN_CONE = 0.05; // height
const TALLEST_CONE = 0.22; // height: robots that lie stay in sight
const LONGEST = 1; // of an arrow: what is longer is cut to it, and its label says how large it is
const POINT = 0.03; // largest radius, seen from afar
const MANY = 256; // contacts
const INVISIBLE = 1e-3; // shorter than this is not drawn

export class Overlay extends Group {
  readonly shown: Shown = { points: true, forces: true, cones: true };
  /** Metres of arrow for a newton. */
  metresPerNewton = 1;
  readonly tips: Tip[] = [];
  private frame: Frame | null = null;
  private capacity: number;
  private marks: ReturnType<typeof makeMarks>;
  private readonly colours: Record<Mode, Color> = { open: new Color(), stick: new Color(), slide: new Color() };

  /** `size` [m]: a length typical of the scene. `capacity`: how many contacts to expect. */
  constructor(
    private readonly size: number,
    capacity: number,
  ) {
    super();
    this.capacity = Math.max(capacity, 16);
    this.marks = makeMarks(this.capacity);
    this.add(...Object.values(this.marks));
  }

  paint(theme: Theme): void {
    for (const mode of ["open", "stick", "slide"] as const) this.colours[mode].set(theme.mode[mode]);
    this.redraw();
  }

  show(frame: Frame): void {
    this.frame = frame;
    if (frame.contacts.length > this.capacity) this.grow(2 * frame.contacts.length);
    this.redraw();
  }

  /** How many of each are on the screen. */
  drawn(): Record<keyof Shown, number> {
    const { points, shafts, cones } = this.marks;
    return {
      points: this.shown.points ? points.count : 0,
      forces: this.shown.forces ? shafts.count : 0,
      cones: this.shown.cones ? cones.count : 0,
    };
  }

  redraw(): void {
    const { shafts, heads, cones, rims } = this.marks;
    for (const marks of [shafts, heads, cones, rims]) marks.begin();
    this.tips.length = 0;
    for (const contact of this.frame?.contacts ?? []) {
      if (!isFinite(contact)) continue;
      const turn = sense(contact);
      const colour = this.colours[contact.mode];
      point.set(...contact.point);
      normal.set(...contact.normal).multiplyScalar(turn).normalize();
      force.set(...contact.force).multiplyScalar(turn);
      force.clampLength(0, (LONGEST * this.size) / this.metresPerNewton);
      const height = contact.mode === "open" ? OPEN_CONE * this.size : Math.min(this.metresPerNewton * force.dot(normal), TALLEST_CONE * this.size);
      this.pushCone(height, contact.mu * height, colour);
      this.pushArrow(norm(contact.force), colour);
    }
    shafts.flush(this.shown.forces);
    heads.flush(this.shown.forces);
    cones.flush(this.shown.cones);
    rims.flush(this.shown.cones);
  }

  /** Points keep their size on the screen, so the camera has a say: call before each rendering. */
  redrawPoints(metresPerPixel: (at: Vector3) => number): void {
    const { points } = this.marks;
    points.begin();
    for (const contact of this.frame?.contacts ?? []) {
      if (!isFinite(contact)) continue;
      point.set(...contact.point);
      const radius = Math.min(POINT_PIXELS * metresPerPixel(point), POINT * this.size);
      points.push(matrix.makeScale(radius, radius, radius).setPosition(point), this.colours[contact.mode]);
    }
    points.flush(this.shown.points);
  }

  /** The force at the point, both as set; it may be shorter than `newtons`, which its label says. */
  private pushArrow(newtons: number, colour: Color): void {
    const length = this.metresPerNewton * force.length();
    if (length < INVISIBLE * this.size) return;
    const along = force.normalize();
    turned.setFromUnitVectors(Z, along);
    const width = Math.min(SHAFT * this.size, 0.1 * length);
    const headLength = 6 * width;
    const { shafts, heads } = this.marks;
    shafts.push(matrix.compose(point, turned, scale.set(width, width, length - headLength)), colour);
    end.copy(point).addScaledVector(along, length - headLength);
    heads.push(matrix.compose(end, turned, scale.set(2.3 * width, 2.3 * width, headLength)), colour);
    this.tips.push({ x: point.x + length * along.x, y: point.y + length * along.y, z: point.z + length * along.z, newtons });
  }

  /** The cone about the normal at the point, both as set. */
  private pushCone(height: number, radius: number, colour: Color): void {
    if (height < INVISIBLE * this.size) return;
    turned.setFromUnitVectors(Z, normal);
    const { cones, rims } = this.marks;
    cones.push(matrix.compose(point, turned, scale.set(radius, radius, height)), colour);
    end.copy(point).addScaledVector(normal, height);
    rims.push(matrix.compose(end, turned, scale.setScalar(radius)), colour);
  }

  dispose(): void {
    for (const marks of Object.values(this.marks)) marks.dispose();
  }

  private grow(capacity: number): void {
    this.remove(...Object.values(this.marks));
    this.dispose();
    this.capacity = capacity;
    this.marks = makeMarks(capacity);
    this.add(...Object.values(this.marks));
  }
}

/** A contact that holds a NaN (a run that blew up) is left out instead of breaking the picture. */
function isFinite({ point: [x, y, z], normal: [a, b, c], force: [f, g, h], mu }: Contact): boolean {
  return Number.isFinite(x + y + z + a + b + c + f + g + h + mu);
}

// Marks are made from these, again and again.
const point = new Vector3();
const normal = new Vector3();
const force = new Vector3();
const end = new Vector3();
const scale = new Vector3();
const turned = new Quaternion();
const matrix = new Matrix4();

/** Unit marks along z, apex or foot at the origin. */
function makeMarks(capacity: number) {
  // Of many, each is small.
  const fine = capacity > MANY ? 0.5 : 1;
  const shaft = new CylinderGeometry(1, 1, 1, 16 * fine).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const head = new ConeGeometry(1, 1, 24 * fine).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const cone = new ConeGeometry(1, 1, 48 * fine, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
  const rim = new TorusGeometry(1, 0.012, 8 * fine, 72 * fine);
  const ball = new SphereGeometry(1, 20 * fine, 14 * fine);
  const faint = (opacity: number) => new MeshBasicMaterial({ opacity });
  const glass = (opacity: number) => new MeshBasicMaterial({ opacity, side: DoubleSide, depthWrite: false });
  return {
    cones: new Marks(cone, glass(0.17), glass(0.07), capacity),
    rims: new Marks(rim, new MeshBasicMaterial(), faint(0.45), capacity),
    shafts: new Marks(shaft, new MeshBasicMaterial(), faint(0.5), capacity),
    heads: new Marks(head, new MeshBasicMaterial(), faint(0.5), capacity),
    points: new Marks(ball, new MeshBasicMaterial(), faint(0.5), capacity),
  };
}
