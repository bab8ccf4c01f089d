//! The exact answer of one contact with Coulomb friction.
//!
//! With q the velocity without the contact's own impulse, c = A λ + q, find
//!
//! ```text
//!     K_μ ∋ λ ⟂ c + Γ(c) ∈ K_μ*                                       (1)  [DeSaxce1998]
//! ```
//!
//! Open: q_N ≥ 0, λ = 0. Stick: λ = −A⁻¹q ∈ K. Else the contact slides with c_T = −α λ_T, α > 0,
//! and c_N = 0 [Bonnefon2011]:
//!
//! ```text
//!     (S + α) λ_T = −b,   λ_N = −(q_N + A_NT λ_T)/A_NN                (2)
//!     S = A_TT − A_TN A_NT/A_NN,   b = q_T − A_TN q_N/A_NN
//!     ψ(α) = μ λ_N/‖λ_T‖ − 1 = 0                                      (3)
//! ```
//!
//! ψ < 0 at α = 0 (the sticking impulse is outside the cone) and ψ > 0 for large α, so there is a
//! root, and any root of (3) has λ_N ≥ 0. Cleared of denominators, (3) is the quartic
//!
//! ```text
//!     Q(α) = μ² p(α)² − A_NN² (‖b‖²α² + 2 bᵀadj(S)b α + ‖adj(S)b‖²),
//!     p(α) = q_N α² + (q_N tr S − A_NT b) α + q_N det S − A_NT adj(S) b,      (4)
//! ```
//!
//! whose positive roots are those of (3) and those with λ_N < 0 (p > 0). One sign change in (4)
//! leaves one positive root: Newton on (3), which is almost linear in α, finds it inside a bracket.
//! Otherwise the roots are isolated between the extrema of Q and the smallest with p ≤ 0 is taken.
//! Several answers to (1) may exist (Painlevé; [`super::branches`] lists them); open is preferred, then stick,
//! then the smallest α.
//! A need not be symmetric. λ [N·s], q [m/s], A [1/kg], α [1/kg].

use super::{Contact, in_cone};

/// The impulse of (1), given the present impulse and velocity of the contact.
#[inline]
pub fn solve(contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let q = contact.free_velocity(lambda, c);
    if q[2] >= 0.0 {
        return [0.0; 3];
    }
    if contact.mu == 0.0 {
        return [0.0, 0.0, -q[2] / contact.a[8]];
    }
    let stick = contact.sticking(lambda, c);
    if in_cone(stick, contact.mu) {
        return stick;
    }
    slide(contact, q, stick)
}

/// Quantities of (2).
pub(super) struct Reduced {
    s: [f64; 4],
    pub(super) b: [f64; 2],
    pub(super) trace: f64,
    det: f64,
    /// A_NT.
    coupling: [f64; 2],
    a_nn: f64,
    q_n: f64,
    mu: f64,
}

impl Reduced {
    pub(super) fn new(contact: &Contact, q: [f64; 3]) -> Self {
        let a = &contact.a;
        let (tn, nt, nn) = ([a[2], a[5]], [a[6], a[7]], a[8]);
        let s = [
            a[0] - tn[0] * nt[0] / nn,
            a[1] - tn[0] * nt[1] / nn,
            a[3] - tn[1] * nt[0] / nn,
            a[4] - tn[1] * nt[1] / nn,
        ];
        let b = [q[0] - tn[0] * q[2] / nn, q[1] - tn[1] * q[2] / nn];
        let (trace, det) = (s[0] + s[3], s[0] * s[3] - s[1] * s[2]);
        Self { s, b, trace, det, coupling: nt, a_nn: nn, q_n: q[2], mu: contact.mu }
    }

    /// adj(S + α) x = (tr S + α − S) x.
    fn adjugate(&self, alpha: f64, x: [f64; 2]) -> [f64; 2] {
        let d = self.trace + alpha;
        let s = &self.s;
        [d * x[0] - s[0] * x[0] - s[1] * x[1], d * x[1] - s[2] * x[0] - s[3] * x[1]]
    }

    fn along(&self, x: [f64; 2]) -> f64 {
        self.coupling[0] * x[0] + self.coupling[1] * x[1]
    }

    /// (2) at α.
    pub(super) fn impulse(&self, alpha: f64) -> [f64; 3] {
        let d = -1.0 / (alpha * alpha + self.trace * alpha + self.det);
        let t = self.adjugate(alpha, self.b).map(|x| x * d);
        [t[0], t[1], -(self.q_n + self.along(t)) / self.a_nn]
    }

    /// ψ and dψ/dα of (3).
    pub(super) fn residual(&self, alpha: f64) -> (f64, f64) {
        let [x, y, n] = self.impulse(alpha);
        let d = -1.0 / (alpha * alpha + self.trace * alpha + self.det);
        let dt = self.adjugate(alpha, [x, y]).map(|x| x * d);
        let dn = -self.along(dt) / self.a_nn;
        let t = (x * x + y * y).sqrt();
        let slope = (x * dt[0] + y * dt[1]) / t;
        (self.mu * n / t - 1.0, self.mu * (dn * t - n * slope) / (t * t))
    }

    /// Coefficients of p and of Q in (4), lowest first, for α measured in units of `unit`.
    pub(super) fn quartic(&self, unit: f64) -> ([f64; 3], [f64; 5]) {
        let adj_b = self.adjugate(0.0, self.b);
        let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
        let p = [
            self.q_n * self.det - self.along(adj_b),
            (self.q_n * self.trace - self.along(self.b)) * unit,
            self.q_n * unit * unit,
        ];
        let m2 = self.mu * self.mu;
        let n2 = self.a_nn * self.a_nn;
        let q = [
            m2 * p[0] * p[0] - n2 * dot(adj_b, adj_b),
            m2 * 2.0 * p[0] * p[1] - n2 * 2.0 * dot(self.b, adj_b) * unit,
            m2 * (p[1] * p[1] + 2.0 * p[0] * p[2]) - n2 * dot(self.b, self.b) * unit * unit,
            m2 * 2.0 * p[1] * p[2],
            m2 * p[2] * p[2],
        ];
        (p, q)
    }
}

/// (2) at the root of (3). `stick` is (2) at α = 0.
fn slide(contact: &Contact, q: [f64; 3], stick: [f64; 3]) -> [f64; 3] {
    let reduced = Reduced::new(contact, q);
    if reduced.b == [0.0; 2] {
        return [0.0, 0.0, -q[2] / contact.a[8]];
    }
    let unit = if reduced.trace > 0.0 { reduced.trace } else { contact.norm };
    let (p, quartic) = reduced.quartic(unit);
    let changes = quartic.windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count();
    let first = if changes <= 1 { None } else { smallest_root(&p, &quartic).map(|x| x * unit) };
    let alpha = polish(&reduced, unit, first);
    if alpha == 0.0 { stick } else { reduced.impulse(alpha) }
}

/// Newton on (3) inside a bracket, from `start` or from α = 0.
fn polish(reduced: &Reduced, unit: f64, start: Option<f64>) -> f64 {
    let (mut lo, mut hi) = (0.0, f64::INFINITY);
    let mut alpha = match start {
        Some(start) => {
            // The isolated root is the one wanted: keep Newton near it.
            (lo, hi) = (start * (1.0 - 1e-3), start * (1.0 + 1e-3));
            start
        }
        None => 0.0,
    };
    for _ in 0..60 {
        let (value, slope) = reduced.residual(alpha);
        if value <= 0.0 {
            lo = alpha;
        } else {
            hi = alpha;
        }
        if value == 0.0 {
            break;
        }
        let newton = alpha - value / slope;
        let next = if newton > lo && newton < hi {
            newton
        } else if hi.is_finite() {
            0.5 * (lo + hi)
        } else {
            2.0 * lo + unit
        };
        if (next - alpha).abs() <= 2.0 * f64::EPSILON * next || !next.is_finite() {
            break;
        }
        alpha = next;
    }
    alpha
}

/// The smallest positive root of Q with p ≤ 0, both in the scaled unknown.
fn smallest_root(p: &[f64; 3], q: &[f64; 5]) -> Option<f64> {
    let (roots, count) = all_roots(p, q);
    roots[..count].first().copied()
}

/// All of them, ascending, and how many.
pub(super) fn all_roots(p: &[f64; 3], q: &[f64; 5]) -> ([f64; 6], usize) {
    // Cauchy's bound holds all roots; between the extrema of a polynomial it is monotone.
    let degree = q.iter().rposition(|&c| c != 0.0).unwrap_or(0);
    let bound = 1.0 + q[..degree].iter().fold(0.0_f64, |m, c| m.max((c / q[degree]).abs()));
    if !bound.is_finite() {
        return ([0.0; 6], 0);
    }
    let first = [q[1], 2.0 * q[2], 3.0 * q[3], 4.0 * q[4]];
    let second = [first[1], 2.0 * first[2], 3.0 * first[3]];
    let third = [second[1], 2.0 * second[2]];
    let (mut a, mut b) = ([0.0; 6], [0.0; 6]);
    let n = roots_between(&third, &[], bound, &mut a);
    let n = roots_between(&second, &a[..n], bound, &mut b);
    let n = roots_between(&first, &b[..n], bound, &mut a);
    let n = roots_between(q, &a[..n], bound, &mut b);
    // λ_N = 0 belongs to the cone: p may be zero up to rounding.
    let slack = 1e-12 * (p[0].abs() + p[1].abs() + p[2].abs());
    let (mut roots, mut count) = ([0.0; 6], 0);
    for &x in b[..n].iter().filter(|&&x| x > 0.0 && evaluate(p, x) <= slack * x.max(1.0) * x.max(1.0)) {
        roots[count] = x;
        count += 1;
    }
    (roots, count)
}

fn evaluate(polynomial: &[f64], x: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |v, c| v * x + c)
}

/// Roots in [0, bound] of a polynomial that is monotone between the ascending `extrema`; returns
/// how many.
fn roots_between(polynomial: &[f64], extrema: &[f64], bound: f64, out: &mut [f64; 6]) -> usize {
    let mut n = 0;
    let mut lo = 0.0;
    for k in 0..=extrema.len() {
        let hi = extrema.get(k).copied().unwrap_or(bound);
        let (flo, fhi) = (evaluate(polynomial, lo), evaluate(polynomial, hi));
        if (flo <= 0.0) != (fhi <= 0.0) {
            out[n] = bisect(polynomial, lo, hi, flo <= 0.0);
            n += 1;
        }
        lo = hi;
    }
    n
}

fn bisect(polynomial: &[f64], mut lo: f64, mut hi: f64, below: bool) -> f64 {
    for _ in 0..80 {
        let mid = 0.5 * (lo + hi);
        if mid <= lo || mid >= hi {
            break;
        }
        if (evaluate(polynomial, mid) <= 0.0) == below {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    0.5 * (lo + hi)
}

#[cfg(test)]
mod tests {
    use super::super::tests::problems;
    use super::*;
    use stiction_contact::certificate::block_natural_map;
    use stiction_contact::matrix3::{mul, spectral_norm};
    use stiction_contact::{Cone, Law};

    fn natural_map(a: &[f64; 9], q: [f64; 3], mu: f64, lambda: [f64; 3]) -> f64 {
        let al = mul(a, lambda);
        let c = [q[0] + al[0], q[1] + al[1], q[2] + al[2]];
        block_natural_map(Cone::Friction { mu }, a, spectral_norm(a), &lambda, &c, Law::Ncp)
    }

    #[test]
    fn answers_2400_random_problems() {
        let mut worst = 0.0_f64;
        for (a, q, mu) in problems() {
            let lambda = solve(&Contact::new(a, mu).unwrap(), [0.0; 3], q);
            let e = natural_map(&a, q, mu, lambda);
            assert!(e <= 1e-12, "{e} for A {a:?}, q {q:?}, mu {mu}: {lambda:?}");
            worst = worst.max(e);
        }
        println!("worst natural map of 2400: {worst:e}");
    }

    /// Unsymmetric, nearly singular and badly scaled blocks; b = 0; μ = 0.
    #[test]
    fn degenerate_blocks_are_answered() {
        let tilted = [1.0, 0.2, 0.1, -0.1, 0.7, 0.0, 0.3, 0.1, 1.5];
        for (a, q, mu) in [
            (tilted, [3.0, -1.0, -1.0], 0.4),
            ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, -1.0], 0.3),
            ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, -1.0], 0.0),
            ([1e-9, 0.0, 0.0, 0.0, 1e-9, 0.0, 0.0, 0.0, 1.0], [1.0, 1.0, -1.0], 0.5),
            ([1e6, 0.0, 0.0, 0.0, 1e-6, 0.0, 0.0, 0.0, 1.0], [1.0, 1.0, -1.0], 0.5),
        ] {
            let lambda = solve(&Contact::new(a, mu).unwrap(), [0.0; 3], q);
            let e = natural_map(&a, q, mu, lambda);
            assert!(e <= 1e-14 * spectral_norm(&a).max(1.0), "{e} for A {a:?}, q {q:?}, mu {mu}: {lambda:?}");
        }
    }

    /// Rank one: only the normal moves. Repeated local solves about the present impulse stay exact.
    #[test]
    fn a_singular_block_is_answered_by_repetition() {
        let a = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        let contact = Contact::new(a, 0.5).unwrap();
        let mut lambda = [0.0; 3];
        for _ in 0..3 {
            let al = mul(&a, lambda);
            lambda = solve(&contact, lambda, [al[0], al[1], al[2] - 1.0]);
        }
        assert!(natural_map(&a, [0.0, 0.0, -1.0], 0.5, lambda) < 1e-12, "{lambda:?}");
    }
}
