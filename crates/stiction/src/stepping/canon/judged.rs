//! The exact law's problem at the end of a step of a method that brings its own contact forces, for the
//! judge.
//!
//! ```text
//!     g = J v_f + biases of gaps,   v_f = v⁺ − M⁻¹ Jᵀ λ                                             (1)
//! ```
//!
//! J and M are those of the kinematics at which the method took its forces; λ is the time over which they act
//! times the forces there. c = J v⁺ is then what the step ended with, and the certificate says how far λ and
//! c are from Signorini's and Coulomb's law.

use super::method::Shared;
use super::rows::{Approach, Rows};
use crate::stepping::attempt::Step;
use stiction_assembly::{BlockKey, ContactPoint, RowKey};
use stiction_contact::Needs;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Vec3;
use stiction_world::World;

/// Gap at which something touches [m].
const TOUCH: f64 = 1e-8;

/// The force of a stop or of dry friction of a joint.
pub(crate) struct JointForce {
    pub(crate) key: RowKey,
    pub(crate) dof: usize,
    /// Direction of the force: 1 at the lower end of the range, −1 at the upper.
    pub(crate) sign: f64,
    /// Away from the stop [N or N·m].
    pub(crate) force: f64,
}

/// Forces that acted in a step for the time `over` [s].
pub(crate) struct Given<'a> {
    /// On B, of every point of [`Shared::points`], in W [N].
    pub(crate) contacts: &'a [Vec3],
    pub(crate) joints: &'a [JointForce],
    pub(crate) over: f64,
}

impl Shared {
    /// Takes those of the `points` that touch or bear a force; the forces of these. An open contact without
    /// force is left out: the method finds it in its next step.
    pub(super) fn take_touching(&mut self, points: &[ContactPoint], forces: &[Vec3]) -> Vec<Vec3> {
        self.points.clear();
        let pairs = points.iter().zip(forces);
        let touching = pairs.filter(|(c, f)| c.gap <= TOUCH || **f != Vec3::ZERO);
        let take = |(c, force): (&ContactPoint, &Vec3)| {
            self.points.push(ContactPoint { spring: None, restitution: 0.0, ..*c });
            *force
        };
        touching.map(take).collect()
    }

    /// Poses (1) at `kin`, with rows whose gaps and velocities before the step are those of (q, v), and v⁺.
    pub(crate) fn pose_forces(
        &mut self,
        step: &Step<'_>,
        kin: &Kinematics,
        (q, v): (&[f64], &[f64]),
        given: &Given<'_>,
        needs: Needs,
    ) -> Result<(), String> {
        let Step { world, h, .. } = *step;
        let Given { contacts, joints, over } = *given;
        let Self { params, rows, points, .. } = self;
        rows.factor(world, kin)?;
        let mut v_free = std::mem::take(&mut rows.v_free);
        v_free.fill(0.0);
        add_forces(world, kin, points, contacts, -over, &mut v_free);
        joints.iter().for_each(|j| v_free[j.dof] -= over * j.sign * j.force);
        rows.factor.solve_in_place(&mut v_free);
        v_free.iter_mut().zip(&self.v).for_each(|(free, v)| *free += v);
        let params = params.rows(h, &world.model.gravity);
        let approach = Approach { q, v, v_free: &v_free };
        let posed = rows.pose(world, (kin, points), approach, params, !needs.delassus_factor);
        rows.v_free = v_free;
        posed?;
        let Rows { posed, impulses, .. } = rows;
        for (block, what) in posed.blocks.iter().enumerate() {
            let c = match what.key {
                BlockKey::Contact(c) => c,
                BlockKey::Row(key) => {
                    let row = posed.normal_row(block);
                    joints.iter().filter(|j| j.key == key).for_each(|j| impulses[row] += over * j.force);
                    continue;
                }
            };
            let (point, impulse) = (&points[c], contacts[c] * over);
            match &mut impulses[posed.problem.range(block)] {
                [t1, t2, n, ..] => {
                    (*t1, *t2, *n) = (point.t1.dot(impulse), point.t2.dot(impulse), point.n.dot(impulse));
                }
                [n, ..] => *n = point.n.dot(impulse),
                [] => {}
            }
        }
        Ok(())
    }
}

/// tau += `scale` Jᵀ f, of forces on B in W.
pub(super) fn add_forces(
    world: &World,
    kin: &Kinematics,
    points: &[ContactPoint],
    forces: &[Vec3],
    scale: f64,
    tau: &mut [f64],
) {
    let model = &world.model;
    for (c, force) in points.iter().zip(forces) {
        for (body, sign) in c.bodies.iter().zip([-scale, scale]) {
            let Some(body) = *body else { continue };
            let arm = c.position - kin.reference[model.bodies[body].tree];
            for dof in model.chain(Some(body)) {
                tau[dof] += sign * kin.S[dof].linear_at(arm).dot(*force);
            }
        }
    }
}
