//! Scenes that users of simulators report as wrong, each with a closed form or a bound that it must meet.
//!
//! | reported | case |
//! |---|---|
//! | held bodies creep | grasp, slope, wedge |
//! | sliding bodies lift | slide |
//! | heavy on light explodes | two cubes, ten boxes |
//! | friction and impacts are wrong, and nobody says so | rod, capstan, SimBenchmark |
//! | towers fall | arch, card house, Kapla |
//! | tight clearances jam or overlap | peg |
//!
//! A line of the table passes if its value is at most its limit and every step on the way was certified: the natural map
//! of the exact law, which the judge computes, at most 1e-6 m/s. What fails stays in the table.

mod clearance;
mod friction;
mod simbenchmark;
mod stacks;
mod trial;

use super::{Claim, Experiment, ExperimentError, Findings, Size, Table};
use trial::{CERTIFIED, Line};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "hard-cases",
    title: "Scenes that users report as wrong, each against a closed form or a bound",
    source: "Closed forms of mechanics; SimBenchmark's published errors (leggedrobotics/SimBenchmark)",
    measure,
};

type Case = fn(Size) -> Result<Vec<Line>, ExperimentError>;

const CASES: &[Case] = &[
    friction::grasp,
    friction::slide,
    stacks::two_cubes,
    stacks::ten_boxes,
    friction::slope,
    friction::wedge,
    friction::rod,
    simbenchmark::rolling,
    simbenchmark::bouncing,
    simbenchmark::six_cubed,
    simbenchmark::elastic_six_cubed,
    simbenchmark::by_events,
    friction::capstan,
    clearance::peg,
    stacks::card_house,
    stacks::arch,
    stacks::kapla,
];

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut lines = Vec::new();
    for case in CASES {
        lines.extend(case(size)?);
    }
    let mut findings = Findings::default();
    findings.claims.extend(lines.iter().map(claim));
    let heads =
        ["case", "of", "quantity", "value", "limit", "steps", "not certified", "worst natural map [m/s]", ""];
    findings.tables.push(Table {
        stem: "hard-cases",
        title: "Hard cases".to_owned(),
        about: format!("A case passes within its limit if every step is certified to {CERTIFIED:.0e} m/s."),
        heads: heads.map(str::to_owned).into(),
        rows: lines.iter().map(row).collect(),
    });
    Ok(findings)
}

fn claim(line: &Line) -> Claim {
    let Line { case, of, quantity, unit, value, limit, steps, uncertified, natural_map } = line;
    Claim {
        claim: format!("{case}, {of}: {quantity} (at most {limit:.3e} {unit}, every step certified)"),
        measured: format!(
            "{value:.3e} {unit}; {uncertified} of {steps} steps not certified, worst {natural_map:.1e} m/s"
        ),
        holds: line.holds(),
        sample: *steps,
    }
}

fn row(line: &Line) -> Vec<String> {
    let Line { case, of, quantity, unit, value, limit, steps, uncertified, natural_map } = line;
    let mark = if line.holds() { "✓" } else { "✗" };
    vec![
        (*case).to_owned(),
        of.clone(),
        (*quantity).to_owned(),
        format!("{value:.2e} {unit}"),
        format!("{limit:.2e} {unit}"),
        steps.to_string(),
        uncertified.to_string(),
        format!("{natural_map:.0e}"),
        mark.to_owned(),
    ]
}
