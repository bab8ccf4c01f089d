//! Planar drops: measured trajectories, and those of another simulator from the same states.

use super::table::{DataError, Table, files};
use std::collections::BTreeMap;
use std::path::Path;

/// A trajectory in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Number in the data set.
    pub id: u32,
    /// Seconds between frames.
    pub dt: f64,
    /// (x, z, θ) of every frame [m, m, rad], θ without jumps of 2π.
    pub frames: Vec<[f64; 3]>,
    /// Velocity that the data set gives for frame 0 [m/s, m/s, rad/s].
    pub velocity: [f64; 3],
}

const COLUMNS: [&str; 9] = ["traj", "k", "t", "x", "z", "th", "vx", "vz", "vth"];

/// Reads the trajectories of all files `{prefix}*.csv` of a folder, by number.
///
/// # Errors
///
/// If there is no file, a file is no table of trajectories, or two files hold the same number.
pub fn read_trajectories(place: &Path, prefix: &str) -> Result<BTreeMap<u32, Trajectory>, DataError> {
    let mut all = BTreeMap::new();
    for file in files(place, prefix)? {
        let table = Table::read(&file, &COLUMNS)?;
        let mut open: Option<(Trajectory, f64)> = None;
        for (row, cells) in table.rows().enumerate() {
            let wrong = |what| table.error(row, what);
            let &[number, k, t, x, z, th, ..] = cells else { continue };
            if number.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&number) {
                return Err(wrong(format!("column `traj` is {number}, expected a whole number")));
            }
            let id = number as u32;
            if open.as_ref().is_none_or(|(o, _)| o.id != id) {
                finish(open.take(), &mut all, &wrong)?;
                let velocity = [cells[6], cells[7], cells[8]];
                open = Some((Trajectory { id, dt: 0.0, frames: Vec::new(), velocity }, t));
            }
            let Some((trajectory, t0)) = &mut open else { continue };
            let at = trajectory.frames.len();
            if k != at as f64 {
                return Err(wrong(format!("trajectory {id}: frame {k} follows frame {}", at as f64 - 1.0)));
            }
            if at == 1 {
                trajectory.dt = t - *t0;
            }
            if at > 0 && (t - *t0 - trajectory.dt * k).abs() > 1e-3 * trajectory.dt || t < *t0 {
                return Err(wrong(format!(
                    "trajectory {id}: frame {k} is at {t} s, frames are not evenly spaced"
                )));
            }
            trajectory.frames.push([x, z, th]);
        }
        let end = table.rows().count();
        finish(open, &mut all, &|what| table.error(end.saturating_sub(1), what))?;
    }
    Ok(all)
}

/// Unwraps a finished trajectory and puts it with the others.
fn finish(
    open: Option<(Trajectory, f64)>,
    all: &mut BTreeMap<u32, Trajectory>,
    wrong: &dyn Fn(String) -> DataError,
) -> Result<(), DataError> {
    let Some((mut trajectory, _)) = open else { return Ok(()) };
    let id = trajectory.id;
    if trajectory.frames.len() < 2 || trajectory.dt <= 0.0 {
        return Err(wrong(format!("trajectory {id} has fewer than two frames, or they are at one time")));
    }
    let mut turns = 0.0;
    let mut last = trajectory.frames[0][2];
    for frame in &mut trajectory.frames {
        let raw = frame[2];
        turns -= ((raw - last) / std::f64::consts::TAU).round();
        last = raw;
        frame[2] = raw + turns * std::f64::consts::TAU;
    }
    match all.insert(id, trajectory) {
        Some(_) => Err(wrong(format!("trajectory {id} is there twice"))),
        None => Ok(()),
    }
}

/// A choice of numbers such as `1-400` or `1-300,350,401-500`.
///
/// # Errors
///
/// If the text is not of this form; the message says which part.
pub fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let mut chosen = Vec::new();
    for part in text.split(',').map(str::trim) {
        let wrong = || format!("`{part}` is no number and no range such as 1-400");
        let (a, b) = part.split_once('-').unwrap_or((part, part));
        let (a, b): (u32, u32) =
            (a.trim().parse().map_err(|_| wrong())?, b.trim().parse().map_err(|_| wrong())?);
        if b < a || b - a > 1_000_000 {
            return Err(wrong());
        }
        chosen.extend(a..=b);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges, single numbers, and what is neither.
    #[test]
    fn numbers_are_chosen_by_ranges() {
        assert_eq!(numbers("3, 1-2,2").unwrap(), [1, 2, 3]);
        for wrong in ["", "a", "4-2", "1-", "-3"] {
            assert!(numbers(wrong).is_err(), "{wrong}");
        }
    }

    /// Angles are unwrapped, and what does not hang together is told with its line.
    #[test]
    fn trajectories_are_read_and_refused() {
        let folder = std::env::temp_dir().join(format!("stiction-drops-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let header = "traj,k,t,x,z,th,vx,vz,vth\n";
        let write = |rows: &str| std::fs::write(folder.join("d_1.csv"), format!("{header}{rows}")).unwrap();
        write("7,0,0,1,2,3,4,5,6\n7,1,0.5,1,2,-3,0,0,0\n8,0,0,0,0,0,0,0,0\n8,1,0.5,0,0,0,0,0,0\n");
        let all = read_trajectories(&folder, "d_").unwrap();
        assert_eq!(all.keys().copied().collect::<Vec<_>>(), [7, 8]);
        assert_eq!((all[&7].velocity, all[&7].dt), ([4.0, 5.0, 6.0], 0.5));
        assert!((all[&7].frames[1][2] - (std::f64::consts::TAU - 3.0)).abs() < 1e-12);
        for (rows, wanted) in [
            ("7,0,0,1,2,3,4,5,6\n", "fewer than two frames"),
            ("7,0,0,0,0,0,0,0,0\n7,2,0.5,0,0,0,0,0,0\n", ":3: trajectory 7: frame 2 follows frame 0"),
            (
                "7,0,0,0,0,0,0,0,0\n7,1,0.5,0,0,0,0,0,0\n7,2,0.9,0,0,0,0,0,0\n",
                ":4: trajectory 7: frame 2 is at 0.9 s",
            ),
        ] {
            write(rows);
            let told = read_trajectories(&folder, "d_").unwrap_err().to_string();
            assert!(told.contains(wanted), "{told}");
        }
        assert!(read_trajectories(&folder, "e_").unwrap_err().to_string().contains("no file `e_*.csv`"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
