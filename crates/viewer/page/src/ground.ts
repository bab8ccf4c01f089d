// A plane with a grid: lines every metre, thinner ones every 10 cm, the axes coloured, all fading out with distance so
// that there is a horizon and no edge. Seen from below it is invisible: one looks up at the contacts.
//
// Where there is no floor a mark of the world's plane z = 0 says how what is fixed to the world stands in it: lines alone,
// around the scene, with nothing between them, since nothing touches them.

import { Color, DoubleSide, Mesh, MeshLambertMaterial, PlaneGeometry, Vector3 } from "three";
import type { Theme } from "./theme";

const SIZE = 400; // m

const VERTEX_HEAD = /* glsl */ `
varying vec2 vGrid;
varying vec3 vGridWorld;
`;
const VERTEX_BODY = /* glsl */ `
vGrid = position.xy;
vGridWorld = (modelMatrix * vec4(position, 1.0)).xyz;
`;
const FRAGMENT_HEAD = /* glsl */ `
varying vec2 vGrid;
varying vec3 vGridWorld;
uniform vec3 uLine, uAxisX, uAxisY, uCentre;
uniform float uReach;
uniform bool uMark;

// Coverage of a line of the given width in pixels at the multiples of the cell size; it thins out, instead of
// flickering, where a cell is only a few pixels wide.
vec2 lines(vec2 p, float cell, float width) {
  vec2 q = p / cell;
  vec2 pixel = fwidth(q);
  vec2 away = abs(fract(q - 0.5) - 0.5) / pixel;
  vec2 cover = 1.0 - smoothstep(0.5 * width - 0.5, 0.5 * width + 0.5, away);
  return cover * (1.0 - smoothstep(0.08, 0.35, pixel));
}
float axis(float coordinate, float width) {
  return 1.0 - smoothstep(0.5 * width - 0.5, 0.5 * width + 0.5, abs(coordinate) / fwidth(coordinate));
}
`;
const FRAGMENT_COLOUR = /* glsl */ `
vec2 coarse = lines(vGrid, 1.0, 1.4), fine = lines(vGrid, 0.1, 1.0);
float grid = max(0.55 * max(coarse.x, coarse.y), 0.22 * max(fine.x, fine.y));
diffuseColor.rgb = mix(diffuseColor.rgb, uLine, grid);
diffuseColor.rgb = mix(diffuseColor.rgb, uAxisX, 0.8 * axis(vGrid.y, 1.6));
diffuseColor.rgb = mix(diffuseColor.rgb, uAxisY, 0.8 * axis(vGrid.x, 1.6));
if (uMark) diffuseColor.a = max(min(1.6 * grid, 0.9), max(axis(vGrid.x, 1.6), axis(vGrid.y, 1.6)));
diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, distance(vGridWorld, uCentre) / uReach);
`;

export class Ground extends Mesh<PlaneGeometry, MeshLambertMaterial> {
  private readonly uniforms = {
    uLine: { value: new Color() },
    uAxisX: { value: new Color() },
    uAxisY: { value: new Color() },
    uCentre: { value: new Vector3() },
    uReach: { value: 10 },
    uMark: { value: false },
  };

  /** `mark`: no floor, the plane z = 0 of the world. */
  constructor(readonly mark = false) {
    super(new PlaneGeometry(SIZE, SIZE), new MeshLambertMaterial({ transparent: true }));
    this.uniforms.uMark.value = mark;
    this.receiveShadow = !mark;
    if (mark) Object.assign(this.material, { depthWrite: false, side: DoubleSide });
    this.renderOrder = -1;
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader =
        VERTEX_HEAD + shader.vertexShader.replace("#include <begin_vertex>", `#include <begin_vertex>\n${VERTEX_BODY}`);
      shader.fragmentShader =
        FRAGMENT_HEAD +
        shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>\n${FRAGMENT_COLOUR}`);
    };
  }

  paint(theme: Theme): void {
    this.material.color.set(theme.ground);
    this.uniforms.uLine.value.set(theme.gridLine);
    this.uniforms.uAxisX.value.set(theme.axisX);
    this.uniforms.uAxisY.value.set(theme.axisY);
  }

  /** Fades out `reach` metres from where one looks. */
  fade(centre: Vector3, reach: number): void {
    this.uniforms.uCentre.value.copy(centre);
    this.uniforms.uReach.value = reach;
  }
}
