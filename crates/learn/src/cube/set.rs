//! Measured tosses.

use crate::data::{DataError, Table, files};
use std::path::Path;

/// Seconds from frame to frame: what positions and velocities of the files agree with (148.3 Hz).
pub const FRAME: f64 = 6.743e-3;

/// A toss.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// Number in the data set.
    pub id: u32,
    /// Position of the centre [m] and the quaternion (w, x, y, z) from body to world, frame by frame.
    pub frames: Vec<[f64; 7]>,
    /// Given for the first frame: velocity of the centre in world axes [m/s], angular velocity in body axes [rad/s].
    /// Both are differences to the frame before it, half a frame old.
    pub velocity: [f64; 6],
}

/// All tosses of a folder, in the order of its files.
#[derive(Clone, Debug)]
pub struct CubeSet {
    pub tosses: Vec<Toss>,
}

impl CubeSet {
    /// Reads `cube_toss_*.csv` of a folder.
    ///
    /// # Errors
    ///
    /// If there are none, a file is not what it should be, frames of a toss do not follow each other, or a quaternion is none.
    pub fn read(place: &Path) -> Result<Self, DataError> {
        let columns =
            ["toss", "k", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];
        let mut tosses: Vec<Toss> = Vec::new();
        for file in files(place, "cube_toss_")? {
            let table = Table::read(&file, &columns)?;
            for (row, c) in table.rows().enumerate() {
                let (id, k) = (c[0] as u32, c[1] as usize);
                let mut frame: [f64; 7] = std::array::from_fn(|i| c[2 + i]);
                let norm = frame[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
                if (norm - 1.0).abs() > 0.01 {
                    let what = format!("the quaternion has norm {norm}, expected 1");
                    return Err(table.error(row, what));
                }
                frame[3..].iter_mut().for_each(|q| *q /= norm);
                if k == 0 {
                    let velocity = std::array::from_fn(|i| c[9 + i]);
                    tosses.push(Toss { id, frames: vec![frame], velocity });
                    continue;
                }
                match tosses.last_mut() {
                    Some(toss) if toss.id == id && toss.frames.len() == k => toss.frames.push(frame),
                    _ => {
                        let what = format!("frame {k} of toss {id} does not follow the frame before it");
                        return Err(table.error(row, what));
                    }
                }
            }
        }
        Ok(Self { tosses })
    }
}
