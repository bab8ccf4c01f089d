//! Files of measured tosses.

use super::measured::Toss;
use super::scene::TossScene;
use std::path::Path;
use stiction_learn::data::{DataError, Table, files};

/// All tosses of a folder, in the order of its files.
#[derive(Clone, Debug)]
pub struct TossSet {
    pub tosses: Vec<Toss>,
}

/// Columns of the first body: positions and velocities.
const POSITION: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const VELOCITY: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];

impl TossSet {
    /// Reads the files of `S` in a folder: `toss`, `k`, position and velocity of the first body, and those of the joints.
    ///
    /// # Errors
    ///
    /// If there are none, a file is not what it should be, frames of a toss do not follow each other, or a quaternion is none.
    pub fn read<S: TossScene>(place: &Path) -> Result<Self, DataError> {
        let mut columns = vec!["toss", "k"];
        columns.extend(POSITION.iter().chain(S::ANGLES).chain(&VELOCITY).chain(S::RATES));
        let positions = POSITION.len() + S::ANGLES.len();
        let mut tosses: Vec<Toss> = Vec::new();
        for file in files(place, S::FILES)? {
            let table = Table::read(&file, &columns)?;
            for (row, c) in table.rows().enumerate() {
                let (id, k) = (c[0] as u32, c[1] as usize);
                let (frame, velocity) = c[2..].split_at(positions);
                let mut frame = frame.to_vec();
                let norm = frame[3..7].iter().map(|q| q * q).sum::<f64>().sqrt();
                if (norm - 1.0).abs() > 0.01 {
                    let what = format!("the quaternion has norm {norm}, expected 1");
                    return Err(table.error(row, what));
                }
                frame[3..7].iter_mut().for_each(|q| *q /= norm);
                if k == 0 {
                    tosses.push(Toss { id, frames: vec![frame], velocity: velocity.to_vec() });
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
