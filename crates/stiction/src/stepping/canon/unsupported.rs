//! Worlds with parts that a method does not support.

use stiction_assembly::RowKey;
use stiction_assembly::rows::{self, kind::Feature};
use stiction_collision::ShapeError;
use stiction_contact::ContactSolver;
use stiction_dynamics::JointKind;
use stiction_solvers::registry::SolverError;
use stiction_world::{Dimension, Geometry, HydroelasticKind, World};

/// A world that the stepper does not take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnsupportedByCanon {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error("{stepper} does not support the {what} `{name}`; the stepper time-stepping does")]
    Part { stepper: &'static str, what: &'static str, name: String },
    #[error(
        "adaptive controls the error of another stepper, one of {available}; canon.adaptive.inner is `{name}`"
    )]
    Inner { name: String, available: &'static str },
    #[error(
        "{stepper} knows no contacts that {what}, as those of `{name}` do; the steppers moreau and time-stepping do"
    )]
    Contact { stepper: &'static str, what: &'static str, name: String },
}

/// The parts of a world that a method knows, beyond trees of joints with limits, servos and contacts of
/// sliding friction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features {
    pub(crate) tendons: bool,
    pub(crate) loops: bool,
    pub(crate) couplings: bool,
    /// Dry friction of joints.
    pub(crate) dry_friction: bool,
    /// Ball and free joints, whose coordinates do not add up.
    pub(crate) turning_joints: bool,
    /// Surfaces that press over an area.
    pub(crate) pressure: bool,
    /// Contacts that bounce.
    pub(crate) restitution: bool,
    /// Contacts that resist spinning or rolling.
    pub(crate) rolling_friction: bool,
}

impl Features {
    pub(crate) const ALL: Self = Self {
        tendons: true,
        loops: true,
        couplings: true,
        dry_friction: true,
        turning_joints: true,
        pressure: true,
        restitution: true,
        rolling_friction: true,
    };

    /// None of these.
    pub(crate) const TREES: Self = Self {
        tendons: false,
        loops: false,
        couplings: false,
        dry_friction: false,
        turning_joints: false,
        pressure: false,
        restitution: false,
        rolling_friction: false,
    };
}

impl Features {
    /// True where the method poses rows of this kind.
    fn row(&self, key: &RowKey) -> bool {
        match key.kind().feature() {
            Feature::Limits | Feature::Actuators => true,
            Feature::DryFriction => self.dry_friction,
            Feature::Couplings => self.couplings,
            Feature::Loops => self.loops,
            Feature::Tendons => self.tendons,
        }
    }
}

/// The error of the first part of `world` that `stepper` does not support.
pub(crate) fn refuse(
    world: &World,
    stepper: &'static str,
    supports: &Features,
) -> Result<(), UnsupportedByCanon> {
    let model = &world.model;
    let turns = |kind: JointKind| matches!(kind, JointKind::Ball | JointKind::Free);
    let part = |what, name: &str| Err(UnsupportedByCanon::Part { stepper, what, name: name.to_owned() });
    if let Some(key) = rows::standing(world).iter().find(|key| !supports.row(key)) {
        return part(key.kind().sort(), key.kind().name(world));
    }
    if let Some(joint) = model.joints.iter().find(|j| turns(j.kind) && !supports.turning_joints) {
        return part("ball or free joint", &joint.name);
    }
    let of_geometries =
        world.geometries.iter().map(|g| (&g.name, g.material.restitution, g.material.dimension));
    let of_pairs = world.pairs.iter().map(|p| (&p.name, p.surface.restitution, p.surface.dimension));
    let surfaces = || of_geometries.clone().chain(of_pairs.clone());
    let bounces = || surfaces().find(|surface| surface.1 > 0.0).map(|surface| surface.0);
    let resists = || surfaces().find(|surface| surface.2 > Dimension::Sliding).map(|surface| surface.0);
    let contacts = [
        (supports.pressure, "press over an area (hydroelastic)", pressing(world)),
        (supports.restitution, "bounce", bounces()),
        (supports.rolling_friction, "resist spinning or rolling", resists()),
    ];
    match contacts.into_iter().find(|contact| !contact.0 && contact.2.is_some()) {
        Some((_, what, Some(name))) => Err(UnsupportedByCanon::Contact { stepper, what, name: name.clone() }),
        _ => Ok(()),
    }
}

/// The error of a contact solver of a compliant law.
pub(super) fn refuse_compliant(stepper: &str, solver: &dyn ContactSolver) -> Result<(), String> {
    match solver.needs().softness {
        false => Ok(()),
        true => Err(format!(
            "{stepper} takes contact solvers of rigid laws; {} is one of a compliant law",
            solver.name()
        )),
    }
}

/// The name of a surface that meets others by pressure, if there is one.
pub(super) fn pressing(world: &World) -> Option<&String> {
    let yields = |g: &&Geometry| g.material.hydroelastic.kind == HydroelasticKind::Compliant;
    world.geometries.iter().find(yields).map(|g| &g.name)
}
