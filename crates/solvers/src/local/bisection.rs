//! RaiSim's search for the sliding impulse of one contact.
//!
//! Among the impulses on the cone's boundary that keep c_N = 0, an ellipse
//!
//! ```text
//!     λ(θ) = (r cos θ, r sin θ, r/μ),   r(θ) = −q_N / (A_NN/μ + A_Nx cos θ + A_Ny sin θ)    (1)
//! ```
//!
//! it seeks the one of least kinetic energy ½λᵀAλ + λᵀq̂ [Hwangbo2018], by the sign of the slope
//!
//! ```text
//!     s(θ) = ηᵀ (A λ(θ) + q̂),   η = ∇H₁ × ∇H₂,
//!     ∇H₁ = A_N: (the plane),   ∇H₂ = (2λ_x, 2λ_y, −2μ²λ_N) (the cone)                       (2)
//! ```
//!
//! q̂ = q is RaiSim as published; q̂ = q + (0, 0, μ‖c_T‖) is De Saxcé's correction [LeLidec2024].
//! From the direction of λ_v0 = −A⁻¹q̂ the angle walks downhill, each step β₃ times the last, until s
//! changes sign; steps onto the far side of the cone (∇H₂·(λ_v0 − λ) < 0) or with r < 0 are undone
//! and cut by β₂. Then bisection, until the impulse moves by less than a threshold.
//! Where the plane does not cut the cone in an ellipse, θ₀ may be inadmissible; the walk then starts
//! from the best of 64 angles, and there may be no answer at all.
//! λ [N·s], q [m/s], A [1/kg].

use super::Contact;
use crate::parameters::{Field, Parameter, Parameters, parameters};
use stiction_contact::matrix3::mul;

parameters! {
    /// Constants of the search, as published.
    pub struct Bisection {
        /// β₁: the first step.
        first_step: f64 = 1e-2, "rad", above(0.0);
        /// β₂: factor of a step that was undone.
        shrink: f64 = 0.5, "–", above(0.0).below(1.0);
        /// β₃: factor of a step that did not bracket the answer.
        grow: f64 = 1.3, "–", at_least(1.0);
        /// The search ends when the impulse moves by less than this.
        threshold: f64 = 1e-6, "N·s", above(0.0);
        /// Search on to a tenth of tolerance/‖A‖ where the threshold would hide the solver's tolerance. Without, answers
        /// are as coarse as published.
        tighten: bool = true, "–", by_type();
    }
}

impl Field for Bisection {
    const GROUP: &'static [Parameter] = Self::TABLE;
}

/// Steps of the walk and of the bisection that are enough in double precision.
const WALK: u32 = 200;
const HALVINGS: u32 = 60;

impl Bisection {
    /// The sliding impulse, `q` without and `q_hat` with correction. `tolerance` [m/s]: see
    /// [`Self::tighten`]. `None`: no impulse slides on the ellipse.
    pub fn slide(&self, contact: &Contact, q: [f64; 3], q_hat: [f64; 3], tolerance: f64) -> Option<[f64; 3]> {
        let threshold =
            if self.tighten { self.threshold.min(0.1 * tolerance / contact.norm) } else { self.threshold };
        let at = |theta: f64| point(contact, q, theta);
        let slope = |l: [f64; 3]| slope(contact, q_hat, l);
        let v0 = mul(&contact.inverse, q_hat).map(|x| -x);

        let mut theta = v0[1].atan2(v0[0]);
        if !admissible(at(theta)) {
            theta = best_angle(contact, q, q_hat)?;
        }
        let mut lambda = at(theta);
        let s0 = slope(lambda);
        let mut step = if s0 >= 0.0 { -self.first_step } else { self.first_step };
        let mut bracket = None;
        for _ in 0..WALK {
            let trial = at(theta + step);
            if !admissible(trial) || hidden(contact.mu, v0, trial) {
                step *= self.shrink;
                if (theta + step) == theta {
                    break;
                }
            } else if slope(trial) * s0 > 0.0 {
                theta += step;
                lambda = trial;
                step *= self.grow;
            } else {
                bracket = Some(theta + step);
                break;
            }
        }
        let Some(mut far) = bracket else { return Some(lambda) };
        let mut previous = lambda;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (theta + far);
            lambda = at(middle);
            if slope(lambda) * s0 > 0.0 {
                theta = middle;
            } else {
                far = middle;
            }
            let moved = (0..3).fold(0.0_f64, |m, k| m.max((lambda[k] - previous[k]).abs()));
            if moved < threshold {
                break;
            }
            previous = lambda;
        }
        Some(lambda)
    }
}

/// (1).
fn point(contact: &Contact, q: [f64; 3], theta: f64) -> [f64; 3] {
    let (sin, cos) = theta.sin_cos();
    let a = &contact.a;
    let r = -q[2] / (a[8] / contact.mu + a[6] * cos + a[7] * sin);
    [r * cos, r * sin, r / contact.mu]
}

fn admissible(lambda: [f64; 3]) -> bool {
    lambda[2] >= 0.0 && lambda[2].is_finite()
}

/// s of (2).
fn slope(contact: &Contact, q_hat: [f64; 3], l: [f64; 3]) -> f64 {
    let [x, y, z] = [contact.a[6], contact.a[7], contact.a[8]];
    let [u, v, w] = cone_gradient(contact.mu, l);
    let eta = [y * w - z * v, z * u - x * w, x * v - y * u];
    let f = mul(&contact.a, l);
    eta[0] * (f[0] + q_hat[0]) + eta[1] * (f[1] + q_hat[1]) + eta[2] * (f[2] + q_hat[2])
}

/// ∇H₂ of (2).
fn cone_gradient(mu: f64, l: [f64; 3]) -> [f64; 3] {
    [2.0 * l[0], 2.0 * l[1], -2.0 * mu * mu * l[2]]
}

/// λ lies on the side of the cone turned away from v0.
fn hidden(mu: f64, v0: [f64; 3], l: [f64; 3]) -> bool {
    let g = cone_gradient(mu, l);
    (0..3).map(|k| g[k] * (v0[k] - l[k])).sum::<f64>() < 0.0
}

/// The admissible one of 64 angles with the least energy.
fn best_angle(contact: &Contact, q: [f64; 3], q_hat: [f64; 3]) -> Option<f64> {
    let mut best = None;
    let mut least = f64::INFINITY;
    for k in 0..64 {
        let theta = f64::from(k) * (std::f64::consts::TAU / 64.0);
        let l = point(contact, q, theta);
        let f = mul(&contact.a, l);
        let energy: f64 = (0..3).map(|k| l[k] * (0.5 * f[k] + q_hat[k])).sum();
        if admissible(l) && energy < least {
            (best, least) = (Some(theta), energy);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::tests::problems;
    use super::super::{Contact, in_cone};
    use super::*;

    /// The answer is on the ellipse and no neighbour on it has less energy.
    #[test]
    fn finds_the_least_energy_of_the_ellipse() {
        let mut judged = 0;
        for (a, q, mu) in problems() {
            let contact = Contact::new(a, mu).unwrap();
            let v0 = contact.sticking([0.0; 3], q);
            let ellipse = a[8] > 1.05 * mu * a[6].hypot(a[7]);
            if q[2] >= -1e-3 || in_cone(v0, mu) || !ellipse {
                continue;
            }
            let l = Bisection::default().slide(&contact, q, q, 1e-10).unwrap();
            let energy = |l: [f64; 3]| {
                let f = mul(&a, l);
                (0..3).map(|k| l[k] * (0.5 * f[k] + q[k])).sum::<f64>()
            };
            let theta = l[1].atan2(l[0]);
            let here = energy(l);
            let least =
                (0..720).map(|k| energy(point(&contact, q, f64::from(k) * std::f64::consts::TAU / 720.0)));
            let least = least.fold(f64::INFINITY, f64::min);
            assert!(here <= least + 1e-9 * here.abs(), "A {a:?}, q {q:?}, mu {mu}: {here} > {least}");
            let on = point(&contact, q, theta);
            assert!((0..3).all(|k| (on[k] - l[k]).abs() <= 1e-9 * l[2]));
            judged += 1;
        }
        assert!(judged > 500, "{judged}");
    }
}
