//! The die's scene, told by named numbers.

use crate::data::Trajectory;
use crate::planar::{Admission, PlanarBody, PlanarState, PlanarWorld, Surface};
use serde::{Deserialize, Serialize};

/// Everything that the scene of the die is made of. Defaults are the published numbers [Fazeli2020] and nothing else: level
/// ground, no wall, no drag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DiceParameters {
    /// Coefficient of friction at impacts.
    pub friction: f64,
    /// Coefficient of friction of contacts that last; without, that at impacts.
    pub sliding: Option<f64>,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Where a wall stands at the left [m]; without, there is none.
    pub wall: Option<f64>,
    /// Friction and restitution of the wall; without, those of the floor.
    pub wall_friction: Option<f64>,
    pub wall_restitution: Option<f64>,
    /// Height of the floor [m].
    pub floor: f64,
    /// Acceleration of free fall [m/s²].
    pub gravity: f64,
    /// Drag of the centre of mass and of the rotation, as by plates at the sides [1/s].
    pub linear_drag: f64,
    pub angular_drag: f64,
    /// How old the velocity is that is given for the first frame [s].
    pub delay: f64,
    /// Half of the side of the square, and what the tapers at its corners take of it [m].
    pub half: f64,
    pub taper: f64,
    /// Mass [kg] and radius of gyration [m].
    pub mass: f64,
    pub gyration: f64,
    /// Impacts slower than this do not bounce [m/s].
    pub rest_speed: f64,
}

impl Default for DiceParameters {
    fn default() -> Self {
        Self {
            friction: 0.11,
            sliding: None,
            restitution: 0.48,
            wall: None,
            wall_friction: None,
            wall_restitution: None,
            floor: 0.0,
            gravity: 9.81,
            linear_drag: 0.0,
            angular_drag: 0.0,
            delay: 0.0,
            half: 0.03,
            taper: 0.0,
            mass: 0.049,
            gyration: GYRATION,
            rest_speed: 0.03,
        }
    }
}

/// The published radius of gyration, by which angles are made lengths in all scores [m].
pub const GYRATION: f64 = 0.0245;

/// A parameter that can be identified.
#[derive(Clone, Copy)]
pub struct Named {
    /// The name in files and on the command line.
    pub name: &'static str,
    /// Where it is looked for.
    pub range: [f64; 2],
    /// The value in a scene.
    pub get: fn(&DiceParameters) -> f64,
    /// Sets it.
    pub set: fn(&mut DiceParameters, f64),
}

/// A name, its range, and how to reach the field; optional fields are set.
macro_rules! named {
    ($name:ident, $low:expr, $high:expr) => {
        Named { name: stringify!($name), range: [$low, $high], get: |p| p.$name, set: |p, x| p.$name = x }
    };
    ($name:ident, $low:expr, $high:expr, or $default:expr) => {
        Named {
            name: stringify!($name),
            range: [$low, $high],
            get: |p| p.$name.unwrap_or($default(p)),
            set: |p, x| p.$name = Some(x),
        }
    };
}

/// All parameters that can be identified.
pub const NAMED: &[Named] = &[
    named!(friction, 0.0, 1.0),
    named!(sliding, 0.0, 1.0, or |p: &DiceParameters| p.friction),
    named!(restitution, 0.0, 1.0),
    named!(wall, -0.72, -0.68, or |_: &DiceParameters| -0.7),
    named!(wall_friction, 0.0, 1.0, or |p: &DiceParameters| p.friction),
    named!(wall_restitution, 0.0, 1.0, or |p: &DiceParameters| p.restitution),
    named!(floor, -0.005, 0.005),
    named!(gravity, 8.0, 11.0),
    named!(linear_drag, 0.0, 3.0),
    named!(angular_drag, 0.0, 5.0),
    named!(delay, 0.0, 0.02),
    named!(half, 0.027, 0.033),
    named!(taper, 0.0, 0.006),
    named!(mass, 0.02, 0.1),
    named!(gyration, 0.018, 0.030),
    named!(rest_speed, 0.0, 0.2),
];

/// The parameter called `name`.
pub fn parameter(name: &str) -> Option<&'static Named> {
    NAMED.iter().find(|n| n.name == name)
}

impl DiceParameters {
    /// The arena as the frames of drops 1 to 400 show it between impacts: dice come to lie at a wall at the left, plates slow
    /// flights, bodies slide to a stop at 0.24 g, the first velocity is two frames old. Friction and restitution at impacts
    /// are those of [Fazeli2020].
    pub fn arena() -> Self {
        Self {
            sliding: Some(0.235),
            wall: Some(-0.697),
            floor: 7e-4,
            gravity: 9.8,
            linear_drag: 0.35,
            angular_drag: 0.6,
            delay: 0.008,
            half: 0.0305,
            ..Self::default()
        }
    }

    /// The world that these numbers describe.
    pub fn world(&self) -> PlanarWorld {
        let body = PlanarBody::square(self.half, self.taper, self.mass, self.gyration);
        let floor = Surface {
            sliding: self.sliding.unwrap_or(self.friction),
            ..Surface::floor(self.floor, self.friction, self.restitution)
        };
        let mut surfaces = vec![floor];
        if let Some(wall) = self.wall {
            let friction = self.wall_friction.unwrap_or(self.friction);
            surfaces.push(Surface {
                normal: [1.0, 0.0],
                offset: wall,
                friction,
                sliding: friction,
                restitution: self.wall_restitution.unwrap_or(self.restitution),
            });
        }
        PlanarWorld {
            gravity: [0.0, -self.gravity],
            drag: [self.linear_drag, self.angular_drag],
            rest_speed: self.rest_speed,
            admission: Admission::default(),
            ..PlanarWorld::new(body, surfaces)
        }
    }

    /// Where a drop starts: its first frame, with the velocity given for it brought up to date.
    pub fn start(&self, drop: &Trajectory) -> PlanarState {
        let [x, z, w] = drop.velocity;
        let (c, a, d) = (self.linear_drag, self.angular_drag, self.delay);
        let v = [x - d * c * x, z - d * (self.gravity + c * z), w - d * a * w];
        PlanarState { q: drop.frames[0], v }
    }
}
