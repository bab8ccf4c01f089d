//! Numbers that say what they must be: a wrong one is refused where it is written.
//!
//! Each type is read from a plain TOML number or list, so that the reader's error names the line and the key.

use serde::{Deserialize, Serialize};
use stiction::dynamics::spatial::Vec3;

/// A finite number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(pub f64);

/// A finite number > 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(pub f64);

/// A finite number >= 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct NotNegative(pub f64);

/// A number in [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(pub f64);

/// Three finite numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "[f64; 3]")]
pub struct Vector(pub [f64; 3]);

/// Three finite numbers that are not all zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "[f64; 3]")]
pub struct Direction(pub [f64; 3]);

/// Three finite numbers > 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "[f64; 3]")]
pub struct Size(pub [f64; 3]);

/// A rotation (w, x, y, z), made unit by whoever uses it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "[f64; 4]")]
pub struct Quaternion(pub [f64; 4]);

/// Red, green, blue and opacity, each in [0, 1]; the opacity may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f32>", into = "[f32; 4]")]
pub struct Rgba(pub [f32; 4]);

impl Vector {
    /// The three numbers as a vector.
    pub fn vec3(self) -> Vec3 {
        Vec3::from(self.0)
    }
}

impl Direction {
    /// The unit vector.
    pub fn unit(self) -> Vec3 {
        Vec3::from(self.0).normalized().unwrap_or(Vec3::X)
    }
}

/// `TryFrom` of a checked number and the way back to a plain one.
macro_rules! checked {
    ($name:ident, $plain:ty, $raw:ty, $expected:literal, $convert:expr) => {
        impl TryFrom<$raw> for $name {
            type Error = String;

            fn try_from(raw: $raw) -> Result<Self, String> {
                let convert: fn(&$raw) -> Option<$plain> = $convert;
                convert(&raw).map($name).ok_or_else(|| format!("found {raw:?}; expected {}", $expected))
            }
        }

        impl From<$name> for $plain {
            fn from(checked: $name) -> Self {
                checked.0
            }
        }
    };
}

fn finite<const N: usize>(raw: &[f64]) -> Option<[f64; N]> {
    <[f64; N]>::try_from(raw).ok().filter(|x| x.iter().all(|x| x.is_finite()))
}

checked!(Finite, f64, f64, "a finite number", |x| x.is_finite().then_some(*x));
checked!(Positive, f64, f64, "a number > 0", |x| (*x > 0.0 && x.is_finite()).then_some(*x));
checked!(NotNegative, f64, f64, "a number >= 0", |x| (*x >= 0.0 && x.is_finite()).then_some(*x));
checked!(Share, f64, f64, "a number from 0 to 1", |x| (0.0..=1.0).contains(x).then_some(*x));
checked!(Vector, [f64; 3], Vec<f64>, "three finite numbers", |x| finite(x));
checked!(Direction, [f64; 3], Vec<f64>, "three numbers that are not all zero", |x| {
    finite(x).filter(|x: &[f64; 3]| x.iter().any(|x| *x != 0.0))
});
checked!(Size, [f64; 3], Vec<f64>, "three numbers > 0", |x| {
    finite(x).filter(|x: &[f64; 3]| x.iter().all(|x| *x > 0.0))
});
checked!(Quaternion, [f64; 4], Vec<f64>, "four numbers (w, x, y, z) that are not all zero", |x| {
    finite(x).filter(|x: &[f64; 4]| x.iter().any(|x| *x != 0.0))
});
checked!(Rgba, [f32; 4], Vec<f32>, "three or four numbers from 0 to 1", |x| {
    let shares = x.iter().all(|x| (0.0..=1.0).contains(x));
    match x[..] {
        [r, g, b] if shares => Some([r, g, b, 1.0]),
        [r, g, b, a] if shares => Some([r, g, b, a]),
        _ => None,
    }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_are_refused() {
        assert!(Positive::try_from(0.0).is_err() && Positive::try_from(f64::NAN).is_err());
        assert!(NotNegative::try_from(0.0).is_ok() && NotNegative::try_from(-1e-300).is_err());
        assert!(Share::try_from(1.0).is_ok() && Share::try_from(1.1).is_err());
        assert!(Vector::try_from(vec![1.0, 2.0]).is_err());
        assert!(Direction::try_from(vec![0.0; 3]).is_err());
        assert_eq!(Rgba::try_from(vec![0.0, 0.5, 1.0]).unwrap().0, [0.0, 0.5, 1.0, 1.0]);
        let message = Size::try_from(vec![0.1, -0.1, 0.1]).unwrap_err();
        assert_eq!(message, "found [0.1, -0.1, 0.1]; expected three numbers > 0");
    }
}
