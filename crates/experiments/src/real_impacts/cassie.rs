//! Landings of a biped, 50 ms each, under its measured torques, by contact laws and steppers that know closed legs.

use super::super::worst::Worst;
use super::super::{Claim, ExperimentError, Findings, Size, Table};
use crate::replications::cassie::{CassieSet, Landing, Posture, track};
use std::path::Path;
use stiction::StepperName;
use stiction_lab::identification;
use stiction_learn::system::Case;
use stiction_plot::{Figure, Series};
use stiction_scene::{RobotOptions, Scene};

/// A law by which landings are done.
struct Law {
    name: &'static str,
    stepper: &'static str,
    contact: &'static str,
    /// Restitution of all surfaces; negative: there is no ground [–].
    restitution: f64,
}

impl Law {
    const fn new(name: &'static str, stepper: &'static str, contact: &'static str, restitution: f64) -> Self {
        Self { name, stepper, contact, restitution }
    }
}

const LAWS: [Law; 7] = [
    Law::new("without ground", "time-stepping", "auto", -1.0),
    Law::new("exact law, e = 0", "time-stepping", "auto", 0.0),
    Law::new("exact law, e = 0.3", "time-stepping", "auto", 0.3),
    Law::new("relaxation", "time-stepping", "ccp-apgd", 0.0),
    Law::new("mujoco", "time-stepping", "mujoco", 0.0),
    Law::new("sap", "time-stepping", "sap", 0.0),
    Law::new("moreau, e = 0", "moreau", "auto", 0.0),
];

/// Root mean squares over a landing: velocity of the pelvis [m/s], its rate [rad/s], rates of joints [rad/s].
fn errors(case: &Case, posture: &Posture, landing: &Landing) -> Result<[f64; 3], String> {
    let states = track(case, posture, landing).map_err(|e| e.to_string())?;
    let mut sums = [0.0; 3];
    for k in 1..landing.times.len() {
        let Some(state) = states.get(k).or(states.last()) else { continue };
        let (base, rates) = posture.velocities(state);
        let (was, joints) = (landing.base_velocity[k], landing.rates[k]);
        for i in 0..3 {
            sums[0] += (base[i] - was[i]).powi(2);
            sums[1] += (base[3 + i] - was[3 + i]).powi(2);
        }
        // The springs of the ankles have no encoder.
        sums[2] += (0..14).map(|i| (rates[i] - joints[i]).powi(2)).sum::<f64>() / 14.0;
    }
    let n = (landing.times.len() - 1).max(1) as f64;
    Ok(sums.map(|s| (s / n).sqrt()))
}

/// The errors of every landing under a law; those that do not run are noted.
fn under(
    law: &Law,
    whole: &Case,
    posture: &Posture,
    landings: &[Landing],
    findings: &mut Findings,
) -> Vec<[f64; 3]> {
    let Law { name, stepper, contact, restitution: e } = *law;
    let mut case = whole.clone();
    case.settings.stepper.dt = 5e-4;
    case.settings.stepper.method = StepperName::of(stepper).unwrap_or_default();
    case.settings.set_contact(contact);
    for geometry in &mut case.world.geometries {
        geometry.material.restitution = e.max(0.0);
        if e < 0.0 && geometry.link.is_none() {
            geometry.X_LG.translation.z -= 10.0;
        }
    }
    let mut all = Vec::new();
    for landing in landings {
        match errors(&case, posture, landing) {
            Ok(found) => all.push(found),
            Err(what) => findings.notes.push(format!("cassie, {name}, landing {}: {what}", landing.id)),
        }
    }
    all
}

/// Judges every law by the landings.
pub(super) fn measured(
    folder: &Path,
    robot: &Path,
    size: Size,
    findings: &mut Findings,
) -> Result<(), ExperimentError> {
    let mut fail = |what: String| {
        findings.claims.push(Claim {
            claim: "the measured landings are read".to_owned(),
            measured: what,
            holds: false,
            sample: 0,
        });
    };
    let set = match CassieSet::read(folder) {
        Ok(set) => set,
        Err(error) => {
            fail(error.to_string());
            return Ok(());
        }
    };
    let scene = Scene::find(&robot.display().to_string(), &RobotOptions::default())?;
    let whole = identification::case(scene.build()?);
    let posture = match Posture::new(&whole.world) {
        Ok(posture) => posture,
        Err(error) => {
            fail(error.to_string());
            return Ok(());
        }
    };
    let landings =
        if size == Size::Small { &set.landings[..set.landings.len().min(2)] } else { &set.landings[..] };
    let (mut rows, mut series, mut means) = (Vec::new(), Vec::new(), Vec::new());
    for law in &LAWS {
        let all = under(law, &whole, &posture, landings, findings);
        let name = law.name;
        let n = all.len() as f64;
        let mean = [0, 1, 2].map(|i| all.iter().map(|x| x[i]).sum::<f64>() / n);
        rows.push(vec![
            name.to_owned(),
            all.len().to_string(),
            format!("{:.3}", mean[0]),
            format!("{:.3}", mean[1]),
            format!("{:.3}", mean[2]),
        ]);
        let points = all.iter().enumerate().map(|(i, x)| [i as f64, x[2]]).collect();
        series.push(Series { label: name.to_owned(), points });
        means.push((name, all.len(), mean));
    }
    let (_, _, fall) = means[0];
    for (name, count, error) in &means[1..] {
        findings.bound(
            format!(
                "{count} landings of a biped, {name}: rates of the joints, error over that without ground"
            ),
            "–",
            Worst::about(error[2] / fall[2], *count),
            if *count == landings.len() { 0.5 } else { f64::NEG_INFINITY },
        );
        findings.notes.push(format!(
            "cassie, {name}: velocity of the pelvis, error over that without ground {:.2}: within 50 ms little of a landing tells in it",
            error[0] / fall[0]
        ));
    }
    findings.tables.push(Table {
        stem: "cassie-landings",
        title: "Landings of a biped".to_owned(),
        about: "Means over landings of root mean squares over 50 ms, under the measured torques; nothing is fitted.".to_owned(),
        heads: ["law", "landings", "pelvis [m/s]", "pelvis [rad/s]", "joints [rad/s]"].map(str::to_owned).to_vec(),
        rows,
    });
    let shape: fn(Figure) -> Figure = Figure::marked;
    let title = "Landings of a biped: error of the rates of the joints";
    findings.keep_over("cassie-landings", title, ["landing", "error [rad/s]"], series, shape);
    Ok(())
}
