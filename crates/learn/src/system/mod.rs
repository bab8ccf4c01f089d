//! System identification of any scene: which numbers of a world explain measured trajectories.
//!
//! ```text
//!     Case { world, state, settings, control } ──parameters──▶ Simulation ──▶ predicted columns
//!     r_c = (measured − predicted) of column c,   group a column with those of its unit
//!     known noise σ:     −log p = Σ r²/(2 σ²)
//!     unknown noise:     −log p = Σ_groups n_g/2 · ln(mean r²),   σ_g then from the best fit
//! ```
//!
//! Point estimates are by CMA-ES, distributions by Metropolis and Hastings with σ known or as found; the prior is uniform over
//! the ranges.

mod case;
mod estimate;
mod parameter;

pub use case::{Case, Channel, Coordinate, Drive, Measured, NotSimulated, channels};
pub use estimate::{Estimate, Identified, IdentifyError, IdentifySettings, identify};
pub use parameter::{Parameter, ParameterError, parameter_names};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify::Sampling;
    use std::ops::ControlFlow;
    use stiction::collision::Shape;
    use stiction::dynamics::spatial::{Pose, vec3};
    use stiction::random::Random;
    use stiction::world::Material;
    use stiction::{Composer, FreeBody, Settings, UNCOLOURED};

    /// A ball that is thrown and bounces.
    pub(super) fn ball() -> Case {
        let mut scene = Composer::new("thrown", vec3(0.0, 0.0, -9.81)).unwrap();
        let surface = Material { friction: 0.5, restitution: 0.6, ..Material::default() };
        scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, UNCOLOURED).unwrap();
        let start = Pose::from_translation(vec3(0.0, 0.0, 0.5));
        let ball = FreeBody::new("ball", Shape::Sphere { radius: 0.1 }, 1.5, start);
        let material = Material { friction: 0.0, restitution: 0.0, ..Material::default() };
        scene.body(FreeBody { material, velocity: vec3(4.0, 0.0, 0.0), ..ball }).unwrap();
        let (world, state) = scene.finish();
        let mut settings = Settings::default();
        settings.stepper.dt = 5e-3;
        Case { world, state, settings, control: Vec::new(), drive: None, delay: 0.0 }
    }

    fn measured(case: &Case, names: &[&str], times: Vec<f64>, noise: f64, seed: u64) -> Measured {
        let all = channels(&case.world.model);
        let channels = names.iter().map(|n| all.iter().find(|c| c.name == *n).unwrap().clone()).collect();
        let mut measured = Measured { name: "made".to_owned(), start: None, times, channels, values: vec![] };
        let mut random = Random::new(seed);
        measured.values = case.predict(&measured).unwrap();
        measured.values.iter_mut().for_each(|x| *x += noise * random.normal());
        measured
    }

    /// Restitution, friction, height of the floor, g and the delay of the measurement are found from a noisy bouncing ball.
    #[test]
    fn parameters_that_made_a_trajectory_are_found() {
        let case = ball();
        let truth = [
            ("ground.restitution", [0.0, 1.0], 0.72),
            ("friction", [0.0, 1.0], 0.14),
            ("ground.z", [-0.05, 0.05], 0.012),
            ("gravity", [9.0, 10.5], 9.6),
            ("delay", [0.0, 0.03], 0.011),
        ];
        let mut real = case.clone();
        let parameters: Vec<(Parameter, [f64; 2])> = truth
            .map(|(name, range, value)| {
                let parameter = Parameter::find(name, &case.world).unwrap();
                parameter.set(&mut real, value);
                (parameter, range)
            })
            .to_vec();
        let times = (1..100).map(|k| 0.01 * f64::from(k)).collect();
        let names = ["ball x [m]", "ball z [m]", "ball body y [rad/s]"];
        let seen = [measured(&real, &names, times, 1e-3, 4)];
        let settings = IdentifySettings { sampling: None, generations: 80, ..IdentifySettings::default() };
        let mut watch = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
        let found = identify(&case, &parameters, &seen, &settings, &mut Vec::new(), &mut watch).unwrap();
        for (p, (name, _, value)) in found.parameters.iter().zip(truth) {
            let near = match name {
                "gravity" => 0.03,
                "ground.z" | "delay" => 1e-3,
                _ => 0.01,
            };
            assert!((p.value - value).abs() < near, "{p:?}, {value}");
        }
        assert!((found.rms["m"] / 1e-3 - 1.0).abs() < 0.15, "{found:?}");
    }

    /// Height and g of a fall are linear in what is measured, z = z₀ + … − g t²/2: the posterior is normal with the covariance
    /// σ² (XᵀX)⁻¹ of least squares.
    #[test]
    fn the_width_of_a_linear_problem_is_that_of_least_squares() {
        let mut case = ball();
        case.state.q[2] = 50.0;
        // A flight is exact in steps of any length.
        case.settings.stepper.dt = 0.02;
        let times: Vec<f64> = (1..=50).map(|k| 0.02 * f64::from(k)).collect();
        let sigma = 0.01;
        let seen = [measured(&case, &["ball z [m]"], times.clone(), sigma, 7)];
        let find = |name: &str, range| (Parameter::find(name, &case.world).unwrap(), range);
        let parameters = [find("start.ball.z", [49.0, 51.0]), find("gravity", [9.0, 11.0])];
        let sampling = Sampling { seed: 2, ..Sampling::default() };
        let settings =
            IdentifySettings { noise: Some(sigma), sampling: Some(sampling), ..IdentifySettings::default() };
        let mut watch = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
        let found = identify(&case, &parameters, &seen, &settings, &mut Vec::new(), &mut watch).unwrap();
        // Normal equations of z = a − g t²/2 with columns 1 and −t²/2.
        let (mut aa, mut ag, mut gg) = (0.0, 0.0, 0.0);
        for t in &times {
            let x = -0.5 * t * t;
            (aa, ag, gg) = (aa + 1.0, ag + x, gg + x * x);
        }
        let determinant = aa * gg - ag * ag;
        let widths = [(gg / determinant).sqrt() * sigma, (aa / determinant).sqrt() * sigma];
        let posterior = found.posterior.unwrap();
        for (m, width) in posterior.marginals.iter().zip(widths) {
            assert!(m.r_hat < 1.02, "{m:?}");
            assert!((m.deviation / width - 1.0).abs() < 0.1, "{m:?}, {width}");
        }
        for (m, p) in posterior.marginals.iter().zip(&found.parameters) {
            assert!((m.mean - p.value).abs() < 0.2 * m.deviation, "{m:?} {p:?}");
        }
    }
}
