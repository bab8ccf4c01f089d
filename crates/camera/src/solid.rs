//! Shapes as triangles, counter-clockwise seen from outside. Round shapes carry a normal for every vertex, so that few
//! triangles look smooth; the others show their faces.

use crate::vector::{V3, unit};
use stiction::recording::RecordedShape;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<V3>,
    /// One per vertex, or none: faces are flat.
    pub(crate) normals: Vec<V3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Solid {
    /// With `around` corners to a circle, an even number. `None`: a plane, which has no triangles.
    pub(crate) fn of(shape: &RecordedShape, around: usize) -> Option<Self> {
        Some(match shape {
            RecordedShape::Plane => return None,
            RecordedShape::Sphere { radius } => Self::ball([*radius; 3], 0.0, around),
            RecordedShape::Ellipsoid { radii } => Self::ball(*radii, 0.0, around),
            RecordedShape::Capsule { radius, half_length } => Self::ball([*radius; 3], *half_length, around),
            RecordedShape::Cylinder { radius, half_length } => Self::drum([*radius; 2], *half_length, around),
            RecordedShape::Cone { radius, half_height } => Self::drum([*radius, 0.0], *half_height, around),
            RecordedShape::Box { half } => Self::block(half.map(|x| x as f32)),
            RecordedShape::HeightField { rows, cols, size, heights, .. } => {
                Self::field(*rows, *cols, *size, heights)
            }
            RecordedShape::Mesh { vertices, triangles } => {
                Self { vertices: vertices.clone(), normals: Vec::new(), triangles: triangles.clone() }
            }
        })
    }

    /// Radius of the widest circle on a shape [m]; 0: its size needs no corners.
    pub(crate) fn widest_circle(shape: &RecordedShape) -> f64 {
        match shape {
            RecordedShape::Sphere { radius }
            | RecordedShape::Capsule { radius, .. }
            | RecordedShape::Cylinder { radius, .. }
            | RecordedShape::Cone { radius, .. } => *radius,
            RecordedShape::Ellipsoid { radii } => radii.iter().fold(0.0, |most, r| r.max(most)),
            _ => 0.0,
        }
    }

    /// An ellipsoid cut at its equator, its halves `half_length` up and down.
    fn ball(radii: [f64; 3], half_length: f64, around: usize) -> Self {
        // An even number of rings, so that there is one at the equator.
        let along = around / 4 * 2;
        let mut solid = Self::default();
        // Rings of latitude from the south; of a capsule the equator is there twice.
        let mut rings: Vec<(f64, f64)> = Vec::new();
        for i in 0..=along {
            let latitude = std::f64::consts::PI * (i as f64 / along as f64 - 0.5);
            if half_length > 0.0 && 2 * i == along {
                rings.extend([(latitude, -half_length), (latitude, half_length)]);
            } else {
                rings.push((latitude, half_length.copysign(latitude)));
            }
        }
        for (latitude, shift) in rings {
            let (s, c) = latitude.sin_cos();
            for (sin, cos) in circle(around) {
                let on = [c * cos, c * sin, s];
                solid.vertices.push([
                    (radii[0] * on[0]) as f32,
                    (radii[1] * on[1]) as f32,
                    (radii[2] * on[2] + shift) as f32,
                ]);
                solid.normals.push(unit(std::array::from_fn(|k| (on[k] / radii[k]) as f32)));
            }
        }
        solid.wrap(around);
        solid
    }

    /// Between two circles about z, with lids.
    fn drum([bottom, top]: [f64; 2], half: f64, around: usize) -> Self {
        let mut solid = Self::default();
        let slope = (bottom - top) / (2.0 * half);
        for (z, radius) in [(-half, bottom), (half, top)] {
            for (sin, cos) in circle(around) {
                solid.vertices.push([(radius * cos) as f32, (radius * sin) as f32, z as f32]);
                solid.normals.push(unit([cos as f32, sin as f32, slope as f32]));
            }
        }
        solid.wrap(around);
        for (z, radius, up) in [(-half, bottom, -1.0), (half, top, 1.0)] {
            let first = solid.vertices.len() as u32;
            for (sin, cos) in circle(around) {
                solid.vertices.push([(radius * cos) as f32, (radius * sin) as f32, z as f32]);
                solid.normals.push([0.0, 0.0, up]);
            }
            for i in 1..around as u32 - 1 {
                let (a, b) = if up > 0.0 { (i, i + 1) } else { (i + 1, i) };
                solid.triangles.push([first, first + a, first + b]);
            }
        }
        solid
    }

    fn block(half: V3) -> Self {
        let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { vertices: (0..8).map(corner).collect(), normals: Vec::new(), triangles }
    }

    /// The top alone: nobody looks at it from below.
    fn field(rows: usize, cols: usize, size: [f64; 2], heights: &[f32]) -> Self {
        let along =
            |i: usize, n: usize, length: f64| (length * (i as f64 / (n.max(2) - 1) as f64 - 0.5)) as f32;
        let place =
            |(i, &z): (usize, &f32)| [along(i % cols, cols, size[0]), along(i / cols, rows, size[1]), z];
        let vertices = heights.iter().enumerate().map(place).collect();
        let mut triangles = Vec::new();
        for r in 0..rows.saturating_sub(1) as u32 {
            for c in 0..cols.saturating_sub(1) as u32 {
                let (a, n) = (r * cols as u32 + c, cols as u32);
                triangles.extend([[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]);
            }
        }
        Self { vertices, normals: Vec::new(), triangles }
    }

    /// Quads between neighbouring rings of `around` vertices, which all of them are now.
    fn wrap(&mut self, around: usize) {
        let (n, rings) = (around as u32, self.vertices.len() / around);
        for ring in 0..rings.saturating_sub(1) as u32 {
            for i in 0..n {
                let (a, b) = (ring * n + i, ring * n + (i + 1) % n);
                self.triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
            }
        }
    }
}

/// (sin, cos) around.
fn circle(around: usize) -> impl Iterator<Item = (f64, f64)> {
    (0..around).map(move |i| (std::f64::consts::TAU * i as f64 / around as f64).sin_cos())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{cross, dot, sub};

    /// ∫ x·n dA / 3, positive where triangles are seen from outside.
    fn volume(solid: &Solid) -> f64 {
        let v = |i: u32| solid.vertices[i as usize];
        let part = |&[a, b, c]: &[u32; 3]| f64::from(dot(v(a), cross(v(b), v(c)))) / 6.0;
        solid.triangles.iter().map(part).sum()
    }

    #[test]
    fn solids_are_closed_and_face_outward() {
        use std::f64::consts::PI;
        let shapes = [
            (RecordedShape::Sphere { radius: 1.0 }, 4.0 / 3.0 * PI),
            (RecordedShape::Ellipsoid { radii: [1.0, 2.0, 0.5] }, 4.0 / 3.0 * PI),
            (RecordedShape::Capsule { radius: 1.0, half_length: 2.0 }, 4.0 / 3.0 * PI + 4.0 * PI),
            (RecordedShape::Cylinder { radius: 1.0, half_length: 2.0 }, 4.0 * PI),
            (RecordedShape::Cone { radius: 1.0, half_height: 1.5 }, PI),
            (RecordedShape::Box { half: [1.0, 2.0, 3.0] }, 48.0),
        ];
        for (shape, exact) in shapes {
            let solid = Solid::of(&shape, 24).unwrap();
            let found = volume(&solid);
            // Polygons inscribed in circles: a few hundredths less.
            assert!(found <= exact * (1.0 + 1e-6) && found > 0.93 * exact, "{shape:?}: {found}, not {exact}");
        }
    }

    #[test]
    fn normals_agree_with_the_faces() {
        for shape in [
            RecordedShape::Capsule { radius: 0.3, half_length: 1.0 },
            RecordedShape::Ellipsoid { radii: [1.0, 2.0, 0.5] },
            RecordedShape::Cone { radius: 1.0, half_height: 1.0 },
        ] {
            let solid = Solid::of(&shape, 24).unwrap();
            for t in &solid.triangles {
                let [a, b, c] = t.map(|i| solid.vertices[i as usize]);
                let face = cross(sub(b, a), sub(c, a));
                if dot(face, face) > 1e-12 {
                    assert!(t.iter().all(|&i| dot(face, solid.normals[i as usize]) > 0.0), "{shape:?}");
                }
            }
        }
    }
}
