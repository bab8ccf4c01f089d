// Numbers read off a frame.

import { CORNER_FLOATS, MODES, POSE_FLOATS, WORLD } from "./protocol";
import type { Contact, Frame, Mode, Outcome, Patch, Scene, Vec3 } from "./protocol";
import type { Source } from "./source";

/** What the charts need of a frame, kept for every frame there is. */
export interface Digest {
  t: number;
  energy: number;
  naturalMap: number;
  ownNaturalMap: number;
  penetration: number;
  iterations: number;
  outcome: Outcome;
  counts: Record<Mode, number>;
  /** Force of the world on the bodies [N]. */
  force: [number, number, number];
  /** Largest force of a contact [N]. */
  largest: number;
  /** Highest pressure on a contact surface [Pa]; 0 where there is none. */
  pressure: number;
  efforts: Float32Array;
}

/** Of several runs contacts and forces are those of the first, as the other numbers are. */
export function digestOf(whole: Frame, scene: Scene): Digest {
  const frame = { ...whole, contacts: contactsOfFirstRun(whole, scene) };
  const { t, energy, naturalMap, ownNaturalMap, penetration, iterations, outcome, efforts } = frame;
  const largest = frame.contacts.reduce((most, { force }) => Math.max(most, norm(force)), 0);
  const [counts, force] = [modeCounts(frame), forceFromWorld(frame)];
  const pressure = highestPressure(whole.patches);
  return { t, energy, naturalMap, ownNaturalMap, penetration, iterations, outcome, counts, force, largest, pressure, efforts };
}

/** [Pa] */
function highestPressure(patches: Patch[]): number {
  let most = 0;
  for (const { corners } of patches) {
    for (let i = CORNER_FLOATS - 1; i < corners.length; i += CORNER_FLOATS) {
      const pressure = corners[i] ?? 0;
      if (pressure > most && Number.isFinite(pressure)) most = pressure;
    }
  }
  return most;
}

function contactsOfFirstRun({ contacts }: Frame, { runs }: Scene): Contact[] {
  const run = runs[0];
  if (!run) return contacts;
  const ours = (body: number) => body === WORLD || (body >= run.first && body < run.first + run.count);
  return contacts.filter(({ bodies }) => bodies.every(ours));
}

export function modeCounts(frame: Frame): Record<Mode, number> {
  const counts = { open: 0, stick: 0, slide: 0 };
  for (const contact of frame.contacts) counts[contact.mode]++;
  return counts;
}

/**
 * +1 when a contact is told as it acts on B, -1 when B is the world: force and normal are then turned round, so that
 * one always sees what the world does to a body.
 */
export function sense(contact: Contact): 1 | -1 {
  return contact.bodies[1] === WORLD && contact.bodies[0] !== WORLD ? -1 : 1;
}

/** Force of the world on the bodies [N]; what two bodies do to each other cancels and is left out. */
export function forceFromWorld(frame: Frame): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (const contact of frame.contacts) {
    const [first, second] = contact.bodies;
    if ((first === WORLD) === (second === WORLD)) continue;
    for (const axis of [0, 1, 2] as const) sum[axis] += sense(contact) * contact.force[axis];
  }
  return sum;
}

/** Whether the pose that starts at `at` is seven numbers. */
export function isPose(poses: Float32Array, at: number): boolean {
  let sum = 0;
  for (let k = 0; k < POSE_FLOATS; k++) sum += poses[at + k] ?? NaN;
  return Number.isFinite(sum);
}

/** Bodies whose pose is not a number: the run blew up, and they cannot be drawn. */
export function lostBodies(frame: Frame): number {
  const { poses } = frame;
  let lost = 0;
  for (let i = 0; i < poses.length; i += POSE_FLOATS) if (!isPose(poses, i)) lost++;
  return lost;
}

export function norm([x, y, z]: Vec3): number {
  return Math.hypot(x, y, z);
}

/** A force that few contacts of the recording exceed [N]: the 95th percentile of those that press; 1 if none does. */
export function typicalLargestForce(source: Source): number {
  const sizes: number[] = [];
  for (let i = 0; i < source.length; i++) {
    for (const contact of source.frame(i).contacts) {
      const size = norm(contact.force);
      if (size > 0 && Number.isFinite(size)) sizes.push(size);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1;
}

/** A force to expect before any was seen [N]: a quarter of the weight, less where many bodies share it; 1 without masses. */
export function expectedForce({ mechanism }: Scene): number {
  const mass = mechanism.inertias.reduce((sum, inertia) => sum + inertia.mass, 0);
  return (9.81 * mass) / (4 * Math.sqrt(Math.max(freeBodies(mechanism), 1))) || 1;
}

/** Contacts to expect before any was seen: four of every robot or thing. */
export function expectedContacts({ mechanism }: Scene): number {
  return 4 * freeBodies(mechanism);
}

function freeBodies({ joints }: Scene["mechanism"]): number {
  return joints.filter(({ kind }) => kind === "free").length;
}

export function mostContacts(source: Source): number {
  let most = 0;
  for (let i = 0; i < source.length; i++) {
    const { open, stick, slide } = source.digest(i).counts;
    most = Math.max(most, open + stick + slide);
  }
  return most;
}

/** What few of the last so many frames exceed with their highest pressures, and the highest of all [Pa]; 0 where nothing meets by pressure. */
export function pressures(source: Source, last = Infinity): [typical: number, most: number] {
  const highest: number[] = [];
  for (let i = Math.max(source.length - last, 0); i < source.length; i++) {
    const { pressure } = source.digest(i);
    if (pressure > 0) highest.push(pressure);
  }
  highest.sort((a, b) => a - b);
  return [highest[Math.floor(0.9 * (highest.length - 1))] ?? 0, highest.at(-1) ?? 0];
}

/** Share of each mode among the contacts of frames first..=last; all zero when there are none. */
export function modeShares(source: Source, first: number, last: number): Record<Mode, number> {
  const shares = { open: 0, stick: 0, slide: 0 };
  let total = 0;
  for (let i = first; i <= last; i++) {
    const { counts } = source.digest(i);
    for (const mode of MODES) {
      shares[mode] += counts[mode];
      total += counts[mode];
    }
  }
  if (total > 0) for (const mode of MODES) shares[mode] /= total;
  return shares;
}
