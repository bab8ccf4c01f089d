//! Trajectories as files: `.npz` and `.parquet` for programs, `.csv` for everything else.

use super::Trajectory;
use super::parquet::{self, Column, Values};
use crate::scene::Setup;
use std::io::{self, Write};
use std::path::Path;
use stiction::contact::io::numpy::ArchiveWriter;

/// Memory a trajectory may take [GB].
const MAX_GIGABYTES: u64 = 8;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{}: expected a name ending in .npz, .parquet or .csv", path.display())]
    Extension { path: std::path::PathBuf },
    #[error(
        "a trajectory of {steps} steps would need {gigabytes} GB of memory; at most {MAX_GIGABYTES} are used: shorten the run \
         or lengthen the time step"
    )]
    Size { steps: u64, gigabytes: u64 },
    #[error("cannot write {}: {source}", path.display())]
    Io { path: std::path::PathBuf, source: io::Error },
}

/// Refuses a name that says none of the formats, before a long run and not after it.
pub fn check_name(path: &Path) -> Result<(), WriteError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npz" | "parquet" | "csv") => Ok(()),
        _ => Err(WriteError::Extension { path: path.to_owned() }),
    }
}

/// Refuses a run whose trajectory would not fit into memory.
pub fn check_size(setup: &Setup) -> Result<(), WriteError> {
    let (steps, row) = (setup.steps(), (setup.state.q.len() + setup.state.v.len() + 7) as u64);
    let gigabytes = steps.saturating_mul(8 * row) / 1_000_000_000;
    if gigabytes <= MAX_GIGABYTES { Ok(()) } else { Err(WriteError::Size { steps, gigabytes }) }
}

impl Trajectory {
    /// Writes `.npz`, `.parquet` or `.csv`, by the name.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let failed = |source| WriteError::Io { path: path.to_owned(), source };
        match path.extension().and_then(|e| e.to_str()) {
            Some("npz") => {
                let file = create(path).map_err(failed)?;
                self.write_npz(io::BufWriter::new(file)).map_err(failed)
            }
            Some("parquet") => {
                let file = create(path).map_err(failed)?;
                self.write_parquet(io::BufWriter::new(file)).map_err(failed)
            }
            Some("csv") => {
                let file = create(path).map_err(failed)?;
                self.write_csv(io::BufWriter::new(file)).map_err(failed)
            }
            _ => Err(WriteError::Extension { path: path.to_owned() }),
        }
    }

    /// One array per quantity, and `about.json` beside them.
    pub fn write_npz(&self, writer: impl Write) -> io::Result<()> {
        let mut archive = ArchiveWriter::new(writer);
        let rows = self.len();
        for (name, values, columns) in
            [("q", &self.q, self.about.q.len()), ("v", &self.v, self.about.v.len())]
        {
            archive.doubles(name, &[rows, columns], values)?;
        }
        for (name, values) in [
            ("t", &self.t),
            ("energy", &self.energy),
            ("natural_map", &self.natural_map),
            ("penetration", &self.penetration),
            ("step_time", &self.step_time),
        ] {
            archive.doubles(name, &[rows], values)?;
        }
        for (name, values) in [("contacts", &self.contacts), ("iterations", &self.iterations)] {
            archive.counts(name, &[rows], values)?;
        }
        archive.file("about.json", &serde_json::to_vec_pretty(&self.about)?)?;
        archive.finish().map(drop)
    }

    /// One row per step; names and units are those of the `.csv`, and the metadata hold what `about.json` does.
    pub fn write_parquet(&self, writer: impl Write) -> io::Result<()> {
        let single = |name: &str, values| {
            let values = Values::Doubles { values, start: 0, stride: 1 };
            Column { name: name.to_owned(), values }
        };
        let matrix = |letter: &str, names: &[String], values| -> Vec<Column> {
            let stride = names.len();
            let column = |(start, name)| Column {
                name: format!("{letter} {name}"),
                values: Values::Doubles { values, start, stride },
            };
            names.iter().enumerate().map(column).collect()
        };
        let counts = |name: &str, values| Column { name: name.to_owned(), values: Values::Counts(values) };
        let mut columns = vec![single("t [s]", &self.t)];
        columns.extend(matrix("q", &self.about.q, &self.q));
        columns.extend(matrix("v", &self.about.v, &self.v));
        columns.extend([
            single("energy [J]", &self.energy),
            counts("contacts [-]", &self.contacts),
            single("natural_map [m/s]", &self.natural_map),
            single("penetration [m]", &self.penetration),
            counts("iterations [-]", &self.iterations),
            single("step_time [s]", &self.step_time),
        ]);
        parquet::write(&columns, self.len(), &serde_json::to_string(&self.about)?, writer)
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

#[cfg(test)]
mod tests {
    use crate::runner::{RunOptions, Runner};
    use crate::scene::Scene;
    use stiction::contact::io::numpy::{Array, members};

    /// Files hold every number that was recorded, in both formats.
    #[test]
    fn files_hold_every_row() {
        let mut setup = Scene::builtin("double-pendulum").unwrap().build().unwrap();
        setup.duration = 0.02;
        let options = RunOptions { trajectory: true, ..RunOptions::default() };
        let mut runner = Runner::new(setup, options).unwrap();
        let summary = runner.run_quietly();
        let trajectory = runner.finish(summary).trajectory.unwrap();
        assert_eq!((trajectory.len(), trajectory.q.len()), (21, 42));

        let mut npz = Vec::new();
        trajectory.write_npz(&mut npz).unwrap();
        let members = members(&npz).unwrap();
        let member = |name: &str| &members.iter().find(|(n, _)| n == name).unwrap().1;
        let doubles = [
            ("t", &trajectory.t, vec![21]),
            ("q", &trajectory.q, vec![21, 2]),
            ("v", &trajectory.v, vec![21, 2]),
            ("energy", &trajectory.energy, vec![21]),
            ("natural_map", &trajectory.natural_map, vec![21]),
            ("penetration", &trajectory.penetration, vec![21]),
            ("step_time", &trajectory.step_time, vec![21]),
        ];
        for (name, values, shape) in doubles {
            let array = Array::read(member(&format!("{name}.npy"))).unwrap();
            assert_eq!(array.shape, shape, "{name}");
            // The same bits, NaN of the first row too.
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&array.values), bits(values), "{name}");
        }
        for (name, values) in [("contacts", &trajectory.contacts), ("iterations", &trajectory.iterations)] {
            let bytes = &member(&format!("{name}.npy"))[128..];
            assert!(bytes.chunks(4).eq(values.iter().map(|v| v.to_le_bytes())), "{name}");
        }
        assert!(member("about.json").starts_with(b"{"));

        let mut csv = Vec::new();
        trajectory.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let head = "t [s],\"q shoulder [rad]\",\"q elbow [rad]\",\"v shoulder [rad/s]\",\"v elbow [rad/s]\",energy [J],";
        assert!(csv.starts_with(head), "{}", csv.lines().next().unwrap());
        let last: Vec<f64> = csv.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
        assert_eq!(last[1..3], trajectory.q[40..]);
    }
}
