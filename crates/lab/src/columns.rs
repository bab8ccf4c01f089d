//! Files of named columns of numbers: `.csv` with a line of names, `.npz` with an array a column.

use crate::text::read_bytes;
use std::path::Path;
use stiction_problem_files::numpy::{Array, members};

/// Names with their numbers, in the order of the file.
pub(crate) type Columns = Vec<(String, Vec<f64>)>;

/// Bytes beyond which a file of columns is taken for a mistake.
const MAX_BYTES: u64 = 1 << 30;

/// The beginning of the last line of a table whose run was interrupted.
pub(crate) const INTERRUPTED: &str = "# interrupted";

/// The columns of `path` whose names are `wanted`. An array of rows in an `.npz`, as `q` of a run, comes by rows under its one
/// name.
pub(crate) fn read_columns(path: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Columns, String> {
    let kind = path.extension().and_then(|e| e.to_str());
    if !matches!(kind, Some("csv" | "npz")) {
        return Err("expected a name ending in .csv or .npz".to_owned());
    }
    let bytes = read_bytes(path, MAX_BYTES)?;
    if kind == Some("csv") { columns_of_csv(&bytes, wanted) } else { columns_of_npz(&bytes, wanted) }
}

/// All names of `path`.
#[cfg(feature = "full")]
pub(crate) fn column_names(path: &Path) -> Vec<String> {
    let mut names = std::collections::BTreeSet::new();
    let seen = std::cell::RefCell::new(&mut names);
    let note = |name: &str| {
        seen.borrow_mut().insert(name.to_owned());
        false
    };
    drop(read_columns(path, &note));
    names.into_iter().collect()
}

fn columns_of_csv(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Columns, String> {
    // The last line of an interrupted run says so; it is no row.
    let text = bytes.trim_ascii_end();
    let last = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let bytes = if text[last..].starts_with(INTERRUPTED.as_bytes()) { &text[..last] } else { bytes };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let told = |e: csv::Error| e.to_string();
    let names = reader.headers().map_err(told)?.clone();
    let places: Vec<usize> = (0..names.len()).filter(|i| wanted(&names[*i])).collect();
    let mut columns: Columns = places.iter().map(|i| (names[*i].to_owned(), Vec::new())).collect();
    for record in reader.records() {
        let record = record.map_err(told)?;
        let line = record.position().map_or(0, csv::Position::line);
        for ((name, values), place) in columns.iter_mut().zip(&places) {
            let field = &record[*place];
            let value =
                field.parse().map_err(|_| format!("line {line}, column `{name}`: `{field}` is no number"))?;
            values.push(value);
        }
    }
    Ok(columns)
}

fn columns_of_npz(bytes: &[u8], wanted: &dyn Fn(&str) -> bool) -> Result<Columns, String> {
    let mut columns = Columns::new();
    for (member, content) in members(bytes)? {
        let Some(name) = member.strip_suffix(".npy").filter(|name| wanted(name)) else { continue };
        let array = Array::read(&content).map_err(|e| format!("array `{name}`: {e}"))?;
        if array.shape.len() != 1 && !matches!((name, array.shape.len()), ("q" | "v", 2)) || array.fortran {
            return Err(format!(
                "array `{name}` has the shape {:?}; expected one number a time",
                array.shape
            ));
        }
        columns.push((name.to_owned(), array.values));
    }
    Ok(columns)
}
