//! The optimal impulse: the impulse of the cone that best explains an observed change of velocity [Fazeli2020].
//!
//!   p_opt = arg min ‖b − A p‖₂   with p_i ∈ K_μi
//!
//! One point: A = G and b = Δv_c; several points at once by the method of impulses: A = M⁻¹ Jᵀ and b = Δv of the body.
//! Solved by accelerated projected gradients with restarts; the problem is convex, and where impulses are not unique what
//! they do is.

use nalgebra::{DMatrix, DVector};

/// An impulse and how well it explains what was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimalImpulse {
    /// Impulses point by point, tangents first, the normal last [N·s].
    pub impulse: Vec<f64>,
    /// ‖b − A p‖₂ [m/s].
    pub unexplained: f64,
}

/// Rounds of the method, and the change relative to the impulses that ends it.
const ROUNDS: usize = 100_000;
const TOLERANCE: f64 = 1e-13;

/// The optimal impulses of points with `friction` coefficients; `a` has as many columns for each as directions of motion
/// there are (2 in the plane, 3 in space).
///
/// # Panics
///
/// If `a` has not the same number of columns for every point, or not as many rows as `b` has.
pub fn optimal_impulse(a: &DMatrix<f64>, b: &DVector<f64>, friction: &[f64]) -> OptimalImpulse {
    assert_eq!(a.nrows(), b.len(), "a row for every number that was observed");
    assert_eq!(a.ncols() % friction.len().max(1), 0, "as many columns for every point");
    let width = a.ncols() / friction.len().max(1);
    // Columns of one length make the steps good ones; the cones stay cones if a point's columns are scaled alike.
    let hessian = a.tr_mul(a);
    let largest = hessian.clone().symmetric_eigenvalues().max().max(f64::MIN_POSITIVE);
    let gradient_at_zero = a.tr_mul(b);
    let mut p = DVector::zeros(a.ncols());
    let (mut y, mut t) = (p.clone(), 1.0_f64);
    for _ in 0..ROUNDS {
        let mut next = &y - (&hessian * &y - &gradient_at_zero) / largest;
        for (i, &mu) in friction.iter().enumerate() {
            project(&mut next.as_mut_slice()[i * width..(i + 1) * width], mu);
        }
        let step = &next - &p;
        // Momentum against the way things go is dropped.
        let t_next =
            if (&y - &next).dot(&step) > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt()) };
        let momentum = if t_next == 1.0 { 0.0 } else { (t - 1.0) / t_next };
        y = &next + &step * momentum;
        t = t_next;
        let settled = step.norm() <= TOLERANCE * next.norm() && momentum == 0.0;
        let still = step.norm() == 0.0;
        p = next;
        if settled || still {
            break;
        }
    }
    OptimalImpulse { unexplained: (b - a * &p).norm(), impulse: p.as_slice().to_vec() }
}

/// Projects an impulse (tangents, normal) on the cone of `mu`.
pub fn project(p: &mut [f64], mu: f64) {
    let Some((normal, tangents)) = p.split_last_mut() else { return };
    let length = tangents.iter().map(|t| t * t).sum::<f64>().sqrt();
    if length <= mu * *normal {
        return;
    }
    let along = ((mu * length + *normal) / (1.0 + mu * mu)).max(0.0);
    let scale = if length > 0.0 { mu * along / length } else { 0.0 };
    tangents.iter_mut().for_each(|t| *t *= scale);
    *normal = along;
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::random::Random;

    /// Impulses within the cone that made a change are found again; the optimum of others passes the test of optimality,
    /// −∇ in the normal cone: projecting a step along it changes nothing. In the plane and in space, one and two points.
    #[test]
    fn what_made_a_change_is_found_and_the_rest_is_optimal() {
        let mut random = Random::new(11);
        for round in 0..200 {
            let (width, points) = (2 + round % 2, 1 + (round / 2) % 2);
            let n = width * points;
            let a = DMatrix::from_fn(n + 1, n, |_, _| random.signed());
            let friction = vec![0.3; points];
            let mut made = DVector::from_fn(n, |_, _| random.signed());
            for i in 0..points {
                project(&mut made.as_mut_slice()[i * width..(i + 1) * width], 0.3);
            }
            let found = optimal_impulse(&a, &(&a * &made), &friction);
            assert!(found.unexplained < 1e-6, "{round}: {}", found.unexplained);

            let b = DVector::from_fn(n + 1, |_, _| random.signed());
            let p = DVector::from_vec(optimal_impulse(&a, &b, &friction).impulse);
            let mut moved = &p - a.tr_mul(&(&a * &p - &b));
            for i in 0..points {
                project(&mut moved.as_mut_slice()[i * width..(i + 1) * width], 0.3);
            }
            assert!((moved - p).norm() < 1e-6, "{round}");
        }
    }
}
