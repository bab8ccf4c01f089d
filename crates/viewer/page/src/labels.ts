// Numbers beside the tips of the force arrows, in HTML so that they stay crisp. The largest forces come first; a label
// that would cover another is left out; names move up instead.

import { Vector3 } from "three";
import type { PerspectiveCamera } from "three";
import { force } from "./format";
import type { Tip } from "./overlay";

export interface Name {
  at: Vector3;
  name: string;
}

const seen = new Vector3();

interface Placed {
  x: number;
  y: number;
  words: string;
  named: boolean;
}

const MOST = 24;
/** Forces looked at for a place. */
const CANDIDATES = 120;
// Room a label takes, in pixels.
const WIDTH = 48;
const HEIGHT = 17;

export class Labels {
  shown = true;
  private readonly layer = document.createElement("div");

  constructor(private readonly host: HTMLElement) {
    this.layer.className = "labels";
    host.append(this.layer);
  }

  /** Forces at their tips, and names where they belong. */
  draw(tips: Tip[], names: Name[], camera: PerspectiveCamera): void {
    const placed = this.shown ? this.place(tips, names, camera) : [];
    while (this.layer.childElementCount < placed.length) this.layer.append(document.createElement("span"));
    [...this.layer.children].forEach((element, i) => {
      const label = element as HTMLElement;
      const place = placed[i];
      label.hidden = !place;
      if (!place) return;
      label.textContent = place.words;
      label.className = place.named ? "run" : "";
      label.style.transform = `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px) translate(-50%, -130%)`;
    });
  }

  /** The labels as they are, on a picture with so many of its pixels to one of the page. */
  print(pen: CanvasRenderingContext2D, ratio: number): void {
    const corner = this.host.getBoundingClientRect();
    for (const label of this.layer.children as HTMLCollectionOf<HTMLElement>) {
      if (label.hidden) continue;
      const box = label.getBoundingClientRect();
      const style = getComputedStyle(label);
      const [x, y] = [ratio * (box.x - corner.x), ratio * (box.y - corner.y)];
      pen.beginPath();
      pen.roundRect(x, y, ratio * box.width, ratio * box.height, 5 * ratio);
      pen.fillStyle = style.backgroundColor;
      pen.fill();
      pen.font = `${style.fontWeight} ${ratio * parseFloat(style.fontSize)}px ${style.fontFamily}`;
      pen.fillStyle = style.color;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(label.textContent ?? "", x + 0.5 * ratio * box.width, y + 0.5 * ratio * box.height);
    }
  }

  private place(tips: Tip[], names: Name[], camera: PerspectiveCamera): Placed[] {
    const placed: Placed[] = [];
    const forces = [...tips].sort((a, b) => b.newtons - a.newtons).slice(0, CANDIDATES);
    const wanted = [
      ...names.map(({ at: { x, y, z }, name }) => ({ x, y, z, words: name, named: true })),
      ...forces.map(({ x, y, z, newtons }) => ({ x, y, z, words: force(newtons), named: false })),
    ];
    for (const { words, named, ...at } of wanted) {
      seen.copy(at).project(camera);
      if (!(Math.abs(seen.x) < 1 && Math.abs(seen.y) < 1 && seen.z < 1)) continue;
      const x = (0.5 + 0.5 * seen.x) * this.host.clientWidth;
      let y = (0.5 - 0.5 * seen.y) * this.host.clientHeight;
      const covered = () => placed.some((other) => Math.abs(other.x - x) < WIDTH && Math.abs(other.y - y) < HEIGHT);
      while (named && covered()) y -= HEIGHT / 2;
      if (!covered()) placed.push({ x, y, words, named });
      if (placed.length === MOST + names.length) break;
    }
    return placed;
  }
}
