//! Where one looks from, and how wide.

use crate::vector::{V3, cross, dot, scale, single, sub, unit};
use stiction::recording::{Frame, RecordedShape, Recording};

/// A pinhole camera without distortion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
    /// Vertical field of view [rad].
    pub field_of_view: f64,
}

impl Lens {
    /// Distance from the eye, in pixels, at which the picture is as large as the screen.
    pub(crate) fn focal(&self) -> f32 {
        (0.5 * self.height as f64 / (0.5 * self.field_of_view).tan()) as f32
    }
}

/// A place and three axes: x to the right of the picture, y down, z into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The eye in W [m].
    pub eye: [f64; 3],
    /// Axes of the camera in W, as rows: of length 1, at right angles.
    pub axes: [[f64; 3]; 3],
}

/// Where the page of the viewer looks from too.
const DIRECTION: V3 = [1.55, -2.0, 0.95];
/// Distance, in those at which a ball around the box of what moves would fill the picture: boxes are generous.
const MARGIN: f64 = 0.75;
/// A motion longer than this many sizes of what moves is followed and not framed.
const LONG: f64 = 3.5;

impl Look {
    /// From `eye` at `target`, the world's z up.
    #[must_use]
    pub fn at(eye: [f64; 3], target: [f64; 3]) -> Self {
        let z = unit(sub(single(target), single(eye)));
        let up = if z[2].abs() > 0.999 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let x = unit(cross(z, up));
        let y = cross(z, x);
        Self { eye, axes: [x, y, z].map(|axis| axis.map(f64::from)) }
    }

    /// One look for every frame of a recording: still, with all that moves in sight, or going along with what travels.
    #[must_use]
    pub fn framing(recording: &Recording, lens: &Lens) -> Vec<Self> {
        let boxes: Vec<_> = recording.frames.iter().map(|frame| extent(recording, frame)).collect();
        let Some(&first) = boxes.first() else { return Vec::new() };
        let whole = boxes.iter().fold(first, |[low, high], b| [least(low, b[0]), most(high, b[1])]);
        let travels = diagonal(whole) > LONG * diagonal(first);
        let radius = 0.5 * if travels { diagonal(first) } else { diagonal(whole) };
        let narrow = (0.5 * lens.field_of_view).tan() * (lens.width as f64 / lens.height as f64).min(1.0);
        let away = scale(unit(DIRECTION), (MARGIN * radius / narrow.atan().sin()) as f32).map(f64::from);
        let from = |[low, high]: [[f64; 3]; 2]| {
            let centre: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
            Self::at(std::array::from_fn(|k| centre[k] + away[k]), centre)
        };
        boxes.iter().map(|&b| from(if travels { [b[0], b[1]] } else { whole })).collect()
    }
}

fn least(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k].min(b[k]))
}

fn most(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k].max(b[k]))
}

fn diagonal([low, high]: [[f64; 3]; 2]) -> f64 {
    let d = sub(single(high), single(low));
    f64::from(dot(d, d).sqrt()).max(0.02)
}

/// A box around what moves; a metre around the origin where nothing does.
fn extent(recording: &Recording, frame: &Frame) -> [[f64; 3]; 2] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for geometry in &recording.geometries {
        let Some((at, _)) = geometry.body.and_then(|b| frame.poses.get(b)) else { continue };
        let far = geometry.position.iter().map(|x| x * x).sum::<f64>().sqrt() + reach(&geometry.shape);
        if at.iter().all(|x| x.is_finite()) && far.is_finite() {
            low = least(low, at.map(|x| x - far));
            high = most(high, at.map(|x| x + far));
        }
    }
    if low[0] <= high[0] { [low, high] } else { [[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]] }
}

/// Farthest point of a shape from its origin [m].
fn reach(shape: &RecordedShape) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    match shape {
        RecordedShape::Plane => f64::INFINITY,
        RecordedShape::Sphere { radius } => *radius,
        RecordedShape::Box { half } => norm(half),
        RecordedShape::Capsule { radius, half_length } => radius + half_length,
        RecordedShape::Cylinder { radius, half_length } => radius.hypot(*half_length),
        RecordedShape::Cone { radius, half_height } => radius.hypot(*half_height),
        RecordedShape::Ellipsoid { radii } => radii.iter().fold(0.0, |m, r| r.max(m)),
        RecordedShape::HeightField { size, .. } => 0.5 * norm(size),
        RecordedShape::Mesh { vertices, .. } => {
            vertices.iter().map(|v| norm(&v.map(f64::from))).fold(0.0, f64::max)
        }
    }
}
