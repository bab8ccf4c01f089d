//! A run, step by step, as numbers: what goes into `.npz` and `.csv` files and into plots.
//!
//! ```text
//!     t [s], q, v (CONVENTIONS.md), energy [J], contacts [–], natural_map [m/s],
//!     penetration [m], iterations [–], step_time [s]
//! ```
//!
//! The first row is the first state: no step led there, so what steps measure is NaN or zero in it. Values are in
//! world axes and SI units.

use npyz::WriterBuilder;
use npyz::npz::NpzWriter;
use npyz::zip::write::FileOptions;
use serde::Serialize;
use std::io::{self, Seek, Write};
use std::path::Path;
use stiction::dynamics::{JointKind, Model};
use stiction::{Simulation, StepReport};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    pub about: About,
    /// [s]
    pub t: Vec<f64>,
    /// Rows of `about.q.len()`.
    pub q: Vec<f64>,
    /// Rows of `about.v.len()`.
    pub v: Vec<f64>,
    /// Kinetic and potential [J].
    pub energy: Vec<f64>,
    /// Contact points in the problem of the step.
    pub contacts: Vec<u32>,
    /// Certificate of the step [m/s].
    pub natural_map: Vec<f64>,
    /// Deepest overlap at the start of the step [m].
    pub penetration: Vec<f64>,
    /// Of the contact solver.
    pub iterations: Vec<u32>,
    /// Time the step took [s].
    pub step_time: Vec<f64>,
}

/// What the numbers mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct About {
    pub scene: String,
    pub contact: String,
    /// [s]
    pub dt: f64,
    /// Name and unit of every column of q.
    pub q: Vec<String>,
    /// Name and unit of every column of v.
    pub v: Vec<String>,
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{}: expected a name ending in .npz or .csv", path.display())]
    Extension { path: std::path::PathBuf },
    #[error("cannot write {}: {source}", path.display())]
    Io { path: std::path::PathBuf, source: io::Error },
}

/// Refuses a name that says neither `.npz` nor `.csv`, before a long run and not after it.
pub fn check_name(path: &Path) -> Result<(), WriteError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npz" | "csv") => Ok(()),
        _ => Err(WriteError::Extension { path: path.to_owned() }),
    }
}

impl Trajectory {
    /// Starts with the present state.
    pub(crate) fn new(sim: &mut Simulation) -> Self {
        let model = &sim.world().model;
        let about = About {
            scene: sim.world().name.clone(),
            contact: sim.solver().name().to_owned(),
            dt: sim.settings().stepper.dt,
            q: q_columns(model),
            v: v_columns(model),
        };
        let mut trajectory = Self {
            about,
            t: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            energy: Vec::new(),
            contacts: Vec::new(),
            natural_map: Vec::new(),
            penetration: Vec::new(),
            iterations: Vec::new(),
            step_time: Vec::new(),
        };
        trajectory.push_state(sim);
        trajectory.push_step(0, f64::NAN, 0.0, 0, f64::NAN);
        trajectory
    }

    pub(crate) fn after_step(&mut self, sim: &mut Simulation, r: &StepReport, natural_map: f64, time: f64) {
        self.push_state(sim);
        let contacts = u32::try_from(r.contacts).unwrap_or(u32::MAX);
        self.push_step(contacts, natural_map, r.penetration, r.iterations, time);
    }

    fn push_state(&mut self, sim: &mut Simulation) {
        self.energy.push(sim.energy().total());
        self.t.push(sim.state().t);
        self.q.extend_from_slice(&sim.state().q);
        self.v.extend_from_slice(&sim.state().v);
    }

    fn push_step(&mut self, contacts: u32, natural_map: f64, penetration: f64, iterations: u32, time: f64) {
        self.contacts.push(contacts);
        self.natural_map.push(natural_map);
        self.penetration.push(penetration);
        self.iterations.push(iterations);
        self.step_time.push(time);
    }

    /// Rows: the first state, and one per step.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Writes `.npz` or `.csv`, by the name.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let failed = |source| WriteError::Io { path: path.to_owned(), source };
        match path.extension().and_then(|e| e.to_str()) {
            Some("npz") => {
                let file = create(path).map_err(failed)?;
                self.write_npz(io::BufWriter::new(file)).map_err(failed)
            }
            Some("csv") => {
                let file = create(path).map_err(failed)?;
                self.write_csv(io::BufWriter::new(file)).map_err(failed)
            }
            _ => Err(WriteError::Extension { path: path.to_owned() }),
        }
    }

    /// One array per quantity, and `about.json` beside them.
    pub fn write_npz(&self, writer: impl Write + Seek) -> io::Result<()> {
        let mut npz = NpzWriter::new(writer);
        let rows = self.len() as u64;
        let doubles = [
            ("t", &self.t, None),
            ("q", &self.q, Some(self.about.q.len())),
            ("v", &self.v, Some(self.about.v.len())),
            ("energy", &self.energy, None),
            ("natural_map", &self.natural_map, None),
            ("penetration", &self.penetration, None),
            ("step_time", &self.step_time, None),
        ];
        for (name, values, columns) in doubles {
            let shape: Vec<u64> = [rows].into_iter().chain(columns.map(|c| c as u64)).collect();
            let array = npz.array(name, FileOptions::default())?;
            let mut array = array.default_dtype().shape(&shape).begin_nd()?;
            array.extend(values.iter())?;
            array.finish()?;
        }
        for (name, values) in [("contacts", &self.contacts), ("iterations", &self.iterations)] {
            let array = npz.array(name, FileOptions::default())?;
            let mut array = array.default_dtype().shape(&[rows]).begin_nd()?;
            array.extend(values.iter())?;
            array.finish()?;
        }
        let zip = npz.zip_writer();
        zip.start_file("about.json", FileOptions::default())?;
        serde_json::to_writer_pretty(&mut *zip, &self.about)?;
        zip.finish()?.flush()
    }

    /// One row per step, with names and units in the first line.
    pub fn write_csv(&self, mut writer: impl Write) -> io::Result<()> {
        let about = &self.about;
        let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        let columns: Vec<String> = (about.q.iter().map(|n| quoted(&format!("q {n}"))))
            .chain(about.v.iter().map(|n| quoted(&format!("v {n}"))))
            .collect();
        let rest = "energy [J],contacts [-],natural_map [m/s],penetration [m],iterations [-],step_time [s]";
        writeln!(writer, "t [s],{},{rest}", columns.join(","))?;
        for i in 0..self.len() {
            write!(writer, "{}", self.t[i])?;
            let (nq, nv) = (about.q.len(), about.v.len());
            for x in self.q[i * nq..(i + 1) * nq].iter().chain(&self.v[i * nv..(i + 1) * nv]) {
                write!(writer, ",{x}")?;
            }
            let (energy, contacts, map) = (self.energy[i], self.contacts[i], self.natural_map[i]);
            let (depth, iterations, time) = (self.penetration[i], self.iterations[i], self.step_time[i]);
            writeln!(writer, ",{energy},{contacts},{map},{depth},{iterations},{time}")?;
        }
        writer.flush()
    }
}

fn create(path: &Path) -> io::Result<std::fs::File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::create(path)
}

fn q_columns(model: &Model) -> Vec<String> {
    let parts = |kind| -> &[&str] {
        match kind {
            JointKind::Hinge => &["[rad]"],
            JointKind::Slide => &["[m]"],
            JointKind::Ball => &["quaternion w", "quaternion x", "quaternion y", "quaternion z"],
            JointKind::Free => {
                &["x [m]", "y [m]", "z [m]", "quaternion w", "quaternion x", "quaternion y", "quaternion z"]
            }
        }
    };
    let names = |j: &stiction::dynamics::Joint| {
        parts(j.kind).iter().map(|p| format!("{} {p}", j.name)).collect::<Vec<_>>()
    };
    model.joints.iter().flat_map(names).collect()
}

fn v_columns(model: &Model) -> Vec<String> {
    let parts = |kind| -> &[&str] {
        match kind {
            JointKind::Hinge => &["[rad/s]"],
            JointKind::Slide => &["[m/s]"],
            JointKind::Ball => &["body x [rad/s]", "body y [rad/s]", "body z [rad/s]"],
            JointKind::Free => {
                &["x [m/s]", "y [m/s]", "z [m/s]", "body x [rad/s]", "body y [rad/s]", "body z [rad/s]"]
            }
        }
    };
    let names = |j: &stiction::dynamics::Joint| {
        parts(j.kind).iter().map(|p| format!("{} {p}", j.name)).collect::<Vec<_>>()
    };
    model.joints.iter().flat_map(names).collect()
}
