//! Friction impulses that dissipate most while normal impulses are given: (3) of [`super`].

use nalgebra::{DMatrix, DVector, Matrix2, Vector2};

/// Sweeps over the contacts, at most, and the change at which they end, of the largest impulse [–].
const SWEEPS: u32 = 2000;
const STILL: f64 = 1e-14;
/// Determinant, over the square of the trace, below which a matrix of two rows counts as singular [–].
const SINGULAR: f64 = 1e-13;
/// Iterations on the multiplier of a disc.
const ITERATIONS: u32 = 60;

/// A contact that touches: places of its rows in c and G.
pub(super) struct Touching {
    pub(super) normal: usize,
    pub(super) tangents: Option<[usize; 2]>,
    /// μ [–].
    pub(super) friction: f64,
    /// e [–].
    pub(super) restitution: f64,
}

/// Finds the tangential entries of `impulses` for its normal ones, at the velocity `c` before them; the entries it holds are where the
/// sweeps start.
pub(super) fn frictional(
    (g, touching): (&DMatrix<f64>, &[Touching]),
    c: &DVector<f64>,
    impulses: &mut DVector<f64>,
) {
    let several = touching.len() > 1;
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for t in touching {
            let Some([a, b]) = t.tangents else { continue };
            let own = Matrix2::new(g[(a, a)], g[(a, b)], g[(b, a)], g[(b, b)]);
            let old = Vector2::new(impulses[a], impulses[b]);
            let at = |r: usize| c[r] + g.row(r).transpose().dot(impulses);
            let free = Vector2::new(at(a), at(b)) - own * old;
            let new = in_disc(own, free, t.friction * impulses[t.normal].max(0.0));
            (impulses[a], impulses[b]) = (new.x, new.y);
            change = change.max((new - old).amax());
        }
        if !several || change <= STILL * impulses.amax() {
            break;
        }
    }
}

/// min ½ xᵀ A x + bᵀ x over the disc ‖x‖ ≤ r: (A + α) x = −b with α = 0 inside, else the α ≥ 0 at which ‖x‖ = r.
fn in_disc(a: Matrix2<f64>, b: Vector2<f64>, r: f64) -> Vector2<f64> {
    if r <= 0.0 {
        return Vector2::zeros();
    }
    let x = |alpha: f64| {
        let m = a + Matrix2::identity() * alpha;
        let d = m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)];
        -Vector2::new(m[(1, 1)] * b.x - m[(0, 1)] * b.y, m[(0, 0)] * b.y - m[(1, 0)] * b.x) / d
    };
    // A direction in which nothing can move has no row in A and in b: the least x.
    let none = if a.determinant() <= SINGULAR * a.trace() * a.trace() { SINGULAR * a.trace() } else { 0.0 };
    let inside = if a.trace() > 0.0 { x(none) } else { Vector2::zeros() };
    if inside.norm() <= r {
        return inside;
    }
    let (mut low, mut high) = (none, none + b.norm() / r);
    let mut alpha = low;
    for _ in 0..ITERATIONS {
        let at = x(alpha);
        let size = at.norm();
        *(if size > r { &mut low } else { &mut high }) = alpha;
        if (size - r).abs() <= 4.0 * f64::EPSILON * r {
            break;
        }
        // Newton's step on 1/‖x‖ − 1/r, which is nearly straight.
        let m = a + Matrix2::identity() * alpha;
        let solved = m.try_inverse().map_or(at / (alpha + f64::MIN_POSITIVE), |inverse| inverse * at);
        let next = alpha + (size / r - 1.0) * size * size / at.dot(&solved);
        alpha = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    let at = x(alpha);
    at * (r / at.norm())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that moves along one direction alone is held along it.
    #[test]
    fn a_direction_without_motion_gets_nothing() {
        let a = Matrix2::new(3.0, 0.0, 0.0, 0.0);
        for (r, expected) in [(1.0, 0.5), (0.2, 0.2)] {
            let x = in_disc(a, Vector2::new(-1.5, 0.0), r);
            assert!((x.x - expected).abs() < 1e-10 && x.y.abs() < 1e-10, "{x}");
        }
    }

    /// No other point of the disc is better.
    #[test]
    fn the_best_of_a_disc_is_found() {
        let a = Matrix2::new(3.0, 1.2, 1.2, 0.7);
        for (b, r) in [([1.0, -2.0], 0.3), ([1.0, -2.0], 2.0), ([0.1, 0.1], 5.0), ([-4.0, 0.0], 1e-3)] {
            let b = Vector2::from(b);
            let cost = |x: Vector2<f64>| 0.5 * x.dot(&(a * x)) + b.dot(&x);
            let best = in_disc(a, b, r);
            assert!(best.norm() <= r * (1.0 + 1e-12));
            for k in 0..200 {
                for radius in [0.25, 0.5, 0.9, 1.0] {
                    let x = Vector2::new(f64::from(k).cos(), f64::from(k).sin()) * (r * radius);
                    assert!(cost(best) <= cost(x) + 1e-12 * (1.0 + cost(x).abs()), "{b} {r} {best} {x}");
                }
            }
        }
    }
}
