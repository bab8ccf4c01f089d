//! Numbers of the world that every environment may have of its own.

use stiction_dynamics::spatial::{Inertia, Vec3};
use stiction_world::{ActuatorLaw, World};

/// What may differ between environments; everything else of the world is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields {
    /// Acceleration of gravity in W [m/s²].
    pub gravity: Vec3,
    /// Per body, about its origin and in its axes.
    pub inertia: Vec<Inertia>,
    /// Per dof [kg·m² or kg].
    pub armature: Vec<f64>,
    /// Per dof [N·m·s/rad or N·s/m].
    pub damping: Vec<f64>,
    /// Per dof: dry friction [N·m or N].
    pub dry_friction: Vec<f64>,
    /// Per joint: spring [N·m/rad or N/m].
    pub stiffness: Vec<f64>,
    /// Per joint: where the spring is at rest [rad or m].
    pub spring_rest: Vec<f64>,
    /// Per actuator: its gains.
    pub law: Vec<ActuatorLaw>,
    /// Per actuator [N·m or N].
    pub effort_limit: Vec<Option<[f64; 2]>>,
    /// Per geometry: coefficient of friction [–].
    pub friction: Vec<f64>,
    /// Per geometry: coefficient of restitution [–].
    pub restitution: Vec<f64>,
    /// Of the pairs with rules of their own (`World::pairs`): coefficient of friction [–].
    pub pair_friction: Vec<f64>,
}

/// Why numbers cannot be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FieldError {
    #[error("`{what}` has {got} entries; this world needs {expected}")]
    Length { what: &'static str, got: usize, expected: usize },
    #[error("{what}[{index}] is {value}; expected {expected}")]
    Value { what: &'static str, index: usize, value: f64, expected: &'static str },
}

impl Fields {
    /// Those of `world`.
    pub fn of(world: &World) -> Self {
        let model = &world.model;
        Self {
            gravity: model.gravity,
            inertia: model.bodies.iter().map(|b| b.inertia).collect(),
            armature: model.dofs.iter().map(|d| d.armature).collect(),
            damping: model.dofs.iter().map(|d| d.damping).collect(),
            dry_friction: model.dofs.iter().map(|d| d.friction).collect(),
            stiffness: model.joints.iter().map(|j| j.stiffness).collect(),
            spring_rest: model.joints.iter().map(|j| j.spring_rest).collect(),
            law: world.actuators.iter().map(|a| a.law).collect(),
            effort_limit: world.actuators.iter().map(|a| a.effort_limit).collect(),
            friction: world.geometries.iter().map(|g| g.material.friction).collect(),
            restitution: world.geometries.iter().map(|g| g.material.restitution).collect(),
            pair_friction: world
                .pairs
                .iter()
                .map(|p| p.surface.sliding[0].max(p.surface.sliding[1]))
                .collect(),
        }
    }

    /// Multiplies mass and inertia of a body.
    pub fn scale_mass(&mut self, body: usize, factor: f64) {
        self.inertia[body] = scaled(self.inertia[body], factor);
    }

    /// Writes them into `world`, if they fit it. The inertias of links follow those of their bodies: a link that is alone
    /// on a body has the body's, several are scaled by the ratio of its masses.
    pub fn apply(&self, world: &mut World) -> Result<(), FieldError> {
        self.validate(world)?;
        self.write_links(world);
        self.write(world);
        Ok(())
    }

    fn write_links(&self, world: &mut World) {
        let model = &mut world.model;
        let mut links = vec![0; model.bodies.len()];
        model.links.iter().filter_map(|l| l.body).for_each(|b| links[b] += 1);
        for link in &mut model.links {
            let Some(b) = link.body else { continue };
            let (before, now) = (model.bodies[b].inertia, self.inertia[b]);
            if before == now {
                continue;
            }
            let X_LB = link.X_BL.inverse();
            if links[b] == 1 {
                link.inertia = now.transformed(&X_LB.rotation.to_matrix(), X_LB.translation);
            } else if before.mass > 0.0 {
                link.inertia = scaled(link.inertia, now.mass / before.mass);
            }
        }
    }

    /// Writes them into `world`.
    pub(super) fn write(&self, world: &mut World) {
        let model = &mut world.model;
        model.gravity = self.gravity;
        model.bodies.iter_mut().zip(&self.inertia).for_each(|(b, I)| b.inertia = *I);
        for (i, dof) in model.dofs.iter_mut().enumerate() {
            (dof.armature, dof.damping, dof.friction) =
                (self.armature[i], self.damping[i], self.dry_friction[i]);
        }
        for (i, joint) in model.joints.iter_mut().enumerate() {
            (joint.stiffness, joint.spring_rest) = (self.stiffness[i], self.spring_rest[i]);
        }
        for (i, a) in world.actuators.iter_mut().enumerate() {
            (a.law, a.effort_limit) = (self.law[i], self.effort_limit[i]);
        }
        for (i, g) in world.geometries.iter_mut().enumerate() {
            g.material.set_friction(self.friction[i]);
            g.material.restitution = self.restitution[i];
        }
        for (pair, friction) in world.pairs.iter_mut().zip(&self.pair_friction) {
            pair.surface.set_friction(*friction);
        }
    }

    /// Against the sizes of `world`, and each number against its range.
    pub(super) fn validate(&self, world: &World) -> Result<(), FieldError> {
        let model = &world.model;
        let (nb, nv, nj, nu) = (model.bodies.len(), model.nv(), model.joints.len(), world.actuators.len());
        let ng = world.geometries.len();
        for (what, got, expected) in [
            ("inertia", self.inertia.len(), nb),
            ("armature", self.armature.len(), nv),
            ("damping", self.damping.len(), nv),
            ("dry_friction", self.dry_friction.len(), nv),
            ("stiffness", self.stiffness.len(), nj),
            ("spring_rest", self.spring_rest.len(), nj),
            ("law", self.law.len(), nu),
            ("effort_limit", self.effort_limit.len(), nu),
            ("friction", self.friction.len(), ng),
            ("restitution", self.restitution.len(), ng),
            ("pair_friction", self.pair_friction.len(), world.pairs.len()),
        ] {
            if got != expected {
                return Err(FieldError::Length { what, got, expected });
            }
        }
        let masses: Vec<f64> = self.inertia.iter().map(|I| I.mass).collect();
        for (what, numbers) in [
            ("inertia", &masses),
            ("armature", &self.armature),
            ("damping", &self.damping),
            ("dry_friction", &self.dry_friction),
            ("stiffness", &self.stiffness),
            ("friction", &self.friction),
            ("restitution", &self.restitution),
            ("pair_friction", &self.pair_friction),
        ] {
            check(what, numbers, |x| x >= 0.0, "a finite number >= 0")?;
        }
        let mut springs = model.joints.iter().zip(&self.stiffness);
        let ball = |j: &stiction_dynamics::Joint| !j.kind.is_scalar() && j.stiffness == 0.0;
        if let Some(index) = springs.position(|(j, k)| ball(j) && *k != 0.0) {
            let (value, expected) =
                (self.stiffness[index], "0, as in the world, for a joint that is not scalar");
            return Err(FieldError::Value { what: "stiffness", index, value, expected });
        }
        check("gravity", &self.gravity.to_array(), |_| true, "a finite number")?;
        check("spring_rest", &self.spring_rest, |_| true, "a finite number")?;
        let laws = self.law.iter().flat_map(|l| [l.gain, l.bias, l.bias_length, l.bias_velocity]);
        check("law", &laws.collect::<Vec<_>>(), |_| true, "finite gains")
    }
}

/// `factor` times as heavy, of the same shape.
fn scaled(mut I: Inertia, factor: f64) -> Inertia {
    let second = &mut I.second;
    I.mass *= factor;
    I.first = I.first * factor;
    for x in [&mut second.xx, &mut second.yy, &mut second.zz, &mut second.xy, &mut second.xz, &mut second.yz]
    {
        *x *= factor;
    }
    I
}

fn check(
    what: &'static str,
    numbers: &[f64],
    ok: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<(), FieldError> {
    match numbers.iter().position(|x| !x.is_finite() || !ok(*x)) {
        Some(index) => Err(FieldError::Value { what, index, value: numbers[index], expected }),
        None => Ok(()),
    }
}
