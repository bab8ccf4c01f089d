//! The two tables of a trajectory, a row a step and a row a contact: columns with names and units, for `.parquet` and `.csv`.

use super::Trajectory;
use super::quantities::{Numbers, QUANTITIES, Quantity};

/// A column: its name, with its unit, and one value a row.
pub struct Column<'a> {
    pub name: String,
    pub values: Values<'a>,
}

/// Values of a column: every `stride`-th from `start` on of what is stored row by row.
pub enum Values<'a> {
    Doubles {
        values: &'a [f64],
        start: usize,
        stride: usize,
    },
    Counts(&'a [u32]),
    /// Words of codes; a negative code is the world.
    Words {
        codes: Vec<i32>,
        words: Vec<&'a str>,
    },
}

impl Values<'_> {
    /// The word of a row, if these are words.
    pub fn word<'a>(codes: &[i32], words: &[&'a str], row: usize) -> &'a str {
        usize::try_from(codes[row]).ok().and_then(|i| words.get(i).copied()).unwrap_or("world")
    }

    /// One value as text.
    pub(super) fn text(&self, row: usize) -> String {
        match self {
            Self::Doubles { values, start, stride } => values[start + row * stride].to_string(),
            Self::Counts(values) => values[row].to_string(),
            Self::Words { codes, words } => quoted(Self::word(codes, words, row)),
        }
    }
}

/// A field of a `.csv` [RFC 4180]: in quotation marks where it must be.
pub(super) fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

impl Trajectory {
    /// Columns of the table with a row a step.
    pub fn step_columns(&self) -> Vec<Column<'_>> {
        QUANTITIES.iter().filter(|q| q.shape[0] == "row").flat_map(|q| self.columns_of(q)).collect()
    }

    /// Columns of the table with a row a contact.
    pub fn contact_columns(&self) -> Vec<Column<'_>> {
        QUANTITIES.iter().filter(|q| q.shape[0] == "contact").flat_map(|q| self.columns_of(q)).collect()
    }

    fn columns_of(&self, quantity: &Quantity) -> Vec<Column<'_>> {
        let name = quantity.name;
        let word = name.strip_prefix("contact_").or(name.strip_prefix("body_")).unwrap_or(name);
        let about = &self.about;
        let columns = |names: Vec<String>| match self.numbers(name) {
            Numbers::Doubles(values) => {
                let stride = names.len();
                let column =
                    |(start, name)| Column { name, values: Values::Doubles { values, start, stride } };
                names.into_iter().enumerate().map(column).collect()
            }
            Numbers::Counts(values) => {
                names.into_iter().map(|name| Column { name, values: Values::Counts(values) }).collect()
            }
            Numbers::Indices(_) => Vec::new(),
        };
        let unit = quantity.unit;
        match (name, quantity.shape) {
            ("status", _) => self.words(name, &["status"], &about.status),
            ("remedy", _) => self.words(name, &["remedy"], &about.remedy),
            ("contact_geometries", _) => self.words(name, &["geometry a", "geometry b"], &about.geometries),
            ("contact_bodies", _) => self.words(name, &["body a", "body b"], &about.bodies),
            ("q", _) => columns(about.q.iter().map(|c| format!("q {c}")).collect()),
            ("v", _) => columns(about.v.iter().map(|c| format!("v {c}")).collect()),
            (_, [_, "actuator"]) => {
                columns(about.actuators.iter().map(|a| format!("effort {a} [{unit}]")).collect())
            }
            (_, [_, "body", n]) => {
                let of_body =
                    |b: &String| axes(n).map(|x| format!("{b} {word} {x} [{unit}]")).collect::<Vec<_>>();
                columns(about.bodies.iter().flat_map(of_body).collect())
            }
            (_, [_, n]) => columns(axes(n).map(|x| format!("{word} {x} [{unit}]")).collect()),
            _ => columns(vec![format!("{word} [{unit}]")]),
        }
    }

    /// Columns of codes, as words.
    fn words<'a, S: AsRef<str>>(&'a self, quantity: &str, names: &[&str], words: &'a [S]) -> Vec<Column<'a>> {
        let codes: Vec<i32> = match self.numbers(quantity) {
            Numbers::Indices(values) => values.to_vec(),
            Numbers::Counts(values) => values.iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect(),
            Numbers::Doubles(_) => Vec::new(),
        };
        let column = |(start, name): (usize, &&str)| Column {
            name: (*name).to_owned(),
            values: Values::Words {
                codes: codes.iter().skip(start).step_by(names.len()).copied().collect(),
                words: words.iter().map(AsRef::as_ref).collect(),
            },
        };
        names.iter().enumerate().map(column).collect()
    }
}

/// Names of the parts of a vector or of a quaternion.
fn axes(count: &str) -> impl Iterator<Item = &'static str> + use<> {
    match count {
        "4" => ["w", "x", "y", "z"][..].iter(),
        _ => ["x", "y", "z"][..].iter(),
    }
    .copied()
}
