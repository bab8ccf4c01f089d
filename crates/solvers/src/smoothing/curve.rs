//! The smoothed law of one block: impulse and velocity on x ∘ y = κ e, as functions of one unknown z.
//!
//! With f(w) = ½ (w + √(w² + 4ρκ)) on the spectrum of z in the Jordan algebra of the block's cone [Fukushima2002]
//!
//! ```text
//!     x = f(z),   y = (x − z)/ρ,   x ∘ y = κ e                                             (1)
//! ```
//!
//! whatever z is: x and y are inside their cones, and at κ = 0 x is the projection of z. Of a box the same of its two sides:
//! λ = lo + f(z − lo) − f(z − hi). Lorentz vectors stand with their leading component last.

use crate::interior::Kind;
use crate::trees::Block;

/// x of (1) and its derivative by z.
pub(super) struct Place {
    pub(super) x: [f64; 3],
    pub(super) slope: Block,
}

/// f of (1) and its derivative; `rk` is ρκ.
#[inline(always)]
fn smoothed(w: f64, rk: f64) -> (f64, f64) {
    let root = (w * w + 4.0 * rk).sqrt();
    if w > 0.0 {
        let f = 0.5 * (w + root);
        return (f, f / root);
    }
    let sum = root - w;
    let f = if sum > 0.0 { 2.0 * rk / sum } else { 0.0 };
    (f, if root > 0.0 { f / root } else { 0.0 })
}

/// The point of the block `kind` at z; rows that are no unknowns keep x = z and have no slope.
#[inline(always)]
pub(super) fn place(kind: &Kind, z: [f64; 3], rk: f64) -> Place {
    let (mut x, mut slope) = (z, [[0.0; 3]; 3]);
    match *kind {
        Kind::Lorentz(_) => return lorentz(z, rk),
        Kind::Smooth => {
            x = [0.0; 3];
            (x[2], slope[2][2]) = smoothed(z[2], rk);
        }
        Kind::NonNegative => (x[0], slope[0][0]) = smoothed(z[0], rk),
        Kind::Interval(lo, hi) => {
            let [(low, d_low), (high, d_high)] = [smoothed(z[0] - lo, rk), smoothed(z[0] - hi, rk)];
            (x[0], slope[0][0]) = match (lo.is_finite(), hi.is_finite()) {
                (true, true) => (lo + (low - high), d_low - d_high),
                (true, false) => (lo + low, d_low),
                (false, true) => (hi - smoothed(hi - z[0], rk).0, 1.0 - d_high),
                (false, false) => (z[0], 1.0),
            };
        }
        Kind::Free => slope[0][0] = 1.0,
        Kind::Pinned => {}
    }
    Place { x, slope }
}

#[inline(always)]
fn lorentz(z: [f64; 3], rk: f64) -> Place {
    let t = (z[0] * z[0] + z[1] * z[1]).sqrt();
    let [(plus, d_plus), (minus, d_minus)] = [smoothed(z[2] + t, rk), smoothed(z[2] - t, rk)];
    let (p, q) = (0.5 * (d_plus + d_minus), 0.5 * (d_plus - d_minus));
    let u = if t > 0.0 { [z[0] / t, z[1] / t] } else { [0.0; 2] };
    let turning = if t > 1e-14 * (z[2].abs() + rk.sqrt()) { (plus - minus) / (2.0 * t) } else { p };
    let half = 0.5 * (plus - minus);
    let mut slope = [[0.0; 3]; 3];
    for r in 0..2 {
        for c in 0..2 {
            let across = f64::from(r == c) - u[r] * u[c];
            slope[r][c] = p * u[r] * u[c] + turning * across;
        }
        (slope[r][2], slope[2][r]) = (q * u[r], q * u[r]);
    }
    slope[2][2] = p;
    Place { x: [half * u[0], half * u[1], 0.5 * (plus + minus)], slope }
}

/// ε of ‖c_T‖_ε = √(‖c_T‖² + ε²), ε = ½ κ x₀/(x₀² + ρκ), and dε/dx₀. It vanishes for open contacts, too.
#[inline(always)]
pub(super) fn epsilon(leading: f64, kappa: f64, rk: f64) -> (f64, f64) {
    if kappa == 0.0 {
        return (0.0, 0.0);
    }
    let (square, sum) = (leading * leading, leading * leading + rk);
    (0.5 * kappa * leading / sum, 0.5 * kappa * (rk - square) / (sum * sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interior::jordan;
    use stiction_contact::corpus::Random;

    const KINDS: [Kind; 8] = [
        Kind::Lorentz(0.5),
        Kind::NonNegative,
        Kind::Smooth,
        Kind::Interval(-0.3, 0.2),
        Kind::Interval(f64::NEG_INFINITY, 0.2),
        Kind::Interval(-0.3, f64::INFINITY),
        Kind::Free,
        Kind::Pinned,
    ];

    fn some(random: &mut Random) -> [f64; 3] {
        std::array::from_fn(|_| random.number())
    }

    /// At every z, x and y are inside the cone and their product is κ e; far inside, on the axis, and outside.
    #[test]
    fn the_product_is_kappa() {
        let mut random = Random(3);
        let mut points: Vec<_> = (0..50).map(|_| some(&mut random)).collect();
        points.extend([[0.0, 0.0, 1.0], [0.0; 3], [1e-9, 0.0, -4.0], [3.0, 1.0, 0.1]]);
        for z in points {
            for (rho, kappa) in [(1.0, 1e-2), (1e3, 1e-9), (0.1, 1e-6)] {
                let x = place(&KINDS[0], z, rho * kappa).x;
                let y = std::array::from_fn::<_, 3, _>(|k| (x[k] - z[k]) / rho);
                let product = jordan(&x, &y);
                let scale = 1e-13 * (kappa + z.iter().map(|z| z * z).sum::<f64>() / rho);
                assert!(x[2] >= x[0].hypot(x[1]) && y[2] - y[0].hypot(y[1]) > -scale.sqrt(), "{z:?}");
                assert!(
                    (product[2] - kappa).abs() < scale && product[0].hypot(product[1]) < scale,
                    "{z:?} {product:?}"
                );
            }
        }
    }

    /// At κ = 0 impulses are projections, of boxes on their interval.
    #[test]
    fn without_smoothing_it_is_the_projection() {
        let mut random = Random(7);
        for _ in 0..50 {
            let z = some(&mut random);
            let x = place(&Kind::Lorentz(1.0), z, 0.0).x;
            let mut projected = z;
            stiction_contact::Cone::Friction { mu: 1.0 }.project(&mut projected);
            assert!(
                x.iter().zip(&projected).all(|(a, b)| (a - b).abs() < 1e-15),
                "{z:?}: {x:?} {projected:?}"
            );
            for (kind, lo, hi) in [(KINDS[3], -0.3, 0.2), (KINDS[4], f64::NEG_INFINITY, 0.2)] {
                assert!((place(&kind, z, 0.0).x[0] - z[0].clamp(lo, hi)).abs() < 1e-15);
            }
        }
    }

    /// Slopes are those of differences, for every kind of block and for ε.
    #[test]
    fn slopes_are_those_of_differences() {
        let (mut random, rk, h) = (Random(11), 0.03, 1e-6);
        for kind in KINDS {
            for _ in 0..20 {
                let z = some(&mut random);
                let slope = place(&kind, z, rk).slope;
                let unknowns: &[usize] = match kind {
                    Kind::Lorentz(_) => &[0, 1, 2],
                    Kind::Smooth => &[2],
                    Kind::Pinned => &[],
                    _ => &[0],
                };
                for &c in unknowns {
                    let at = |s: f64| {
                        let mut z = z;
                        z[c] += s * h;
                        place(&kind, z, rk).x
                    };
                    let (more, less) = (at(1.0), at(-1.0));
                    for r in 0..3 {
                        let difference = (more[r] - less[r]) / (2.0 * h);
                        let expected = if unknowns.contains(&r) { slope[r][c] } else { 0.0 };
                        assert!((difference - expected).abs() < 1e-8, "row {r}, column {c} at {z:?}");
                    }
                }
            }
        }
        for x in [1e-3, 0.1, 0.2, 4.0] {
            let (kappa, h) = (0.3, 1e-6 * x);
            let difference = (epsilon(x + h, kappa, rk).0 - epsilon(x - h, kappa, rk).0) / (2.0 * h);
            assert!((difference - epsilon(x, kappa, rk).1).abs() < 1e-6 * (1.0 + difference.abs()));
        }
    }
}
