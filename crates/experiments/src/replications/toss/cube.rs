//! A cube [Pfrommer2020].

use super::scene::{Named, Pose as BodyPose, SceneError, TossFit, TossScene, named};
use serde::{Deserialize, Serialize};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, State, UNCOLOURED};

/// A cube and its table. Defaults are the numbers that come with the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cube {
    pub friction: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Half of the side [m].
    pub half: f64,
    /// Radius of gyration about each axis [m].
    pub gyration: f64,
    /// Acceleration of free fall [m/s²].
    pub gravity: f64,
    /// Height of the table [m].
    pub table: f64,
    /// Mass [kg]; no contact with a table that stands still depends on it.
    pub mass: f64,
}

impl Default for Cube {
    fn default() -> Self {
        Self {
            friction: 0.18,
            restitution: 0.125,
            half: 0.0524,
            gyration: (0.00081_f64 / 0.37).sqrt(),
            gravity: 9.81,
            table: 0.0,
            mass: 0.37,
        }
    }
}

impl TossScene for Cube {
    const FILES: &'static str = "cube_toss_";
    const ANGLES: &'static [&'static str] = &[];
    const RATES: &'static [&'static str] = &[];
    const NAMED: &'static [Named<Self>] = &[
        named!(friction, 0.0, 0.6),
        named!(restitution, 0.0, 0.6),
        named!(half, 0.047, 0.058),
        named!(gyration, 0.036, 0.056),
        named!(gravity, 9.2, 10.2),
        named!(table, -0.006, 0.004),
    ];
    const FITS: &'static [TossFit] = &[
        TossFit { name: "contact-fit", parameters: &["friction", "restitution"] },
        TossFit {
            name: "contact-and-shape-fit",
            parameters: &["friction", "restitution", "half", "gyration", "gravity", "table"],
        },
    ];
    const GYRATION: f64 = 0.0468;

    fn published() -> Vec<(&'static str, Self)> {
        let given = Self::default();
        // The later robot file of the same authors does not bounce.
        let later = Self { friction: 0.15, restitution: 0.0, ..given };
        vec![("contactnets-numbers", given), ("dair-pll-numbers", later)]
    }

    fn build(&self) -> Result<(World, State), SceneError> {
        let mut scene = Composer::new("toss", vec3(0.0, 0.0, -self.gravity)).map_err(SceneError::of)?;
        let surface =
            Material { friction: self.friction, restitution: self.restitution, ..Material::default() };
        let table = Pose::from_translation(vec3(0.0, 0.0, self.table));
        scene.fixed("table", Shape::Plane, table, surface, UNCOLOURED).map_err(SceneError::of)?;
        let shape = Shape::Box { half: vec3(self.half, self.half, self.half) };
        let body = FreeBody { material: surface, ..FreeBody::new("cube", shape, self.mass, Pose::IDENTITY) };
        let cube = scene.body(body).map_err(SceneError::of)?;
        let (mut world, state) = scene.finish();
        let about = self.mass * self.gyration * self.gyration;
        world.model.bodies[cube].inertia =
            Inertia::new(self.mass, Vec3::ZERO, Sym3::diagonal(about, about, about));
        Ok((world, state))
    }

    fn poses(q: &[f64]) -> Vec<BodyPose> {
        vec![std::array::from_fn(|i| q[i])]
    }

    fn gravity(&self) -> f64 {
        self.gravity
    }
}
