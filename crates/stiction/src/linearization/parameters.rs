//! Derivatives by parameters of the world.
//!
//! Inverse dynamics is linear in the ten inertial parameters π of a body, M a + b = Y π, and in gravity; so
//! the right-hand side of the step, (2) of [`super::forces`], has for them
//!
//! ```text
//!     −h Y(q, v, Δ/h) δπ,    −h ∂b/∂g δg                                                            (1)
//! ```
//!
//! and M̂ of what is solved with it changes by Y(q, 0, y) − Y(q, 0, 0) along a velocity y. Springs, dampers
//! and actuators bring the columns of their numbers where they are differentiated by (q, v)
//! ([`super::forces`]), and so do rows of contacts that yield or bounce and geometries that are shifted
//! ([`super::rows`]). A coefficient of friction is in the contact law alone ([`super::active_set`]);
//! compliant laws are differentiated by their own numbers ([`super::compliant`]).

use super::columns::Columns;
use super::forces::Forces;
use super::parameter::Parameter;
use super::{Done, LinearizationError};
use crate::stepping::{Accepted, Quadrature};
use nalgebra::DMatrix;
use stiction_assembly::ContactPoint;
use stiction_assembly::laws::gyroscopic::midpoint_moment;
use stiction_contact::{Cone, Law};
use stiction_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};
use stiction_dynamics::{Dual, RneaWorkspace, Velocities, rnea_into};

impl Forces<'_> {
    /// Adds (1) to the right-hand side.
    pub(super) fn add_parameters(&self, out: &mut DMatrix<f64>) {
        let a: Vec<f64> = self.change.iter().map(|x| x / self.h).collect();
        self.add_inertial(self.coriolis().0, &a, [-self.h, 0.0], out);
        self.add_gyroscopic_inertia(out);
        let (model, columns) = (&self.world.model, self.columns);
        let kin = self.kin;
        for (p, parameter) in self.parameters.iter().enumerate() {
            if let Parameter::Gravity { axis } = *parameter {
                let mut pulled = model.clone();
                pulled.gravity = [Vec3::X, Vec3::Y, Vec3::Z][axis];
                let still = vec![0.0; columns.nv];
                let (mut vel, mut tau) = (Velocities::new(model), still.clone());
                vel.update(model, kin, &still);
                rnea_into(&pulled, kin, &vel, &still, &mut RneaWorkspace::new(model), &mut tau);
                (0..columns.nv).for_each(|i| out[(i, columns.p(p))] -= self.h * tau[i]);
            }
        }
    }

    /// Adds how the moments at the middle of the step of free bodies change.
    fn add_gyroscopic_inertia(&self, out: &mut DMatrix<f64>) {
        let (model, columns) = (&self.world.model, self.columns);
        for (p, parameter) in self.parameters.iter().enumerate() {
            let Some((body, change)) = parameter.inertial(model) else { continue };
            let explicit = |b: usize| b == body && !self.is_posed_in_middle(b);
            for &b in self.accepted.facts.gyroscopic.iter().filter(|b| explicit(**b)) {
                let first = model.bodies[b].dofs.start + 3;
                let numbers = model.bodies[b].inertia.parameters();
                let x: [Dual<1>; 10] =
                    std::array::from_fn(|k| Dual { value: numbers[k], tangent: [change[k]] });
                let second = Sym3 { xx: x[4], xy: x[5], yy: x[6], xz: x[7], yz: x[8], zz: x[9] };
                let inertia = Inertia { mass: x[0], first: vec3(x[1], x[2], x[3]), second };
                let omega = [0, 1, 2].map(|k| Dual::constant(self.start.v[first + k]));
                let turn = vec3(omega[0], omega[1], omega[2]);
                let moment = midpoint_moment(&inertia.about_com(), turn, Dual::constant(self.h));
                for (k, m) in [moment.x, moment.y, moment.z].into_iter().enumerate() {
                    out[(first + k, columns.p(p))] -= self.h * m.tangent[0];
                }
            }
        }
    }
}

/// The numbers of the surfaces of each block that are parameters, with their columns.
pub(super) fn numbers_of_surfaces(
    accepted: &Accepted<'_>,
    parameters: &[Parameter],
    columns: Columns,
) -> Vec<Vec<(usize, Parameter)>> {
    let mut out = vec![Vec::new(); accepted.posed.problem.len()];
    for (block, contact) in accepted.posed.contacts(accepted.contacts) {
        let of = |(_, x): &(usize, &Parameter)| x.is_of(contact.geometries);
        out[block].extend(parameters.iter().enumerate().filter(of).map(|(p, x)| (columns.p(p), *x)));
    }
    out
}

/// The columns of coefficients of friction among [`numbers_of_surfaces`].
pub(super) fn friction_columns(numbers: &[Vec<(usize, Parameter)>]) -> Vec<Vec<usize>> {
    let friction = |(p, x): &(usize, Parameter)| matches!(x, Parameter::Friction { .. }).then_some(*p);
    numbers.iter().map(|of| of.iter().filter_map(friction).collect()).collect()
}

impl Done<'_> {
    /// Parameters that do not exist, and those by which this step is not differentiated.
    pub(super) fn refuse_parameters(&self) -> Result<(), LinearizationError> {
        let Self { world, accepted, law, .. } = self;
        for &parameter in self.parameters {
            let why = |why| Err(LinearizationError::Parameter { parameter, why });
            let geometry = |g: usize| g < world.geometries.len();
            let exists = match parameter {
                Parameter::ContactReference { component, .. } if component > 1 => false,
                Parameter::Friction { geometries }
                | Parameter::ContactStiffness { geometries }
                | Parameter::ContactRelaxation { geometries }
                | Parameter::ContactDissipation { geometries }
                | Parameter::ContactReference { geometries, .. }
                | Parameter::Restitution { geometries } => geometries.into_iter().all(geometry),
                Parameter::Offset { geometry: g, axis } => geometry(g) && axis < 3,
                Parameter::JointStiffness { joint } => joint < world.model.joints.len(),
                Parameter::JointDamping { dof } => dof < world.model.nv(),
                Parameter::Gravity { axis } => axis < 3,
                Parameter::Mass { body } => body < world.model.bodies.len(),
                Parameter::Inertial { body, component } => body < world.model.bodies.len() && component < 10,
                Parameter::Gain { actuator }
                | Parameter::BiasLength { actuator }
                | Parameter::BiasVelocity { actuator } => actuator < world.actuators.len(),
            };
            if !exists {
                return why(
                    "the world has no such number; geometries, bodies, joints, dofs and actuators are counted from 0, axes are 0 to 2, inertial \
                     components 0 to 9, those of a reference 0 and 1",
                );
            }
            if accepted.quadrature.contains(&Quadrature::HigherOrder) {
                return why("a tree moved by a method of higher order; set `higher_order` to \"passive\"");
            }
            let friction = matches!(parameter, Parameter::Friction { .. });
            if friction && self.params.smoothing > 0.0 && !law.compliant() {
                return why("the relaxed problem is not differentiated by it; take `smoothing` = 0");
            }
            if friction && *law == Law::MujocoPyramidal {
                return why("under this law a pyramid's weights depend on it; use the elliptic `mujoco`");
            }
            let patched = |c: &ContactPoint| c.patch.is_some() && parameter.is_of(c.geometries);
            if accepted.contacts.iter().any(patched) && !friction {
                return why("the two meet by pressure, whose numbers are those of its fields");
            }
            match parameter {
                Parameter::JointStiffness { joint } if world.model.joints[joint].stiffness <= 0.0 => {
                    return why("the joint has no spring, and a step with one is of another kind");
                }
                Parameter::JointDamping { dof } if world.model.dofs[dof].damping <= 0.0 => {
                    return why("the dof has no damper, and a step with one is of another kind");
                }
                _ => {}
            }
            let turns = |i: usize| matches!(accepted.posed.problem.cone(i), Cone::Patch { .. });
            if friction && (0..accepted.posed.problem.len()).any(turns) {
                return why("a contact resists turning in proportion to it; give surfaces condim 3");
            }
            let weighs =
                parameter.inertial(&world.model).is_some() || matches!(parameter, Parameter::Gravity { .. });
            if weighs && !world.gravity_compensation.is_empty() {
                return why("links whose weight is carried depend on it; take gravity compensation away");
            }
            let flies =
                |body: usize| accepted.facts.ballistic.body_of(world.model.bodies[body].tree).is_some();
            if matches!(parameter, Parameter::Inertial { body, .. } if flies(body)) {
                return why(
                    "a free body alone flies about its centre of mass, which moves with it; differentiate by its mass",
                );
            }
            if matches!(parameter, Parameter::Mass { body } if world.model.bodies[body].inertia.mass <= 0.0) {
                return why("the body has no mass to scale; use its inertial parameters");
            }
        }
        Ok(())
    }
}
