//! The exact law's problem at the end of a step of a method that brings its own contact forces, for the judge.
//!
//! ```text
//!     g = J v_f + φ₊/h,   v_f = v⁺ − M⁻¹ Jᵀ λ                                                       (1)
//! ```
//!
//! at q⁺; λ is h times the contact forces there. c = J v⁺ is then what the step ended with, and the certificate says how far
//! λ and c are from Signorini's and Coulomb's law. What neither touches nor bears anything is no contact: such a method meets what comes in
//! its next step.

use super::rows::Rows;
use super::search::Search;
use crate::params::StepperParams;
use stiction_assembly::{BlockKey, ContactPoint, RowKey};
use stiction_contact::Needs;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Vec3;
use stiction_models::World;

/// Gap at which something touches [m].
const TOUCH: f64 = 1e-8;

/// The force of a stop of a joint.
pub(super) struct StopForce {
    pub(super) key: RowKey,
    pub(super) dof: usize,
    /// Direction of the force: 1 at the lower end of the range, −1 at the upper.
    pub(super) sign: f64,
    /// Away from the stop [N or N·m].
    pub(super) force: f64,
}

/// Problem, impulses and contact points.
pub(super) struct Judged {
    pub(super) rows: Rows,
    pub(super) points: Vec<ContactPoint>,
    /// On B, of each [N].
    forces: Vec<Vec3>,
    v_free: Vec<f64>,
}

impl Judged {
    pub(super) fn new(world: &World, q_of_dof: Vec<usize>) -> Self {
        Self {
            rows: Rows::new(world, q_of_dof),
            points: Vec::new(),
            forces: Vec::new(),
            v_free: vec![0.0; world.model.nv()],
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.points.clear();
        self.forces.clear();
    }

    /// (1), with the force on B at every point of the search in W [N], and those of stops.
    pub(super) fn pose(
        &mut self,
        world: &World,
        (kin, search): (&Kinematics, &Search),
        (q, v): (&[f64], &[f64]),
        (params, h): (&StepperParams, f64),
        (forces, stops, needs): (&[Vec3], &[StopForce], Needs),
    ) -> Result<(), String> {
        self.clear();
        let touching = search.points.iter().zip(forces).filter(|(c, f)| c.gap <= TOUCH || **f != Vec3::ZERO);
        for (c, force) in touching {
            self.points.push(ContactPoint { spring: None, restitution: 0.0, ..*c });
            self.forces.push(*force);
        }
        let forces = &self.forces[..];
        self.rows.factor(world, kin)?;
        self.v_free.fill(0.0);
        add_forces(world, kin, &self.points, forces, -h, &mut self.v_free);
        stops.iter().for_each(|s| self.v_free[s.dof] -= h * s.sign * s.force);
        self.rows.factor.solve_in_place(&mut self.v_free);
        self.v_free.iter_mut().zip(v).for_each(|(free, v)| *free += v);
        let params = params.rows(h, &world.model.gravity);
        let here = (q, v, &self.v_free[..]);
        self.rows.pose(world, (kin, &self.points), here, params, !needs.delassus_factor)?;
        let Rows { posed, impulses, .. } = &mut self.rows;
        for (block, what) in posed.blocks.iter().enumerate() {
            let c = match what.key {
                BlockKey::Contact(c) => c,
                BlockKey::Row(key) => {
                    let row = posed.normal_row(block);
                    stops.iter().filter(|s| s.key == key).for_each(|s| impulses[row] = h * s.force);
                    continue;
                }
            };
            let (point, impulse) = (&self.points[c], forces[c] * h);
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
