//! Mesh files: triangles as STL, COLLADA and glTF write them. (OBJ has a reader of its own.)
//!
//! One file per format, all alike: bytes in, named [`Part`]s out, or a sentence that says where and
//! what. Numbers are read in single precision, as these files are written and as the programs read
//! them that robots are compared with. Colours, normals and textures are passed over.
//!
//! A file is not believed: a count that it states makes no room, an index is looked up, and copies
//! of copies are bounded.

mod collada;
mod gltf;
mod stl;

use std::path::Path;
use stiction_dynamics::spatial::{Mat3, Vec3};

/// Formats of mesh files, for messages.
pub(crate) const FORMATS: &str = "STL, OBJ, COLLADA or glTF (.stl, .obj, .dae, .gltf, .glb)";
/// Largest file read, with those that it names [bytes].
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// Most triangles of a file, copies included.
const MAX_TRIANGLES: usize = 20_000_000;

/// A named piece of a file; the indices of its faces exist.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// [m] after the file's own unit, z up after its own axes.
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) faces: Vec<[u32; 3]>,
}

/// x ↦ A x + b.
#[derive(Clone, Copy)]
struct Affine {
    A: Mat3,
    b: Vec3,
}

impl Affine {
    const IDENTITY: Self = Self { A: Mat3::IDENTITY, b: Vec3::ZERO };

    fn apply(&self, x: Vec3) -> Vec3 {
        self.A * x + self.b
    }

    fn then(&self, inner: &Self) -> Self {
        Self { A: self.A * inner.A, b: self.apply(inner.b) }
    }
}

/// The parts of a file's `bytes`; the ending of `path` says the format.
pub(crate) fn parts(path: &Path, bytes: &[u8]) -> Result<Vec<Part>, String> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let parts = match ending.as_str() {
        "stl" => stl::read(bytes),
        "dae" => collada::read(path, text(bytes)?),
        "gltf" | "glb" => gltf::read(path, bytes),
        "" => Err("no ending says its format".to_owned()),
        other => Err(format!("files that end in .{other} are not read")),
    };
    let parts = parts.map_err(|e| format!("{e}; expected {FORMATS}"))?;
    let lost = parts.iter().flat_map(|p| &p.vertices).find(|v| !v.is_finite());
    match lost {
        Some(v) => Err(format!("a vertex is {:?}; expected finite coordinates", v.to_array())),
        None => Ok(parts),
    }
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    let wrong =
        |e: std::str::Utf8Error| format!("not UTF-8 text (byte {}); expected {FORMATS}", e.valid_up_to());
    std::str::from_utf8(bytes).map_err(wrong)
}

/// A number of a text, in single precision; `at` says where it stands.
fn number(word: &str, at: impl FnOnce() -> String) -> Result<f64, String> {
    match word.parse::<f32>() {
        Ok(x) => Ok(f64::from(x)),
        Err(_) => Err(format!("{}: `{}`; expected a number", at(), crate::words::shortened(word))),
    }
}

/// The triangles that fan out from the first corner of a polygon.
fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let first = corners.first().copied().unwrap_or(0);
    corners.windows(2).skip(1).filter_map(move |w| Some([first, *w.first()?, *w.get(1)?]))
}
