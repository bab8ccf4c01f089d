//! From contact points, joint limits, dry friction and couplings to one constraint problem.
//!
//! With v_f the velocity without constraint impulses and h the step, a row reads
//!
//! ```text
//!     contact, apart (φ > 1 nm)  g_N = J_N v_f + φ/h          it may close, not cross       (1)
//!     one of a face             g_N = J_N v_f + b + (φ − φ₀)/h                             (1')
//!     contact, overlapping      g_N = J_N v_f − min(v_push, β (−φ − slop)₊ / h)            (2)
//!     where that is more than gravity takes back in two steps: J_N v_f, see stepper/apart.rs
//!     contact that bounces      g_N = J_N v_f + e u − (1 − s) h a    if J_N v < −v_thr      (3)
//!     the same, not met yet     g_N = J_N v_f + max((φ + ℓ)/h, e J_N v, −J_N v_f)         (3'')
//!     contact that yields       g_N = J_N v_f + φ/T,  R = 1/(h k T)                         (3')
//!     joint limit               as (1), (2) with φ = distance to the limit, λ ≥ 0; of a
//!                               ball joint the angle of its rotation is limited           (4)
//!     dry friction τ_f          g = v_f,  |λ| ≤ h τ_f                                      (5)
//!     coupling Σ c q = d + p(z)  g = Σ c v_f − p'(z) ż_f + β (Σ c q − d − p(z))/h,  λ free  (6)
//! ```
//!
//! A contact with stiffness k, relaxation time τ and dissipation d carries f = k (δ₀ − h c) (1 − d c) − k τ c at the
//! end of the step, δ₀ = (−φ)₊ [HuntCrossley1975]; to first order in c that is (3') with T = h + τ + d δ₀, and T = h
//! where φ > 0. Under the compliant laws their own numbers hold instead.
//!
//! Points of one face ([`crate::faces`]) count from the deepest, φ₀ ≥ −1 µm, for which (1) or (2) adds b: what is asked of
//! them, one motion does, and all of a face may come as near as its deepest point. Those within 100 nm of it touch with
//! it where they differ by less than 10 nm, as at rest, where some carry and some have just let go. Faces that overlap by
//! more keep (2).
//!
//! What is nearer than a nanometre touches, and up to two the gap counts in part: rounding moves bodies at rest, and a
//! corner lifted by it would have to lose its share of the load and to find it again step by step. In (3), h a = J_N
//! (v_f − v); the surfaces meet after the share s of the step, φ + s h J_N v + ½ a (s h)² = 0 (s = 0 where they
//! overlap), at the speed u = J_N v + s h a, part at −e u, and are accelerated for the rest: Newton's law at the time
//! of the impact. What parts at J_N v > v_thr, or is farther than h v_thr and would not meet in this step, meets only
//! if others push it in this same step. It may overlap then, and bounces in the next: held at its gap it would not
//! bounce at all. By how much, ℓ, is e times a share of how thick it is; what overlaps already may be pushed on as fast
//! as Newton's law lets it (3''). How far all come is in [`crate::flight`]. The rows of tendons are in
//! [`crate::tendons`], those of loops in [`crate::loops`], which also says what becomes of β e/h where a world has any.

use crate::State;
use crate::actuation::{Effort, rotation_vector};
use crate::contacts::{ContactPoint, Spring};
use crate::faces::{Face, NEAR};
use crate::flight::Bounce;
use crate::loops::Loops;
use crate::params::StepperParams;
use crate::rows::{Axes, End, Point, Rows};
use crate::softening::Softening;
use crate::tendons::Pull;
use crate::warm_start::{RowKey, WarmStart};
use std::ops::Range;
use stiction_contact::{Cone, ConstraintProblem, Law, Material, Softness};
use stiction_dynamics::spatial::{Motion, Vec3, vec3};
use stiction_dynamics::{JointKind, Kinematics, lanes};
use stiction_models::World;

/// Gaps up to this are none, from twice as much on they count in full [m, or rad of a limit].
pub(crate) const TOUCH: f64 = 1e-9;
/// Where a face overlaps by no more than this, all of it may [m].
pub(crate) const SHARED: f64 = 1e-6;
/// Points near the deepest of their face touch with it if they differ by no more than this, from twice as much on what
/// they differ by counts in full [m].
pub(crate) const LEVEL: f64 = 1e-8;

/// What is known when rows are made.
pub(crate) struct Situation<'a> {
    pub(crate) world: &'a World,
    pub(crate) kin: &'a Kinematics,
    /// The same in the middle of the step, of trees that move by the trapezoidal rule.
    pub(crate) middle: &'a Kinematics,
    pub(crate) state: &'a State,
    /// v_f, and the motions of bodies that this is, about the references of `kin`.
    pub(crate) free_velocity: &'a [f64],
    pub(crate) free_motions: &'a [Motion],
    pub(crate) params: &'a StepperParams,
    /// Actuators on several dofs, and tendons, with an implicit part.
    pub(crate) pulls: &'a [(Pull, Effort)],
    pub(crate) q_of_dof: &'a [usize],
    pub(crate) loops: &'a Loops,
    /// For a solver that reads it: what compliant laws need, and the solver's law.
    pub(crate) soft: Option<(&'a Softening, Law)>,
    /// Overlaps that would be pushed out faster are not in g [m/s].
    pub(crate) gentle: f64,
}

/// What a step is told of its rows.
#[derive(Default)]
pub(crate) struct Notes {
    /// Contacts that bounce, in order.
    pub(crate) bounces: Vec<Bounce>,
    /// Rows that push an overlap out, and what g holds for it [m/s], negative.
    pub(crate) pushes: Vec<(usize, f64)>,
    /// Rows of couplings and loops, and what g holds to undo their errors [m/s].
    pub(crate) returns: Vec<(usize, f64)>,
    /// Rows of overlaps so deep that g holds nothing for it, and what it would.
    pub(crate) deep: Vec<(usize, f64)>,
    /// Rows that throw bodies back, and the same.
    pub(crate) throws: Vec<(usize, f64)>,
}

impl Situation<'_> {
    /// Pushes every block to `problem` and `rows`, and its warm start to `impulses`. What is asked of couplings
    /// and loops, to undo their errors, goes to `feedback`; returns which blocks these are.
    pub(crate) fn write(
        &self,
        contacts: &[ContactPoint],
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        memory: &mut WarmStart,
        feedback: &mut Vec<f64>,
        notes: &mut Notes,
    ) -> Range<usize> {
        rows.clear();
        problem.clear();
        notes.bounces.clear();
        notes.pushes.clear();
        notes.returns.clear();
        notes.deep.clear();
        notes.throws.clear();
        problem.time_step = self.params.dt;
        memory.begin();
        lanes::plain(
            #[inline(always)]
            || {
                for contact in contacts {
                    let cone = self.push_contact(contact, rows, problem, notes);
                    memory.recall_contact(contact, cone);
                }
            },
        );
        self.push_limits(rows, problem, memory, notes);
        self.push_dry_friction(rows, problem, memory);
        let bilateral = problem.len();
        feedback.clear();
        self.push_couplings(rows, problem, memory, feedback);
        self.push_loops(rows, problem, memory, feedback);
        let bilateral = bilateral..problem.len();
        self.push_pulls(rows, problem, memory);
        self.push_tendons(rows, problem, memory);
        bilateral
    }

    /// Appends a block with its free velocity g and its gap or error.
    #[inline(always)]
    pub(crate) fn push(&self, problem: &mut ConstraintProblem, cone: Cone, g: &[f64], gap: f64) {
        problem.push(cone, g);
        if self.soft.is_some() {
            problem.softness.push(Softness { gap, ..Softness::default() });
        }
    }

    /// How the row that was pushed last yields, if the solver asks: a row of a loop between `bodies`.
    pub(crate) fn soften_loop(
        &self,
        problem: &mut ConstraintProblem,
        index: usize,
        bodies: [Option<usize>; 2],
    ) {
        if let (Some((softening, law)), Some(last)) = (self.soft, problem.softness.last_mut()) {
            last.material = softening.closure(index);
            last.weight = softening.of_bodies(law, bodies);
        }
    }

    /// How the row that was pushed last yields, if the solver asks: a row of joint j, at `dof`.
    fn soften(&self, problem: &mut ConstraintProblem, dof: usize, material: impl Fn(&Softening) -> Material) {
        if let (Some((softening, law)), Some(last)) = (self.soft, problem.softness.last_mut()) {
            last.material = material(softening);
            last.weight = softening.of_dof(law, dof);
        }
    }

    /// The cone of the contact, whose rows it pushes.
    #[inline(always)]
    fn push_contact(
        &self,
        c: &ContactPoint,
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        notes: &mut Notes,
    ) -> Cone {
        let model = &self.world.model;
        let block = rows.len();
        let frictional = c.friction > 0.0;
        let ends = c.bodies.map(|b| {
            let body = &model.bodies[b?];
            Some(End { tip: body.dofs.end - 1, tree: body.tree })
        });
        let axes = Axes::new(if frictional { [c.t1, c.t2, c.n] } else { [c.n, Vec3::ZERO, Vec3::ZERO] });
        rows.push_points(model, &self.kin.S, &ends, |side, end| {
            let axes = if side == 0 { axes.reversed() } else { axes }; // u = v_B − v_A
            Point { arm: c.position - self.kin.reference[end.tree], axes }
        });

        let cone = c.cone();
        if let Cone::Patch { .. } = cone {
            let turns = c.turns();
            rows.push_more(model, ends, |dof, on_a, on_b| {
                let spin = match (on_a, on_b) {
                    (true, false) => -self.kin.S[dof].angular,
                    (false, true) => self.kin.S[dof].angular,
                    _ => return Vec3::ZERO,
                };
                vec3(turns[0].dot(spin), turns[1].dot(spin), turns[2].dot(spin))
            });
        }

        let mut g = match ends {
            [Some(a), Some(b)] if a.tree == b.tree => rows.velocity(block, self.free_velocity),
            _ => axes.along(self.free_velocity_at(c)),
        };
        let free = if frictional { g.z } else { g.x };
        let before = || {
            let before = rows.velocity(block, &self.state.v);
            if frictional { before.z } else { before.x }
        };
        let bounce = (c.restitution > 0.0).then(|| self.bounce(c, before(), free)).flatten();
        let (bias, compliance) = match (c.spring.filter(|_| self.soft.is_none()), bounce) {
            (Some(spring), _) => self.yielding(&spring, c.gap),
            (None, Some((bias, left))) => {
                notes.bounces.extend(left.map(|left| Bounce { block, left }));
                (bias, 0.0)
            }
            (None, None) => (self.stabilise_contact(c, problem.rows() + cone.normal(), notes), 0.0),
        };
        if frictional {
            g.z += bias;
            if let Cone::Patch { .. } = cone {
                let more = rows.turning(block, self.free_velocity);
                self.push(problem, cone, &[g.x, g.y, g.z, more.x, more.y, more.z][..cone.dim()], c.gap);
            } else {
                self.push(problem, cone, &g.to_array(), c.gap);
            }
        } else {
            self.push(problem, cone, &[free + bias], c.gap);
        }
        let normal = problem.rows() - cone.dim() + cone.normal();
        problem.compliance[normal] = compliance;
        if bounce.is_some() && bias < 0.0 {
            notes.throws.push((normal, bias));
        }
        cone
    }

    /// The velocity of B relative to A at a contact, at v_f: what J v_f is along its axes.
    #[inline(always)]
    fn free_velocity_at(&self, c: &ContactPoint) -> Vec3 {
        let of = |body: Option<usize>| {
            let Some(b) = body else { return Vec3::ZERO };
            let reference = self.kin.reference[self.world.model.bodies[b].tree];
            self.free_motions[b].linear_at(c.position - reference)
        };
        of(c.bodies[1]) - of(c.bodies[0])
    }

    /// (3'): what is added to J_N v_f, and R.
    fn yielding(&self, spring: &Spring, gap: f64) -> (f64, f64) {
        let (h, depth) = (self.params.dt, -gap);
        let time = if depth >= 0.0 { h + spring.relaxation + spring.dissipation * depth } else { h };
        (gap / time, 1.0 / (h * spring.stiffness * time))
    }

    /// (3) of a contact whose gap grows at the rate `before` = J_N v and would at `free` = J_N v_f: what is added to
    /// J_N v_f, and 1 − s if it may bounce in this step. Nothing of one too slow for that, or that would be down again
    /// before the step ends.
    fn bounce(&self, c: &ContactPoint, before: f64, free: f64) -> Option<(f64, Option<f64>)> {
        let h = self.params.dt;
        let threshold = self.params.bouncing_speed(&self.world.model.gravity);
        let parts = before > threshold;
        if parts || c.gap > h * threshold && c.gap + 0.5 * h * (before + free) >= 0.0 {
            let leeway = if c.gap > 0.0 { c.restitution * c.leeway } else { 0.0 };
            let pushed = ((c.gap + leeway) / h).max(c.restitution * before); // (3'')
            return Some((pushed.max(-free), parts.then_some(1.0)));
        }
        if before >= -threshold {
            return None;
        }
        let gain = free - before;
        let root = (before * before - 2.0 * gain / h * c.gap.max(0.0)).max(0.0).sqrt();
        let met = (2.0 * c.gap.max(0.0) / (h * (root - before))).min(1.0);
        let (meeting, left) = (before + met * gain, 1.0 - met);
        let parting = left * gain - c.restitution * meeting;
        (parting > 0.0 && parting + c.restitution * -meeting >= 0.0).then_some((-parting, Some(left)))
    }

    /// What is added to g for a contact: (1'), or (1) or (2) where its face overlaps by more.
    fn stabilise_contact(&self, c: &ContactPoint, row: usize, notes: &mut Notes) -> f64 {
        let Face { deepest, spread } = c.face;
        if deepest < -SHARED {
            return self.stabilise(c.gap, row, notes);
        }
        let apart = c.gap - deepest;
        let share = if apart > NEAR { 1.0 } else { (spread / LEVEL - 1.0).clamp(0.0, 1.0) };
        self.stabilise(deepest, row, notes) + share * apart / self.params.dt
    }

    /// What is added to g in a row: (1), or (2) unless it is deep.
    fn stabilise(&self, gap: f64, row: usize, notes: &mut Notes) -> f64 {
        let bias = self.gap_bias(gap);
        if bias >= 0.0 {
            return bias;
        }
        let deep = -bias > self.gentle;
        if deep { &mut notes.deep } else { &mut notes.pushes }.push((row, bias));
        if deep { 0.0 } else { bias }
    }

    /// (1) and (2).
    pub(crate) fn gap_bias(&self, gap: f64) -> f64 {
        let p = self.params;
        if gap > TOUCH {
            return gap / p.dt * (gap / TOUCH - 1.0).min(1.0);
        }
        -(p.baumgarte * (-gap - p.slop).max(0.0) / p.dt).min(p.push_out_speed)
    }

    /// (4): limits that this step could reach.
    fn push_limits(
        &self,
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        memory: &mut WarmStart,
        notes: &mut Notes,
    ) {
        let (model, h) = (&self.world.model, self.params.dt);
        for (j, joint) in model.joints.iter().enumerate() {
            let Some([lo, hi]) = joint.limit else { continue };
            let dof = joint.idx_v;
            let soft_margin = self.soft.map_or(0.0, |(s, _)| s.limit(j).margin);
            let margin = self.params.margin.max(soft_margin);
            let reach = |dofs: Range<usize>| {
                let speeds = self.free_velocity[dofs.clone()].iter().zip(&self.state.v[dofs]);
                margin + 2.0 * h * speeds.fold(0.0, |m: f64, (a, b)| m.max(a.abs()).max(b.abs()))
            };
            match joint.kind {
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                    let (q, reach) = (self.state.q[joint.idx_q], reach(dof..dof + 1));
                    let gaps = [q - lo, hi - q];
                    if gaps.iter().all(|gap| *gap > reach) || !self.kin.selects(model.bodies[joint.body].tree)
                    {
                        continue;
                    }
                    for (side, sign, gap) in [(0, 1.0, gaps[0]), (1, -1.0, gaps[1])] {
                        if gap <= reach {
                            let bias = self.stabilise(gap, problem.rows(), notes);
                            let g = sign * self.free_velocity[dof] + bias;
                            rows.push_linear(&[(dof, sign)], model);
                            self.push(problem, Cone::NonNegative, &[g], gap);
                            self.soften(problem, dof, |s| s.limit(j));
                            memory.recall(RowKey::Limit { joint: j, side });
                        }
                    }
                }
                JointKind::Ball => {
                    // The angle of the rotation grows at the rate of the spin about its axis.
                    let turn = rotation_vector(&self.state.q[joint.idx_q..]);
                    let gap = hi - turn.norm();
                    if gap <= 2.0 * reach(dof..dof + 3)
                        && self.kin.selects(model.bodies[joint.body].tree)
                        && let Some(axis) = turn.normalized()
                    {
                        let free = &self.free_velocity[dof..];
                        let rate = axis.dot(vec3(free[0], free[1], free[2]));
                        let bias = self.stabilise(gap, problem.rows(), notes);
                        rows.push_linear(&[(dof, -axis.x), (dof + 1, -axis.y), (dof + 2, -axis.z)], model);
                        self.push(problem, Cone::NonNegative, &[bias - rate], gap);
                        self.soften(problem, dof, |s| s.limit(j));
                        memory.recall(RowKey::Limit { joint: j, side: 1 });
                    }
                }
                JointKind::Free => {}
            }
        }
    }

    /// (5)
    fn push_dry_friction(&self, rows: &mut Rows, problem: &mut ConstraintProblem, memory: &mut WarmStart) {
        for (i, dof) in self.world.model.dofs.iter().enumerate() {
            if dof.friction > 0.0 {
                let bound = self.params.dt * dof.friction;
                rows.push_linear(&[(i, 1.0)], &self.world.model);
                self.push(problem, Cone::Box { lo: -bound, hi: bound }, &[self.free_velocity[i]], 0.0);
                self.soften(problem, i, |s| s.friction(dof.joint));
                memory.recall(RowKey::Friction { dof: i });
            }
        }
    }

    /// (6)
    fn push_couplings(
        &self,
        rows: &mut Rows,
        problem: &mut ConstraintProblem,
        memory: &mut WarmStart,
        feedback: &mut Vec<f64>,
    ) {
        for (i, coupling) in self.world.couplings.iter().enumerate() {
            let along = |terms: &[(usize, f64)], x: &dyn Fn(usize) -> f64| -> f64 {
                terms.iter().map(|&(dof, c)| c * x(dof)).sum()
            };
            let (q, v) = (|d: usize| self.state.q[self.q_of_dof[d]], |d: usize| self.free_velocity[d]);
            let curved = coupling.curve.as_ref();
            let (value, slope) = curved.map_or((0.0, 0.0), |c| c.at(along(&c.terms, &q) - c.reference));
            let bend = curved.map_or(&[][..], |c| &c.terms[..]);
            let rate = along(&coupling.terms, &v) - slope * along(bend, &v);
            let value = along(&coupling.terms, &q) - coupling.offset - value;
            let bent = bend.iter().map(|&(dof, c)| (dof, -slope * c));
            rows.push_sum(coupling.terms.iter().copied().chain(bent), &self.world.model);
            self.push(problem, Cone::Free, &[rate], value);
            feedback.push(self.params.baumgarte * value / self.params.dt);
            memory.recall(RowKey::Coupling { index: i });
        }
    }
}
