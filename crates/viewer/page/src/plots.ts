// Plots that follow: quantities over the last seconds, up to the instant shown, with a common cursor.

import uPlot from "uplot";
import { byId, onPress } from "./dom";
import { number, scientific } from "./format";
import { indexAt, span } from "./source";
import type { Source } from "./source";
import type { Digest } from "./summary";
import type { Theme } from "./theme";

const WINDOW = 10; // s
const POINTS = 600;
const FOLLOW = 100; // ms between two drawings
const HEIGHT = 118;
const PHONE = 480; // pixels: a page no wider is held in a hand, and read from as far as a larger one
const SMALLEST = 1e-18; // a residual of exactly zero is drawn here
const MOST_CURVES = 14;
const MOST_DECADES = 4; // labelled
const MOST_DECIMALS = 6;
const LEAST_SPAN = 2e-5; // of a linear scale, relative to its values: what changes less is a flat line, not rounding made large

interface Sheet {
  title: string;
  unit: string;
  logarithmic?: boolean;
  curves: { label: string; of(digest: Digest): number }[];
}

export class Plots {
  private readonly root = byId("plots");
  private plots: uPlot[] = [];
  private sheets: Sheet[] = [];
  private drawn = 0;

  constructor(
    private source: Source,
    private theme: Theme,
  ) {
    onPress(byId("plots-close"), () => this.toggle());
    new ResizeObserver(() => this.resize()).observe(this.root);
  }

  get on(): boolean {
    return !this.root.hidden;
  }

  toggle(): void {
    this.root.hidden = this.on;
    if (this.on) this.build();
  }

  load(source: Source): void {
    this.source = source;
    if (this.on) this.build();
  }

  paint(theme: Theme): void {
    this.theme = theme;
    if (this.on) this.build();
  }

  /** Draws up to frame `index`, now and then. */
  follow(index: number, atOnce = false): void {
    const now = performance.now();
    if (!this.on || this.source.length === 0 || (!atOnce && now - this.drawn < FOLLOW)) return;
    this.drawn = now;
    const end = this.source.digest(index).t;
    const start = Math.max(end - WINDOW, span(this.source)[0]);
    const first = indexAt(this.source, start);
    const stride = Math.max(1, Math.ceil((index - first + 1) / POINTS));
    const digests: Digest[] = [];
    for (let i = first; i <= index; i += stride) digests.push(this.source.digest(i));
    const t = digests.map((digest) => digest.t);
    this.plots.forEach((plot, i) => {
      const { curves, logarithmic } = this.sheets[i] ?? { curves: [], logarithmic: false };
      const column = (of: (digest: Digest) => number) =>
        digests.map((digest) => {
          const value = of(digest);
          return Number.isFinite(value) ? (logarithmic ? Math.max(value, SMALLEST) : value) : null;
        });
      plot.setData([t, ...curves.map(({ of }) => column(of))] as uPlot.AlignedData);
      // Without a cursor, the values now.
      // (After the plot has done its own, which it puts off as well.)
      if ((plot.cursor.left ?? -1) < 0) queueMicrotask(() => plot.setLegend({ idx: t.length - 1 }, false));
    });
  }

  private build(): void {
    for (const plot of this.plots) plot.destroy();
    const body = byId("plots-body");
    body.replaceChildren();
    this.sheets = sheets(this.source);
    this.plots = this.sheets.map((sheet) => {
      const place = document.createElement("section");
      const title = document.createElement("h3");
      title.textContent = `${sheet.title} [${sheet.unit}]`;
      place.append(title);
      body.append(place);
      return new uPlot(this.options(sheet, body.clientWidth), [[]], place);
    });
    this.follow(Math.max(this.source.length - 1, 0), true);
  }

  private resize(): void {
    const width = byId("plots-body").clientWidth;
    for (const plot of this.plots) if (width > 0 && plot.width !== width) plot.setSize({ width, height: HEIGHT });
  }

  private options(sheet: Sheet, width: number): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const [ink, line] = [style.getPropertyValue("--soft"), style.getPropertyValue("--line")];
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, // Whole pixels: uPlot reads no others.
      font: `${innerWidth <= PHONE ? 12 : 11}px system-ui, sans-serif` };
    const say = sheet.logarithmic ? scientific : number;
    return {
      width: Math.max(width, 120),
      height: HEIGHT,
      scales: { x: { time: false }, y: sheet.logarithmic ? { distr: 3 } : { range: spanned } },
      axes: [
        { ...axis, size: 22, gap: 2, values: (_, ticks) => ticks.map((t) => `${Number(t.toFixed(3))}`) },
        {
          ...axis,
          size: innerWidth <= PHONE ? 60 : 54,
          gap: 4,
          ...(sheet.logarithmic ? { filter: someDecades, grid: { ...axis.grid, filter: someDecades } } : {}),
          values: (_, ticks) => ticks.map((value) => (value === null ? "" : sheet.logarithmic ? scientific(value).replace("1.0·", "") : short(value, ticks))),
        },
      ],
      cursor: { sync: { key: "stiction" }, drag: { x: false, y: false }, points: { size: 5 } },
      legend: { show: true },
      series: [
        // Between two drawings there may be no value under the cursor.
        { label: "t", value: (_, t: number | null | undefined) => (typeof t === "number" ? `${t.toFixed(3)} s` : "") },
        ...sheet.curves.map(({ label }, i) => ({
          label,
          stroke: this.theme.curves[i % this.theme.curves.length] ?? this.theme.chart,
          width: 1.5,
          // Colours come round: then the lines are broken.
          dash: i < this.theme.curves.length ? [] : [4, 3],
          points: { show: false },
          value: (_: uPlot, value: number | null | undefined) => (typeof value === "number" ? say(value) : "–"),
        })),
      ],
    };
  }
}

/** Of a logarithmic scale some powers of ten alone, as many as have room. */
function someDecades(_: uPlot, ticks: number[]): (number | null)[] {
  const powers = ticks.map(Math.log10);
  const stride = Math.max(1, Math.ceil((Math.max(...powers) - Math.min(...powers)) / MOST_DECADES));
  return ticks.map((value, i) => {
    const power = Math.round(powers[i] ?? 0.5);
    return Math.abs((powers[i] ?? NaN) - power) < 1e-9 && power % stride === 0 ? value : null;
  });
}

/** The range of a linear scale: with some room, and never so small that its ticks read alike. */
function spanned(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [low, high];
  const least = LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (high - low >= least) return uPlot.rangeNum(low, high, 0.1, true);
  const middle = (low + high) / 2;
  return [middle - least / 2, middle + least / 2];
}

/** A tick with the digits that tell it from the others. */
function short(value: number, ticks: number[]): string {
  const size = Math.max(...ticks.map(Math.abs));
  const apart = Math.min(...ticks.slice(1).map((tick, i) => tick - (ticks[i] ?? NaN)));
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return scientific(value, Math.max(Math.ceil(Math.log10(size / apart) - 1e-9), 1));
  const decimals = apart > 0 && Number.isFinite(apart) ? Math.ceil(-Math.log10(apart) - 1e-9) : 3;
  return value.toFixed(Math.min(Math.max(decimals, 0), MOST_DECIMALS));
}

function sheets({ scene }: Source): Sheet[] {
  const { actuators } = scene.mechanism;
  const units = [...new Set(actuators.map(({ effort_unit }) => effort_unit))];
  return [
    { title: "Energy", unit: "J", curves: [{ label: "total", of: ({ energy }) => energy }] },
    {
      title: "Natural map",
      unit: "m/s",
      logarithmic: true,
      curves: [
        { label: "exact law", of: ({ naturalMap }) => naturalMap },
        { label: "own law", of: ({ ownNaturalMap }) => ownNaturalMap },
      ],
    },
    {
      title: "Contact force",
      unit: "N",
      curves: [
        { label: "vertical", of: ({ force }) => force[2] },
        { label: "horizontal", of: ({ force }) => Math.hypot(force[0], force[1]) },
        { label: "largest", of: ({ largest }) => largest },
      ],
    },
    ...units.map((unit) => ({
      title: "Actuators",
      unit,
      curves: actuators
        .flatMap(({ name, effort_unit }, i) => (effort_unit === unit ? [{ label: name, of: ({ efforts }: Digest) => efforts[i] ?? NaN }] : []))
        .slice(0, MOST_CURVES),
    })),
    { title: "Iterations", unit: "–", curves: [{ label: "of the solver", of: ({ iterations }) => iterations }] },
    { title: "Penetration", unit: "m", curves: [{ label: "deepest", of: ({ penetration }) => penetration }] },
  ];
}
