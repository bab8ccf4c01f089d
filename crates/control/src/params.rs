//! Everything that can be set of a controller, with the values it has for Solo-12 [Grimminger2020].

use crate::{ControlError, Gait, MpcWeights};
use serde::{Deserialize, Serialize};

/// Parameters of [`crate::Locomotion`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LocomotionParams {
    pub gait: Gait,
    /// Steps of the prediction.
    pub horizon: usize,
    /// Length of one of them [s].
    pub mpc_step: f64,
    /// Time between two plans [s].
    pub mpc_period: f64,
    pub weights: MpcWeights,
    /// μ of the pyramid that planned forces stay in; the ground may have another.
    pub friction: f64,
    /// Least and largest normal force of a foot, as shares of the weight.
    pub normal_force: [f64; 2],
    /// Greatest distance of the trunk from its reference that a plan undoes [m]: a reference that runs away is held back.
    pub leash: f64,
    /// Height of a foot above the line from lift-off to landing, midway [m].
    pub step_height: f64,
    /// k of Raibert's rule [s].
    pub raibert_gain: f64,
    /// Farthest from the hip that a foot lands, along the ground [m].
    pub reach: f64,
    /// Time before landing from which the place to land stays [s].
    pub commit: f64,
    /// Radius of the feet, whose centres stand so high above the ground [m].
    pub foot_radius: f64,
    /// Stiffness and damping of the joints of a leg that swings [N·m/rad, N·m·s/rad].
    pub swing_gains: [f64; 2],
    /// Stiffness and damping of the joints of a leg that stands [N·m/rad, N·m·s/rad].
    pub stance_gains: [f64; 2],
    /// Stiffness and damping of the acceleration that a foot in the air is given towards its way [1/s², 1/s].
    pub foot_gains: [f64; 2],
    /// Largest torque of a joint [N·m].
    pub largest_torque: f64,
}

impl Default for LocomotionParams {
    fn default() -> Self {
        Self {
            gait: Gait::TROT,
            horizon: 15,
            mpc_step: 0.02,
            mpc_period: 0.02,
            weights: MpcWeights::default(),
            friction: 0.5,
            normal_force: [0.0, 1.0],
            leash: 0.05,
            step_height: 0.05,
            raibert_gain: 0.03,
            reach: 0.12,
            commit: 0.03,
            foot_radius: 0.019,
            swing_gains: [3.0, 0.2],
            stance_gains: [0.0, 0.1],
            foot_gains: [0.0, 0.0],
            largest_torque: 2.7,
        }
    }
}

impl LocomotionParams {
    /// Errors: a parameter out of its range, named with the range.
    pub fn validate(&self) -> Result<(), ControlError> {
        self.gait.validate()?;
        let positive = [
            ("mpc_step", self.mpc_step, "a time > 0 s"),
            ("mpc_period", self.mpc_period, "a time > 0 s"),
            ("friction", self.friction, "a coefficient > 0"),
            ("reach", self.reach, "a length > 0 m"),
            ("largest_torque", self.largest_torque, "a torque > 0 N·m"),
            ("normal_force", self.normal_force[1], "two shares of the weight, 0 ≤ least < largest"),
            ("normal_force", self.normal_force[1] - self.normal_force[0], "least < largest"),
            ("weights.force", self.weights.force, "a weight > 0"),
        ];
        let w = &self.weights;
        let weights = [w.position, w.angles, w.velocity, w.angular_velocity].concat();
        let gains = [self.swing_gains, self.stance_gains, self.foot_gains].concat();
        let at_least_zero = [
            ("leash", self.leash, "a length ≥ 0 m"),
            ("step_height", self.step_height, "a length ≥ 0 m"),
            ("raibert_gain", self.raibert_gain, "a time ≥ 0 s"),
            ("commit", self.commit, "a time ≥ 0 s"),
            ("foot_radius", self.foot_radius, "a length ≥ 0 m"),
            ("normal_force", self.normal_force[0], "two shares of the weight, 0 ≤ least < largest"),
        ];
        let gains = gains.into_iter().map(|g| ("a gain", g, "a number ≥ 0"));
        let weights = weights.into_iter().map(|w| ("a weight of the plan", w, "a number ≥ 0"));
        let more = at_least_zero.into_iter().chain(gains).chain(weights);
        let bad = |least: bool, x: f64| !(x.is_finite() && (x > 0.0 || (least && x == 0.0)));
        let wrong =
            positive.into_iter().find(|p| bad(false, p.1)).or(more.into_iter().find(|p| bad(true, p.1)));
        if let Some((name, value, expected)) = wrong {
            return Err(ControlError::Parameter { name, value: value.to_string(), expected });
        }
        if !(1..=200).contains(&self.horizon) {
            let (value, expected) = (self.horizon.to_string(), "1 to 200 steps");
            return Err(ControlError::Parameter { name: "horizon", value, expected });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_out_of_range_are_named() {
        LocomotionParams::default().validate().unwrap();
        let told = |p: LocomotionParams| p.validate().unwrap_err().to_string();
        let base = LocomotionParams::default();
        assert!(
            told(LocomotionParams { mpc_step: 0.0, ..base }).starts_with("mpc_step is 0; expected a time")
        );
        assert!(told(LocomotionParams { horizon: 0, ..base }).contains("1 to 200 steps"));
        assert!(told(LocomotionParams { leash: f64::NAN, ..base }).contains("leash is NaN"));
        assert!(told(LocomotionParams { normal_force: [2.0, 1.0], ..base }).contains("least < largest"));
    }
}
