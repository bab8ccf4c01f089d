//! From points before the camera to corners on the screen.

use crate::look::{Lens, Look};
use crate::raster::{Corner, Corners};
use crate::vector::{M3, V3, add, scale, single, sub};

/// Surfaces nearer than this are cut off [m].
pub(crate) const NEAR: f32 = 0.01;

/// Lens and look in single precision.
pub(crate) struct Eye {
    /// In W [m].
    pub(crate) at: V3,
    /// To the right, down and ahead in W, as rows.
    pub(crate) axes: M3,
    pub(crate) focal: f32,
    /// The middle of the screen [pixels].
    pub(crate) middle: [f32; 2],
}

/// A vertex in axes of the camera [m], and its light.
#[derive(Clone, Copy)]
pub(crate) struct Vertex {
    pub(crate) at: V3,
    pub(crate) light: f32,
}

/// Many of them, one list a quantity.
#[derive(Default)]
pub(crate) struct Vertices {
    pub(crate) at: [Vec<f32>; 3],
    pub(crate) light: Vec<f32>,
}

impl Vertices {
    #[inline(always)]
    pub(crate) fn resize(&mut self, n: usize) {
        for list in &mut self.at {
            list.resize(n, 0.0);
        }
        self.light.resize(n, 0.0);
    }

    #[inline(always)]
    pub(crate) fn vertex(&self, i: u32) -> Vertex {
        let i = i as usize;
        Vertex { at: [self.at[0][i], self.at[1][i], self.at[2][i]], light: self.light[i] }
    }

    /// Whether all are before the eye.
    #[inline(always)]
    pub(crate) fn before_us(&self) -> bool {
        let mut behind = 0;
        for &z in &self.at[2] {
            // A pose that is no number is not here; a coordinate may still be infinite.
            behind |= u32::from(z < NEAR);
        }
        behind == 0
    }
}

impl Eye {
    pub(crate) fn new(lens: &Lens, look: &Look) -> Self {
        let middle = [0.5 * lens.width as f32, 0.5 * lens.height as f32];
        Self { at: single(look.eye), axes: look.axes.map(single), focal: lens.focal(), middle }
    }

    /// Whether any of a ball, its centre in axes of the camera, may be on the screen.
    #[inline(always)]
    pub(crate) fn may_see(&self, [x, y, z]: V3, radius: f32) -> bool {
        // A side of the screen lies in the plane |x| focal = z middle.
        let beyond = |c: f32, half: f32| c.abs() * self.focal - z * half > radius * (self.focal + half);
        z + radius > NEAR && !beyond(x, self.middle[0]) && !beyond(y, self.middle[1])
    }

    #[inline(always)]
    fn corner(&self, vertex: &Vertex) -> Corner {
        let inverse = 1.0 / vertex.at[2];
        Corner {
            x: self.middle[0] + self.focal * vertex.at[0] * inverse,
            y: self.middle[1] + self.focal * vertex.at[1] * inverse,
            inverse,
            light: vertex.light,
        }
    }

    /// All of them, which are before the eye.
    #[inline(always)]
    pub(crate) fn project(&self, vertices: &Vertices, corners: &mut Corners) {
        let n = vertices.light.len();
        for list in [&mut corners.x, &mut corners.y, &mut corners.inverse] {
            list.resize(n, 0.0);
        }
        corners.light.clone_from(&vertices.light);
        let [x, y, z] = [&vertices.at[0][..n], &vertices.at[1][..n], &vertices.at[2][..n]];
        let (left, top, inverse) = (&mut corners.x[..n], &mut corners.y[..n], &mut corners.inverse[..n]);
        for i in 0..n {
            let over = 1.0 / z[i];
            inverse[i] = over;
            left[i] = self.middle[0] + self.focal * x[i] * over;
            top[i] = self.middle[1] + self.focal * y[i] * over;
        }
    }

    /// The part of a triangle beyond [`NEAR`], as triangles on the screen.
    pub(crate) fn clipped(&self, seen: &[Vertex; 3], mut draw: impl FnMut(&[Corner; 3])) {
        let inside = seen.iter().filter(|s| s.at[2] >= NEAR).count();
        if inside == 3 {
            return draw(&seen.each_ref().map(|s| self.corner(s)));
        }
        if inside == 0 {
            return;
        }
        let mut kept = [seen[0]; 4];
        let mut count = 0;
        for i in 0..3 {
            let (a, b) = (seen[i], seen[(i + 1) % 3]);
            if a.at[2] >= NEAR {
                (kept[count], count) = (a, count + 1);
            }
            if (a.at[2] >= NEAR) != (b.at[2] >= NEAR) {
                let share = (NEAR - a.at[2]) / (b.at[2] - a.at[2]);
                let at = add(a.at, scale(sub(b.at, a.at), share));
                (kept[count], count) =
                    (Vertex { at, light: a.light + (b.light - a.light) * share }, count + 1);
            }
        }
        for i in 2..count {
            draw(&[kept[0], kept[i - 1], kept[i]].each_ref().map(|s| self.corner(s)));
        }
    }
}
