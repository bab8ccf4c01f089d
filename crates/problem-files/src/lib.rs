//! Problem files: our JSON, and the files of FCLIB [Acary2014], Siconos and ContactBench [LeLidec2024].
//!
//! ```text
//!     local     u = W r + q                             W, q, mu
//!     global    M v = H r + f,  u = Hᵀ v + w             M, H, f, w, mu
//! ```
//!
//! | format | ending | contact rows | holds |
//! |---|---|---|---|
//! | JSON | .json | N, T1, T2 | all of a [`ConstraintProblem`], and an answer |
//! | FCLIB | .hdf5 .h5 | N, T1, T2 | local, global, bilateral rows, an answer |
//! | Siconos | .dat | N, T1, T2 | local, global |
//! | ContactBench | .npz | T1, T2, N | local |
//!
//! Here rows are (t₁, t₂, n). What a file is, its first bytes say, else its ending; what is written, the ending.
//! W may be unsymmetric and stays so; its block pattern is the union of the file's and its transpose, with
//! the diagonal. A planar problem (dim 2) becomes a spatial one with a second tangent that nothing couples
//! to: the block gains the diagonal W_NN and velocity 0, so its impulse is 0 and every residual is unchanged.
//! A global problem is condensed and keeps M and H as its [`stiction_contact::Primal`].
//! What formats of others cannot say is in [`unsaid`]. Numbers survive a round trip bit by bit.

mod fclib;
mod hdf5;
mod json;
mod json_write;
mod neutral;
mod node;
mod npz;
pub mod numpy;
mod plain;
mod shipped;
mod siconos;
mod words;
mod zip;

pub use json::parse;
pub use json_write::to_json;
pub use plain::unsaid;
pub use shipped::{Shipped, shipped};

use std::path::Path;
use std::str::FromStr;
use stiction_contact::primal::PrimalError;
use stiction_contact::problem::ConstraintProblem;
use thiserror::Error;

/// Larger files are refused [bytes].
const MAX_BYTES: u64 = 1 << 30;

/// A problem as a file describes it.
#[derive(Clone, Debug)]
pub struct ProblemFile {
    pub name: String,
    pub problem: ConstraintProblem,
    /// An answer that came with the file.
    pub reference: Option<Reference>,
    /// Row of the file that row r of the problem is; `None` for the tangent a planar contact gained.
    file_row: Vec<Option<usize>>,
}

/// An answer that came with a file, in the problem's row order.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    pub solver: String,
    /// ‖r − P_K(r − u − μ‖u_T‖ e_N)‖/max(1, ‖q‖) by whoever made the file.
    pub residual: f64,
    /// r [N·s].
    pub impulses: Vec<f64>,
}

impl ProblemFile {
    /// `impulses` of the problem in the row order of the file.
    pub fn to_file_order(&self, impulses: &[f64]) -> Vec<f64> {
        assert_eq!(impulses.len(), self.file_row.len(), "one impulse per row");
        let mut out = vec![0.0; self.file_row.iter().flatten().count()];
        for (row, x) in self.file_row.iter().zip(impulses) {
            if let Some(row) = *row {
                out[row] = *x;
            }
        }
        out
    }

    /// Impulses in the row order of the file as impulses of the problem; `None` if there are not as
    /// many as the file has rows.
    pub fn from_file_order(&self, impulses: &[f64]) -> Option<Vec<f64>> {
        let rows = self.file_row.iter().flatten().count();
        let take = |row: &Option<usize>| row.map_or(0.0, |r| impulses[r]);
        (impulses.len() == rows).then(|| self.file_row.iter().map(take).collect())
    }
}

/// An error in a problem file: where it is, the value found, and what was expected.
#[derive(Debug, Error)]
pub enum ProblemFileError {
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
    #[error("{file}: not {format}: {message}")]
    Format { file: String, format: &'static str, message: String },
    #[error("{file}: `{element}` is missing; expected {expected}")]
    Missing { file: String, element: String, expected: String },
    #[error("{file}: `{element}` is {value}; expected {expected}")]
    Value { file: String, element: String, value: String, expected: String },
    #[error(
        "{file}: `formulation` is {formulation}: rolling friction is not supported yet in the form of these files, which bound forces and moments apart"
    )]
    Rolling { file: String, formulation: String },
    #[error("{file}: {source}")]
    Primal { file: String, source: PrimalError },
    #[error("{file}: expected a name that ends in .json, .dat, .hdf5, .h5 or .npz")]
    Ending { file: String },
    #[error("{file}: {message}; .json files hold every problem")]
    Unsaid { file: String, message: String },
}

/// Notations of a contact problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Fclib,
    Siconos,
    Npz,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Fclib, Self::Siconos, Self::Npz];

    /// The one that the ending of a file's name says.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "hdf5" | "h5" => Some(Self::Fclib),
            "dat" => Some(Self::Siconos),
            "npz" => Some(Self::Npz),
            _ => None,
        }
    }

    /// Ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Fclib => "hdf5",
            Self::Siconos => "dat",
            Self::Npz => "npz",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Fclib => "fclib",
            Self::Siconos => "siconos",
            Self::Npz => "npz",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|f| f.name() == text);
        named.ok_or_else(|| format!("`{text}`; expected {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Reads a problem file of any format.
pub fn load(path: &Path) -> Result<ProblemFile, ProblemFileError> {
    let file = path.display().to_string();
    let io = |source| ProblemFileError::Io { file: path.display().to_string(), source };
    let bytes = std::fs::metadata(path).map_err(io)?.len();
    if bytes > MAX_BYTES {
        let (value, expected) = (format!("{bytes} bytes"), format!("at most {MAX_BYTES} bytes"));
        return Err(ProblemFileError::Value { file, element: "size".into(), value, expected });
    }
    read(&std::fs::read(path).map_err(io)?, &file)
}

/// Reads the content of a problem file of any format; `file` names it in errors, and where the file says
/// none its stem names the problem.
pub fn read(bytes: &[u8], file: &str) -> Result<ProblemFile, ProblemFileError> {
    let path = Path::new(file);
    let name = path.file_stem().map_or_else(|| "unnamed".into(), |s| s.to_string_lossy().into_owned());
    let digit = bytes.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
    let plain = if digit { Format::Siconos } else { Format::Json };
    let format = signed(bytes).or_else(|| Format::of_name(path)).unwrap_or(plain);
    let text = |format| {
        let wrong = |e: std::str::Utf8Error| ProblemFileError::Format {
            file: file.into(),
            format,
            message: e.to_string(),
        };
        std::str::from_utf8(bytes).map_err(wrong)
    };
    match format {
        Format::Json => parse(text("JSON")?, file),
        Format::Fclib => fclib::read(bytes, file, name)?.into_file(file),
        Format::Siconos => siconos::read(text("a Siconos problem")?, file, name)?.into_file(file),
        Format::Npz => npz::read(bytes, file, name)?.into_file(file),
    }
}

/// The format whose files begin like this; numbers may begin several.
fn signed(bytes: &[u8]) -> Option<Format> {
    match bytes.trim_ascii_start().first()? {
        _ if bytes.starts_with(hdf5::SIGNATURE) => Some(Format::Fclib),
        _ if bytes.starts_with(zip::SIGNATURE) => Some(Format::Npz),
        b'{' | b'[' => Some(Format::Json),
        _ => None,
    }
}

/// Writes a problem file of the format that its name ends in; see [`to_bytes`].
pub fn save(
    path: &Path,
    name: &str,
    problem: &ConstraintProblem,
    impulses: Option<&[f64]>,
) -> Result<(), ProblemFileError> {
    let file = path.display().to_string();
    let Some(format) = Format::of_name(path) else { return Err(ProblemFileError::Ending { file }) };
    let unsaid = |message| ProblemFileError::Unsaid { file: path.display().to_string(), message };
    let bytes = to_bytes(format, name, problem, impulses).map_err(unsaid)?;
    stiction_store::write(path, bytes).map_err(|source| ProblemFileError::Io { file, source })
}

/// The content of a problem file; `impulses` are kept as its answer where the format has a place for one.
/// A sentence where the format cannot hold the problem. The blocks of G must be formed.
pub fn to_bytes(
    format: Format,
    name: &str,
    problem: &ConstraintProblem,
    impulses: Option<&[f64]>,
) -> Result<Vec<u8>, String> {
    match format {
        Format::Json => Ok(to_json(name, problem, impulses).into_bytes()),
        Format::Fclib => fclib::write(&plain::Plain::of(name, problem, impulses, true)?),
        Format::Siconos => Ok(siconos::write(&plain::Plain::of(name, problem, None, false)?).into_bytes()),
        Format::Npz => npz::write(&plain::Plain::of(name, problem, None, false)?),
    }
}
