//! The derivatives of the equations of a step of the θ-method, which are closed: with the forces of [`super`]
//! linearised about w,
//!
//! ```text
//!     r = S (v_f(v⁺) − v⁺) + Jᵀ λ,     c = J v⁺ + offsets + R λ                                      (1)
//! ```
//!
//! w = v where they are linearised once, and w = v⁺ where Newton's method was repeated until it settled.
//!
//! By (q, v, u) they are differences of the fourth order of (1) with v⁺ and λ as they are: forces, the mass
//! matrix and rows are evaluated anew, nothing is solved. Contacts are told by their features; one that
//! carries and is not met at a displacement is at a switch.

use super::super::method::Shared;
use super::laws::ThetaLaw;
use super::{Theta, velocities_into};
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{Equations, NoSlopes, Slopes, dense_jacobian};
use nalgebra::DMatrix;
use stiction_assembly::{BlockKey, Posed, RowKey, WarmStart};
use stiction_dynamics::differences::fourth_order;
use stiction_dynamics::integrate_into;
use stiction_world::World;

/// Displacements of positions, velocities and controls.
const DISPLACED: [f64; 3] = [1e-5, 1e-4, 1e-4];
/// Largest r at the answer, over the momentum [–].
const SETTLED: f64 = 1e-6;

/// A block of a problem, by what it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Name {
    Contact([usize; 2], u32),
    Row(RowKey),
}

/// The answer of a step.
struct Answer {
    names: Vec<Name>,
    /// Rows of each block.
    dims: Vec<usize>,
    lambda: Vec<f64>,
    v_next: Vec<f64>,
    at_limit: Vec<bool>,
    efforts: Vec<f64>,
}

/// r and c of (1).
struct Values {
    r: Vec<f64>,
    c: Vec<f64>,
}

impl<L: ThetaLaw> Theta<L> {
    /// Differentiates the equations of the last step, which went from `start`.
    pub(super) fn differentiate(&mut self, step: &Step<'_>, at: &mut Shared) -> Result<Slopes, NoSlopes> {
        if !step.world.loops.is_empty() {
            return Err(NoSlopes::Unsupported("what undoes errors of its loops is not differentiated"));
        }
        if self.rule.midpoint && self.linkages.any {
            return Err(NoSlopes::Unsupported("rows of its linkages that turn are not differentiated"));
        }
        let problem = &at.rows.posed.problem;
        let answer = Answer {
            names: names(at),
            dims: (0..problem.len()).map(|b| problem.range(b).len()).collect(),
            lambda: at.rows.impulses.clone(),
            v_next: at.v.clone(),
            at_limit: self.ahead.forces.at_limit.clone(),
            efforts: self.ahead.forces.efforts.clone(),
        };
        // What the step left, which the judge reads, is put back.
        let posed = std::mem::replace(&mut at.rows.posed, Posed::new(&step.world.model));
        let points = at.points.clone();
        let mut warm = WarmStart::default();
        warm.set_to(&at.warm);
        let found = self.equations(step, at, &answer);
        (at.rows.posed, at.points) = (posed, points);
        at.warm.set_to(&warm);
        found.map(|equations| Slopes::Equations(Box::new(equations)))
    }

    fn equations(
        &mut self,
        step: &Step<'_>,
        at: &mut Shared,
        answer: &Answer,
    ) -> Result<Equations, NoSlopes> {
        let (world, start) = (step.world, step.start);
        let theta = self.rule.theta;
        let (nv, nu) = (world.model.nv(), world.actuators.len());
        let base = self.evaluate(step, at, answer, &answer.v_next)?;
        let (left, momentum) = (size(&base.r), size(&momentum(at, &answer.v_next)));
        if self.settles() && left > SETTLED * momentum {
            let short = format!(
                "Newton's method left {left:e} of a momentum of {momentum:e}; raise `canon.moreau.newton`"
            );
            return Err(NoSlopes::Here(short));
        }
        let problem = at.rows.posed.problem.clone();
        let J = dense_jacobian(&at.rows.posed, nv);
        let S = self.by_velocity(step, at, answer)?;
        let columns = 2 * nv + nu;
        let mut r_change = DMatrix::zeros(nv, columns);
        let mut c_change = DMatrix::zeros(problem.rows(), columns);
        for k in 0..columns {
            let kind = if k < nv { 0 } else { usize::from(k >= 2 * nv) + 1 };
            fourth_order(DISPLACED[kind], |x, weight| {
                let (start, input) = step.displaced(k, x);
                let moved = Step { start: &start, input: &input, ..*step };
                let of = self.evaluate(&moved, at, answer, &answer.v_next)?;
                (0..nv).for_each(|i| r_change[(i, k)] += weight * of.r[i]);
                (0..problem.rows()).for_each(|i| c_change[(i, k)] += weight * of.c[i]);
                Ok(())
            })?;
        }
        let mean = answer.v_next.iter().zip(&start.v).map(|(next, v)| theta * next + (1.0 - theta) * v);
        let (mean, law) = (mean.collect(), self.own.as_ref().map(|own| own.law()));
        let lambda = answer.lambda.clone();
        Ok(Equations { problem, law, lambda, c: base.c, J, S, r_change, c_change, theta, mean })
    }

    /// Whether forces are those of the v⁺ that the step ends with.
    fn settles(&self) -> bool {
        self.rule.inertial && self.rule.rounds > 1
    }

    /// (1) from another start and to another v⁺, in the rows of the answer.
    fn evaluate(
        &mut self,
        step: &Step<'_>,
        at: &mut Shared,
        answer: &Answer,
        v_next: &[f64],
    ) -> Result<Values, NoSlopes> {
        let (Step { world, input, start: state, h }, here) = (*step, NoSlopes::Here);
        self.start.look(world, &state.q, &state.v);
        self.start.find_forces(world, (&state.q, &state.v), &input.control);
        self.start.find_mass(world);
        if self.rule.midpoint {
            integrate_into(&world.model, &state.q, &state.v, 0.5 * h, &mut self.room.q_ahead);
            self.middle.look(world, &self.room.q_ahead, &state.v);
        }
        let about = if self.settles() { v_next } else { &state.v };
        self.room.w.copy_from_slice(about);
        self.linearise(step);
        self.hold_limits(world, answer);
        self.find_base(step, at).map_err(here)?;
        self.find_contacts(step, at);
        self.pose_rows(step, at);
        self.write_law(step, at);
        let changes = self.find_change(step, v_next);
        let (names, posed) = (names(at), &at.rows.posed);
        let mut lambda = vec![0.0; posed.problem.rows()];
        let mut c = vec![0.0; answer.lambda.len()];
        velocities_into(posed, v_next, &mut self.room.along);
        let mut first = 0;
        for (name, &dim) in answer.names.iter().zip(&answer.dims) {
            let found = names.iter().position(|n| n == name);
            match found {
                Some(block) => {
                    for (k, r) in posed.problem.range(block).enumerate() {
                        lambda[r] = answer.lambda[first + k];
                        c[first + k] = self.room.along[r]
                            + self.room.offsets[r]
                            + posed.problem.compliance[r] * lambda[r];
                    }
                }
                None if answer.lambda[first..first + dim].iter().any(|x| *x != 0.0) => {
                    return Err(NoSlopes::Here("a contact that carries begins or ends".to_owned()));
                }
                None => {}
            }
            first += dim;
        }
        let mut r = vec![0.0; v_next.len()];
        posed.jacobian.add_impulses_into(posed.problem.row_start(), &lambda, &mut r);
        let difference: Vec<f64> = v_next.iter().zip(&self.room.w).map(|(v, w)| v - w).collect();
        let taken = momentum(at, &difference);
        for (i, r) in r.iter_mut().enumerate() {
            let change = if changes { self.room.change[i] } else { 0.0 };
            *r += self.room.base[i] + change - taken[i];
        }
        Ok(Values { r, c })
    }

    /// −∂r/∂v⁺, column by column. Where forces are linearised once r is linear in v⁺, and differences of the
    /// fourth order are exact.
    fn by_velocity(
        &mut self,
        step: &Step<'_>,
        at: &mut Shared,
        answer: &Answer,
    ) -> Result<DMatrix<f64>, NoSlopes> {
        let nv = answer.v_next.len();
        let mut S = DMatrix::zeros(nv, nv);
        let mut v_next = answer.v_next.clone();
        for k in 0..nv {
            fourth_order(DISPLACED[1], |x, weight| {
                v_next[k] = answer.v_next[k] + x;
                let of = self.evaluate(step, at, answer, &v_next)?;
                (0..nv).for_each(|i| S[(i, k)] -= weight * of.r[i]);
                Ok(())
            })?;
            v_next[k] = answer.v_next[k];
        }
        Ok(S)
    }

    /// Actuators that the step found at their limits stay there.
    fn hold_limits(&mut self, world: &World, answer: &Answer) {
        let forces = &mut self.ahead.forces;
        for (i, a) in world.actuators.iter().enumerate() {
            if answer.at_limit[i] && !forces.at_limit[i] {
                let change = answer.efforts[i] - forces.efforts[i];
                a.transmission.iter().for_each(|&(dof, c)| forces.actuators[dof] += c * change);
                (forces.efforts[i], forces.at_limit[i]) = (answer.efforts[i], true);
            }
        }
    }
}

/// The blocks of the problem that is posed.
fn names(at: &Shared) -> Vec<Name> {
    let name = |key: BlockKey| match key {
        BlockKey::Contact(c) => Name::Contact(at.points[c].geometries, at.points[c].feature),
        BlockKey::Row(key) => Name::Row(key),
    };
    at.rows.posed.blocks.iter().map(|b| name(b.key)).collect()
}

/// M̃ v.
fn momentum(at: &Shared, v: &[f64]) -> Vec<f64> {
    let mut momentum = vec![0.0; v.len()];
    at.rows.mass.mul_into(v, &mut momentum);
    momentum
}

fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}
