//! Work and precision of every stepper on five scenes, and energy over long runs.
//!
//! The error of a run is the largest difference of a coordinate at its end [m or rad] from event-driven stepping at the tolerance of 1e-12,
//! which is itself held to closed forms where there are any. Work is counted in two ways: in *parts*, each of which poses the problem of motion
//! once or a small number of times and is the same on every machine (steps of fixed steppers; internal steps of `compliant`
//! and `event-driven`; three for each part of `adaptive`, one whole and two halves), and in seconds, of which nothing is claimed.
//!
//! | scene | what happens |
//! |---|---|
//! | pendulum | two bars swing, no contact |
//! | slide to roll | a ball slides until it rolls, closed form |
//! | bounces | a ball bounces twice with friction and spin, closed form |
//! | oscillator | a mass on a spring slides to and fro on a rough ground, closed form |
//! | block | a block rocks from edge to edge |

mod long_runs;

use super::multibody::{robot, scene, simulation};
use super::worst::Worst;
use super::{Claim, Experiment, ExperimentError, Findings, Size, Table, capitalised};
use std::time::Instant;
use stiction::world::World;
use stiction::{State, StepperEntry, StepperParams, Steps, steppers};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "work-precision",
    title: "Work and precision of every stepper on five scenes; energy over long runs",
    source: "Work–precision diagrams after [HairerWanner1996]; steppers as in `stiction steppers`",
    measure,
};

/// The reference's tolerance, relative and absolute.
const REFERENCE: f64 = 1e-12;
const G: f64 = 9.81;

/// A scene: its name, the world, and the time it runs [s].
type Case = (&'static str, fn() -> Result<(World, State), ExperimentError>, f64);

const CASES: [Case; 5] = [
    ("pendulum", pendulum, 0.8),
    ("slide to roll", slide, 0.24),
    ("bounces", bounces, 0.8),
    ("oscillator", oscillator, 1.0),
    ("block", block, 0.6),
];

fn pendulum() -> Result<(World, State), ExperimentError> {
    let (world, mut state) = robot(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody><body><joint name='q1' axis='0 1 0'/>\
         <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/><body pos='0 0 -1'><joint name='q2' axis='0 1 0'/>\
         <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/></body></body></worldbody></mujoco>",
    )?;
    state.q.copy_from_slice(&[1.2, -0.7]);
    Ok((world, state))
}

fn slide() -> Result<(World, State), ExperimentError> {
    scene(
        "ground = { friction = 0.3 }\n[[body]]\nname = 'ball'\nshape = 'sphere'\nradius = 0.1\nmass = 2.0\nfriction = 0.3\n\
         position = [0.0, 0.0, 0.1]\nvelocity = [1.0, 0.0, 0.0]",
    )
}

fn bounces() -> Result<(World, State), ExperimentError> {
    scene(
        "ground = { friction = 0.2, restitution = 0.7 }\n[[body]]\nname = 'ball'\nshape = 'sphere'\nradius = 0.1\nmass = 2.0\n\
         friction = 0.2\nrestitution = 0.7\nposition = [0.0, 0.0, 0.3]\nvelocity = [0.5, 0.0, 0.0]\nangular_velocity = [0.0, 10.0, 0.0]",
    )
}

/// Stiffness over mass, friction coefficient, and elongation at the start, of the oscillator.
const OSCILLATOR: [f64; 3] = [100.0, 0.1, 0.1];

fn oscillator() -> Result<(World, State), ExperimentError> {
    let [stiffness, mu, start] = OSCILLATOR;
    let (world, mut state) = robot(&format!(
        "<mujoco><option gravity='0 0 -{G}'/><default><geom friction='{mu} 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1'/><body pos='0 0 0.05'><joint type='slide' axis='1 0 0' stiffness='{stiffness}'/>\
         <joint type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='0.001 0.001 0.001'/>\
         <geom type='sphere' size='0.05'/></body></worldbody></mujoco>"
    ))?;
    state.q[0] = start;
    Ok((world, state))
}

fn block() -> Result<(World, State), ExperimentError> {
    let (b, h, tilt) = (0.1, 0.3, 0.1_f64);
    let centre = [-b * tilt.cos() + h * tilt.sin(), b * tilt.sin() + h * tilt.cos()];
    scene(&format!(
        "ground = {{ friction = 2.0 }}\n[[body]]\nname = 'block'\nshape = 'box'\nsize = [{}, 0.2, {}]\nmass = 5.0\nfriction = 2.0\n\
         position = [{}, 0.0, {}]\nrpy = [0.0, {}, 0.0]",
        2.0 * b,
        2.0 * h,
        centre[0],
        centre[1],
        tilt.to_degrees()
    ))
}

/// The end of a run.
enum Run {
    /// The stepper does not take the scene.
    Refused,
    /// A step was not done, as its report says.
    Stopped(String),
    /// Coordinates at the end, parts, seconds.
    Ended(Vec<f64>, u32, f64),
}

fn run(
    (_, make, seconds): &Case,
    (stepper, steps): (&str, u32),
    change: impl FnOnce(&mut StepperParams),
) -> Result<Run, ExperimentError> {
    let Ok(mut sim) = simulation(make()?, (stepper, seconds / f64::from(steps)), change) else {
        return Ok(Run::Refused);
    };
    let (clock, mut parts) = (Instant::now(), 0);
    for _ in 0..steps {
        let report = sim.step();
        if let Some(cause) = report.failure() {
            return Ok(Run::Stopped(cause.to_owned()));
        }
        parts += match stepper {
            "compliant" | "event-driven" => report.iterations.max(1),
            "adaptive" => 3 * report.parts.max(1),
            _ => 1,
        };
    }
    Ok(Run::Ended(sim.state().q.clone(), parts, clock.elapsed().as_secs_f64()))
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    precision(size, &mut findings)?;
    long_runs::measure(size, &mut findings)?;
    Ok(findings)
}

/// How finely a stepper goes: steps of the run, and the tolerance or accuracy of those that control errors.
fn fineness(stepper: &StepperEntry, size: Size) -> Vec<(u32, f64)> {
    let small = size == Size::Small;
    let tolerances: &[f64] = match (stepper.name, small) {
        ("adaptive", true) => &[1e-3, 1e-5],
        ("adaptive", false) => &[1e-3, 1e-4, 1e-5, 1e-6, 1e-7],
        ("compliant", true) => &[1e-4],
        ("compliant", false) => &[1e-3, 1e-4, 1e-6, 1e-8],
        (_, true) => &[1e-5, 1e-8],
        (_, false) => &[1e-4, 1e-6, 1e-8, 1e-10],
    };
    let steps: &[u32] = if small { &[80, 320] } else { &[50, 200, 800, 3200] };
    match stepper.steps {
        Steps::Controlled => tolerances.iter().map(|t| (8, *t)).collect(),
        Steps::Given => steps.iter().map(|n| (*n, 0.0)).collect(),
    }
}

/// Measures errors over work.
fn precision(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let mut rows = Vec::new();
    for case in &CASES {
        let exact = run(case, ("event-driven", 8), |p| {
            (p.canon.event_driven.relative_tolerance, p.canon.event_driven.absolute_tolerance) =
                (REFERENCE, REFERENCE);
        })?;
        let Run::Ended(reference, ..) = exact else { continue };
        if let Some((closed, place)) = closed_form(case.0, case.2) {
            let error = (reference[place] - closed).abs();
            findings.bound(format!("{}: the reference against the closed form", case.0), "m", error, 1e-8);
        }
        let (mut over_parts, mut over_seconds) = (Vec::new(), Vec::new());
        for entry in steppers() {
            let stepper = entry.name;
            let (mut by_parts, mut by_seconds, mut met) = (Vec::new(), Vec::new(), Vec::new());
            for (steps, accuracy) in fineness(entry, size) {
                let ended = run(case, (stepper, steps), |p| {
                    let adaptive = &mut p.canon.adaptive;
                    (adaptive.accuracy, adaptive.horizon) = (accuracy.max(f64::MIN_POSITIVE), case.2);
                    for (relative, absolute) in [
                        (
                            &mut p.canon.event_driven.relative_tolerance,
                            &mut p.canon.event_driven.absolute_tolerance,
                        ),
                        (
                            &mut p.canon.compliant.relative_tolerance,
                            &mut p.canon.compliant.absolute_tolerance,
                        ),
                    ] {
                        if accuracy > 0.0 {
                            (*relative, *absolute) = (accuracy.min(0.1), 0.01 * accuracy);
                        }
                    }
                })?;
                let asked = if accuracy > 0.0 { format!("{accuracy:e}") } else { "–".to_owned() };
                let mut row = vec![case.0.to_owned(), stepper.to_owned(), steps.to_string(), asked];
                let (q, parts, seconds) = match ended {
                    Run::Ended(q, parts, seconds) => (q, parts, seconds),
                    Run::Refused => continue,
                    Run::Stopped(cause) => {
                        row.extend(["–".to_owned(), "–".to_owned(), cause]);
                        rows.push(row);
                        continue;
                    }
                };
                let error = q.iter().zip(&reference).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                by_parts.push([f64::from(parts), error.max(1e-14)]);
                by_seconds.push([seconds, error.max(1e-14)]);
                met.push((accuracy, error));
                row.extend([parts.to_string(), format!("{seconds:.4}"), format!("{error:.2e}")]);
                rows.push(row);
            }
            claim(findings, (case.0, stepper), &met);
            if !by_parts.is_empty() {
                over_parts.push(Series { label: stepper.to_owned(), points: by_parts });
                over_seconds.push(Series { label: stepper.to_owned(), points: by_seconds });
            }
        }
        let shape: fn(Figure) -> Figure = |f| f.marked().log_x().log_y();
        let stem = case.0.replace(' ', "-");
        let title = format!("{}: error over work", capitalised(case.0));
        let axes = ["parts [–]", "error [m or rad]"];
        findings.keep_over(&format!("work-{stem}"), &title, axes, over_parts, shape);
        let axes = ["time [s]", "error [m or rad]"];
        findings.keep_over(&format!("seconds-{stem}"), &title, axes, over_seconds, shape);
    }
    findings.tables.push(Table {
        stem: "work-precision",
        title: "Work and precision".to_owned(),
        about:
            "Largest error of a coordinate at the end of the scene, against event-driven stepping at 1e-12, or why the end was not reached."
                .to_owned(),
        heads: ["scene", "stepper", "steps", "tolerance or accuracy", "parts", "seconds", "error"]
            .map(str::to_owned)
            .to_vec(),
        rows,
    });
    Ok(())
}

/// The error of `adaptive` at the end, at most, over the accuracy that is asked of it [–].
const MEETS: f64 = 3.0;

/// The default is more precise with more work, `adaptive` meets the accuracy that is asked of it, and `event-driven` is at its tolerance.
fn claim(findings: &mut Findings, (case, stepper): (&str, &str), met: &[(f64, f64)]) {
    match stepper {
        "adaptive" => findings.bound(
            format!("{case}: adaptive, error at the end over the accuracy that is asked, 1e-3 and below, where the end is reached"),
            "–",
            Worst::of(met.iter().map(|(asked, error)| error / asked)),
            MEETS,
        ),
        "event-driven" => {
            let error = met.last().map_or(f64::NAN, |m| m.1);
            findings.bound(format!("{case}: event-driven at its finest tolerance"), "m or rad", error, 1e-6);
        }
        "time-stepping" => {
            let (first, last) = (met.first().map_or(f64::NAN, |m| m.1), met.last().map_or(f64::NAN, |m| m.1));
            findings.claims.push(Claim {
                claim: format!("{case}: time-stepping is more precise with more work"),
                measured: format!("{first:.1e} to {last:.1e}"),
                holds: last < 0.5 * first || last < 1e-9,
                sample: met.len(),
            });
        }
        _ => {}
    }
}

/// The coordinate of a closed form, and its place in q.
fn closed_form(case: &str, t: f64) -> Option<(f64, usize)> {
    match case {
        "slide to roll" => {
            let (mu, v) = (0.3, 1.0);
            let rolls = 2.0 * v / (7.0 * mu * G);
            Some((v * rolls - 0.5 * mu * G * rolls * rolls + 5.0 / 7.0 * v * (t - rolls), 0))
        }
        "oscillator" => {
            let [stiffness, mu, start] = OSCILLATOR;
            // About ±μ g/ω², by which each half of a swing is shorter on either side.
            let (omega, off) = (stiffness.sqrt(), mu * G / stiffness);
            let (mut left, mut from) = (t, start);
            loop {
                let centre = off.copysign(from);
                let half = std::f64::consts::PI / omega;
                if left < half {
                    return Some((centre + (from - centre) * (omega * left).cos(), 0));
                }
                (left, from) = (left - half, 2.0 * centre - from);
            }
        }
        "bounces" => {
            let (mut left, mut down) = (t - (0.4_f64 / G).sqrt(), (0.4_f64 / G).sqrt() * G);
            loop {
                down *= 0.7;
                let flight = 2.0 * down / G;
                if left < flight {
                    return Some((0.1 + down * left - 0.5 * G * left * left, 2));
                }
                left -= flight;
            }
        }
        _ => None,
    }
}
