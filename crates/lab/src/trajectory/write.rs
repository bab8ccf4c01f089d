//! Trajectories as files: `.npz` and `.parquet` for programs, `.csv` for everything else. An `.npz` holds everything;
//! tables have a row a step, and those of contacts lie beside them (`run.csv`, `run.contacts.csv`).

use super::parquet;
use super::quantities::{Numbers, QUANTITIES};
use super::table::{Column, quoted};
use super::{Detail, Trajectory};
use crate::columns::INTERRUPTED;
use crate::scene::Setup;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stiction_problem_files::numpy::ArchiveWriter;
use stiction_store::Beside;

/// Memory a trajectory may take [GB].
const MAX_GIGABYTES: u64 = 8;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{}: expected a name ending in .npz, .parquet or .csv", path.display())]
    Extension { path: PathBuf },
    #[error(
        "a trajectory of {steps} steps would need {gigabytes} GB of memory; at most {MAX_GIGABYTES} are used: shorten the run \
         or lengthen the time step"
    )]
    Size { steps: u64, gigabytes: u64 },
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Refuses a name that says none of the formats, before a long run and not after it.
pub fn check_name(path: &Path) -> Result<(), WriteError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npz" | "parquet" | "csv") => Ok(()),
        _ => Err(WriteError::Extension { path: path.to_owned() }),
    }
}

/// Refuses a run whose trajectory would not fit into memory; contacts are not counted, they are left out once they do not fit.
pub fn check_size(setup: &Setup, detail: Detail) -> Result<(), WriteError> {
    let world = &setup.world;
    let whole = match detail {
        Detail::Scalars => 0,
        Detail::Whole => 13 * world.model.bodies.len() + world.actuators.len(),
    };
    let row = (setup.state.q.len() + setup.state.v.len() + 13 + whole) as u64;
    let steps = setup.steps();
    let gigabytes = steps.saturating_mul(8 * row) / 1_000_000_000;
    if gigabytes <= MAX_GIGABYTES { Ok(()) } else { Err(WriteError::Size { steps, gigabytes }) }
}

impl Trajectory {
    /// Writes `.npz`, `.parquet` or `.csv`, by the name; the contacts of the latter two go into a second file. Returns the
    /// files.
    pub fn write(&self, path: &Path) -> Result<Vec<PathBuf>, WriteError> {
        let to = |path: &Path, how: &dyn Fn(&mut Beside) -> io::Result<()>| {
            let failed = |source| WriteError::Io { path: path.to_owned(), source };
            let mut file = Beside::create(path).map_err(failed)?;
            how(&mut file).and_then(|()| file.finish()).map_err(failed)?;
            Ok(path.to_owned())
        };
        match path.extension().and_then(|e| e.to_str()) {
            Some("npz") => Ok(vec![to(path, &|file| self.write_npz(file))?]),
            Some("parquet") => Ok(vec![
                to(path, &|file| self.write_parquet(file))?,
                to(&path.with_extension("contacts.parquet"), &|file| self.write_contacts_parquet(file))?,
            ]),
            Some("csv") => Ok(vec![
                to(path, &|file| self.write_csv(file))?,
                to(&path.with_extension("contacts.csv"), &|file| self.write_contacts_csv(file))?,
            ]),
            _ => Err(WriteError::Extension { path: path.to_owned() }),
        }
    }

    /// The arrays of [`QUANTITIES`], and `about.json` beside them, which says what they are.
    pub fn write_npz(&self, writer: impl Write) -> io::Result<()> {
        let mut archive = ArchiveWriter::new(writer);
        for quantity in &QUANTITIES {
            let (shape, numbers) = self.array(quantity);
            match numbers {
                Numbers::Doubles(values) => archive.doubles(quantity.name, &shape, values)?,
                Numbers::Counts(values) => archive.counts(quantity.name, &shape, values)?,
                Numbers::Indices(values) => archive.indices(quantity.name, &shape, values)?,
            }
        }
        archive.file("about.json", &serde_json::to_vec_pretty(&self.about)?)?;
        archive.finish().map(drop)
    }

    /// One row per step; names and units are those of the `.csv`, and the metadata hold what `about.json` does.
    pub fn write_parquet(&self, writer: impl Write) -> io::Result<()> {
        let about = serde_json::to_string(&self.about)?;
        parquet::write("trajectory", &self.step_columns(), self.len(), &about, writer)
    }

    /// One row per contact.
    pub fn write_contacts_parquet(&self, writer: impl Write) -> io::Result<()> {
        let about = serde_json::to_string(&self.about)?;
        parquet::write("contacts", &self.contact_columns(), self.contact.len(), &about, writer)
    }

    /// One row per step, with names and units in the first line.
    pub fn write_csv(&self, writer: impl Write) -> io::Result<()> {
        write_lines(&self.step_columns(), self.len(), self.last_words().as_deref(), writer)
    }

    /// One row per contact, with names and units in the first line.
    pub fn write_contacts_csv(&self, writer: impl Write) -> io::Result<()> {
        write_lines(&self.contact_columns(), self.contact.len(), self.last_words().as_deref(), writer)
    }

    /// The last line of a table whose run was interrupted; a comment to NumPy.
    fn last_words(&self) -> Option<String> {
        self.about.interrupted.map(|t| format!("{INTERRUPTED} at t = {t} s"))
    }
}

fn write_lines(
    columns: &[Column],
    rows: usize,
    last_words: Option<&str>,
    mut writer: impl Write,
) -> io::Result<()> {
    let line = |fields: Vec<String>| fields.join(",");
    writeln!(writer, "{}", line(columns.iter().map(|c| quoted(&c.name)).collect()))?;
    for row in 0..rows {
        writeln!(writer, "{}", line(columns.iter().map(|c| c.values.text(row)).collect()))?;
    }
    if let Some(words) = last_words {
        writeln!(writer, "{words}")?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use crate::runner::{RunOptions, Runner};
    use crate::scene::Scene;
    use crate::scene::tests::scratch;
    use crate::trajectory::{Detail, QUANTITIES, Trajectory};
    use stiction_problem_files::numpy::{Array, members};

    fn recorded(scene: &Scene, duration: f64) -> Trajectory {
        let mut setup = scene.build().unwrap();
        setup.duration = duration;
        let options = RunOptions { trajectory: Some(Detail::Whole), ..RunOptions::default() };
        let mut runner = Runner::new(setup, options).unwrap();
        let summary = runner.run_quietly();
        runner.finish(summary).trajectory.unwrap()
    }

    /// Arrays of an archive, by name.
    struct Arrays(Vec<(String, Vec<u8>)>);

    impl Arrays {
        fn of(trajectory: &Trajectory) -> Self {
            let mut npz = Vec::new();
            trajectory.write_npz(&mut npz).unwrap();
            Self(members(&npz).unwrap())
        }

        fn member(&self, name: &str) -> &[u8] {
            &self.0.iter().find(|(n, _)| n == name).unwrap().1
        }

        fn doubles(&self, name: &str) -> Array {
            Array::read(self.member(&format!("{name}.npy"))).unwrap()
        }

        /// Numbers of four bytes, after the head.
        fn integers(&self, name: &str) -> Vec<i32> {
            let bytes = self.member(&format!("{name}.npy"));
            let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            bytes[head..].as_chunks::<4>().0.iter().map(|x| i32::from_le_bytes(*x)).collect()
        }
    }

    /// Files hold every number that was recorded, in both formats.
    #[test]
    fn files_hold_every_row() {
        let trajectory = recorded(&Scene::builtin("double-pendulum").unwrap(), 0.02);
        assert_eq!((trajectory.len(), trajectory.q.len()), (21, 42));
        let arrays = Arrays::of(&trajectory);
        assert_eq!(arrays.0.len(), QUANTITIES.len() + 1);
        let doubles = [
            ("t", &trajectory.t, vec![21]),
            ("q", &trajectory.q, vec![21, 2]),
            ("v", &trajectory.v, vec![21, 2]),
            ("energy", &trajectory.energy, vec![21]),
            ("natural_map", &trajectory.natural_map, vec![21]),
            ("penetration", &trajectory.penetration, vec![21]),
            ("step_time", &trajectory.step_time, vec![21]),
            ("energy_error", &trajectory.energy_error, vec![21]),
            ("energy_error_rate", &trajectory.energy_error_rate, vec![21]),
            ("body_position", &trajectory.body_position, vec![21, 2, 3]),
            ("contact_force", &trajectory.contact.force, vec![0, 3]),
        ];
        for (name, values, shape) in doubles {
            let array = arrays.doubles(name);
            assert_eq!(array.shape, shape, "{name}");
            // The same bits, NaN of the first row too.
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&array.values), bits(values), "{name}");
        }
        let signed = |counts: &[u32]| counts.iter().map(|&n| n as i32).collect::<Vec<_>>();
        assert_eq!(arrays.integers("contacts"), signed(&trajectory.contacts));
        assert_eq!(arrays.integers("iterations"), signed(&trajectory.iterations));

        let mut csv = Vec::new();
        trajectory.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let head = "t [s],q shoulder [rad],q elbow [rad],v shoulder [rad/s],v elbow [rad/s],energy [J],";
        assert!(csv.starts_with(head), "{}", csv.lines().next().unwrap());
        let last: Vec<f64> = csv.lines().last().unwrap().split(',').filter_map(|x| x.parse().ok()).collect();
        assert_eq!(last[1..3], trajectory.q[40..]);
    }

    /// A box of 2 kg lies on the floor: in every row its contacts carry 19.62 N up, from the world to the box, at the height
    /// of the floor, and none slips. The floor is B or A: signs are told by the bodies.
    #[test]
    fn contacts_of_a_row_carry_the_box() {
        let text = "[ground]\n[[body]]\nname = \"box\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\nmass = 2.0\n\
                    position = [0.0, 0.0, 0.1]\n";
        let trajectory = recorded(&Scene::load(&scratch("lying.toml", text)).unwrap(), 0.01);
        let arrays = Arrays::of(&trajectory);
        let (offsets, bodies) = (arrays.integers("contact_offsets"), arrays.integers("contact_bodies"));
        let (force, slip) = (arrays.doubles("contact_force").values, arrays.doubles("contact_slip").values);
        let position = arrays.doubles("contact_position");
        assert_eq!((offsets.len(), offsets[..2].to_vec()), (trajectory.len() + 1, vec![0, 0]));
        assert_eq!(position.shape, [*offsets.last().unwrap() as usize, 3]);
        for row in 1..trajectory.len() {
            let entries = offsets[row] as usize..offsets[row + 1] as usize;
            assert_eq!(entries.len(), trajectory.contacts[row] as usize);
            let up = |i: usize| if bodies[2 * i] == -1 { force[3 * i + 2] } else { -force[3 * i + 2] };
            let weight: f64 = entries.clone().map(up).sum();
            assert!((weight - 2.0 * 9.81).abs() < 1e-6, "row {row}: {weight} N");
            for i in entries {
                assert!(
                    bodies[2 * i].min(bodies[2 * i + 1]) == -1 && bodies[2 * i].max(bodies[2 * i + 1]) == 0
                );
                assert!(position.values[3 * i + 2].abs() < 1e-6 && slip[3 * i].abs() < 1e-6);
            }
        }
        let about: serde_json::Value = serde_json::from_slice(arrays.member("about.json")).unwrap();
        assert_eq!(about["bodies"][0], "box");
        assert_eq!(about["arrays"].as_array().unwrap().len(), QUANTITIES.len());

        let mut csv = Vec::new();
        trajectory.write_contacts_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let head = "row [-],t [s],geometry a,geometry b,body a,body b,position x [m],position y [m],";
        assert!(csv.starts_with(head), "{}", csv.lines().next().unwrap());
        assert!(csv.lines().nth(1).unwrap().contains("world"));
        assert_eq!(csv.lines().count(), 1 + position.shape[0]);
    }

    /// Velocities of bodies are the differences of their positions, efforts those of the motor, codes words of `about`.
    #[test]
    fn bodies_and_efforts_are_told() {
        let cart = r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="rail" type="slide" axis="1 0 0"/>
            <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>
            <actuator><motor name="pull" joint="rail"/></actuator></mujoco>"#;
        scratch("told.xml", cart);
        let text = "gravity = [0, 0, 0]\n[[model]]\nfile = \"told.xml\"\ncontrol = [3.0]\n";
        let trajectory = recorded(&Scene::load(&scratch("told.toml", text)).unwrap(), 0.1);
        let arrays = Arrays::of(&trajectory);
        assert_eq!(arrays.doubles("effort").values[1..], vec![3.0; trajectory.len() - 1]);
        let (t, x) = (&trajectory.t, arrays.doubles("body_position").values);
        let v = arrays.doubles("body_velocity").values;
        let i = trajectory.len() - 2;
        let difference = (x[3 * (i + 1)] - x[3 * (i - 1)]) / (t[i + 1] - t[i - 1]);
        assert!((v[3 * i] - difference).abs() < 2e-3 * difference, "{} {difference}", v[3 * i]);
        assert_eq!(trajectory.about.status[arrays.integers("status")[1] as usize], "converged");
        assert_eq!(trajectory.about.remedy[arrays.integers("remedy")[1] as usize], "none");
    }

    /// The guide says of every array what it is, as `about.json` does.
    #[test]
    fn the_guide_tells_every_array() {
        let guide = include_str!("../../../../docs/trajectories.md");
        for q in &QUANTITIES {
            let line = format!("| `{}` | {} | {} | {} |", q.name, q.shape.join(" × "), q.unit, q.meaning);
            assert!(guide.contains(&line), "docs/trajectories.md lacks: {line}");
        }
    }
}
