//! How fast impulses of a compliant law fall with velocity: −∂F/∂c.

use super::SoftBlock;
use crate::cone::Cone;

impl SoftBlock {
    /// −∂F/∂c at c₀ by rows, symmetric and positive semidefinite; a scalar block in the first number. `None`
    /// where it is zero. At a kink, one of its sides.
    #[inline]
    pub fn curvature(&self, c: &[f64]) -> Option<[f64; 9]> {
        let mut out = [0.0; 9];
        match *self {
            SoftBlock::Off | SoftBlock::Inert => return None,
            SoftBlock::Cone { cone: Cone::Friction { mu }, compliance: r, shift: s } => {
                let y: [f64; 3] = std::array::from_fn(|k| -(c[k] + s[k]) / r[k]);
                return projection([y[0], y[1]], y[2], mu, r);
            }
            SoftBlock::Cone { cone, compliance, shift } => {
                let y = -(c[0] + shift[0]) / compliance[0];
                let moves = match cone {
                    Cone::NonNegative => y > 0.0,
                    Cone::Box { lo, hi } => y > lo && y < hi,
                    _ => true,
                };
                if !moves {
                    return None;
                }
                out[0] = 1.0 / compliance[0];
            }
            SoftBlock::Pyramid { mu, compliance, shift } => {
                for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
                    let mut edge = [0.0, 0.0, 1.0];
                    edge[axis] = sign * mu;
                    let along = (0..3).map(|k| edge[k] * (c[k] + shift[k])).sum::<f64>();
                    if along < 0.0 {
                        add_outer(&mut out, edge, 1.0 / compliance);
                    }
                }
            }
            SoftBlock::HuntCrossley { contact, frictional: false, shift } => {
                out[0] = -contact.normal(c[0] + shift).1;
            }
            SoftBlock::HuntCrossley { contact, frictional: true, shift } => {
                let u = [c[0], c[1], c[2] + shift];
                let s = contact.softened(u);
                let t = [u[0] / s, u[1] / s];
                let pressed = if contact.similar {
                    let (n, slope) = contact.normal(u[2] - contact.mu * (s - contact.smooth));
                    add_outer(&mut out, [-contact.mu * t[0], -contact.mu * t[1], 1.0], -slope);
                    n
                } else {
                    out[8] = -contact.normal(u[2]).1;
                    contact.lagged
                };
                // μ n ∂(u_T/s)/∂u_T
                let f = contact.mu * pressed / s;
                out[0] += f * (1.0 - t[0] * t[0]);
                out[1] -= f * t[0] * t[1];
                out[3] -= f * t[0] * t[1];
                out[4] += f * (1.0 - t[1] * t[1]);
            }
        }
        Some(out)
    }

    /// dᵀ (−∂F/∂c) d at c₀.
    #[inline]
    pub fn curvature_along(&self, c: &[f64], d: &[f64]) -> f64 {
        if let SoftBlock::Cone { cone: Cone::Friction { mu }, compliance: r, shift: s } = *self {
            let y: [f64; 3] = std::array::from_fn(|k| -(c[k] + s[k]) / r[k]);
            return match projected([y[0], y[1]], y[2], mu, r[0] / r[2]) {
                Projected::Same => d[0] * d[0] / r[0] + d[1] * d[1] / r[1] + d[2] * d[2] / r[2],
                Projected::Zero => 0.0,
                Projected::Edge { e, share, turn } => {
                    let along = e[0] * d[0] + e[1] * d[1];
                    let across = d[0] * d[0] + d[1] * d[1] - along * along;
                    (mu * along + d[2]).powi(2) * share / r[2] + across * turn / r[0]
                }
            };
        }
        self.curvature(c).map_or(0.0, |m| {
            (0..d.len()).map(|k| d[k] * (0..d.len()).map(|l| m[3 * k + l] * d[l]).sum::<f64>()).sum()
        })
    }
}

/// Where the projection of y on K_μ in the metric diag(R) is [Castro2022].
enum Projected {
    Same,
    Zero,
    /// Along μ e + n: the share of y along that stays, and ‖λ_T‖/‖y_T‖, which turns with e.
    Edge {
        e: [f64; 2],
        share: f64,
        turn: f64,
    },
}

/// With ratio = R_t/R_n.
#[inline]
fn projected(t: [f64; 2], n: f64, mu: f64, ratio: f64) -> Projected {
    let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
    if length <= mu * n && n >= 0.0 {
        return Projected::Same;
    }
    if n <= -mu * ratio * length {
        return Projected::Zero;
    }
    let share = 1.0 / (1.0 + mu * mu * ratio);
    let pressed = (n + mu * ratio * length) * share;
    Projected::Edge { e: [t[0] / length, t[1] / length], share, turn: mu * pressed / length }
}

/// Of the projection of y on K_μ in the metric diag(R), times R⁻¹ [Castro2022].
fn projection(t: [f64; 2], n: f64, mu: f64, r: [f64; 3]) -> Option<[f64; 9]> {
    let mut out = [0.0; 9];
    match projected(t, n, mu, r[0] / r[2]) {
        Projected::Same => (0..3).for_each(|k| out[4 * k] = 1.0 / r[k]),
        Projected::Zero => return None,
        Projected::Edge { e, share, turn } => {
            // (μ e, 1)(μ e, 1)ᵀ share/R_n, and what turns e.
            add_outer(&mut out, [mu * e[0], mu * e[1], 1.0], share / r[2]);
            let turn = turn / r[0];
            out[0] += turn * (1.0 - e[0] * e[0]);
            out[1] -= turn * e[0] * e[1];
            out[3] -= turn * e[0] * e[1];
            out[4] += turn * (1.0 - e[1] * e[1]);
        }
    }
    Some(out)
}

/// A += a x xᵀ.
fn add_outer(out: &mut [f64; 9], x: [f64; 3], a: f64) {
    for (k, o) in out.iter_mut().enumerate() {
        *o += a * x[k / 3] * x[k % 3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soft::hunt_crossley::HuntCrossley;

    /// Against central differences of F, in every region of every law.
    #[test]
    fn it_is_the_slope_of_the_impulse() {
        let shift = [0.01, -0.02, 0.03];
        let friction = Cone::Friction { mu: 0.6 };
        let contact = |similar| HuntCrossley {
            similar,
            mu: 0.6,
            step: 0.01,
            stiffness: 1e3,
            dissipation: 0.5,
            elastic: 2.0,
            lagged: 0.03,
            smooth: 1e-2,
        };
        let laws = [
            SoftBlock::Cone { cone: friction, compliance: [0.1, 0.1, 0.7], shift },
            SoftBlock::Pyramid { mu: 0.6, compliance: 0.4, shift },
            SoftBlock::HuntCrossley { contact: contact(false), frictional: true, shift: 0.01 },
            SoftBlock::HuntCrossley { contact: contact(true), frictional: true, shift: 0.01 },
        ];
        for soft in laws {
            for c in [[0.001, 0.002, -0.2], [1.0, 0.3, -0.2], [0.3, -0.5, 0.1], [0.1, 0.1, 3.0]] {
                let slope = soft.curvature(&c).unwrap_or_default();
                let d = [0.3, -0.7, 0.5];
                let along: f64 = (0..9).map(|k| d[k / 3] * slope[k] * d[k % 3]).sum();
                assert!((soft.curvature_along(&c, &d) - along).abs() < 1e-12 * (1.0 + along));
                for k in 0..3 {
                    let f = |e: f64| {
                        let mut there = c;
                        there[k] += e;
                        soft.impulse(&there)
                    };
                    let (a, b) = (f(-1e-6), f(1e-6));
                    for r in 0..3 {
                        let difference = (a[r] - b[r]) / 2e-6;
                        let error = (difference - slope[3 * r + k]).abs();
                        assert!(error < 1e-6 * (1.0 + difference.abs()), "{soft:?} {c:?} {r} {k}: {error}");
                    }
                }
            }
        }
    }
}
