//! F of one block, and its slopes.
//!
//! With ρ_N = 1/A_NN, ρ_T = 1/tr A_TT, τ = λ − ρ c and the disc D of radius r:
//!
//! ```text
//!     F_N = λ_N − max(τ_N, 0),   F_T = λ_T − P_D(τ_T),   r = μ max(τ_N, 0) or μ max(λ_N, 0)     (1)
//! ```
//!
//! [AlartCurnier1991] and Jean and Moreau [Acary2018]. With x = (λ_T, μ λ_N) and
//! y = (c_T, c_N/μ + ‖c_T‖_ε) in the Lorentz cone and Jordan's product [Fukushima2002],
//!
//! ```text
//!     F = x + y − s,   s = (x∘x + y∘y + 2ε² e)^½,   dF = (1 − L(s)⁻¹L(x)) dx + (1 − L(s)⁻¹L(y)) dy   (2)
//! ```
//!
//! Scalar blocks have λ − P(τ) for (1); for (2) a + b − √(a² + b² + 2ε²), and for a box that function of
//! λ − lo and minus itself of (hi − λ, −c). Leading components stand last.

use super::Function;
use crate::interior::jordan;
use stiction_contact::Cone;

/// A block in scaled variables.
pub(crate) struct Block {
    first: usize,
    cone: Cone,
    rho_n: f64,
    rho_t: f64,
}

/// ∂F/∂c and ∂F/∂λ; of a scalar block only the first number counts.
#[derive(Default)]
pub(crate) struct Slope {
    pub(crate) by_velocity: [[f64; 3]; 3],
    pub(crate) by_impulse: [[f64; 3]; 3],
}

impl Block {
    /// `normal` = A_NN, `tangents` = tr A_TT.
    pub(crate) fn new(first: usize, cone: Cone, normal: f64, tangents: f64) -> Self {
        let inverse = |a: f64| if a > 0.0 { 1.0 / a } else { 1.0 };
        Self { first, cone, rho_n: inverse(normal), rho_t: inverse(tangents) }
    }

    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.cone.dim()
    }

    /// F.
    pub(crate) fn value(&self, function: Function, epsilon: f64, l: &[f64], c: &[f64]) -> [f64; 3] {
        let smooth = function == Function::FischerBurmeister;
        match self.cone {
            Cone::Friction { mu } if smooth && mu > 0.0 => {
                let (x, y) = lorentz(mu, epsilon, l, c);
                let (s, _) = root(x, y, epsilon);
                std::array::from_fn(|k| x[k] + y[k] - s[k])
            }
            Cone::Friction { mu } => {
                let tau_n = l[2] - self.rho_n * c[2];
                let tau = [l[0] - self.rho_t * c[0], l[1] - self.rho_t * c[1]];
                let r = mu * positive(if function == Function::AlartCurnier { tau_n } else { l[2] });
                let t = (tau[0] * tau[0] + tau[1] * tau[1]).sqrt();
                let share = if t > r { r / t } else { 1.0 };
                [l[0] - share * tau[0], l[1] - share * tau[1], l[2] - positive(tau_n)]
            }
            cone if smooth => [scalar(cone, epsilon, l[0], c[0]).0, 0.0, 0.0],
            cone => {
                let tau = l[0] - self.rho_n * c[0];
                let mut inside = [tau];
                cone.project(&mut inside);
                // λ − (λ − ρ c) would lose c to the rounding of a large λ.
                let value = if inside[0] == tau { self.rho_n * c[0] } else { l[0] - inside[0] };
                [value, 0.0, 0.0]
            }
        }
    }

    pub(crate) fn slope(&self, function: Function, epsilon: f64, l: &[f64], c: &[f64]) -> Slope {
        let smooth = function == Function::FischerBurmeister;
        let mut out = Slope::default();
        match self.cone {
            Cone::Friction { mu } if smooth && mu > 0.0 => smooth_slope(&mut out, mu, epsilon, l, c),
            Cone::Friction { mu } => self.piece_slope(&mut out, function, mu, l, c),
            cone if smooth => {
                let (_, by_impulse, by_velocity) = scalar(cone, epsilon, l[0], c[0]);
                (out.by_impulse[0][0], out.by_velocity[0][0]) = (by_impulse, by_velocity);
            }
            cone => {
                let tau = l[0] - self.rho_n * c[0];
                let mut inside = [tau];
                cone.project(&mut inside);
                if inside[0] == tau {
                    out.by_velocity[0][0] = self.rho_n;
                } else {
                    out.by_impulse[0][0] = 1.0;
                }
            }
        }
        out
    }

    /// Slopes of (1) on the present piece.
    fn piece_slope(&self, out: &mut Slope, function: Function, mu: f64, l: &[f64], c: &[f64]) {
        let Self { rho_n, rho_t, .. } = *self;
        let (a, b) = (&mut out.by_velocity, &mut out.by_impulse);
        let tau_n = l[2] - rho_n * c[2];
        if tau_n > 0.0 {
            a[2][2] = rho_n;
        } else {
            b[2][2] = 1.0;
        }
        let leading = function == Function::AlartCurnier;
        let r = mu * positive(if leading { tau_n } else { l[2] });
        let tau = [l[0] - rho_t * c[0], l[1] - rho_t * c[1]];
        let t = (tau[0] * tau[0] + tau[1] * tau[1]).sqrt();
        if r == 0.0 {
            (b[0][0], b[1][1]) = (1.0, 1.0);
        } else if t <= r {
            (a[0][0], a[1][1]) = (rho_t, rho_t);
        } else {
            let e = [tau[0] / t, tau[1] / t];
            for k in 0..2 {
                for m in 0..2 {
                    let one = f64::from(u8::from(k == m));
                    let q = r / t * (one - e[k] * e[m]);
                    a[k][m] = rho_t * q;
                    b[k][m] = one - q;
                }
                b[k][2] = -mu * e[k];
                if leading {
                    a[k][2] = mu * rho_n * e[k];
                }
            }
        }
    }
}

fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// x and y of (2).
fn lorentz(mu: f64, epsilon: f64, l: &[f64], c: &[f64]) -> ([f64; 3], [f64; 3]) {
    let slip = (c[0] * c[0] + c[1] * c[1] + epsilon * epsilon).sqrt();
    ([l[0], l[1], mu * l[2]], [c[0], c[1], c[2] / mu + slip])
}

/// s of (2), and the product of its eigenvalues.
fn root(x: [f64; 3], y: [f64; 3], epsilon: f64) -> ([f64; 3], f64) {
    let (xx, yy) = (jordan(&x, &x), jordan(&y, &y));
    let w: [f64; 3] = std::array::from_fn(|k| xx[k] + yy[k]);
    let lead = w[2] + 2.0 * epsilon * epsilon;
    let length = (w[0] * w[0] + w[1] * w[1]).sqrt();
    // lead − length without cancellation.
    let u = if length > 0.0 { [w[0] / length, w[1] / length] } else { [1.0, 0.0] };
    let apart = |v: [f64; 3]| (v[0] - v[2] * u[0]).powi(2) + (v[1] - v[2] * u[1]).powi(2);
    let low = (apart(x) + apart(y) + 2.0 * epsilon * epsilon).sqrt();
    let high = (lead + length).sqrt();
    let half = 0.5 * (high - low);
    let along = if length > 0.0 { half / length } else { 0.0 };
    ([along * w[0], along * w[1], 0.5 * (high + low)], low * high)
}

/// Slopes of (2) by λ and c.
fn smooth_slope(out: &mut Slope, mu: f64, epsilon: f64, l: &[f64], c: &[f64]) {
    let (x, y) = lorentz(mu, epsilon, l, c);
    let (s, det) = root(x, y, epsilon);
    let inverse = arrow_inverse(s, det);
    let by_x = one_minus(&inverse, x);
    let by_y = one_minus(&inverse, y);
    let slip = (c[0] * c[0] + c[1] * c[1] + epsilon * epsilon).sqrt();
    let e = if slip > 0.0 { [c[0] / slip, c[1] / slip] } else { [0.0; 2] };
    for k in 0..3 {
        out.by_impulse[k] = [by_x[k][0], by_x[k][1], mu * by_x[k][2]];
        let lead = by_y[k][2];
        out.by_velocity[k] = [by_y[k][0] + lead * e[0], by_y[k][1] + lead * e[1], lead / mu];
    }
}

/// L(s)⁻¹ with det = s₀² − ‖s̄‖².
fn arrow_inverse(s: [f64; 3], det: f64) -> [[f64; 3]; 3] {
    if !(det > 0.0) {
        return [[0.0; 3]; 3];
    }
    let mut out = [[0.0; 3]; 3];
    for k in 0..2 {
        for m in 0..2 {
            let one = f64::from(u8::from(k == m));
            out[k][m] = one / s[2] + s[k] * s[m] / (s[2] * det);
        }
        out[k][2] = -s[k] / det;
        out[2][k] = -s[k] / det;
    }
    out[2][2] = s[2] / det;
    out
}

/// 1 − B L(x).
fn one_minus(b: &[[f64; 3]; 3], x: [f64; 3]) -> [[f64; 3]; 3] {
    let arrow = [[x[2], 0.0, x[0]], [0.0, x[2], x[1]], [x[0], x[1], x[2]]];
    std::array::from_fn(|k| {
        std::array::from_fn(|m| {
            f64::from(u8::from(k == m)) - (0..3).map(|j| b[k][j] * arrow[j][m]).sum::<f64>()
        })
    })
}

/// φ(a, b) = a + b − √(a² + b² + 2ε²) and its slopes.
fn fischer(a: f64, b: f64, epsilon: f64) -> (f64, f64, f64) {
    let s = (a * a + b * b + 2.0 * epsilon * epsilon).sqrt();
    let inverse = if s > 0.0 { 1.0 / s } else { 0.0 };
    (a + b - s, 1.0 - a * inverse, 1.0 - b * inverse)
}

/// F of a scalar block, ∂F/∂λ and ∂F/∂c.
fn scalar(cone: Cone, epsilon: f64, l: f64, c: f64) -> (f64, f64, f64) {
    match cone {
        Cone::NonNegative => fischer(l, c, epsilon),
        Cone::Box { lo, hi } if lo >= hi => (l - lo, 1.0, 0.0),
        Cone::Box { lo, hi } => {
            // The upper side's velocity, and its slopes by λ and c.
            let (inner, by_l, by_c) = if hi.is_finite() {
                let (v, a, b) = fischer(hi - l, -c, epsilon);
                (-v, a, b)
            } else {
                (c, 0.0, 1.0)
            };
            if !lo.is_finite() {
                return (inner, by_l, by_c);
            }
            let (v, a, b) = fischer(l - lo, inner, epsilon);
            (v, a + b * by_l, b * by_c)
        }
        Cone::Free | Cone::Friction { .. } | Cone::Patch { .. } => (c, 0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::corpus::Random;

    /// Slopes against central differences, on random points of every set.
    #[test]
    fn slopes_are_derivatives() {
        let cones = [
            Cone::Friction { mu: 0.7 },
            Cone::NonNegative,
            Cone::Box { lo: -0.4, hi: 0.5 },
            Cone::Box { lo: f64::NEG_INFINITY, hi: 0.1 },
            Cone::Free,
        ];
        let functions = [Function::AlartCurnier, Function::JeanMoreau, Function::FischerBurmeister];
        let mut random = Random(3);
        for cone in cones {
            let block = Block::new(0, cone, 1.3, 1.7);
            for function in functions {
                for _ in 0..50 {
                    let mut l: [f64; 3] = std::array::from_fn(|_| random.number());
                    let mut c: [f64; 3] = std::array::from_fn(|_| random.number());
                    let slope = block.slope(function, 0.1, &l, &c);
                    let h = 1e-6;
                    for m in 0..cone.dim() {
                        for by_impulse in [true, false] {
                            let mut at = |d: f64| {
                                let moved = if by_impulse { &mut l } else { &mut c };
                                moved[m] += d;
                                let value = block.value(function, 0.1, &l, &c);
                                let moved = if by_impulse { &mut l } else { &mut c };
                                moved[m] -= d;
                                value
                            };
                            let (up, down) = (at(h), at(-h));
                            let exact = if by_impulse { &slope.by_impulse } else { &slope.by_velocity };
                            for k in 0..cone.dim() {
                                let difference = (up[k] - down[k]) / (2.0 * h);
                                let error = (difference - exact[k][m]).abs();
                                assert!(error < 1e-5, "{cone:?} {function:?} {k} {m}: {error}");
                            }
                        }
                    }
                }
            }
        }
    }
}
