//! Radau IIA with three stages, of order 5 [HairerWanner1996, IV.8]: L-stable, with its collocation polynomial as dense output.
//!
//! ```text
//!     z_i = h Σ_j a_ij f(t + c_j h, y + z_j),   y⁺ = y + z₃                                           (1)
//! ```
//!
//! by a simplified Newton iteration on all stages at once, and the error estimate of the code RADAU5.

use super::{System, Tolerance};
use nalgebra::{DMatrix, DVector};

/// √6.
const R: f64 = 2.449_489_742_783_178;
const A: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * R) / 360.0, (296.0 - 169.0 * R) / 1800.0, (-2.0 + 3.0 * R) / 225.0],
    [(296.0 + 169.0 * R) / 1800.0, (88.0 + 7.0 * R) / 360.0, (-2.0 - 3.0 * R) / 225.0],
    [(16.0 - R) / 36.0, (16.0 + R) / 36.0, 1.0 / 9.0],
];
const C: [f64; 3] = [(4.0 - R) / 10.0, (4.0 + R) / 10.0, 1.0];
const E: [f64; 3] = [(-13.0 - 7.0 * R) / 3.0, (-13.0 + 7.0 * R) / 3.0, -1.0 / 3.0];
/// The real eigenvalue of A⁻¹.
const GAMMA: f64 = 3.637_834_252_744_496;
const P: [[f64; 3]; 3] = [
    [13.0 / 3.0 + 7.0 * R / 3.0, -23.0 / 3.0 - 22.0 * R / 3.0, 10.0 / 3.0 + 5.0 * R],
    [13.0 / 3.0 - 7.0 * R / 3.0, -23.0 / 3.0 + 22.0 * R / 3.0, 10.0 / 3.0 - 5.0 * R],
    [1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0],
];
/// Newton iterations of a step, at most.
const ITERATIONS: u32 = 10;
/// They end when the stages change by less than this share of what a step may err by [–].
const ENOUGH: f64 = 1e-3;

/// The Jacobian of the last point it was asked for.
#[derive(Default)]
pub(super) struct Room {
    jacobian: Vec<f64>,
    at: Vec<f64>,
}

/// One step of h from y, whose rate is known; coefficients of the dense output, `None` where Newton's iteration does not
/// converge.
pub(super) fn step(
    system: &mut dyn System,
    (t, h): (f64, f64),
    (y, rate): (&[f64], &[f64]),
    (next, error): (&mut [f64], &mut [f64]),
    tolerance: Tolerance,
    room: &mut Room,
) -> Result<Option<Vec<Vec<f64>>>, String> {
    let n = y.len();
    if room.at != y {
        room.jacobian.resize(n * n, 0.0);
        system.jacobian(t, y, &mut room.jacobian)?;
        room.at = y.to_vec();
    }
    let jacobian = DMatrix::from_row_slice(n, n, &room.jacobian);
    let mut matrix = DMatrix::identity(3 * n, 3 * n);
    for (i, row) in A.iter().enumerate() {
        for (j, a) in row.iter().enumerate() {
            let mut block = matrix.view_mut((i * n, j * n), (n, n));
            block -= &jacobian * (h * a);
        }
    }
    let newton = matrix.lu();
    let mut z = DVector::zeros(3 * n);
    let (mut f, mut stage) = ([vec![0.0; n], vec![0.0; n], vec![0.0; n]], vec![0.0; n]);
    let (mut last, mut converged) = (f64::INFINITY, false);
    for _ in 0..ITERATIONS {
        for (j, f) in f.iter_mut().enumerate() {
            (0..n).for_each(|i| stage[i] = y[i] + z[j * n + i]);
            system.rate(t + C[j] * h, &stage, f)?;
        }
        let residual = DVector::from_fn(3 * n, |row, _| {
            let (j, i) = (row / n, row % n);
            h * A[j].iter().zip(&f).map(|(a, f)| a * f[i]).sum::<f64>() - z[row]
        });
        let Some(change) = newton.solve(&residual) else { return Ok(None) };
        z += &change;
        let size =
            (0..3).map(|j| tolerance.norm(&change.as_slice()[j * n..(j + 1) * n], y, y)).fold(0.0, f64::max);
        if !size.is_finite() || size > 2.0 * last {
            return Ok(None);
        }
        last = size;
        if size <= ENOUGH {
            converged = true;
            break;
        }
    }
    if !converged {
        return Ok(None);
    }
    (0..n).for_each(|i| next[i] = y[i] + z[2 * n + i]);
    let of_error = (DMatrix::identity(n, n) * (GAMMA / h) - &jacobian).lu();
    let weighted = |i: usize| (0..3).map(|j| E[j] * z[j * n + i]).sum::<f64>() / h;
    let right = DVector::from_fn(n, |i, _| rate[i] + weighted(i));
    let Some(estimate) = of_error.solve(&right) else { return Ok(None) };
    error.copy_from_slice(estimate.as_slice());
    if tolerance.norm(error, y, next) > 1.0 {
        // Once more, filtered: the estimate is too large where the problem is stiff.
        (0..n).for_each(|i| stage[i] = y[i] + error[i]);
        let mut again = vec![0.0; n];
        system.rate(t, &stage, &mut again)?;
        let right = DVector::from_fn(n, |i, _| again[i] + weighted(i));
        if let Some(estimate) = of_error.solve(&right) {
            error.copy_from_slice(estimate.as_slice());
        }
    }
    let of_power = |p: usize| -> Vec<f64> {
        (0..n).map(|i| (0..3).map(|j| P[j][p] * z[j * n + i]).sum::<f64>()).collect()
    };
    Ok(next.iter().all(|x| x.is_finite()).then(|| (0..3).map(of_power).collect()))
}
