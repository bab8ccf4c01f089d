//! The archives of ContactBench (.npz): `G` (n × n), `g` (n or n × 1) and `mus` (n/3), contact rows (t₁, t₂, n).

use super::ProblemFileError;
use super::neutral::{Entries, Form, Neutral};
use super::node::Result;
use super::numpy::{self, ArchiveWriter, Array};
use super::plain::Plain;

/// A dense G may have this many numbers when written: 1 GiB.
const MAX_NUMBERS: usize = 1 << 27;

/// Reads a problem called `name`; `file` names it in errors.
pub(super) fn read(bytes: &[u8], file: &str, name: String) -> Result<Neutral> {
    let bad =
        |message| ProblemFileError::Format { file: file.into(), format: "a sound .npz archive", message };
    let members = numpy::members(bytes).map_err(bad)?;
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
    let mut archive = ArchiveWriter::new(Vec::new());
    let written = (archive.doubles("G", &[n, n], &matrix))
        .and_then(|()| archive.doubles("g", &[n], &g))
        .and_then(|()| archive.doubles("mus", &[of.mu.len()], &of.mu));
    written.and_then(|()| archive.finish()).map_err(|e| e.to_string())
}
