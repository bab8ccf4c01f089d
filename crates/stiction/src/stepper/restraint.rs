//! What a step may not do that did not converge, and what pushes may not.
//!
//! The best impulses seen may be far from the law, and a state that they make wild asks for wilder ones in the next
//! step. With p = M̂⁻¹Jᵀλ, v⁺ = v_f + p and ⟨x, y⟩ = xᵀM̂y,
//!
//! ```text
//!     ½⟨v⁺, v⁺⟩ = ½⟨v_f, v_f⟩ + ⟨p, v_f⟩ + ½⟨p, p⟩                        (1)
//! ```
//!
//! Impulses that obey the law do ⟨p, v⁺⟩ = λᵀJv⁺ ≤ w but for bounces, w = −λᵀb being the work of the biases b that push
//! overlaps out, so the left is no more than ½⟨v_f, v_f⟩ + w. Where an answer that did not converge leaves more it is
//! scaled to
//!
//! ```text
//!     β λ,   β = max(0, −⟨p, v_f⟩/⟨p, p⟩) < ½                             (2)
//! ```
//!
//! the share at which (1) is least, λ staying in its cones: ½⟨v⁺, v⁺⟩ is then ½⟨v_f, v_f⟩ − ½⟨p, v_f⟩²/⟨p, p⟩ or
//! ½⟨v_f, v_f⟩. So however wrong single answers are, constraints never raise the kinetic energy in such steps but by
//! what pushes do, and that by no more than all bodies have at the speed of pushes, twice.
//!
//! Impulses that miss the law by a residual e obey (1) with w + e ‖λ‖₁. Where e ‖λ‖₁ is next to nothing they stay as they
//! are, flagged all the same; and so does what misses it by rounding alone ([`super::rounding`]).
//!
//! Answers that obey the law may gain by (1) what their pushes do, w, which between bodies that can all but not part
//! is many times what single bodies have at the speed of a push. Where they gain more than twice what all bodies have
//! at the speed of the fastest push that is in g, the step goes on without pushes, as a jam does.
//!
//! Bodies that meet alone gain nothing by bouncing. Links that joints hold together may, by Newton's restitution with
//! friction: e of one contact is of the velocity that impulses at others make [Kane1985]. Where an answer makes more than
//! a tenth of what there is, its bounces are made less, and if need be none.

use super::TimeStepper;
use crate::State;
use stiction_contact::{ContactSolver, Law, SolveReport};
use stiction_models::World;

/// Share of the kinetic energy that bounces may make [–].
const GAIN: f64 = 0.1;
/// What is left of bounces that make more, one after the other [–].
const LEFT: [f64; 3] = [0.5, 0.25, 0.0];
/// Share of what pushes may do that an answer may miss the law by and be applied as it is [–].
const NEAR: f64 = 0.01;

impl TimeStepper {
    /// (2), after [`TimeStepper::apply_impulses`].
    pub(super) fn restrain(&mut self, world: &World, solve: &SolveReport, law: Law) {
        if solve.settled() || law.compliant() {
            return;
        }
        let missed = solve.residual * self.impulses.iter().map(|l| l.abs()).sum::<f64>();
        if missed <= NEAR * self.push_energy(world) {
            return;
        }
        let [before, own] = self.work();
        if before + 0.5 * own <= self.push_work().clamp(0.0, self.push_energy(world)) {
            return;
        }
        let Self { impulses, v_free, v_next, .. } = self;
        let share = if before < 0.0 && own.is_finite() { -before / own } else { 0.0 };
        if share == 0.0 {
            impulses.fill(0.0);
            v_next.copy_from_slice(v_free);
            return;
        }
        impulses.iter_mut().for_each(|l| *l *= share);
        v_next.iter_mut().zip(&*v_free).for_each(|(v, free)| *v = free + share * (*v - free));
    }

    /// Whether pushes make too much of impulses that obey the law.
    pub(super) fn push_too_much(&mut self, world: &World, state: &State, law: Law) -> bool {
        if self.notes.pushes.is_empty() || self.jam.solved || law.compliant() {
            return false;
        }
        let most = mass(world) * self.params.gentle(&world.model.gravity).powi(2);
        if self.push_work() <= most {
            return false;
        }
        self.apply_impulses(state);
        let [before, own] = self.work();
        before + 0.5 * own > most
    }

    /// After a solve that did: less of bounces that make energy, if there is an answer with less. Else the impulses are
    /// those that there were.
    pub(super) fn bounce_less(
        &mut self,
        world: &World,
        state: &State,
        solver: &mut dyn ContactSolver,
        solve: SolveReport,
    ) -> SolveReport {
        let gains = |to: &mut Self| !to.notes.throws.is_empty() && to.bounces_gain(world, state);
        if !solve.settled() || solver.law().compliant() || !gains(self) {
            return solve;
        }
        let mut found = std::mem::take(&mut self.jam.impulses);
        found.clone_from(&self.impulses);
        let (mut left, mut report) = (1.0, solve);
        for less in LEFT {
            self.leave_out_bounces(left - less);
            left = less;
            let next = solver.solve(&self.problem, &mut self.impulses);
            let next = self.judged(next, solver.law());
            report = SolveReport { iterations: report.iterations + next.iterations, ..next };
            if next.settled() && (left == 0.0 || !gains(self)) {
                break;
            }
        }
        if left == 0.0 && report.settled() {
            self.notes.bounces.clear();
        } else if left == 0.0 {
            self.leave_out_bounces(-1.0);
            self.impulses.clone_from(&found);
            report = SolveReport { iterations: report.iterations, ..solve };
        }
        self.jam.impulses = found;
        report
    }

    /// Whether impulses that obey the law make more energy than [`GAIN`] and what pushes have given.
    fn bounces_gain(&mut self, world: &World, state: &State) -> bool {
        self.apply_impulses(state);
        let [before, own] = self.work();
        let returns = if self.jam.solved { &[] } else { &self.notes.returns[..] };
        let returned: f64 = returns.iter().map(|&(row, b)| -b * self.impulses[row]).sum();
        let little = mass(world) * self.params.gentle(&world.model.gravity).powi(2);
        let gained = before + 0.5 * own - (self.push_work() + returned).max(0.0) - little;
        gained > 0.0 && {
            let Self { mass, v_free, pull, .. } = self;
            mass.mul_into(v_free, pull);
            gained > GAIN * 0.5 * v_free.iter().zip(&*pull).map(|(v, p)| v * p).sum::<f64>()
        }
    }

    /// Twice the energy of all bodies at the speed at which overlaps are pushed out [J].
    fn push_energy(&self, world: &World) -> f64 {
        mass(world) * self.params.push_out_speed.powi(2)
    }

    /// w [J].
    fn push_work(&self) -> f64 {
        let pushes = if self.jam.solved { &[] } else { &self.notes.pushes[..] };
        pushes.iter().map(|&(row, push)| -push * self.impulses[row]).sum()
    }

    /// ⟨p, v_f⟩ and ⟨p, p⟩.
    fn work(&mut self) -> [f64; 2] {
        let Self { rows, problem, impulses, v_free, v_next, pull, .. } = self;
        pull.clear();
        pull.resize(v_free.len(), 0.0);
        rows.add_impulses_into(problem.row_start(), impulses, pull); // M̂ p
        let mut work = [0.0; 2];
        for ((f, free), next) in pull.iter().zip(&*v_free).zip(&*v_next) {
            work[0] += f * free;
            work[1] += f * (next - free);
        }
        work
    }
}

/// Of all bodies [kg].
pub(super) fn mass(world: &World) -> f64 {
    world.model.bodies.iter().map(|b| b.inertia.mass).sum()
}
