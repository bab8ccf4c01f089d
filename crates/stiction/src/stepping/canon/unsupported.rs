//! Worlds that a stepper of the canon has no word for.

use super::contact_law::ContactLaw;
use stiction_collision::ShapeError;
use stiction_dynamics::JointKind;
use stiction_models::{Dimension, HydroelasticKind, World};
use stiction_solvers::registry::SolverError;

/// A world that the stepper does not take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnsupportedByCanon {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error("{stepper} knows no {what}, as `{name}` is; the stepper time-stepping does")]
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

/// The error of what `law` cannot step.
pub(super) fn refuse(world: &World, law: ContactLaw) -> Result<(), UnsupportedByCanon> {
    let stepper = law.name();
    if let Some(tendon) = world.tendons.first() {
        let name = tendon.name.clone();
        return Err(UnsupportedByCanon::Part { stepper, what: "tendon", name });
    }
    if law == ContactLaw::Moreau {
        return Ok(());
    }
    refuse_pressure(world, stepper)?;
    let geometries = world.geometries.iter().map(|g| (&g.name, g.material.restitution, g.material.dimension));
    let pairs = world.pairs.iter().map(|p| (&p.name, p.surface.restitution, p.surface.dimension));
    for (name, restitution, dimension) in geometries.chain(pairs) {
        let what = match () {
            () if restitution > 0.0 => "bounce",
            () if dimension > Dimension::Sliding => "resist spinning or rolling",
            () => continue,
        };
        return Err(UnsupportedByCanon::Contact { stepper, what, name: name.clone() });
    }
    Ok(())
}

/// The error of tendons, loops and couplings, and of contacts that resist turning.
pub(super) fn refuse_bound(world: &World, stepper: &'static str) -> Result<(), UnsupportedByCanon> {
    let tendons = world.tendons.iter().map(|t| ("tendon", &t.name));
    let loops = world.loops.iter().filter(|l| l.active).map(|l| ("loop", &l.name));
    let couplings = world.couplings.iter().map(|c| ("coupling", &c.name));
    if let Some((what, name)) = tendons.chain(loops).chain(couplings).next() {
        return Err(UnsupportedByCanon::Part { stepper, what, name: name.clone() });
    }
    let geometries = world.geometries.iter().map(|g| (&g.name, g.material.dimension));
    let pairs = world.pairs.iter().map(|p| (&p.name, p.surface.dimension));
    match geometries.chain(pairs).find(|(_, dimension)| *dimension > Dimension::Sliding) {
        None => Ok(()),
        Some((name, _)) => {
            let what = "resist spinning or rolling";
            Err(UnsupportedByCanon::Contact { stepper, what, name: name.clone() })
        }
    }
}

/// The error of surfaces that meet by pressure.
pub(super) fn refuse_pressure(world: &World, stepper: &'static str) -> Result<(), UnsupportedByCanon> {
    let yields = |g: &&stiction_models::Geometry| g.material.hydroelastic.kind == HydroelasticKind::Compliant;
    match world.geometries.iter().find(yields) {
        None => Ok(()),
        Some(g) => {
            let (what, name) = ("press over an area (hydroelastic)", g.name.clone());
            Err(UnsupportedByCanon::Contact { stepper, what, name })
        }
    }
}

/// The error of dry friction in joints.
pub(super) fn refuse_dry(world: &World, stepper: &'static str) -> Result<(), UnsupportedByCanon> {
    match world.model.dofs.iter().find(|d| d.friction > 0.0) {
        None => Ok(()),
        Some(dof) => {
            let name = world.model.joints[dof.joint].name.clone();
            Err(UnsupportedByCanon::Part { stepper, what: "dry friction of joints", name })
        }
    }
}

/// The error of joints whose coordinates do not add up.
pub(super) fn refuse_angles(world: &World, stepper: &'static str) -> Result<(), UnsupportedByCanon> {
    let turns = |kind: JointKind| matches!(kind, JointKind::Ball | JointKind::Free);
    match world.model.joints.iter().find(|j| turns(j.kind)) {
        None => Ok(()),
        Some(joint) => {
            let (what, name) = ("ball and free joints", joint.name.clone());
            Err(UnsupportedByCanon::Part { stepper, what, name })
        }
    }
}
