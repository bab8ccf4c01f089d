//! The end of a step: q⁺ and v⁺ of each tree by its rule, differentiated.

use super::bounced_motion::Shift;
use super::forces::Forces;
use super::middle::{Middle, flight};
use super::{LinearizationError, LinearizationNote};
use crate::stepping::Quadrature;
use crate::stepping::integrate::Touch;
use crate::stepping::integrate::tangent::{Moved, moved};
use nalgebra::DMatrix;
use stiction_assembly::forces::actuators::is_servo;
use stiction_dynamics::Dual;
use stiction_dynamics::spatial::Quat;

/// A step whose velocities are differentiated.
pub(super) struct Moves<'a> {
    pub(super) forces: &'a Forces<'a>,
    /// ∂v⁺ of the problem.
    pub(super) dv: DMatrix<f64>,
    /// Derivatives of the velocities that undo position errors.
    pub(super) corrected: DMatrix<f64>,
    pub(super) shift: Option<Shift>,
    /// q at the end of the step that was done, which a relaxed answer is near.
    pub(super) q_end: &'a [f64],
}

impl Moves<'_> {
    /// ∂(q⁺, v⁺), 2 nv rows.
    pub(super) fn end(&self, notes: &mut Vec<LinearizationNote>) -> Result<DMatrix<f64>, LinearizationError> {
        let Forces { world, accepted, columns, h, .. } = *self.forces;
        let (model, nv) = (&world.model, columns.nv);
        let mut end = columns.zeros(2 * nv);
        if let Some(middle) = self.forces.middle {
            self.add_second_half(middle, &mut end);
            middle.turn_to_start(columns, &mut end);
            self.forces.close(middle, self.q_end, &mut end);
        }
        for (tree, rule) in accepted.quadrature.iter().enumerate() {
            match rule {
                Quadrature::Held => notes.push(LinearizationNote::Sleeps { tree }),
                Quadrature::HigherOrder => self.free_tree(tree, &mut end)?,
                Quadrature::Ballistic => self.body(tree, true, &mut end),
                Quadrature::Backward => self.body(tree, false, &mut end),
                _ => {}
            }
        }
        let undone = |i: usize| accepted.facts.correction.get(i).copied().unwrap_or(0.0);
        for joint in &model.joints {
            let (first, n) = (joint.idx_v, joint.kind.nv());
            let tree = model.bodies[joint.body].tree;
            let rule = accepted.quadrature[tree];
            if rule == Quadrature::Middle || self.is_alone(tree) {
                continue;
            }
            if rule == Quadrature::Held {
                (first..first + n).for_each(|i| end[(i, columns.q(i))] = 1.0);
                continue;
            }
            let w: Vec<f64> = (first..first + n).map(|i| accepted.v_next[i] + undone(i)).collect();
            let moved = moved(joint.kind, &w, h);
            for k in 0..n {
                for l in 0..n {
                    end[(first + k, columns.q(first + l))] += moved.by_q[k][l];
                    let by_v = moved.by_v[k][l];
                    if by_v == 0.0 {
                        continue;
                    }
                    for j in 0..columns.count() {
                        let dw = self.dv[(first + l, j)] + self.corrected[(first + l, j)];
                        end[(first + k, j)] += by_v * dw;
                    }
                }
                end.row_mut(nv + first + k).copy_from(&self.dv.row(first + k));
            }
        }
        Ok(end)
    }

    /// (3) of [`super::middle`], by the columns of the middle.
    fn add_second_half(&self, middle: &Middle<'_>, end: &mut DMatrix<f64>) {
        let Forces { world, accepted, columns, h, .. } = *self.forces;
        let (model, nv) = (&world.model, columns.nv);
        for joint in &model.joints {
            let (first, n) = (joint.idx_v, joint.kind.nv());
            let tree = model.bodies[joint.body].tree;
            if accepted.quadrature[tree] != Quadrature::Middle {
                continue;
            }
            let correction = accepted.facts.correction.get(first..first + n).unwrap_or(&[0.0; 6][..n]);
            let v = &accepted.v_next[first..first + n];
            let of = match middle.body(tree) {
                Some(body) => {
                    let flown = flight(body, [&middle.posed.state.q[joint.idx_q..], v], 0.5 * h);
                    HalfStep::of_body(&flown, &moved(joint.kind, correction, h))
                }
                None => {
                    let w: Vec<f64> = v.iter().zip(correction).map(|(v, more)| v + 2.0 * more).collect();
                    HalfStep::of_joint(&moved(joint.kind, &w, 0.5 * h), n)
                }
            };
            let dv = self.dv.rows(first, n);
            let mut ends = &of.by_velocity * dv;
            let mut q = ends.rows_mut(0, n);
            q += &of.by_correction * self.corrected.rows(first, n);
            for (k, l) in (0..2 * n).flat_map(|k| (0..n).map(move |l| (k, l))) {
                ends[(k, columns.q(first + l))] += of.by_position[(k, l)];
            }
            end.rows_mut(first, n).copy_from(&ends.rows(0, n));
            end.rows_mut(nv + first, n).copy_from(&ends.rows(n, n));
        }
    }

    /// Whether a tree moves by a rule of its own, which [`Self::free_tree`] or [`Self::body`] differentiates.
    fn is_alone(&self, tree: usize) -> bool {
        match self.forces.accepted.quadrature[tree] {
            Quadrature::HigherOrder | Quadrature::Ballistic => true,
            Quadrature::Backward => self.flies(tree),
            _ => false,
        }
    }

    /// Whether a free body flies on after impulses, being turned by its gyroscopic moment.
    fn flies(&self, tree: usize) -> bool {
        let Forces { accepted, start, h, .. } = *self.forces;
        let Some((body, _)) = accepted.facts.ballistic.body_of(tree).filter(|_| accepted.facts.rigid) else {
            return false;
        };
        let (q, v) = (body.idx_q, body.idx_v);
        let start = [&start.q[q..q + 7], &start.v[v..v + 6]];
        let correction = accepted.facts.correction.get(v..v + 6).unwrap_or(&[]);
        body.flown(start, &accepted.v_next[v..v + 6], correction, h).is_some()
    }

    /// A free body alone, by dual numbers of its start, its velocities and those of the problem.
    fn body(&self, tree: usize, ballistic: bool, end: &mut DMatrix<f64>) {
        let Forces { accepted, columns, start, h, .. } = *self.forces;
        if !ballistic && !self.flies(tree) {
            return;
        }
        let Some((body, turned)) = accepted.facts.ballistic.body_of(tree) else { return };
        let (k, first) = (body.idx_q, body.idx_v);
        let still = |x: &[f64]| x.iter().map(|x| Dual::<30>::constant(*x)).collect::<Vec<_>>();
        let moving = |x: &[f64], at: usize| {
            (x.iter().enumerate()).map(|(l, x)| Dual::variable(*x, at + l)).collect::<Vec<_>>()
        };
        let mut q = still(&start.q[k..k + 7]);
        (0..3).for_each(|l| q[l].tangent[l] = 1.0);
        let R = Quat::new(start.q[k + 3], start.q[k + 4], start.q[k + 5], start.q[k + 6]);
        for l in 0..3 {
            let mut e = [0.0; 3];
            e[l] = 0.5;
            let turned = R * Quat::new(0.0, e[0], e[1], e[2]);
            turned.to_array().into_iter().enumerate().for_each(|(m, x)| q[3 + m].tangent[3 + l] = x);
        }
        let (v, h) = (moving(&start.v[first..first + 6], 6), Dual::constant(h));
        let problem = moving(&accepted.v_next[first..first + 6], 12);
        let bounced = self.shift.as_ref().filter(|_| accepted.facts.ballistic.touch(tree) == Touch::Bounces);
        // By which matrix the numbers from 12, 18 and 24 on change.
        let nothing = columns.zeros(columns.nv);
        let ([q_next, v_next], by) = if let (true, Some(shift)) = (ballistic, bounced) {
            let free = moving(&accepted.v_free[first..first + 6], 24);
            let velocity = moving(&shift.velocity[first..first + 6], 18);
            let end = body.parabola([&q, &v], [&free, &problem], (Some(&velocity), turned), h);
            (end, [&self.dv, &shift.change, &shift.unhindered])
        } else if ballistic {
            let end = body.parabola([&q, &v], [&problem, &problem], (None, turned), h);
            (end, [&self.dv, &nothing, &nothing])
        } else {
            let correction = match accepted.facts.correction {
                [] => Vec::new(),
                some => moving(&some[first..first + 6], 18),
            };
            let Some(flown) = body.flown([&q, &v], &problem, &correction, h) else { return };
            (flown, [&self.dv, &self.corrected, &nothing])
        };
        let nv = columns.nv;
        let back = Quat { w: q_next[3].value, x: q_next[4].value, y: q_next[5].value, z: q_next[6].value }
            .conjugate();
        let mut put = |row: usize, slopes: &[f64; 30]| {
            for l in 0..6 {
                end[(row, columns.q(first + l))] += slopes[l];
                end[(row, columns.v(first + l))] += slopes[6 + l];
                for j in 0..columns.count() {
                    end[(row, j)] +=
                        (0..3).map(|k| slopes[12 + 6 * k + l] * by[k][(first + l, j)]).sum::<f64>();
                }
            }
        };
        for l in 0..3 {
            put(first + l, &q_next[l].tangent);
        }
        let mut turn = [[0.0; 30]; 3];
        for m in 0..30 {
            let x = Quat::new(
                q_next[3].tangent[m],
                q_next[4].tangent[m],
                q_next[5].tangent[m],
                q_next[6].tangent[m],
            );
            let x = back * x;
            (turn[0][m], turn[1][m], turn[2][m]) = (2.0 * x.x, 2.0 * x.y, 2.0 * x.z);
        }
        (0..3).for_each(|l| put(first + 3 + l, &turn[l]));
        (0..6).for_each(|l| put(nv + first + l, &v_next[l].tangent));
    }

    /// A tree by the methods of higher order.
    fn free_tree(&self, tree: usize, end: &mut DMatrix<f64>) -> Result<(), LinearizationError> {
        let Forces { world, accepted, columns, start, input, h, .. } = *self.forces;
        let ballistic = accepted.facts.ballistic;
        let derivative = ballistic
            .tree_of(tree)
            .and_then(|t| t.derivative(world, start, (&ballistic.applied, input), h))
            .ok_or(LinearizationError::HigherOrder { tree })?;
        let (nv, n) = (columns.nv, derivative.dofs.len());
        // Efforts that are given by controls.
        let mut given = columns.zeros(nv);
        for (index, a) in world.actuators.iter().enumerate().filter(|(_, a)| !is_servo(a)) {
            if let Some(gain) = self.forces.given_gain(index, a) {
                a.transmission.iter().for_each(|&(dof, c)| given[(dof, columns.u(index))] += c * gain);
            }
        }
        for (k, &dof) in derivative.dofs.iter().enumerate() {
            for (row, of) in [(dof, k), (nv + dof, n + k)] {
                for (l, &d) in derivative.dofs.iter().enumerate() {
                    end[(row, columns.q(d))] += derivative.end[(of, l)];
                    end[(row, columns.v(d))] += derivative.end[(of, n + l)];
                    for j in 0..columns.nu {
                        end[(row, columns.u(j))] +=
                            derivative.end[(of, 2 * n + l)] * given[(d, columns.u(j))];
                    }
                }
                for (s, &index) in derivative.servos.iter().enumerate() {
                    end[(row, columns.u(index))] += derivative.end[(of, 3 * n + s)];
                }
            }
        }
        Ok(())
    }
}

/// The tangent of the second half of a step of one joint of n dofs: of (q⁺, v⁺) by q_m and by v⁺ of the problem, 2n × n, and
/// of q⁺ by what corrects it, n × n.
struct HalfStep {
    by_position: DMatrix<f64>,
    by_velocity: DMatrix<f64>,
    by_correction: DMatrix<f64>,
}

impl HalfStep {
    /// A free body, with the tangent of its flight and of the push that corrects it.
    fn of_body(flight: &DMatrix<f64>, pushed: &Moved) -> Self {
        let turned = DMatrix::from_fn(6, 6, |k, l| pushed.by_q[k][l]);
        let mut flown = flight.clone();
        flown.rows_mut(0, 6).copy_from(&(turned * flight.rows(0, 6)));
        Self {
            by_position: flown.columns(0, 6).into_owned(),
            by_velocity: flown.columns(6, 6).into_owned(),
            by_correction: DMatrix::from_fn(6, 6, |k, l| pushed.by_v[k][l]),
        }
    }

    /// A joint that moves by v⁺ and twice what corrects it.
    fn of_joint(moved: &Moved, n: usize) -> Self {
        let zero_or = |k: usize, x: &dyn Fn(usize) -> f64, below: f64| if k < n { x(k) } else { below };
        Self {
            by_position: DMatrix::from_fn(2 * n, n, |k, l| zero_or(k, &|k| moved.by_q[k][l], 0.0)),
            by_velocity: DMatrix::from_fn(2 * n, n, |k, l| {
                zero_or(k, &|k| moved.by_v[k][l], f64::from(u8::from(k == n + l)))
            }),
            by_correction: DMatrix::from_fn(n, n, |k, l| 2.0 * moved.by_v[k][l]),
        }
    }
}
