// Puts a source, the clock, the view and the controls together. Everything that happens goes through `commands`.

import { bindButtons, bindKeys, fillHelp, reflectSwitches } from "./commands";
import type { Command } from "./commands";
import { byId, onPress } from "./dom";
import { Ghosts } from "./ghosts";
import { Panel } from "./panel";
import { Player } from "./player";
import type { Frame } from "./protocol";
import { span } from "./source";
import type { Source } from "./source";
import { forceFromWorld, modeCounts, mostContacts, typicalLargestForce } from "./summary";
import { applyTheme, preferredTheme, THEMES } from "./theme";
import type { Theme } from "./theme";
import { Transport } from "./transport";
import { View } from "./view";

const LONGEST_TICK = 0.2; // s; a tab that slept does not jump ahead
const PATH_SAMPLES = 24; // frames looked at to frame the scene
const ARROW = 0.6; // length of a typical large force, in sizes of the scene

export class App {
  readonly player: Player;
  readonly view: View;
  private readonly panel: Panel;
  private readonly transport: Transport;
  private readonly commands: Command[];
  private readonly ghosts: Ghosts;
  private readonly metresPerNewton: number;
  private theme: Theme = preferredTheme();
  private seeThrough = false;
  private labelled = true;
  private picked: number | null = null;
  private shown: Frame | null = null;
  private rendered = 0;

  constructor(readonly source: Source) {
    const { scene } = source;
    this.player = new Player(source);
    this.ghosts = new Ghosts(scene, source.length > 0 ? source.frame(0) : undefined);
    const path = samples(source).map((frame) => this.ghosts.place(frame));
    this.view = new View(byId("stage"), scene, mostContacts(source), path);
    this.panel = new Panel(scene);
    this.transport = new Transport(source, this.player, this.theme);
    this.metresPerNewton = (ARROW * this.view.size) / typicalLargestForce(source);

    this.commands = this.makeCommands();
    bindKeys(this.commands);
    bindButtons(this.commands);
    fillHelp(byId("help-keys"), this.commands);
    this.listenForHelpClosing();
    const slider = byId<HTMLInputElement>("scale-slider");
    slider.addEventListener("input", () => this.setArrowScale(Number(slider.value)));
    this.view.onPick = (body) => this.pick(body);
    this.player.onChange = () => this.showNow();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(preferredTheme()));

    this.setArrowScale(0);
    this.setTheme(this.theme);
    this.view.bodies.fade(this.ghosts.several && !this.ghosts.apart, this.theme);
    if (this.view.travels) this.follow(0);
    this.showNow();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.toggle();
    this.animate(performance.now());
  }

  /** Everything a test wants to know. */
  state() {
    const { player, view, shown } = this;
    return {
      scene: this.source.scene.name,
      contactModel: this.source.scene.contact_model,
      runs: this.source.scene.runs.length,
      apart: this.ghosts.apart,
      t: player.t,
      frame: player.index,
      frames: this.source.length,
      span: span(this.source),
      playing: player.playing,
      speed: player.speed,
      contacts: shown ? modeCounts(shown) : null,
      sumForce: shown ? forceFromWorld(shown) : null,
      naturalMap: shown?.naturalMap ?? null,
      energy: shown?.energy ?? null,
      drawn: view.overlay.drawn(),
      followed: view.followed,
      picked: this.picked,
      seeThrough: this.seeThrough,
      theme: this.theme.name,
      rendered: this.rendered,
    };
  }

  private animate(before: number): void {
    requestAnimationFrame((now) => {
      this.player.advance(Math.min((now - before) / 1e3, LONGEST_TICK));
      if (this.view.tick()) this.rendered++;
      this.animate(now);
    });
  }

  private showNow(): void {
    this.transport.update();
    reflectSwitches(this.commands);
    if (this.source.length === 0) return;
    const frame = this.source.frame(this.player.index);
    if (frame === this.shown) return;
    this.shown = frame;
    this.place(frame);
    this.panel.show(this.ghosts.first(frame));
  }

  private place(frame: Frame): void {
    const placed = this.ghosts.place(frame);
    this.view.show(placed, this.ghosts.names(placed));
  }

  private toggleGhosts(): void {
    this.ghosts.apart = !this.ghosts.apart;
    this.view.bodies.fade(!this.ghosts.apart, this.theme);
    if (this.shown) this.place(this.shown);
    this.redraw();
  }

  private makeCommands(): Command[] {
    const { player, view } = this;
    const jump = (share: number) => {
      const [start, end] = span(this.source);
      player.seek(player.t + share * (end - start));
    };
    const overlay = (kind: "points" | "forces" | "cones", key: string, what: string): Command => ({
      keys: [key],
      what,
      button: `tool-${kind}`,
      on: () => view.overlay.shown[kind],
      run: () => {
        view.overlay.shown[kind] = !view.overlay.shown[kind];
        this.redraw();
      },
    });
    return [
      { keys: [" "], keyName: "space", what: "Play or pause", button: "play", run: () => player.toggle() },
      { keys: ["ArrowLeft"], keyName: "←", what: "One frame back", button: "back", run: () => player.step(-1) },
      { keys: ["ArrowRight"], keyName: "→", what: "One frame on", button: "forward", run: () => player.step(1) },
      { keys: ["Shift+ArrowLeft", "PageUp"], keyName: "⇧ ←", what: "A tenth of the run back", run: () => jump(-0.1) },
      { keys: ["Shift+ArrowRight", "PageDown"], keyName: "⇧ →", what: "A tenth of the run on", run: () => jump(0.1) },
      { keys: ["Home"], what: "To the start", run: () => player.seek(span(this.source)[0]) },
      { keys: ["End"], what: "To the end", run: () => player.seek(span(this.source)[1]) },
      { keys: ["ArrowUp", "+"], keyName: "↑", what: "Faster", run: () => player.faster(1) },
      { keys: ["ArrowDown", "-"], keyName: "↓", what: "Slower", run: () => player.faster(-1) },
      { keys: ["s"], what: "Next speed", button: "speed", run: () => this.nextSpeed() },
      { keys: ["l"], what: "Play in a loop, or once", run: () => (player.loop = !player.loop) },
      overlay("forces", "f", "Force arrows"),
      overlay("cones", "c", "Friction cones"),
      overlay("points", "b", "Contact points"),
      { keys: ["n"], what: "Numbers at the arrows", button: "tool-labels", on: () => this.labelled, run: () => this.toggleLabels() },
      { keys: ["["], what: "Shorter arrows", run: () => this.nudgeArrows(-0.1) },
      { keys: ["]"], what: "Longer arrows", run: () => this.nudgeArrows(0.1) },
      { keys: ["x"], what: "See through bodies", button: "tool-xray", on: () => this.seeThrough, run: () => this.toggleSeeThrough() },
      {
        keys: ["t"],
        what: "Follow a body (click one to choose)",
        button: "tool-follow",
        on: () => view.followed !== null,
        run: () => this.follow(view.followed === null ? (this.picked ?? 0) : null),
      },
      ...(this.ghosts.several
        ? [{ keys: ["g"], what: "Runs side by side, or in one place as ghosts", run: () => this.toggleGhosts() }]
        : []),
      { keys: ["r"], what: "Camera as at the start", button: "tool-home", run: () => view.look("home") },
      { keys: ["1"], what: "From the front", run: () => view.look("front") },
      { keys: ["2"], what: "From the side", run: () => view.look("side") },
      { keys: ["3"], what: "From above", run: () => view.look("top") },
      { keys: ["m"], what: "Next quantity in the chart", run: () => this.transport.nextQuantity() },
      { keys: ["d"], what: "Dark or light", button: "tool-theme", run: () => this.setTheme(THEMES[this.theme.name === "dark" ? "light" : "dark"]) },
      { keys: ["h", "?"], what: "This help", button: "tool-help", on: () => !byId("help").hidden, run: () => this.toggleHelp() },
    ];
  }

  private nextSpeed(): void {
    const before = this.player.speed;
    this.player.faster(1);
    if (this.player.speed === before) this.player.faster(-Infinity);
  }

  private setArrowScale(decades: number): void {
    this.view.overlay.metresPerNewton = this.metresPerNewton * 10 ** decades;
    this.panel.scale(this.view.overlay.metresPerNewton, this.view.size);
    this.redraw();
  }

  private nudgeArrows(decades: number): void {
    const slider = byId<HTMLInputElement>("scale-slider");
    slider.value = String(Number(slider.value) + decades);
    this.setArrowScale(Number(slider.value));
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    applyTheme(theme);
    this.view.paint(theme);
    this.transport.paint(theme);
  }

  private toggleSeeThrough(): void {
    this.seeThrough = !this.seeThrough;
    this.view.bodies.seeThrough(this.seeThrough, this.theme);
    this.redraw();
  }

  private toggleLabels(): void {
    this.labelled = !this.labelled;
    this.view.labelled = this.labelled;
    this.redraw();
  }

  private toggleHelp(): void {
    const help = byId("help");
    help.hidden = !help.hidden;
    reflectSwitches(this.commands);
  }

  private listenForHelpClosing(): void {
    const help = byId("help");
    const close = () => {
      if (!help.hidden) this.toggleHelp();
    };
    onPress(byId("help-close"), close);
    help.addEventListener("click", (event) => event.target === help && close());
    addEventListener("keydown", (event) => event.key === "Escape" && close());
  }

  private follow(body: number | null): void {
    this.view.follow(body);
    this.panel.followed(body === null ? null : (this.source.scene.bodies[body] ?? null));
    reflectSwitches(this.commands);
  }

  private pick(body: number | null): void {
    this.picked = body;
    this.view.bodies.highlight(body);
    this.view.invalidate();
    this.panel.picked(body === null ? null : (this.source.scene.bodies[body] ?? null));
    if (body !== null && this.view.followed !== null) this.follow(body);
  }

  private redraw(): void {
    this.view.overlay.redraw();
    this.view.invalidate();
    reflectSwitches(this.commands);
  }
}

function samples(source: Source): Frame[] {
  const count = Math.min(source.length, PATH_SAMPLES);
  return Array.from({ length: count }, (_, i) =>
    source.frame(Math.round((i * (source.length - 1)) / Math.max(count - 1, 1))),
  );
}
