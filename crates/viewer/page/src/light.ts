// The certificate light: whether the step that led here is within tolerance, else what is wrong and where.

import { byId, text } from "./dom";
import { scientific } from "./format";
import { WORLD } from "./protocol";
import type { Frame, Scene } from "./protocol";

export interface Verdict {
  light: "green" | "amber" | "red" | "off";
  words: string;
}

/** What is left where the solver says that it is rounding alone, at most [m/s]. */
const CERTIFIED = 1e-6;

/**
 * Green: the exact law holds within the solver's tolerance, or to rounding. Amber: the solver's own law does, or nearly; the exact one
 * does not. Red: the solver did not reach its tolerance, or the step failed.
 */
export function verdict(frame: Frame, scene: Scene): Verdict {
  const tolerance = scene.tolerance ?? 1e-8;
  const { naturalMap: exact, ownNaturalMap: own, outcome } = frame;
  const where = place(frame, scene);
  if (outcome === "failed") return { light: "red", words: "the step failed: nothing moves" };
  if (!Number.isFinite(exact)) return { light: "off", words: "not judged" };
  if (outcome === "not converged") return { light: "red", words: `not converged: ${scientific(exact)} m/s${where}` };
  if (outcome === "gained energy") return { light: "amber", words: "made energy that nothing explains" };
  if (outcome === "rounding" && exact <= CERTIFIED) return { light: "green", words: `exact to rounding: ${scientific(exact)} m/s` };
  // The judge's norm is over all contacts, the solver's own may be of one: a hair beyond is within.
  if (exact <= 10 * tolerance) return { light: "green", words: exact === 0 ? "exact" : `exact to ${scientific(exact)} m/s` };
  if (own <= 10 * tolerance) return { light: "amber", words: `obeys its own law; off the exact one by ${scientific(exact)} m/s${where}` };
  return { light: "amber", words: `off by ${scientific(exact)} m/s${where}` };
}

/** Between which bodies the worst contact is. */
function place({ worst, contacts }: Frame, { bodies }: Scene): string {
  if (worst < 0) return "";
  const contact = contacts[worst];
  if (!contact) return ", at a limit or coupling";
  const [a, b] = contact.bodies.map((body) => (body === WORLD ? "the world" : (bodies[body] ?? "?")));
  return `, between ${a} and ${b}`;
}

export function showVerdict({ light, words }: Verdict): void {
  byId("certificate").dataset["light"] = light;
  text(byId("certificate-words"), words);
}
