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

/** Bodies this deep in one another are no picture of rigid ones, whatever law their contacts obey [m]. */
const DEEP = 0.02;

/** How a note about a word of the file that is not simulated says so. */
const LEFT_OUT = "not simulated: ";

/**
 * Green: the exact law holds within the solver's tolerance, or to rounding. Amber: the solver's own law does, or nearly; the exact one
 * does not. Red: the solver did not reach its tolerance, or the step failed. A
 * light that would be green is amber where bodies overlap deeply or something of the file is not simulated.
 */
export function verdict(frame: Frame, scene: Scene): Verdict {
  const { light, words } = ofTheStep(frame, scene);
  const reservations: string[] = [];
  const leftOut = (scene.notes ?? []).filter((note) => note.includes(LEFT_OUT)).length;
  if (frame.penetration >= DEEP) reservations.push(`bodies overlap by ${(100 * frame.penetration).toFixed(1)} cm`);
  if (leftOut > 0) reservations.push(`${leftOut} ${leftOut === 1 ? "word" : "words"} of the file not simulated`);
  if (light !== "green" || reservations.length === 0) return { light, words };
  return { light: "amber", words: `contact law ${words}, but ${reservations.join(" and ")}` };
}

/** The verdict on the step's contacts alone. */
function ofTheStep(frame: Frame, scene: Scene): Verdict {
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
