//! Arrays of numpy, and archives of them (`.npz`), as `numpy.load` reads and `numpy.savez` writes them.
//!
//! ```text
//!     array = "\x93NUMPY", version, length of head, head, numbers
//!     head  = {'descr': '<f8', 'fortran_order': False, 'shape': (12, 1), }     padded to a multiple of 64 bytes
//! ```
//!
//! Members are stored without compression, one array at a time: an archive may be as large as a file, not
//! as memory. Read are doubles alone (`<f8`).

use super::zip;
use std::io::{self, Write};

const SIGNATURE: &[u8] = b"\x93NUMPY";

/// Writes an archive of arrays to `out`.
pub struct ArchiveWriter<W> {
    zip: zip::Writer<W>,
}

impl<W: Write> ArchiveWriter<W> {
    pub fn new(out: W) -> Self {
        Self { zip: zip::Writer::new(out) }
    }

    /// An array of doubles of `shape`, by rows. Panics if the shape does not have as many numbers as `values`.
    pub fn doubles(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        self.array(name, "<f8", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    /// An array of 32-bit counts of `shape`, by rows. Panics if the shape does not have as many numbers as `values`.
    pub fn counts(&mut self, name: &str, shape: &[usize], values: &[u32]) -> io::Result<()> {
        self.array(name, "<u4", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    /// An array of signed 32-bit indices of `shape`, by rows. Panics if the shape does not have as many numbers as `values`.
    pub fn indices(&mut self, name: &str, shape: &[usize], values: &[i32]) -> io::Result<()> {
        self.array(name, "<i4", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    /// A file beside the arrays, under its whole name.
    pub fn file(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.zip.add(name, content, std::iter::empty::<[u8; 1]>())
    }

    /// Ends the archive; without it the file cannot be read.
    pub fn finish(self) -> io::Result<W> {
        self.zip.finish()
    }

    fn array<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        values: impl ExactSizeIterator<Item = [u8; N]> + Clone,
    ) -> io::Result<()> {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "`{name}` has another shape");
        self.zip.add(&format!("{name}.npy"), &head(kind, shape), values)
    }
}

/// The header of an array, up to its first number.
fn head(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", sides.join(", "));
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // It ends in a line feed, at a multiple of 64 bytes.
    while !(SIGNATURE.len() + 4 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut out = SIGNATURE.to_vec();
    out.extend([1, 0]);
    out.extend((text.len() as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out
}

/// An array of doubles that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    /// Whether `values` are by columns.
    pub fortran: bool,
    pub values: Vec<f64>,
}

impl Array {
    /// Reads the content of a `.npy` file or member. The error is a sentence.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let head = bytes.get(..8).filter(|h| h.starts_with(SIGNATURE)).ok_or("no numpy array")?;
        let width = if head[6] == 1 { 2 } else { 4 };
        let length = bytes.get(8..8 + width).ok_or("it was cut")?;
        let length = length.iter().rev().fold(0_usize, |n, b| 256 * n + usize::from(*b));
        let data = (8 + width).checked_add(length).filter(|d| *d <= bytes.len()).ok_or("it was cut")?;
        let head = String::from_utf8_lossy(&bytes[8 + width..data]);
        let after = |key: &str| {
            head.split_once(key).and_then(|(_, rest)| rest.split_once(':')).map(|r| r.1.trim_start())
        };
        let kind = after("'descr'").and_then(|r| r.split('\'').nth(1)).unwrap_or_default();
        if kind != "<f8" {
            return Err(format!(
                "its type is `{}`; expected `<f8`, doubles",
                kind.chars().take(20).collect::<String>()
            ));
        }
        let fortran = after("'fortran_order'").is_some_and(|r| r.starts_with("True"));
        let shape = after("'shape'").and_then(|r| r.strip_prefix('(')).and_then(|r| r.split_once(')'));
        let shape = shape.ok_or("it states no shape")?.0;
        let shape: Option<Vec<usize>> =
            shape.split(',').map(str::trim).filter(|w| !w.is_empty()).map(|w| w.parse().ok()).collect();
        let shape = shape.ok_or("it states no shape")?;
        let count = shape.iter().try_fold(1_usize, |n, d| n.checked_mul(*d)).and_then(|n| n.checked_mul(8));
        if count != Some(bytes.len() - data) {
            return Err(format!("its shape {shape:?} does not fit its {} bytes", bytes.len() - data));
        }
        let values = bytes[data..].as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)).collect();
        Ok(Self { shape, fortran, values })
    }
}

/// The members of an archive, in its order: whole name and content. The error is a sentence.
pub fn members(archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    zip::read(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers are byte for byte those of `numpy.save` (format 1.0) for `np.arange(6.0).reshape(2, 3)` and
    /// `np.array([7], "uint32")`.
    #[test]
    fn arrays_are_those_of_numpy() {
        let numpy = |shape: &str, kind: &str, spaces: usize| {
            let mut out = b"\x93NUMPY\x01\x00\x76\x00{'descr': '".to_vec();
            out.extend_from_slice(kind.as_bytes());
            out.extend_from_slice(b"', 'fortran_order': False, 'shape': ");
            out.extend_from_slice(shape.as_bytes());
            out.extend_from_slice(b", }");
            out.extend(vec![b' '; spaces]);
            out.push(b'\n');
            out
        };
        let mut writer = ArchiveWriter::new(Vec::new());
        let values: Vec<f64> = (0..6).map(f64::from).collect();
        writer.doubles("a", &[2, 3], &values).unwrap();
        writer.counts("b", &[1], &[7]).unwrap();
        writer.file("about.json", b"{}").unwrap();
        let members = members(&writer.finish().unwrap()).unwrap();
        let names: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["a.npy", "b.npy", "about.json"]);
        let (a, b) = (&members[0].1, &members[1].1);
        assert_eq!(a[..128], numpy("(2, 3)", "<f8", 58));
        assert_eq!(b[..128], numpy("(1,)", "<u4", 60));
        assert_eq!((&b[128..], a.len()), (&[7, 0, 0, 0][..], 128 + 48));
        assert_eq!(Array::read(a).unwrap(), Array { shape: vec![2, 3], fortran: false, values });
        assert!(Array::read(b).unwrap_err().contains("`<u4`"));
        assert_eq!(members[2].1, b"{}");
    }
}
