//! A force on a body, as a function of time.
//!
//! ```text
//!     f(t) = magnitude + ramp (t − start),  at most cap,   for start ≤ t < stop        (1)
//! ```

use super::spec::ForceSpec;
use super::{Scene, SceneError};
use crate::nearest::hint;
use stiction::Simulation;
use stiction::dynamics::spatial::Vec3;
use stiction::world::World;

/// A force on a body, constant or growing.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Index into `world.model.bodies`.
    pub body: usize,
    /// Where it acts, in body axes from the body's origin [m].
    pub point: Vec3,
    /// Unit vector in W.
    pub direction: Vec3,
    /// Magnitude at the start [N].
    pub magnitude: f64,
    /// Growth of the magnitude [N/s].
    pub ramp: f64,
    /// Largest magnitude [N].
    pub cap: f64,
    /// Time from which the force acts [s].
    pub start: f64,
    /// Time until which the force acts [s].
    pub stop: f64,
}

impl Force {
    /// (1) [N].
    pub fn at(&self, t: f64) -> f64 {
        if t < self.start || t >= self.stop {
            return 0.0;
        }
        (self.magnitude + self.ramp * (t - self.start)).clamp(-self.cap, self.cap)
    }

    /// Lets it act during the next step, with its value in the middle of the step.
    pub fn apply(&self, sim: &mut Simulation) {
        let force = self.at(sim.state().t + 0.5 * sim.settings().stepper.dt);
        if force != 0.0 {
            let point = sim.kinematics().X_WB[self.body].transform(self.point);
            sim.apply_force(self.body, point, self.direction * force);
        }
    }
}

impl Scene {
    /// `[[force]]` number `index`, for the bodies of `world`.
    pub(super) fn force(&self, index: usize, spec: &ForceSpec, world: &World) -> Result<Force, SceneError> {
        let bodies = || world.model.bodies.iter().map(|b| b.name.as_str());
        let body = bodies().position(|name| name == spec.body).ok_or_else(|| {
            let (guess, all) = (hint(&spec.body, bodies()), bodies().collect::<Vec<_>>().join(", "));
            let message = format!("no moving body is called `{}`{guess}; there are: {all}", spec.body);
            self.mistake("force", index, "body", message)
        })?;
        Ok(Force {
            body,
            point: spec.point.vec3(),
            direction: spec.direction.unit(),
            magnitude: spec.magnitude.0,
            ramp: spec.ramp.0,
            cap: spec.cap.map_or(f64::INFINITY, |c| c.0),
            start: spec.start.0,
            stop: spec.stop.map_or(f64::INFINITY, |s| s.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_start_grow_and_stop() {
        let force = Force {
            body: 0,
            point: Vec3::ZERO,
            direction: Vec3::X,
            magnitude: 1.0,
            ramp: 2.0,
            cap: 4.0,
            start: 1.0,
            stop: 5.0,
        };
        let values = [0.9, 1.0, 2.0, 2.5, 4.9, 5.0].map(|t| force.at(t));
        assert_eq!(values, [0.0, 1.0, 3.0, 4.0, 4.0, 0.0]);
    }
}
