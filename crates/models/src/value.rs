//! Typed access to attributes. Every failure names the place, the value and what was expected.

use crate::error::LoadError;
use crate::words::{hint, shortened};
use crate::xml::Attribute;
use stiction_dynamics::spatial::{Quat, Vec3};

/// Largest magnitude of a number: far beyond any robot, and its fourth power is finite.
const MAX_NUMBER: f64 = 1e60;

impl<'d> Attribute<'d> {
    /// An error about the value.
    pub(crate) fn error(self, expected: impl Into<String>) -> LoadError {
        self.error_with_hint(expected, String::new())
    }

    pub(crate) fn error_with_hint(self, expected: impl Into<String>, hint: String) -> LoadError {
        LoadError::Value {
            place: self.place(),
            element: self.element.described().into(),
            attribute: self.name().into(),
            value: shortened(self.value()).into(),
            expected: expected.into().into(),
            hint: hint.into(),
        }
    }

    /// `at_least ..= at_most` finite numbers.
    pub(crate) fn numbers(self, at_least: usize, at_most: usize) -> Result<Vec<f64>, LoadError> {
        let expected = || {
            let count = if at_least == at_most {
                at_least.to_string()
            } else if at_most == usize::MAX {
                format!("at least {at_least}")
            } else {
                format!("{at_least} to {at_most}")
            };
            let plural = if at_most == 1 { "" } else { "s" };
            format!("{count} finite number{plural}")
        };
        let mut numbers = Vec::new();
        for word in self.value().split_whitespace() {
            match word.parse::<f64>() {
                Ok(x) if x.abs() <= MAX_NUMBER && numbers.len() < at_most => numbers.push(x),
                Ok(x) if x.abs() <= MAX_NUMBER => return Err(self.error(expected())),
                _ => {
                    return Err(self.error_with_hint(expected(), format!(" (not `{}`)", shortened(word))));
                }
            }
        }
        if numbers.len() < at_least { Err(self.error(expected())) } else { Ok(numbers) }
    }

    pub(crate) fn array<const N: usize>(self) -> Result<[f64; N], LoadError> {
        let numbers = self.numbers(N, N)?;
        <[f64; N]>::try_from(numbers).map_err(|_| self.error(format!("{N} finite numbers")))
    }

    pub(crate) fn vector(self) -> Result<Vec3, LoadError> {
        Ok(Vec3::from(self.array::<3>()?))
    }

    pub(crate) fn number(self) -> Result<f64, LoadError> {
        let [x] = self.array::<1>()?;
        Ok(x)
    }

    /// A number >= 0.
    pub(crate) fn not_negative(self) -> Result<f64, LoadError> {
        let x = self.number()?;
        if x >= 0.0 { Ok(x) } else { Err(self.error("a number >= 0")) }
    }

    /// A number > 0.
    pub(crate) fn positive(self) -> Result<f64, LoadError> {
        let x = self.number()?;
        if x > 0.0 { Ok(x) } else { Err(self.error("a number > 0")) }
    }

    pub(crate) fn integer(self) -> Result<i32, LoadError> {
        self.value().trim().parse().map_err(|_| self.error("an integer"))
    }

    pub(crate) fn boolean(self) -> Result<bool, LoadError> {
        self.keyword(&[("true", true), ("false", false)])
    }

    /// One of the words of `table`.
    pub(crate) fn keyword<T: Copy>(self, table: &[(&str, T)]) -> Result<T, LoadError> {
        let word = self.value().trim();
        if let Some((_, value)) = table.iter().find(|(w, _)| *w == word) {
            return Ok(*value);
        }
        let words: Vec<_> = table.iter().map(|(w, _)| *w).collect();
        Err(self.error_with_hint(format!("one of {}", words.join(", ")), hint(word, words.iter().copied())))
    }

    /// `q`, which this attribute states, made unit.
    pub(crate) fn unit(self, q: Quat) -> Result<Quat, LoadError> {
        if q.norm_squared() > 1e-20 {
            Ok(q.renormalized())
        } else {
            Err(self.error("a quaternion that is not 0"))
        }
    }

    /// Red, green, blue, opacity in 0 … 1.
    pub(crate) fn rgba(self) -> Result<[f32; 4], LoadError> {
        Ok(self.array::<4>()?.map(|x| x as f32))
    }
}

#[cfg(test)]
mod tests {
    use crate::xml::Document;
    use std::path::Path;

    #[test]
    fn numbers_are_read_strictly() {
        let d = Document::parse(
            Path::new("a.xml"),
            "<a x='1 foo 2' y='+1.5e0\n .5 2.' z='1 nan 2' w='1 2 3 4' v='inf'/>",
        )
        .unwrap();
        let read = |name| d.root().get(name).unwrap().array::<3>();
        assert_eq!(read("y").unwrap(), [1.5, 0.5, 2.0]);
        let text = read("x").unwrap_err().to_string();
        assert!(text.contains("a.xml:1:4") && text.contains("`foo`"), "{text}");
        assert!(read("z").is_err() && read("w").is_err() && read("v").is_err());
    }
}
