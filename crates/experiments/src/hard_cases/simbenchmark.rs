//! SimBenchmark's scenes, beside the least error that its engines reached at the same time step
//! (github.com/leggedrobotics/SimBenchmark, data of Rolling, Bouncing and 666).
//!
//! ```text
//!     rolling     25 balls on a slab that 150 N drag: f₁ = μ₁ (M + N m) g,  f₂ = (F − f₁)/(3.5 M/m + N),
//!                 a_slab = (F − f₁ − N f₂)/M,  a_ball = f₂/m;  mean of ‖v_slab − a_slab t‖² + ‖v_ball − a_ball t‖²   (1)
//!     bouncing    49 balls, e = 1, 20 s:  mean of (E − E₀)²                                                  (2)
//!     666         216 balls, 10 s:  mean of Σ overlap²                                                       (3)
//!     elastic 666 the same a metre higher, e = 1:  mean of (E − E₀)²                                         (4)
//! ```
//!
//! The published disorder of (3) comes from another generator of random numbers.

use super::super::{ExperimentError, Size};
use super::trial::{G, Line, Trial};
use stiction::dynamics::spatial::{Vec3, vec3};

const CASE: &str = "SimBenchmark";
/// Mean square error of velocities of metres a second that rounding leaves [m²/s²]; the best published are of this kind.
const ROUNDING: f64 = 1e-24;
/// The direction xy of (1).
const DIAGONAL: Vec3 = vec3(0.5, 0.866_025_403_784_438_6, 0.0);

/// A stepper, its step [s], and how it is called in lines.
type How = (&'static str, f64, &'static str);
/// The default stepper at the published step.
const DEFAULT: How = ("time-stepping", 1e-3, "");
/// Event-driven stepping, whose errors do not depend on the step.
const EVENTS: How = ("event-driven", 1e-2, "event-driven, ");

/// (1); the least published errors are Bullet's with at least 400 iterations. ODE's is 7.6e-9 along y, RaiSim's 4.1e-7.
pub(super) fn rolling(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let seconds = if size == Size::Full { 4.0 } else { 0.2 };
    // By definition balls and slab start overlapped, and nothing pushes them out, as in the engines with ERP = 0.
    let variants = [
        ("rolling, y", Vec3::Y, 2e-5, 7.264_24e-28),
        ("rolling, xy", DIAGONAL, 2e-5, 3.852_51e-27),
        ("rolling, y, without overlap", Vec3::Y, 0.0, ROUNDING),
        ("rolling, xy, without overlap", DIAGONAL, 0.0, ROUNDING),
    ];
    rolling_by(DEFAULT, seconds, &variants)
}

/// (1), (2) and (4) in modes between events, beside the least error of any engine at any of its steps; of (1), whose least error is
/// rounding, at its default settings.
pub(super) fn by_events(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let [rolls, bounces, elastic] = if size == Size::Full { [4.0, 20.0, 10.0] } else { [0.05, 1.2, 0.5] };
    let variants = [("rolling, y", Vec3::Y, 0.0, 4.934_82e-9), ("rolling, xy", DIAGONAL, 0.0, 4.934_82e-9)];
    let mut lines = rolling_by(EVENTS, rolls, &variants)?;
    lines.push(bouncing_by(EVENTS, bounces, 1.864_46e-10)?);
    lines.push(elastic_by(EVENTS, elastic, 1.103_04e-3)?);
    Ok(lines)
}

/// Lines of (1): name, direction, overlap at the start, and the least published error.
fn rolling_by(
    (method, dt, by): How,
    seconds: f64,
    variants: &[(&str, Vec3, f64, f64)],
) -> Result<Vec<Line>, ExperimentError> {
    let (mu1, M, m, n, F) = (0.4, 10.0, 1.0, 25.0, 150.0);
    let f1 = mu1 * (M + n * m) * G;
    let f2 = (F - f1) / (3.5 * M / m + n);
    let (slab, ball) = ((F - f1 - n * f2) / M, f2 / m);
    let mut lines = Vec::new();
    for &(of, along, p0, published) in variants {
        let mut trial = Trial::of_toml(&format!(
            "ground = {{ friction = {mu1} }}
            stepper = {{ method = '{method}', dt = {dt}, baumgarte = 0.0 }}
            contact = {{ tolerance = 1e-14 }}
            [[body]]
            name = 'slab'
            shape = 'box'
            size = [20.0, 20.0, 1.0]
            mass = {M}
            friction = {mu1}
            position = [0.0, 0.0, {}]
            [[body]]
            name = 'ball'
            shape = 'sphere'
            radius = 0.5
            mass = {m}
            friction = 0.8
            position = [-4.0, -4.0, {}]
            grid = [5, 5, 1]
            offset = [2.0, 2.0, 0.0]
            [[force]]
            body = 'slab'
            direction = [{}, {}, 0.0]
            magnitude = {F}",
            0.5 - p0,
            1.5 - 3.0 * p0,
            along.x,
            along.y
        ))?;
        let (mut sum, mut steps, h) = (0.0, 0, trial.dt());
        trial.run(seconds, |t| {
            steps += 1;
            let time = f64::from(steps) * h; // the clock of the state adds up h, and its roundings
            let off = |body: usize, a: f64| (t.velocity(body) - along * (a * time)).norm().powi(2);
            sum += off(0, slab) + off(1, ball);
        });
        let mean = sum / trial.steps_in(seconds) as f64;
        let of = format!("{by}{of}");
        lines.push(trial.line(CASE, of, ["mean square error of velocity", "m²/s²"], mean, published));
    }
    Ok(lines)
}

/// (2); the least published error is RaiSim's; ODE's is 185, DART's and Bullet's 7e4. Ours is rounding: parabolas, and
/// impacts at the time at which they happen.
pub(super) fn bouncing(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let seconds = if size == Size::Full { 20.0 } else { 3.0 };
    Ok(vec![bouncing_by(DEFAULT, seconds, 0.018_620_4)?])
}

fn bouncing_by((method, dt, by): How, seconds: f64, published: f64) -> Result<Line, ExperimentError> {
    let mut trial = Trial::of_toml(&format!(
        "ground = {{ friction = 0.0, restitution = 1.0 }}
        stepper = {{ method = '{method}', dt = {dt} }}
        [[body]]
        name = 'ball'
        shape = 'sphere'
        radius = 0.1
        mass = 10.0
        friction = 0.0
        restitution = 1.0
        position = [0.0, 0.0, 5.0]
        grid = [7, 7, 1]
        offset = [2.0, 2.0, 0.0]"
    ))?;
    Ok(energy_kept(&mut trial, &format!("{by}bouncing, h = {dt:e} s"), seconds, published))
}

/// (4); the least published error is RaiSim's; ODE's is 112, Bullet's 4e4, DART's 3e5. Ours are impacts too slow to bounce,
/// and overlaps of balls that others drove together.
pub(super) fn elastic_six_cubed(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let seconds = if size == Size::Full { 10.0 } else { 0.5 };
    Ok(vec![elastic_by(DEFAULT, seconds, 8.368_35)?])
}

fn elastic_by((method, dt, by): How, seconds: f64, published: f64) -> Result<Line, ExperimentError> {
    let mut trial = Trial::of_toml(&format!(
        "ground = {{ friction = 0.0, restitution = 1.0 }}
        stepper = {{ method = '{method}', dt = {dt} }}
        contact = {{ effort = 'exact' }}
        [[body]]
        name = 'ball'
        shape = 'sphere'
        radius = 0.1
        mass = 10.0
        friction = 0.0
        restitution = 1.0
        position = [0.0005, 0.0005, 1.1015]
        grid = [6, 6, 6]
        offset = [0.21, 0.21, 0.21]
        jitter = {{ position = 0.0005, seed = 42 }}"
    ))?;
    Ok(energy_kept(&mut trial, &format!("{by}elastic 666, h = {dt:e} s"), seconds, published))
}

/// Runs a trial that should keep its energy; the mean square of what it does not.
fn energy_kept(trial: &mut Trial, of: &str, seconds: f64, published: f64) -> Line {
    let (start, mut sum) = (trial.sim.sim_mut().energy().total(), 0.0);
    trial.run(seconds, |t| sum += (t.sim.sim_mut().energy().total() - start).powi(2));
    let mean = sum / trial.steps_in(seconds) as f64;
    trial.line(CASE, of, ["mean square error of energy", "J²"], mean, published)
}

/// (3); the least published overlaps are RaiSim's.
pub(super) fn six_cubed(size: Size) -> Result<Vec<Line>, ExperimentError> {
    let steps: &[(f64, f64)] =
        if size == Size::Full { &[(1e-2, 0.015_274_5), (1e-3, 1.353_4e-4)] } else { &[(1e-2, 0.015_274_5)] };
    let seconds = if size == Size::Full { 10.0 } else { 1.0 };
    let mut lines = Vec::new();
    for &(h, published) in steps {
        let mut trial = Trial::of_toml(&format!(
            "ground = {{ friction = 0.0 }}
            stepper = {{ dt = {h} }}
            contact = {{ effort = 'exact' }}
            [[body]]
            name = 'ball'
            shape = 'sphere'
            radius = 0.1
            mass = 10.0
            friction = 0.0
            position = [0.0005, 0.0005, 0.1015]
            grid = [6, 6, 6]
            offset = [0.21, 0.21, 0.21]
            jitter = {{ position = 0.0005, seed = 42 }}"
        ))?;
        let mut sum = 0.0;
        trial.run(seconds, |t| sum += t.contacts().iter().map(|c| c.gap.min(0.0).powi(2)).sum::<f64>());
        let mean = sum / trial.steps_in(seconds) as f64;
        lines.push(trial.line(
            CASE,
            format!("666, h = {h:e} s"),
            ["mean sum of overlap²", "m²"],
            mean,
            published,
        ));
    }
    Ok(lines)
}
