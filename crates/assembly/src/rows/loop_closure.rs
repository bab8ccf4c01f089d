//! Loops: frames of two bodies held together, as bilateral rows.
//!
//! With A and B the frames, R = R_WA, the rows of a hold are among
//!
//! ```text
//!     origins    e = Rᵀ (p_B − p_A),    ė = Rᵀ (velocity of B − velocity of A, both at p_B)      (1)
//!     rotations  e = log(R_AB),         ė ≈ Rᵀ (ω_B − ω_A)     near e = 0                        (2)
//!     hinge      e = z_A × z_B  in x and y of A, with ė of (2)                                   (3)
//!     distance   e = ‖p_B − p_A‖ − l,   ė = n·(velocity of B − velocity of A)                    (4)
//!     knife edge no e,                  ė = y_B·(velocity of B − velocity of A, both at p_B)     (5)
//! ```
//!
//! both bodies feeling equal and opposite forces at one point. What is asked of ė is −b, with b the share β e/h
//! of the error, at most as fast as overlaps are undone; of linkages that turn, [`crate::turning`]; of loops that yield,
//! [`crate::soft_loop`]. Loops may be redundant (the joints of a planar linkage in space), see [`crate::consistent`].

use crate::block::Bias;
use crate::jacobian::End;
use crate::laws::row_params::RowParams;
use crate::loops::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::{LoopRow, RowKey};
use crate::rows::kind::{Feature, ImpulseSet, RowKind, Work};
use crate::warm_start::WarmStart;
use stiction_contact::Cone;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_world::World;

impl RowKind for LoopRow {
    fn key(&self) -> RowKey {
        RowKey::Loop(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::Free
    }

    fn work(&self) -> Work {
        Work::Constraints
    }

    fn feature(&self) -> Feature {
        Feature::Loops
    }

    fn sort(&self) -> &'static str {
        "loop"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.loops[self.index].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        let ends = world.loops[self.index].ends.into_iter();
        let bodies = ends.filter_map(|(link, X)| world.mount(link, X).0);
        bodies.for_each(|body| tree(world.model.bodies[body].tree));
    }
}

/// Components of a row below this share of the motion they are of count as none [–].
const ROUNDING: f64 = 1e-12;

/// Pushes (1)–(5), errors at the start of the step and directions in its middle if the linkage turns.
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let model = &p.world.model;
    for held in &p.loops.held {
        let trees = held.ends.iter().filter_map(|e| Some(model.bodies[e.0?].tree));
        let turning = p.turning_of(trees);
        let [start, kin] = turning.map_or([p.kin; 2], |t| t.kin);
        let place = |kin: &Kinematics| held.ends.map(|(body, X)| body.map_or(X, |b| kin.X_WB[b] * X));
        let [X_WA, X_WB] = place(kin);
        let [now_A, now_B] = place(start);
        let bodies = held.ends.map(|e| e.0.map(|b| &model.bodies[b]));
        let ends = bodies.map(|b| b.map(|b| End { tip: b.dofs.end - 1, tree: b.tree }));
        let point = X_WB.translation;
        let arms = bodies.map(|b| b.map_or(Vec3::ZERO, |b| point - kin.reference[b.tree]));
        let now = held.rows(now_A, now_B);
        let moving = turning.map(|_| relative_motion(p, start, held.ends.map(|e| e.0), now_B.translation));
        let rows = held.rows(X_WA, X_WB);
        // The law of MuJoCo softens its rows of itself.
        let soft = held.soft.filter(|_| !p.is_mujoco());
        let together = together(if soft.is_some() { &rows } else { &now });
        let rows_now = now.into_iter().zip(rows);
        for (k, (now, row)) in rows_now.enumerate() {
            let (Some(now), Some(Row { along, turns, error: there })) = (now, row) else { continue };
            let error = if soft.is_some() { there } else { now.error };
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
            let block = out.jacobian.len();
            out.jacobian.push(model, ends, column);
            let key = LoopRow { index: held.index, row: k }.key();
            let free = out.jacobian.velocity(block, p.free_velocity).x;
            let before = || out.jacobian.velocity(block, p.v).x;
            let (bias, compliance) = match (soft, moving) {
                (Some(soft), _) => {
                    let [gap, compliance] = soft.row(p.params.h, turns, [error, together], before());
                    (Bias { free, gap, ..Bias::default() }, compliance)
                }
                (None, Some(V)) => {
                    let violation = now.along.dot(if turns { V.angular } else { V.linear });
                    let rates = [before(), violation];
                    if held.is_of_velocities() {
                        (RowParams::turning_velocity_bias(free, rates), 0.0)
                    } else {
                        (p.params.turning_bias(free, rates, error), 0.0)
                    }
                }
                (None, None) => (Bias { free, feedback: p.params.loop_bias(error), ..Bias::default() }, 0.0),
            };
            out.push_scalar(key, Cone::Free, bias, p.softness_gap(error));
            if let Some(r) = out.problem.compliance.last_mut() {
                *r = compliance;
            }
            p.soften_loop(out, held.index, turns, together);
            warm.recall(key);
        }
    }
}

/// Size of the errors of a loop, angles halved as in MuJoCo [m].
fn together(rows: &[Option<Row>; 6]) -> f64 {
    let halved = |row: &Row| if row.turns { 0.5 * row.error } else { row.error };
    rows.iter().flatten().map(|row| halved(row).powi(2)).sum::<f64>().sqrt()
}

/// Motion of the second of `bodies` relative to the first at the start of the step, at `point`.
fn relative_motion(p: &Posing<'_>, start: &Kinematics, bodies: [Option<usize>; 2], point: Vec3) -> Motion {
    let of = |body: Option<usize>| {
        let Some(b) = body else { return Motion::ZERO };
        let body = &p.world.model.bodies[b];
        let chain = std::iter::successors(Some(body.dofs.end - 1), |&d| p.world.model.dofs[d].parent);
        let V = chain.fold(Motion::ZERO, |V, d| V + start.S[d] * p.v[d]);
        Motion::new(V.angular, V.linear_at(point - start.reference[body.tree]))
    };
    of(bodies[1]) - of(bodies[0])
}
