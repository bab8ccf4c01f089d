// The hand: takes hold of a body where the mouse is and pulls it towards the mouse, in the plane through that point that
// faces the eye. What the pull does is the simulation's business.

import { BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from "three";
import type { PerspectiveCamera } from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Vec3 } from "./protocol";
import type { Theme } from "./theme";
import type { View } from "./view";

const KNOB = 0.02; // radius, in sizes of the scene

export class Hand {
  /** The band between body and mouse. */
  readonly mark = new Group();
  /** Whether a drag on a body pulls it. */
  ready = false;
  onGrab: (body: number, point: Vec3, target: Vec3) => void = () => {};
  onPull: (target: Vec3) => void = () => {};
  onRelease: () => void = () => {};
  private held: { body: number; point: Vector3; target: Vector3; pointer: number } | null = null;
  private readonly band = new Line(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
  private readonly knobs = [0, 1].map(
    () => new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ depthTest: false, transparent: true })),
  );

  constructor(
    private readonly view: View,
    canvas: HTMLCanvasElement,
    private readonly camera: PerspectiveCamera,
    private readonly orbit: OrbitControls,
  ) {
    this.mark.visible = false;
    this.mark.renderOrder = 5;
    this.band.frustumCulled = false;
    this.mark.add(this.band, ...this.knobs);
    // Before the camera sees the drag.
    canvas.addEventListener("pointerdown", (event) => this.grab(event, canvas), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => event.pointerId === this.held?.pointer && this.release());
    }
  }

  get body(): number | null {
    return this.held?.body ?? null;
  }

  paint(theme: Theme): void {
    this.band.material.color.set(theme.hand);
    for (const knob of this.knobs) knob.material.color.set(theme.hand);
  }

  /** Draws the band to where the body is now. */
  follow(): void {
    this.mark.visible = this.held !== null;
    if (!this.held) return;
    const anchor = this.view.bodies.toWorld(this.held.body, this.held.point);
    this.band.geometry.setFromPoints([anchor, this.held.target]);
    [anchor, this.held.target].forEach((at, i) => this.knobs[i]?.position.copy(at));
    for (const knob of this.knobs) knob.scale.setScalar(KNOB * this.view.size);
  }

  release(): void {
    if (!this.held) return;
    this.held = null;
    this.orbit.enabled = true;
    this.onRelease();
    this.follow();
    this.view.invalidate();
  }

  private grab(event: PointerEvent, canvas: HTMLCanvasElement): void {
    if (!this.ready || this.held || event.button !== 0 || event.shiftKey) return;
    const hit = this.view.bodyAt(event.clientX, event.clientY);
    if (!hit) return;
    this.orbit.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    const point = this.view.bodies.toBody(hit.body, hit.point);
    this.held = { body: hit.body, point, target: hit.point, pointer: event.pointerId };
    this.onGrab(hit.body, point.toArray(), hit.point.toArray());
    this.follow();
    this.view.invalidate();
  }

  private move(event: PointerEvent): void {
    if (event.pointerId !== this.held?.pointer) return;
    const facing = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), this.held.target);
    const target = this.view.ray(event.clientX, event.clientY).ray.intersectPlane(facing, new Vector3());
    if (!target) return;
    this.held.target = target;
    this.onPull(target.toArray());
    this.follow();
    this.view.invalidate();
  }
}
