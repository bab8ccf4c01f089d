//! Depth of round shapes by the shapes themselves, not by the triangles that they are drawn with.
//!
//! A ray o + t d from the eye, d with 1 along the axis of the camera, so that t is the depth. Along it a convex shape is the
//! interval in which the ray is in all its parts; it is seen at the interval's beginning.

use crate::vector::{M3, V3};
use stiction::recording::RecordedShape;

/// A round shape.
#[derive(Clone, Copy)]
pub(crate) enum Round {
    Ellipsoid([f64; 3]),
    /// Radius and half length, between balls or between discs.
    Capsule(f64, f64),
    Cylinder(f64, f64),
}

/// The interval of a ray in something; empty where the beginning is not before the end.
type Interval = [f64; 2];

const EMPTY: Interval = [f64::INFINITY, f64::NEG_INFINITY];

impl Round {
    /// A shape that has a closed form; `None`: what its triangles say.
    pub(crate) fn of(shape: &RecordedShape) -> Option<Self> {
        match *shape {
            RecordedShape::Sphere { radius } => Some(Self::Ellipsoid([radius; 3])),
            RecordedShape::Ellipsoid { radii } => Some(Self::Ellipsoid(radii)),
            RecordedShape::Capsule { radius, half_length } => Some(Self::Capsule(radius, half_length)),
            RecordedShape::Cylinder { radius, half_length } => Some(Self::Cylinder(radius, half_length)),
            _ => None,
        }
    }

    /// Depth at which a ray along `d`, in axes of the camera, meets the shape at (R_CG, p_CG); `None` where it does not.
    pub(crate) fn depth(&self, R_CG: &M3, p_CG: V3, d: [f64; 3]) -> Option<f32> {
        let turned = |v: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|k| (0..3).map(|r| f64::from(R_CG[r][k]) * v[r]).sum())
        };
        let (o, d) = (turned(p_CG.map(|x| -f64::from(x))), turned(d));
        let [from, to] = match *self {
            Self::Ellipsoid(radii) => {
                ball(std::array::from_fn(|k| o[k] / radii[k]), std::array::from_fn(|k| d[k] / radii[k]), 1.0)
            }
            Self::Cylinder(radius, half) => both(tube(o, d, radius), slab(o, d, half)),
            Self::Capsule(radius, half) => {
                let end = |z: f64| ball([o[0], o[1], o[2] - z], d, radius);
                let middle = both(tube(o, d, radius), slab(o, d, half));
                [middle, end(half), end(-half)]
                    .into_iter()
                    .filter(|i| i[0] < i[1])
                    .fold(EMPTY, |all, part| [all[0].min(part[0]), all[1].max(part[1])])
            }
        };
        (from < to && from > 0.0).then_some(from as f32)
    }
}

fn both(a: Interval, b: Interval) -> Interval {
    [a[0].max(b[0]), a[1].min(b[1])]
}

/// a t² + 2 b t + c ≤ 0.
fn below(a: f64, b: f64, c: f64) -> Interval {
    if a == 0.0 {
        return if c <= 0.0 { [f64::NEG_INFINITY, f64::INFINITY] } else { EMPTY };
    }
    let discriminant = b * b - a * c;
    if discriminant.is_nan() || discriminant < 0.0 {
        return EMPTY;
    }
    let root = discriminant.sqrt();
    [(-b - root) / a, (-b + root) / a]
}

fn ball(o: [f64; 3], d: [f64; 3], radius: f64) -> Interval {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    below(dot(d, d), dot(o, d), dot(o, o) - radius * radius)
}

/// Within the radius of the axis z.
fn tube(o: [f64; 3], d: [f64; 3], radius: f64) -> Interval {
    below(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - radius * radius)
}

/// Between z = −half and z = half.
fn slab(o: [f64; 3], d: [f64; 3], half: f64) -> Interval {
    below(d[2] * d[2], o[2] * d[2], o[2] * o[2] - half * half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPRIGHT: M3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// The axis of the shape across the picture, from left to right.
    const LYING: M3 = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];

    #[test]
    fn depths_are_closed_forms() {
        let near = |found: Option<f32>, expected: f64| {
            assert!(found.is_some_and(|d| (f64::from(d) - expected).abs() < 1e-6), "{found:?} {expected}");
        };
        let at = [0.0, 0.0, 3.0];
        near(Round::Ellipsoid([0.5; 3]).depth(&UPRIGHT, at, [0.0, 0.0, 1.0]), 2.5);
        // Where the slope s is the ball of radius r at a is met at (a − √(r² − s² (a² − r²)))/(1 + s²).
        let s: f64 = 0.16;
        let rim = (3.0 - (0.25 - s * s * (9.0 - 0.25)).sqrt()) / (1.0 + s * s);
        near(Round::Ellipsoid([0.5; 3]).depth(&UPRIGHT, at, [s, 0.0, 1.0]), rim);
        assert!(Round::Ellipsoid([0.5; 3]).depth(&UPRIGHT, at, [0.2, 0.0, 1.0]).is_none());
        near(Round::Ellipsoid([0.1, 0.1, 0.4]).depth(&UPRIGHT, at, [0.0, 0.0, 1.0]), 2.6);
        near(Round::Cylinder(0.2, 0.4).depth(&UPRIGHT, at, [0.05, 0.0, 1.0]), 2.6);
        near(Round::Cylinder(0.2, 0.4).depth(&LYING, at, [0.1, 0.0, 1.0]), 2.8);
        near(Round::Capsule(0.2, 0.4).depth(&UPRIGHT, at, [0.0, 0.0, 1.0]), 2.4);
        near(Round::Capsule(0.2, 0.4).depth(&LYING, at, [0.1, 0.0, 1.0]), 2.8);
        assert!(Round::Capsule(0.2, 0.4).depth(&UPRIGHT, [0.0, 0.0, -3.0], [0.0, 0.0, 1.0]).is_none());
    }
}
