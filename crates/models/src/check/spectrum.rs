//! Eigenvalues of a dense symmetric matrix, by Jacobi's rotations.
//!
//! ```text
//!     A ← Jᵀ A J,   J a rotation in the plane (p, q) that makes A_pq = 0,   sweep by sweep   (1)
//! ```
//!
//! Relative errors of the small eigenvalues of a scaled positive matrix stay small, which is what
//! a condition number needs.

/// Sweeps; convergence is quadratic and takes fewer than ten.
const SWEEPS: usize = 40;

/// All eigenvalues of the n × n matrix `a`, given by rows, in no order.
pub(super) fn eigenvalues(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    let at = |i: usize, j: usize| i * n + j;
    for _ in 0..SWEEPS {
        let (mut off, mut all) = (0.0, 0.0);
        for i in 0..n {
            for j in 0..n {
                let x = a[at(i, j)] * a[at(i, j)];
                all += x;
                off += if i == j { 0.0 } else { x };
            }
        }
        if off <= 1e-32 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a[at(p, q)];
                if apq == 0.0 {
                    continue;
                }
                let theta = 0.5 * (a[at(q, q)] - a[at(p, p)]) / apq;
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[at(k, p)], a[at(k, q)]);
                    (a[at(k, p)], a[at(k, q)]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[at(p, k)], a[at(q, k)]);
                    (a[at(p, k)], a[at(q, k)]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    (0..n).map(|i| a[at(i, i)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference matrix has the eigenvalues 2 − 2 cos(kπ/(n + 1)).
    #[test]
    fn second_differences_by_formula() {
        let n = 12;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = 2.0;
            if i > 0 {
                (a[i * n + i - 1], a[(i - 1) * n + i]) = (-1.0, -1.0);
            }
        }
        let mut found = eigenvalues(a, n);
        found.sort_by(f64::total_cmp);
        for (k, value) in found.iter().enumerate() {
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - exact).abs() < 1e-13, "{value} {exact}");
        }
    }
}
