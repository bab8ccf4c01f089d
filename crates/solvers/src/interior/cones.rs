//! The cones of the interior method: which one a block is, Jordan's product, the way to the boundary.
//!
//! A Lorentz vector (x₁, x₂, x₀) stands in the order of a friction block, its leading component last:
//! x is inside if x₀ > √(x₁² + x₂²).

use stiction_contact::Cone;
use stiction_contact::matrix3::Block3;

/// How a block enters (1) of [`super`].
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Friction with μ > 0.
    Lorentz(f64),
    NonNegative,
    Free,
    Interval(f64, f64),
    /// λ stays.
    Pinned,
    /// Frictionless contact: the normal is non-negative, the tangents are pinned.
    Smooth,
}

/// Of a block with (G + R)_ii = `a`, as [`crate::residual::StoppingResidual`] holds it.
pub(crate) fn kind(cone: &Cone, a: &Block3) -> Kind {
    match *cone {
        Cone::Friction { mu } if a[8] > 0.0 => {
            if mu > 1e-9 {
                Kind::Lorentz(mu)
            } else {
                Kind::Smooth
            }
        }
        Cone::Friction { .. } | Cone::Patch { .. } => Kind::Pinned,
        _ if !(a[0] > 0.0) => Kind::Pinned,
        Cone::NonNegative => Kind::NonNegative,
        Cone::Box { lo, hi } if lo < hi => Kind::Interval(lo, hi),
        Cone::Box { .. } => Kind::Pinned,
        Cone::Free => Kind::Free,
    }
}

/// x ∘ y with the leading component last.
pub(crate) fn jordan(x: &[f64], y: &[f64]) -> [f64; 3] {
    [x[2] * y[0] + y[2] * x[0], x[2] * y[1] + y[2] * x[1], x[0] * y[0] + x[1] * y[1] + x[2] * y[2]]
}

/// Largest α with x + αd in the Lorentz cone, for x inside.
pub(super) fn lorentz(x: &[f64], d: &[f64]) -> f64 {
    let a = d[2] * d[2] - d[0] * d[0] - d[1] * d[1];
    let b = x[2] * d[2] - x[0] * d[0] - x[1] * d[1];
    let t = x[0].hypot(x[1]);
    let c = (x[2] - t) * (x[2] + t);
    let root = b * b - a * c;
    if root < 0.0 {
        return f64::INFINITY;
    }
    let denominator = root.sqrt() - b;
    if denominator > 0.0 { (c / denominator).max(0.0) } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_is_where_it_is() {
        let reaches = |x: [f64; 3], d: [f64; 3], alpha: f64| {
            let found = lorentz(&x, &d);
            assert!((found - alpha).abs() < 1e-14 * alpha, "{found} {alpha}");
        };
        reaches([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 1.0);
        reaches([0.0, 0.0, 1.0], [0.0, 0.0, -2.0], 0.5);
        reaches([0.3, 0.0, 1.0], [0.0, 0.0, -1.0], 0.7);
        reaches([0.0, 0.0, 1.0], [0.0, 2.0, 1.0], 1.0);
        assert_eq!(lorentz(&[0.1, 0.2, 1.0], &[0.5, 0.0, 1.0]), f64::INFINITY);
    }

    /// e = (0, 0, 1) is the unit of the product, and x ∘ x of a unit vector on the boundary doubles it.
    #[test]
    fn the_product_has_a_unit() {
        assert_eq!(jordan(&[0.3, -0.4, 2.0], &[0.0, 0.0, 1.0]), [0.3, -0.4, 2.0]);
        assert_eq!(jordan(&[0.0, 1.0, 1.0], &[0.0, 1.0, 1.0]), [0.0, 2.0, 2.0]);
    }
}
