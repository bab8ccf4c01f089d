//! Two boxes on a hinge [Bianchini2023].

use super::scene::{Named, Pose, SceneError, TossFit, TossScene, named};
use serde::{Deserialize, Serialize};
use std::path::Path;
use stiction::State;
use stiction::dynamics::spatial::{Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;

/// Two equal boxes on a passive hinge, and their table. Defaults are the numbers of the robot file that comes with the data, which
/// names no restitution and no friction of the hinge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Elbow {
    pub friction: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Half of a box's length, and of its width and height [m].
    pub half_length: f64,
    pub half_width: f64,
    /// Radius of gyration of a box across its long axis [m], and that about it over this one [–], which is below √2.
    pub gyration_across: f64,
    pub gyration_ratio: f64,
    /// Acceleration of free fall [m/s²].
    pub gravity: f64,
    /// Height of the table [m].
    pub table: f64,
    /// Friction torque of the hinge [N m], and its damping [N m s/rad].
    pub hinge_friction: f64,
    pub hinge_damping: f64,
    /// Mass of a box [kg].
    pub mass: f64,
}

/// The hinge in the first box, and the centre of the second box in the frame of the hinge [m].
const HINGE: Vec3 = vec3(-0.035, 0.06, 0.0);
const SECOND: Vec3 = vec3(0.035, 0.0, 0.0);

impl Default for Elbow {
    fn default() -> Self {
        Self {
            friction: 0.3,
            restitution: 0.0,
            half_length: 0.05,
            half_width: 0.025,
            gyration_across: (0.000_616_7_f64 / 0.37).sqrt(),
            gyration_ratio: 1.0,
            gravity: 9.81,
            table: 0.0,
            hinge_friction: 0.0,
            hinge_damping: 0.0,
            mass: 0.37,
        }
    }
}

impl TossScene for Elbow {
    const FILES: &'static str = "elbow_toss_";
    const ANGLES: &'static [&'static str] = &["theta"];
    const RATES: &'static [&'static str] = &["thetadot"];
    const NAMED: &'static [Named<Self>] = &[
        named!(friction, 0.0, 0.8),
        named!(restitution, 0.0, 0.6),
        named!(half_length, 0.045, 0.056),
        named!(half_width, 0.021, 0.029),
        named!(gyration_ratio, 0.4, 1.4),
        named!(gyration_across, 0.02, 0.05),
        named!(gravity, 9.2, 10.2),
        named!(table, -0.006, 0.006),
        named!(hinge_friction, 0.0, 0.02),
        named!(hinge_damping, 0.0, 2e-3),
    ];
    const FITS: &'static [TossFit] = &[
        TossFit { name: "contact-fit", parameters: &["friction", "restitution"] },
        TossFit {
            name: "contact-and-hinge-fit",
            parameters: &["friction", "restitution", "hinge_friction", "hinge_damping"],
        },
        TossFit {
            name: "contact-and-shape-fit",
            parameters: &[
                "friction",
                "restitution",
                "half_length",
                "half_width",
                "gyration_ratio",
                "gyration_across",
                "gravity",
                "table",
                "hinge_friction",
                "hinge_damping",
            ],
        },
    ];
    const GYRATION: f64 = 0.0408;

    fn published() -> Vec<(&'static str, Self)> {
        vec![("dair-pll-numbers", Self::default())]
    }

    fn build(&self) -> Result<(World, State), SceneError> {
        let Self { friction, half_length, half_width, gravity, table, mass, .. } = *self;
        let across = mass * self.gyration_across * self.gyration_across;
        let along = across * self.gyration_ratio * self.gyration_ratio;
        let (hinge_friction, damping) = (self.hinge_friction, self.hinge_damping);
        let [hx, hy, hz] = [HINGE.x, HINGE.y, HINGE.z];
        let x = SECOND.x;
        let half = format!("{half_length} {half_width} {half_width}");
        let text = format!(
            r#"<mujoco model="elbow">
  <option gravity="0 0 {}"/>
  <worldbody>
    <geom name="table" type="plane" size="0 0 1" pos="0 0 {table}" friction="{friction} 0 0"/>
    <body name="first">
      <freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{along} {across} {across}"/>
      <geom name="first" type="box" size="{half}" friction="{friction} 0 0"/>
      <body name="second" pos="{hx} {hy} {hz}">
        <joint name="hinge" axis="0 1 0" frictionloss="{hinge_friction}" damping="{damping}"/>
        <inertial pos="{x} 0 0" mass="{mass}" diaginertia="{along} {across} {across}"/>
        <geom name="second" type="box" size="{half}" pos="{x} 0 0" friction="{friction} 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>"#,
            -gravity
        );
        let place = Path::new("elbow.xml");
        let mut world =
            load_str(&text, place, Path::new("."), &LoadOptions::default()).map_err(SceneError::of)?;
        for geometry in &mut world.geometries {
            geometry.material.restitution = self.restitution;
        }
        let state = State::neutral(&world.model);
        Ok((world, state))
    }

    fn poses(q: &[f64]) -> Vec<Pose> {
        let first: Pose = std::array::from_fn(|i| q[i]);
        let turn = Quat::new(q[3], q[4], q[5], q[6]);
        let (sin, cos) = (0.5 * q[7]).sin_cos();
        let about = turn * Quat::new(cos, 0.0, sin, 0.0);
        let at = vec3(q[0], q[1], q[2]) + turn.rotate(HINGE) + about.rotate(SECOND);
        vec![first, [at.x, at.y, at.z, about.w, about.x, about.y, about.z]]
    }

    fn gravity(&self) -> f64 {
        self.gravity
    }
}
