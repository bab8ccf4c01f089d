//! Convex parts of meshes, remembered on disk: a decomposition takes seconds, reading it back none.
//!
//! An entry is a file named by its key,
//!
//! ```text
//!     key = SHA-256 (format, parameters, vertices, triangles)
//!     MAGIC, key, number of parts, of each: number of points, points; SHA-256 of all before
//! ```
//!
//! numbers little-endian, points as three `f64` [m]. An entry that is cut off, altered or of
//! another format is made anew; a folder that cannot be written is done without. With and without
//! the cache the hulls are the same to the bit: both are built from the points of an entry.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction_collision::{ConvexMesh, Decomposition, ShapeError};
use stiction_dynamics::spatial::{Vec3, vec3};
use stiction_store::{Digest, digest};

use crate::files::read_bytes;

/// The format of an entry, and the algorithm: another number makes all entries anew.
const MAGIC: &[u8; 16] = b"stiction parts 3";
/// Letters of a digest.
const DIGITS: usize = 64;
/// Largest entry read [bytes].
const MAX_BYTES: u64 = 64 << 20;

/// Where decompositions are remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HullCache {
    /// Nowhere: every load decomposes.
    Off,
    /// In this folder, made when needed.
    Folder(PathBuf),
}

impl Default for HullCache {
    /// The user's cache folder: `$XDG_CACHE_HOME/stiction`, else `~/.cache/stiction`; off when neither
    /// is known.
    fn default() -> Self {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let home = || absolute("HOME").map(|home| home.join(".cache"));
        let folder = absolute("XDG_CACHE_HOME").or_else(home);
        folder.map_or(Self::Off, |folder| Self::Folder(folder.join("stiction")))
    }
}

impl HullCache {
    /// The convex parts of a mesh, remembered or made.
    pub fn parts(
        &self,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        wanted: &Decomposition,
    ) -> Result<Vec<Arc<ConvexMesh>>, ShapeError> {
        let key = key(vertices, triangles, wanted);
        let path = match self {
            Self::Off => None,
            Self::Folder(folder) => Some(folder.join(format!("{key}.parts"))),
        };
        let known = path.as_ref().and_then(|path| read(path, &key)).and_then(|parts| build(&parts).ok());
        if let Some(hulls) = known {
            return Ok(hulls);
        }
        let made: Vec<Vec<Vec3>> =
            wanted.of(vertices, triangles)?.iter().map(|hull| hull.vertices().to_vec()).collect();
        if let Some(path) = path {
            // A cache that cannot be written costs time, nothing else.
            let _ = write(&path, &key, &made);
        }
        build(&made)
    }
}

fn build(parts: &[Vec<Vec3>]) -> Result<Vec<Arc<ConvexMesh>>, ShapeError> {
    parts.iter().map(|points| ConvexMesh::from_points(points).map(Arc::new)).collect()
}

fn key(vertices: &[Vec3], triangles: &[[u32; 3]], wanted: &Decomposition) -> String {
    let mut hash = Digest::new();
    hash.bytes(MAGIC);
    hash.bytes(&wanted.resolution.to_le_bytes());
    hash.bytes(&wanted.concavity.to_le_bytes());
    hash.bytes(&wanted.max_hulls.to_le_bytes());
    hash.bytes(&(vertices.len() as u64).to_le_bytes());
    vertices.iter().flat_map(|p| p.to_array()).for_each(|x| hash.bytes(&x.to_le_bytes()));
    triangles.iter().flatten().for_each(|i| hash.bytes(&i.to_le_bytes()));
    hash.finish()
}

/// `None` when there is no entry or it is not what was written.
fn read(path: &Path, key: &str) -> Option<Vec<Vec<Vec3>>> {
    let bytes = read_bytes(path, MAX_BYTES).ok()?;
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(DIGITS)?)?;
    if sum != digest(content).as_bytes() {
        return None;
    }
    let mut rest = content.strip_prefix(MAGIC)?.strip_prefix(key.as_bytes())?;
    let count = number(&mut rest)?;
    let mut parts = Vec::new();
    for _ in 0..count {
        let points = number(&mut rest)?;
        let (here, after) = rest.split_at_checked(usize::try_from(points).ok()?.checked_mul(24)?)?;
        rest = after;
        parts.push(here.chunks_exact(24).map(point).collect::<Option<Vec<_>>>()?);
    }
    (rest.is_empty() && !parts.is_empty()).then_some(parts)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (here, after) = rest.split_at_checked(8)?;
    *rest = after;
    here.try_into().ok().map(u64::from_le_bytes)
}

fn point(bytes: &[u8]) -> Option<Vec3> {
    let x = |i: usize| bytes.get(8 * i..8 * i + 8)?.try_into().ok().map(f64::from_le_bytes);
    Some(vec3(x(0)?, x(1)?, x(2)?))
}

/// In one piece: a reader sees the whole entry or none.
fn write(path: &Path, key: &str, parts: &[Vec<Vec3>]) -> std::io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(key.as_bytes());
    bytes.extend((parts.len() as u64).to_le_bytes());
    for points in parts {
        bytes.extend((points.len() as u64).to_le_bytes());
        bytes.extend(points.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes));
    }
    let sum = digest(&bytes);
    bytes.extend(sum.as_bytes());
    stiction_store::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cubes a side apart, as one mesh.
    fn dumb_bell() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let cube = |x: f64| {
            let corner = |i: u32| vec3(x + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
            ConvexMesh::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
        };
        let (left, right) = (cube(0.0), cube(2.0));
        let vertices = [left.vertices(), right.vertices()].concat();
        let shifted = right.triangles().iter().map(|t| t.map(|i| i + 8));
        (vertices, left.triangles().iter().copied().chain(shifted).collect())
    }

    fn corners(hulls: &[Arc<ConvexMesh>]) -> Vec<Vec<Vec3>> {
        hulls.iter().map(|h| h.vertices().to_vec()).collect()
    }

    /// A folder of this test's own.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    fn entries(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths
    }

    #[test]
    fn what_is_remembered_is_what_was_made() {
        let folder = folder("remembered");
        let cache = HullCache::Folder(folder.clone());
        let ((vertices, triangles), wanted) = (dumb_bell(), Decomposition::default());
        let parts = |cache: &HullCache| corners(&cache.parts(&vertices, &triangles, &wanted).unwrap());
        let made = parts(&cache);
        assert_eq!(made.len(), 2);
        assert_eq!(entries(&folder).len(), 1);
        assert_eq!(parts(&cache), made);
        assert_eq!(parts(&HullCache::Off), made);
        // Other parameters, another entry.
        let fine = Decomposition { resolution: 32, ..wanted };
        cache.parts(&vertices, &triangles, &fine).unwrap();
        assert_eq!(entries(&folder).len(), 2);
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// Cut off, altered in any byte, or not ours: made anew, and the entry is mended.
    #[test]
    fn a_spoilt_entry_is_made_anew() {
        let folder = folder("spoilt");
        let cache = HullCache::Folder(folder.clone());
        let ((vertices, triangles), wanted) = (dumb_bell(), Decomposition::default());
        let parts = || corners(&cache.parts(&vertices, &triangles, &wanted).unwrap());
        let made = parts();
        let path = entries(&folder).remove(0);
        let good = std::fs::read(&path).unwrap();
        let altered = |i: usize| {
            let mut bytes = good.clone();
            bytes[i] ^= 0x40;
            bytes
        };
        let mut spoilt: Vec<Vec<u8>> = (0..good.len()).step_by(41).map(altered).collect();
        spoilt.extend([Vec::new(), good[..10].to_vec(), good[..good.len() - 1].to_vec(), vec![255; 200]]);
        // A proper sum over nonsense: more points than bytes.
        let mut nonsense = [&good[..MAGIC.len() + DIGITS + 8], &u64::MAX.to_le_bytes()].concat();
        let sum = digest(&nonsense);
        nonsense.extend(sum.as_bytes());
        spoilt.push(nonsense);
        for bytes in spoilt {
            std::fs::write(&path, bytes).unwrap();
            assert!(read(&path, &key(&vertices, &triangles, &wanted)).is_none());
        }
        assert_eq!(parts(), made);
        assert_eq!(std::fs::read(&path).unwrap(), good);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_is_done_without() {
        let file = folder("file");
        std::fs::write(&file, "in the way").unwrap();
        let cache = HullCache::Folder(file.join("below a file"));
        let (vertices, triangles) = dumb_bell();
        assert_eq!(cache.parts(&vertices, &triangles, &Decomposition::default()).unwrap().len(), 2);
        std::fs::remove_file(file).unwrap();
    }
}
