//! Painlevé's rod: it slides on its tip, and Coulomb's law may have several answers.
//!
//! A rod of mass 1 and half-length 1, its centre at (cos θ, sin θ) from its tip, slides on that tip towards −x, pushing it; in half of the
//! steps the tip rises, slower than gravity takes back in two. With G over (tangent, normal) and
//! g = J v_f of a step of h, the answers are
//!
//! ```text
//!     open     λ = 0                                     if g_N ≥ 0                                     (1)
//!     stick    λ = −G⁻¹ g                                if λ in the cone                               (2)
//!     slide    λ_N = −g_N/(G_NN ∓ μ G_NT), λ_T = ∓μ λ_N   if λ_N ≥ 0 and c_T has the sign ±              (3)
//! ```
//!
//! Where G_NN < μ G_NT the slide of (3) may exist beside (1) and (2), or neither (1) nor it: then only an impulse of the size of the
//! velocity ends the slide, however short the step.
//!
//! The report of a step finds the same answers from the problem alone ([`stiction::Answers`]); that is claimed, and which it says was
//! taken and by what rule is told.

use super::super::worst::Worst;
use super::{ExperimentError, Findings, G, Size, robot, step};
use stiction::contact::{Answer as Motion, Mode};
use stiction::{Settings, Simulation, Sleep, StepperName};
use stiction_plot::{Figure, Series};

const MU: f64 = 2.5;
/// Step [s] and slip before it [m/s].
const STEP: f64 = 1e-3;
const SLIP: f64 = -0.5;
/// Radius of the tip [m].
const RADIUS: f64 = 1e-6;

/// An answer: its name and (λ_T, λ_N) [N·s].
type Answer = (&'static str, [f64; 2]);

/// (1) to (3).
fn answers(g: [[f64; 2]; 2], free: [f64; 2]) -> Vec<Answer> {
    let mut out = Vec::new();
    if free[1] >= 0.0 {
        out.push(("open", [0.0; 2]));
    }
    let d = g[0][0] * g[1][1] - g[0][1] * g[1][0];
    let stick = [(-free[0] * g[1][1] + free[1] * g[0][1]) / d, (-free[1] * g[0][0] + free[0] * g[1][0]) / d];
    if stick[1] >= 0.0 && stick[0].abs() <= MU * stick[1] {
        out.push(("stick", stick));
    }
    for (name, sign) in [("slide on", 1.0), ("slide back", -1.0)] {
        let normal = -free[1] / (g[1][1] - sign * MU * g[1][0]);
        let slip = free[0] + (g[0][1] - sign * MU * g[0][0]) * normal;
        if normal >= 0.0 && normal.is_finite() && slip * sign > 0.0 {
            out.push((name, [-sign * MU * normal, normal]));
        }
    }
    out
}

/// How far the answers `reported` are from `all`, in λ_N and |λ_T| [N·s]; infinite if there are not as many, or of other modes.
fn apart(all: &[Answer], reported: &[Motion]) -> f64 {
    if all.len() != reported.len() {
        return f64::INFINITY;
    }
    let of = |(name, [along, normal]): &Answer| {
        let mode = match *name {
            "open" => Mode::Open,
            "stick" => Mode::Stick,
            _ => Mode::Slide,
        };
        let off =
            |a: &Motion| (a.impulses[2] - normal).hypot(a.impulses[0].hypot(a.impulses[1]) - along.abs());
        reported.iter().filter(|a| a.modes == [mode]).map(off).fold(f64::INFINITY, f64::min)
    };
    all.iter().map(of).fold(0.0, f64::max)
}

/// The sums over all steps.
struct Tally {
    several: usize,
    none_but_impulse: usize,
    off: Worst,
    differ: Worst,
    untaken: usize,
    rule: &'static str,
    /// Over the angle of the rod, normal forces that exist, and those that were taken.
    existing: Vec<Series>,
    taken: Series,
}

impl Tally {
    fn new() -> Self {
        let series = |name: &str| Series { label: name.to_owned(), points: Vec::new() };
        Self {
            several: 0,
            none_but_impulse: 0,
            off: Worst::default(),
            differ: Worst::default(),
            untaken: 0,
            rule: "",
            existing: ["open", "stick", "slide on", "slide back"].map(series).to_vec(),
            taken: series("taken"),
        }
    }

    /// A step of the rod at the angle θ, whose tip rises at `lift` [m/s].
    fn add(&mut self, theta: f64, lift: f64) -> Result<(), ExperimentError> {
        let (s, c) = theta.sin_cos();
        let mut sim = rod(theta, lift)?;
        let v = [SLIP, lift, 0.0];
        let reported = step(&mut sim)?.answers;
        // ω × arm from the centre to the tip, with ω about +y, is (ω z, −ω x).
        let arm = [-s - RADIUS, -c];
        let rows = [[1.0, arm[0]], [0.0, -arm[1]]];
        let j = |i: usize| [if i == 0 { 1.0 } else { 0.0 }, if i == 1 { 1.0 } else { 0.0 }, rows[i][1]];
        let weight = [1.0, 1.0, 3.0];
        let g = [0, 1].map(|a| [0, 1].map(|b| (0..3).map(|i| j(a)[i] * j(b)[i] * weight[i]).sum::<f64>()));
        let v_free = [v[0], v[1] - G * STEP, v[2]];
        let free = [0, 1].map(|a| (0..3).map(|i| j(a)[i] * v_free[i]).sum::<f64>());
        let all = answers(g, free);
        // What the step did, as an impulse at the tip.
        let did = [sim.state().v[0] - v_free[0], sim.state().v[1] - v_free[1]];
        let away = |a: &Answer| (a.1[0] - did[0]).hypot(a.1[1] - did[1]);
        self.off.see(all.iter().map(away).fold(f64::INFINITY, f64::min));
        if let Some(reported) = &reported {
            self.differ.see(apart(&all, &reported.motions));
            self.untaken += usize::from(reported.taken.is_none());
            self.rule = reported.rule;
        } else {
            self.differ.see(f64::INFINITY);
        }
        self.several += usize::from(all.len() > 1);
        self.none_but_impulse += usize::from(!all.is_empty() && all.iter().all(|a| a.1[1] > 10.0 * G * STEP));
        if lift == 0.0 {
            for (name, impulse) in &all {
                if let Some(series) = self.existing.iter_mut().find(|s| s.label == *name) {
                    series.points.push([theta, impulse[1] / STEP]);
                }
            }
            self.taken.points.push([theta, did[1] / STEP]);
        }
        Ok(())
    }
}

/// The rod at the angle θ, whose tip slides and rises at `lift` [m/s].
fn rod(theta: f64, lift: f64) -> Result<Simulation, ExperimentError> {
    let (world, mut state) = robot(&format!(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -{G}'/><default><geom friction='{MU} 0 0' condim='3'/></default>\
         <worldbody><geom type='plane' size='0 0 1'/><body><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>\
         <joint axis='0 1 0'/><inertial pos='0 0 0' mass='1' diaginertia='{third} {third} {third}'/>\
         <geom type='sphere' size='{RADIUS}' pos='-1 0 0'/></body></worldbody></mujoco>",
        third = 1.0 / 3.0
    ))?;
    // The tip at −1 along the rod, which leans up by θ: a hinge about +y by −θ lifts its other end.
    state.q.copy_from_slice(&[0.0, theta.sin() + RADIUS, -theta]);
    state.v.copy_from_slice(&[SLIP, lift, 0.0]);
    let mut settings = Settings { tolerance: 1e-12, answers: true, ..Settings::default() };
    settings.stepper.dt = STEP;
    settings.stepper.sleep = Sleep::Off;
    settings.stepper.method = StepperName::of("stewart-trinkle").unwrap_or_default();
    Ok(Simulation::new(world, state, settings)?)
}

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let count = if size == Size::Small { 12 } else { 60 };
    let mut tally = Tally::new();
    for k in 0..count {
        let theta = 0.3 + 1.2 * f64::from(k) / f64::from(count - 1);
        for lift in [0.0, 2.0 * G * STEP] {
            tally.add(theta, lift)?;
        }
    }
    let Tally { several, none_but_impulse, off, differ, untaken, rule, mut existing, taken } = tally;
    let tried = 2 * count;
    findings.bound(format!("Painlevé's rod: {tried} steps took an answer that exists"), "N·s", off, 1e-8);
    findings.bound(
        format!("Painlevé's rod: {tried} steps report the answers of the closed form, impulses"),
        "N·s",
        differ,
        1e-8,
    );
    findings.bound(
        format!("Painlevé's rod: steps of {tried} that do not say which answer was taken"),
        "–",
        untaken as f64,
        0.0,
    );
    findings.notes.push(format!("Painlevé's rod: among several answers the step took {rule}"));
    findings.bound(
        format!("Painlevé's rod: {several} of {tried} steps have several answers; their inverse"),
        "–",
        1.0 / several as f64,
        0.5,
    );
    findings.bound(
        format!(
            "Painlevé's rod: {none_but_impulse} of {tried} steps have none without an impulse; their inverse"
        ),
        "–",
        1.0 / none_but_impulse as f64,
        0.5,
    );
    existing.retain(|s| !s.points.is_empty());
    existing.push(taken);
    let shape: fn(Figure) -> Figure = |f| f;
    let title = "Painlevé's rod: normal forces that exist in one step, and that which was taken";
    findings.keep_over("painleve", title, ["angle of the rod [rad]", "λ_N/h [N]"], existing, shape);
    Ok(())
}
