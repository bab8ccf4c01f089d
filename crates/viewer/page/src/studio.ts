// Light from everywhere: a soft sky over a bright horizon and a darker ground, and two large soft lamps. Kept as the
// first nine spherical harmonics, which is all that a dull surface shows of it.

import { LightProbe, SphericalHarmonics3, Vector3 } from "three";

/** Directions over which light is summed: azimuths, elevations. */
const COLUMNS = 32;
const ROWS = 16;
/** Elevation [°] and radiance, from the zenith to below. */
const LEVELS = [
  [90, 1.25],
  [35, 1.0],
  [4, 1.1],
  [-6, 0.55],
  [-90, 0.42],
] as const;
/** Azimuth from the x axis and elevation [°], width [°], radiance. */
const LAMPS = [
  [-35, 48, 32, 2.6],
  [140, 30, 26, 1.1],
] as const;
const TINT = new Vector3(0.97, 1, 1.03);
const RADIANS = Math.PI / 180;

export function studio(): LightProbe {
  const harmonics = new SphericalHarmonics3();
  const [direction, colour] = [new Vector3(), new Vector3()];
  const basis: number[] = new Array(9).fill(0);
  for (let row = 0; row < ROWS; row++) {
    const elevation = ((row + 0.5) / ROWS - 0.5) * 180;
    const [up, out] = [Math.sin(elevation * RADIANS), Math.cos(elevation * RADIANS)];
    const solidAngle = ((2 * Math.PI) / COLUMNS) * (Math.PI / ROWS) * out;
    for (let column = 0; column < COLUMNS; column++) {
      const azimuth = ((column + 0.5) / COLUMNS) * 360;
      direction.set(out * Math.cos(azimuth * RADIANS), out * Math.sin(azimuth * RADIANS), up);
      SphericalHarmonics3.getBasisAt(direction, basis);
      colour.copy(TINT).multiplyScalar(light(azimuth, elevation) * solidAngle);
      harmonics.coefficients.forEach((sum, i) => sum.addScaledVector(colour, basis[i] ?? 0));
    }
  }
  return new LightProbe(harmonics);
}

function light(azimuth: number, elevation: number): number {
  const lamps = LAMPS.map(([a, e, width, radiance]) => {
    const aside = Math.abs(((azimuth - a + 540) % 360) - 180) * Math.cos(elevation * RADIANS);
    return radiance * Math.exp(-(aside ** 2 + (elevation - e) ** 2) / width ** 2);
  });
  return lamps.reduce((sum, lamp) => sum + lamp, sky(elevation));
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
