//! Figures 3 to 6 of [Pan2021]: a panel for every method, a curve for every step.

use super::trace::{Sample, Trace, Variant};
use super::{PERIOD, Runs, VARIANTS, ms};
use crate::{Data, Findings};
use std::collections::BTreeMap;
use stiction::nmdp::residual::Dissipated;
use stiction_plot::{Figure, Series, Sheet};

/// Points of a curve in the files of numbers, at most.
const POINTS: usize = 500;

/// Methods that minimise the energy of all bodies, as published, with the exact law; and those of the energy of contact points.
fn groups() -> [(&'static str, &'static str, Vec<usize>); 2] {
    let of = |points: bool| {
        let chosen = move |v: &Variant| (v.dissipated == Dissipated::ContactPoints) == points;
        (0..VARIANTS.len()).filter(|i| chosen(&VARIANTS[*i])).collect()
    };
    [("", "energy of all bodies", of(false)), ("-points", "energy of contact points", of(true))]
}

/// A quantity over time.
struct OverTime {
    stem: &'static str,
    title: &'static str,
    axis: &'static str,
    /// Ends of a logarithmic axis, where it has one.
    log: Option<[f64; 2]>,
    of: fn(&Sample) -> f64,
}

/// Figures 3, 4 and 5.
pub(super) fn over_time(robot: &str, runs: &Runs, findings: &mut Findings) {
    let tilt = OverTime {
        stem: "tilt",
        title: "tilt of the torso in five jumps (Fig. 3)",
        axis: "tilt [rad]",
        log: Some([1e-5, 1.0]),
        of: |s| s.tilt,
    };
    let height = OverTime {
        stem: "height",
        title: "height of the torso in five jumps (Fig. 4)",
        axis: "height [m]",
        log: None,
        of: |s| s.z,
    };
    let way = OverTime {
        stem: "way",
        title: "way of the torso in the walk (Fig. 5)",
        axis: "way [m]",
        log: None,
        of: |s| s.x,
    };
    for (what, traces) in [(&tilt, &runs.jumps), (&height, &runs.jumps), (&way, &runs.walks)] {
        for (suffix, energy, variants) in groups() {
            sheet(robot, what, (suffix, energy, &variants), (&runs.steps, traces), findings);
        }
    }
}

fn sheet(
    robot: &str,
    what: &OverTime,
    (suffix, energy, variants): (&str, &str, &[usize]),
    (steps, traces): (&[f64], &[Vec<Trace>]),
    findings: &mut Findings,
) {
    let stem = format!("nmdp-{robot}-{}{suffix}", what.stem);
    // The baseline explodes: it is cut where the others end.
    let kept = variants.iter().filter(|v| VARIANTS[**v].stepper != "ne-mdp");
    let values = kept.flat_map(|v| traces[*v].iter()).filter(|t| !t.exploded);
    let values = values.flat_map(|t| t.samples.iter().map(what.of));
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    let margin = 0.05 * (high - low);
    let mut data = Vec::new();
    let mut panels = Vec::new();
    for v in variants {
        let curve = |(h, trace): (&f64, &Trace)| Series {
            label: format!("h = {} ms", ms(*h)),
            points: trace.samples.iter().map(|s| [s.t, (what.of)(s)]).collect(),
        };
        let curves: Vec<Series> = steps.iter().zip(&traces[*v]).map(curve).collect();
        let label = VARIANTS[*v].label();
        data.extend(curves.iter().map(|c| named(&label, &thinned(c))));
        let figure = Figure::of_series(&label, "t [s]", what.axis, &curves).ordered();
        panels.push(match what.log {
            Some([low, high]) => figure.log_y().within_y(low, high),
            None if low < high => figure.within_y(low - margin, high + margin),
            None => figure,
        });
    }
    let caption = format!(
        "{}: {}; {energy} is minimised. One panel a method, one curve a step h. The robot's servos follow one motion under all; \
         jumps start with a roll of {} rad. What leaves the axes is cut.",
        capital(robot),
        what.title,
        super::ROLL
    );
    let title = format!("{}: {}", capital(robot), what.title);
    let columns = if panels.len() > 6 { 4 } else { 3 };
    findings.sheets.push((stem.clone(), Sheet::of_panels(&title, columns, panels).captioned(&caption)));
    let heads = ["t [s]".to_owned(), what.axis.to_owned()];
    findings.data.push(Data { stem, heads, series: data });
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + letters.as_str())
}

fn named(method: &str, series: &Series) -> Series {
    Series { label: format!("{method}; {}", series.label), points: series.points.clone() }
}

fn thinned(series: &Series) -> Series {
    let stride = series.points.len().div_ceil(POINTS).max(1);
    Series { label: series.label.clone(), points: series.points.iter().step_by(stride).copied().collect() }
}

/// Figure 6: (a) frames a second, (b) outer iterations of steps, (c) their mean over the step, (d) the smallest part of steps.
pub(super) fn cost(runs: &Runs, findings: &mut Findings) {
    let label = |v: usize| VARIANTS[v].label();
    let both = |v: usize, k: usize| [&runs.jumps[v][k], &runs.walks[v][k]];
    let rate = |v: usize| {
        let point = |(k, h): (usize, &f64)| {
            let [jump, walk] = both(v, k);
            let seconds = 0.5 * (jump.seconds + walk.seconds);
            (!jump.exploded && !walk.exploded).then(|| [1e3 * h, 1.0 / seconds])
        };
        Series { label: label(v), points: runs.steps.iter().enumerate().filter_map(point).collect() }
    };
    let rates: Vec<Series> = (0..VARIANTS.len()).map(rate).collect();
    let axes = ["step [ms]", "steps a second [1/s]"];
    let figure = Figure::of_series("Steps a second (Fig. 6a)", axes[0], axes[1], &rates).log_x().log_y().captioned(
        "Robosimian, mean of jumps and walk, one thread, the judge's work left out. Times are those of the machine that drew this.",
    );
    findings.figures.push(("nmdp-rate".to_owned(), figure));
    findings.data.push(Data { stem: "nmdp-rate".to_owned(), heads: axes.map(str::to_owned), series: rates });

    let implicit: Vec<usize> = (0..VARIANTS.len()).filter(|v| VARIANTS[*v].is_implicit()).collect();
    let mut counted = (Vec::new(), Vec::new());
    for v in &implicit {
        let of = |(k, h): (usize, &f64)| {
            let mut counts = BTreeMap::new();
            for report in both(*v, k).into_iter().flat_map(|t| &t.reports) {
                *counts.entry(report.outer).or_insert(0_u32) += 1;
            }
            let all = counts.values().sum::<u32>().max(1);
            let share = |(n, count): (u32, u32)| [f64::from(n), 100.0 * f64::from(count) / f64::from(all)];
            let points = counts.into_iter().map(share).collect();
            Series { label: format!("h = {} ms", ms(*h)), points }
        };
        let curves: Vec<Series> = runs.steps.iter().enumerate().map(of).collect();
        counted.1.extend(curves.iter().map(|c| named(&label(*v), c)));
        let axes = ["outer iterations + 1", "steps [%]"];
        let shifted = |c: &Series| Series {
            label: c.label.clone(),
            points: c.points.iter().map(|p| [p[0] + 1.0, p[1]]).collect(),
        };
        let curves: Vec<Series> = curves.iter().map(shifted).collect();
        counted.0.push(Figure::of_series(&label(*v), axes[0], axes[1], &curves).ordered().log_x());
    }
    let title = "Outer iterations of steps (Fig. 6b)";
    let sheet = Sheet::of_panels(title, 4, counted.0).with_same_axes();
    findings
        .sheets
        .push(("nmdp-histogram".to_owned(), sheet.captioned("Robosimian, steps of jumps and walk.")));
    let heads = ["outer iterations".to_owned(), "steps [%]".to_owned()];
    findings.data.push(Data { stem: "nmdp-histogram".to_owned(), heads, series: counted.1 });

    let mut smallest = (Vec::new(), Vec::new());
    for v in &implicit {
        let of = |(k, h): (usize, &f64)| {
            let point =
                |(i, r): (usize, &stiction::nmdp::NmdpReport)| [(i + 1) as f64 * h, 1e3 * r.smallest_part];
            let points = runs.jumps[*v][k].reports.iter().enumerate().map(point).collect();
            Series { label: format!("h = {} ms", ms(*h)), points }
        };
        let curves: Vec<Series> = runs.steps.iter().enumerate().map(of).collect();
        smallest.1.extend(curves.iter().map(|c| named(&label(*v), &thinned(c))));
        let figure = Figure::of_series(&label(*v), "t [s]", "smallest part [ms]", &curves).ordered().log_y();
        smallest.0.push(figure.within_x(0.0, 2.0 * PERIOD));
    }
    let sheet =
        Sheet::of_panels("Smallest part of every step in jumps (Fig. 6d)", 4, smallest.0).with_same_axes();
    let caption = "Robosimian, the first two jumps. A step that does not converge is halved.";
    findings.sheets.push(("nmdp-smallest".to_owned(), sheet.captioned(caption)));
    let heads = ["t [s]".to_owned(), "smallest part [ms]".to_owned()];
    findings.data.push(Data { stem: "nmdp-smallest".to_owned(), heads, series: smallest.1 });
}
