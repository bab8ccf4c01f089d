//! Energy that a step made and nothing explains.
//!
//! ```text
//!     error = E(q⁺, v⁺) − E(q, v) − ½ (v + v⁺)·(h Q + Jᵀ λ) + h m g·ċ          (1)
//!     rate = error / (h (T + T⁺ + Σ m |g| ℓ))                                   (2)
//! ```
//!
//! per tree, with E kinetic energy T, weight and joint springs; Q given forces, motors and servos, dampers,
//! carried weight; λ the impulses of all constraints; ċ the velocity at which position corrections moved the
//! centre of mass; ℓ the size of a body and its distance from the root where all joints are neutral. What is
//! left is the error of the rule by which the tree moved: first order rules lose energy, mostly, but make it
//! where light links move heavy ends. Asked of trees of joints that move by rules of first and second order;
//! free bodies move exactly or are held, and methods of higher order watch themselves.

use super::TimeStepping;
use super::advance::Advance;
use super::tree_energies::{TreeEnergy, energies_into};
use crate::state::State;
use crate::stepping::attempt::Step;
use crate::stepping::here::Here;
use crate::stepping::integrate::Quadrature;
use crate::stepping::integrate::closing::Closing;
use stiction_dynamics::spatial::Motion;
use stiction_dynamics::{JointKind, Kinematics, Velocities, lanes, motions_into};
use stiction_world::World;

/// Share of energies and works that is rounding [–].
const ROUNDING: f64 = 1e-12;

/// The trees that are asked (1), and room for it.
pub(super) struct EnergyError {
    /// Per tree: it has joints beside a free one.
    jointed: Vec<bool>,
    /// Per tree, in this step.
    asked: Vec<bool>,
    /// Per tree: Σ m |g| ℓ of (2) [J].
    scale: Vec<f64>,
    vel: Velocities,
    before: Vec<TreeEnergy>,
    after: Vec<TreeEnergy>,
    /// Per tree: work of forces and constraints, and of position corrections [J].
    explained: Vec<f64>,
    /// v of `after`, of which all trees with joints are known.
    v_after: Vec<f64>,
    /// h Q + Jᵀ λ.
    impulses: Vec<f64>,
    /// Motions of bodies by position corrections.
    motions: Vec<Motion>,
    closing: Closing,
    /// Result of the last step.
    pub(super) found: EnergyFound,
}

/// (1) and T⁺ of all trees together [J], and the largest (2) [1/s].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnergyFound {
    pub(super) error: f64,
    pub(super) in_motion: f64,
    pub(super) rate: f64,
}

impl EnergyError {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        let mut jointed = vec![false; model.trees];
        for joint in model.joints.iter().filter(|j| j.kind != JointKind::Free) {
            jointed[model.bodies[model.dofs[joint.idx_v].body].tree] = true;
        }
        let mut kin = Kinematics::new(model);
        kin.update(model, &model.neutral());
        let mut size = vec![0.0_f64; model.bodies.len()];
        for g in &world.geometries {
            let (body, radius) = (world.mount(g.link, g.X_LG).0, g.shape.bounding_radius());
            if let Some(body) = body.filter(|_| radius.is_finite()) {
                size[body] = size[body].max(radius);
            }
        }
        let mut scale = vec![0.0; model.trees];
        for (b, body) in model.bodies.iter().enumerate() {
            let I = kin.I[b];
            if I.mass > 0.0 {
                let second = I.about_com();
                let gyration = (second.xx + second.yy + second.zz).max(0.0) / I.mass;
                let far = I.first.norm() / I.mass + size[b].max(gyration.sqrt());
                scale[body.tree] += model.gravity.norm() * I.mass * far;
            }
        }
        Self {
            asked: vec![false; model.trees],
            scale,
            vel: Velocities::new(model),
            before: vec![TreeEnergy::default(); model.trees],
            after: vec![TreeEnergy::default(); model.trees],
            explained: vec![0.0; model.trees],
            v_after: Vec::with_capacity(model.nv()),
            impulses: vec![0.0; model.nv()],
            motions: vec![Motion::ZERO; model.bodies.len()],
            found: EnergyFound::default(),
            closing: Closing::new(model),
            jointed,
        }
    }

    /// Whether any tree is asked (1) in a step in which they move by `rules`.
    fn asks(&mut self, rules: &[Quadrature]) -> bool {
        let first_order = |r: Quadrature| matches!(r, Quadrature::Backward | Quadrature::Middle);
        for (tree, asked) in self.asked.iter_mut().enumerate() {
            *asked = self.jointed[tree] && first_order(rules[tree]);
        }
        self.asked.contains(&true)
    }

    /// Finds the energies at the start of a step.
    fn begin(&mut self, world: &World, here: &Here, state: &State) {
        if here.came && self.v_after == state.v {
            std::mem::swap(&mut self.before, &mut self.after);
            return;
        }
        let (model, kin) = (&world.model, here.start());
        self.vel.update(model, kin, &state.v);
        let start = (&state.q[..], &state.v[..]);
        energies_into(model, (kin, &self.vel), start, &self.jointed, &mut self.before);
    }

    /// (1) and (2), of a step of h [s] from `state` to q⁺ and v⁺, with [`Self::impulses`] written;
    /// `correction` are the velocities of position corrections, if there are any.
    fn find(
        &mut self,
        world: &World,
        (here, state): (&mut Here, &State),
        (q_next, v_next): (&[f64], &[f64]),
        (correction, h): (&[f64], f64),
    ) -> EnergyFound {
        let model = &world.model;
        let kin = here.arrive(world, q_next);
        lanes::plain(
            #[inline(always)]
            || self.vel.update(model, kin, v_next),
        );
        energies_into(model, (kin, &self.vel), (q_next, v_next), &self.jointed, &mut self.after);
        self.v_after.clear();
        self.v_after.extend_from_slice(v_next);
        self.explain(world, state, v_next);
        if !correction.is_empty() {
            self.explain_correction(world, &here.kin, (correction, h));
        }
        let mut found = EnergyFound::default();
        for tree in (0..model.trees).filter(|&t| self.asked[t]) {
            let [before, after] = [&self.before[tree], &self.after[tree]];
            let error =
                after.kinetic - before.kinetic + (after.potential - before.potential) - self.explained[tree];
            found.error += error;
            found.in_motion += after.kinetic;
            let scale = h * (before.kinetic + after.kinetic + self.scale[tree]);
            let rounding = before.potential.abs() + after.potential.abs() + self.explained[tree].abs();
            if error > found.rate * scale + ROUNDING * rounding + f64::MIN_POSITIVE {
                found.rate = error / scale;
            }
        }
        found
    }

    /// Finds the work of forces and constraints.
    fn explain(&mut self, world: &World, state: &State, v_next: &[f64]) {
        let model = &world.model;
        self.explained.fill(0.0);
        for (i, dof) in model.dofs.iter().enumerate() {
            let work = 0.5 * (state.v[i] + v_next[i]) * self.impulses[i];
            self.explained[model.bodies[dof.body].tree] += work;
        }
    }

    /// Adds the work of position corrections against weight.
    fn explain_correction(&mut self, world: &World, kin: &Kinematics, (correction, h): (&[f64], f64)) {
        let model = &world.model;
        motions_into(model, kin, correction, &mut self.motions);
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| self.asked[b.tree]) {
            let momentum = (kin.I[b] * self.motions[b]).linear;
            self.explained[body.tree] -= h * model.gravity.dot(momentum);
        }
    }
}

impl TimeStepping {
    /// Finds (1) and (2) of the step, and closes its momentum where trees moved by the rule of the middle.
    pub(super) fn find_energy_error(&mut self, step: &Step<'_>) {
        let Step { world, start: state, h, .. } = *step;
        let Self { energy_error: watch, here, free, posed, trial, advance, correction, params, .. } = self;
        watch.found = EnergyFound::default();
        let asks = params.energy_tolerance != f64::MAX && watch.asks(&advance.rules);
        let closes = !watch.closing.is_empty();
        if !asks && !closes {
            return;
        }
        let Advance { q, v, rules, .. } = advance;
        free.outer_impulses_into(step, &here.kin, v, &mut watch.impulses);
        posed.jacobian.add_impulses_into(posed.problem.row_start(), &trial.impulses, &mut watch.impulses);
        if asks {
            watch.begin(world, here, state);
        }
        if closes {
            watch.closing.begin(&world.model, here.start(), &state.v);
            here.arrive(world, q);
            watch.closing.close((&world.model, h), [&here.kin, here.end()], (rules, &watch.impulses), v);
        }
        if asks {
            watch.found = watch.find(world, (here, state), (q, v), (&correction.v, h));
        }
    }
}
