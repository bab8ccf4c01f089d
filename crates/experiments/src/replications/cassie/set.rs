//! Measured landings.

use std::path::Path;
use stiction_learn::data::{DataError, Table, files};

/// Joints of the data set, left before right where there are two, with the name of the joint of the MJCF model. The last are
/// springs of the ankles, which have no encoder.
pub const JOINTS: [(&str, &str); 8] = [
    ("hip_roll", "hip-roll"),
    ("hip_yaw", "hip-yaw"),
    ("hip_pitch", "hip-pitch"),
    ("knee", "knee"),
    ("knee_joint", "shin"),
    ("ankle_joint", "tarsus"),
    ("toe", "foot"),
    ("ankle_spring_joint", "heel-spring"),
];

/// Joints with motors, as in [`JOINTS`].
pub const MOTORS: [(&str, &str); 5] = [
    ("hip_roll", "hip-roll"),
    ("hip_yaw", "hip-yaw"),
    ("hip_pitch", "hip-pitch"),
    ("knee", "knee"),
    ("toe", "foot"),
];

const SIDES: [&str; 2] = ["left", "right"];

/// A landing.
#[derive(Clone, Debug, PartialEq)]
pub struct Landing {
    /// Number in the data set.
    pub id: u32,
    /// From 0 on [s].
    pub times: Vec<f64>,
    /// Pelvis: position [m] and quaternion (w, x, y, z) from body to world.
    pub base: Vec<[f64; 7]>,
    /// Pelvis: velocity [m/s] and angular velocity [rad/s], both in world axes.
    pub base_velocity: Vec<[f64; 6]>,
    /// Angles [rad] and rates [rad/s], side by side within a joint of [`JOINTS`].
    pub angles: Vec<[f64; 16]>,
    pub rates: Vec<[f64; 16]>,
    /// Torques of [`MOTORS`], likewise [N·m].
    pub torques: Vec<[f64; 10]>,
}

/// All landings of a folder, in the order of its files.
#[derive(Clone, Debug)]
pub struct CassieSet {
    pub landings: Vec<Landing>,
}

impl CassieSet {
    /// Reads `cassie_impact_*.csv` of a folder.
    ///
    /// # Errors
    ///
    /// If there are none, a file is not what it should be, or frames of a landing do not follow each other.
    pub fn read(place: &Path) -> Result<Self, DataError> {
        let mut names: Vec<String> = [
            "traj", "k", "t", "base_x", "base_y", "base_z", "base_qw", "base_qx", "base_qy", "base_qz",
            "base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz",
        ]
        .map(str::to_owned)
        .to_vec();
        let sided = |joint: &str| SIDES.map(|side| format!("{joint}_{side}"));
        names.extend(JOINTS.iter().flat_map(|(joint, _)| sided(joint)));
        names.extend(JOINTS.iter().flat_map(|(joint, _)| sided(joint).map(|name| format!("{name}dot"))));
        names.extend(MOTORS.iter().flat_map(|(joint, _)| sided(joint).map(|name| format!("u_{name}"))));
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut landings: Vec<Landing> = Vec::new();
        for file in files(place, "cassie_impact_")? {
            let table = Table::read(&file, &columns)?;
            for (row, c) in table.rows().enumerate() {
                let (id, k) = (c[0] as u32, c[1] as usize);
                if k == 0 {
                    landings.push(Landing {
                        id,
                        times: Vec::new(),
                        base: Vec::new(),
                        base_velocity: Vec::new(),
                        angles: Vec::new(),
                        rates: Vec::new(),
                        torques: Vec::new(),
                    });
                }
                let follows = |l: &Landing| l.id == id && l.times.len() == k && l.times.last() < Some(&c[2]);
                let Some(landing) = landings.last_mut().filter(|l| follows(l)) else {
                    let what = format!("frame {k} of landing {id} does not follow the frame before it");
                    return Err(table.error(row, what));
                };
                landing.times.push(c[2]);
                let mut base: [f64; 7] = std::array::from_fn(|i| c[3 + i]);
                let norm = base[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
                if (norm - 1.0).abs() > 0.01 {
                    return Err(table.error(row, format!("the quaternion has norm {norm}, expected 1")));
                }
                base[3..].iter_mut().for_each(|q| *q /= norm);
                landing.base.push(base);
                landing.base_velocity.push(std::array::from_fn(|i| c[10 + i]));
                landing.angles.push(std::array::from_fn(|i| c[16 + i]));
                landing.rates.push(std::array::from_fn(|i| c[32 + i]));
                landing.torques.push(std::array::from_fn(|i| c[48 + i]));
            }
        }
        Ok(Self { landings })
    }

    /// The names of a joint of the model, left and right.
    pub(super) fn sided(joint: &str) -> [String; 2] {
        SIDES.map(|side| format!("{side}-{joint}"))
    }
}
