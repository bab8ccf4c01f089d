//! What friction can hold is held: random grasps, alone and in batches.
//!
//! The exact law often has two answers for what is held, one that sticks and one that slips; the rule of
//! selection ([`stiction::solvers::auto`]) takes the first. Every grasp here is symmetric and pressed by more than its weight asks for, so that it is known
//! without any solver that an answer sticks: then nothing moves, at any step, alone or beside others.

mod grasp;

use super::{Claim, Data, Experiment, ExperimentError, Findings, Size, Table};
use grasp::Grasp;
use stiction::batch::{Batch, BatchSettings, Precision};
use stiction::{CERTIFIED, Settings, Simulation, Sleep, State, StepStatus, StepperParams};
use stiction_lab::driven::Driven;
use stiction_plot::{Figure, Series};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "held-objects",
    title: "Random grasps that friction can hold are held, alone and in batches",
    source: "Ours; the law: de Saxcé and Feng, The Bipotential Method [DeSaxce1998]",
    measure,
};

/// Grasps of each size.
const SMALL: u64 = 16;
const FULL: u64 = 200;
/// How long each is held [s]; small: at most so many steps.
const SECONDS: f64 = 1.0;
const STEPS: usize = 40;
/// How far what is held may move after the first two steps, in which it closes gaps of rounding (those of meshes are
/// some 1e-9 m): by the rule; at the default tolerance of batches, 1e-6 m/s, what that allows in a second; in single
/// precision, where velocities of 0.5 m/s are rounded by 3e-8 m/s [m] or [rad].
const STILL: f64 = 1e-9;
/// Gaps close in so many steps.
const CLOSING: usize = 2;
const STILL_DEFAULT: f64 = 1e-6;
const STILL_SINGLE: f64 = 2e-5;
/// Environments of a batch: all of a group in either precision.
const LANES: usize = 8;

/// How grasps are stepped.
#[derive(Clone, Copy)]
struct Way {
    title: &'static str,
    /// Natural map to which contacts are solved [m/s].
    tolerance: f64,
    /// In a batch of this precision.
    batch: Option<Precision>,
    still: f64,
}

const WAYS: [Way; 4] = [
    Way { title: "alone", tolerance: 1e-8, batch: None, still: STILL },
    Way {
        title: "batch, default tolerance",
        tolerance: 1e-6,
        batch: Some(Precision::Double),
        still: STILL_DEFAULT,
    },
    Way { title: "batch, 1e-8", tolerance: 1e-8, batch: Some(Precision::Double), still: STILL },
    Way { title: "batch, f32", tolerance: 1e-6, batch: Some(Precision::Single), still: STILL_SINGLE },
];

fn measure(size: Size) -> Result<Findings, ExperimentError> {
    let count = if size == Size::Full { FULL } else { SMALL };
    let grasps: Vec<Grasp> = (0..count).map(Grasp::random).collect();
    let mut findings = Findings::default();
    let mut rows: Vec<Vec<String>> = grasps.iter().map(|g| vec![g.title()]).collect();
    let mut series = Vec::new();
    for way in WAYS {
        let (mut moved, mut wrong) = (Vec::new(), 0);
        for (grasp, row) in grasps.iter().zip(&mut rows) {
            let steps = (SECONDS / grasp.step).ceil() as usize;
            let (far, uncertified) =
                way.hold(grasp, if size == Size::Full { steps } else { steps.min(STEPS) })?;
            wrong += uncertified;
            row.push(format!("{far:.1e}"));
            moved.push([1e3 * grasp.step, far.max(1e-18)]);
        }
        let fell = moved.iter().filter(|m| !(m[1] <= way.still)).count();
        findings.claims.push(Claim {
            claim: format!("{}: none of {count} grasps moves by more than {:.0e} m", way.title, way.still),
            measured: format!("{fell} do, farthest {:.1e}", moved.iter().fold(0.0, |m, x| x[1].max(m))),
            holds: fell == 0,
            sample: moved.len(),
        });
        findings.claims.push(Claim {
            claim: format!("{}: every step has an answer", way.title),
            measured: format!("{wrong} steps have none"),
            holds: wrong == 0,
            sample: moved.len(),
        });
        moved.sort_by(|a: &[f64; 2], b| a[0].total_cmp(&b[0]));
        series.push(Series { label: way.title.to_owned(), points: moved });
    }
    let heads = ["h [ms]", "moved in 1 s [m or rad]"];
    let figure = Figure::of_series("What moves of what friction can hold", heads[0], heads[1], &series);
    findings.figures.push(("moved".to_owned(), figure.log_x().log_y()));
    findings.data.push(Data { stem: "moved".to_owned(), heads: heads.map(str::to_owned), series });
    findings.tables.push(Table {
        stem: "grasps",
        title: "Random grasps".to_owned(),
        about: "How far any coordinate moves, in m or rad.".to_owned(),
        heads: std::iter::once("grasp").chain(WAYS.map(|w| w.title)).map(str::to_owned).collect(),
        rows,
    });
    Ok(findings)
}

impl Way {
    /// How far any coordinate has moved after these steps, but for the first, and how many were not certified, or in a batch did not
    /// converge.
    fn hold(&self, grasp: &Grasp, steps: usize) -> Result<(f64, usize), ExperimentError> {
        let world = grasp.world()?;
        let start = State::neutral(&world.model);
        let stepper = StepperParams { dt: grasp.step, sleep: Sleep::Off, ..StepperParams::default() };
        let control = vec![grasp.force(); world.actuators.len()];
        let Some(precision) = self.batch else {
            let settings = Settings { tolerance: self.tolerance, stepper, ..Settings::default() };
            let mut sim = Driven::from(Simulation::new(world, start, settings)?);
            sim.sim_mut().control_mut().copy_from_slice(&control);
            let (mut first, mut wrong) = (Vec::new(), 0);
            for k in 0..steps {
                let certificate = super::step(&mut sim, k + 1)?;
                wrong += usize::from(!(certificate.natural_map <= CERTIFIED));
                if k < CLOSING {
                    first.clone_from(&sim.sim().state().q);
                }
            }
            return Ok((apart(&sim.sim().state().q, &first), wrong));
        };
        let (tolerance, controls) = (self.tolerance, control.repeat(LANES));
        let settings = BatchSettings { stepper, precision, tolerance, ..BatchSettings::default() };
        let mut batch = Batch::new(world, &start, LANES, settings)?;
        let (mut first, mut wrong) = (Vec::new(), 0);
        for k in 0..steps {
            batch.step(&controls);
            let settled = |s: &StepStatus| matches!(s, StepStatus::Converged | StepStatus::Rounding);
            wrong += batch.reports().filter(|r| !settled(&r.status)).count();
            if k < CLOSING {
                first = (0..LANES).map(|i| batch.state(i).0.to_vec()).collect::<Vec<_>>();
            }
        }
        let moved = first.iter().enumerate().map(|(i, first)| apart(batch.state(i).0, first));
        Ok((moved.fold(0.0, larger), wrong))
    }
}

/// The largest difference of two coordinates; infinite where one is none.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, larger)
}

fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}
