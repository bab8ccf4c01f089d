//! Random grasps whose weight friction can carry: the worlds of [`super`].

use std::fmt::Write as _;
use std::path::Path;
use stiction::models::{LoadError, LoadOptions, load_str};
use stiction::random::Random;
use stiction::world::World;

/// Gravity [m/s²].
const G: f64 = 9.81;
/// Half the thickness of a jaw, and the radius of a pin [m].
const THICK: f64 = 0.02;
const PIN: f64 = 0.01;
/// Mass of a jaw [kg].
const JAW: f64 = 0.2;
/// Half the height of what stands in a row over the arm at which the faces between must press [–].
const ROOM: f64 = 2.2;

/// The held body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    Box,
    /// A cylinder that stands.
    Upright,
    /// A cylinder whose faces are pressed.
    Lying,
    /// A convex mesh: an upright prism of so many sides.
    Prism(usize),
}

/// The surface of a jaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tip {
    Flat,
    /// Balls in so many columns and rows.
    Pins([usize; 2]),
}

/// A grasp, all of it symmetric: each jaw carries its share of the weight in the middle of what it touches, so that impulses
/// which hold all at rest and are in their cones exist if and only if `margin` is at least one. Of two bodies in a row the
/// faces between press (a μ/margin) off their middle, which is within them.
#[derive(Clone, Debug)]
pub(super) struct Grasp {
    object: Object,
    tip: Tip,
    jaws: usize,
    /// Bodies in a row between two jaws.
    bodies: usize,
    /// Half width from a jaw to the middle of a body, and half height [m].
    half: [f64; 2],
    /// Mass of each body [kg].
    mass: f64,
    mu: f64,
    /// Force of a jaw over what the weight asks for [–].
    pub(super) margin: f64,
    /// h [s].
    pub(super) step: f64,
}

impl Grasp {
    /// The grasp of this seed; steps of 0.5 to 50 ms.
    pub(super) fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let bodies = if random.below(4) == 0 { 2 } else { 1 };
        let objects: &[(Object, usize)] = if bodies == 2 {
            &[(Object::Box, 2), (Object::Lying, 2), (Object::Prism(4), 2)]
        } else {
            &[
                (Object::Box, 2),
                (Object::Box, 4),
                (Object::Upright, 2),
                (Object::Upright, 3),
                (Object::Upright, 4),
                (Object::Lying, 2),
                (Object::Prism(6), 2),
                (Object::Prism(6), 3),
                (Object::Prism(8), 4),
            ]
        };
        let (object, jaws) = objects[random.below(objects.len())];
        let rows = 1 + random.below(3);
        // Of what is round about the vertical, a column alone touches.
        let columns = if object == Object::Upright { 1 } else { 2 };
        let tip = if random.below(2) == 0 { Tip::Flat } else { Tip::Pins([columns, 1 + rows]) };
        let mut within = |lo: f64, hi: f64| lo + (hi - lo) * random.unit();
        let (mu, margin) = (within(0.2, 0.9), within(1.05, 2.0));
        let (mass, step) = (10.0_f64.powf(within(-1.0, 1.3)), 5e-4 * 100.0_f64.powf(within(0.0, 1.0)));
        let width = within(0.02, 0.06);
        let arm = if bodies == 2 { ROOM * width * mu / margin } else { 0.0 };
        let half = [width, within(0.02, 0.08).max(arm)];
        Self { object, tip, jaws, bodies, half, mass, mu, margin, step }
    }

    /// A line that describes the grasp.
    pub(super) fn title(&self) -> String {
        let Self { object, tip, jaws, bodies, mass, mu, margin, step, .. } = self;
        let (ms, what) = (1e3 * step, format!("{bodies} x {object:?}, {jaws} jaws {tip:?}"));
        format!("{what}, {mass:.3} kg, mu {mu:.2}, margin {margin:.2}, h {ms:.2} ms")
    }

    /// Force of every jaw [N].
    pub(super) fn force(&self) -> f64 {
        let weight = self.mass * self.bodies as f64 * G;
        self.margin * weight / (self.jaws as f64 * self.mu)
    }

    /// The world at rest, in contact.
    pub(super) fn world(&self) -> Result<World, LoadError> {
        load_str(&self.text(), Path::new("grasp.xml"), Path::new(""), &LoadOptions::default())
    }

    fn text(&self) -> String {
        let [a, b] = self.half;
        let Self { mu, mass, bodies, jaws, .. } = self;
        let (mut assets, mut body, mut motors) = (String::new(), String::new(), String::new());
        let shape = match self.object {
            Object::Box => format!(r#"type="box" size="{a} {a} {b}""#),
            Object::Upright => format!(r#"type="cylinder" size="{a} {b}""#),
            Object::Lying => format!(r#"type="cylinder" size="{b} {a}" quat="1 0 1 0""#),
            Object::Prism(sides) => {
                let _ = write!(assets, r#"<mesh name="prism" vertex="{}"/>"#, prism(sides, self.half));
                r#"type="mesh" mesh="prism""#.to_owned()
            }
        };
        for k in 0..*bodies {
            let x = a * (2.0 * k as f64 + 1.0 - *bodies as f64);
            let _ = write!(body, r#"<body pos="{x} 0 0.5"><freejoint/><geom {shape} mass="{mass}"/></body>"#);
        }
        for k in 0..*jaws {
            let angle = std::f64::consts::TAU * k as f64 / *jaws as f64;
            let (sin, cos) = angle.sin_cos();
            // The jaw's x axis points to the middle.
            let (half_sin, half_cos) = (0.5 * (angle + std::f64::consts::PI)).sin_cos();
            let depth = if self.tip == Tip::Flat { THICK } else { THICK + 2.0 * PIN };
            let far = a * *bodies as f64 + depth;
            let _ = write!(
                body,
                r#"<body pos="{} {} 0.5" quat="{half_cos} 0 0 {half_sin}"><joint name="j{k}" type="slide" axis="1 0 0"/>{}</body>"#,
                far * cos,
                far * sin,
                self.tips()
            );
            let _ = write!(motors, r#"<motor joint="j{k}"/>"#);
        }
        format!(
            r#"<mujoco><asset>{assets}</asset><default><geom friction="{mu}"/></default>
            <worldbody>{body}</worldbody><actuator>{motors}</actuator></mujoco>"#
        )
    }

    /// The geometries of a jaw.
    fn tips(&self) -> String {
        let [a, b] = self.half;
        // Within the side of what is held, a prism's the smallest.
        let side = match self.object {
            Object::Prism(n) if n > 4 => a * (std::f64::consts::PI / n as f64).tan(),
            Object::Lying => 0.6 * b,
            _ => a,
        };
        let high = if self.object == Object::Lying { side } else { b };
        match self.tip {
            Tip::Flat => {
                format!(r#"<geom type="box" size="{THICK} {} {}" mass="{JAW}"/>"#, 0.8 * side, 0.8 * high)
            }
            Tip::Pins([columns, rows]) => {
                let place = |k: usize, n: usize, size: f64| match n {
                    1 => 0.0,
                    n => 0.7 * size * (2.0 * k as f64 / (n - 1) as f64 - 1.0),
                };
                let mass = JAW / (columns * rows) as f64;
                let mut text = String::new();
                for (c, r) in (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r))) {
                    let (x, y, z) = (THICK + PIN, place(c, columns, side), place(r, rows, high));
                    let _ =
                        write!(text, r#"<geom type="sphere" size="{PIN}" pos="{x} {y} {z}" mass="{mass}"/>"#);
                }
                text
            }
        }
    }
}

/// Corners of an upright prism whose sides are `half[0]` from its middle, one of them across x; half as high as `half[1]`.
fn prism(sides: usize, half: [f64; 2]) -> String {
    let step = std::f64::consts::PI / sides as f64;
    let corner = half[0] / step.cos();
    let mut text = String::new();
    for (k, z) in (0..sides).flat_map(|k| [(k, -half[1]), (k, half[1])]) {
        let (sin, cos) = (step * (2 * k + 1) as f64).sin_cos();
        let _ = write!(text, "{} {} {z} ", corner * cos, corner * sin);
    }
    text
}
