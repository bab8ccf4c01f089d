//! What a run comes to: speed, energy, penetration, and the worst certificate.
//!
//! Every step is judged; the certificate of the step with the largest natural map stands for the run. A residual that
//! is not a number is worse than any number.

use serde::Serialize;
use std::collections::BTreeMap;
use stiction::contact::Certificate;
use stiction::world::{Note, Topic};
use stiction::{Answers, EnergyLedger, StepReport, StepStatus};

/// One run, as the command line prints it with `--json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub scene: String,
    /// Contact solver, a name of the registry; the stepper, where its contact law is its own.
    pub contact: String,
    /// Stepper, a name of the catalogue.
    pub stepper: String,
    /// Time step [s].
    pub dt: f64,
    pub steps: u64,
    /// Time spent stepping, without judging, recording and printing [s].
    pub wall_s: f64,
    /// Processor time of the process meanwhile, of all its threads [s]; `None` without the feature `full`.
    pub cpu_s: Option<f64>,
    pub steps_per_s: f64,
    #[serde(rename = "final")]
    pub end: EndState,
    pub energy: EnergyBalance,
    /// Deepest overlap at the start of any step [m].
    pub penetration_max: f64,
    /// Certificate of the worst step; `None` if no step was judged.
    pub certificate: Option<WorstCertificate>,
    /// Worst natural map by the solver's own law [m/s]; not part of the JSON of a run.
    #[serde(skip)]
    pub own_natural_map: Option<f64>,
    /// Natural map at which the solver may stop [m/s]; not part of the JSON of a run.
    #[serde(skip)]
    pub tolerance: f64,
    pub solver: SolverEffort,
    pub sleep: Asleep,
    /// Notes on everything left out, added or changed between the files and the world, and on the run.
    pub notes: Vec<Note>,
    /// End of the worst step [s].
    #[serde(skip)]
    pub worst_time: f64,
    /// Simulated time at the end [s].
    #[serde(skip)]
    pub end_time: f64,
    /// Why the run ended before its time, if it did.
    #[serde(skip)]
    pub failure: Option<String>,
    /// True when somebody stopped the run.
    #[serde(skip)]
    pub interrupted: bool,
}

/// Overlap from which a certificate does not speak of what one sees: the law is obeyed by bodies that are in one another [m].
pub const DEEP: f64 = 0.02;

impl Summary {
    /// Why a certificate that is met is not the whole truth: words of the file that are not simulated, deep overlaps, energy
    /// that nothing explains.
    pub fn reservations(&self) -> Vec<String> {
        let left_out = self.notes.iter().filter(|n| n.topic == Topic::NotSimulated).count();
        let mut out = Vec::new();
        if left_out > 0 {
            let words = if left_out == 1 { "1 word".to_owned() } else { format!("{left_out} words") };
            out.push(format!("{words} of the file not simulated"));
        }
        if !(self.penetration_max < DEEP) {
            out.push(format!("bodies overlap by up to {:.3} m", self.penetration_max));
        }
        out.extend(self.energy.unexplained());
        out
    }
}

/// The last state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndState {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// Energy that nothing explains is told in words above this share of what was in motion [–].
pub const UNEXPLAINED: f64 = 1e-3;

/// Kinetic and potential energy, and what changed it [J].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyBalance {
    pub start: f64,
    pub end: f64,
    /// Work of the actuators, effort times mean velocity times h, summed over the steps; `None` where steps were only
    /// counted.
    pub actuators: Option<f64>,
    /// Work of the scene's forces, likewise.
    pub forces: Option<f64>,
    /// Energy that steps by rules of first and second order made and nothing explains, less what they lost
    /// ([`StepReport::energy_error`]), summed over the steps.
    pub error: f64,
    /// Energy that steps so made, and that others lost.
    pub made: f64,
    pub lost: f64,
    /// Largest kinetic energy of the trees that it is known of ([`StepReport::energy_in_motion`]).
    pub in_motion: f64,
    /// Works by cause, summed over the steps, of steppers that keep account of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<EnergyLedger>,
}

impl EnergyBalance {
    /// In words, energy that steps made or lost and nothing explains, if it is more than [`UNEXPLAINED`] of what was in
    /// motion.
    pub fn unexplained(&self) -> Option<String> {
        let Self { made, lost, in_motion, .. } = *self;
        let told = in_motion > 0.0 && made.max(lost) > UNEXPLAINED * in_motion;
        let share = |x: f64| format!("{x:.1e} J ({:.1} %)", 100.0 * x / in_motion);
        told.then(|| {
            format!(
                "the steps made {} and lost {} of the {in_motion:.1e} J in motion, which nothing explains: a shorter `dt` makes it less",
                share(made),
                share(lost)
            )
        })
    }

    /// Energy that contacts, limits, dampers, dry friction and the error of the steps together added; most often negative.
    pub fn rest(&self) -> Option<f64> {
        Some(self.end - self.start - self.actuators? - self.forces?)
    }
}

/// The numbers of a certificate that a summary keeps; units in [`Certificate`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstCertificate {
    pub eps_p: f64,
    pub eps_d: f64,
    pub eps_c: f64,
    pub eps_abs: f64,
    pub natural_map: f64,
}

impl From<&Certificate> for WorstCertificate {
    fn from(c: &Certificate) -> Self {
        Self {
            eps_p: c.eps_p,
            eps_d: c.eps_d,
            eps_c: c.eps_c,
            eps_abs: c.eps_abs,
            natural_map: c.natural_map,
        }
    }
}

/// Work of the contact solver over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SolverEffort {
    pub iterations_mean: f64,
    pub iterations_max: u32,
    /// Steps without convergence, a failed one included.
    pub not_converged: u64,
    /// Steps that obeyed the law but made energy that nothing explains, more than their scene allows.
    pub gained_energy: u64,
    /// Steps of which only rounding the impulses to 64 bits was left.
    pub rounding: u64,
    /// Steps in which an island of contacts met the end of its budget, by the factorisations of that.
    pub bounds_met: BTreeMap<u32, u64>,
    /// Steps by the remedy that was taken because the problem had no good answer.
    pub remedies: BTreeMap<&'static str, u64>,
    /// Counts of all answers of every step, where the scene asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswersFound>,
}

/// Counts of all answers of every step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnswersFound {
    /// Steps whose problem was small enough.
    pub steps: u64,
    /// Steps that no motion obeys the law in.
    pub none: u64,
    /// Steps with several motions.
    pub several: u64,
    /// Steps in which the impulses of some motion are not determined.
    pub undetermined: u64,
    /// End of the first step with several motions, none, or impulses that are not determined [s], and its report.
    pub first: Option<(f64, Answers)>,
}

impl AnswersFound {
    fn count(&mut self, t: f64, answers: &Answers) {
        let motions = &answers.motions;
        self.steps += 1;
        self.none += u64::from(motions.is_empty());
        self.several += u64::from(motions.len() > 1);
        let undetermined = motions.iter().any(|a| a.undetermined > 0);
        self.undetermined += u64::from(undetermined);
        if (motions.len() != 1 || undetermined) && self.first.is_none() {
            self.first = Some((t, answers.clone()));
        }
    }
}

/// Who slept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Asleep {
    /// Bodies, after the last step.
    pub bodies: usize,
    /// Bodies, mean over the steps.
    pub bodies_mean: f64,
}

/// Counts while a run goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) steps: u64,
    iterations: u64,
    iterations_max: u32,
    not_converged: u64,
    gained_energy: u64,
    pub(crate) energy_error: f64,
    /// Energy that steps made and nothing explains, and the largest energy in motion [J].
    pub(crate) energy_made: f64,
    pub(crate) in_motion: f64,
    pub(crate) ledger: Option<EnergyLedger>,
    rounding: u64,
    bounds_met: BTreeMap<u32, u64>,
    remedies: BTreeMap<&'static str, u64>,
    answers: Option<AnswersFound>,
    asleep: usize,
    asleep_sum: u64,
    pub(crate) penetration_max: f64,
    /// End time and certificate of the worst step.
    pub(crate) worst: Option<(f64, Certificate)>,
    /// Worst natural map by the solver's own law [m/s].
    pub(crate) worst_own: Option<f64>,
    pub(crate) failure: Option<String>,
}

impl Tally {
    /// Counts a step that ended at `t`.
    pub(crate) fn count(&mut self, t: f64, report: &StepReport, certificate: Option<&Certificate>) {
        let gained = report.status == StepStatus::GainedEnergy;
        self.gained_energy += u64::from(gained);
        self.not_converged += u64::from(report.flagged() && !gained);
        self.energy_error += report.energy_error;
        self.energy_made += report.energy_error.max(0.0);
        self.in_motion = self.in_motion.max(report.energy_in_motion);
        self.rounding += u64::from(report.status == StepStatus::Rounding);
        if let Some(remedy) = report.remedy {
            *self.remedies.entry(remedy.name()).or_default() += 1;
        }
        if let Some(budget) = report.bound_met {
            *self.bounds_met.entry(budget).or_default() += 1;
        }
        if let StepStatus::Failed(cause) = &report.status {
            self.failure = Some(cause.clone());
            return;
        }
        if let Some(ledger) = &report.ledger {
            self.ledger = Some(self.ledger.map_or(**ledger, |sum| sum.followed_by(ledger)));
        }
        if let Some(answers) = &report.answers {
            self.answers.get_or_insert_default().count(t, answers);
        }
        self.steps += 1;
        self.iterations += u64::from(report.iterations);
        self.iterations_max = self.iterations_max.max(report.iterations);
        self.asleep = report.asleep;
        self.asleep_sum += report.asleep as u64;
        if !(report.penetration <= self.penetration_max) {
            self.penetration_max = report.penetration;
        }
        if let Some(c) = certificate
            && (self.worst.as_ref()).is_none_or(|(_, worst)| worse(c.natural_map, worst.natural_map))
        {
            self.worst = Some((t, *c));
        }
    }

    /// Counts the natural map of a step by the solver's own law.
    pub(crate) fn count_own(&mut self, natural_map: f64) {
        if self.worst_own.is_none_or(|worst| worse(natural_map, worst)) {
            self.worst_own = Some(natural_map);
        }
    }

    pub(crate) fn effort(&self) -> SolverEffort {
        SolverEffort {
            iterations_mean: self.iterations as f64 / self.steps.max(1) as f64,
            iterations_max: self.iterations_max,
            not_converged: self.not_converged,
            gained_energy: self.gained_energy,
            rounding: self.rounding,
            bounds_met: self.bounds_met.clone(),
            remedies: self.remedies.clone(),
            answers: self.answers.clone(),
        }
    }

    pub(crate) fn asleep(&self) -> Asleep {
        Asleep { bodies: self.asleep, bodies_mean: self.asleep_sum as f64 / self.steps.max(1) as f64 }
    }
}

/// True if `a` is worse than `b`; the first NaN stays.
fn worse(a: f64, b: f64) -> bool {
    !b.is_nan() && !(a <= b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(iterations: u32, status: StepStatus) -> StepReport {
        StepReport { status, iterations, contacts: 1, penetration: 1e-6, parts: 1, ..StepReport::default() }
    }

    #[test]
    fn the_worst_step_stands_for_the_run() {
        let mut tally = Tally::default();
        let certificate = |natural_map| Certificate { natural_map, ..Certificate::default() };
        let [good, rounding] = [StepStatus::Converged, StepStatus::Rounding];
        for (t, n, status, residual) in
            [(0.1, 4, &good, 1e-9), (0.2, 10, &rounding, 3e-9), (0.3, 1, &good, 2e-9)]
        {
            tally.count(t, &report(n, status.clone()), Some(&certificate(residual)));
        }
        let (t, worst) = tally.worst.unwrap();
        assert_eq!((t, worst.natural_map), (0.2, 3e-9));
        assert_eq!(
            tally.effort(),
            SolverEffort {
                iterations_mean: 5.0,
                iterations_max: 10,
                not_converged: 0,
                gained_energy: 0,
                rounding: 1,
                bounds_met: BTreeMap::new(),
                remedies: BTreeMap::new(),
                answers: None,
            }
        );

        tally.count(0.4, &report(1, StepStatus::NotConverged), Some(&certificate(f64::NAN)));
        tally.count(0.5, &report(1, StepStatus::NotConverged), Some(&certificate(1.0)));
        assert!(tally.worst.as_ref().unwrap().1.natural_map.is_nan() && tally.worst.unwrap().0 == 0.4);
        assert_eq!((tally.not_converged, tally.steps), (2, 5));
    }

    /// Energy that nothing explains is told from a thousandth of what was in motion on, whether steps made or lost it; what
    /// cancels in the sum is told as well.
    #[test]
    fn energy_that_nothing_explains_is_told() {
        let of = |errors: [f64; 2]| {
            let mut tally = Tally::default();
            for error in errors {
                let report = StepReport {
                    energy_error: error,
                    energy_in_motion: 2.0,
                    ..report(1, StepStatus::Converged)
                };
                tally.count(0.0, &report, None);
            }
            let (error, made) = (tally.energy_error, tally.energy_made);
            let none = EnergyBalance {
                start: 0.0,
                end: 0.0,
                actuators: None,
                forces: None,
                error,
                made,
                lost: made - error,
                in_motion: tally.in_motion,
                ledger: None,
            };
            none.unexplained()
        };
        assert_eq!(of([1e-3, -1e-3]), None);
        assert!(of([3e-3, -3e-3]).unwrap().contains("made 3.0e-3 J (0.1 %) and lost 3.0e-3 J"));
        assert!(of([0.0, -0.5]).unwrap().contains("lost 5.0e-1 J (25.0 %)"));
    }
}
