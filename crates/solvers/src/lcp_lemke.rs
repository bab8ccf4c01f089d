//! `lcp-lemke`: Lemke's pivots on the linear complementarity problem of polygonal friction.
//!
//! Finds impulses λ such that, for every contact i, with D_n(r) the regular polygon of n corners d_j on the
//! circle of radius r,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   λ_T = P_D(λ_T − ρ c_T),   D = D_n(μ λ_N)           (2)  [StewartTrinkle1996]
//! ```
//!
//! (2) is linear complementarity, λ_T = Σ β_j d_j with the greatest slip ψ as a multiplier:
//!
//! ```text
//!     0 ≤ z ⟂ w = M z + q ≥ 0,   z = (λ_N, β, ψ),   w = (c_N, Dᵀ c_T + ψ, μ λ_N − Σ β)       (3)
//! ```
//!
//! Whether (3) is the problem of Stewart and Trinkle or that of Anitescu and Potra is a matter of g, which
//! holds gaps or restitution. Lemke's method [Cottle2009, 4.4] covers a negative q by one artificial
//! variable and drives it out again by complementary pivots, ties broken lexicographically. M is copositive,
//! so it ends at an answer but for rounding; a ray and a vanishing pivot are `Stalled`. Bilateral
//! rows are pivoted in first and stay, which is their Schur complement; a box is a row for every finite
//! side. The answer is computed once more from its basis. Does not profit from a warm start.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). With N = (n + 2) contacts + other
//! rows of an island, an iteration is a pivot of N² operations, of which there are about 4 per contact; an
//! island of more than 2000 rows is refused as `Stalled`. Allocates only when the problem grows.

use crate::dense::Lu;
use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::task::Task;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// The most rows of (3).
const MOST_ROWS: usize = 2000;
/// Pivots below this count as zero; rows and columns have unit scale [–].
const PIVOT: f64 = 1e-9;
/// Among equal ratios, pivots below this share of the largest are rounding [–].
const SMALL: f64 = 1e-5;
/// Ratios closer than this are a tie, for q of unit size [–].
const TIE: f64 = 1e-12;
/// The artificial variable is gone when it is below this, for q of unit size [–].
const GONE: f64 = 1e-9;

parameters! {
    /// Parameters of [`LcpLemke`].
    pub struct LcpLemkeParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Pivots per island before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Corners n of the polygon: friction is too small by up to 1 − cos(π/n); 4, 8 and 16 are typical.
        facets: u32 = 8, "–", at_least(4.0).at_most(1024.0).even();
    }
}

/// The solver of this module.
pub type LcpLemke = IslandSolver<LcpLemkeParams>;

impl IslandMethod for LcpLemkeParams {
    type Method = Lemke;
    const NAME: &'static str = "lcp-lemke";

    fn law(&self) -> Law {
        Law::Facets { facets: self.facets }
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) {}
}

/// A row of (3): z acts along `direction` in the rows of a block, and w is c along it.
#[derive(Clone, Copy)]
struct Row {
    /// First row and rows of the block in the problem.
    first: usize,
    dim: usize,
    direction: [f64; 3],
    free: bool,
}

impl Row {
    /// `direction` · v, v over the rows of the problem.
    fn dot(&self, v: &[f64]) -> f64 {
        v[self.first..self.first + self.dim].iter().zip(&self.direction).map(|(v, e)| v * e).sum()
    }
}

/// A variable of (3).
#[derive(Clone, Copy, PartialEq)]
enum Variable {
    W(usize),
    Z(usize),
    Cover,
}

#[derive(Default)]
pub struct Lemke {
    rows: Vec<Row>,
    /// (row, column, value) of M beyond G + R, by rows.
    couplings: Vec<(usize, usize, f64)>,
    /// P = diag(‖A_ii‖^-½), and impulses for z = 0, per row of the problem; scaled.
    scale: Vec<f64>,
    offset: Vec<f64>,
    /// P (G + R) P, by rows.
    matrix: Vec<f64>,
    q: Vec<f64>,
    /// Largest |q|, by which the tableau is divided.
    size: f64,
    /// Basic variables are `constant` + `tableau` · others; N + 1 columns.
    tableau: Vec<f64>,
    constant: Vec<f64>,
    basic: Vec<Variable>,
    other: Vec<Variable>,
    /// Column of the variable that enters next.
    entering: usize,
    pivot_row: Vec<f64>,
    product: Vec<f64>,
    /// Row the artificial variable enters for, if any; then rows of equal ratio.
    ties: Vec<usize>,
    lu: Lu,
    active: Vec<usize>,
    z: Vec<f64>,
    right: Vec<f64>,
}

impl Method for Lemke {
    type Params = ();
    /// Only the last pivot has an answer.
    const PATIENCE: u32 = u32::MAX / 2;

    fn start(&mut self, (): &(), task: &Task, lambda: &[f64], _c: &[f64]) -> bool {
        self.formulate(task, lambda);
        let n = self.rows.len();
        if n > MOST_ROWS {
            return false;
        }
        self.fill();
        self.lu.reserve(n);
        for v in [&mut self.z, &mut self.right] {
            v.clear();
            v.reserve(n);
        }
        for v in [&mut self.active, &mut self.ties] {
            v.clear();
            v.reserve(n);
        }
        self.bring_in_free_rows();
        // The artificial variable enters for the most negative row, the last of equals.
        let mut worst: Option<usize> = None;
        for r in (0..n).filter(|&r| !self.is_free(r)) {
            let need = |r: usize| self.constant[r] / self.tableau[r * (n + 1) + n];
            if self.constant[r] < 0.0 && worst.is_none_or(|w| need(r) <= need(w)) {
                worst = Some(r);
            }
        }
        self.entering = n;
        self.ties.clear();
        self.ties.extend(worst);
        true
    }

    fn iterate(&mut self, (): &(), task: &Task, lambda: &mut [f64]) -> bool {
        let n = self.rows.len();
        let covered = self.other[n] == Variable::Cover && self.entering == n;
        let leaving = if covered { self.ties.first().copied() } else { self.ratio_test() };
        let Some(row) = leaving else {
            if covered {
                self.finish(task, lambda); // q ≥ 0
            }
            return false; // or a ray
        };
        let out = self.basic[row];
        self.pivot(row, self.entering);
        let cover = self.basic.iter().position(|&v| v == Variable::Cover);
        if cover.is_none_or(|r| self.constant[r] <= GONE) {
            self.finish(task, lambda);
            return false;
        }
        // The partner of the variable that left.
        let partner = self.other.iter().position(|&v| match out {
            Variable::W(k) => v == Variable::Z(k),
            Variable::Z(k) => v == Variable::W(k),
            Variable::Cover => false,
        });
        self.entering = partner.unwrap_or(self.entering);
        partner.is_some()
    }
}

impl Lemke {
    /// The rows of (3), their couplings, and q but for its sign.
    fn formulate(&mut self, task: &Task, lambda: &[f64]) {
        let problem = task.problem;
        let corners = task.law.polygon();
        let Self { rows, couplings, scale, offset, q, .. } = self;
        rows.clear();
        couplings.clear();
        scale.clear();
        offset.clear();
        q.clear();
        for (i, &cone) in problem.cones().iter().enumerate() {
            let (dim, p) = (cone.dim(), 1.0 / task.stopping.norms[i].sqrt());
            scale.extend(std::iter::repeat_n(p, dim));
            let from = rows.len();
            let mut add = |direction, free, constant| {
                rows.push(Row { first: problem.range(i).start, dim, direction, free });
                q.push(constant);
            };
            let inert = !(task.stopping.diagonal[i][4 * cone.normal()] > 0.0);
            let mut start = 0.0;
            match cone {
                _ if inert => start = if dim == 1 { lambda[problem.range(i).start] / p } else { 0.0 },
                Cone::Free => add([1.0, 0.0, 0.0], true, 0.0),
                Cone::NonNegative => add([1.0, 0.0, 0.0], false, 0.0),
                Cone::Patch { .. } => {}
                Cone::Box { lo, hi } if lo >= hi => start = lo / p,
                Cone::Box { lo, hi } if lo.is_finite() => {
                    start = lo / p;
                    add([1.0, 0.0, 0.0], false, 0.0);
                    if hi.is_finite() {
                        add([0.0; 3], false, (hi - lo) / p);
                        couplings.extend([(from, from + 1, 1.0), (from + 1, from, -1.0)]);
                    }
                }
                Cone::Box { hi, .. } if hi.is_finite() => {
                    start = hi / p;
                    add([-1.0, 0.0, 0.0], false, 0.0);
                }
                Cone::Box { .. } => add([1.0, 0.0, 0.0], true, 0.0),
                Cone::Friction { mu } => {
                    add([0.0, 0.0, 1.0], false, 0.0);
                    if let Some(polygon) = corners.filter(|_| mu > 0.0) {
                        let n = polygon.corners() as usize;
                        for j in 0..polygon.corners() {
                            let [x, y] = polygon.corner(j);
                            add([x, y, 0.0], false, 0.0);
                        }
                        add([0.0; 3], false, 0.0);
                        let psi = from + n + 1;
                        couplings.extend((1..=n).map(|j| (from + j, psi, 1.0)));
                        couplings.push((psi, from, mu));
                        couplings.extend((1..=n).map(|j| (psi, from + j, -1.0)));
                    }
                }
            }
            offset.extend(std::iter::repeat_n(if dim == 1 { start } else { 0.0 }, dim));
        }
        self.fill_matrix(problem);
        // q = e·(ḡ + Ā offset) for every row.
        for (row, q) in self.rows.iter().zip(&mut self.q) {
            for k in 0..row.dim {
                let r = row.first + k;
                let line = &self.matrix[r * self.scale.len()..(r + 1) * self.scale.len()];
                let held: f64 = line.iter().zip(&self.offset).map(|(a, l)| a * l).sum();
                *q += row.direction[k] * (self.scale[r] * problem.free_velocity[r] + held);
            }
        }
    }

    fn fill_matrix(&mut self, problem: &ConstraintProblem) {
        let n = problem.rows();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for i in 0..problem.len() {
            for entry in problem.blocks.entries(i) {
                let columns = problem.range(problem.blocks.column_of(entry));
                let g = problem.blocks.entry(entry);
                for (k, r) in problem.range(i).enumerate() {
                    for (m, c) in columns.clone().enumerate() {
                        self.matrix[r * n + c] = g[k * columns.len() + m] * self.scale[r] * self.scale[c];
                    }
                }
            }
        }
        for (r, (compliance, p)) in problem.compliance.iter().zip(&self.scale).enumerate() {
            self.matrix[r * n + r] += compliance * p * p;
        }
    }

    /// Row r of M into `out`, which has a number per row of (3).
    fn m_row(&self, r: usize, product: &mut Vec<f64>, out: &mut [f64]) {
        let (row, n) = (&self.rows[r], self.scale.len());
        product.clear();
        product.resize(n, 0.0);
        for k in (0..row.dim).filter(|&k| row.direction[k] != 0.0) {
            let line = &self.matrix[(row.first + k) * n..(row.first + k + 1) * n];
            product.iter_mut().zip(line).for_each(|(p, a)| *p += row.direction[k] * a);
        }
        out.iter_mut().zip(&self.rows).for_each(|(m, column)| *m = column.dot(product));
        for &(_, s, value) in self.couplings.iter().filter(|c| c.0 == r) {
            out[s] += value;
        }
    }

    /// w = q + M z + d z₀, d > 0 on all rows but free ones.
    fn fill(&mut self) {
        let n = self.rows.len();
        let (mut tableau, mut product) =
            (std::mem::take(&mut self.tableau), std::mem::take(&mut self.product));
        tableau.clear();
        tableau.resize(n * (n + 1), 0.0);
        for r in 0..n {
            let line = &mut tableau[r * (n + 1)..(r + 1) * (n + 1)];
            self.m_row(r, &mut product, &mut line[..n]);
            // Uneven numbers, so that equal contacts do not tie.
            line[n] = if self.rows[r].free { 0.0 } else { 1.0 + 0.5 * (0.618_034 * r as f64).fract() };
        }
        (self.tableau, self.product) = (tableau, product);
        let size = self.q.iter().fold(f64::MIN_POSITIVE, |m, q| m.max(q.abs()));
        self.constant.clear();
        self.constant.extend(self.q.iter().map(|q| q / size));
        self.size = size;
        self.basic.clear();
        self.basic.extend((0..n).map(Variable::W));
        self.other.clear();
        self.other.extend((0..n).map(Variable::Z).chain([Variable::Cover]));
    }

    /// Exchanges the z and w of every free row, largest pivot first; redundant rows keep λ = 0.
    fn bring_in_free_rows(&mut self) {
        let n = self.rows.len();
        loop {
            let diagonal = |r: usize| self.tableau[r * (n + 1) + r].abs();
            let open = (0..n).filter(|&r| self.rows[r].free && self.basic[r] == Variable::W(r));
            match open.max_by(|&a, &b| diagonal(a).total_cmp(&diagonal(b))) {
                Some(r) if diagonal(r) > PIVOT => self.pivot(r, r),
                _ => return,
            }
        }
    }

    /// True if the basic variable of a row has no sign.
    fn is_free(&self, row: usize) -> bool {
        match self.basic[row] {
            Variable::W(k) | Variable::Z(k) => self.rows[k].free,
            Variable::Cover => false,
        }
    }

    /// The row whose variable reaches zero first as the entering one grows; lexicographic among equals.
    fn ratio_test(&mut self) -> Option<usize> {
        let (width, column) = (self.rows.len() + 1, self.entering);
        let slope = |r: usize| -self.tableau[r * width + column];
        let mut least = f64::INFINITY;
        let mut ties = std::mem::take(&mut self.ties);
        ties.clear();
        let largest = (0..self.rows.len()).map(|r| slope(r).abs()).fold(1.0, f64::max);
        for r in (0..self.rows.len()).filter(|&r| slope(r) > PIVOT * largest && !self.is_free(r)) {
            let ratio = self.constant[r].max(0.0) / slope(r);
            let tie = TIE * (1.0 + least.min(ratio));
            if ratio < least - tie {
                ties.clear();
            }
            if ratio <= least + tie {
                ties.push(r);
                least = least.min(ratio);
            }
        }
        if let Some(cover) = ties.iter().copied().find(|&r| self.basic[r] == Variable::Cover) {
            ties.clear();
            ties.push(cover);
        }
        let steepest = ties.iter().map(|&r| slope(r)).fold(0.0, f64::max);
        ties.retain(|&r| slope(r) >= SMALL * steepest);
        // Rows of B⁻¹ over the slope: column k is that of w_k, with its sign, or a unit vector.
        let mut k = 0;
        while ties.len() > 1 && k < self.rows.len() {
            let at = self.other.iter().position(|&v| v == Variable::W(k));
            let entry = |r: usize| match at {
                Some(c) => -self.tableau[r * width + c] / slope(r),
                None if self.basic[r] == Variable::W(k) => 1.0 / slope(r),
                None => 0.0,
            };
            let least = ties.iter().map(|&r| entry(r)).fold(f64::INFINITY, f64::min);
            ties.retain(|&r| entry(r) <= least + TIE);
            k += 1;
        }
        let row = ties.first().copied();
        self.ties = ties;
        row
    }

    /// Exchanges the basic variable of a row with the one of a column.
    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.rows.len() + 1;
        let inverse = 1.0 / self.tableau[row * width + column];
        self.pivot_row.clear();
        self.pivot_row.extend(self.tableau[row * width..(row + 1) * width].iter().map(|t| -t * inverse));
        self.pivot_row[column] = inverse;
        let constant = -self.constant[row] * inverse;
        for (r, line) in self.tableau.chunks_exact_mut(width).enumerate() {
            let factor = line[column];
            if r == row || factor == 0.0 {
                continue;
            }
            line[column] = 0.0;
            line.iter_mut().zip(&self.pivot_row).for_each(|(t, p)| *t += factor * p);
            self.constant[r] += factor * constant;
        }
        self.tableau[row * width..(row + 1) * width].copy_from_slice(&self.pivot_row);
        self.constant[row] = constant;
        std::mem::swap(&mut self.basic[row], &mut self.other[column]);
    }

    /// λ from the basic z, solved for once more: M_αα z_α = −q_α.
    fn finish(&mut self, task: &Task, lambda: &mut [f64]) {
        let n = self.rows.len();
        self.active.clear();
        self.z.clear();
        self.z.resize(n, 0.0);
        for (r, variable) in self.basic.iter().enumerate() {
            if let Variable::Z(k) = *variable {
                self.active.push(k);
                self.z[k] = self.constant[r] * self.size;
            }
        }
        let mut lu = std::mem::take(&mut self.lu);
        let mut line = std::mem::take(&mut self.pivot_row);
        let mut product = std::mem::take(&mut self.product);
        lu.clear(self.active.len());
        line.resize(n, 0.0);
        // The residual of the tableau's answer is what is solved for.
        self.right.clear();
        for (at, &r) in self.active.iter().enumerate() {
            self.m_row(r, &mut product, &mut line[..n]);
            lu.row_mut(at).iter_mut().zip(&self.active).for_each(|(m, &s)| *m = line[s]);
            self.right.push(-self.q[r] - line[..n].iter().zip(&self.z).map(|(m, z)| m * z).sum::<f64>());
        }
        if lu.factor() {
            lu.solve(&mut self.right);
            if self.right.iter().all(|d| d.is_finite()) {
                self.active.iter().zip(&self.right).for_each(|(&k, d)| self.z[k] += d);
            }
        }
        (self.lu, self.pivot_row, self.product) = (lu, line, product);
        lambda.iter_mut().zip(self.offset.iter().zip(&self.scale)).for_each(|(l, (o, p))| *l = o * p);
        for (row, z) in self.rows.iter().zip(&self.z) {
            for k in 0..row.dim {
                lambda[row.first + k] += self.scale[row.first + k] * row.direction[k] * z;
            }
        }
        task.law.project_all(task.problem, lambda);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{one_contact, point};
    use stiction_contact::ContactSolver;
    use stiction_contact::SolveStatus;
    use stiction_contact::certificate::natural_map_of;

    /// A point of 2 kg pushed at 1 m/s sticks, slides along the corner nearest to the push, or leaves.
    #[test]
    fn one_contact_by_hand() {
        let corner = std::f64::consts::FRAC_PI_4;
        for (g, exact) in [
            ([0.02, 0.0, -0.1], [-0.04, 0.0, 0.2]),
            ([0.3_f64.cos(), 0.3_f64.sin(), -0.1], [-0.1, 0.0, 0.2]),
            ([0.5_f64.cos(), 0.5_f64.sin(), -0.1], [-0.1 * corner.cos(), -0.1 * corner.sin(), 0.2]),
            ([1.0, 0.0, 0.1], [0.0; 3]),
        ] {
            let problem = point(2.0, 0.5, g);
            let mut impulses = [0.0; 3];
            let report = LcpLemke::new(LcpLemkeParams::default()).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged(), "{report:?}");
            assert!(impulses.iter().zip(exact).all(|(l, e)| (l - e).abs() < 1e-14), "{impulses:?}");
            assert!(natural_map_of(&problem, &impulses, Law::Facets { facets: 8 }) < 1e-14);
        }
    }

    /// Nothing moves an approaching contact: the artificial variable leaves on a ray.
    #[test]
    fn a_ray_is_a_status() {
        let problem = one_contact([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0], [0.0, 0.0, -0.1], 0.5);
        let mut impulses = [0.0; 3];
        let report = LcpLemke::new(LcpLemkeParams::default()).unwrap().solve(&problem, &mut impulses);
        assert_eq!(report.status, SolveStatus::Stalled);
        assert!(LcpLemke::new(LcpLemkeParams { facets: 5, ..Default::default() }).is_err());
    }
}
