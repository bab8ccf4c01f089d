//! A cube slides on a plane: who dissipates what Coulomb says? [LeLidec2024, Fig. 3]
//!
//! Four corners, μ = 0.4, edge 0.2 m, 1 kg, thrown along y at 1 and 3 m/s. The exact law takes
//!
//! ```text
//!     E(t) = ½ m (v₀ − μ g t)²    until it rests at t = v₀/(μ g)              (1)
//! ```
//!
//! RaiSim's bisection turns the friction force away from the slip where the normal and tangential
//! rows of a contact are coupled, so the cube loses its energy more slowly, and turns. De Saxcé's
//! correction restores (1).

use super::{Claim, Experiment, ExperimentError, Findings, Size, simulation, step};
use stiction_plot::{Figure, Series, Sheet};
use stiction_scene::{NotNegative, Positive, Scene, Vector};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "raisim-sliding-cube",
    title: "Energy of a sliding cube under RaiSim's law, corrected and exact",
    source: "Le Lidec and Carpentier, Reconciling RaiSim with the Maximum Dissipation Principle, Fig. 3 [LeLidec2024]",
    measure,
};

const MU: f64 = 0.4;
const DT: f64 = 1e-3;
const CONTACTS: [&str; 3] = ["raisim", "raisim-ds", "ncp-pgs"];

fn measure(_: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    let mut panels = Vec::new();
    for v0 in [1.0, 3.0] {
        let scene = thrown_at(v0)?;
        let analytic = |t: f64| 0.5 * (v0 - MU * 9.81 * t).max(0.0).powi(2);
        let steps = (1.1 * v0 / (MU * 9.81) / DT) as usize;
        let mut series = vec![Series {
            label: "analytic".to_owned(),
            points: (0..=steps).map(|k| k as f64 * DT).map(|t| [t, analytic(t)]).collect(),
        }];
        for contact in CONTACTS {
            let energy = kinetic_energy(&scene, contact, steps)?;
            // Largest excess over (1), as a share of the energy at the start.
            let excess = (energy.points.iter())
                .map(|&[t, e]| (e - analytic(t)) / analytic(0.0))
                .fold(0.0, |worst: f64, e| if e.abs() > worst.abs() { e } else { worst });
            findings.claims.push(judge(contact, v0, excess, energy.points.len()));
            series.push(energy);
        }
        let excess: Vec<Series> = series[1..].iter().map(|s| s.minus(&series[0])).collect();
        let stop = v0 / (MU * 9.81);
        let figure = |title: &str, y: &str, curves: &[Series]| Figure::of_series(title, "t [s]", y, curves);
        let end: Vec<Series> = series.iter().map(|s| after(s, 0.75 * stop)).collect();
        panels.push(figure(&format!("thrown at {v0} m/s"), "kinetic energy [J]", &series));
        panels.push(figure("its last quarter", "kinetic energy [J]", &end));
        panels.push(figure("above the exact law", "excess [J]", &excess));
        let title = format!("Cube thrown at {v0} m/s: kinetic energy");
        findings.keep(&format!("energy-{v0}mps"), &title, "energy", "J", series);
        let title = format!("Cube thrown at {v0} m/s: kinetic energy above the exact law");
        findings.keep(&format!("excess-{v0}mps"), &title, "excess", "J", excess);
    }
    let caption = format!(
        "A cube of m = 1 kg and edge 0.2 m slides on four corners, μ = {MU}, h = {DT:e} s. Analytic: ½ m (v_0 − μ g t)². As figure 3 of \
         Le Lidec and Carpentier; the gap of RaiSim's law, 0.6 % of the first energy, is seen at the end."
    );
    let sheet = Sheet::of_panels("Energy of a sliding cube", 3, panels).captioned(&caption);
    findings.sheets.push(("figure-3".to_owned(), sheet));
    Ok(findings)
}

/// The part of a series from `start` on [s].
fn after(series: &Series, start: f64) -> Series {
    let points = series.points.iter().filter(|p| p[0] >= start).copied().collect();
    Series { label: series.label.clone(), points }
}

/// The scene `cube-slide` with the paper's numbers.
fn thrown_at(v0: f64) -> Result<Scene, ExperimentError> {
    let mut scene = Scene::builtin("cube-slide")?;
    scene.stepper.dt = DT;
    if let Some(ground) = &mut scene.ground {
        ground.friction = Some(NotNegative(MU));
    }
    for body in &mut scene.body {
        body.friction = Some(NotNegative(MU));
        body.mass = Positive(1.0);
        body.velocity = Vector([0.0, v0, 0.0]);
    }
    Ok(scene)
}

fn kinetic_energy(scene: &Scene, contact: &str, steps: usize) -> Result<Series, ExperimentError> {
    let mut sim = simulation(scene, contact)?;
    let mut points = vec![[0.0, sim.sim_mut().energy().kinetic]];
    for k in 1..=steps {
        step(&mut sim, k)?;
        points.push([k as f64 * DT, sim.sim_mut().energy().kinetic]);
    }
    Ok(Series { label: contact.to_owned(), points })
}

fn judge(contact: &str, v0: f64, excess: f64, sample: usize) -> Claim {
    let measured = format!("largest deviation {:+.3e} of the initial energy", excess);
    if contact == "raisim" {
        let claim = format!("{contact} at {v0} m/s dissipates more slowly than the law (by over 0.1 %)");
        return Claim { claim, measured, holds: excess > 1e-3, sample };
    }
    let claim = format!("{contact} at {v0} m/s follows the law (to 1e-6)");
    Claim { claim, measured, holds: excess.abs() < 1e-6, sample }
}
