// The bar at the bottom: play, step, scrub, speed, and the strip chart.

import { drawChart, QUANTITIES } from "./chart";
import { byId, onPress, text } from "./dom";
import { time } from "./format";
import type { Clock } from "./player";
import { span } from "./source";
import type { Source } from "./source";
import type { Theme } from "./theme";

const GROWN = 120; // ms between two charts of a growing run

export class Transport {
  private readonly track = byId("track");
  private readonly canvas = byId<HTMLCanvasElement>("chart");
  private readonly head = byId("playhead");
  private quantity: number;

  /** In pictures of a growing run, when the chart was last drawn [ms]. */
  private drawn = 0;

  constructor(
    private source: Source,
    private player: Clock,
    private theme: Theme,
  ) {
    this.quantity = firstMeasured(source);
    onPress(byId("quantity"), () => this.nextQuantity());
    this.listenForScrubs();
    new ResizeObserver(() => this.redraw()).observe(this.track);
  }

  load(source: Source, player: Clock): void {
    this.source = source;
    this.player = player;
    this.redraw();
  }

  /** There are more frames: the chart follows, a few times a second. */
  grown(): void {
    const now = performance.now();
    if (now - this.drawn < GROWN) return;
    this.drawn = now;
    this.redraw();
  }

  paint(theme: Theme): void {
    this.theme = theme;
    this.redraw();
  }

  nextQuantity(): void {
    this.quantity = (this.quantity + 1) % QUANTITIES.length;
    this.redraw();
  }

  /** Follows the clock. */
  update(): void {
    const { player } = this;
    const [start, end] = span(this.source);
    const share = end > start ? (player.t - start) / (end - start) : 0;
    this.head.style.left = `${(100 * share).toFixed(3)}%`;
    text(byId("time"), time(player.t, end - start));
    text(byId("duration"), `/ ${time(end, end - start)} s`);
    text(byId("frame"), this.source.length > 0 ? `frame ${player.index + 1} of ${this.source.length}` : "no frames");
    text(byId("speed"), `${player.speed}×`);
    byId("play").dataset["playing"] = String(player.playing);
    this.track.setAttribute("aria-valuemin", String(start));
    this.track.setAttribute("aria-valuemax", String(end));
    this.track.setAttribute("aria-valuenow", player.t.toFixed(3));
  }

  private redraw(): void {
    const quantity = QUANTITIES[this.quantity];
    if (!quantity) return;
    const range = drawChart(this.canvas, this.source, quantity, this.theme);
    text(byId("quantity"), `${quantity.name} [${quantity.unit}]`);
    text(byId("range"), !range ? "no values" : range.low === range.high ? range.low : `${range.low} … ${range.high}`);
  }

  private listenForScrubs(): void {
    const seek = (event: PointerEvent) => {
      const box = this.track.getBoundingClientRect();
      const [start, end] = span(this.source);
      this.player.seek(start + ((end - start) * (event.clientX - box.left)) / box.width);
    };
    this.track.addEventListener("pointerdown", (event) => {
      this.player.hold();
      this.track.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.track.addEventListener("pointermove", (event) => {
      if (this.track.hasPointerCapture(event.pointerId)) seek(event);
    });
    this.track.addEventListener("lostpointercapture", () => this.player.letGo());
  }
}

/** The certificate when it was asked for, else the energy. */
function firstMeasured(source: Source): number {
  for (let i = 0; i < source.length; i++) if (Number.isFinite(source.digest(i).naturalMap)) return 0;
  return 1;
}
