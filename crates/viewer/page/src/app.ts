// Puts a source, the clock, the view and the controls together. Everything that happens goes through `commands`.

import { PARTS } from "./anatomy";
import type { Part } from "./anatomy";
import { bindButtons, bindKeys, fillHelp, reflectSwitches } from "./commands";
import type { Command } from "./commands";
import { Controls } from "./controls";
import { byId, onPress, text } from "./dom";
import { Ghosts } from "./ghosts";
import { showVerdict, verdict } from "./light";
import { Panel } from "./panel";
import type { Clock } from "./player";
import { Plots } from "./plots";
import type { Frame } from "./protocol";
import type { Session } from "./session";
import { span } from "./source";
import type { Source } from "./source";
import { expectedContacts, expectedForce, forceFromWorld, modeCounts, mostContacts, pressures, typicalLargestForce } from "./summary";
import { applyTheme, preferredTheme, THEMES } from "./theme";
import type { Theme } from "./theme";
import { Transport } from "./transport";
import { View } from "./view";

const LONGEST_TICK = 0.2; // s; a tab that slept does not jump ahead
const PATH_SAMPLES = 24; // frames looked at to frame the scene
const ARROW = 0.6; // length of a typical large force, in sizes of the scene
const FEW = 16; // contacts; arrows of more are shorter, so that their points of application are still seen
const CROWD = 64; // contacts whose cones would hide the bodies
const RECENT = 300; // frames of a session whose pressures make the scale
const PATIENCE = 4000; // ms a notice stays

export class App {
  readonly view: View;
  private readonly panel = new Panel();
  private readonly transport: Transport;
  private readonly plots: Plots;
  private readonly controls: Controls | null;
  private readonly commands!: Command[];
  private ghosts!: Ghosts;
  private metresPerNewton = 1;
  private theme: Theme = preferredTheme();
  private seeThrough = false;
  private labelled = true;
  /** Whether there was a crowd of contacts. */
  private crowded = false;
  private picked: number | null = null;
  private shown: Frame | null = null;
  private rendered = 0;
  /** Whether the clock shows another instant than the page. */
  private changed = false;
  /** Of this script, for a picture [ms]. */
  private cost = 0;
  private notice = 0;

  /** `session`: of a live source. */
  constructor(
    public source: Source,
    public player: Clock,
    private readonly session: Session | null,
  ) {
    if (session) document.body.dataset["live"] = "";
    this.view = new View(byId("stage"));
    this.transport = new Transport(source, player, this.theme);
    this.plots = new Plots(source, this.theme);
    this.controls = session && new Controls(session);
    this.load(source, player);
    this.makeWay();
    addEventListener("resize", () => this.makeWay());
    new ResizeObserver(() => this.makeWay()).observe(byId("panel"));
    this.view.look("home");

    this.commands = this.makeCommands();
    bindKeys(this.commands);
    bindButtons(this.commands);
    fillHelp(byId("help-keys"), this.commands);
    this.listenForHelpClosing();
    const slider = byId<HTMLInputElement>("scale-slider");
    slider.addEventListener("input", () => this.setArrowScale(Number(slider.value)));
    this.view.onPick = (body) => this.pick(body);
    if (session) this.takeHold(session);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(preferredTheme()));

    this.setTheme(this.theme);
    if (this.view.travels) this.follow(0);
    this.showNow();
    this.told();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!session && !still) this.player.toggle();
    this.animate(performance.now());
  }

  /** Another scene, or the same under another solver. */
  load(source: Source, player: Clock): void {
    this.source = source;
    this.player = player;
    const { scene } = source;
    this.ghosts = new Ghosts(scene, source.length > 0 ? source.frame(0) : undefined);
    const path = samples(source).map((frame) => this.ghosts.place(frame));
    const { shown } = this.view.overlay ?? {};
    const inside = PARTS.filter((part) => this.view.anatomy?.on(part));
    this.view.load(scene, mostContacts(source), path);
    if (shown) Object.assign(this.view.overlay.shown, shown);
    for (const part of inside) this.view.anatomy.show(part, true);
    const typical = this.session ? expectedForce(scene) : typicalLargestForce(source);
    const contacts = this.session ? expectedContacts(scene) : mostContacts(source);
    this.metresPerNewton = (ARROW * this.view.size) / typical / Math.sqrt(Math.max(contacts / FEW, 1));
    this.scalePressure();
    this.makeRoom(contacts);
    this.panel.load(scene);
    this.controls?.load(scene);
    this.transport.load(source, player);
    this.plots.load(source);
    player.onChange = () => (this.changed = true);
    if (this.picked !== null && this.picked >= scene.bodies.length) this.picked = null;
    this.shown = null;
    this.setArrowScale(Number(byId<HTMLInputElement>("scale-slider").value));
    this.view.paint(this.theme);
    this.view.bodies.seeThrough(this.seeThrough, this.theme);
    this.view.bodies.fade(this.ghosts.several && !this.ghosts.apart, this.theme);
    if (this.ghosts.several) this.view.look("home");
  }

  /** The session's status has come. */
  told(): void {
    const status = this.session?.status;
    if (!status) return;
    this.controls?.reflect(status);
    this.panel.pace(status);
    if (status.failure) this.say(`The step failed: ${status.failure}`, true);
    else if (this.notice < 0) this.say("");
    this.transport.update();
  }

  /** A notice at the top, for a while or until there is another. */
  say(words: string, lasting = false): void {
    clearTimeout(this.notice);
    byId("notice").hidden = words === "";
    text(byId("notice"), words);
    this.notice = lasting ? -1 : window.setTimeout(() => this.say(""), PATIENCE);
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
      polygons: view.pressure.drawn,
      pressure: this.source.length > 0 ? this.source.digest(player.index).pressure : 0,
      pressureTop: view.pressure.top,
      followed: view.followed,
      picked: this.picked,
      seeThrough: this.seeThrough,
      theme: this.theme.name,
      rendered: this.rendered,
      settled: !this.changed && !view.behind,
      cost: this.cost,
      calls: view.calls,
      light: byId("certificate").dataset["light"],
      plots: this.plots.on,
      inside: PARTS.filter((part) => view.anatomy.on(part)),
      trail: view.trail.visible,
      held: view.hand.body,
      poses: shown ? [...shown.poses] : [],
      joints: shown ? [...shown.joints] : [],
      status: this.session?.status ?? null,
    };
  }

  private animate(before: number): void {
    requestAnimationFrame((now) => {
      const start = performance.now();
      this.player.advance(Math.min((now - before) / 1e3, LONGEST_TICK));
      if (this.changed) this.showNow();
      if (this.view.tick(now)) {
        this.rendered++;
        this.cost = performance.now() - start;
      }
      this.animate(now);
    });
  }

  private showNow(): void {
    this.changed = false;
    this.transport.update();
    if (this.session) this.transport.grown();
    if (this.commands) reflectSwitches(this.commands);
    if (this.source.length === 0) return;
    this.plots.follow(this.player.index);
    const frame = this.source.frame(this.player.index);
    if (frame === this.shown) return;
    this.shown = frame;
    if (this.session) this.scalePressure();
    this.makeRoom(frame.contacts.length);
    this.place(frame);
    const first = this.ghosts.first(frame);
    this.panel.show(first);
    this.controls?.show(first);
    showVerdict(verdict(frame, this.source.scene));
  }

  /** Cones of a crowd of contacts are shown only when asked for, and where polygons tell of them, so are points and forces. */
  private makeRoom(contacts: number): void {
    if (this.crowded || contacts <= CROWD) return;
    this.crowded = true;
    const { shown } = this.view.overlay;
    shown.cones = false;
    if (this.view.pressure.top > 0) shown.points = shown.forces = false;
    if (this.commands) reflectSwitches(this.commands);
  }

  /** The scale of pressures is that of the recording, or of the last frames of a session; with the first there is a legend and a switch. */
  private scalePressure(): void {
    const { pressure } = this.view;
    const [typical, most] = pressures(this.source, this.session ? RECENT : Infinity);
    pressure.reach(typical);
    this.panel.pressure(pressure.top, most > pressure.top);
    byId("tool-pressure").hidden = pressure.top === 0;
  }

  private place(frame: Frame): void {
    const placed = this.ghosts.place(frame);
    this.drawTrail();
    this.view.show(placed, this.ghosts.names(placed));
  }

  private drawTrail(): void {
    const body = this.picked ?? this.view.followed ?? 0;
    if (this.view.trail.visible && body < this.source.scene.bodies.length) {
      this.view.trail.draw(this.source, body, this.player.index, this.ghosts.shiftOf(body));
    }
  }

  /** Drags on bodies go to the simulation. */
  private takeHold(session: Session): void {
    const { hand } = this.view;
    hand.ready = true;
    hand.onGrab = (body, point, target) => {
      const { runs } = this.source.scene;
      const own = runs[0]?.count ?? this.source.scene.bodies.length;
      // Ghosts are pulled with the body they are ghosts of.
      session.send({ do: "grab", body: body % own, point, target: this.ghosts.real(body, target) });
      this.pick(body);
    };
    hand.onPull = (target) => session.send({ do: "pull", target: this.ghosts.real(hand.body ?? 0, target) });
    hand.onRelease = () => session.send({ do: "release" });
  }

  private toggleGhosts(): void {
    this.ghosts.apart = !this.ghosts.apart;
    this.view.bodies.fade(!this.ghosts.apart, this.theme);
    this.view.frame(samples(this.source).map((frame) => this.ghosts.place(frame)));
    if (this.view.followed === null) this.view.look("home");
    if (this.shown) this.place(this.shown);
    this.redraw();
  }

  private makeCommands(): Command[] {
    const { view, session } = this;
    const jump = (share: number) => {
      const [start, end] = span(this.source);
      this.player.seek(this.player.t + share * (end - start));
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
    const inside = (part: Part, key: string, what: string): Command[] => [
      {
        keys: [key],
        what,
        button: `tool-${part}`,
        on: () => view.anatomy.on(part),
        run: () => {
          view.anatomy.show(part, !view.anatomy.on(part));
          this.redraw();
        },
      },
    ];
    return [
      { keys: [" "], keyName: "space", what: session ? "Play or pause (from what is shown)" : "Play or pause", button: "play", run: () => this.player.toggle() },
      { keys: ["ArrowLeft"], keyName: "←", what: "One frame back", button: "back", run: () => this.player.step(-1) },
      { keys: ["ArrowRight"], keyName: "→", what: session ? "One frame or step on" : "One frame on", button: "forward", run: () => this.player.step(1) },
      { keys: ["Shift+ArrowLeft", "PageUp"], keyName: "⇧ ←", what: "A tenth of the run back", run: () => jump(-0.1) },
      { keys: ["Shift+ArrowRight", "PageDown"], keyName: "⇧ →", what: "A tenth of the run on", run: () => jump(0.1) },
      { keys: ["Home"], what: session ? "To the oldest frame" : "To the start", run: () => this.player.seek(span(this.source)[0]) },
      { keys: ["End"], what: session ? "To now" : "To the end", run: () => this.player.seek(span(this.source)[1]) },
      ...(session ? [{ keys: ["Backspace"], keyName: "⌫", what: "Start again", button: "reset", run: () => this.reset(session) }] : []),
      { keys: ["ArrowUp", "+"], keyName: "↑", what: "Faster", run: () => this.player.faster(1) },
      { keys: ["ArrowDown", "-"], keyName: "↓", what: "Slower", run: () => this.player.faster(-1) },
      { keys: ["s"], what: "Next speed", button: "speed", run: () => this.nextSpeed() },
      ...(session ? [] : [{ keys: ["l"], what: "Play in a loop, or once", run: () => this.toggleLoop() }]),
      ...(session
        ? [{ keys: ["v"], what: "Drag bodies with the mouse (⇧: turn)", button: "tool-hand", on: () => view.hand.ready, run: () => this.toggleHand() }]
        : []),
      overlay("forces", "f", "Force arrows"),
      overlay("cones", "c", "Friction cones"),
      overlay("points", "b", "Contact points"),
      { keys: ["u"], what: "Pressure on contact surfaces", button: "tool-pressure", on: () => view.pressure.shown, run: () => this.togglePressure() },
      ...inside("joints", "j", "Joint axes and limits"),
      ...inside("masses", "w", "Centres of mass"),
      ...inside("inertias", "i", "Ellipsoids of inertia"),
      ...inside("frames", "a", "Frames of the bodies"),
      { keys: ["y"], what: "Trail of the picked body", button: "tool-trail", on: () => view.trail.visible, run: () => this.toggleTrail() },
      { keys: ["p"], what: "Plots", button: "tool-plots", on: () => this.plots.on, run: () => this.togglePlots() },
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
      ...(this.ghosts.several || session
        ? [{ keys: ["g"], what: "Runs side by side, or in one place as ghosts", run: () => this.toggleGhosts() }]
        : []),
      { keys: ["r"], what: "Camera as at the start", button: "tool-home", run: () => view.look("home") },
      { keys: ["1"], what: "From the front", run: () => view.look("front") },
      { keys: ["2"], what: "From the side", run: () => view.look("side") },
      { keys: ["3"], what: "From above", run: () => view.look("top") },
      { keys: ["m"], what: "Next quantity in the chart", run: () => this.transport.nextQuantity() },
      { keys: ["d"], what: "Dark or light", button: "tool-theme", run: () => this.setTheme(THEMES[this.theme.name === "dark" ? "light" : "dark"]) },
      { keys: ["o"], what: "Save a picture", button: "tool-picture", run: () => this.savePicture() },
      { keys: ["h", "?"], what: "This help", button: "tool-help", on: () => !byId("help").hidden, run: () => this.toggleHelp() },
    ];
  }

  private nextSpeed(): void {
    this.player.faster(this.player.speed >= 4 ? -Infinity : 1);
  }

  private toggleLoop(): void {
    if ("loop" in this.player) this.player.loop = !this.player.loop;
  }

  private reset(session: Session): void {
    session.send({ do: "reset" });
    this.player.seek(Infinity);
  }

  private toggleHand(): void {
    this.view.hand.release();
    this.view.hand.ready = !this.view.hand.ready;
    reflectSwitches(this.commands);
  }

  private togglePressure(): void {
    this.view.pressure.shown = !this.view.pressure.shown;
    this.view.pressure.redraw();
    this.redraw();
  }

  private toggleTrail(): void {
    this.view.trail.visible = !this.view.trail.visible;
    this.drawTrail();
    this.redraw();
  }

  private togglePlots(): void {
    this.plots.toggle();
    this.makeWay();
    this.plots.follow(this.player.index, true);
    reflectSwitches(this.commands);
  }

  /** Tells the view what covers it: the bar, panel and tools beside it, and on a phone panel and plots. */
  private makeWay(): void {
    const box = (id: string) => byId(id).getBoundingClientRect();
    const [plots, bar, panel, tools] = [box("plots"), box("transport"), box("panel"), box("tools")];
    const wide = ({ width }: DOMRect) => width > innerWidth / 2;
    // A folded panel is a strip at the top, as on a phone.
    const tall = !wide(panel) && panel.height > innerHeight / 4;
    this.view.cover({
      top: wide(panel) ? Math.round(Math.min(panel.bottom, innerHeight / 5)) : 0,
      bottom: Math.round(innerHeight - (this.plots.on && wide(plots) ? plots.top : bar.top)),
      left: tall ? Math.round(panel.right) : 0,
      right: tall ? Math.round(innerWidth - tools.left) : 0,
    });
  }

  /** What is shown, without panel and bar. */
  picture(): HTMLCanvasElement {
    if (this.changed) this.showNow();
    return this.view.screenshot();
  }

  private savePicture(): void {
    const link = document.createElement("a");
    link.download = `${this.source.scene.name || "stiction"}-${this.player.t.toFixed(3)}s.png`;
    link.href = this.picture().toDataURL("image/png");
    link.click();
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
    this.plots.paint(theme);
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
    this.drawTrail();
    if (body !== null && this.view.followed !== null) this.follow(body);
  }

  private redraw(): void {
    this.view.overlay.redraw();
    this.view.invalidate();
    if (this.commands) reflectSwitches(this.commands);
  }
}

function samples(source: Source): Frame[] {
  const count = Math.min(source.length, PATH_SAMPLES);
  return Array.from({ length: count }, (_, i) =>
    source.frame(Math.round((i * (source.length - 1)) / Math.max(count - 1, 1))),
  );
}
