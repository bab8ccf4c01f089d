// The panel: what is shown, in numbers. The counts of contacts are the legend of their colours.

import { byId, onPress, text } from "./dom";
import { component, force, length, number, pressure, scientific, trimmed } from "./format";
import { GRADIENT } from "./pressure";
import { MODES, POSE_FLOATS } from "./protocol";
import type { Frame, Scene } from "./protocol";
import type { Status } from "./session";
import { forceFromWorld, lostBodies, modeCounts, norm } from "./summary";

export class Panel {
  private readonly root = byId("panel");

  constructor() {
    onPress(byId("panel-toggle"), () => this.toggle());
    if (matchMedia("(max-width: 640px), (max-height: 480px)").matches) this.toggle();
  }

  load(scene: Scene): void {
    text(byId("scene-name"), scene.name || "unnamed scene");
    const step = Number.isFinite(scene.dt) && scene.dt !== null ? ` · h = ${trimmed(1e3 * scene.dt)} ms` : "";
    text(byId("scene-model"), (scene.contact_model || "no contact model") + step);
    this.tell(scene.notes ?? []);
  }

  /** Where the scene is not what its files say: a count beside the certificate, and every note behind it. */
  private tell(notes: string[]): void {
    byId("notes-part").hidden = notes.length === 0;
    text(byId("notes-count"), notes.length === 1 ? "1 note about the files" : `${notes.length} notes about the files`);
    byId("notes").replaceChildren(...notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })));
  }

  /** How fast time passes; of a live session. */
  pace({ playing, speed, real_time }: Status): void {
    byId("pace-row").hidden = false;
    const slow = playing && real_time > 0 && real_time < 0.9 * speed;
    text(byId("pace"), playing ? `${real_time.toFixed(2)} × real time${slow ? ", as fast as it can" : ""}` : "paused");
  }

  show(frame: Frame): void {
    const counts = modeCounts(frame);
    for (const mode of MODES) {
      text(byId(`count-${mode}`), String(counts[mode]));
      byId(`chip-${mode}`).classList.toggle("none", counts[mode] === 0);
    }
    const lost = lostBodies(frame);
    byId("lost").hidden = lost === 0;
    text(byId("lost"), `${lost} of ${frame.poses.length / POSE_FLOATS} poses are not numbers: the run blew up.`);
    const sum = forceFromWorld(frame);
    const size = norm(sum);
    text(byId("force-vertical"), `${component(sum[2], size)} N`);
    text(byId("force-sum"), `${sum.map((value) => component(value, size)).join("  ")} N`);
    text(byId("iterations"), frame.outcome === "none" ? "–" : String(frame.iterations));
    byId("remedy-row").hidden = frame.remedy === "none";
    text(byId("remedy"), frame.remedy);
    text(byId("penetration"), frame.outcome === "none" ? "–" : length(frame.penetration));
    text(byId("energy"), Number.isFinite(frame.energy) ? `${number(frame.energy)} J` : "–");
    text(byId("natural-map"), Number.isFinite(frame.naturalMap) ? `${scientific(frame.naturalMap)} m/s` : "not asked");
  }

  /** The legend of contact surfaces, up to a pressure [Pa], which is exceeded or not; none without. */
  pressure(top: number, exceeded: boolean): void {
    byId("pressure-row").hidden = top === 0;
    byId("pressure-scale").style.background = GRADIENT;
    text(byId("pressure-top"), (exceeded ? "≥\u2009" : "") + pressure(top));
  }

  followed(name: string | null): void {
    text(byId("followed"), name ?? "nothing");
  }

  picked(name: string | null): void {
    byId("picked-row").hidden = name === null;
    text(byId("picked"), name ?? "");
  }

  /** How long an arrow is: 1, 2 or 5 times a power of ten newtons that give a few centimetres. */
  scale(metresPerNewton: number, sceneSize: number): void {
    const rough = (0.3 * sceneSize) / metresPerNewton;
    const power = 10 ** Math.floor(Math.log10(rough));
    const newtons = ([5, 2, 1].find((digit) => digit * power <= rough) ?? 1) * power;
    text(byId("scale"), `${newtons >= 1 ? `${newtons} N` : force(newtons)} ≙ ${length(newtons * metresPerNewton)}`);
  }

  private toggle(): void {
    const folded = this.root.classList.toggle("folded");
    byId("panel-toggle").setAttribute("aria-expanded", String(!folded));
  }
}
