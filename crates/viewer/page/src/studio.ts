// Light from everywhere: a soft sky over a bright horizon and a darker ground, as an environment that materials mirror
// and are lit by.

import { DataTexture, EquirectangularReflectionMapping, FloatType, LinearFilter, PMREMGenerator, RGBAFormat } from "three";
import type { Texture, WebGLRenderer } from "three";

const WIDTH = 32;
const HEIGHT = 16;
/** Radiance at the zenith, in the middle of the sky, at the horizon, and below. */
const LEVELS = [
  [90, 1.25],
  [35, 1.0],
  [4, 1.1],
  [-6, 0.55],
  [-90, 0.42],
] as const;
/** Two large soft lamps: azimuth and elevation [°], width [°], radiance. */
const LAMPS = [
  [215, 48, 32, 2.6],
  [40, 30, 26, 1.1],
] as const;

/** The environment of a renderer, made once. Up is y, as in an environment of three.js; the scene turns it. */
export function studio(renderer: WebGLRenderer): Texture {
  const data = new Float32Array(4 * WIDTH * HEIGHT);
  for (let row = 0; row < HEIGHT; row++) {
    const elevation = ((row + 0.5) / HEIGHT - 0.5) * 180;
    for (let column = 0; column < WIDTH; column++) {
      const azimuth = ((column + 0.5) / WIDTH) * 360;
      const lamps = LAMPS.reduce((sum, [a, e, width, radiance]) => {
        const turn = Math.abs(((azimuth - a + 540) % 360) - 180) * Math.cos((elevation * Math.PI) / 180);
        return sum + radiance * Math.exp(-((turn * turn + (elevation - e) ** 2) / (width * width)));
      }, 0);
      const light = sky(elevation) + lamps;
      data.set([0.97 * light, light, 1.03 * light, 1], 4 * (row * WIDTH + column));
    }
  }
  const texture = new DataTexture(data, WIDTH, HEIGHT, RGBAFormat, FloatType, EquirectangularReflectionMapping);
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  const maker = new PMREMGenerator(renderer);
  const environment = maker.fromEquirectangular(texture).texture;
  maker.dispose();
  texture.dispose();
  return environment;
}

function sky(elevation: number): number {
  for (let i = 1; i < LEVELS.length; i++) {
    const [above, below] = [LEVELS[i - 1], LEVELS[i]];
    if (!above || !below || elevation < below[0]) continue;
    const share = (elevation - below[0]) / (above[0] - below[0]);
    return below[1] + (above[1] - below[1]) * share;
  }
  return LEVELS[LEVELS.length - 1]?.[1] ?? 0;
}
