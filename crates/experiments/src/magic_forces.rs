//! Relaxed contacts push sliding bodies up, and bear them at a distance. [LeLidec2023, Fig. 5]
//!
//! Without De Saxcé's correction a sliding contact satisfies c_N = μ ‖c_T‖ in place of c_N = 0. A body at
//! rest on the plane that is given the slip s leaves it at once:
//!
//! ```text
//!     ccp       v_N = μ (s − μ g h)/(1 + μ²)                                                    (1)
//!     others    one linear equation of one contact, (1) of [`super::puck`]; for `similar` a
//!               monotone one; `lagged` and the exact laws do not lift                           (2)
//!     hop       highest point  h v_N + max_j (v_N t − ½ g t²), t = j h: a step, then a parabola (3)
//!     hover     after it the contact acts at the distance  φ = h μ ‖v_T‖                        (4)
//! ```

use super::puck::{G, Puck, advance};
use super::worst::Worst;
use super::{Experiment, ExperimentError, Findings, Size, simulation, step};
use stiction_plot::Series;
use stiction_scene::{NotNegative, Scene, Vector};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "magic-forces",
    title: "Relaxed laws lift sliding bodies and bear them at a distance, beside closed forms",
    source: "After Le Lidec et al., Contact Models in Robotics: a Comparative Analysis, Fig. 5 [LeLidec2023]",
    measure,
};

const CONTACTS: [&str; 9] =
    ["nsgs", "ccp-pgs", "ccp-admm", "ccp-ipm", "mujoco", "mujoco-pyramidal", "sap", "lagged", "similar"];
const MU: f64 = 0.5;

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    lift(&mut findings, size)?;
    hop(&mut findings)?;
    hover(&mut findings)?;
    Ok(findings)
}

/// (1) and (2) over the slip.
fn lift(findings: &mut Findings, size: Size) -> Result<(), ExperimentError> {
    let slips: Vec<f64> = match size {
        Size::Small => vec![1.0, 6.0],
        Size::Full => (1..=12).map(|k| 0.5 * f64::from(k)).collect(),
    };
    let puck = Puck { mu: MU, ..Puck::default() };
    let mut curves = [Vec::new(), Vec::new()];
    for contact in CONTACTS {
        let mut sim = puck.settled(contact)?;
        let mut rest = sim.state().clone();
        // Less than any difference, so that one without any is kept too.
        let (mut measured, mut predicted, mut worst) = (Vec::new(), Vec::new(), [-1.0_f64; 3]);
        for &slip in &slips {
            rest.v.copy_from_slice(&[slip, 0.0, 0.0]);
            sim.set_state(rest.clone()).map_err(stiction::SetupError::from)?;
            advance(&mut sim, 1)?;
            let (lifted, expected) = (sim.state().v[2], puck.lift(contact, rest.q[2], slip));
            measured.push([slip, lifted]);
            predicted.push([slip, expected]);
            let off = (lifted - expected).abs();
            if !(off <= worst[0]) {
                worst = [off, lifted, expected];
            }
        }
        if contact == "nsgs" || contact == "lagged" {
            findings.bound(
                format!("{contact}: no lift"),
                "m/s",
                Worst::about(worst[0], measured.len()),
                1e-9,
            );
        } else {
            let claim = format!("{contact}: velocity off the plane after a step");
            findings.predict(claim, "m/s", worst[2], Worst::about(worst[1], measured.len()), 1e-6);
        }
        curves[0].push(Series { label: contact.to_owned(), points: measured });
        curves[1].push(Series { label: contact.to_owned(), points: predicted });
    }
    let axes = ["slip [m/s]", "velocity off the plane [m/s]"];
    findings.keep_beside(
        "lift",
        "A puck set sliding on the plane, after one step of 1 ms",
        axes,
        curves,
        |f| f,
    );
    Ok(())
}

/// A cube of 0.2 m at 6 m/s with h = 5 ms: (1) and (3); the exact law keeps it on the plane.
fn hop(findings: &mut Findings) -> Result<(), ExperimentError> {
    const SLIP: f64 = 6.0;
    const H: f64 = 5e-3;
    let mut scene = Scene::builtin("cube-slide")?;
    scene.stepper.dt = H;
    if let Some(ground) = &mut scene.ground {
        ground.friction = Some(NotNegative(MU));
    }
    for body in &mut scene.body {
        body.friction = Some(NotNegative(MU));
        body.velocity = Vector([SLIP, 0.0, 0.0]);
    }
    let v = MU * (SLIP - MU * G * H) / (1.0 + MU * MU);
    let flight = (0..120).map(|j| H * f64::from(j)).map(|t| v * t - 0.5 * G * t * t);
    let top = H * v + flight.fold(0.0, f64::max);
    let mut series = Vec::new();
    for contact in ["nsgs", "ccp-pgs", "mujoco", "sap"] {
        let mut sim = simulation(&scene, contact)?;
        let start = sim.sim().state().q[2];
        let (mut points, mut highest) = (vec![[0.0, 0.0]], Worst::default());
        for k in 1..=120 {
            step(&mut sim, k)?;
            let height = sim.sim().state().q[2] - start;
            points.push([k as f64 * H, height]);
            highest.see(height);
        }
        match contact {
            "nsgs" => findings.bound("nsgs: a cube at 6 m/s stays down".to_owned(), "m", highest, 1e-8),
            "ccp-pgs" => {
                let claim = "ccp-pgs: a cube at 6 m/s, its centre rises".to_owned();
                findings.predict(claim, "m", top, highest, 1e-6);
            }
            _ => findings.claims.push(super::Claim {
                claim: format!("{contact}: a cube at 6 m/s leaves the plane (by over 1 mm)"),
                measured: format!("{:.4} m", highest.number()),
                holds: highest.number() > 1e-3,
                sample: points.len(),
            }),
        }
        series.push(Series { label: contact.to_owned(), points });
    }
    findings.keep("hop", "A cube thrown along the plane at 6 m/s: its centre", "height", "m", series);
    Ok(())
}

/// (4) of a puck thrown at 1.5 m/s, once it has come down from its hop.
fn hover(findings: &mut Findings) -> Result<(), ExperimentError> {
    let puck = Puck { mu: MU, ..Puck::default() };
    let mut series = Vec::new();
    for contact in ["nsgs", "ccp-pgs"] {
        let mut sim = puck.simulation(contact)?;
        let mut start = sim.state().clone();
        start.v.copy_from_slice(&[1.5, 0.0, 0.0]);
        sim.set_state(start).map_err(stiction::SetupError::from)?;
        let named = |what: &str| Series { label: format!("{contact}{what}"), points: Vec::new() };
        let (mut gap, mut expected) = (named(""), named(", h μ ‖v_T‖"));
        let (mut worst, mut contacts) = (Worst::default(), Vec::new());
        for k in 1..=500 {
            advance(&mut sim, k)?;
            let (t, height, slip) = (k as f64 * puck.step, sim.state().q[2], sim.state().v[0].abs());
            let distance = if contact == "nsgs" { 0.0 } else { puck.step * MU * slip };
            gap.points.push([t, height]);
            expected.points.push([t, distance]);
            sim.contacts_into(&mut contacts);
            let force: f64 = contacts.iter().map(|c| c.force.z).sum();
            if force > 0.0 && slip > 1e-3 {
                worst.see((height - distance).abs());
            }
        }
        let borne = worst.count();
        let claim = format!("{contact}: contact acts at the distance h μ ‖v_T‖, {borne} steps");
        let claim = if contact == "nsgs" { "nsgs: contact acts at no distance".to_owned() } else { claim };
        // No step that bore a load would be no evidence.
        findings.bound(claim, "m", if borne > 20 { worst } else { Worst::default() }, 1e-12);
        series.extend([gap, expected]);
    }
    findings.keep("hover", "A puck thrown at 1.5 m/s: its foot over the plane", "gap", "m", series);
    Ok(())
}
