//! What is behind all surfaces: ground and sky, a row at a time.
//!
//! The ground is the first plane of the scene. Its squares are half a metre wide and fade with distance into the sky.
//! (Plain loops over plain arrays: the compiler does several pixels at a time.)

use crate::eye::Eye;
use crate::part::seen;
use crate::vector::{V3, add, dot, rotation, scale, single, sub};
use stiction::recording::{RecordedShape, Recording};

const GROUND: [f32; 3] = [219.0, 224.0, 229.0];
/// Of the ground's light, from square to square.
const CONTRAST: f32 = 0.032;
/// Of the sky: at the top and at the bottom of the picture.
const SKY: [[f32; 3]; 2] = [[206.0, 218.0, 231.0], [240.0, 243.0, 246.0]];
/// Of the ground's light in a shadow.
const SHADOW: f32 = 0.68;
/// The squares of the ground fade into each other from here to there, in squares a pixel.
const FADE: f32 = 4.0;
/// Added to a number between −2²² and 2²² this leaves no bits for fractions: the last bits are the nearest integer.
const ROUND: f32 = 12_582_912.0;

/// The first plane of a scene.
pub(crate) struct Ground {
    /// Number of the geometry.
    pub(crate) geometry: i32,
    pub(crate) normal: V3,
    pub(crate) point: V3,
    /// Along the squares.
    u: V3,
    v: V3,
}

impl Ground {
    pub(crate) fn of(scene: &Recording) -> Option<Self> {
        let plane = |g: &&stiction::recording::RecordedGeometry| {
            seen(g) && g.shape == RecordedShape::Plane && g.body.is_none()
        };
        let number = scene.geometries.iter().position(|g| plane(&g))?;
        let [x, y, z] = rotation(scene.geometries[number].quaternion);
        let column = |k: usize| [x[k], y[k], z[k]];
        let point = single(scene.geometries[number].position);
        Some(Self { geometry: number as i32, normal: column(2), point, u: column(0), v: column(1) })
    }

    /// Of the eye above it [m]: from below it is not there.
    pub(crate) fn height(&self, eye: V3) -> f32 {
        dot(self.normal, sub(eye, self.point))
    }
}

/// A row of the picture.
#[derive(Default)]
pub(crate) struct Behind {
    rgb: [Vec<u8>; 3],
    /// Positive where there is ground [1/m].
    pub(crate) inverse: Vec<f32>,
}

impl Behind {
    /// The row as colours, depths and names. (One after the other, each loop does several pixels at a time.)
    #[inline(always)]
    pub(crate) fn copy_to(
        &self,
        ground: i32,
        nothing: i32,
        rgb: &mut [u8],
        depth: &mut [f32],
        names: &mut [i32],
    ) {
        let [red, green, blue] = &self.rgb;
        for (((pixel, r), g), b) in rgb.chunks_exact_mut(3).zip(red).zip(green).zip(blue) {
            pixel.copy_from_slice(&[*r, *g, *b]);
        }
        for (depth, below) in depth.iter_mut().zip(&self.inverse) {
            *depth = if *below > 0.0 { 1.0 / below } else { f32::INFINITY };
        }
        for (name, below) in names.iter_mut().zip(&self.inverse) {
            *name = if *below > 0.0 { ground } else { nothing };
        }
    }

    /// Row y of the picture. Along it the ray through pixel x is r = r₀ + x r₁; it meets the ground at
    /// 1/z = n·r / n·(p − eye), and the point there is eye + z r. `shade`: 1 where a shadow lies.
    #[inline(always)]
    pub(crate) fn fill(&mut self, ground: Option<&Ground>, eye: &Eye, y: usize, height: usize, shade: &[u8]) {
        let width = shade.len();
        let share = y as f32 / height as f32;
        let sky: [f32; 3] = std::array::from_fn(|k| SKY[0][k] + (SKY[1][k] - SKY[0][k]) * share);
        self.inverse.clear();
        self.inverse.resize(width, 0.0);
        for (row, value) in self.rgb.iter_mut().zip(sky) {
            row.clear();
            row.resize(width, value as u8);
        }
        let Some(ground) = ground else { return };
        let above = ground.height(eye.at);
        if above <= 0.0 {
            return;
        }
        let [right, down, ahead] = eye.axes;
        let pixel = 1.0 / eye.focal;
        let (dx, dy) = ((0.5 - eye.middle[0]) * pixel, (y as f32 + 0.5 - eye.middle[1]) * pixel);
        let (first, step) = (add(ahead, add(scale(right, dx), scale(down, dy))), scale(right, pixel));
        let (start, slope) = (-dot(ground.normal, first) / above, -dot(ground.normal, step) / above);
        for (x, inverse) in (0..width as u32).zip(&mut self.inverse) {
            *inverse = start + slope * x as f32;
        }
        if start.max(start + slope * width as f32) <= 0.0 {
            return;
        }
        let from = sub(eye.at, ground.point);
        let [u, du, ddu] = along(ground.u, from, first, step);
        let [v, dv, ddv] = along(ground.v, from, first, step);
        let [red, green, blue] = &mut self.rgb;
        let (red, green, blue) = (&mut red[..width], &mut green[..width], &mut blue[..width]);
        let inverse = &self.inverse[..width];
        for x in 0..width {
            let (at, z) = (x as u32 as f32, 1.0 / if inverse[x] > 1e-4 { inverse[x] } else { 1e-4 });
            // Halves are taken off so that the nearest integer is the one below.
            let across = (u + (du + ddu * at) * z - 0.5 + ROUND).to_bits();
            let up = (v + (dv + ddv * at) * z - 0.5 + ROUND).to_bits();
            let odd = ((across ^ up) & 1) as f32;
            // Where squares are as small as pixels, their mean.
            let sharp = 1.0 - FADE * z * pixel;
            let sharp = if sharp > 0.0 { CONTRAST * sharp } else { 0.0 };
            let lit = (1.0 + sharp * (2.0 * odd - 1.0)) * (1.0 - (1.0 - SHADOW) * f32::from(shade[x]));
            // All sky beyond 55 m, and above the horizon.
            let haze = 0.018 * z;
            let far = if inverse[x] > 0.0 && haze < 1.0 { haze } else { 1.0 };
            red[x] = (GROUND[0] * lit * (1.0 - far) + sky[0] * far + ROUND).to_bits() as u8;
            green[x] = (GROUND[1] * lit * (1.0 - far) + sky[1] * far + ROUND).to_bits() as u8;
            blue[x] = (GROUND[2] * lit * (1.0 - far) + sky[2] * far + ROUND).to_bits() as u8;
        }
    }
}

/// Along an axis of the squares, in squares: the eye, modulo two, and the ray's start and step.
#[inline(always)]
fn along(axis: V3, from: V3, first: V3, step: V3) -> [f32; 3] {
    [2.0 * dot(axis, from).rem_euclid(1.0), 2.0 * dot(axis, first), 2.0 * dot(axis, step)]
}
