//! Anderson acceleration of a fixed-point map λ ↦ S(λ) [Walker2011].
//!
//! From the last m sweeps with steps f_k = S(λ_k) − λ_k, and Δ between neighbours,
//!
//! ```text
//!     γ = argmin ‖f_k − ΔF γ‖_W                                       (1)
//!     λ_{k+1} = S(λ_k) − ΔS γ,   c_{k+1} = c(S(λ_k)) − ΔC γ           (2)
//! ```
//!
//! W weighs the rows of a block by ‖A_ii‖, so that (1) measures energy and light and heavy bodies
//! count alike. c is affine in λ: (2) needs no product with G. (1) is solved by normal equations in
//! columns of unit length with a small Tikhonov term; an accelerator needs no more. It is the
//! caller's part to reject steps that make things worse; [`Safeguarded`] does for maps without c.
//! Cost O(m · rows) per sweep. Allocates only when the problem grows.

/// Tikhonov term of (1) for columns of unit length [–].
const DAMPING: f64 = 1e-12;

/// See the module. Columns live in rings of `memory` rows-long pieces; `filled` of them hold.
#[derive(Default)]
pub(crate) struct Anderson {
    memory: usize,
    rows: usize,
    filled: usize,
    /// The ring's next place.
    next: usize,
    /// True when `f`, `s`, `c` hold the previous sweep.
    primed: bool,
    f: Vec<f64>,
    s: Vec<f64>,
    c: Vec<f64>,
    d_f: Vec<f64>,
    d_s: Vec<f64>,
    d_c: Vec<f64>,
    /// ΔFᵀ W ΔF.
    gram: Vec<f64>,
    system: Vec<f64>,
    gamma: Vec<f64>,
}

impl Anderson {
    /// Forgets everything; `memory` = 0 switches the acceleration off.
    pub(crate) fn start(&mut self, memory: usize, rows: usize) {
        self.memory = memory.min(rows);
        self.rows = rows;
        for v in [&mut self.f, &mut self.s, &mut self.c] {
            v.resize(rows, 0.0);
        }
        for v in [&mut self.d_f, &mut self.d_s, &mut self.d_c] {
            v.resize(self.memory * rows, 0.0);
        }
        self.gram.resize(self.memory * self.memory, 0.0);
        self.restart();
    }

    /// Forgets the history.
    pub(crate) fn restart(&mut self) {
        (self.filled, self.next, self.primed) = (0, 0, false);
    }

    /// Takes in a sweep from `before` to `after` with velocities `c`, and replaces `after` and `c` by
    /// (2). Returns Σ|γ|, by which rounding errors of `c` grow; `None` when there is nothing to
    /// extrapolate from yet.
    pub(crate) fn step(
        &mut self,
        weight: &[f64],
        before: &[f64],
        after: &mut [f64],
        c: &mut [f64],
    ) -> Option<f64> {
        if self.memory == 0 {
            return None;
        }
        if self.primed {
            let at = self.next * self.rows..(self.next + 1) * self.rows;
            let (d_f, d_s, d_c) = (&mut self.d_f[at.clone()], &mut self.d_s[at.clone()], &mut self.d_c[at]);
            for k in 0..self.rows {
                d_f[k] = after[k] - before[k] - self.f[k];
                d_s[k] = after[k] - self.s[k];
                d_c[k] = c[k] - self.c[k];
            }
            let place = self.next;
            self.next = (self.next + 1) % self.memory;
            self.filled = (self.filled + 1).min(self.memory);
            self.update_gram(weight, place);
        }
        for k in 0..self.rows {
            self.f[k] = after[k] - before[k];
        }
        self.s.copy_from_slice(after);
        self.c.copy_from_slice(c);
        self.primed = true;
        if self.filled == 0 || !self.coefficients(weight) {
            return None;
        }
        for (j, &gamma) in self.gamma.iter().enumerate() {
            let at = j * self.rows..(j + 1) * self.rows;
            for ((x, v), (s, c)) in
                after.iter_mut().zip(c.iter_mut()).zip(self.d_s[at.clone()].iter().zip(&self.d_c[at]))
            {
                *x -= gamma * s; // (2)
                *v -= gamma * c;
            }
        }
        Some(self.gamma.iter().map(|g| g.abs()).sum())
    }

    fn update_gram(&mut self, weight: &[f64], place: usize) {
        let m = self.memory;
        let new = &self.d_f[place * self.rows..(place + 1) * self.rows];
        for j in 0..self.filled {
            let other = &self.d_f[j * self.rows..(j + 1) * self.rows];
            let product = weighted(weight, new, other);
            self.gram[place * m + j] = product;
            self.gram[j * m + place] = product;
        }
    }

    /// (1); false when the history is degenerate.
    fn coefficients(&mut self, weight: &[f64]) -> bool {
        let (n, m) = (self.filled, self.memory);
        self.system.clear();
        self.gamma.clear();
        for i in 0..n {
            let length = self.gram[i * m + i].sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return false;
            }
            for j in 0..n {
                let other = self.gram[j * m + j].sqrt();
                let damping = if i == j { 1.0 + DAMPING } else { 1.0 };
                self.system.push(damping * self.gram[i * m + j] / (length * other));
            }
            let column = &self.d_f[i * self.rows..(i + 1) * self.rows];
            self.gamma.push(weighted(weight, column, &self.f) / length);
        }
        if !solve_definite(&mut self.system, &mut self.gamma) {
            return false;
        }
        for i in 0..n {
            self.gamma[i] /= self.gram[i * m + i].sqrt();
        }
        self.gamma.iter().all(|g| g.is_finite())
    }
}

/// xᵀ W y.
fn weighted(weight: &[f64], x: &[f64], y: &[f64]) -> f64 {
    weight.iter().zip(x.iter().zip(y)).map(|(w, (x, y))| w * x * y).sum()
}

/// x ← A⁻¹ x for A positive definite by Cholesky's method; false if A is not.
fn solve_definite(a: &mut [f64], x: &mut [f64]) -> bool {
    let n = x.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let v = a[i * n + j] - sum;
            if i == j {
                if !(v > 0.0) {
                    return false;
                }
                a[i * n + i] = v.sqrt();
            } else {
                a[i * n + j] = v / a[j * n + j];
            }
        }
        let sum: f64 = (0..i).map(|k| a[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    true
}

/// A step may let ‖T(x) − x‖ grow by this factor [–].
const GROWTH: f64 = 2.0;

/// A fixed-point map x ↦ T(x) with Anderson steps; one that lets ‖T(x) − x‖ grow is taken back.
#[derive(Default)]
pub(crate) struct Safeguarded {
    anderson: Anderson,
    ones: Vec<f64>,
    unused: Vec<f64>,
    /// T(x) before the last step, and ‖T(x) − x‖ there.
    safe: Vec<f64>,
    safe_step: f64,
}

impl Safeguarded {
    pub(crate) fn start(&mut self, memory: usize, n: usize) {
        for v in [&mut self.ones, &mut self.unused] {
            v.clear();
            v.resize(n, 1.0);
        }
        self.anderson.start(memory, n);
        self.restart();
    }

    /// Forgets the history: the map has changed.
    pub(crate) fn restart(&mut self) {
        self.safe_step = f64::INFINITY;
        self.anderson.restart();
    }

    /// Takes x and its `image` T(x), leaves the next x; `image` is spent.
    pub(crate) fn advance(&mut self, x: &mut Vec<f64>, image: &mut Vec<f64>) {
        let step = x.iter().zip(&*image).map(|(x, t)| (t - x).powi(2)).sum::<f64>().sqrt();
        if step > GROWTH * self.safe_step {
            x.copy_from_slice(&self.safe);
            self.restart();
            return;
        }
        self.safe.clear();
        self.safe.extend_from_slice(image);
        self.safe_step = step;
        let _ = self.anderson.step(&self.ones, x, image, &mut self.unused);
        std::mem::swap(x, image);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On an affine map of ℝ³ the exact fixed point is reached after three differences.
    #[test]
    fn an_affine_map_is_solved_in_dimension_plus_one_steps() {
        let map = |x: &[f64]| {
            [0.9 * x[0] + 0.1 * x[1] + 1.0, 0.99 * x[1] - 0.2 * x[2] - 1.0, 0.1 * x[0] + 0.5 * x[2]]
        };
        let mut anderson = Anderson::default();
        anderson.start(3, 3);
        let mut x = [0.0; 3];
        for _ in 0..5 {
            let mut after = map(&x);
            let mut c = after.map(|x| 2.0 * x + 1.0);
            anderson.step(&[1.0; 3], &x, &mut after, &mut c);
            assert!((0..3).all(|k| (c[k] - 2.0 * after[k] - 1.0).abs() < 1e-9 * c[k].abs().max(1.0)));
            x = after;
        }
        let y = map(&x);
        assert!((0..3).all(|k| (x[k] - y[k]).abs() < 1e-7), "{x:?} {y:?}");
    }
}
