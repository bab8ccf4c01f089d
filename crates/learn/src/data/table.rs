//! Tables of numbers as comma-separated files, with errors that name the place.

use std::path::{Path, PathBuf};

/// A file of measurements that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("{file}: {source}")]
    Read { file: PathBuf, source: std::io::Error },
    #[error("{file}:{line}: {what}")]
    Content { file: PathBuf, line: usize, what: String },
    #[error("{place}: {what}")]
    Missing { place: PathBuf, what: String },
}

/// The columns of a file that were asked for, row by row.
#[derive(Clone, Debug)]
pub struct Table {
    file: PathBuf,
    width: usize,
    numbers: Vec<f64>,
}

impl Table {
    /// Reads the columns `wanted`, in this order; others are passed over.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, a column is missing, or a number is none or not finite.
    pub fn read(file: &Path, wanted: &[&str]) -> Result<Self, DataError> {
        let text = std::fs::read_to_string(file)
            .map_err(|source| DataError::Read { file: file.to_owned(), source })?;
        Self::parse(file, &text, wanted)
    }

    /// Reads the columns `wanted` from the text of a file.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn parse(file: &Path, text: &str, wanted: &[&str]) -> Result<Self, DataError> {
        let wrong = |line, what| DataError::Content { file: file.to_owned(), line, what };
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line.trim_start_matches('\u{feff}'));
        let names: Vec<&str> = header.split(',').map(str::trim).collect();
        let place = |name: &&str| {
            names
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| wrong(1, format!("no column `{name}`; there are: {}", names.join(", "))))
        };
        let places: Vec<usize> = wanted.iter().map(place).collect::<Result<_, _>>()?;
        let mut numbers = Vec::new();
        for (at, line) in lines {
            if line.trim().is_empty() {
                continue;
            }
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.len() != names.len() {
                let what = format!("{} cells, but the header has {} columns", cells.len(), names.len());
                return Err(wrong(at + 1, what));
            }
            for (&place, name) in places.iter().zip(wanted) {
                match cells[place].parse::<f64>() {
                    Ok(number) if number.is_finite() => numbers.push(number),
                    _ => {
                        let what = format!("column `{name}` is `{}`, expected a finite number", cells[place]);
                        return Err(wrong(at + 1, what));
                    }
                }
            }
        }
        Ok(Self { file: file.to_owned(), width: wanted.len(), numbers })
    }

    /// The rows in the order of the file; row i stands in line i + 2 if no line is empty.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.numbers.chunks_exact(self.width)
    }

    /// An error about row `row`.
    pub fn error(&self, row: usize, what: String) -> DataError {
        DataError::Content { file: self.file.clone(), line: row + 2, what }
    }
}

/// The files of a folder whose names begin with `prefix` and end in `.csv`, by name; a file is itself.
///
/// # Errors
///
/// If there is none.
pub fn files(place: &Path, prefix: &str) -> Result<Vec<PathBuf>, DataError> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let entries =
        std::fs::read_dir(place).map_err(|source| DataError::Read { file: place.to_owned(), source })?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| {
            let name = p.file_name().and_then(|n| n.to_str()).unwrap_or("");
            name.starts_with(prefix) && name.ends_with(".csv")
        })
        .collect();
    found.sort();
    if found.is_empty() {
        let what = format!("no file `{prefix}*.csv` here");
        return Err(DataError::Missing { place: place.to_owned(), what });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns come in the order asked for; what is wrong is told with its line, its column and its value.
    #[test]
    fn columns_are_found_and_errors_name_the_place() {
        let read = |text: &str| Table::parse(Path::new("d.csv"), text, &["z", "x"]);
        let table = read("x,y,z\n1,2,3\n\n4,5,6\n").unwrap();
        assert_eq!(table.rows().collect::<Vec<_>>(), [[3.0, 1.0], [6.0, 4.0]]);
        for (text, wanted) in [
            ("x,y\n", "d.csv:1: no column `z`; there are: x, y"),
            ("x,z\n1,two\n", "d.csv:2: column `z` is `two`, expected a finite number"),
            ("x,z\n1,2\nnan,1\n", "d.csv:3: column `x` is `nan`, expected a finite number"),
            ("x,z\n1\n", "d.csv:2: 1 cells, but the header has 2 columns"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), wanted);
        }
    }
}
