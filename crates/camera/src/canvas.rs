//! From a shape and its pose to triangles on the screen.
//!
//! Light on a surface with normal n is the sum of what comes from everywhere, more from above, and of a sun in direction
//! l; of a round surface it is found at the corners of triangles, of a flat one once a face:
//!
//! ```text
//!     light = 0.52 + 0.14 n_z + 0.46 max(0, n·l)                                       (1)
//! ```

use crate::eye::{Eye, Vertices};
use crate::ground::Ground;
use crate::part::Level;
use crate::raster::{Corner, Corners, Screen};
use crate::vector::{M3, V3, apply, cross, dot, scale, sub};

/// Towards the sun.
const SUN: V3 = [-0.30, -0.36, 0.885];
/// Of (1): from everywhere, from above, from the sun.
const LIGHT: [f32; 3] = [0.52, 0.14, 0.46];
/// Height of the sun above the ground from which on there are shadows.
const LOWEST_SUN: f32 = 0.1;

/// The screen, and room to work in.
pub(crate) struct Canvas {
    pub(crate) screen: Screen,
    vertices: Vertices,
    corners: Corners,
}

/// (1) in axes of a shape.
struct Lamp {
    up: V3,
    sun: V3,
}

impl Lamp {
    #[inline(always)]
    fn new(R_WG: &M3) -> Self {
        let sun: V3 =
            std::array::from_fn(|k| R_WG[0][k] * SUN[0] + R_WG[1][k] * SUN[1] + R_WG[2][k] * SUN[2]);
        Self { up: scale(R_WG[2], LIGHT[1]), sun: scale(sun, LIGHT[2]) }
    }

    #[inline(always)]
    fn on(&self, n: V3) -> f32 {
        let sun = dot(self.sun, n);
        LIGHT[0] + dot(self.up, n) + if sun > 0.0 { sun } else { 0.0 }
    }
}

impl Canvas {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self {
            screen: Screen::new(width, height),
            vertices: Vertices::default(),
            corners: Corners::default(),
        }
    }

    /// Takes the vertices of a shape into axes of the camera.
    #[inline(always)]
    pub(crate) fn place(&mut self, level: &Level, R_CG: &M3, p_CG: V3) {
        let n = level.points[0].len();
        self.vertices.resize(n);
        let [x, y, z] = [&level.points[0][..n], &level.points[1][..n], &level.points[2][..n]];
        for k in 0..3 {
            let ([a, b, c], d) = (R_CG[k], p_CG[k]);
            let out = &mut self.vertices.at[k][..n];
            for i in 0..n {
                out[i] = a * x[i] + b * y[i] + c * z[i] + d;
            }
        }
    }

    /// Draws the triangles of the shape that was placed, `R_WG` its attitude.
    #[inline(always)]
    pub(crate) fn draw(&mut self, level: &Level, R_WG: &M3, geometry: u32, eye: &Eye) {
        let Self { screen, vertices, corners } = self;
        let lamp = Lamp::new(R_WG);
        let n = level.normals[0].len();
        let [x, y, z] = [&level.normals[0][..n], &level.normals[1][..n], &level.normals[2][..n]];
        if level.smooth {
            let lights = &mut vertices.light[..n];
            for i in 0..n {
                lights[i] = lamp.on([x[i], y[i], z[i]]);
            }
        }
        if vertices.before_us() {
            eye.project(vertices, corners);
            for (i, triangle) in level.triangles.iter().enumerate() {
                let mut seen = triangle.map(|k| corners.at(k));
                if !faces_us(&seen) {
                    continue;
                }
                if !level.smooth {
                    let light = lamp.on([x[i], y[i], z[i]]);
                    seen.iter_mut().for_each(|s| s.light = light);
                }
                screen.draw(&seen, geometry);
            }
            return;
        }
        for (i, triangle) in level.triangles.iter().enumerate() {
            let mut seen = triangle.map(|k| vertices.vertex(k));
            let [a, b, c] = seen.map(|s| s.at);
            if dot(cross(sub(b, a), sub(c, a)), a) >= 0.0 {
                continue;
            }
            if !level.smooth {
                let light = lamp.on([x[i], y[i], z[i]]);
                seen.iter_mut().for_each(|s| s.light = light);
            }
            eye.clipped(&seen, |corners| screen.draw(corners, geometry));
        }
    }

    /// Lets the shape that was placed cast its shadow on the ground, which the eye is above.
    #[inline(always)]
    pub(crate) fn shadow(&mut self, level: &Level, ground: &Ground, eye: &Eye) {
        let Self { screen, vertices, corners } = self;
        // Where the sun's ray through a vertex meets the ground, in axes of the camera.
        let (sun, normal) = (apply(&eye.axes, SUN), apply(&eye.axes, ground.normal));
        let slope = dot(normal, sun);
        if slope <= LOWEST_SUN {
            return;
        }
        let (n, above) = (vertices.light.len(), ground.height(eye.at));
        let [x, y, z] = &mut vertices.at;
        let (x, y, z) = (&mut x[..n], &mut y[..n], &mut z[..n]);
        for i in 0..n {
            let height = normal[0] * x[i] + normal[1] * y[i] + normal[2] * z[i] + above;
            let along = if height > 0.0 { height / slope } else { 0.0 };
            x[i] -= sun[0] * along;
            y[i] -= sun[1] * along;
            z[i] -= sun[2] * along;
        }
        // Half of the triangles, those towards the sun, cast the whole shadow.
        if vertices.before_us() {
            eye.project(vertices, corners);
            for triangle in &level.triangles {
                let seen = triangle.map(|k| corners.at(k));
                if faces_us(&seen) {
                    screen.darken(&seen);
                }
            }
            return;
        }
        for triangle in &level.triangles {
            let seen = triangle.map(|k| vertices.vertex(k));
            let [a, b, c] = seen.map(|s| s.at);
            if dot(cross(sub(b, a), sub(c, a)), normal) > 0.0 {
                eye.clipped(&seen, |corners| screen.darken(corners));
            }
        }
    }
}

/// Whether a triangle on the screen, whose y points down, is counter-clockwise as one sees it.
#[inline(always)]
fn faces_us([a, b, c]: &[Corner; 3]) -> bool {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) < 0.0
}
