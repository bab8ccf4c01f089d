//! Where one looks from, and how wide.

use crate::vector::{cross, dot, scale, single, sub, unit};
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

/// From where one looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stand {
    /// From this side of what moves, in W, as far off as frames it.
    Towards([f64; 3]),
    /// From this place in W [m] at `target`, or at the middle of what moves.
    At { eye: [f64; 3], target: Option<[f64; 3]> },
}

impl Stand {
    /// The viewpoints of the page, `home` first.
    pub const NAMES: [(&'static str, [f64; 3]); 4] = [
        ("home", [1.55, -2.0, 0.95]),
        ("front", [1.0, 0.0, 0.08]),
        ("side", [0.0, -1.0, 0.08]),
        ("top", [0.0, -0.001, 1.0]),
    ];

    /// The viewpoint of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, from)| Self::Towards(*from))
    }
}

impl Default for Stand {
    /// `home`.
    fn default() -> Self {
        Self::Towards(Self::NAMES[0].1)
    }
}

/// How the frames of a recording are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shot {
    pub stand: Stand,
    /// The body that eye and target go along with, without turning.
    pub follow: Option<usize>,
}

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
        Self::along(recording, lens, &Shot::default())
    }

    /// One look for every frame of a recording, as the shot says it.
    #[must_use]
    pub fn along(recording: &Recording, lens: &Lens, shot: &Shot) -> Vec<Self> {
        let boxes: Vec<_> = recording.frames.iter().map(|frame| extent(recording, frame)).collect();
        let Some(&first) = boxes.first() else { return Vec::new() };
        let whole = boxes.iter().fold(first, |[low, high], b| [least(low, b[0]), most(high, b[1])]);
        let travels = shot.follow.is_some() || diagonal(whole) > LONG * diagonal(first);
        let radius = 0.5 * if travels { diagonal(first) } else { diagonal(whole) };
        let narrow = (0.5 * lens.field_of_view).tan() * (lens.width as f64 / lens.height as f64).min(1.0);
        let distance = MARGIN * radius / narrow.atan().sin();
        let path = shot.follow.map(|body| path_of(recording, body));
        let look = |(i, &b): (usize, &[[f64; 3]; 2])| {
            let middle = match &path {
                Some(path) => path[i],
                None => middle(if travels { b } else { whole }),
            };
            let moved = path.as_ref().map_or([0.0; 3], |p| std::array::from_fn(|k| p[i][k] - p[0][k]));
            let along = |point: [f64; 3]| std::array::from_fn(|k| point[k] + moved[k]);
            match shot.stand {
                Stand::Towards(side) => {
                    let away = scale(unit(single(side)), distance as f32).map(f64::from);
                    Self::at(std::array::from_fn(|k| middle[k] + away[k]), middle)
                }
                Stand::At { eye, target } => Self::at(along(eye), target.map_or(middle, along)),
            }
        };
        boxes.iter().enumerate().map(look).collect()
    }
}

fn middle([low, high]: [[f64; 3]; 2]) -> [f64; 3] {
    std::array::from_fn(|k| 0.5 * (low[k] + high[k]))
}

/// Where the origin of a body is in every frame; where it is nowhere, its last place.
fn path_of(recording: &Recording, body: usize) -> Vec<[f64; 3]> {
    let mut last = [0.0; 3];
    let place = |frame: &Frame| {
        let now = frame.poses.get(body).map(|(at, _)| *at).filter(|at| at.iter().all(|x| x.is_finite()));
        last = now.unwrap_or(last);
        last
    };
    recording.frames.iter().map(place).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::recording::{Mechanism, RecordedGeometry};

    /// A ball of 0.1 m that moves from the origin along x, 1 m a frame.
    fn rolling() -> Recording {
        let ball = RecordedGeometry {
            name: "ball".into(),
            body: Some(0),
            shape: RecordedShape::Sphere { radius: 0.1 },
            position: [0.0; 3],
            quaternion: [1.0, 0.0, 0.0, 0.0],
            rgba: RecordedGeometry::UNCOLOURED,
        };
        let frame = |i: usize| Frame {
            t: i as f64,
            poses: vec![([i as f64, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])],
            ..Frame::default()
        };
        Recording {
            name: "ball".into(),
            contact_model: "nsgs".into(),
            dt: 1.0,
            tolerance: 1e-8,
            notes: Vec::new(),
            bodies: vec!["ball".into()],
            geometries: vec![ball],
            mechanism: Mechanism::default(),
            runs: Vec::new(),
            frames: (0..3).map(frame).collect(),
        }
    }

    /// Followed, eye and target keep their distance to the body; standing still, the eye stays and turns after it or not.
    #[test]
    fn cameras_stand_or_follow() {
        let (recording, lens) = (rolling(), Lens { width: 64, height: 48, field_of_view: 0.66 });
        let looks = |stand, follow| Look::along(&recording, &lens, &Shot { stand, follow });
        let side = looks(Stand::named("side").unwrap(), Some(0));
        for (i, look) in side.iter().enumerate() {
            assert!((look.eye[0] - i as f64).abs() < 1e-6 && look.eye[1] < -0.1, "{look:?}");
            assert_eq!(look.axes, side[0].axes);
        }
        let eye = [0.0, -2.0, 1.0];
        let fixed = looks(Stand::At { eye, target: Some([0.0; 3]) }, None);
        assert!(fixed.iter().all(|l| *l == Look::at(eye, [0.0; 3])));
        let along = looks(Stand::At { eye, target: None }, Some(0));
        assert_eq!(along[2], Look::at([2.0, -2.0, 1.0], [2.0, 0.0, 0.0]));
        assert_eq!(Look::framing(&recording, &lens), looks(Stand::default(), None));
    }
}
