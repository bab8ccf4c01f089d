//! Gaits: which foot is on the ground when.
//!
//! With φ the fraction of leg i's cycle,
//!
//! ```text
//!     φ_i(t) = frac(t/T + o_i),    leg i stands while φ_i < d                      (1)
//! ```
//!
//! T is the period, d the duty factor, o the phase offsets [DiCarlo2018, section IV].

use crate::ControlError;
use serde::{Deserialize, Serialize};

/// Number of legs. They are counted front left, front right, hind left, hind right.
pub const LEGS: usize = 4;

/// Phases so near to a switch count as switched: times are sums of steps and carry their rounding.
const ROUNDING: f64 = 1e-9;

/// A periodic schedule of contacts, (1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gait {
    /// T [s].
    pub period: f64,
    /// d, the share of a period that a foot stands, in (0, 1]; 1 stands for ever.
    pub duty: f64,
    /// o, per leg, in [0, 1).
    pub offsets: [f64; LEGS],
}

impl Gait {
    /// All feet on the ground.
    pub const STAND: Self = Self { period: 0.32, duty: 1.0, offsets: [0.0; LEGS] };
    /// Diagonal pairs in turn.
    pub const TROT: Self = Self { period: 0.32, duty: 0.5, offsets: [0.0, 0.5, 0.5, 0.0] };
    /// One foot at a time, each hind foot before the front foot of its side.
    pub const WALK: Self = Self { period: 0.64, duty: 0.75, offsets: [0.0, 0.5, 0.25, 0.75] };

    /// Errors: a period that is not positive, a duty factor outside (0, 1], an offset outside [0, 1).
    pub fn validate(&self) -> Result<(), ControlError> {
        let error = |name, value: f64, expected| {
            Err(ControlError::Parameter { name, value: value.to_string(), expected })
        };
        if !(self.period > 0.0 && self.period.is_finite()) {
            return error("gait.period", self.period, "a time > 0 s");
        }
        if !(self.duty > 0.0 && self.duty <= 1.0) {
            return error("gait.duty", self.duty, "a share in (0, 1]");
        }
        match self.offsets.iter().find(|o| !(0.0..1.0).contains(*o)) {
            Some(o) => error("gait.offsets", *o, "fractions of a period in [0, 1)"),
            None => Ok(()),
        }
    }

    /// φ of (1), in [0, 1).
    pub fn phase(&self, leg: usize, t: f64) -> f64 {
        let cycles = t / self.period + self.offsets[leg] + ROUNDING;
        cycles - cycles.floor()
    }

    /// True while `leg` stands at time `t` [s].
    pub fn stands(&self, leg: usize, t: f64) -> bool {
        self.duty >= 1.0 || self.phase(leg, t) < self.duty
    }

    /// Time that a foot stands in every period [s].
    pub fn stance(&self) -> f64 {
        self.duty * self.period
    }

    /// Time that a foot swings in every period [s].
    pub fn swing(&self) -> f64 {
        (1.0 - self.duty) * self.period
    }

    /// Time [s] until `leg` next comes to the ground, counted from `t`; a whole cycle's rest for one that stands.
    pub fn until_landing(&self, leg: usize, t: f64) -> f64 {
        (1.0 - self.phase(leg, t) + ROUNDING) * self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_feet_stand_in_a_trot_and_three_in_a_walk() {
        for (gait, count) in [(Gait::STAND, 4), (Gait::TROT, 2), (Gait::WALK, 3)] {
            gait.validate().unwrap();
            for k in 0..1000 {
                let t = 1e-3 * f64::from(k);
                let standing = (0..LEGS).filter(|leg| gait.stands(*leg, t)).count();
                assert_eq!(standing, count, "{gait:?} at {t} s");
            }
        }
    }

    #[test]
    fn a_foot_in_the_air_lands_when_it_is_said_to() {
        let (gait, h) = (Gait::TROT, 1e-3);
        for k in 0..640 {
            let t = h * f64::from(k);
            for leg in 0..LEGS {
                let left = gait.until_landing(leg, t);
                if !gait.stands(leg, t) {
                    assert!(gait.stands(leg, t + left) && !gait.stands(leg, t + left - h));
                }
            }
        }
    }

    #[test]
    fn what_is_no_gait_is_named() {
        let told = |gait: Gait| gait.validate().unwrap_err().to_string();
        assert!(told(Gait { period: 0.0, ..Gait::TROT }).contains("gait.period is 0"));
        assert!(told(Gait { duty: f64::NAN, ..Gait::TROT }).contains("gait.duty is NaN"));
        assert!(told(Gait { offsets: [0.0, 0.0, 1.0, 0.0], ..Gait::TROT }).contains("gait.offsets is 1"));
    }
}
