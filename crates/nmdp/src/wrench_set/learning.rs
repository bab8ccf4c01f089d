//! Learning a set from samples of another, or of measurements, and the file it is kept in.
//!
//! ```text
//!     θ = argmin Σ_samples (y/δ − Σ_k θ_k φ(|x − x_k|))² + ρ |θ|²                     (1)
//! ```
//!
//! with x, y, δ and φ of [`super::learned`]. A sample says the vertices of the polytope at a depth and a tilt; every sample the
//! same number, in the same order. Here they come from a finer set that would cost too much in a step
//! ([`LearnedTable::of_teacher`]); where a robot was measured they come from there ([`LearnedTable::fit`]) [Zhu2019].

use super::learned::{LearnedParams, LearnedTable};
use super::{Place, WrenchSet};
use crate::wrench_set::cone::Ground;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use stiction_dynamics::spatial::{Force, Mat3, Quat, Vec3, vec3};

/// A pose, and the vertices there.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Depth δ of the lowest point of the foot by equation (0) of [`super::learned`] [m].
    pub depth: f64,
    /// Parts (a, b) of the axis of the foot along the two directions of the ground [–].
    pub tilt: [f64; 2],
    /// Vertices: moment about the site [N·m] and force [N], along these directions and the normal.
    pub vertices: Vec<Force>,
}

/// Why nothing can be learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearningError {
    #[error("{name} is {value}; expected {expected}")]
    Range { name: &'static str, value: f64, expected: &'static str },
    #[error("sample {at} has {found} vertices; the first has {expected}")]
    Vertices { at: usize, found: usize, expected: usize },
    #[error("sample {at} is not deeper than 0, or holds a number that is not finite")]
    NotDeep { at: usize },
    #[error("{samples} samples determine no set; more of them, or a larger ridge, do")]
    Undetermined { samples: usize },
}

/// A file of a learned set that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct LearnedFileError {
    pub path: PathBuf,
    pub reason: String,
}

/// Bytes beyond which a file is taken for a mistake.
const MAX_FILE: u64 = 64 << 20;
/// The first entry of a file.
const FORMAT: &str = "stiction learned contact set 1";

/// A file, entry by entry.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    params: LearnedParams,
    vertices: usize,
    centres: Vec<[f64; 3]>,
    /// Rows of θ.
    theta: Vec<Vec<f64>>,
}

impl LearnedParams {
    /// Checks every range.
    pub fn validate(&self) -> Result<(), LearningError> {
        let check = |name, value: f64, ok: bool, expected| {
            if ok && value.is_finite() { Ok(()) } else { Err(LearningError::Range { name, value, expected }) }
        };
        for (name, value) in
            [("radius", self.radius), ("depth", self.depth), ("width", self.width), ("ridge", self.ridge)]
        {
            check(name, value, value > 0.0, "a number > 0")?;
        }
        check("tilt", self.tilt, self.tilt > 0.0 && self.tilt <= 0.7, "the sine of an angle in (0, 0.7]")?;
        let ok = |n: usize| (3..=41).contains(&n);
        for (name, n) in
            [("samples along the depth", self.samples[0]), ("samples along a tilt", self.samples[1])]
        {
            check(name, n as f64, ok(n), "3 to 41")?;
        }
        Ok(())
    }

    /// The grid of x at which a teacher is asked, and whether a basis function has its centre there.
    fn grid(&self) -> Vec<(Vec3, bool)> {
        let [depths, tilts] = self.samples;
        let share = |k: usize, n: usize| k as f64 / (n - 1) as f64;
        let mut out = Vec::new();
        for i in 0..depths {
            for j in 0..tilts {
                for k in 0..tilts {
                    let depth = 0.02 + 0.98 * share(i, depths);
                    let x = vec3(depth, 2.0 * share(j, tilts) - 1.0, 2.0 * share(k, tilts) - 1.0);
                    out.push((x, i % 2 == 0 && j % 2 == 0 && k % 2 == 0));
                }
            }
        }
        out
    }
}

impl Sample {
    /// The vertices of `set`, of a foot with `axis` in axes of its body on `ground`, at the features x.
    pub fn of(set: &dyn WrenchSet, (ground, axis): (Ground, Vec3), params: &LearnedParams, x: Vec3) -> Self {
        let (t1, t2) = ground.normal.tangents();
        let [a, b] = [x.y, x.z].map(|x| x * params.tilt);
        let up = (1.0 - (a * a + b * b).min(0.99)).sqrt();
        let tilted = (t1 * a + t2 * b + ground.normal * up).normalized().unwrap_or(ground.normal);
        let R_WB = Quat::between(axis, tilted).to_matrix();
        let depth = x.x * params.depth;
        let place = Place { R_WB, p: ground.normal * (ground.offset - depth + params.reach(a, b)[0]) };
        let mut vertices = vec![Force::new(Vec3::ZERO, Vec3::ZERO); set.len()];
        set.vertices_into(&place, &mut vertices);
        let frame = Mat3 { rows: [t1, t2, ground.normal] };
        for vertex in &mut vertices {
            *vertex = Force::new(frame * vertex.angular, frame * vertex.linear);
        }
        Self { depth, tilt: [a, b], vertices }
    }
}

impl LearnedTable {
    /// Learns a finer set of a foot with `axis`, away from the ground, in axes of its body.
    pub fn of_teacher(
        teacher: &dyn WrenchSet,
        ground: Ground,
        axis: Vec3,
        params: &LearnedParams,
    ) -> Result<Self, LearningError> {
        params.validate()?;
        let samples: Vec<_> =
            params.grid().iter().map(|(x, _)| Sample::of(teacher, (ground, axis), params, *x)).collect();
        Self::fit(&samples, params)
    }

    /// Fits (1) to samples, in no order, with the centres that `params` name.
    pub fn fit(samples: &[Sample], params: &LearnedParams) -> Result<Self, LearningError> {
        params.validate()?;
        let centres: Vec<Vec3> =
            params.grid().into_iter().filter_map(|(x, centre)| centre.then_some(x)).collect();
        let vertices = samples.first().map_or(0, |s| s.vertices.len());
        let mut features = DMatrix::zeros(samples.len(), centres.len());
        let mut targets = DMatrix::zeros(samples.len(), 6 * vertices);
        for (row, sample) in samples.iter().enumerate() {
            if sample.vertices.len() != vertices {
                let found = sample.vertices.len();
                return Err(LearningError::Vertices { at: row + 1, found, expected: vertices });
            }
            let [a, b] = sample.tilt.map(|tilt| tilt / params.tilt);
            let x = vec3(sample.depth / params.depth, a, b);
            for (k, centre) in centres.iter().enumerate() {
                features[(row, k)] = params.basis(x, *centre);
            }
            let numbers = sample.vertices.iter().flat_map(numbers);
            for (k, y) in numbers.enumerate() {
                targets[(row, k)] = y / sample.depth;
            }
            let finite = (0..6 * vertices).all(|k| f64::is_finite(targets[(row, k)]));
            if !(sample.depth > 0.0 && x.is_finite() && finite) {
                return Err(LearningError::NotDeep { at: row + 1 });
            }
        }
        let mut normal = features.transpose() * &features;
        for k in 0..centres.len() {
            normal[(k, k)] += params.ridge;
        }
        let undetermined = LearningError::Undetermined { samples: samples.len() };
        if vertices == 0 {
            return Err(undetermined);
        }
        let theta = normal.cholesky().ok_or(undetermined)?.solve(&(features.transpose() * targets)); // (1)
        Ok(Self { params: *params, centres, vertices, theta })
    }

    /// The text of a file that holds it.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let theta = self.theta.row_iter().map(|row| row.iter().copied().collect()).collect();
        let file = File {
            format: FORMAT.to_owned(),
            params: self.params,
            vertices: self.vertices,
            centres: self.centres.iter().map(|c| c.to_array()).collect(),
            theta,
        };
        serde_json::to_string(&file)
    }

    /// Reads a file that [`Self::to_json`] made.
    pub fn load(path: &Path) -> Result<Self, LearnedFileError> {
        let wrong = |reason: String| LearnedFileError { path: path.to_owned(), reason };
        let size = std::fs::metadata(path).map_err(|e| wrong(e.to_string()))?.len();
        if size > MAX_FILE {
            return Err(wrong(format!("{size} bytes; a learned contact set has at most {MAX_FILE}")));
        }
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        Self::from_json(&text).map_err(wrong)
    }

    /// Reads the text of such a file; the error says what of it is wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text)
            .map_err(|e| format!("no learned contact set (`stiction learn sole` makes one): {e}"))?;
        if file.format != FORMAT {
            return Err(format!("`format` is `{}`; expected `{FORMAT}`", file.format));
        }
        file.params.validate().map_err(|e| format!("params: {e}"))?;
        let (rows, width) = (file.centres.len(), 6 * file.vertices);
        if !(1..=1000).contains(&file.vertices) {
            return Err(format!("{} vertices; expected 1 to 1000", file.vertices));
        }
        if file.theta.len() != rows || file.theta.iter().any(|row| row.len() != width) {
            return Err(format!(
                "`theta` is no table of {rows} rows, one per centre, with {width} numbers each"
            ));
        }
        let finite = file.theta.iter().flatten().chain(file.centres.iter().flatten()).all(|x| x.is_finite());
        if !finite {
            return Err("a number is not finite".to_owned());
        }
        Ok(Self {
            params: file.params,
            centres: file.centres.iter().map(|&[x, y, z]| vec3(x, y, z)).collect(),
            vertices: file.vertices,
            theta: DMatrix::from_fn(rows, width, |i, j| file.theta[i][j]),
        })
    }

    /// How far the set is from `teacher` where the features x are half way between samples: the largest distance of a force
    /// and the largest force [N].
    pub fn error(&self, student: &dyn WrenchSet, teacher: &dyn WrenchSet, at: (Ground, Vec3)) -> [f64; 2] {
        let mut out = [0.0_f64; 2];
        let [depths, tilts] = self.params.samples;
        let step = vec3(0.49 / (depths - 1) as f64, 1.0 / (tilts - 1) as f64, 1.0 / (tilts - 1) as f64);
        for (x, _) in self.params.grid() {
            let x = x + step;
            if x.x > 1.0 || x.y > 1.0 || x.z > 1.0 {
                continue;
            }
            let [a, b] = [student, teacher].map(|set| Sample::of(set, at, &self.params, x).vertices);
            for (a, b) in a.iter().zip(&b) {
                out[0] = out[0].max((a.linear - b.linear).norm());
                out[1] = out[1].max(b.linear.norm());
            }
        }
        out
    }
}

/// The six numbers of a wrench.
fn numbers(force: &Force) -> impl Iterator<Item = f64> {
    force.angular.to_array().into_iter().chain(force.linear.to_array())
}
