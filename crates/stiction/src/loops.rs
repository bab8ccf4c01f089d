//! Loops: frames of two bodies held together, as bilateral rows.
//!
//! With A and B the frames, R = R_WA, the rows of a hold are among
//!
//! ```text
//!     origins    e = Rᵀ (p_B − p_A),    ė = Rᵀ (velocity of B − velocity of A, both at p_B)      (1)
//!     rotations  e = log(R_AB),         ė ≈ Rᵀ (ω_B − ω_A)     near e = 0                        (2)
//!     hinge      e = z_A × z_B  in x and y of A, with ė of (2)                                   (3)
//!     distance   e = ‖p_B − p_A‖ − l,   ė = n·(velocity of B − velocity of A)                    (4)
//! ```
//!
//! both bodies feeling equal and opposite forces at one point. What is asked of ė is −b, with b the share
//! β e/h of the error, at most as fast as overlaps are pushed out. Loops may be redundant (the joints of a
//! planar linkage in space), and second-order drift is then nothing that any velocity could undo: the
//! velocities y, W y nearest to b are sought in the metric of M, and b' = W y is fed back instead,
//!
//! ```text
//!     y = argmin Σ (W_i y − b_i)²/‖W_i‖² + ε ‖y‖²     by conjugate gradients [Hestenes1952]         (5)
//! ```
//!
//! which is in the range of J wherever they stop: rows without an answer never arise, and ε keeps the bodies slow
//! where a linkage is close to locking.

use crate::assembly::Situation;
use crate::rows::{End, Rows};
use crate::warm_start::{RowKey, WarmStart};
use std::ops::Range;
use stiction_contact::{Cone, ConstraintProblem};
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Motion, Pose, Vec3};
use stiction_models::{Hold, World};

/// Loops whose ends are on different bodies; constant during a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    held: Vec<Held>,
}

#[derive(Clone, Debug)]
struct Held {
    /// Index into `world.loops`.
    index: usize,
    /// Bodies (`None`: the world) and poses in them, of A and B.
    ends: [(Option<usize>, Pose); 2],
    hold: Hold,
    /// Metres of a radian.
    scale: f64,
}

/// One row: direction of the relative velocity or spin, and the error.
struct Row {
    along: Vec3,
    turns: bool,
    error: f64,
}

impl Loops {
    pub(crate) fn new(world: &World) -> Self {
        let held = world.loops.iter().enumerate().filter(|(_, l)| l.active).map(|(index, l)| {
            let ends = l.ends.map(|(link, X)| world.mount(link, X));
            Held { index, ends, hold: l.hold, scale: l.torque_scale }
        });
        Self { held: held.filter(|l| l.ends[0].0 != l.ends[1].0).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

impl Held {
    /// (1)–(4) for frames at these poses; what is left over is `None`.
    fn rows(&self, X_WA: Pose, X_WB: Pose) -> [Option<Row>; 6] {
        let apart = X_WB.translation - X_WA.translation;
        if let Hold::Distance(length) = self.hold {
            let n = apart.normalized().unwrap_or(Vec3::Z);
            let row = Row { along: n, turns: false, error: apart.norm() - length };
            return [Some(row), None, None, None, None, None];
        }
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|a| X_WA.rotation.rotate(a));
        let R_AB = X_WA.rotation.conjugate() * X_WB.rotation;
        let turn = match self.hold {
            Hold::Hinge => Vec3::Z.cross(R_AB.rotate(Vec3::Z)), // (3)
            _ => R_AB.log(),
        };
        let [origins, turns] = match self.hold {
            Hold::Point | Hold::Distance(_) => [3, 0],
            Hold::Frame => [3, 3],
            Hold::Hinge => [3, 2],
            Hold::Slide => [2, 3],
        };
        let turns = if self.scale > 0.0 { turns } else { 0 };
        let turn = turn.to_array();
        std::array::from_fn(|k| {
            if k < 3 {
                let along = axes[k];
                (k < origins).then(|| Row { along, turns: false, error: along.dot(apart) })
            } else {
                let along = axes[k - 3] * self.scale;
                (k - 3 < turns).then(|| Row { along, turns: true, error: self.scale * turn[k - 3] })
            }
        })
    }
}

impl Situation<'_> {
    /// (1)–(4), errors at the start of the step and directions in its middle, with what is asked of every row appended
    /// to `feedback`.
    pub(crate) fn push_loops(
        &self,
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        memory: &mut WarmStart,
        feedback: &mut Vec<f64>,
    ) {
        let (model, kin) = (&self.world.model, self.middle);
        for held in &self.loops.held {
            let place = |kin: &Kinematics| held.ends.map(|(body, X)| body.map_or(X, |b| kin.X_WB[b] * X));
            let [X_WA, X_WB] = place(kin);
            let [now_A, now_B] = place(self.kin);
            let bodies = held.ends.map(|e| e.0.map(|b| &model.bodies[b]));
            let ends = bodies.map(|b| b.map(|b| End { tip: b.dofs.end - 1, tree: b.tree }));
            let p = X_WB.translation;
            let arms = bodies.map(|b| b.map_or(Vec3::ZERO, |b| p - kin.reference[b.tree]));
            let rows_now = held.rows(now_A, now_B).into_iter().zip(held.rows(X_WA, X_WB));
            for (k, (now, row)) in rows_now.enumerate() {
                let (Some(Row { error, .. }), Some(Row { along, turns, .. })) = (now, row) else { continue };
                let part = |S: &Motion, arm| {
                    let moves = if turns { S.angular } else { S.linear_at(arm) };
                    let x = along.dot(moves);
                    // Rounding would make a row of what cannot move.
                    if x.abs() > ROUNDING * (S.angular.norm() + moves.norm()) { x } else { 0.0 }
                };
                // Dofs common to both bodies move both alike.
                let column = |dof: usize, on_a: bool, on_b: bool| match (on_a, on_b) {
                    (true, false) => Vec3::X * -part(&kin.S[dof], arms[0]),
                    (false, true) => Vec3::X * part(&kin.S[dof], arms[1]),
                    _ => Vec3::ZERO,
                };
                let block = rows.len();
                rows.push(model, ends, column);
                let rate = rows.velocity(block, self.free_velocity).x;
                self.push(problem, Cone::Free, &[rate], error);
                self.soften_loop(problem, held.index, [held.ends[0].0, held.ends[1].0]);
                memory.recall(RowKey::Loop { index: held.index, row: k });
                feedback.push(self.error_bias(error));
            }
        }
    }

    /// β e/h of an error [m or rad], no faster than overlaps are pushed out.
    fn error_bias(&self, error: f64) -> f64 {
        let p = self.params;
        (p.baumgarte * error / p.dt).clamp(-p.push_out_speed, p.push_out_speed)
    }
}

/// Components of a row below this share of the motion they are of count as none [–].
const ROUNDING: f64 = 1e-12;
/// Steps of (5), and the share of the gradient that is left when it is good enough [–].
const STEPS: usize = 32;
const LEFT: f64 = 1e-6;
/// ε of (5) [–]: directions in which a unit of motion moves the rows by less than √ε are left alone.
const DAMPING: f64 = 1e-3;

/// (5); keeps the memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Consistent {
    /// 1/‖W_i‖, zero for rows that nothing moves.
    scale: Vec<f64>,
    /// (b_i − W_i y)/‖W_i‖.
    left: Vec<f64>,
    y: Vec<f64>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    image: Vec<f64>,
}

impl Consistent {
    /// b' of the scalar blocks `blocks`, for which b is `feedback`, in its place.
    pub(crate) fn find(&mut self, blocks: Range<usize>, feedback: &mut [f64], problem: &ConstraintProblem) {
        let W = &problem.thin;
        let norm = |i: usize| W.terms(i).map(|(_, w)| w.x * w.x).sum::<f64>().sqrt();
        self.scale.clear();
        self.scale.extend(blocks.clone().map(norm).map(|w| if w > 0.0 { 1.0 / w } else { 0.0 }));
        self.left.clear();
        self.left.extend(feedback.iter().zip(&self.scale).map(|(b, s)| b * s));
        let dofs = W.coordinates();
        for x in [&mut self.y, &mut self.direction, &mut self.gradient] {
            x.clear();
            x.resize(dofs, 0.0);
        }
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let (mut first, mut before) = (0.0, 0.0);
        for step in 0..STEPS {
            self.gradient.iter_mut().zip(&self.y).for_each(|(g, y)| *g = -DAMPING * y);
            for ((i, s), r) in blocks.clone().zip(&self.scale).zip(&self.left) {
                W.add_transposed(i, Vec3::X * (s * r), &mut self.gradient);
            }
            let now = square(&self.gradient);
            if step == 0 {
                (first, before) = (now, f64::INFINITY);
            }
            if now <= LEFT * LEFT * first {
                break;
            }
            self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = g + now / before * *d);
            before = now;
            self.image.clear();
            let of = |(i, s): (usize, &f64)| s * W.dot(i, &self.direction).x;
            self.image.extend(blocks.clone().zip(&self.scale).map(of));
            let length = now / (square(&self.image) + DAMPING * square(&self.direction));
            self.y.iter_mut().zip(&self.direction).for_each(|(y, d)| *y += length * d);
            self.left.iter_mut().zip(&self.image).for_each(|(r, x)| *r -= length * x);
        }
        // W y is what of b is not left.
        for ((b, s), left) in feedback.iter_mut().zip(&self.scale).zip(&self.left) {
            *b = if *s > 0.0 { *b - left / s } else { 0.0 };
        }
    }
}
