//! One contact that resists turning, exactly: Coulomb's law in four or six dimensions.
//!
//! With q = c − A λ the velocity without the contact's own impulse and T all rows but the normal, the answer is
//!
//! ```text
//!     open     q_N ≥ 0          λ = 0                                                    (1)
//!     stick    −A⁻¹ q ∈ K_μ     λ = −A⁻¹ q                                               (2)
//!     slide    c_N = 0,  c_T = −s λ_T,  ‖λ_T‖ = μ λ_N  for some s > 0                    (3)
//! ```
//!
//! c_N = 0 gives λ_N of λ_T; with B = A_TT − A_TN A_NT/A_NN and b = q_T − A_TN q_N/A_NN, (3) is one equation,
//!
//! ```text
//!     λ_T(s) = −(B + s)⁻¹ b,    f(s) = ‖λ_T(s)‖ − μ λ_N(s) = 0                           (4)
//! ```
//!
//! where f(0) > 0, because (2) left the cone, and f(∞) = μ q_N/A_NN < 0: Newton's steps within a bracket, for f/‖λ_T‖,
//! whose ‖λ_T‖⁻¹ is nearly straight [Conn2000, 7.3], from the s that the present impulse slides with. In three dimensions
//! the roots are those of [`super::quartic`]; where there are several, one of them is found.

use stiction_contact::cone::{MAX_ROWS, tangential};

/// Share of ‖A‖ added to the diagonal of an A that has no inverse [–]. The problem is then solved about the present
/// impulse, so that fixed points of a sweep stay exact.
const NUDGE: f64 = 1e-10;
/// Pivots below this share of their diagonal count as zero [–].
const CUTOFF: f64 = 1e-13;
/// Newton steps and bisections of (4), at most, and where they end: the share of ‖λ_T‖ that is left, and of s that is
/// gone [–].
const STEPS: u32 = 200;
const LEFT: f64 = 1e-15;

type Vector = [f64; MAX_ROWS];

/// The answer of a patch: `a` = (G + R)_ii by rows, `norm` its Frobenius norm, `lambda` and `c` its present impulse
/// and velocity, in the order (t₁, t₂, n, s, …).
pub fn solve(a: &[f64], norm: f64, mu: f64, lambda: &[f64], c: &[f64]) -> Vector {
    if c.len() == MAX_ROWS {
        solve_in::<5>(a, norm, mu, lambda, c)
    } else {
        solve_in::<3>(a, norm, mu, lambda, c)
    }
}

fn solve_in<const M: usize>(a: &[f64], norm: f64, mu: f64, lambda: &[f64], c: &[f64]) -> Vector {
    let answer = attempt::<M>(a, norm, mu, lambda, c, 0.0);
    answer.or_else(|| attempt::<M>(a, norm, mu, lambda, c, NUDGE * norm)).unwrap_or_default()
}

/// The row of the tangential direction k.
#[inline(always)]
fn row(k: usize) -> usize {
    if k < 2 { k } else { k + 1 }
}

/// The same with M tangential directions and `nudge` on the diagonal; `None` where A has no inverse.
fn attempt<const M: usize>(
    a: &[f64],
    norm: f64,
    mu: f64,
    lambda: &[f64],
    c: &[f64],
    nudge: f64,
) -> Option<Vector> {
    let dim = M + 1;
    let of = |i: usize, j: usize| a[i * dim + j] + if i == j { nudge } else { 0.0 };
    let mut q: Vector = [0.0; MAX_ROWS];
    for i in 0..dim {
        q[i] = c[i] - (0..dim).map(|j| of(i, j) * lambda[j]).sum::<f64>();
    }
    let mut out: Vector = [0.0; MAX_ROWS];
    if q[2] >= 0.0 {
        return Some(out); // (1)
    }
    let a_nn = of(2, 2);
    if mu == 0.0 {
        out[2] = -q[2] / a_nn; // s = ∞
        return Some(out);
    }
    let across: [f64; M] = std::array::from_fn(|k| of(2, row(k)) / a_nn);
    let reduced: [[f64; M]; M] =
        std::array::from_fn(|k| std::array::from_fn(|l| of(row(k), row(l)) - of(row(k), 2) * across[l]));
    let b: [f64; M] = std::array::from_fn(|k| q[row(k)] - of(row(k), 2) * q[2] / a_nn);
    // λ of s, ‖λ_T‖ and μ λ_N there, and their derivatives.
    let at = |s: f64, out: &mut Vector| -> Option<[f64; 4]> {
        let mut factor = reduced;
        (0..M).for_each(|k| factor[k][k] += s);
        cholesky(&mut factor)?;
        let mut x = b.map(|b| -b);
        backward(&factor, &mut x);
        let mut slope = x.map(|x| -x);
        backward(&factor, &mut slope);
        (0..M).for_each(|k| out[row(k)] = x[k]);
        out[2] = -q[2] / a_nn - dot(&across, &x);
        let t = dot(&x, &x).sqrt();
        let turned = if t > 0.0 { dot(&x, &slope) / t } else { 0.0 };
        Some([t, mu * out[2], turned, -mu * dot(&across, &slope)])
    };
    let [t, radius, ..] = at(0.0, &mut out)?;
    if t <= radius {
        return Some(out); // (2)
    }
    // From the s of the present impulse, where it slides.
    let slid: [f64; 2] = (0..M).fold([0.0; 2], |[p, l], k| {
        let (c, lambda) = (c[row(k)], lambda[row(k)]);
        [p - c * lambda, l + lambda * lambda]
    });
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut s = slid[0] / slid[1];
    if !(s > 0.0 && s.is_finite()) {
        s = 0.1 * norm;
    }
    for _ in 0..STEPS {
        let [t, radius, turned, narrows] = at(s, &mut out).unwrap_or([f64::INFINITY, 0.0, 0.0, 0.0]);
        let f = t - radius;
        if f.abs() <= LEFT * t {
            break;
        }
        *(if f > 0.0 { &mut low } else { &mut high }) = s;
        let newton = s - f * t / (turned * radius - narrows * t);
        let middle = if high.is_finite() { 0.5 * (low + high) } else { 8.0 * low };
        let next = if newton > low && newton < high { newton } else { middle };
        if !next.is_finite() {
            return None;
        }
        if (next - s).abs() <= LEFT * s {
            break;
        }
        s = next;
    }
    onto_cone::<M>(mu, &mut out);
    Some(out)
}

/// Puts what slides onto the cone, to rounding.
fn onto_cone<const M: usize>(mu: f64, out: &mut Vector) {
    let t = tangential(&out[..=M]);
    let radius = mu * out[2].max(0.0);
    let scale = if t > 0.0 { radius / t } else { 0.0 };
    (0..M).for_each(|k| out[row(k)] *= scale);
    out[2] = out[2].max(0.0);
}

#[inline(always)]
fn dot<const M: usize>(a: &[f64; M], b: &[f64; M]) -> f64 {
    (0..M).map(|k| a[k] * b[k]).sum()
}

/// L with L Lᵀ = A in the lower triangle; `None` where A is not positive definite.
#[inline(always)]
fn cholesky<const M: usize>(a: &mut [[f64; M]; M]) -> Option<()> {
    for j in 0..M {
        for i in j..M {
            let left = a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>();
            if i > j {
                a[i][j] = left / a[j][j];
            } else if left > CUTOFF * a[j][j] {
                a[j][j] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(())
}

/// x ← (L Lᵀ)⁻¹ x.
#[inline(always)]
fn backward<const M: usize>(l: &[[f64; M]; M], x: &mut [f64; M]) {
    for i in 0..M {
        x[i] = (x[i] - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..M).rev() {
        x[i] = (x[i] - (i + 1..M).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::tests::random_problems;
    use crate::local::{Contact, quartic};
    use stiction_contact::certificate::{block_natural_map, certify};
    use stiction_contact::corpus::Random;
    use stiction_contact::{Cone, ConstraintProblem, Law};

    /// In the rows of a friction block a patch whose other rows couple to nothing is that block.
    #[test]
    fn a_patch_that_only_slides_is_a_contact() {
        for (a, q, mu) in random_problems(600, 3) {
            let mut patch = [0.0; 16];
            for k in 0..9 {
                patch[k / 3 * 4 + k % 3] = a[k];
            }
            patch[15] = 1.0;
            let norm = patch.iter().map(|x| x * x).sum::<f64>().sqrt();
            let answer = solve(&patch, norm, mu, &[0.0; 4], &[q[0], q[1], q[2], 0.0]);
            let contact = Contact::new(a, mu).unwrap();
            let l = quartic::solve(&contact, [0.0; 3], q);
            let c: [f64; 3] =
                std::array::from_fn(|i| q[i] + (0..3).map(|j| a[3 * i + j] * answer[j]).sum::<f64>());
            let e = block_natural_map(Cone::Friction { mu }, &a, norm, &answer[..3], &c, Law::Ncp);
            // Several answers are possible from μ = 1 on; each has no residual.
            assert!(e < 1e-8 && answer[3] == 0.0, "{e} {answer:?} {l:?}");
            if mu < 0.7 {
                assert!((0..3).all(|k| (answer[k] - l[k]).abs() < 1e-6 * (1.0 + l[2])), "{answer:?} {l:?}");
            }
        }
    }

    /// Random patches of both sizes, judged.
    #[test]
    fn random_patches_obey_the_law() {
        let mut random = Random(11);
        for k in 0..2000 {
            let mut r = || random.number();
            let rolls = k % 2 == 0;
            let dim = if rolls { 6 } else { 4 };
            let scale = 10_f64.powf(2.0 * r());
            let b: Vec<f64> = (0..dim * dim).map(|_| r()).collect();
            let mu = [0.05, 0.5, 1.0, 0.0][k / 2 % 4];
            let g: Vec<f64> = (0..dim).map(|i| if i == 2 { -r().abs() } else { r() }).collect();
            let mut problem = ConstraintProblem::default();
            problem.push(Cone::Patch { mu, rolls }, &g);
            let (start, blocks) = problem.starts_and_blocks_mut();
            blocks.set_pattern(start, |i, out| out.push(i));
            for (e, out) in blocks.entry_mut(0).iter_mut().enumerate() {
                let (i, j) = (e / dim, e % dim);
                let sum: f64 = (0..dim).map(|l| b[dim * i + l] * b[dim * j + l]).sum();
                *out = scale * (sum + if i == j { 0.1 } else { 0.0 });
            }
            let a = problem.blocks.diagonal(0).to_vec();
            let norm = a.iter().map(|x| x * x).sum::<f64>().sqrt();
            let lambda = solve(&a, norm, mu, &vec![0.0; dim], &g);
            let e = certify(&problem, &lambda[..dim]);
            assert!(e.natural_map < 1e-8 && e.cone_excess < 1e-12, "{k}: {e:?}");
        }
    }
}
