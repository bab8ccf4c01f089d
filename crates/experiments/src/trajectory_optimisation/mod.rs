//! Trajectories through contact by iterative LQR: a box pushed with a finger, a jump, a cube turned in a hand; by the gradients of the exact law,
//! by finite differences of whole steps and by randomised smoothing.
//!
//! The same algorithm from the same controls (`stiction_control::ilqr`), once for each source of gradients. What is found is simulated again from the
//! start, by the exact law, and judged step by step. Where a task starts without contact there is no gradient: here the controls to start
//! from push, stand and hold.

mod attempt;
mod tasks;

use super::worst::Worst;
use super::{Claim, Conduct, Contacts, Experiment, ExperimentError, Findings, Size, Table, capitalised};
use attempt::{Attempt, AttemptError, Seen, attempt, see};
use std::ops::ControlFlow;
use stiction_control::ilqr::{Gradient, IlqrParams};
use stiction_plot::{Figure, Series};
use stiction_store::{Key, Store};
use tasks::{JUMP, PUSH, TURN, Task, jump, push_box, turn_cube};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "trajectory-optimisation",
    title: "Trajectories through contact: pushing, jumping and turning in hand, by source of gradients",
    source: "Tassa, Mansard and Todorov, Control-Limited Differential Dynamic Programming [Tassa2014]",
    measure,
};

/// Displacement of finite differences [m, rad, m/s, rad/s, N, N·m].
const DISPLACEMENT: f64 = 1e-6;
/// Samples of randomised smoothing a step.
const SAMPLES: usize = 8;
/// Most iterations of an attempt.
const ITERATIONS: usize = 150;
/// Largest natural map of a step of a replay [m/s].
const CERTIFIED: f64 = stiction::CERTIFIED;
/// How far the end may be from the target: lengths [m], turns [rad].
const PLACE: f64 = 0.01;
const HEADING: f64 = 0.06;
/// Costs whose largest is more than so many times the least are drawn on a logarithmic axis.
const DECADES: f64 = 30.0;
/// Share of the first cost that may be left.
const LESS: f64 = 0.4;
/// Height that the trunk must reach, as a share of what is asked, and the time that it must fly [s].
const HIGH: f64 = 0.9;
const FLIES: f64 = 0.15;

/// Relaxation of complementarity, in the task that shows it [J].
const SMOOTHING: f64 = 1e-5;

/// The sources of gradients, the exact law first.
fn sources(task: &Task) -> Vec<(&'static str, Gradient)> {
    let smoothed = Gradient::Smoothed { samples: SAMPLES, deviations: task.deviations, seed: 1 };
    let mut sources = vec![
        ("exact law", Gradient::Exact { displacement: DISPLACEMENT }),
        ("finite differences", Gradient::Differences { displacement: DISPLACEMENT }),
        ("randomised smoothing", smoothed),
    ];
    if task.name == "push-box" {
        sources.push(("relaxed complementarity", Gradient::Relaxed { smoothing: SMOOTHING }));
    }
    sources
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let tell = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
    measure_staged(&Conduct { size, contacts: Contacts::Published, kept: None, tell: &tell })
}

/// Attempts what is not kept yet, and finds.
pub(super) fn measure_staged(conduct: &Conduct<'_>) -> Result<Findings, ExperimentError> {
    if conduct.contacts != Contacts::Published {
        return Err(ExperimentError::NoContacts { name: EXPERIMENT.name });
    }
    let failed = |e: AttemptError| ExperimentError::Optimisation(e.to_string());
    let tasks = match conduct.size {
        Size::Small => vec![push_box()?],
        Size::Full => vec![push_box()?, jump()?, turn_cube()?],
    };
    let store = {
        let key = Key::new("trajectory-optimisation 1").with("program", env!("CARGO_PKG_VERSION"));
        conduct.kept.map(|folder| Store::open(folder, &key)).transpose()?
    };
    let mut findings = Findings::default();
    // Differences take half a minute.
    let sources_of = |task: &Task| match conduct.size {
        Size::Small => sources(task)[..1].to_vec(),
        Size::Full => sources(task),
    };
    let (mut rows, mut done, all) = (Vec::new(), 0, tasks.iter().map(|t| sources_of(t).len()).sum::<usize>());
    for task in &tasks {
        let mut curves = Vec::new();
        for (source, gradient) in sources_of(task) {
            let label = format!("{}, {source}", task.name);
            let params = IlqrParams { iterations: ITERATIONS, ..IlqrParams::default() };
            let key = Key::new("attempt 1")
                .with("task", task.described())
                .with("file", task.file)
                .with("gradient", gradient)
                .with("params", params);
            let kept = store.as_ref().map(|s| s.get::<Attempt>("attempt", &key)).transpose()?.flatten();
            let made = match kept {
                Some(made) => made,
                None => {
                    let mut tell = |i: usize, cost: f64| {
                        (conduct.tell)(done, all, &format!("{label}: iteration {i}, cost {cost:.4}"))
                    };
                    let made = attempt(task, gradient, &params, &mut tell).map_err(failed)?;
                    let made = made.ok_or(ExperimentError::Interrupted)?;
                    if let Some(store) = &store {
                        store.put("attempt", &key, &made)?;
                    }
                    made
                }
            };
            done += 1;
            let (seen, recording) = see(task, &made.controls).map_err(failed)?;
            rows.push(row(task, source, &made, &seen));
            let points = made.costs.iter().enumerate().map(|(i, cost)| [i as f64, *cost]).collect();
            curves.push(Series { label: source.to_owned(), points });
            if matches!(gradient, Gradient::Exact { .. }) {
                judge(&mut findings, task, &made, &seen);
                findings.replays.push((format!("trajectory-optimisation-{}", task.name), recording));
                show(&mut findings, task, &seen);
            }
        }
        let costs = || curves.iter().flat_map(|s: &Series| &s.points).map(|p| p[1]);
        let wide = costs().fold(0.0, f64::max) > DECADES * costs().fold(f64::INFINITY, f64::min);
        let title = capitalised(&format!("{}: cost by iteration", task.about));
        findings.keep_over(
            &format!("trajectory-optimisation-{}-cost", task.name),
            &title,
            ["iteration", "cost"],
            curves,
            if wide { Figure::log_y } else { |figure| figure },
        );
    }
    for task in &tasks {
        let said = serde_json::to_string_pretty(&task.described()).unwrap_or_default();
        findings.texts.push((format!("task-{}.json", task.name), said));
        findings.texts.push((format!("task-{}.xml", task.name), task.file.to_owned()));
    }
    findings.tables.push(table(rows));
    findings.notes.push(format!(
        "{} tasks; finite differences of whole steps by {DISPLACEMENT:.0e}, smoothing by {SAMPLES} samples a step; times are those of this machine \
         and its load",
        tasks.len()
    ));
    Ok(findings)
}

/// How far the end is from the target: place [m], turn [rad].
fn missed(task: &Task, seen: &Seen) -> [f64; 2] {
    let (Some(q), Some(end)) = (seen.q.last(), task.cost.stages.last()) else { return [f64::NAN; 2] };
    let want = &end.target.q;
    let place = q[..3].iter().zip(want).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    [place, (tasks::yaw(q) - tasks::yaw(want)).abs()]
}

/// Adds the claims about the trajectory that the exact law's gradients found.
fn judge(findings: &mut Findings, task: &Task, made: &Attempt, seen: &Seen) {
    let [place, turn] = missed(task, seen);
    let ends = format!("{}: at the end from the target, ", task.about);
    findings.bound(format!("{ends}place"), "m", place, PLACE);
    findings.bound(format!("{ends}turn"), "rad", turn, HEADING);
    findings.bound(
        format!("{}: every step is certified, natural map", task.about),
        "m/s",
        Worst::about(seen.natural_map, seen.t.len()),
        CERTIFIED,
    );
    let mut claim = |claim: String, measured: String, holds: bool| {
        findings.claims.push(Claim {
            claim: format!("{}: {claim}", task.about),
            measured,
            holds,
            sample: seen.t.len(),
        });
    };
    claim(
        "no step is flagged".to_owned(),
        format!("{} of {} steps", seen.flagged, seen.t.len()),
        seen.flagged == 0 && !seen.t.is_empty(),
    );
    let (first, last) = (made.costs.first().copied(), made.costs.last().copied());
    let (first, last) = (first.unwrap_or(f64::NAN), last.unwrap_or(f64::NAN));
    claim(
        format!("the cost never rises, and falls to {LESS} of what it was"),
        format!("from {first:.4} to {last:.4} in {} iterations, {}", made.costs.len() - 1, made.end),
        made.costs.windows(2).all(|c| c[1] <= c[0]) && last < LESS * first,
    );
    match task.name {
        "push-box" => {
            let [sticks, slides] = seen.sticks_and_slides();
            claim(
                format!(
                    "to ({}, {}) m and {} rad, the finger sticks to the box and slides on it",
                    PUSH[0], PUSH[1], PUSH[2]
                ),
                format!("{sticks} and {slides} of {} steps", seen.t.len()),
                sticks > 0 && slides > 0,
            );
        }
        "jump" => {
            let top = seen.q.iter().map(|q| q[2]).fold(0.0, f64::max);
            let flight = seen.flight(task.dt);
            claim(
                format!("the trunk rises to {HIGH} of {JUMP} m and no foot is on the ground for {FLIES} s"),
                format!("{top:.3} m, {flight:.3} s"),
                top >= HIGH * JUMP && flight >= FLIES,
            );
        }
        _ => {
            let turned = seen.yaws().last().copied().unwrap_or(f64::NAN);
            claim(
                format!("turned by {TURN:.3} rad"),
                format!("{turned:.3} rad"),
                (turned - TURN).abs() < HEADING,
            );
        }
    }
}

/// The course of the trajectory, in what matters of the task.
fn show(findings: &mut Findings, task: &Task, seen: &Seen) {
    let over = |label: &str, f: &dyn Fn(usize) -> f64| Series {
        label: label.to_owned(),
        points: seen.t.iter().enumerate().map(|(k, t)| [*t, f(k)]).collect(),
    };
    let stem = |what: &str| format!("trajectory-optimisation-{}-{what}", task.name);
    let yaws = seen.yaws();
    if task.name == "jump" {
        let height = over("trunk", &|k| seen.q[k][2]);
        findings.keep(&stem("height"), &capitalised(task.about), "height", "m", vec![height]);
        return;
    }
    findings.keep(&stem("turn"), &capitalised(task.about), "turn", "rad", vec![over("turn", &|k| yaws[k])]);
    if task.name == "push-box" {
        let series = vec![over("force", &|k| seen.force[k])];
        findings.keep(&stem("force"), "Finger on the box", "force", "N", series);
        let series = vec![over("slip", &|k| if seen.force[k] > 0.0 { seen.slip[k] } else { 0.0 })];
        findings.keep(&stem("slip"), "Finger on the box", "speed of slip", "m/s", series);
    }
}

fn row(task: &Task, source: &str, made: &Attempt, seen: &Seen) -> Vec<String> {
    let [place, turn] = missed(task, seen);
    let last = |x: &[f64]| x.last().copied().unwrap_or(f64::NAN);
    vec![
        task.name.to_owned(),
        source.to_owned(),
        format!("{}, {}", made.costs.len() - 1, made.end),
        format!("{:.1}", last(&made.seconds)),
        format!("{:.4}", last(&made.costs)),
        format!("{:.1}", 1e3 * place),
        format!("{turn:.3}"),
        made.tally.steps.to_string(),
        made.tally.linearized.to_string(),
        made.tally.by_differences.to_string(),
        made.tally.one_sided.to_string(),
        format!("{:.0e}", seen.natural_map),
        seen.flagged.to_string(),
    ]
}

fn table(rows: Vec<Vec<String>>) -> Table {
    let heads = [
        "task",
        "gradients by",
        "iterations",
        "time [s]",
        "final cost",
        "off the place [mm]",
        "off the turn [rad]",
        "steps",
        "linearised",
        "without derivative",
        "at a switch",
        "worst natural map [m/s]",
        "flagged",
    ];
    Table {
        stem: "trajectory-optimisation",
        title: "Trajectories through contact by source of gradients".to_owned(),
        about: "One algorithm, the same controls to start from. Without derivative: steps of the exact law that were differentiated by differences. At a \
                switch: steps whose derivative is one-sided."
            .to_owned(),
        heads: heads.map(str::to_owned).into(),
        rows,
    }
}
