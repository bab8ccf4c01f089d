// Contact surfaces of what meets by pressure: their polygons, coloured by the pressure.
//
// They lie inside both bodies, so they are drawn over what hides them, fainter. The colours are viridis (van der Walt and
// Smith), which rises evenly in lightness and reads the same with every common colour blindness, from no pressure to `top`; what is
// higher has the last.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, GreaterDepth, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial } from "three";
import type { Material } from "three";
import { CORNER_FLOATS } from "./protocol";
import type { Frame, Patch } from "./protocol";
import type { Theme } from "./theme";

/** Viridis at equal steps. */
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const STOPS = VIRIDIS.map((stop) => new Color(stop));
/** Ends of a scale, in powers of ten. */
const ENDS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const OPEN = 0.9; // opacity where nothing hides it
const HIDDEN = 0.8;

export class Pressure extends Group {
  shown = true;
  /** Pressure of the last colour [Pa]. */
  top = 0;
  private frame: Frame | null = null;
  private corners = 0;
  private readonly geometry = new BufferGeometry();
  private readonly rims = new BufferGeometry();
  private readonly faces: Mesh[];
  private readonly edges: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor() {
    super();
    const glass = { vertexColors: true, transparent: true, side: DoubleSide, depthWrite: false };
    const hidden = new MeshBasicMaterial({ ...glass, opacity: HIDDEN, depthFunc: GreaterDepth });
    this.faces = [new Mesh(this.geometry, hidden), new Mesh(this.geometry, new MeshBasicMaterial({ ...glass, opacity: OPEN }))];
    this.edges = new LineSegments(this.rims, new LineBasicMaterial({ transparent: true, opacity: 0.3, depthTest: false }));
    for (const object of [...this.faces, this.edges]) {
      object.frustumCulled = false;
      this.add(object);
    }
    this.visible = false;
  }

  paint(theme: Theme): void {
    this.edges.material.color.set(theme.edge);
  }

  /** The scale reaches to this pressure [Pa], or a little more. */
  reach(pascals: number): void {
    this.top = 0;
    if (pascals <= 0) return;
    const power = 10 ** Math.floor(Math.log10(pascals));
    this.top = (ENDS.find((end) => end * power >= pascals * (1 - 1e-9)) ?? 10) * power;
  }

  show(frame: Frame): void {
    this.frame = frame;
    this.redraw();
  }

  /** How many polygons are on the screen. */
  get drawn(): number {
    return this.visible ? (this.frame?.patches ?? []).reduce((sum, { polygons }) => sum + polygons.length, 0) : 0;
  }

  redraw(): void {
    const patches = this.frame?.patches ?? [];
    this.visible = this.shown && patches.length > 0 && this.top > 0;
    if (!this.visible) return;
    const count = patches.reduce((sum, { corners }) => sum + corners.length / CORNER_FLOATS, 0);
    if (count > this.corners) this.grow(2 * count);
    const [place, colour] = ["position", "color"].map((name) => this.geometry.getAttribute(name) as BufferAttribute) as [BufferAttribute, BufferAttribute];
    const [faces, rims] = [this.geometry.index as BufferAttribute, this.rims.index as BufferAttribute];
    let corner = 0;
    let indices = 0;
    let ends = 0;
    for (const patch of patches) {
      let first = corner;
      for (const sides of patch.polygons) {
        for (let k = 0; k < sides; k++) {
          if (k >= 2) for (const i of [first, first + k - 1, first + k]) faces.setX(indices++, i);
          for (const i of [first + k, first + ((k + 1) % sides)]) rims.setX(ends++, i);
        }
        first += sides;
      }
      corner = this.fill(patch, corner, place, colour);
    }
    for (const attribute of [place, colour, faces, rims]) attribute.needsUpdate = true;
    this.geometry.setDrawRange(0, indices);
    this.rims.setDrawRange(0, ends);
  }

  /** Corners of a patch from the number `at` on; the number after the last. */
  private fill({ corners }: Patch, at: number, place: BufferAttribute, colour: BufferAttribute): number {
    for (let i = 0; i < corners.length; i += CORNER_FLOATS, at++) {
      const [x = NaN, y = NaN, z = NaN, pressure = NaN] = corners.subarray(i, i + CORNER_FLOATS);
      place.setXYZ(at, x, y, z);
      viridis(pressure / this.top, scratch);
      colour.setXYZ(at, scratch.r, scratch.g, scratch.b);
    }
    return at;
  }

  private grow(corners: number): void {
    this.corners = corners;
    const of = (count: number, size: number) => new BufferAttribute(new Float32Array(count * size), size).setUsage(DynamicDrawUsage);
    const index = (count: number) => new BufferAttribute(new Uint32Array(count), 1).setUsage(DynamicDrawUsage);
    this.dispose();
    this.geometry.setAttribute("position", of(corners, 3));
    this.geometry.setAttribute("color", of(corners, 3));
    this.rims.setAttribute("position", this.geometry.getAttribute("position"));
    // A polygon of n corners is n − 2 triangles and n sides.
    this.geometry.setIndex(index(3 * corners));
    this.rims.setIndex(index(2 * corners));
  }

  /** Frees what is on the graphics card; it comes back when drawn. */
  dispose(): void {
    for (const geometry of [this.geometry, this.rims]) geometry.dispose();
    for (const { material } of [...this.faces, this.edges]) (material as Material).dispose();
  }
}

/** The colours of a legend, from left to right. */
export const GRADIENT = `linear-gradient(to right, ${VIRIDIS.join(", ")})`;

/** The colour at a share of the scale. */
function viridis(share: number, out: Color): void {
  const at = Math.min(Math.max(share || 0, 0), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(at), STOPS.length - 2);
  out.lerpColors(STOPS[low] as Color, STOPS[low + 1] as Color, at - low);
}

const scratch = new Color();
