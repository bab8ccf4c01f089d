// The controls of a live session: contact solver and ghosts, inputs of the actuators, positions of the joints.

import { byId, text } from "./dom";
import { number } from "./format";
import type { Frame, Scene } from "./protocol";
import type { Session, Status } from "./session";

const FREE_RANGE = [-1, 1] as const; // of a control without limits
const TURN = [-Math.PI, Math.PI] as const; // of a joint without limits
const MOST_GHOSTS = 8;

interface Slider {
  input: HTMLInputElement;
  show(value: number): void;
}

export class Controls {
  private actuators: Slider[] = [];
  private joints: Slider[] = [];
  private readonly solver = byId<HTMLSelectElement>("solver");
  private ghosts: HTMLInputElement[] = [];
  private frame: Frame | null = null;

  constructor(private readonly session: Session) {
    byId("controls").hidden = false;
    // Opened while the simulation rests, they show where the joints are.
    byId("joints-part").addEventListener("toggle", () => this.followJoints());
    this.solver.addEventListener("change", () => {
      session.send({ do: "solver", name: this.solver.value });
      this.solver.blur();
    });
  }

  load(scene: Scene): void {
    this.listSolvers();
    const { actuators, joints } = scene.mechanism;
    this.actuators = fill(
      byId("actuators"),
      actuators.map(({ name, range, unit }, i) => ({ name, range: range ?? FREE_RANGE, unit, send: (value) => this.session.send({ do: "control", actuator: i, value }) })),
    );
    const scalars = joints.filter(({ position }) => position !== null);
    this.joints = fill(
      byId("joints"),
      scalars.map(({ name, kind, limit, position }) => ({
        name,
        range: limit ?? (kind === "slide" ? FREE_RANGE : TURN),
        unit: kind === "slide" ? "m" : "rad",
        send: (value) => this.session.send({ do: "joint", joint: position ?? 0, value }),
      })),
    );
    this.followJoints();
    byId("actuators-part").hidden = actuators.length === 0;
    byId("joints-part").hidden = scalars.length === 0;
  }

  /** Follows the joints. */
  show(frame: Frame): void {
    this.frame = frame;
    this.followJoints();
  }

  private followJoints(): void {
    const { frame } = this;
    if (frame && byId<HTMLDetailsElement>("joints-part").open) this.joints.forEach((slider, i) => slider.show(frame.joints[i] ?? NaN));
  }

  reflect(status: Status): void {
    this.solver.value = status.solver;
    const chosen = this.session.choices.find(({ name }) => name === status.solver);
    text(byId("solver-about"), chosen ? `${chosen.law} · ${chosen.summary}` : "");
    this.actuators.forEach((slider, i) => slider.show(status.control[i] ?? NaN));
    for (const box of this.ghosts) {
      box.checked = status.ghosts.includes(box.value);
      box.disabled = !box.checked && status.ghosts.length >= MOST_GHOSTS;
    }
    text(byId("ghosts-count"), status.ghosts.length > 0 ? `${status.ghosts.length} beside` : "none");
  }

  private listSolvers(): void {
    const { choices, status } = this.session;
    if (this.solver.options.length === choices.length) return;
    this.solver.replaceChildren(...choices.map(({ name, law }) => new Option(`${name} – ${law}`, name)));
    if (status) this.solver.value = status.solver;
    this.ghosts = choices.map(({ name }) => Object.assign(document.createElement("input"), { type: "checkbox", value: name }));
    byId("ghosts").replaceChildren(
      ...this.ghosts.map((box) => {
        const label = document.createElement("label");
        label.append(box, box.value);
        box.addEventListener("change", () => {
          const solvers = this.ghosts.filter(({ checked }) => checked).map(({ value }) => value);
          this.session.send({ do: "ghosts", solvers });
          box.blur();
        });
        return label;
      }),
    );
  }
}

interface Wanted {
  name: string;
  range: readonly [number, number];
  unit: string;
  send(value: number): void;
}

function fill(list: HTMLElement, wanted: Wanted[]): Slider[] {
  const sliders = wanted.map(({ name, range: [low, high], unit, send }) => {
    const label = document.createElement("label");
    label.className = "slider";
    const caption = document.createElement("span");
    const shown = document.createElement("output");
    caption.append(name, shown);
    const input = Object.assign(document.createElement("input"), { type: "range", min: low, max: high, step: (high - low) / 500 });
    label.append(caption, input);
    const show = (value: number) => {
      text(shown, `${number(value)} ${unit}`);
      // Not under the finger that moves it.
      if (!input.matches(":active")) input.value = String(value);
    };
    input.addEventListener("input", () => {
      send(Number(input.value));
      show(Number(input.value));
    });
    return { label, slider: { input, show } };
  });
  list.replaceChildren(...sliders.map(({ label }) => label));
  return sliders.map(({ slider }) => slider);
}
