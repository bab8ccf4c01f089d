//! How fast impulses of a compliant law fall with velocity: −∂F/∂c.

use super::{SoftBlock, wanted};
use crate::cone::{Cone, MAX_ROWS, tangential};

impl SoftBlock {
    /// −∂F/∂c at c₀, symmetric and positive semidefinite; rows and columns past the block's are zero. `None` where
    /// all are. At a kink, one of its sides. N is three, but six for patches.
    #[inline]
    pub fn curvature<const N: usize>(&self, c: &[f64]) -> Option<[[f64; N]; N]> {
        let mut out = [[0.0; N]; N];
        match *self {
            SoftBlock::Off | SoftBlock::Inert => return None,
            SoftBlock::Cone { cone: Cone::Friction { mu }, compliance: r, shift: s } => {
                let y: [f64; 3] = std::array::from_fn(|k| -(c[k] + s[k]) / r[k]);
                return projection(&y, mu, [r[0], r[2]]);
            }
            SoftBlock::Patch { mu, compliance: r, shift } => {
                return projection(&wanted(c, r, shift)[..c.len()], mu, r);
            }
            SoftBlock::Cone { cone, compliance, shift } => {
                let y = -(c[0] + shift[0]) / compliance[0];
                let moves = match cone {
                    Cone::NonNegative => y > 0.0,
                    Cone::Box { lo, hi } => y > lo && y < hi,
                    Cone::Free | Cone::Friction { .. } | Cone::Patch { .. } => true,
                };
                if !moves {
                    return None;
                }
                out[0][0] = 1.0 / compliance[0];
            }
            SoftBlock::Pyramid { mu, compliance, shift } => {
                for axis in (0..c.len()).filter(|k| *k != 2) {
                    for sign in [1.0, -1.0] {
                        let along = c[2] + shift[2] + sign * mu * (c[axis] + shift[axis]);
                        if along < 0.0 {
                            let mut edge = [0.0; N];
                            (edge[axis], edge[2]) = (sign * mu, 1.0);
                            add_outer(&mut out, edge, 1.0 / compliance);
                        }
                    }
                }
            }
            SoftBlock::HuntCrossley { contact, frictional: false, shift } => {
                out[0][0] = -contact.normal(c[0] + shift).1;
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
                    out[2][2] = -contact.normal(u[2]).1;
                    contact.lagged
                };
                // μ n ∂(u_T/s)/∂u_T
                let f = contact.mu * pressed / s;
                out[0][0] += f * (1.0 - t[0] * t[0]);
                out[0][1] -= f * t[0] * t[1];
                out[1][0] -= f * t[0] * t[1];
                out[1][1] += f * (1.0 - t[1] * t[1]);
            }
        }
        Some(out)
    }

    /// dᵀ (−∂F/∂c) d at c₀.
    #[inline]
    pub fn curvature_along(&self, c: &[f64], d: &[f64]) -> f64 {
        match *self {
            SoftBlock::Cone { cone: Cone::Friction { mu }, compliance: r, shift: s } => {
                let y: [f64; 3] = std::array::from_fn(|k| -(c[k] + s[k]) / r[k]);
                projection_along(&y, &d[..3], mu, [r[0], r[2]])
            }
            SoftBlock::Patch { mu, compliance: r, shift } => {
                projection_along(&wanted(c, r, shift)[..c.len()], d, mu, r)
            }
            SoftBlock::Pyramid { .. } if c.len() > 3 => twice(self.curvature::<MAX_ROWS>(c), d),
            SoftBlock::Cone { .. }
            | SoftBlock::Pyramid { .. }
            | SoftBlock::HuntCrossley { .. }
            | SoftBlock::Off
            | SoftBlock::Inert => twice(self.curvature::<3>(c), d),
        }
    }
}

/// dᵀ A d; none: zero.
#[inline]
fn twice<const N: usize>(a: Option<[[f64; N]; N]>, d: &[f64]) -> f64 {
    let row = |row: &[f64; N]| d.iter().zip(row).map(|(d, a)| a * d).sum::<f64>();
    a.map_or(0.0, |a| d.iter().zip(&a).map(|(x, a)| x * row(a)).sum())
}

/// Where the projection of y on K_μ in the metric diag(R) is [Castro2022].
enum Projected {
    Same,
    Zero,
    /// Along μ e + n, e = y_T/‖y_T‖: the share of y along that stays, and ‖λ_T‖/‖y_T‖, which turns with e.
    Edge {
        share: f64,
        turn: f64,
    },
}

/// Where the projection of (y_T, y_N) on the cone lies, from t = ‖y_T‖, n = y_N and ratio = R_t/R_n.
#[inline]
fn projected(t: f64, n: f64, mu: f64, ratio: f64) -> Projected {
    if t <= mu * n && n >= 0.0 {
        return Projected::Same;
    }
    if n <= -mu * ratio * t {
        return Projected::Zero;
    }
    let share = 1.0 / (1.0 + mu * mu * ratio);
    let pressed = (n + mu * ratio * t) * share;
    Projected::Edge { share, turn: mu * pressed / t }
}

/// Derivative of the projection of y on K_μ in the metric diag(R), times R⁻¹; `r` is R of the tangential rows and of
/// the normal.
#[inline]
fn projection<const N: usize>(y: &[f64], mu: f64, r: [f64; 2]) -> Option<[[f64; N]; N]> {
    let mut out = [[0.0; N]; N];
    let t = tangential(y);
    match projected(t, y[2], mu, r[0] / r[1]) {
        Projected::Same => (0..y.len()).for_each(|k| out[k][k] = 1.0 / r[usize::from(k == 2)]),
        Projected::Zero => return None,
        Projected::Edge { share, turn } => {
            // (μ e, 1)(μ e, 1)ᵀ share/R_n, and what turns e.
            let (press, turn) = (share / r[1], turn / r[0]);
            for (k, a) in y.iter().enumerate() {
                for (l, b) in y.iter().enumerate() {
                    out[k][l] = match (k == 2, l == 2) {
                        (true, true) => press,
                        (true, false) => press * mu * b / t,
                        (false, true) => press * mu * a / t,
                        _ => (press * mu * mu - turn) * (a / t) * (b / t) + if k == l { turn } else { 0.0 },
                    };
                }
            }
        }
    }
    Some(out)
}

/// dᵀ of the same times d.
#[inline]
fn projection_along(y: &[f64], d: &[f64], mu: f64, r: [f64; 2]) -> f64 {
    let t = tangential(y);
    let tangents = |a: &[f64], b: &[f64]| {
        let turning = a[3..].iter().zip(&b[3..]).map(|(a, b)| a * b).sum::<f64>();
        a[0] * b[0] + a[1] * b[1] + turning
    };
    match projected(t, y[2], mu, r[0] / r[1]) {
        Projected::Same => tangents(d, d) / r[0] + d[2] * d[2] / r[1],
        Projected::Zero => 0.0,
        Projected::Edge { share, turn } => {
            let along = tangents(y, d) / t;
            let across = tangents(d, d) - along * along;
            (mu * along + d[2]).powi(2) * share / r[1] + across * turn / r[0]
        }
    }
}

/// A += a x xᵀ.
#[inline]
fn add_outer<const N: usize, const M: usize>(out: &mut [[f64; N]; N], x: [f64; M], a: f64) {
    for (row, p) in out.iter_mut().zip(x) {
        row.iter_mut().zip(x).for_each(|(o, q)| *o += a * p * q);
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
            SoftBlock::Pyramid { mu: 0.6, compliance: 0.4, shift: [0.01, -0.02, 0.03, 0.0, 0.0, 0.0] },
            SoftBlock::HuntCrossley { contact: contact(false), frictional: true, shift: 0.01 },
            SoftBlock::HuntCrossley { contact: contact(true), frictional: true, shift: 0.01 },
        ];
        for soft in laws {
            for c in [[0.001, 0.002, -0.2], [1.0, 0.3, -0.2], [0.3, -0.5, 0.1], [0.1, 0.1, 3.0]] {
                check(soft, c, [0.3, -0.7, 0.5]);
            }
        }
        let patch = |shift| SoftBlock::Patch { mu: 0.6, compliance: [0.1, 0.7], shift };
        let pyramid = |shift| SoftBlock::Pyramid { mu: 0.6, compliance: 0.4, shift };
        for c in [
            [0.001, 0.002, -0.2, 0.0, 0.001, 0.0],
            [1.0, 0.3, -0.2, 0.5, -0.6, 0.2],
            [0.01, 0.0, 0.1, -0.5, 0.0, 0.3],
            [0.1; 6],
        ] {
            let d = [0.3, -0.7, 0.5, 0.2, 0.9, -0.4];
            let (rolling, spinning) =
                ([0.01, -0.02, 0.03, 0.0, 0.04, -0.01], [0.01, -0.02, 0.03, 0.02, 0.0, 0.0]);
            for soft in [patch(rolling), pyramid(rolling)] {
                check(soft, c, d);
            }
            for soft in [patch(spinning), pyramid(spinning)] {
                check(soft, [c[0], c[1], c[2], c[3]], [d[0], d[1], d[2], d[3]]);
            }
        }
    }

    fn check<const N: usize>(soft: SoftBlock, c: [f64; N], d: [f64; N]) {
        let slope = soft.curvature::<MAX_ROWS>(&c).unwrap_or_default();
        let along: f64 = (0..N).map(|k| (0..N).map(|l| d[k] * slope[k][l] * d[l]).sum::<f64>()).sum();
        assert!((soft.curvature_along(&c, &d) - along).abs() < 1e-12 * (1.0 + along));
        for k in 0..N {
            let f = |e: f64| {
                let mut there = c;
                there[k] += e;
                soft.impulse(&there)
            };
            let (a, b) = (f(-1e-6), f(1e-6));
            for r in 0..N {
                let difference = (a[r] - b[r]) / 2e-6;
                let error = (difference - slope[r][k]).abs();
                assert!(error < 1e-6 * (1.0 + difference.abs()), "{soft:?} {c:?} {r} {k}: {error}");
            }
        }
    }
}
