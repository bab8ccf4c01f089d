//! Bounces of linked bodies make no energy.
//!
//! Newton's restitution with friction, or at several contacts of linked bodies at once, may make energy, and a step takes
//! the impact where it starts, which of fast links makes more. Where trees that nothing else drives end a step in which they
//! bounce with more energy than they had,
//!
//! ```text
//!     E(q⁺, v⁺) > E(q, v) (1 + ε)                                                        (1)
//! ```
//!
//! the step is solved again with the largest share of all its restitutions, found by regula falsi, that leaves (1) untrue.
//! E counts kinetic energy, weight and joint springs of the trees that bounce. Free bodies alone fly and bounce exactly, and
//! are not asked; nor are trees that servos, motors or outer forces drive, whose work is not known so well.

use super::TimeStepping;
use super::tree_energies::{TreeEnergy, energies_into};
use crate::input::Input;
use crate::remedy::Remedy;
use crate::state::State;
use crate::stepping::integrate::bound_trees;
use stiction_assembly::{ContactPoint, Posed};
use stiction_contact::ContactSolver;
use stiction_dynamics::{Kinematics, Model, Velocities};
use stiction_models::World;

/// ε of (1), of the energy in motion [–].
const GAIN: f64 = 1e-7;
/// Solves of one step, at most.
const SOLVES: usize = 8;

/// Who is asked (1), and room for it.
pub(super) struct BounceEnergy {
    /// Per tree: nothing drives it, and it is more than a free body.
    asked: Vec<bool>,
    driven: Vec<bool>,
    any: bool,
    /// Trees that bounce in this step.
    bounces: Vec<bool>,
    kin: Kinematics,
    vel: Velocities,
    energies: Vec<TreeEnergy>,
    before: f64,
    /// The least energy that (1) lets pass above `before` [J].
    slack: f64,
}

impl BounceEnergy {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        let mut driven: Vec<bool> = vec![false; model.trees];
        bound_trees(world).into_iter().for_each(|t| driven[t] = true);
        for t in world.actuators.iter().flat_map(|a| &a.transmission) {
            driven[model.bodies[model.dofs[t.0].body].tree] = true;
        }
        let mut bodies = vec![0; model.trees];
        model.bodies.iter().for_each(|b| bodies[b.tree] += 1);
        let asked: Vec<bool> = (0..model.trees).map(|t| !driven[t] && bodies[t] > 1).collect();
        Self {
            any: asked.contains(&true),
            asked,
            driven,
            bounces: vec![false; model.trees],
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            energies: vec![TreeEnergy::default(); model.trees],
            before: 0.0,
            slack: 0.0,
        }
    }

    /// True if (1) is to be asked of this step, which starts with `kin` and `v`.
    pub(super) fn begin(
        &mut self,
        world: &World,
        (kin, q, v): (&Kinematics, &[f64], &[f64]),
        input: &Input,
        (posed, impulses, points): (&Posed, &[f64], &[ContactPoint]),
    ) -> bool {
        if !self.any || !posed.bounces() || input.generalized.iter().any(|f| *f != 0.0) {
            return false;
        }
        self.bounces.fill(false);
        let model = &world.model;
        let tree = |b: usize| model.bodies[b].tree;
        let mut bouncing = posed.bouncing().map(|b| b.0).peekable();
        for (block, contact) in posed.contacts(points) {
            let bounces = bouncing.next_if(|b| *b == block).is_some();
            if bounces && impulses[posed.problem.range(block)].iter().any(|l| *l != 0.0) {
                contact.bodies.into_iter().flatten().for_each(|b| self.bounces[tree(b)] = true);
            }
        }
        let some = self.bounces.iter().zip(&self.asked).any(|(b, asked)| *b && *asked);
        if !some || self.bounces.iter().zip(&self.driven).any(|(b, driven)| *b && *driven) {
            return false;
        }
        // What leans on others does work on them.
        for (block, contact) in posed.contacts(points) {
            if let [Some(a), Some(b)] = contact.bodies
                && self.bounces[tree(a)] != self.bounces[tree(b)]
                && impulses[posed.problem.range(block)].iter().any(|l| *l != 0.0)
            {
                return false;
            }
        }
        self.vel.update(model, kin, v);
        let Self { vel, bounces, energies, .. } = self;
        let energy = energy(model, (kin, vel), (q, v), (bounces, energies));
        self.before = energy.total();
        self.slack = GAIN * energy.kinetic;
        true
    }

    /// By how much the energy at q⁺ and v⁺ is more than (1) allows [J].
    pub(super) fn excess(&mut self, world: &World, q: &[f64], v: &[f64]) -> f64 {
        let model = &world.model;
        let Self { kin, vel, bounces, energies, .. } = self;
        kin.update(model, q);
        vel.update(model, kin, v);
        let energy = energy(model, (kin, vel), (q, v), (bounces, energies));
        energy.total() - self.before - self.slack
    }
}

/// The energy of the trees that bounce.
fn energy(
    model: &Model,
    at: (&Kinematics, &Velocities),
    state: (&[f64], &[f64]),
    (bounces, energies): (&[bool], &mut [TreeEnergy]),
) -> TreeEnergy {
    energies_into(model, at, state, bounces, energies);
    let sum = |of: fn(&TreeEnergy) -> f64| energies.iter().map(of).sum();
    TreeEnergy { kinetic: sum(|e| e.kinetic), potential: sum(|e| e.potential) }
}

/// The next share to try between `low`, which loses, and `high`, which gains, each a share and its excess: where the line
/// between them vanishes, but not at its ends.
fn between(low: (f64, f64), high: (f64, f64)) -> f64 {
    let share = low.1 / (low.1 - high.1);
    low.0 + (high.0 - low.0) * share.clamp(0.05, 0.95)
}

impl TimeStepping {
    /// Solves the step again with less restitution while bounces of linked bodies make energy (1).
    pub(super) fn bounce_less(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) {
        let whole = self.trial.choice.restitution;
        let Self { balance, here, posed, trial, search, .. } = self;
        let solved = (&*posed, &trial.impulses[..], &search.points[..]);
        let start = (&here.kin, &state.q[..], &state.v[..]);
        let asked = whole > 0.0 && here.rigid && trial.report.settled() && self.room.correction.is_none();
        if !asked || !balance.bounce_energy.begin(world, start, input, solved) {
            return;
        }
        let excess = balance.bounce_energy.excess(world, &self.advance.q, &self.advance.v);
        if excess <= 0.0 {
            return;
        }
        let (mut high, mut low) = ((whole, excess), None);
        let mut share = 0.0;
        for solve in 0..SOLVES {
            let e = self.excess_of(share, world, state, input, h, solver);
            let good = self.trial.report.settled() && e <= 0.0;
            if good {
                low = Some((share, e));
                self.room.other.set_to(&self.trial);
            } else if low.is_none() {
                // Not the bounces make it: with less of them there is no less.
                if !(e < excess && self.trial.report.settled()) {
                    let _ = self.excess_of(whole, world, state, input, h, solver);
                } else {
                    self.remedy = self.remedy.max(Some(Remedy::WithoutRestitution));
                }
                return;
            } else {
                high = (share, e);
            }
            let Some(low) = low else { return };
            if solve + 1 < SOLVES {
                share = between(low, high);
            }
        }
        let Some((share, _)) = low else { return };
        if self.trial.choice.restitution != share {
            self.trial.set_to(&self.room.other);
            self.posed.choose(self.trial.choice);
            self.correct_positions(world);
            self.advance_by_rules(world, state, input, h);
        }
        let remedy = if share == 0.0 { Remedy::WithoutRestitution } else { Remedy::LessRestitution };
        self.remedy = self.remedy.max(Some(remedy));
    }

    /// The step with this share of restitution, and the energy it makes beyond what is allowed [J].
    fn excess_of(
        &mut self,
        share: f64,
        world: &World,
        state: &State,
        input: &Input,
        h: f64,
        solver: &mut dyn ContactSolver,
    ) -> f64 {
        let Self { posed, trial, free, .. } = self;
        trial.choice.restitution = share;
        posed.choose(trial.choice);
        let before = trial.report.iterations;
        trial.report = solver.solve(&posed.problem, &mut trial.impulses);
        trial.report.iterations += before;
        free.apply_into(posed, &trial.impulses, &state.v, &mut trial.v_next);
        self.correct_positions(world);
        self.advance_by_rules(world, state, input, h);
        self.balance.bounce_energy.excess(world, &self.advance.q, &self.advance.v)
    }
}
