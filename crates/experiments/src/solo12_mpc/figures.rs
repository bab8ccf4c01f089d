//! The paper's figure 5 in three, falls by friction, and the table.

use super::Row;
use super::walk::{End, Walk};
use crate::{Findings, Table};
use stiction_plot::{Figure, Series};

/// Rows of the figures: the paper's three and the exact law. The others are in the table.
const SHOWN: usize = 4;

pub(super) fn keep(findings: &mut Findings, rows: &[Row], frictions: &[f64]) {
    let middle = frictions.len() / 2;
    let course = |points: &dyn Fn(&Walk) -> Vec<[f64; 2]>| -> Vec<Series> {
        let shown = rows.iter().take(SHOWN);
        shown.map(|row| Series { label: row.variant.label(), points: points(&row.walks[middle]) }).collect()
    };
    let mu = frictions[middle];
    let about = |what: &str| format!("Solo-12 on bumps, μ = {mu:.2}: {what}");
    // A logarithmic axis has no zero: what is below rounding is drawn at rounding.
    let eps = course(&|walk| windows(walk, 1, 1.0).map(|[t, x]| [t, x.max(LEAST)]).collect());
    let title = about("distance from the law, the largest of 0.2 s");
    findings.keep_log("solo12-mpc-eps", &title, "ε_abs", "N, m/s, W", eps);
    let way = course(&|walk| walk.course.iter().map(|c| [c[2], c[3]]).collect());
    let axes = ["x [m]", "y [m]"];
    findings.keep_over("solo12-mpc-way", &about("way of the trunk"), axes, way, |f: Figure| f);
    let cost = course(&|walk| windows(walk, 5, 0.5).collect());
    findings.keep_log("solo12-mpc-cost", &about("cost of a step, median of 0.2 s"), "cost", "µs", cost);
    let distance = rows.iter().take(SHOWN).map(|row| {
        let points = frictions.iter().zip(&row.walks).map(|(mu, walk)| [*mu, walk.distance]);
        Series { label: row.variant.label(), points: points.collect() }
    });
    let title = "Solo-12 on bumps: way until the end or the fall";
    findings.keep_over(
        "solo12-mpc-distance",
        title,
        ["μ [–]", "distance [m]"],
        distance.collect(),
        |f: Figure| f,
    );
    table(findings, rows);
}

/// Samples of a course that are drawn as one: of every sample a curve would be a band.
const WINDOW: usize = 20;

/// A column of a course over time, of every [`WINDOW`] samples the one that this share of them is not above.
fn windows(walk: &Walk, column: usize, share: f64) -> impl Iterator<Item = [f64; 2]> + '_ {
    walk.course.chunks(WINDOW).map(move |samples| {
        let mut sorted: Vec<f64> = samples.iter().map(|c| c[column]).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len() - 1;
        [samples[samples.len() / 2][0], sorted[(share * last as f64).round() as usize]]
    })
}

/// Least ε_abs of the figure.
const LEAST: f64 = 1e-12;

fn table(findings: &mut Findings, rows: &[Row]) {
    let heads = [
        "contact model",
        "falls",
        "failed",
        "distance [m]",
        "speed [m/s]",
        "energy [J/m]",
        "ε_abs, median",
        "ε_abs, 95 %",
        "worst natural map [m/s]",
        "flagged [%]",
        "remedies [%]",
        "slipping [%]",
        "cost a step [µs]",
    ];
    let row = |row: &Row| {
        let failed = row.walks.iter().filter(|w| matches!(w.end, End::Failed(_))).count();
        let steps: usize = row.walks.iter().map(|w| w.steps).sum();
        let share = |count: &dyn Fn(&Walk) -> usize| {
            let counted: usize = row.walks.iter().map(count).sum();
            format!("{:.2}", 100.0 * counted as f64 / steps.max(1) as f64)
        };
        let way: f64 = row.walks.iter().map(|w| w.distance).sum();
        let energy: f64 = row.walks.iter().map(|w| w.energy).sum();
        let upright: Vec<f64> =
            row.walks.iter().filter(|w| w.end == End::Upright).map(|w| w.mean_speed).collect();
        let speed = upright.iter().sum::<f64>() / upright.len() as f64;
        vec![
            row.variant.label(),
            format!("{} of {}", row.falls(), row.walks.len()),
            failed.to_string(),
            format!("{:.2}", row.mean(|w| w.distance)),
            format!("{speed:.3}"),
            format!("{:.1}", energy / way),
            format!("{:.1e}", row.mean(|w| w.eps_abs[0])),
            format!("{:.1e}", row.mean(|w| w.eps_abs[1])),
            format!("{:.0e}", row.worst(|w| w.natural_map)),
            share(&|w| w.flagged),
            share(&|w| w.remedied),
            format!("{:.1}", 100.0 * row.mean(|w| w.slipping)),
            format!("{:.1}", row.mean(|w| w.cost)),
        ]
    };
    findings.tables.push(Table {
        stem: "solo12-mpc",
        title: "Solo-12 under model predictive control on bumpy, slippery ground".to_owned(),
        about: "One controller, the same starts. Falls: trunk down or on its side, or a step that failed. Distance: mean of \
                all starts until the end or the fall. Speed: mean of those that stay upright, commanded 0.5 m/s. Energy: \
                positive mechanical work of the joints, none recovered, over the way. ε_abs = max(ε_p, ε_d, ε_c) of the exact \
                law, in N, m/s and W, means of the starts."
            .to_owned(),
        heads: heads.map(str::to_owned).into(),
        rows: rows.iter().map(row).collect(),
    });
}
