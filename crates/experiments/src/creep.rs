//! Friction that is regularised never sticks: how fast does a body creep down a slope that holds it?
//!
//! A puck on a slope whose pull F is a share r = F/(μ N) of what friction can hold. By the symbols of [`super::puck`]:
//!
//! ```text
//!     mujoco              F R/B                                                                 (1)
//!     mujoco-pyramidal    F R_edge/(2 μ² B)  up to r = ½,  then N R_edge (3 r − 1)/(2 μ B)      (2)
//!     sap                 σ w h F                                                               (3)
//!     lagged, similar     vₛ r/√(1 − r²),    vₛ = max(10⁻⁴ m/s, μ σ w n₀)                       (4)
//!     nsgs                0                                                                     (5)
//! ```

use super::puck::Puck;
use super::worst::Worst;
use super::{Experiment, ExperimentError, Findings, Size};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "creep",
    title: "How fast bodies creep that friction should hold, beside closed forms",
    source: "The laws of Todorov [Todorov2014] and Castro et al. [Castro2022, Castro2023] on a slope",
    measure,
};

const SOFT: [&str; 5] = ["mujoco", "mujoco-pyramidal", "sap", "lagged", "similar"];

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let shares = match size {
        Size::Small => vec![0.3, 0.8],
        Size::Full => (1..=19).map(|k| 0.05 * f64::from(k)).collect(),
    };
    let on_slope = |share: f64| Puck { slope: (share * Puck::default().mu).atan(), ..Puck::default() };
    let mut findings = Findings::default();
    let mut curves = [Vec::new(), Vec::new()];
    for contact in SOFT {
        let (mut measured, mut predicted, mut worst) = (Vec::new(), Vec::new(), [0.0_f64; 3]);
        for &share in &shares {
            let puck = on_slope(share);
            let sim = puck.settled(contact)?;
            let (speed, expected) = (sim.state().v[0], puck.creep(contact, -sim.state().q[2]));
            measured.push([share, speed]);
            predicted.push([share, expected]);
            let off = (speed - expected).abs() / expected;
            if !(off <= worst[0]) {
                worst = [off, speed, expected];
            }
        }
        findings.predict(
            format!("{contact}: creep"),
            "m/s",
            worst[2],
            Worst::about(worst[1], measured.len()),
            1e-4,
        );
        curves[0].push(Series { label: contact.to_owned(), points: measured });
        curves[1].push(Series { label: contact.to_owned(), points: predicted });
    }
    for share in [0.5, 0.999] {
        let sim = on_slope(share).settled("nsgs")?;
        let claim = format!("nsgs: creep at {share} of the limit");
        findings.bound(claim, "m/s", sim.state().v[0].abs(), 1e-12);
    }
    findings.keep_beside(
        "creep",
        "Creep of a puck that friction should hold",
        ["pull over the Coulomb limit [-]", "speed [m/s]"],
        curves,
        Figure::log_y,
    );
    Ok(findings)
}
