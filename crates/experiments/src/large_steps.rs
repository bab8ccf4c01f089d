//! A quadruped under joint servos at large steps: it stands, and it jumps.
//!
//! Standing: 3 s under the servos of its posture. It stands if it is at rest at the end (0.1 m/s), tilted by less than 10°
//! and at no less than 60 % of its height. Jump: hips bent by 0.2 rad and knees by twice that at 0.5 s, stretched by half
//! as much at 1 s, back at 1.12 s. What counts is how far the trunk rises above where it stood, beside the same at
//! h = 0.5 ms. Simulators in wide use lose a quarter to a half of it at 10 ms, or fall.
//!
//! Ours, and, where `STICTION_DATA` or `../shared/data` holds them, robots no one here wrote.

use super::worst::Worst;
use super::{Claim, Experiment, ExperimentError, Findings, Size, Table};
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction::dynamics::JointKind;
use stiction_lab::driven::Driven;
use stiction_plot::Series;
use stiction_scene::Scene;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "large-steps",
    title: "Quadrupeds stand and jump at steps of 0.5 to 50 ms",
    source: "Closed loops of servos at large steps; what counts as standing is stated in the experiment",
    measure,
};

/// The reference, and the rest [s].
const STEPS: [f64; 8] = [5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 1.0 / 30.0, 5e-2];
/// Steps of a short run.
const FEW: [f64; 3] = [5e-4, 1e-2, 5e-2];

/// A robot that is not ours.
struct Other {
    name: &'static str,
    /// In the folder of robots.
    file: &'static str,
    /// Hip and knee that bend, after the prefix of the leg.
    joints: [&'static str; 2],
    /// Prefix, and the sign of the posture.
    legs: [(&'static str, f64); 4],
    /// Angles of hips and knees [rad].
    posture: [f64; 2],
    /// Stiffness [N·m/rad] and damping [N·m·s/rad].
    servo: [f64; 2],
}

const OTHERS: [Other; 2] = [
    Other {
        name: "solo12",
        file: "solo12/solo12.urdf",
        joints: ["HFE", "KFE"],
        legs: [("FL_", 1.0), ("FR_", 1.0), ("HL_", -1.0), ("HR_", -1.0)],
        posture: [0.8, -1.6],
        servo: [20.0, 0.4],
    },
    Other {
        name: "go2",
        file: "go2/go2.urdf",
        joints: ["thigh_joint", "calf_joint"],
        legs: [("FL_", 1.0), ("FR_", 1.0), ("RL_", 1.0), ("RR_", 1.0)],
        posture: [0.9, -1.8],
        servo: [100.0, 2.5],
    },
];

/// How a run ended.
pub(super) struct Run {
    pub(super) stands: bool,
    /// Greatest height on the way up from 1 s, above that at 0.45 s [m].
    pub(super) apex: f64,
    /// Deepest overlap [m].
    deepest: f64,
    /// Steps that flagged themselves.
    flagged: usize,
    /// Steps that were made.
    pub(super) steps: usize,
}

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let mut findings = Findings::default();
    let steps = if size == Size::Full { &STEPS[..] } else { &FEW[..] };
    let (mut series, mut rows) = (Vec::new(), Vec::new());
    let robots = robots()?;
    let ran = |name: &str| robots.iter().any(|(robot, _)| robot == name);
    let absent: Vec<&str> = OTHERS.iter().map(|o| o.name).filter(|name| !ran(name)).collect();
    let names: Vec<&str> = robots.iter().map(|(name, _)| &**name).collect();
    let without = match absent.is_empty() {
        true => String::new(),
        false => format!(
            "; their files were not found (STICTION_DATA), and they were not run: {}",
            absent.join(", ")
        ),
    };
    findings.notes.push(format!("robots: {}{without}", names.join(", ")));
    for (name, scene) in &robots {
        let mut points = Vec::new();
        let mut fine = f64::NAN;
        for &h in steps {
            let ms = 1e3 * h;
            let (stand, jump) = (run(scene, h, false)?, run(scene, h, true)?);
            if fine.is_nan() {
                fine = jump.apex;
            }
            let share = jump.apex / fine - 1.0;
            points.push([ms, jump.apex]);
            let word = |ok: bool| if ok { "yes" } else { "NO" }.to_owned();
            rows.push(vec![
                name.clone(),
                format!("{ms:.1}"),
                word(stand.stands),
                format!("{:.4}", jump.apex),
                format!("{:+.1}", 100.0 * share),
                format!("{:.0}", 1e6 * jump.deepest.max(stand.deepest)),
                word(jump.stands),
                (stand.flagged + jump.flagged).to_string(),
            ]);
            findings.claims.push(Claim {
                claim: format!("{name} stands at {ms:.1} ms"),
                measured: word(stand.stands),
                holds: stand.stands,
                sample: stand.steps,
            });
            if h > STEPS[0] && h <= 1e-2 {
                let claim = format!("{name} jumps as high at {ms:.1} ms as at 0.5 ms: share that is missing");
                findings.bound(claim, "", Worst::about(share.abs(), jump.steps), 0.1);
            }
        }
        series.push(Series { label: name.clone(), points });
    }
    findings.tables.push(Table {
        stem: "large-steps",
        title: "Quadrupeds at large steps".to_owned(),
        about: format!(
            "Standing for 3 s; how far the trunk rises in a jump, and how that differs from 0.5 ms. {}.",
            findings.notes.join("; ")
        ),
        heads: [
            "robot",
            "h [ms]",
            "stands",
            "rises [m]",
            "beside 0.5 ms [%]",
            "deepest [um]",
            "lands",
            "flagged steps",
        ]
        .map(str::to_owned)
        .into(),
        rows,
    });
    let axes = ["step [ms]", "rises by [m]"];
    findings.keep_over("jump", "How far a quadruped jumps, over the step", axes, series, |f| f);
    Ok(findings)
}

/// Robots by name, in the posture they stand in.
fn robots() -> Result<Vec<(String, Scene)>, ExperimentError> {
    let mut robots = vec![("quadruped".to_owned(), Scene::builtin("quadruped")?)];
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from).join("robots");
    for Other { name, file, joints, legs, posture: [hip, knee], servo: [stiffness, damping] } in OTHERS {
        let path = folder.join(file);
        if !path.is_file() {
            continue;
        }
        let mut text = format!(
            "ground = {{ friction = 0.7 }}\n[[model]]\nfile = {:?}\nfree_base = true\nset_down = true\nfriction = 0.7
            hold = {{ stiffness = {stiffness}, damping = {damping} }}\njoints = {{ ",
            path.display().to_string()
        );
        for (leg, sign) in legs {
            text += &format!("{leg}{} = {}, {leg}{} = {}, ", joints[0], sign * hip, joints[1], sign * knee);
        }
        let text = format!("{} }}", text.trim_end_matches(", "));
        robots.push((name.to_owned(), Scene::from_toml(&text, Path::new("large-steps.toml"))?));
    }
    Ok(robots)
}

/// Three seconds at the step h.
pub(super) fn run(scene: &Scene, h: f64, jump: bool) -> Result<Run, ExperimentError> {
    let mut setup = scene.build()?;
    setup.settings.stepper.dt = h;
    setup.settings.set_contact("auto");
    let posture = setup.control.clone();
    let mut sim = Driven::new(setup)?;
    let bends = bends(sim.sim());
    let trunk = sim.sim().state().q[2];
    let (mut stood, mut apex, mut deepest, mut flagged) = (trunk, f64::NEG_INFINITY, 0.0_f64, 0);
    let steps = (3.0 / h).round() as usize;
    for step in 0..steps {
        let t = step as f64 * h;
        let bend = match t + 1e-9 {
            t if !jump || t < 0.5 => 0.0,
            t if t < 1.0 => 0.2,
            t if t < 1.12 => -0.1,
            _ => 0.0,
        };
        for (i, (control, by)) in sim.sim_mut().control_mut().iter_mut().zip(&bends).enumerate() {
            *control = posture[i] + bend * by;
        }
        let report = sim.step();
        if report.failure().is_some() {
            return Ok(Run { stands: false, apex: f64::NAN, deepest, flagged, steps: step });
        }
        flagged += usize::from(report.flagged());
        deepest = deepest.max(report.penetration);
        let z = sim.sim().state().q[2];
        if t <= 0.45 {
            stood = z;
        } else if (1.0..2.2).contains(&t) {
            apex = apex.max(z - stood);
        }
    }
    let (q, v) = (&sim.sim().state().q, &sim.sim().state().v);
    let upright = 1.0 - 2.0 * (q[4] * q[4] + q[5] * q[5]);
    let speed = v[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
    let stands = upright > 10_f64.to_radians().cos() && q[2] > 0.6 * trunk && speed < 0.1;
    Ok(Run { stands, apex, deepest, flagged, steps })
}

/// Per actuator: how far its joint turns for a bend of one, by the sign of the posture: hips once, knees twice.
fn bends(sim: &Simulation) -> Vec<f64> {
    let (model, q) = (&sim.world().model, &sim.state().q);
    let of = |dof: usize| {
        let joint = &model.joints[model.dofs[dof].joint];
        let has = |words: [&str; 2]| words.iter().any(|w| joint.name.contains(w));
        let share = match joint.kind {
            JointKind::Hinge if has(["thigh", "HFE"]) => 1.0,
            JointKind::Hinge if has(["calf", "KFE"]) => 2.0,
            _ => return 0.0,
        };
        share * q[joint.idx_q].signum()
    };
    sim.world().actuators.iter().map(|a| a.transmission.first().map_or(0.0, |t| of(t.0))).collect()
}
