//! From bodies as stated to the model: compiler corrections of mass, then the builder.

use super::Reader;
use super::actuator::NeutralInertia;
use super::body::BodyOfFile;
use super::option::Settings;
use crate::error::LoadError;
use crate::neighbours::exclude_neighbours;
use stiction_dynamics::spatial::{Inertia, Vec3, vec3};
use stiction_dynamics::{Model, ModelBuilder, ModelError};
use stiction_world::World;
use stiction_world::inertia::{from_principal, principal, scaled};

/// The world with bodies, geometries, visuals and limits of drives.
pub(crate) fn world<'d>(
    reader: &mut Reader<'d>,
    bodies: &[BodyOfFile<'d>],
    gravity: Vec3,
) -> Result<World, LoadError> {
    let inertias = corrected(reader, bodies)?;
    let mut builder = ModelBuilder::new();
    let mut drive_limits = Vec::new();
    for (body, inertia) in bodies.iter().zip(inertias) {
        let index = builder.link(body.name.clone(), body.parent, body.X_PB, inertia);
        for joint in &body.joints {
            drive_limits.extend(std::iter::repeat_n(joint.drive, joint.spec.kind.nv()));
            builder.joint(index, joint.spec.clone());
        }
    }
    let builder = builder.unphysical(reader.unphysical);
    let mut model = builder.build(gravity).map_err(|source| located(reader, bodies, source))?;
    tune(&reader.settings, bodies, &mut model);
    let name = reader.root().get("model").map_or("mujoco", |a| a.value());
    let mut world = World::new(name, model);
    world.drive_limits = drive_limits;
    world.geometries = std::mem::take(&mut reader.geometries);
    world.visuals = std::mem::take(&mut reader.visuals);
    world.extras = std::mem::take(&mut reader.extras);
    world.gravity_compensation = std::mem::take(&mut reader.gravity_compensation);
    world.time_step = Some(reader.settings.time_step);
    if reader.settings.filter_parent {
        exclude_neighbours(&mut world, reader.root())?;
    }
    Ok(world)
}

/// `springdamper`: with the inertia I that a joint feels in the neutral configuration, time constant t and
/// damping ratio r,
///
/// ```text
///     stiffness = I/(t r)²,   damping = 2 I/t,   I = nv / Σ (M⁻¹)_ii over the dofs of the joint
/// ```
fn tune(settings: &Settings, bodies: &[BodyOfFile<'_>], model: &mut Model) {
    let mut inertia = NeutralInertia::default();
    let joints = bodies.iter().flat_map(|b| &b.joints).enumerate();
    for (index, [time, ratio]) in joints.filter_map(|(i, j)| Some((i, j.spring_damper?))) {
        let Some(dofs) = model.joints.get(index).map(|j| j.idx_v..j.idx_v + j.kind.nv()) else { continue };
        let inverse: f64 = dofs.clone().map(|d| inertia.inverse(model, &[(d, 1.0)])).sum();
        let felt = dofs.len() as f64 / inverse.max(1e-15);
        let stiffness = felt / (time * ratio * time * ratio).max(1e-15);
        let damping = 2.0 * felt / time.max(1e-15);
        if let Some(joint) = model.joints.get_mut(index) {
            joint.stiffness = if settings.spring { stiffness } else { 0.0 };
        }
        for dof in model.dofs.get_mut(dofs).into_iter().flatten() {
            dof.damping = if settings.damper { damping } else { 0.0 };
        }
    }
}

/// `boundmass`, `boundinertia`, `balanceinertia`, then `settotalmass`.
fn corrected<'d>(reader: &Reader<'d>, bodies: &[BodyOfFile<'d>]) -> Result<Vec<Inertia>, LoadError> {
    let scopes = reader.scopes.clone();
    let mut inertias: Vec<Inertia> = Vec::with_capacity(bodies.len());
    for body in bodies {
        let compiler = &scopes[body.scope].compiler;
        let mass = body.inertia.mass.max(compiler.least_mass);
        let (m, axes) = principal(&body.inertia.about_com());
        let least = compiler.least_inertia;
        let mut bounded = vec3(m.x.max(least), m.y.max(least), m.z.max(least));
        let sum = bounded.x + bounded.y + bounded.z;
        let largest = bounded.x.max(bounded.y).max(bounded.z);
        // What is left of no inertia by taking m c² away twice.
        let second = body.inertia.second;
        let rounding = 1e-14 * (second.xx + second.yy + second.zz);
        let impossible = 2.0 * largest - sum > 1e-12 * sum + rounding;
        if impossible && compiler.balance {
            bounded = vec3(sum / 3.0, sum / 3.0, sum / 3.0);
        } else if impossible && !reader.unphysical {
            let element = body.element.child("inertial").ok().flatten().unwrap_or(body.element);
            return Err(element.structure(format!(
                "the largest principal moment of inertia of {}, {largest}, exceeds the sum of the others, {}: no body has \
                 this inertia (the compiler's balanceinertia would even it out)",
                body.element.described(),
                sum - largest
            )));
        }
        let changed = mass != body.inertia.mass || bounded != m;
        inertias.push(if changed {
            Inertia::new(mass, body.inertia.com(), from_principal(bounded, &axes))
        } else {
            body.inertia
        });
    }
    if let Some(wanted) = reader.scope(0).compiler.total_mass {
        let total: f64 = inertias.iter().map(|i| i.mass).sum();
        if total > 0.0 {
            inertias.iter_mut().for_each(|i| *i = scaled(i, wanted / total));
        }
    }
    Ok(inertias)
}

/// The place of the body or joint that the builder complains about.
fn located(reader: &Reader<'_>, bodies: &[BodyOfFile<'_>], source: ModelError) -> LoadError {
    let body = |name: &str| bodies.iter().find(|b| b.name == name).map(|b| b.element);
    let joint =
        |name: &str| bodies.iter().flat_map(|b| &b.joints).find(|j| j.spec.name == name).map(|j| j.element);
    let element = match &source {
        ModelError::Value { element, .. } => {
            let (kind, name) = element.split_once(" `").unwrap_or_default();
            let name = name.trim_end_matches('`');
            if kind == "joint" { joint(name) } else { body(name) }
        }
        ModelError::Massless { body: name, .. } | ModelError::FreeBelow { link: name } => body(name),
        ModelError::TooLarge { .. } | ModelError::TooDeep { .. } => None,
    };
    LoadError::Model { place: element.unwrap_or(reader.root()).place(), source }
}
