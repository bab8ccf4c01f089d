//! One shape of a scene, in as many triangles as its size on the screen asks for.
//!
//! A circle of r pixels that is drawn with n corners misses r (1 − cos π/n) pixels; the fewest corners are taken that miss
//! no more than a third.

use crate::raster::MOST_SURFACES;
use crate::solid::Solid;
use crate::vector::{M3, V3, cross, dot, rotation, single, sub, unit};
use stiction::recording::{RecordedGeometry, Recording};

/// More transparent than this is not there.
const FAINTEST: f32 = 0.02;
/// Corners of a circle.
const AROUND: [usize; 6] = [8, 12, 16, 24, 32, 48];
/// Of a circle missed [pixels].
const MISSED: f32 = 0.35;

/// See the module.
pub(crate) struct Part {
    /// Number of the geometry.
    pub(crate) geometry: u32,
    pub(crate) body: Option<usize>,
    pub(crate) rotation: M3,
    pub(crate) position: V3,
    /// A ball around the origin of the shape that holds it [m].
    pub(crate) reach: f32,
    /// Of the widest circle on it [m].
    radius: f32,
    /// From coarse to fine; of what has no circles one.
    levels: Vec<Level>,
}

/// A shape in triangles, one list a coordinate.
pub(crate) struct Level {
    /// A circle may be so wide [pixels].
    widest: f32,
    pub(crate) points: [Vec<f32>; 3],
    /// One per vertex where `smooth`, else one per triangle.
    pub(crate) normals: [Vec<f32>; 3],
    pub(crate) smooth: bool,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Part {
    /// Everything of a scene that can be seen and has triangles.
    pub(crate) fn all(scene: &Recording) -> Vec<Self> {
        let numbered = scene.geometries.iter().enumerate().take(MOST_SURFACES);
        numbered.filter(|(_, g)| seen(g)).filter_map(|(i, g)| Self::of(i as u32, g)).collect()
    }

    fn of(number: u32, geometry: &RecordedGeometry) -> Option<Self> {
        let radius = Solid::widest_circle(&geometry.shape) as f32;
        let around = if radius > 0.0 { &AROUND[..] } else { &AROUND[..1] };
        let levels: Option<Vec<_>> = around.iter().map(|&n| Level::of(&geometry.shape, n)).collect();
        let levels = levels?;
        let points = &levels.last()?.points;
        let far = (0..points[0].len()).map(|i| points.each_ref().map(|p| p[i])).map(|p| dot(p, p));
        Some(Self {
            geometry: number,
            body: geometry.body,
            rotation: rotation(geometry.quaternion),
            position: single(geometry.position),
            reach: far.fold(0.0, f32::max).sqrt(),
            radius,
            levels,
        })
    }

    /// As seen where a metre is so many pixels.
    #[inline(always)]
    pub(crate) fn level(&self, pixels_per_metre: f32) -> &Level {
        let wide = self.radius * pixels_per_metre;
        let finest = &self.levels[self.levels.len() - 1];
        self.levels.iter().find(|level| wide <= level.widest).unwrap_or(finest)
    }
}

/// Whether a geometry is not quite transparent.
pub(crate) fn seen(geometry: &RecordedGeometry) -> bool {
    geometry.rgba[3] > FAINTEST
}

impl Level {
    fn of(shape: &stiction::recording::RecordedShape, around: usize) -> Option<Self> {
        let solid = Solid::of(shape, around)?;
        let smooth = !solid.normals.is_empty();
        let face = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| solid.vertices[i as usize]);
            unit(cross(sub(b, a), sub(c, a)))
        };
        let normals = if smooth { solid.normals } else { solid.triangles.iter().map(face).collect() };
        let columns = |list: &[V3]| [0, 1, 2].map(|k| list.iter().map(|v| v[k]).collect());
        Some(Self {
            widest: MISSED / (1.0 - (std::f32::consts::PI / around as f32).cos()),
            points: columns(&solid.vertices),
            normals: columns(&normals),
            smooth,
            triangles: solid.triangles,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::recording::RecordedShape;

    #[test]
    fn what_is_large_has_more_triangles() {
        let geometry = |shape| RecordedGeometry {
            name: "g".into(),
            body: None,
            shape,
            position: [0.0; 3],
            quaternion: [1.0, 0.0, 0.0, 0.0],
            rgba: RecordedGeometry::UNCOLOURED,
        };
        let ball = Part::of(0, &geometry(RecordedShape::Sphere { radius: 0.1 })).unwrap();
        let counts = [10.0, 50.0, 100.0, 200.0, 500.0, 9000.0].map(|scale| ball.level(scale).triangles.len());
        assert!(counts.is_sorted() && counts[0] < 100 && counts[5] > 2000, "{counts:?}");
        assert!((ball.reach - 0.1).abs() < 1e-6);
        let block = Part::of(0, &geometry(RecordedShape::Box { half: [0.1; 3] })).unwrap();
        assert!([1.0, 9000.0].map(|scale| block.level(scale).triangles.len()) == [12, 12]);
    }
}
