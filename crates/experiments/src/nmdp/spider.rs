//! The paper's other robot, the spider: it jumps and walks as Robosimian does, in one table.

use super::super::worst::Worst;
use super::trace::Trace;
use super::{PERIOD, ROLL, Runs, VARIANTS, figures, heads, height_cell, ms, rows, walk_cell};
use crate::{ExperimentError, Findings, Size, Table};
use stiction::nmdp::residual::Dissipated;
use stiction_scene::Scene;

/// Steps [s].
const STEPS: [f64; 4] = [1e-3, 5e-3, 2e-2, 5e-2];
/// Steps of a short run.
const FEW: [f64; 1] = [2e-2];

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let full = size == Size::Full;
    let steps = if full { STEPS.to_vec() } else { FEW.to_vec() };
    let duration = if full { 10.0 } else { 4.0 };
    let (jump, walk) = (Scene::builtin("spider-jump")?, Scene::builtin("spider-walk")?);
    let runs = Runs::of([&jump, &walk], steps, duration)?;
    let mut lines = Vec::new();
    for (v, variant) in VARIANTS.into_iter().enumerate() {
        for (k, &h) in runs.steps.iter().enumerate() {
            let (jumps, walks) = (&runs.jumps[v][k], &runs.walks[v][k]);
            if variant.stepper != "ne-mdp" && variant.is_published() {
                let label = format!("{} at {} ms", variant.label(), ms(h));
                claims(&label, variant.dissipated, [jumps, walks], findings);
            }
            let [speed, off] = walks.line(1.0);
            let cell = |trace: &Trace, text: String| {
                if trace.exploded { "explodes".to_owned() } else { text }
            };
            lines.push(vec![
                variant.label(),
                ms(h),
                cell(jumps, format!("{:.4}", jumps.tilt(0.0))),
                cell(jumps, format!("{:.3} ± {:.4}", jumps.apex(PERIOD), jumps.spread(PERIOD))),
                cell(walks, format!("{speed:.4}")),
                cell(walks, format!("{off:.4}")),
            ]);
        }
    }
    figures::over_time("spider", &runs, findings);
    findings.tables.push(Table {
        stem: "nmdp-spider-walk",
        title: "Speed of the spider's walk".to_owned(),
        about: "Slope of the way over time [m/s]".to_owned(),
        heads: heads(&runs),
        rows: rows(&runs.walks, walk_cell),
    });
    findings.tables.push(Table {
        stem: "nmdp-spider-height",
        title: "Height of the spider's jumps".to_owned(),
        about: "Greatest height of the torso [m] ± how far the jumps after the first differ".to_owned(),
        heads: heads(&runs),
        rows: rows(&runs.jumps, height_cell),
    });
    findings.tables.push(Table {
        stem: "nmdp-spider",
        title: "The spider".to_owned(),
        about: "Jumps: largest angle of the torso [rad], greatest height ± how far the jumps after the first differ [m]; walk: \
                slope of the way over time [m/s], and how far the way is from a line [m]"
            .to_owned(),
        heads: ["stepper", "h [ms]", "tilt [rad]", "height [m]", "speed [m/s]", "off the line [m]"]
            .map(str::to_owned)
            .into(),
        rows: lines,
    });
    Ok(())
}

/// Figures 3 to 5 of one run of each.
fn claims(label: &str, dissipated: Dissipated, [jumps, walks]: [&Trace; 2], findings: &mut Findings) {
    let of = |trace: &Trace, x: f64| if trace.exploded { f64::INFINITY } else { x };
    let claim = |what: &str| format!("the spider under {label}: {what}");
    // Of contact points alone the energy lets the torso sway at small steps.
    let level = if dissipated == Dissipated::ContactPoints { 5.0 } else { 2.0 } * ROLL;
    findings.bound(
        claim("its torso stays nearly level"),
        "rad",
        Worst::about(jumps.tilt(0.0), jumps.samples.len()),
        level,
    );
    let spread = of(jumps, jumps.spread(PERIOD));
    findings.bound(
        claim("jumps are as high as one another"),
        "m",
        Worst::about(spread, jumps.samples.len()),
        0.01,
    );
    findings.bound(
        claim("the way is a straight line over time"),
        "m",
        Worst::about(of(walks, walks.line(1.0)[1]), walks.samples.len()),
        0.03,
    );
}
