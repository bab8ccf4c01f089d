//! 3×3 blocks by rows, as the block matrix stores them.

use crate::nan::worse;

/// A 3×3 block by rows.
pub type Block3 = [f64; 9];

/// ‖A‖₂, exact for unsymmetric A: the root of the largest eigenvalue of AᵀA.
///
/// The characteristic cubic of S = AᵀA in the form S = m + p B, with eigenvalues
/// m + 2 p cos(φ + 2πk/3), φ = acos(det B / 2)/3 [Smith1961].
pub fn spectral_norm(a: &Block3) -> f64 {
    let scale = a.iter().fold(0.0, |s: f64, x| worse(s, x.abs()));
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    let a: Block3 = a.map(|x| x / scale);
    let s = |i: usize, j: usize| a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j];
    let (xx, yy, zz, xy, xz, yz) = (s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(0, 2), s(1, 2));
    let m = (xx + yy + zz) / 3.0;
    let off = xy * xy + xz * xz + yz * yz;
    let p2 = ((xx - m).powi(2) + (yy - m).powi(2) + (zz - m).powi(2) + 2.0 * off) / 6.0;
    let p = p2.sqrt();
    if p <= f64::EPSILON * m {
        return scale * m.sqrt();
    }
    let (bx, by, bz) = ((xx - m) / p, (yy - m) / p, (zz - m) / p);
    let (cx, cy, cz) = (yz / p, xz / p, xy / p);
    let det = bx * (by * bz - cx * cx) - cz * (cz * bz - cx * cy) + cy * (cz * cx - by * cy);
    let phi = (det / 2.0).clamp(-1.0, 1.0).acos() / 3.0;
    scale * (m + 2.0 * p * phi.cos()).sqrt()
}

/// (1 + A)⁻¹ b of a symmetric positive semidefinite A, however large some of its eigenvalues: by Jacobi's
/// rotations [Golub2013, 8.5].
pub fn solve_one_plus<const N: usize>(mut a: [[f64; N]; N], b: [f64; N]) -> [f64; N] {
    // Axes in columns.
    let mut q: [[f64; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for _ in 0..20 {
        let mut rotated = false;
        for i in 0..N {
            for j in i + 1..N {
                let (x, y, z) = (a[i][i], a[i][j], a[j][j]);
                if !(y.abs() > f64::EPSILON * f64::MIN_POSITIVE.max((x * z).abs().sqrt())) {
                    continue;
                }
                rotated = true;
                let tau = (z - x) / (2.0 * y);
                let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in a.iter_mut().chain(&mut q) {
                    (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
                }
                let (head, tail) = a.split_at_mut(j);
                for (u, v) in head[i].iter_mut().zip(&mut tail[0]) {
                    (*u, *v) = (c * *u - s * *v, s * *u + c * *v);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut out = [0.0; N];
    for k in 0..N {
        let part: f64 = (0..N).map(|i| q[i][k] * b[i]).sum::<f64>() / (1.0 + a[k][k].max(0.0));
        (0..N).for_each(|i| out[i] += q[i][k] * part);
    }
    out
}

/// The inverse, or `None` when the determinant is below `cutoff` times the product of the row norms,
/// which is the largest it could be.
#[inline]
pub fn inverse(a: &Block3, cutoff: f64) -> Option<Block3> {
    let c0 = a[4] * a[8] - a[5] * a[7];
    let c1 = a[5] * a[6] - a[3] * a[8];
    let c2 = a[3] * a[7] - a[4] * a[6];
    let det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    let row = |i: usize| (a[i] * a[i] + a[i + 1] * a[i + 1] + a[i + 2] * a[i + 2]).sqrt();
    if !(det.abs() > cutoff * row(0) * row(3) * row(6)) {
        return None;
    }
    let d = 1.0 / det;
    d.is_finite().then(|| {
        [
            c0 * d,
            (a[2] * a[7] - a[1] * a[8]) * d,
            (a[1] * a[5] - a[2] * a[4]) * d,
            c1 * d,
            (a[0] * a[8] - a[2] * a[6]) * d,
            (a[2] * a[3] - a[0] * a[5]) * d,
            c2 * d,
            (a[1] * a[6] - a[0] * a[7]) * d,
            (a[0] * a[4] - a[1] * a[3]) * d,
        ]
    })
}

/// √Σaᵢⱼ² ≥ ‖A‖₂.
#[inline]
pub fn frobenius(a: &Block3) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A x.
#[inline]
pub fn mul(a: &Block3, x: [f64; 3]) -> [f64; 3] {
    [
        a[0] * x[0] + a[1] * x[1] + a[2] * x[2],
        a[3] * x[0] + a[4] * x[1] + a[5] * x[2],
        a[6] * x[0] + a[7] * x[1] + a[8] * x[2],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x + A x for a gentle A, and for one that is all but infinite along an axis.
    #[test]
    fn one_plus_a_is_solved() {
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let (a, x) = ([[4.0, 1.0, -0.5], [1.0, 3.0, 0.7], [-0.5, 0.7, 2.0]], [0.3, -1.0, 2.0]);
        let b = std::array::from_fn(|k| x[k] + (0..3).map(|l| a[k][l] * x[l]).sum::<f64>());
        assert!(apart(&solve_one_plus(a, b), &x) < 1e-14);
        let stiff = |k: f64, g: [f64; 6]| g.map(|a| g.map(|b| k * a * b));
        let [x, y, z, ..] =
            solve_one_plus(stiff(1e20, [0.6, 0.0, 0.8, 0.0, 0.0, 0.0]), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        assert!(apart(&[x, y, z], &[1.0 - 0.6 * 3.0, 2.0, 3.0 - 0.8 * 3.0]) < 1e-14, "{x} {y} {z}");
        // All that is along g goes.
        let answer =
            solve_one_plus(stiff(1e8, [0.5, 0.5, 0.0, 0.5, 0.0, 0.5]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(apart(&answer, &[-2.25, -1.25, 3.0, 0.75, 5.0, 2.75]) < 1e-6, "{answer:?}");
    }

    #[test]
    fn norm_agrees_with_a_singular_value_decomposition() {
        for k in 0..200_u32 {
            let mut a: Block3 = std::array::from_fn(|i| (f64::from(k) * 1.7 + i as f64 * 2.3).sin());
            match k % 4 {
                1 => a.iter_mut().for_each(|x| *x *= 1e9),
                2 => a = std::array::from_fn(|i| a[i / 3] * a[3 + i % 3]),
                _ => {}
            }
            let svd = nalgebra::Matrix3::from_row_slice(&a).singular_values()[0];
            assert!((spectral_norm(&a) - svd).abs() <= 1e-13 * svd, "{a:?}");
        }
        assert_eq!(spectral_norm(&[0.0; 9]), 0.0);
        assert!(spectral_norm(&[f64::NAN; 9]).is_nan());
    }

    #[test]
    fn inverse_inverts_and_refuses() {
        let a = [2.0, 1.0, 0.0, -1.0, 3.0, 0.5, 0.2, 0.0, 1.0];
        let b = inverse(&a, 1e-14).unwrap();
        for j in 0..3 {
            let e = mul(&a, [b[j], b[3 + j], b[6 + j]]);
            assert!((0..3).all(|i| (e[i] - f64::from(u8::from(i == j))).abs() < 1e-15));
        }
        assert!(inverse(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 1.0], 1e-14).is_none());
    }
}
