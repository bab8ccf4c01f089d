//! Free flight in closed form: gravity, and drag in proportion to velocity.
//!
//! v̇ = g − c v has the solution v(t) = v₀ E + g φ₁, x(t) = x₀ + v₀ φ₁ + g φ₂ with E = exp(−c t),
//! φ₁ = (1 − E)/c and φ₂ = (t − φ₁)/c; the limits without drag are 1, t and t²/2.

use super::body::PlanarState;

/// A flight from a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) start: PlanarState,
    /// Gravity in (x, z) [m/s²].
    pub(crate) gravity: [f64; 2],
    /// Drag of the centre of mass and of the rotation [1/s].
    pub(crate) drag: [f64; 2],
}

impl Flight {
    /// The state after `t` seconds.
    pub(crate) fn at(&self, t: f64) -> PlanarState {
        let PlanarState { q, v } = self.start;
        let (e, p1, p2) = phi(self.drag[0], t);
        let (ea, pa, _) = phi(self.drag[1], t);
        let g = self.gravity;
        PlanarState {
            q: [q[0] + v[0] * p1 + g[0] * p2, q[1] + v[1] * p1 + g[1] * p2, q[2] + v[2] * pa],
            v: [v[0] * e + g[0] * p1, v[1] * e + g[1] * p1, v[2] * ea],
        }
    }
}

/// E, φ₁ and φ₂ of the module.
fn phi(c: f64, t: f64) -> (f64, f64, f64) {
    let z = c * t;
    if z.abs() < 1e-4 {
        // Taylor series; the next term is below rounding.
        let p1 = t * (1.0 - z / 2.0 * (1.0 - z / 3.0 * (1.0 - z / 4.0)));
        let p2 = t * t * (0.5 - z / 6.0 * (1.0 - z / 4.0 * (1.0 - z / 5.0)));
        (1.0 - c * p1, p1, p2)
    } else {
        let p1 = -(-z).exp_m1() / c;
        (1.0 - c * p1, p1, (t - p1) / c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed form solves v̇ = g − c v and ẋ = v, with and without drag, on both sides of the series' border.
    #[test]
    fn the_flight_solves_its_equation() {
        for c in [0.0, 1e-3, 2.4e-3, 0.4, 30.0] {
            let start = PlanarState { q: [0.1, 0.2, 0.3], v: [1.0, -2.0, 5.0] };
            let flight = Flight { start, gravity: [0.3, -9.81], drag: [c, 0.5 * c] };
            let (t, d) = (0.04, 1e-5);
            let (a, s, b) = (flight.at(t - d), flight.at(t), flight.at(t + d));
            let force = [0.3 - c * s.v[0], -9.81 - c * s.v[1], -0.5 * c * s.v[2]];
            for (i, force) in force.iter().enumerate() {
                assert!(((b.q[i] - a.q[i]) / (2.0 * d) - s.v[i]).abs() < 1e-7);
                assert!(((b.v[i] - a.v[i]) / (2.0 * d) - force).abs() < 1e-6, "{c}");
            }
        }
    }
}
