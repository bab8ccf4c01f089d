//! Contact forces of springs and dampers with regularised friction.
//!
//! ```text
//!     f_N = k δ^p (1 + d δ̇)₊,   δ = −φ > 0,   p = 1 or 3/2                                        (1)  [HuntCrossley1975]
//!     f_T = −μ(s) f_N c_T/‖c_T‖,   s = ‖c_T‖/v_s                                                  (2)
//! ```
//!
//! | friction | μ(s) |
//! |---|---|
//! | `piecewise` | μ_s s up to 1, from there straight to μ at 2, then μ |
//! | `stribeck` | μ_s S(s) up to 1, μ_s − (μ_s − μ) S((s − 1)/2) up to 3, then μ; S(x) = x³ (10 − 15 x + 6 x²) |
//!
//! μ is the coefficient of the surfaces, μ_s what they state for sticking, or `static_ratio` μ. A surface that states a stiffness
//! has that, and its own d. Where the two meet by pressure there is one such spring for every polygon of the patch, with p = 1,
//! k δ = A p_e, and their own d or, where they state none, that of the parameters.

use crate::canon_params::{CompliantParams, Friction};
use stiction_assembly::ContactPoint;
use stiction_dynamics::spatial::Vec3;

/// Force on B [N] at the relative velocity `c` of B at the point [m/s].
pub(super) fn force(params: &CompliantParams, point: &ContactPoint, c: Vec3) -> Vec3 {
    let depth = -point.gap;
    if depth <= 0.0 {
        return Vec3::ZERO;
    }
    let along = c.dot(point.n);
    let normal = normal(params, point, depth, along);
    let slip = c - point.n * along;
    let speed = slip.norm();
    if speed == 0.0 {
        return point.n * normal;
    }
    let mu = coefficient(params, point, speed / params.slip_speed);
    point.n * normal - slip * (mu * normal / speed)
}

/// (1) where the gap opens at the rate `opening`.
fn normal(params: &CompliantParams, point: &ContactPoint, depth: f64, opening: f64) -> f64 {
    let (k, d) = numbers(params, point);
    k * depth.powf(exponent(params, point)) * (1.0 - d * opening).max(0.0)
}

/// p of (1): pressures are linear in themselves.
fn exponent(params: &CompliantParams, point: &ContactPoint) -> f64 {
    if point.patch.is_some() { 1.0 } else { params.exponent }
}

fn numbers(params: &CompliantParams, point: &ContactPoint) -> (f64, f64) {
    match point.spring {
        Some(spring) if point.patch.is_some_and(|p| p.dissipation.is_none()) => {
            (spring.stiffness, params.dissipation)
        }
        Some(spring) => (spring.stiffness, spring.dissipation),
        None => (params.stiffness, params.dissipation),
    }
}

/// −∂f_N/∂φ, −∂f_N/∂c_N and −∂‖f_T‖/∂‖c_T‖ at most, for an iteration that needs them roughly [N/m, N·s/m].
pub(super) fn gains(params: &CompliantParams, point: &ContactPoint, c: Vec3) -> [f64; 3] {
    let depth = -point.gap;
    if depth <= 0.0 {
        return [0.0; 3];
    }
    let (k, d) = numbers(params, point);
    let along = c.dot(point.n);
    let share = (1.0 - d * along).max(0.0);
    let p = exponent(params, point);
    let stiffness = p * k * depth.powf(p - 1.0) * share;
    let damping = if share > 0.0 { k * depth.powf(p) * d } else { 0.0 };
    let speed = (c - point.n * along).norm();
    let at = (speed / params.slip_speed).max(1e-3);
    let secant = coefficient(params, point, at) / (at * params.slip_speed);
    [stiffness, damping, secant * normal(params, point, depth, along)]
}

/// μ(s) of (2).
fn coefficient(params: &CompliantParams, point: &ContactPoint, s: f64) -> f64 {
    let mu = point.friction;
    let most = point.static_friction.map_or(params.static_ratio * mu, |most| most.max(mu));
    match params.friction {
        Friction::Piecewise if s <= 1.0 => most * s,
        Friction::Piecewise => most + (mu - most) * (s - 1.0).min(1.0),
        Friction::Stribeck if s <= 1.0 => most * rise(s),
        Friction::Stribeck => most - (most - mu) * rise((0.5 * (s - 1.0)).min(1.0)),
    }
}

/// S of the module.
fn rise(x: f64) -> f64 {
    x * x * x * (10.0 - x * (15.0 - 6.0 * x))
}
