// The 3-D view: camera, lights, bodies, contacts, labels. It shows the frame it is given and renders only when
// something changed.

import {
  Box3,
  DirectionalLight,
  HemisphereLight,
  MOUSE,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene as ThreeScene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Anatomy } from "./anatomy";
import { Bodies } from "./bodies";
import { Hand } from "./hand";
import { Labels } from "./labels";
import type { Name } from "./labels";
import { Overlay } from "./overlay";
import { Pressure } from "./pressure";
import type { Frame, Scene, Vec3 } from "./protocol";
import { Sharpness } from "./sharpness";
import { studio } from "./studio";
import type { Theme } from "./theme";
import { Trail } from "./trail";

const FIELD_OF_VIEW = 38; // degrees, vertical
/** Share of the window that what is framed fills: panel and bar cover some. */
const FILL = 0.8;
/** How far the mark of the world's plane goes, in radii of the scene. */
const MARK = 2.5;
/** What was drawn so long ago and has not changed stands still [ms]. */
const REST = 250;
/** Directions from which one looks: at rest, and for keys 1 (front, along -x), 2 (side, along y), 3 (top). */
export const VIEWPOINTS: Record<"home" | "front" | "side" | "top", Vec3> = {
  home: [1.55, -2.0, 0.95],
  front: [1, 0, 0.08],
  side: [0, -1, 0.08],
  top: [0, -0.001, 1],
};

/** Half the diagonal of a box [m]. */
const halfOf = (box: Box3): number => Math.max(box.getSize(new Vector3()).length() / 2, 0.01);

/** How much of each side of the window something else covers [pixels]. */
export interface Covered {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export class View {
  overlay!: Overlay;
  bodies!: Bodies;
  anatomy!: Anatomy;
  readonly trail = new Trail();
  readonly pressure = new Pressure();
  readonly hand: Hand;
  size = 1;
  /** Whether the bodies go too far to be framed at once: then one should follow them. */
  travels = false;
  followed: number | null = null;
  onPick: (body: number | null) => void = () => {};
  private readonly renderer: WebGLRenderer;
  private readonly scene = new ThreeScene();
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1000);
  private readonly orbit: OrbitControls;
  private readonly sky = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly studio = studio();
  private readonly labels: Labels;
  /** What is framed: a box, and the radius of the ball around it. */
  private home = { centre: new Vector3(), size: new Vector3(1, 1, 1), radius: 1 };
  private followedAt: Vector3 | null = null;
  private names: Name[] = [];
  private dirty = true;
  /** What panel, tools, bar and plots cover at the sides [pixels]. */
  private covered: Covered = { top: 0, bottom: 0, left: 0, right: 0 };
  /** When the last tick was, and the last that drew [ms]; whether that picture was in full. */
  private tickedAt = 0;
  private drawnAt = -Infinity;
  private full = true;
  private readonly sharpness = new Sharpness();

  constructor(private readonly host: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    this.setPixels(1);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    // Shadows are drawn again only when something cast another.
    this.renderer.shadowMap.autoUpdate = false;
    host.append(this.renderer.domElement);
    this.labels = new Labels(host);
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.enableDamping = true;
    this.orbit.dampingFactor = 0.12;
    this.orbit.zoomToCursor = true;
    this.orbit.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.orbit.addEventListener("change", () => this.invalidate());
    this.hand = new Hand(this, this.renderer.domElement, this.camera, this.orbit);
    this.scene.add(this.sky, this.studio, this.sun, this.sun.target, this.trail, this.pressure, this.hand.mark);
    this.sky.position.set(0, 0, 1);
    this.listenForPicks();
    new ResizeObserver(() => this.fit()).observe(host);
    this.fit();
  }

  /** Shows another scene, from where one looks already. `path`: frames to keep in sight when framing it. */
  load(scene: Scene, contactCapacity: number, path: Frame[]): void {
    if (this.bodies) {
      this.scene.remove(this.bodies, this.overlay);
      this.bodies.dispose();
      this.overlay.dispose();
    }
    this.bodies = new Bodies(scene);
    this.anatomy = new Anatomy(scene, this.bodies);
    if (path[0]) this.bodies.pose(path[0]);
    // Arrows are as long as suits one run.
    this.size = halfOf(this.bodies.extent(0));
    this.overlay = new Overlay(this.size, contactCapacity);
    this.scene.add(this.bodies, this.overlay);
    this.frame(path);
    this.anatomy.size(this.size);
    this.invalidate();
  }

  /** Frames these frames of the scene from now on; the bodies stay at the first. */
  frame(path: Frame[]): void {
    const first = path[0];
    if (first) this.bodies.pose(first);
    const extent = this.bodies.extent();
    // A short trip is framed whole; a long one starts at the robot, and one follows it.
    const whole = extent.clone();
    for (const frame of path) {
      this.bodies.pose(frame);
      whole.union(this.bodies.extent());
    }
    if (first) this.bodies.pose(first);
    this.travels = halfOf(whole) > 3.5 * halfOf(extent);
    const framed = this.travels ? extent : whole;
    if (path.length < 2) this.bodies.makeRoomToFall(framed);
    this.home = {
      centre: framed.getCenter(new Vector3()),
      size: framed.getSize(new Vector3()),
      radius: halfOf(framed),
    };
    this.setUpShadows();
  }

  /** Something changed: render at the next tick. */
  invalidate(): void {
    this.dirty = true;
  }

  show(frame: Frame, names: Name[] = []): void {
    this.names = names;
    this.bodies.pose(frame);
    this.renderer.shadowMap.needsUpdate = true;
    this.overlay.show(frame);
    this.pressure.show(frame);
    this.moveWithFollowed();
    this.hand.follow();
    this.invalidate();
  }

  paint(theme: Theme): void {
    this.sky.color.set(theme.skyLight);
    this.sky.groundColor.set(theme.groundLight);
    this.sky.intensity = theme.ambient;
    this.sun.intensity = theme.sun;
    this.studio.intensity = theme.studio;
    this.bodies.paint(theme);
    this.overlay.paint(theme);
    this.pressure.paint(theme);
    this.trail.paint(theme);
    this.anatomy.paint(theme);
    this.hand.paint(theme);
    this.invalidate();
  }

  look(from: keyof typeof VIEWPOINTS): void {
    const here = this.followed === null ? null : this.bodies.positionOf(this.followed);
    this.orbit.target.copy(here ?? this.home.centre);
    this.camera.position.set(...VIEWPOINTS[from]).setLength(1).add(this.orbit.target);
    this.orbit.update();
    this.camera.position.sub(this.orbit.target).setLength(this.distance()).add(this.orbit.target);
    this.orbit.update();
    this.invalidate();
  }

  /** Shares of width and height that nothing covers. */
  private get open(): [number, number] {
    const { top, bottom, left, right } = this.covered;
    const share = (taken: number, whole: number) => Math.max(1 - taken / Math.max(whole, 1), 0.3);
    return [share(left + right, this.host.clientWidth), share(top + bottom, this.host.clientHeight)];
  }

  /** From how far all that is to be framed fills most of the window, in the direction of the camera. */
  private distance(): number {
    this.camera.updateMatrixWorld();
    const across = [new Vector3(), new Vector3(), new Vector3()] as const;
    this.camera.matrixWorld.extractBasis(...across);
    const whole = FILL * Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const [beside, along] = this.open;
    const [wide, high] = [beside * whole * this.camera.aspect, along * whole];
    const half = this.home.size.clone().multiplyScalar(0.5);
    let farthest = this.home.radius;
    for (const corner of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const out = new Vector3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z);
      const [x, y, towards] = across.map((axis) => axis.dot(out)) as [number, number, number];
      farthest = Math.max(farthest, Math.abs(x) / wide + towards, Math.abs(y) / high + towards);
    }
    return farthest;
  }

  follow(body: number | null): void {
    this.followed = body;
    this.followedAt = body === null ? null : this.bodies.positionOf(body);
    if (this.followedAt) {
      this.camera.position.add(this.followedAt).sub(this.orbit.target);
      this.orbit.target.copy(this.followedAt);
    }
    this.invalidate();
  }

  set labelled(on: boolean) {
    this.labels.shown = on;
    this.invalidate();
  }

  /** Whether something has changed that is not on the screen yet. */
  get behind(): boolean {
    return this.dirty || !this.full;
  }

  /** Draw calls of the last picture. */
  get calls(): number {
    return this.renderer.info.render.calls;
  }

  /** One tick of the animation, at a time [ms]; returns whether it rendered. */
  tick(now: number): boolean {
    this.orbit.update();
    const [before, drew] = [this.tickedAt, this.drawnAt === this.tickedAt];
    this.tickedAt = now;
    if (this.dirty) {
      if (drew) this.sharpness.drawn(now - before);
      this.setPixels(this.sharpness.share);
    } else if (!this.full && now - this.drawnAt > REST) this.setPixels(1);
    else return false;
    this.drawnAt = now;
    this.draw();
    return true;
  }

  /** A share of the pixels along a side. */
  private setPixels(share: number): void {
    const ratio = share * Math.min(devicePixelRatio, 2);
    this.full = share === 1;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
  }

  private draw(): void {
    this.dirty = false;
    const distance = this.camera.position.distanceTo(this.orbit.target);
    this.camera.near = distance / 100;
    this.camera.far = Math.max(60 * distance, 60 * this.size);
    this.camera.updateProjectionMatrix();
    for (const ground of this.bodies.grounds) ground.fade(this.orbit.target, 8 * Math.max(distance, this.size));
    for (const mark of this.bodies.marks) mark.fade(this.home.centre, MARK * this.home.radius);
    this.aimSun();
    this.overlay.redrawPoints((at) => this.metresPerPixel(at));
    this.renderer.render(this.scene, this.camera);
    this.labels.draw(this.overlay.shown.forces ? this.overlay.tips : [], this.names, this.camera);
  }

  private metresPerPixel(at: Vector3): number {
    const depth = at.distanceTo(this.camera.position);
    return (2 * depth * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) / Math.max(this.host.clientHeight, 1);
  }

  private moveWithFollowed(): void {
    if (this.followed === null) return;
    const now = this.bodies.positionOf(this.followed);
    if (!now) return;
    if (this.followedAt) {
      const moved = now.clone().sub(this.followedAt);
      this.camera.position.add(moved);
      this.orbit.target.add(moved);
    }
    this.followedAt = now;
  }

  private setUpShadows(): void {
    const reach = 1.6 * Math.max(this.home.radius, this.size);
    const { shadow } = this.sun;
    this.sun.castShadow = true;
    shadow.mapSize.set(2048, 2048);
    shadow.radius = 5;
    shadow.bias = -0.0004;
    shadow.normalBias = 0.004 * reach;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 8 * reach });
    shadow.camera.updateProjectionMatrix();
    this.sun.target.position.setScalar(NaN); // aimed anew
    this.renderer.shadowMap.needsUpdate = true;
  }

  /** The sun stands over what one looks at, so that shadows stay sharp wherever the robot walks. */
  private aimSun(): void {
    const centre = this.followed === null ? this.home.centre : this.orbit.target;
    const reach = this.sun.shadow.camera.right;
    if (this.sun.target.position.equals(centre)) return;
    this.renderer.shadowMap.needsUpdate = true;
    this.sun.target.position.copy(centre);
    this.sun.position.set(-0.8, -0.95, 2.1).setLength(4 * reach).add(centre);
  }

  /** Takes the size of its place on the page. */
  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    // What is looked at is in the middle of what can be seen.
    const { top, bottom, left, right } = this.covered;
    this.camera.setViewOffset(width, height, Math.round((right - left) / 2), Math.round((bottom - top) / 2), width, height);
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** So many pixels of the sides are covered from now on. */
  cover(covered: Covered): void {
    const before = this.covered;
    if ((["top", "bottom", "left", "right"] as const).every((side) => covered[side] === before[side])) return;
    this.covered = covered;
    this.fit();
  }

  /** The picture as it is now, on the page's ground and with its labels. */
  screenshot(): HTMLCanvasElement {
    const { domElement } = this.renderer;
    this.setPixels(1);
    const picture = document.createElement("canvas");
    picture.width = domElement.width;
    picture.height = domElement.height;
    const pen = picture.getContext("2d");
    if (!pen) return picture;
    const style = getComputedStyle(document.documentElement);
    const behind = pen.createLinearGradient(0, 0, 0, 0.75 * picture.height);
    behind.addColorStop(0, style.getPropertyValue("--sky"));
    behind.addColorStop(1, style.getPropertyValue("--floor"));
    pen.fillStyle = behind;
    pen.fillRect(0, 0, picture.width, picture.height);
    this.draw();
    pen.drawImage(domElement, 0, 0);
    this.labels.print(pen, picture.width / this.host.clientWidth);
    return picture;
  }

  /** The ray through a point of the window. */
  ray(x: number, y: number): Raycaster {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    // Something may have moved since the last rendering.
    this.orbit.update();
    this.scene.updateMatrixWorld();
    this.camera.updateMatrixWorld();
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  /** The body under a point of the window, and where it was hit. */
  bodyAt(x: number, y: number): { body: number; point: Vector3 } | null {
    const hit = this.ray(x, y).intersectObjects(this.bodies.pickable, false)[0];
    if (hit?.instanceId === undefined) return null;
    const body = this.bodies.bodyOf(hit.object, hit.instanceId);
    return body === null ? null : { body, point: hit.point };
  }

  /** Where a point of the world is in the window [pixels]; for tests. */
  pixelOf(at: Vec3): [number, number] {
    const box = this.renderer.domElement.getBoundingClientRect();
    const seen = new Vector3(...at).project(this.camera);
    return [box.left + (0.5 + 0.5 * seen.x) * box.width, box.top + (0.5 - 0.5 * seen.y) * box.height];
  }

  /** A click that is not a drag picks the body under it. */
  private listenForPicks(): void {
    const canvas = this.renderer.domElement;
    const start = new Vector2();
    canvas.addEventListener("pointerdown", (event) => start.set(event.clientX, event.clientY));
    canvas.addEventListener("pointerup", (event) => {
      if (start.distanceTo(new Vector2(event.clientX, event.clientY)) > 4) return;
      this.onPick(this.bodyAt(event.clientX, event.clientY)?.body ?? null);
    });
  }
}
