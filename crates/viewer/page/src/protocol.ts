// What the page is told: the scene once as JSON, then one binary message per frame.
// Twin of ../../src/protocol.rs, where the layout is documented. World z up, SI units, quaternions w x y z.

export type Vec3 = readonly [number, number, number];
export type Quat = readonly [number, number, number, number];

export type Shape =
  | { kind: "plane" }
  | { kind: "sphere"; radius: number }
  | { kind: "box"; half: Vec3 }
  | { kind: "capsule"; radius: number; half_length: number }
  | { kind: "cylinder"; radius: number; half_length: number }
  | { kind: "ellipsoid"; radii: Vec3 }
  | { kind: "cone"; radius: number; half_height: number }
  | { kind: "height_field"; rows: number; cols: number; size: readonly [number, number]; heights: number[]; bottom: number }
  | { kind: "mesh"; vertices: Vec3[]; triangles: Vec3[] };

export interface Geometry {
  name: string;
  /** Index of the body it rides on; null: fixed to the world. */
  body: number | null;
  shape: Shape;
  position: Vec3;
  quaternion: Quat;
  rgba: readonly [number, number, number, number];
}

export interface Inertia {
  /** [kg] */
  mass: number;
  /** Centre of mass in the body [m]. */
  com: Vec3;
  /** Of the uniform ellipsoid with the same moments [m]. */
  semi_axes: Vec3;
  quaternion: Quat;
}

export interface Joint {
  name: string;
  /** The body it moves; axis and anchor are in its frame. */
  body: number;
  kind: "hinge" | "slide" | "screw" | "ball" | "free";
  axis: Vec3;
  anchor: Vec3;
  /** [rad] or [m] */
  limit: readonly [number, number] | null;
  /** Where its position stands in the positions of a frame. */
  position: number | null;
}

export interface Actuator {
  name: string;
  /** Of the control. */
  range: readonly [number, number] | null;
  unit: string;
  effort_unit: string;
}

export interface Mechanism {
  /** One per body, or none. */
  inertias: Inertia[];
  joints: Joint[];
  actuators: Actuator[];
}

/** One of several runs of the same world in one recording: `count` bodies from `first` on. */
export interface Run {
  name: string;
  first: number;
  count: number;
}

export interface Scene {
  stiction_protocol: number;
  name: string;
  contact_model: string;
  /** Time step of the simulation [s]. */
  dt: number;
  /** Of the contact solver [m/s]. */
  tolerance: number | null;
  /** What of the files is not simulated, was added or may be a mistake; recordings of old have none. */
  notes?: string[];
  bodies: string[];
  geometries: Geometry[];
  /** Of several runs, the first. */
  mechanism: Mechanism;
  /** Empty where there is one run. */
  runs: Run[];
}

export const MODES = ["open", "stick", "slide"] as const;
export type Mode = (typeof MODES)[number];

export const OUTCOMES = ["none", "converged", "not converged", "failed", "rounding", "gained energy"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What a step did because its problem had no good answer; in the order of their codes. */
export const REMEDIES = ["none", "less restitution", "without feedback", "without restitution", "energy guard", "halved", "impacts at once"] as const;
export type Remedy = (typeof REMEDIES)[number];

export interface Contact {
  /** Bodies A and B; WORLD for the world. The normal points from A to B, the force [N] acts on B. */
  bodies: [number, number];
  mode: Mode;
  point: Vec3;
  normal: Vec3;
  force: Vec3;
  mu: number;
}

/** A surface on which the pressures of two solids are equal. */
export interface Patch {
  bodies: [number, number];
  /** How many of the corners are those of each polygon, in their order. */
  polygons: Uint32Array;
  /** Four numbers a corner: position [m], pressure [Pa]. */
  corners: Float32Array;
}

export interface Frame {
  /** [s] */
  t: number;
  /** [J] */
  energy: number;
  /** Certificate of the step [m/s]; NaN when it was not asked for. */
  naturalMap: number;
  /** The same for the law the solver claims to solve [m/s]. */
  ownNaturalMap: number;
  /** Deepest overlap [m]. */
  penetration: number;
  iterations: number;
  outcome: Outcome;
  remedy: Remedy;
  /** The constraint with the largest natural map: a contact, or beyond them; NONE. */
  worst: number;
  /** Seven numbers a body: position [m], quaternion w x y z. */
  poses: Float32Array;
  contacts: Contact[];
  /** Empty where nothing meets by pressure. */
  patches: Patch[];
  /** Positions of hinges, slides and screws [rad or m]. */
  joints: Float32Array;
  /** Of the actuators [N·m or N]. */
  efforts: Float32Array;
}

export const WORLD = -1;
export const NONE = -1;
/** Position, then quaternion w x y z. */
export const POSE_FLOATS = 7;
/** Floats of a corner of a patch. */
export const CORNER_FLOATS = 4;
const VERSION = 5;
/** Version 5 brought patches; frames without any are what they were. */
const OLDEST = 4;
export const HEADER = 64;
const CONTACT_BYTES = 52;

export function decodeScene(text: string): Scene {
  const scene = JSON.parse(text) as Scene;
  if (!(scene.stiction_protocol >= OLDEST && scene.stiction_protocol <= VERSION)) {
    throw new Error(`this page reads protocols ${OLDEST} to ${VERSION}, the scene speaks ${scene.stiction_protocol}`);
  }
  return scene;
}

export function decodeFrame(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = (i: number) => view.getUint32(48 + 4 * i, true);
  const [bodies, contactCount, jointCount, effortCount] = [count(0), count(1), count(2), count(3)];
  const floats = POSE_FLOATS * bodies + jointCount + effortCount;
  const patchesAt = HEADER + 4 * floats + CONTACT_BYTES * contactCount;
  if (bytes.byteLength < patchesAt) {
    throw new Error("a frame is not as long as its header says");
  }
  // A copy, for alignment; typed arrays are little endian wherever browsers run.
  const singles = (at: number, length: number) => new Float32Array(bytes.slice(at, at + 4 * length).buffer);
  const contactsAt = HEADER + 4 * POSE_FLOATS * bodies;
  const jointsAt = contactsAt + CONTACT_BYTES * contactCount;
  return {
    t: view.getFloat64(0, true),
    energy: view.getFloat64(8, true),
    naturalMap: view.getFloat64(16, true),
    ownNaturalMap: view.getFloat64(24, true),
    penetration: view.getFloat32(32, true),
    iterations: view.getUint32(36, true),
    outcome: OUTCOMES[view.getUint8(40)] ?? "none",
    remedy: REMEDIES[view.getUint8(41)] ?? "none",
    worst: view.getInt32(44, true),
    poses: singles(HEADER, POSE_FLOATS * bodies),
    contacts: Array.from({ length: contactCount }, (_, i) => decodeContact(view, contactsAt + CONTACT_BYTES * i)),
    patches: decodePatches(bytes, view, patchesAt),
    joints: singles(jointsAt, jointCount),
    efforts: singles(jointsAt + 4 * jointCount, effortCount),
  };
}

/** What follows the rest of the frame, to its end. */
function decodePatches(bytes: Uint8Array, view: DataView, start: number): Patch[] {
  const patches: Patch[] = [];
  for (let at = start; at < bytes.byteLength; ) {
    const body = (i: number) => view.getInt32(at + 4 * i, true);
    const [polygonCount, cornerCount] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
    const cornersAt = at + 16 + 4 * polygonCount;
    const end = cornersAt + 4 * CORNER_FLOATS * cornerCount;
    if (end > bytes.byteLength) throw new Error("a frame ends in the middle of a contact surface");
    const polygons = new Uint32Array(bytes.slice(at + 16, cornersAt).buffer);
    if (polygons.reduce((sum, corners) => sum + corners, 0) !== cornerCount) throw new Error("polygons of a contact surface are not made of its corners");
    patches.push({ bodies: [body(0), body(1)], polygons, corners: new Float32Array(bytes.slice(cornersAt, end).buffer) });
    at = end;
  }
  return patches;
}

function decodeContact(view: DataView, start: number): Contact {
  const vector = (at: number): Vec3 => [
    view.getFloat32(start + at, true),
    view.getFloat32(start + at + 4, true),
    view.getFloat32(start + at + 8, true),
  ];
  return {
    bodies: [view.getInt32(start, true), view.getInt32(start + 4, true)],
    mode: MODES[view.getUint32(start + 8, true)] ?? "open",
    point: vector(12),
    normal: vector(24),
    force: vector(36),
    mu: view.getFloat32(start + 48, true),
  };
}

/** The messages of a pack: each behind its length (u32, little endian), the scene first. */
export function splitPack(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const end = at + 4 + view.getUint32(at, true);
    if (end > bytes.byteLength) throw new Error("the recording ends in the middle of a message");
    messages.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return messages;
}
