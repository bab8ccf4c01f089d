//! Convex polygons in space: cutting them by half-spaces, and integrals of a linear field over them.
//!
//! ```text
//!     ∫ p dA   = Σ Aₖ (p₁ + p₂ + p₃)/3                                   over the triangles of a fan      (1)
//!     ∫ p x dA = Σ Aₖ/12 Σᵢ xᵢ (pᵢ + p₁ + p₂ + p₃)                                                   (2)
//! ```

use stiction_dynamics::spatial::Vec3;

/// Points x with `normal · x` ≤ `offset` [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfSpace {
    pub(super) normal: Vec3,
    pub(super) offset: f64,
}

/// A pressure that is linear in space, `at_origin` + `gradient` · x [Pa, Pa/m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    pub(super) gradient: Vec3,
    pub(super) at_origin: f64,
}

impl Linear {
    pub(super) fn at(&self, x: Vec3) -> f64 {
        self.at_origin + self.gradient.dot(x)
    }
}

/// A convex polygon, with scratch for its cuts.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygon {
    pub(super) corners: Vec<Vec3>,
    spare: Vec<Vec3>,
    heights: Vec<f64>,
}

/// Integrals of a field over a polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integrals {
    pub(super) area: f64,
    pub(super) centroid: Vec3,
    /// ∫ p dA over the area.
    pub(super) pressure: f64,
    /// (2) over (1).
    pub(super) center_of_pressure: Vec3,
}

impl Polygon {
    pub(super) fn set(&mut self, corners: impl Iterator<Item = Vec3>) {
        self.corners.clear();
        self.corners.extend(corners);
    }

    /// A square about `center` in the plane with normal `n` that holds the disc of radius `reach`, counter-clockwise about n.
    pub(super) fn set_square(&mut self, center: Vec3, n: Vec3, reach: f64) {
        let (t1, t2) = n.tangents();
        // (t1, t2, n) is right-handed.
        let (a, b) = (t1 * reach, t2 * reach);
        self.set([center - a - b, center + a - b, center + a + b, center - a + b].into_iter());
    }

    /// Leaves the part in the half-space; false where nothing is left. What lies in its plane, to `rounding` [m], stays on one
    /// of the two sides only, so that cells that share a wall share nothing of the polygon.
    pub(super) fn cut(&mut self, by: &HalfSpace, rounding: f64) -> bool {
        let Self { corners, spare, heights } = self;
        heights.clear();
        heights.extend(corners.iter().map(|x| by.normal.dot(*x) - by.offset));
        let (low, high) =
            heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
        if low >= -rounding && high <= rounding {
            return leads(by.normal);
        }
        if high <= 0.0 {
            return true;
        }
        if low >= 0.0 {
            return false;
        }
        spare.clear();
        let n = corners.len();
        for i in 0..n {
            let j = if i + 1 == n { 0 } else { i + 1 };
            let ((x, s), (y, t)) = ((corners[i], heights[i]), (corners[j], heights[j]));
            if s <= 0.0 {
                spare.push(x);
            }
            if (s < 0.0 && t > 0.0) || (s > 0.0 && t < 0.0) {
                // From the inner end, so that neighbours that share an edge make the same point of it.
                let (inner, outer, si, so) = if s < 0.0 { (x, y, s, t) } else { (y, x, t, s) };
                spare.push(inner + (outer - inner) * (si / (si - so)));
            }
        }
        std::mem::swap(corners, spare);
        corners.len() >= 3
    }

    /// `None` where the area is not above `least` [m²].
    pub(super) fn integrals(&self, n: Vec3, field: &Linear, least: f64) -> Option<Integrals> {
        let (&first, rest) = self.corners.split_first()?;
        let p1 = field.at(first);
        let (mut area, mut force) = (0.0, 0.0);
        let (mut centroid, mut moment) = (Vec3::ZERO, Vec3::ZERO);
        for two in rest.windows(2) {
            let (b, c) = (two[0] - first, two[1] - first);
            let part = 0.5 * n.dot(b.cross(c));
            let (p2, p3) = (field.at(two[0]), field.at(two[1]));
            let sum = p1 + p2 + p3;
            area += part;
            force += part * sum / 3.0;
            centroid += (b + c) * (part / 3.0);
            moment += (b * (p2 + sum) + c * (p3 + sum)) * (part / 12.0);
        }
        if area.is_nan() || area <= least {
            return None;
        }
        let centroid = first + centroid * (1.0 / area);
        let center_of_pressure = if force > 0.0 { first + moment * (1.0 / force) } else { centroid };
        Some(Integrals { area, centroid, pressure: force / area, center_of_pressure })
    }
}

/// True of exactly one of a direction and its opposite.
fn leads(n: Vec3) -> bool {
    const NOTHING: f64 = 1e-9;
    n.to_array().into_iter().find(|x| x.abs() > NOTHING).is_some_and(|x| x > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::vec3;

    /// A field over a rectangle and over its parts, by hand.
    #[test]
    fn integrals_by_hand() {
        let mut polygon = Polygon::default();
        polygon.set(
            [vec3(0.0, 0.0, 1.0), vec3(2.0, 0.0, 1.0), vec3(2.0, 3.0, 1.0), vec3(0.0, 3.0, 1.0)].into_iter(),
        );
        let field = Linear { gradient: vec3(1.0, 0.0, 0.0), at_origin: 0.0 };
        let all = polygon.integrals(Vec3::Z, &field, 0.0).unwrap();
        assert!((all.area - 6.0).abs() < 1e-14 && (all.pressure - 1.0).abs() < 1e-14);
        assert!((all.centroid - vec3(1.0, 1.5, 1.0)).norm() < 1e-14);
        assert!((all.center_of_pressure - vec3(4.0 / 3.0, 1.5, 1.0)).norm() < 1e-14);
        assert!(polygon.cut(&HalfSpace { normal: Vec3::X, offset: 1.0 }, 1e-12));
        let part = polygon.integrals(Vec3::Z, &field, 0.0).unwrap();
        assert!((part.area - 3.0).abs() < 1e-14 && (part.pressure - 0.5).abs() < 1e-14);
        assert!(!polygon.cut(&HalfSpace { normal: Vec3::X, offset: -1.0 }, 1e-12));
    }

    /// A polygon in the wall between two cells belongs to one of them.
    #[test]
    fn a_wall_is_of_one_side() {
        let mut random = crate::pairs::testing::Lcg::new(5);
        for _ in 0..100 {
            let (n, center) = (random.unit(), random.vector());
            let kept = [1.0, -1.0].map(|sign| {
                let mut polygon = Polygon::default();
                polygon.set_square(center, n, 0.3);
                let normal = n * sign;
                polygon.cut(&HalfSpace { normal, offset: normal.dot(center) }, 1e-12)
            });
            assert!(kept[0] != kept[1]);
        }
    }
}
