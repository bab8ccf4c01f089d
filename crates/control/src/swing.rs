//! The way of a foot through the air.
//!
//! In x and y, and in z towards the height of its landing, a foot follows the polynomial of fifth degree from where it
//! is, as it moves, to where it lands, at rest. On top of z comes a bump that starts and ends with no velocity and no
//! acceleration:
//!
//! ```text
//!     p(t) = p₀ + v₀ t + a₀ t²/2 + c₃ t³ + c₄ t⁴ + c₅ t⁵,   p(T) = P, ṗ(T) = p̈(T) = 0      (1)
//!     z(t) += 64 H s³ (1 − s)³,    s from 0 at lift-off to 1 at landing                      (2)
//! ```
//!
//! A new place to land is taken at any time before: (1) starts anew from the present p, v, a, and nothing jumps.

use stiction_dynamics::spatial::{Vec3, vec3};

/// Polynomials of one foot in one swing, (1) and (2).
#[derive(Clone, Copy, Debug)]
pub struct Swing {
    lift_off: f64,
    landing: f64,
    clearance: f64,
    /// When (1) started [s].
    start: f64,
    /// c₀ … c₅ of (1).
    coefficients: [Vec3; 6],
    target: Vec3,
}

impl Swing {
    /// From rest at `from` [m, in W] at time `lift_off` to `to` at `landing` [s], `clearance` [m] above the line.
    pub fn new(from: Vec3, to: Vec3, [lift_off, landing]: [f64; 2], clearance: f64) -> Self {
        let coefficients = quintic([from, Vec3::ZERO, Vec3::ZERO], to, landing - lift_off);
        Self { lift_off, landing, clearance, start: lift_off, coefficients, target: to }
    }

    /// Another place to land, from time `t` [s] on.
    pub fn retarget(&mut self, t: f64, to: Vec3) {
        let now = self.line(t);
        self.coefficients = quintic(now, to, self.landing - t);
        (self.start, self.target) = (t, to);
    }

    /// Where it lands [m, in W].
    pub fn target(&self) -> Vec3 {
        self.target
    }

    /// Position, velocity and acceleration at `t` [m, m/s, m/s², in W]; after the landing, at rest there.
    pub fn at(&self, t: f64) -> [Vec3; 3] {
        let [mut p, mut v, mut a] = self.line(t);
        let whole = self.landing - self.lift_off;
        let s = ((t - self.lift_off) / whole).clamp(0.0, 1.0);
        let (u, H) = (s * (1.0 - s), 64.0 * self.clearance);
        let du = 1.0 - 2.0 * s;
        p.z += H * u * u * u; // (2)
        v.z += H * 3.0 * u * u * du / whole;
        a.z += H * (6.0 * u * du * du - 6.0 * u * u) / (whole * whole);
        [p, v, a]
    }

    /// (1) and its rates.
    fn line(&self, t: f64) -> [Vec3; 3] {
        if t >= self.landing {
            return [self.target, Vec3::ZERO, Vec3::ZERO];
        }
        let (t, c) = (t - self.start, &self.coefficients);
        let sum = |terms: [f64; 6]| c.iter().zip(terms).fold(Vec3::ZERO, |sum, (c, w)| sum + *c * w);
        let (t2, t3) = (t * t, t * t * t);
        [
            sum([1.0, t, t2, t3, t2 * t2, t2 * t3]),
            sum([0.0, 1.0, 2.0 * t, 3.0 * t2, 4.0 * t3, 5.0 * t2 * t2]),
            sum([0.0, 0.0, 2.0, 6.0 * t, 12.0 * t2, 20.0 * t3]),
        ]
    }
}

/// Coefficients of (1); a time of nothing left stays where it is.
fn quintic([p, v, a]: [Vec3; 3], to: Vec3, T: f64) -> [Vec3; 6] {
    if !(T > 1e-9) {
        return [p, vec3(0.0, 0.0, 0.0), Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
    }
    let d = to - p - v * T - a * (0.5 * T * T); // what is left of the way, of the velocity, of the acceleration
    let (dv, da) = (-v - a * T, -a);
    let (T2, T3) = (T * T, T * T * T);
    let c3 = d * (10.0 / T3) - dv * (4.0 / T2) + da * (0.5 / T);
    let c4 = d * (-15.0 / (T2 * T2)) + dv * (7.0 / T3) - da * (1.0 / T2);
    let c5 = d * (6.0 / (T2 * T3)) - dv * (3.0 / (T2 * T2)) + da * (0.5 / T3);
    [p, v, a * 0.5, c3, c4, c5]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [Vec3; 3], b: [Vec3; 3]) {
        for (a, b) in a.iter().zip(b) {
            assert!((*a - b).norm() < 1e-7, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_foot_leaves_and_lands_at_rest_and_clears_the_line_by_the_clearance() {
        let (from, to) = (vec3(0.1, 0.2, 0.0), vec3(0.3, 0.1, 0.05));
        let swing = Swing::new(from, to, [1.0, 1.16], 0.06);
        near(swing.at(1.0), [from, Vec3::ZERO, Vec3::ZERO]);
        near(swing.at(1.16 - 1e-12), [to, Vec3::ZERO, Vec3::ZERO]);
        let [middle, ..] = swing.at(1.08);
        assert!((middle - (from + to) * 0.5 - vec3(0.0, 0.0, 0.06)).norm() < 1e-12);
    }

    #[test]
    fn nothing_jumps_when_the_landing_moves_and_rates_are_those_of_differences() {
        let mut swing = Swing::new(Vec3::ZERO, vec3(0.1, 0.0, 0.0), [0.0, 0.2], 0.05);
        let before = swing.at(0.12);
        swing.retarget(0.12, vec3(0.15, -0.04, 0.02));
        near(before, swing.at(0.12));
        near(swing.at(0.2 - 1e-12), [vec3(0.15, -0.04, 0.02), Vec3::ZERO, Vec3::ZERO]);
        let h = 1e-5;
        for t in [0.13, 0.15, 0.19] {
            let [[p0, v0, _], [_, v, a], [p1, v1, _]] = [t - h, t, t + h].map(|t| swing.at(t));
            assert!(((p1 - p0) * (0.5 / h) - v).norm() < 1e-6, "velocity at {t}");
            assert!(((v1 - v0) * (0.5 / h) - a).norm() < 1e-4, "acceleration at {t}");
        }
    }
}
