//! At rest compliant contacts give way: how deep does a body stand? [LeLidec2023, Sec. II-C]
//!
//! A puck of 10 g to 100 kg settles on a plane. With N = m g, by the symbols of [`super::puck`]:
//!
//! ```text
//!     mujoco              N R/(K d)       whatever the mass: R falls as 1/m                     (1)
//!     mujoco-pyramidal    N R_edge/(4 K d)                                                      (2)
//!     sap                 N/k,   near rigid (h + τ) h N w/4π²                                   (3)
//!     lagged, similar     N/k                                                                   (4)
//!     nsgs                0                                                                     (5)
//! ```

use super::puck::Puck;
use super::worst::Worst;
use super::{Experiment, ExperimentError, Findings, Size};
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "compliance-shift",
    title: "How deep a body at rest stands under compliant laws, beside closed forms",
    source: "After Le Lidec et al., Contact Models in Robotics: a Comparative Analysis [LeLidec2023]",
    measure,
};

const SOFT: [&str; 5] = ["mujoco", "mujoco-pyramidal", "sap", "lagged", "similar"];

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let masses = match size {
        Size::Small => vec![0.1, 10.0],
        Size::Full => (-4..=4).map(|k| 10_f64.powf(0.5 * f64::from(k))).collect(),
    };
    let mut findings = Findings::default();
    let mut curves = [Vec::new(), Vec::new()];
    for contact in SOFT {
        let (mut measured, mut predicted, mut worst) = (Vec::new(), Vec::new(), [0.0_f64; 3]);
        for &mass in &masses {
            let puck = Puck { mass, ..Puck::default() };
            let sim = puck.settled(contact)?;
            let (depth, expected) = (-sim.state().q[2], puck.depth(contact));
            measured.push([mass, depth]);
            predicted.push([mass, expected]);
            let off = (depth - expected).abs() / expected;
            // NaN is the worst there is.
            if !(off <= worst[0]) {
                worst = [off, depth, expected];
            }
        }
        findings.predict(
            format!("{contact}: depth at rest"),
            "m",
            worst[2],
            Worst::about(worst[1], measured.len()),
            1e-6,
        );
        curves[0].push(Series { label: contact.to_owned(), points: measured });
        curves[1].push(Series { label: contact.to_owned(), points: predicted });
    }
    let rigid = Puck::default().settled("nsgs")?;
    findings.bound("nsgs: depth at rest".to_owned(), "m", rigid.state().q[2].abs(), 1e-12);
    findings.keep_beside(
        "depth",
        "How deep a puck stands in the plane",
        ["mass [kg]", "depth [m]"],
        curves,
        |f: Figure| f.log_x().log_y(),
    );
    Ok(findings)
}
