//! What is done when a posed problem has no good answer: an ordered list, of which each sees the trial that the one before it
//! left.
//!
//! | remedy | when | what |
//! |---|---|---|
//! | [`without_feedback`] | the solver found no answer and loops or couplings are to be closed | the problem without that |
//! | [`without_restitution`] | the solver found no answer and contacts bounce | the problem without restitution |
//! | [`energy_guard`] | an answer is far from the law and makes energy | impulses scaled to the least energy |
//!
//! Overlaps are no part of the problem (`position_correction`), so that without feedback and restitution v = 0 is always
//! admissible in rows of contacts, limits, couplings and loops, and an answer exists [Acary2011].

pub(crate) mod energy_guard;
pub(crate) mod rounding;
pub(crate) mod without_feedback;
pub(crate) mod without_restitution;

use super::free_velocity::FreeMotion;
use super::trial::Trial;
use crate::params::StepperParams;
use crate::remedy::Remedy;
use crate::report::CERTIFIED;
use stiction_assembly::{Choice, Posed};
use stiction_contact::{ContactSolver, Judge, SolveReport, SolveStatus};
use stiction_world::World;

/// One entry of the list: improves the trial where it applies, and says what it did.
type Try = fn(&mut Solving<'_>, &mut Trial) -> Option<Remedy>;

/// Remedies that pose the problem anew, in order; the last of the list acts on v⁺.
const REMEDIES: [Try; 2] = [without_feedback::apply, without_restitution::apply];

/// Inputs and memory for solving a posed problem; one step's.
pub(crate) struct Solving<'a> {
    pub(crate) world: &'a World,
    pub(crate) params: &'a StepperParams,
    pub(crate) posed: &'a mut Posed,
    pub(crate) free: &'a mut FreeMotion,
    /// Velocity at the start of the step.
    pub(crate) v: &'a [f64],
    pub(crate) solver: &'a mut dyn ContactSolver,
    pub(crate) judge: &'a mut Judge,
    /// Scratch: another trial, and M̂ p of the energy balance.
    pub(crate) other: &'a mut Trial,
    pub(crate) momentum: &'a mut Vec<f64>,
}

impl Solving<'_> {
    /// Solves from the impulses that `trial` holds, then goes through the list; `Err`: numbers are no longer finite.
    pub(crate) fn solve(&mut self, trial: &mut Trial) -> Result<Option<Remedy>, ()> {
        trial.choice = self.posed.choice();
        if self.posed.problem.is_empty() {
            trial.report = SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 };
            self.apply(trial);
            return Ok(None);
        }
        trial.report = self.run(&mut trial.impulses);
        // What was left out in the last step is left out from the start.
        let mut done = (trial.choice.feedback == 0.0).then_some(Remedy::WithoutFeedback);
        for remedy in REMEDIES {
            if trial.report.status == SolveStatus::NumericalFailure {
                return Err(());
            }
            done = remedy(self, trial).or(done);
        }
        if trial.report.status == SolveStatus::NumericalFailure {
            return Err(());
        }
        self.apply(trial);
        Ok(energy_guard::apply(self, trial).or(done))
    }

    /// The solver on the problem as it is posed now; what it calls rounding is judged.
    pub(crate) fn run(&mut self, impulses: &mut [f64]) -> SolveReport {
        let solve = self.solver.solve(&self.posed.problem, impulses);
        if solve.status != SolveStatus::Rounding {
            return solve;
        }
        let natural_map = self.judge.natural_map_of(&self.posed.problem, impulses, self.solver.law());
        let status = if natural_map <= CERTIFIED { SolveStatus::Rounding } else { SolveStatus::Stalled };
        SolveReport { status, ..solve }
    }

    /// v⁺ of the impulses.
    pub(crate) fn apply(&mut self, trial: &mut Trial) {
        self.free.apply_into(self.posed, &trial.impulses, self.v, &mut trial.v_next);
    }

    /// ⟨p, v_f⟩ and ⟨p, p⟩ with p = v⁺ − v_f and ⟨x, y⟩ = xᵀM̂y [J]; v⁺ is that of the impulses.
    pub(crate) fn work(&mut self, trial: &Trial) -> [f64; 2] {
        let Self { posed, free, momentum, .. } = self;
        momentum.clear();
        momentum.resize(free.v_free.len(), 0.0);
        posed.jacobian.add_impulses_into(posed.problem.row_start(), &trial.impulses, momentum); // M̂ p
        let mut work = [0.0; 2];
        for ((f, free), next) in momentum.iter().zip(&free.v_free).zip(&trial.v_next) {
            work[0] += f * free;
            work[1] += f * (next - free);
        }
        work
    }
}

/// Whether the trial has no answer, or one that is doubtful, of a problem that may be posed by another choice.
pub(crate) fn doubtful(s: &Solving<'_>, trial: &Trial) -> bool {
    let needs = s.solver.needs();
    let doubtful = match trial.report.status {
        SolveStatus::Rounding => rounding::press_too_much(s.world, &s.posed.problem, &trial.impulses),
        SolveStatus::IterationLimit | SolveStatus::Stalled => true,
        SolveStatus::Converged | SolveStatus::NumericalFailure => false,
    };
    doubtful && !needs.softness && !needs.primal
}

/// The problem by another choice, from no impulses: true and the trial is the answer, or all is as it was.
pub(crate) fn try_choice(s: &mut Solving<'_>, trial: &mut Trial, choice: Choice) -> bool {
    s.other.set_to(trial);
    s.posed.choose(choice);
    trial.impulses.fill(0.0);
    s.solver.forget();
    let report = s.run(&mut trial.impulses);
    let iterations = s.other.report.iterations + report.iterations;
    if report.settled() {
        trial.choice = choice;
        trial.report = SolveReport { iterations, ..report };
        return true;
    }
    trial.set_to(s.other);
    s.posed.choose(trial.choice);
    false
}

/// Mass of all bodies [kg].
pub(crate) fn mass(world: &World) -> f64 {
    world.model.bodies.iter().map(|b| b.inertia.mass).sum()
}
