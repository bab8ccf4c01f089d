//! Numbers on the command line.

use std::str::FromStr;

/// A number > 0, or what was expected.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a number > 0".to_owned()),
    }
}

/// A number ≥ 0, or what was expected.
pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a number >= 0".to_owned()),
    }
}

/// The position of a joint: NAME=VALUE.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointValue {
    pub(crate) name: String,
    /// The position [rad or m].
    pub(crate) value: f64,
}

impl FromStr for JointValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) =
            text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or("expected NAME=VALUE")?;
        match value.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Self { name: name.to_owned(), value }),
            _ => Err(format!("`{value}` is no number; expected NAME=VALUE in rad or m, as in knee=-1.2")),
        }
    }
}

/// From where pictures are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CameraPlace(pub(crate) stiction_camera::Stand);

impl FromStr for CameraPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use stiction_camera::Stand;
        if let Some(stand) = Stand::named(text) {
            return Ok(Self(stand));
        }
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|x| x.trim().parse::<f64>()).collect();
        let numbers = numbers.ok().filter(|n| n.iter().all(|x| x.is_finite()));
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(Self(Stand::At { eye: [x, y, z], target: None })),
            Some(&[x, y, z, a, b, c]) if [x, y, z] != [a, b, c] => {
                Ok(Self(Stand::At { eye: [x, y, z], target: Some([a, b, c]) }))
            }
            _ => Err(format!(
                "expected {}, or X,Y,Z of the eye, or six numbers: the eye and what it looks at [m]",
                Stand::NAMES.map(|(name, _)| name).join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_camera::Stand;

    #[test]
    fn joints_and_cameras_are_read() {
        let joint: JointValue = "left=knee=-1.2".parse().unwrap();
        assert_eq!((&*joint.name, joint.value), ("left=knee", -1.2));
        for wrong in ["knee", "=1", "knee=", "knee=a", "knee=nan"] {
            assert!(wrong.parse::<JointValue>().is_err(), "{wrong}");
        }
        let place = |text: &str| text.parse::<CameraPlace>().map(|c| c.0);
        assert_eq!(place("1,2,3"), Ok(Stand::At { eye: [1.0, 2.0, 3.0], target: None }));
        assert_eq!(
            place("1,2,3,0,0,1"),
            Ok(Stand::At { eye: [1.0, 2.0, 3.0], target: Some([0.0, 0.0, 1.0]) })
        );
        assert!(matches!(place("top"), Ok(Stand::Towards(_))));
        for wrong in ["bottom", "1,2", "1,2,3,1,2,3", "1,2,inf"] {
            assert!(place(wrong).is_err_and(|e| e.contains("front")), "{wrong}");
        }
    }
}
