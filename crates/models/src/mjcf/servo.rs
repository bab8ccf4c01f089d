//! The law of an actuator, as its classes and its element build it up step by step.
//!
//! MuJoCo reads <motor>, <position>, … as shorthands that overwrite one set of parameters: a
//! default for any kind of actuator speaks to all kinds. So the classes are worked through from the
//! outermost, element by element, and the actuator's own element comes last.
//!
//! ```text
//!     effort = gain(l, l̇) u + bias(l, l̇)
//!     gain: fixed g₀, affine g₀ + g₁ l + g₂ l̇;   bias: none 0, affine b₀ + b₁ l + b₂ l̇     (1)
//! ```

use super::vocabulary::{DRY, NO_ORIENTATION, STATE_OF_ITS_OWN};
use crate::error::LoadError;
use crate::xml::Attribute;
use crate::xml::Element;

/// Names of actuator elements.
pub(crate) const TAGS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "damper",
    "intvelocity",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "pid",
    "orientation",
    "plugin",
];

/// Parameters of (1).
#[derive(Clone, Debug)]
pub(crate) struct Servo {
    pub(crate) gain: [f64; 3],
    pub(crate) gain_affine: bool,
    pub(crate) bias: [f64; 3],
    pub(crate) bias_affine: bool,
    /// Why this law is not simulated, if it is not.
    pub(crate) unsupported: Option<&'static str>,
    /// Share of the joint's range that the control range is to cover.
    pub(crate) inherit_range: f64,
}

impl Servo {
    pub(crate) fn new() -> Self {
        Self {
            gain: [1.0, 0.0, 0.0],
            gain_affine: false,
            bias: [0.0; 3],
            bias_affine: false,
            unsupported: None,
            inherit_range: 0.0,
        }
    }

    /// Applies the attributes of `e` over those known so far.
    pub(crate) fn apply(&mut self, e: Element<'_>) -> Result<(), LoadError> {
        let number = |name: &str, otherwise: f64| e.get(name).map_or(Ok(otherwise), |a| a.number());
        match e.name() {
            "general" => self.general(e)?,
            "motor" => {
                self.gain[0] = 1.0;
                (self.gain_affine, self.bias_affine) = (false, false);
                self.unsupported = None;
            }
            "position" => {
                let kp = number("kp", self.gain[0])?;
                self.gain[0] = kp;
                self.bias[1] = -kp;
                (self.gain_affine, self.bias_affine) = (false, true);
                self.unsupported = None;
                if let Some(kv) = e.get("kv") {
                    self.bias[2] = -kv.not_negative()?;
                }
                if let Some(ratio) = e.get("dampratio") {
                    if e.get("kv").is_some() {
                        return Err(ratio.error("either kv or dampratio"));
                    }
                    self.bias[2] = ratio.not_negative()?;
                }
                if let Some(constant) = e.get("timeconst")
                    && constant.not_negative()? > 0.0
                {
                    self.unsupported = Some("actuators with a state (timeconst) are not simulated yet");
                }
                self.inherit_range = number("inheritrange", self.inherit_range)?;
            }
            "velocity" => {
                let kv = number("kv", self.gain[0])?;
                self.gain[0] = kv;
                self.bias = [0.0, 0.0, -kv];
                (self.gain_affine, self.bias_affine) = (false, true);
                self.unsupported = None;
            }
            "damper" => {
                let before = if self.gain_affine { -self.gain[2] } else { 0.0 };
                let kv = number("kv", before)?;
                self.gain = [0.0, 0.0, -kv];
                (self.gain_affine, self.bias_affine) = (true, false);
                self.unsupported = None;
            }
            "intvelocity" | "cylinder" | "muscle" | "dcmotor" | "pid" => {
                self.unsupported = Some(STATE_OF_ITS_OWN);
            }
            "adhesion" => self.unsupported = Some(DRY),
            "orientation" => self.unsupported = Some(NO_ORIENTATION),
            _ => self.unsupported = Some("plugins are not run"),
        }
        Ok(())
    }

    fn general(&mut self, e: Element<'_>) -> Result<(), LoadError> {
        let first_three = |a: Attribute<'_>, into: &mut [f64; 3]| -> Result<bool, LoadError> {
            let numbers = a.numbers(1, 20)?;
            into.iter_mut().zip(&numbers).for_each(|(slot, x)| *slot = *x);
            Ok(numbers.iter().skip(3).all(|x| *x == 0.0))
        };
        if let Some(a) = e.get("gainprm") {
            first_three(a, &mut self.gain)?;
        }
        if let Some(a) = e.get("biasprm") {
            first_three(a, &mut self.bias)?;
        }
        let other = "only fixed and affine gains and affine biases are simulated yet";
        if let Some(a) = e.get("gaintype") {
            match a.value().trim() {
                "fixed" => self.gain_affine = false,
                "affine" => self.gain_affine = true,
                "muscle" | "user" | "so3" | "pid" | "dcmotor" => self.unsupported = Some(other),
                _ => return Err(a.error("fixed, affine, muscle or user")),
            }
        }
        if let Some(a) = e.get("biastype") {
            match a.value().trim() {
                "none" => self.bias_affine = false,
                "affine" => self.bias_affine = true,
                "muscle" | "user" | "so3" | "dcmotor" => self.unsupported = Some(other),
                _ => return Err(a.error("none, affine, muscle or user")),
            }
        }
        if let Some(a) = e.get("dyntype") {
            match a.value().trim() {
                "none" => {}
                "integrator" | "filter" | "filterexact" | "muscle" | "user" | "pid" | "dcmotor" => {
                    self.unsupported = Some("actuators with a state of their own are not simulated yet");
                }
                _ => return Err(a.error("none, integrator, filter, filterexact, muscle or user")),
            }
        }
        Ok(())
    }
}
