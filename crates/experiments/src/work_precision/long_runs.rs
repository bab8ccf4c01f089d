//! Energy of the double pendulum over long runs, and whether the ledger names all of it.
//!
//! Nothing damps and nothing is driven: all that the energy does the rule of integration did.

use super::{ExperimentError, Findings, Size, pendulum};
use crate::multibody::{simulation, step};
use crate::worst::Worst;
use stiction::EnergyLedger;
use stiction_plot::Series;

/// Ways of a stepper with the energy.
#[derive(Clone, Copy)]
enum Keeps {
    /// It swings about its value, late in the run as early.
    Swings,
    /// It drifts, over the whole run by at most this share of the largest kinetic energy [–].
    Drifts(f64),
    /// It is damped.
    Loses,
}

/// Steppers, the share of the steps that they go, and what they make of the energy.
const STEPPERS: [(&str, u32, Keeps); 7] = [
    ("variational", 1, Keeps::Swings),
    ("moreau", 1, Keeps::Swings),
    ("time-stepping", 1, Keeps::Drifts(1e-5)),
    ("event-driven", 1, Keeps::Drifts(1e-6)),
    ("compliant", 10, Keeps::Drifts(1e-6)),
    ("stewart-trinkle", 10, Keeps::Loses),
    ("todorov", 10, Keeps::Loses),
];
/// A step [s], and the steps of a whole run.
const STEP: f64 = 2e-3;
const STEPS: u32 = 1_000_000;
/// Swings late in the run, at most, over those early in it [–].
const GROWS: f64 = 1.5;
/// Energy that a ledger does not name, relative [–].
const UNNAMED: f64 = 1e-10;

/// Measures all of them.
pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let whole = if size == Size::Small { STEPS / 500 } else { STEPS };
    let mut series = Vec::new();
    for (stepper, part, keeps) in STEPPERS {
        series.push(run(stepper, whole / part, keeps, findings)?);
    }
    findings.keep_log("long-runs", "A double pendulum: energy over a long run", "|E − E₀|", "J", series);
    Ok(())
}

fn run(stepper: &str, steps: u32, keeps: Keeps, findings: &mut Findings) -> Result<Series, ExperimentError> {
    let mut sim = simulation(pendulum()?, (stepper, STEP), |_| {})?;
    let start = sim.energy().total();
    let (mut sum, mut size_of, mut points) = (EnergyLedger::default(), 0.0_f64, Vec::new());
    let (mut off, mut before) = (Worst::default(), start);
    // Largest kinetic energy, and largest change of the energy in each half of the run.
    let (mut kinetic, mut swings) = (0.0_f64, [0.0_f64; 2]);
    for k in 0..steps {
        let report = step(&mut sim)?;
        let energy = sim.energy();
        let after = energy.total();
        if let Some(ledger) = report.ledger {
            // Of the step, relative to the largest entry or the energy.
            let scale = ledger.size().max(before.abs());
            off.see((ledger.explained() - (after - before)).abs() / scale);
            sum = sum.followed_by(&ledger);
            size_of = size_of.max(sum.size());
        }
        before = after;
        kinetic = kinetic.max(energy.kinetic);
        let half = &mut swings[usize::from(2 * k >= steps)];
        *half = if (after - start).is_finite() { half.max((after - start).abs()) } else { f64::INFINITY };
        if k % (steps / 400).max(1) == 0 {
            points.push([sim.state().t, (after - start).abs()]);
        }
    }
    if off.count() > 0 {
        let all = (sum.explained() - (before - start)).abs() / size_of.max(start.abs());
        let all = Worst::about(all, off.count());
        let claim =
            format!("{stepper}: {steps} steps, energy that the ledger of a step cannot name, relative");
        findings.bound(claim, "–", off, UNNAMED);
        let claim = format!("{stepper}: {steps} steps, energy that all ledgers cannot name, relative");
        findings.bound(claim, "–", all, UNNAMED);
    }
    let [early, late] = swings;
    match keeps {
        Keeps::Swings => {
            let claim = format!("{stepper}: swing of the energy, late over early, {steps} steps");
            findings.bound(claim, "–", late / early, GROWS);
        }
        Keeps::Drifts(most) => {
            let claim =
                format!("{stepper}: drift of the energy, relative to the largest kinetic, {steps} steps");
            findings.bound(claim, "–", late.max(early) / kinetic, most);
        }
        Keeps::Loses => {
            let claim = format!("{stepper}: energy that {steps} steps make, relative to the largest kinetic");
            findings.bound(claim, "–", (before - start).max(0.0) / kinetic, 1e-12);
        }
    }
    findings.notes.push(format!(
        "{stepper}: {steps} steps, energy off by up to {early:.1e} J in the first half and {late:.1e} J in the second, of {kinetic:.1} J kinetic"
    ));
    Ok(Series { label: stepper.to_owned(), points })
}
