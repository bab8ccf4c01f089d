//! The archives of ContactBench (.npz): `G` (n × n), `g` (n or n × 1) and `mus` (n/3), contact rows (t₁, t₂, n).

use super::ProblemFileError;
use super::neutral::{Entries, Form, Neutral};
use super::node::Result;
use super::plain::Plain;
use super::zip;

/// A dense G may have this many numbers when written: 1 GiB.
const MAX_NUMBERS: usize = 1 << 27;

/// Reads a problem called `name`; `file` names it in errors.
pub(super) fn read(bytes: &[u8], file: &str, name: String) -> Result<Neutral> {
    let bad =
        |message| ProblemFileError::Format { file: file.into(), format: "a sound .npz archive", message };
    let members = zip::read(bytes).map_err(bad)?;
    let array = |key: &str, shape: &str| {
        let member = members.iter().find(|(name, _)| name.strip_suffix(".npy") == Some(key));
        let (_, bytes) = member.ok_or_else(|| ProblemFileError::Missing {
            file: file.into(),
            element: key.into(),
            expected: format!("an array of {shape}"),
        })?;
        Array::read(bytes).map_err(|message| bad(format!("`{key}`: {message}")))
    };
    let wrong = |element: String, value: String, expected: String| ProblemFileError::Value {
        file: file.into(),
        element,
        value,
        expected,
    };
    let mus = array("mus", "one coefficient per contact")?;
    let n = 3 * mus.values.len();
    let (g, of_g) = (array("g", "one velocity per row")?, array("G", "rows x rows")?);
    for (key, found, shape) in [("g", &g, n.to_string()), ("G", &of_g, format!("{n} x {n}"))] {
        let fits = match key {
            "g" => found.values.len() == n,
            _ => found.shape == [n, n],
        };
        if !fits {
            let value = format!("of shape {:?}", found.shape);
            return Err(wrong(key.into(), value, format!("{shape}, as `mus` has {} contacts", n / 3)));
        }
    }
    for (key, array) in [("mus", &mus), ("g", &g), ("G", &of_g)] {
        let what = if key == "mus" { "a finite coefficient of friction >= 0" } else { "a finite number" };
        let bad = |x: &f64| !x.is_finite() || (key == "mus" && *x < 0.0);
        if let Some(k) = array.values.iter().position(bad) {
            return Err(wrong(format!("{key}[{k}]"), array.values[k].to_string(), what.into()));
        }
    }
    // Places that hold +0 are no entries.
    let places = of_g.values.iter().enumerate().filter(|(_, v)| v.to_bits() != 0);
    let by_rows = |k: usize| (k / n, k % n);
    let by_columns = |k: usize| (k % n, k / n);
    let w: Entries = places
        .map(|(k, v)| {
            let (i, j) = if of_g.fortran { by_columns(k) } else { by_rows(k) };
            (i, j, *v)
        })
        .collect();
    let problem = Neutral::new(name, 3, mus.values, Form::Local { w, q: g.values });
    Ok(Neutral { normal_first: false, ..problem })
}

/// A numpy array of doubles.
struct Array {
    shape: Vec<usize>,
    /// By columns.
    fortran: bool,
    values: Vec<f64>,
}

impl Array {
    fn read(bytes: &[u8]) -> std::result::Result<Self, String> {
        let head = bytes.get(..8).filter(|h| h.starts_with(b"\x93NUMPY")).ok_or("no numpy array")?;
        let width = if head[6] == 1 { 2 } else { 4 };
        let length = bytes.get(8..8 + width).ok_or("it was cut")?;
        let length = length.iter().rev().fold(0_usize, |n, b| 256 * n + usize::from(*b));
        let data = (8 + width).checked_add(length).filter(|d| *d <= bytes.len()).ok_or("it was cut")?;
        let head = String::from_utf8_lossy(&bytes[8 + width..data]);
        // {'descr': '<f8', 'fortran_order': False, 'shape': (12, 1), }
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

/// An archive of `G`, `g` and `mus`.
pub(super) fn write(of: &Plain) -> std::result::Result<Vec<u8>, String> {
    let n = of.contact_rows();
    if n.saturating_mul(n) > MAX_NUMBERS {
        return Err(format!("{n} rows make a dense matrix of more than {MAX_NUMBERS} numbers"));
    }
    // Normal first to normal last.
    let place = |row: usize| row - row % 3 + [2, 0, 1][row % 3];
    let (mut matrix, mut g) = (vec![0.0; n * n], vec![0.0; n]);
    for &(i, j, v) in &of.w {
        let value: &mut f64 = &mut matrix[place(i) * n + place(j)];
        *value = if *value == 0.0 { v } else { *value + v };
    }
    of.q.iter().enumerate().for_each(|(row, v)| g[place(row)] = *v);
    zip::write(&[
        ("G.npy", array(&format!("({n}, {n})"), &matrix)),
        ("g.npy", array(&format!("({n},)"), &g)),
        ("mus.npy", array(&format!("({},)", of.mu.len()), &of.mu)),
    ])
}

fn array(shape: &str, values: &[f64]) -> Vec<u8> {
    let mut head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // The head ends in a line feed and at a multiple of 64 bytes.
    while !(10 + head.len() + 1).is_multiple_of(64) {
        head.push(' ');
    }
    head.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((head.len() as u16).to_le_bytes());
    out.extend_from_slice(head.as_bytes());
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    out
}
