//! What can be set of a solver: one declaration is the struct, its defaults, its ranges and its manual.
//!
//! [`parameters!`] turns
//!
//! ```text
//!     /// Parameters of [`NcpPgs`].
//!     pub struct NcpPgsParams {
//!         /// Over-relaxation; 1 is safe, 1.3 often faster.
//!         omega: f64 = 1.0, "–", above(0.0).below(2.0);
//!     }
//! ```
//!
//! into the struct with serde's traits and these defaults, and into the table that checks values and that
//! `stiction solvers NAME` prints. So the manual cannot say anything else than the program does.

use crate::error::ParamError;
use serde::Serialize;
use serde::de::{self, DeserializeOwned};
use serde_json::Value;
use std::fmt;

/// A parameter as its solver declares it.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    /// Unit, or "–" for a pure number.
    pub unit: &'static str,
    pub allowed: Allowed,
    /// The doc comment of the field: what the value does.
    pub effect: &'static str,
    /// Parameters of a group, which are written `group.name`; empty for a single value.
    pub group: &'static [Parameter],
    /// The words that are allowed, where the value is one of a few.
    pub choices: fn() -> &'static [&'static str],
}

/// A struct that [`parameters!`] declares.
pub trait Parameters: Serialize + DeserializeOwned {
    const TABLE: &'static [Parameter];

    /// An error if a value is outside of its range. `solver` is named in it.
    fn check(&self, solver: &'static str) -> Result<(), ParamError> {
        let values = serde_json::to_value(self).unwrap_or_default();
        check_all(solver, "", Self::TABLE, &values)
    }
}

fn check_all(
    solver: &'static str,
    prefix: &str,
    table: &[Parameter],
    values: &Value,
) -> Result<(), ParamError> {
    for parameter in table {
        let value = &values[parameter.name];
        let name = format!("{prefix}{}", parameter.name);
        if parameter.group.is_empty() {
            parameter.check(solver, &name, value)?;
        } else {
            check_all(solver, &format!("{name}."), parameter.group, value)?;
        }
    }
    Ok(())
}

impl Parameter {
    /// An error if `value` is not allowed; `name` is this parameter's with the names of its groups.
    pub(crate) fn check(&self, solver: &'static str, name: &str, value: &Value) -> Result<(), ParamError> {
        let choices = (self.choices)();
        let fits = match value {
            Value::Number(x) => choices.is_empty() && x.as_f64().is_some_and(|x| self.allowed.holds(x)),
            Value::String(word) => choices.contains(&word.as_str()),
            Value::Bool(on) => choices.contains(&if *on { "true" } else { "false" }),
            // What JSON has no number for: NaN and the infinities.
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let value = match value {
            Value::String(word) => word.clone(),
            Value::Null => "not a finite number".to_owned(),
            other => other.to_string(),
        };
        Err(ParamError { solver, name: name.to_owned(), value, expected: self.expected() })
    }

    /// The values that are allowed, in words.
    pub fn expected(&self) -> String {
        let choices = (self.choices)();
        match choices {
            [] if self.unit == "–" => self.allowed.in_words(self.name),
            [] => format!("{} [{}]", self.allowed.in_words(self.name), self.unit),
            [one, other] => format!("{one} or {other}"),
            many => format!("one of {}", many.join(", ")),
        }
    }
}

/// Which numbers are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    low: f64,
    high: f64,
    /// The bounds themselves are allowed.
    with_low: bool,
    with_high: bool,
    /// Only even numbers.
    even: bool,
}

/// No numbers but those that a chain of [`Allowed::below`] and [`Allowed::at_most`] leaves: x > `low`.
pub(crate) const fn above(low: f64) -> Allowed {
    Allowed { low, high: f64::INFINITY, with_low: false, with_high: false, even: false }
}

/// x ≥ `low`.
pub(crate) const fn at_least(low: f64) -> Allowed {
    Allowed { with_low: true, ..above(low) }
}

/// Whatever the type of the field says: a word, or yes or no.
pub(crate) const fn by_type() -> Allowed {
    above(f64::NEG_INFINITY)
}

impl Allowed {
    /// And x < `high`.
    pub(crate) const fn below(self, high: f64) -> Self {
        Self { high, with_high: false, ..self }
    }

    /// And x ≤ `high`.
    pub(crate) const fn at_most(self, high: f64) -> Self {
        Self { high, with_high: true, ..self }
    }

    /// And an even number.
    pub(crate) const fn even(self) -> Self {
        Self { even: true, ..self }
    }

    fn holds(self, x: f64) -> bool {
        let low = x > self.low || self.with_low && x >= self.low;
        let high = x < self.high || self.with_high && x <= self.high;
        low && high && (!self.even || x % 2.0 == 0.0)
    }

    fn in_words(self, name: &str) -> String {
        let sign = |with: bool| if with { "<=" } else { "<" };
        let (low, high) = (short(self.low), short(self.high));
        let range = match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => format!("{low} {} {name} {} {high}", sign(self.with_low), sign(self.with_high)),
            (true, false) => format!("{name} {} {low}", if self.with_low { ">=" } else { ">" }),
            (false, true) => format!("{name} {} {high}", sign(self.with_high)),
            (false, false) => "any number".to_owned(),
        };
        if self.even { format!("{range}, even") } else { range }
    }
}

/// A number with no more digits than a reader wants.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e10 => format!("{}", (1e4 * x).round() / 1e4),
        _ => format!("{x:e}"),
    }
}

/// What a type of field adds to the table.
pub trait Field {
    const GROUP: &'static [Parameter] = &[];

    /// The words that are allowed; empty for numbers and groups.
    fn choices() -> &'static [&'static str] {
        &[]
    }
}

impl Field for f64 {}
impl Field for u32 {}
impl Field for usize {}

impl Field for bool {
    fn choices() -> &'static [&'static str] {
        &["true", "false"]
    }
}

/// The names of the variants of an enum without data, as serde reads them.
pub(crate) fn variants<T: DeserializeOwned>() -> &'static [&'static str] {
    let no_name = de::value::StrDeserializer::new("");
    T::deserialize(no_name).err().map_or(&[], |Names(names)| names)
}

/// An error of serde that keeps the names it would have accepted.
#[derive(Debug)]
struct Names(&'static [&'static str]);

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl std::error::Error for Names {}

impl de::Error for Names {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self(expected)
    }
}

/// An enum without data as the type of a parameter.
macro_rules! choice {
    ($name:ident) => {
        impl $crate::parameters::Field for $name {
            fn choices() -> &'static [&'static str] {
                $crate::parameters::variants::<Self>()
            }
        }
    };
}
pub(crate) use choice;

/// The struct of a solver's parameters, its defaults and its table; see the module for how it is written.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $default:expr, $unit:literal, $allowed:expr;
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nUnit: ", $unit, "; default: `", stringify!($default), "`.")]
                pub $field: $type,
            )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),+ }
            }
        }

        impl $crate::parameters::Parameters for $name {
            const TABLE: &'static [$crate::parameters::Parameter] = {
                #[allow(unused_imports)] // some ranges use none of them
                use $crate::parameters::{above, at_least, by_type};
                &[$($crate::parameters::Parameter {
                    name: stringify!($field),
                    unit: $unit,
                    allowed: $allowed,
                    effect: concat!($($doc),+),
                    group: <$type as $crate::parameters::Field>::GROUP,
                    choices: <$type as $crate::parameters::Field>::choices,
                }),+]
            };
        }
    };
}
pub(crate) use parameters;

#[cfg(test)]
#[allow(unreachable_pub)] // the macro writes `pub`
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Way {
        ByRow,
        ByBlock,
    }
    choice!(Way);

    parameters! {
        /// A group.
        pub struct Inner {
            /// How far.
            length: f64 = 0.5, "m", above(0.0).at_most(1.0);
        }
    }

    impl Field for Inner {
        const GROUP: &'static [Parameter] = Self::TABLE;
    }

    parameters! {
        /// All there is.
        pub struct All {
            /// A share,
            /// of two lines.
            share: f64 = 0.25, "–", at_least(0.0).below(1.0);
            /// Corners.
            corners: u32 = 8, "–", at_least(4.0).at_most(1024.0).even();
            /// On or off.
            on: bool = true, "–", by_type();
            /// Which way.
            way: Way = Way::ByRow, "–", by_type();
            /// Inside.
            inner: Inner = Inner::default(), "–", by_type();
        }
    }

    #[test]
    fn a_declaration_is_defaults_ranges_and_manual() {
        assert!(All::default().check("x").is_ok());
        let wrong = |all: All| all.check("x").map_err(|e| e.to_string()).expect_err("out of range");
        let share = wrong(All { share: 1.0, ..All::default() });
        assert_eq!(share, "x: parameter `share` is 1.0; expected 0 <= share < 1");
        assert!(wrong(All { share: f64::NAN, ..All::default() }).contains("`share` is not a finite number"));
        let corners = wrong(All { corners: 7, ..All::default() });
        assert!(corners.ends_with("is 7; expected 4 <= corners <= 1024, even"), "{corners}");
        let inner = wrong(All { inner: Inner { length: 0.0 }, ..All::default() });
        assert!(inner.contains("`inner.length` is 0.0; expected 0 < length <= 1 [m]"), "{inner}");
        let [share, .., way, _] = All::TABLE else { panic!("five parameters") };
        assert_eq!(share.effect, " A share, of two lines.");
        assert_eq!(
            ((way.choices)(), way.expected()),
            (&["by-row", "by-block"][..], "by-row or by-block".to_owned())
        );
    }

    #[test]
    fn numbers_are_short() {
        for (x, text) in
            [(4.0 / 3.0, "1.3333"), (2.0, "2"), (1e-8, "1e-8"), (0.0, "0"), (4_294_967_295.0, "4294967295")]
        {
            assert_eq!(short(x), text);
        }
    }
}
