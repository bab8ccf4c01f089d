//! Blocks that hang together, as dense matrices: (3) of the parent module.

use super::pieces::Piece;
use crate::dense::{Cholesky, Lu, dot};
use stiction_contact::{Cone, ConstraintProblem};
use stiction_dynamics::lanes;

/// δ of (3), of rows scaled to length one [–], and how often it is solved.
const DAMPING: f64 = 1e-10;
const REFINEMENTS: usize = 6;
/// The share of b at which no more are needed [–].
const ENOUGH: f64 = 1e-11;
/// The share of b that (3) may leave [–].
const LEFT: f64 = 1e-6;

/// The least pivot of a C, its rows scaled by their largest number, that has an inverse [–].
const REGULAR: f64 = 1e-4;

/// Whether the impulses found are the only ones with their pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unique {
    Yes,
    No,
}

/// A component at hand: its matrices, and room to solve in.
#[derive(Default)]
pub(super) struct Component {
    /// Rows of the component, those of block k from start[k].
    start: Vec<usize>,
    cones: Vec<Cone>,
    /// A = G + R of these rows, by rows, and g.
    a: Vec<f64>,
    g: Vec<f64>,
    /// λ of these rows: what is given, and what is found.
    lambda: Vec<f64>,
    /// C by rows, its rows scaled to length one, and b.
    c: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    left: Vec<f64>,
    square: Vec<f64>,
    cholesky: Cholesky,
    lu: Lu,
    /// Free impulses, as columns, each of a block and what of it, and rows of A.
    columns: Vec<(usize, [f64; 3])>,
    rows: Vec<usize>,
}

/// The component of every block, by its first block: blocks that share an entry of G hang together. `first` is scratch.
pub(super) fn find(problem: &ConstraintProblem, root: &mut Vec<usize>, first: &mut Vec<usize>) {
    root.clear();
    root.extend(0..problem.len());
    let top = |root: &mut Vec<usize>, mut i: usize| {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    };
    let join = |root: &mut Vec<usize>, i: usize, j: usize| {
        let (a, b) = (top(root, i), top(root, j));
        root[a.max(b)] = a.min(b);
    };
    if problem.delassus_factor.len() == problem.len() && !problem.is_empty() {
        first.clear();
        first.resize(problem.delassus_factor.trees(), usize::MAX);
        for i in 0..problem.len() {
            for tree in problem.delassus_factor.trees_of(i) {
                match first[tree] {
                    usize::MAX => first[tree] = i,
                    j => join(root, i, j),
                }
            }
        }
    } else {
        for i in 0..problem.len() {
            for k in problem.blocks.entries(i) {
                if problem.blocks.entry(k).iter().any(|g| *g != 0.0) {
                    join(root, i, problem.blocks.column_of(k));
                }
            }
        }
    }
    for i in 0..root.len() {
        root[i] = top(root, i);
    }
}

impl Component {
    /// A, g and the cones of `blocks`.
    pub(super) fn take(&mut self, problem: &ConstraintProblem, blocks: &[usize]) {
        let Self { start, cones, a, g, .. } = self;
        start.clear();
        start.push(0);
        cones.clear();
        g.clear();
        for &i in blocks {
            cones.push(problem.cone(i));
            g.extend_from_slice(&problem.free_velocity[problem.range(i)]);
            start.push(g.len());
        }
        let n = g.len();
        a.clear();
        a.resize(n * n, 0.0);
        let factor = &problem.delassus_factor;
        if factor.len() == problem.len() {
            for (k, &i) in blocks.iter().enumerate() {
                for (l, &j) in blocks.iter().enumerate().skip(k) {
                    let dims = [start[k + 1] - start[k], start[l + 1] - start[l]];
                    let block = &mut [0.0; 9][..dims[0] * dims[1]];
                    factor.product_into(i, j, dims, block);
                    for (r, row) in block.chunks_exact(dims[1]).enumerate() {
                        for (c, value) in row.iter().enumerate() {
                            a[(start[k] + r) * n + start[l] + c] = *value;
                            a[(start[l] + c) * n + start[k] + r] = *value;
                        }
                    }
                }
            }
        } else {
            for (k, &i) in blocks.iter().enumerate() {
                for e in problem.blocks.entries(i) {
                    let Ok(l) = blocks.binary_search(&problem.blocks.column_of(e)) else { continue };
                    let width = start[l + 1] - start[l];
                    for (place, values) in problem.blocks.entry(e).chunks_exact(width).enumerate() {
                        let to = (start[k] + place) * n + start[l];
                        a[to..to + width].copy_from_slice(values);
                    }
                }
            }
        }
        for (k, &i) in blocks.iter().enumerate() {
            for (row, r) in (start[k]..start[k + 1]).zip(&problem.compliance[problem.range(i)]) {
                a[row * n + row] += r;
            }
        }
    }

    /// λ of (2) for these pieces, and whether it is the only one. `impulses` are those of the whole problem, whose given ones
    /// stay.
    pub(super) fn solve(
        &mut self,
        pieces: &[Piece],
        given: &[f64],
        blocks: &[usize],
        problem: &ConstraintProblem,
    ) -> Option<Unique> {
        let n = self.g.len();
        self.lambda.clear();
        self.lambda.resize(n, 0.0);
        for ((k, piece), &i) in pieces.iter().enumerate().zip(blocks) {
            let opens = self.cones[k].dim() == 3;
            if *piece == Piece::Given && !opens {
                self.lambda[self.start[k]..self.start[k + 1]].copy_from_slice(&given[problem.range(i)]);
            }
        }
        self.find_unknowns(pieces);
        if self.rows.is_empty() {
            return None;
        }
        lanes::plain(
            #[inline(always)]
            || self.write_equations(),
        );
        let unique = self.factor();
        match unique {
            Unique::Yes => {
                self.x.clone_from(&self.b);
                self.lu.solve_at_once(&mut self.x);
            }
            Unique::No => {
                let found = lanes::plain(
                    #[inline(always)]
                    || self.solve_smallest(),
                );
                found?;
            }
        }
        let Self { start, lambda, c, b, x, columns, rows, .. } = self;
        let m = rows.len();
        let size = dot(b, b).sqrt();
        let missing =
            c.chunks_exact(m).zip(&*b).map(|(row, b)| (b - dot(row, x)).powi(2)).sum::<f64>().sqrt();
        for ((k, unit), x) in columns.iter().zip(&*x) {
            let length = unit.iter().map(|u| u * u).sum::<f64>().sqrt();
            let here = &mut lambda[start[*k]..start[*k + 1]];
            here.iter_mut().zip(unit).for_each(|(l, u)| *l += x * u / length);
        }
        (missing <= LEFT * size && lambda.iter().all(|l| l.is_finite())).then_some(unique)
    }

    /// The free impulses of these pieces, and the velocities that vanish.
    fn find_unknowns(&mut self, pieces: &[Piece]) {
        let Self { start, columns, rows, .. } = self;
        columns.clear();
        rows.clear();
        for (k, piece) in pieces.iter().enumerate() {
            let here = start[k]..start[k + 1];
            match *piece {
                Piece::Given => {}
                Piece::Sticks => {
                    for (place, row) in here.clone().enumerate() {
                        let mut unit = [0.0; 3];
                        unit[place] = 1.0;
                        columns.push((k, unit));
                        rows.push(row);
                    }
                }
                Piece::Slides { friction: [x, y], .. } => {
                    columns.push((k, [x, y, 1.0]));
                    rows.push(here.start + 2);
                }
            }
        }
    }

    /// C, its rows scaled to length one, and b.
    #[inline(always)]
    fn write_equations(&mut self) {
        let Self { start, a, g, lambda, c, b, columns, rows, .. } = self;
        let (n, m) = (g.len(), rows.len());
        c.clear();
        b.clear();
        for &row in &*rows {
            let whole = &a[row * n..(row + 1) * n];
            b.push(-(g[row] + dot(whole, lambda)));
            // A sliding block's column is as long as its impulse.
            c.extend(columns.iter().map(|(k, unit)| {
                let here = &whole[start[*k]..start[*k + 1]];
                let length = unit.iter().map(|u| u * u).sum::<f64>().sqrt();
                here.iter().zip(unit).map(|(a, u)| a * u).sum::<f64>() / length
            }));
        }
        for (row, b) in c.chunks_exact_mut(m).zip(&mut *b) {
            let length = dot(row, row).sqrt();
            if length > 0.0 {
                row.iter_mut().for_each(|c| *c /= length);
                *b /= length;
            }
        }
    }

    /// Factors C; whether it has an inverse.
    fn factor(&mut self) -> Unique {
        let Self { c, rows, lu, .. } = self;
        lu.clear(rows.len());
        c.chunks_exact(rows.len()).enumerate().for_each(|(i, row)| lu.row_mut(i).copy_from_slice(row));
        if lu.factor() && lu.least_pivot() > REGULAR { Unique::Yes } else { Unique::No }
    }

    /// (3) into x; `None` if numbers stop being any.
    #[inline(always)]
    fn solve_smallest(&mut self) -> Option<()> {
        let Self { c, b, x, y, left, square, cholesky, rows, .. } = self;
        let m = rows.len();
        square.clear();
        square.resize(m * m, 0.0);
        for i in 0..m {
            for j in i..m {
                square[i * m + j] = dot(&c[i * m..(i + 1) * m], &c[j * m..(j + 1) * m]);
            }
        }
        cholesky.set(m, square);
        cholesky.add_diagonal(std::iter::repeat_n(DAMPING, m));
        if !cholesky.factor() {
            return None;
        }
        x.clear();
        x.resize(m, 0.0);
        let size = dot(b, b).sqrt();
        for _ in 0..REFINEMENTS {
            left.clear();
            left.extend(c.chunks_exact(m).zip(&*b).map(|(row, b)| b - dot(row, x)));
            if dot(left, left) <= (ENOUGH * size).powi(2) {
                break;
            }
            y.clone_from(left);
            cholesky.solve(y);
            for (row, y) in c.chunks_exact(m).zip(&*y) {
                x.iter_mut().zip(row).for_each(|(x, c)| *x += y * c);
            }
        }
        Some(())
    }

    /// The mobility of block k along its tangents, the larger of its rows [1/kg].
    pub(super) fn tangential(&self, k: usize) -> f64 {
        let (n, row) = (self.g.len(), self.start[k]);
        self.a[row * n + row].max(self.a[(row + 1) * n + row + 1])
    }

    /// True if the contact of block k pulls, by more than this share of the largest impulse.
    pub(super) fn pulls(&self, k: usize, share: f64) -> bool {
        let largest = self.lambda.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        matches!(self.cones[k], Cone::Friction { .. }) && self.lambda[self.start[k] + 2] < -share * largest
    }

    /// True if the contact of some block does.
    pub(super) fn any_pulls(&self, share: f64) -> bool {
        (0..self.cones.len()).any(|k| self.pulls(k, share))
    }

    /// The way block k slides if its impulses hold but leave their cone by more than this share of them.
    pub(super) fn leaves(&self, k: usize, share: f64) -> Option<Piece> {
        let Cone::Friction { mu } = self.cones[k] else { return None };
        let &[x, y, n] = &self.lambda[self.start[k]..self.start[k + 1]] else { return None };
        let (t, size) = (x.hypot(y), x.hypot(y).hypot(n));
        (t > mu * n + share * size).then(|| {
            let friction = if t > 0.0 { [mu * x / t, mu * y / t] } else { [0.0; 2] };
            Piece::Slides { mu, friction }
        })
    }

    /// The impulses found, onto their sets, into those of the whole problem.
    pub(super) fn write(&self, problem: &ConstraintProblem, blocks: &[usize], out: &mut [f64]) {
        for (k, &i) in blocks.iter().enumerate() {
            let rows = &mut out[problem.range(i)];
            rows.copy_from_slice(&self.lambda[self.start[k]..self.start[k + 1]]);
            problem.cone(i).project(rows);
        }
    }
}
