//! A path through the pieces of the exact law: where Newton's steps jump over pieces and come back, this goes from one
//! boundary to the next.
//!
//! Alart and Curnier's equations F(λ) = 0 are those of [`crate::finish`]: with ρ of the block's own matrix and
//! τ = λ − ρ c, a contact is open (F = λ), sticks (F = ρ c) or slides (F_N = ρ_N c_N, F_T = λ_T − μ τ_N τ_T/‖τ_T‖); they
//! are continuous, and smooth within a piece. From impulses λ₀ that nearly solve them leads a path
//!
//! ```text
//!     F(λ(t)) = (1 − t) F(λ₀),   dλ/dt = −J⁻¹ F(λ₀),   t from 0 to 1              (1)  [KojimaShindo1986], [Ralph1994]
//! ```
//!
//! It is followed to the first boundary of a piece, and goes on with the J beyond; where det J changes its sign there, t
//! runs back. Steps are short enough that no sliding contact turns far, and what they leave of (1) is put right across
//! the path.
//!
//! Hyperstatic contacts make J singular; G + ε takes its place, about λ₀. Where the gaps of four corners are not quite of
//! one plane, (1) then runs along the impulses that press the corners against each other, at nearly constant t, until
//! one opens: the piece that Newton's method does not find. The last steps are taken with ε = 0 and J of the rank it has
//! ([`Qr`]). Rounds with smaller ε follow, from where the last ended.
//!
//! Blocks are scaled by the root of their mean diagonal, so that one ε does for light and heavy bodies.
//! Cost ⅔ rows³ a step; for the few islands that nothing else solves.

mod pieces;

use crate::dense::{Lu, Qr, matrix_into};
use crate::finish::{Reached, View};
use pieces::{Local, Point, Side};

/// Islands with more rows are left alone.
pub(crate) const MOST_ROWS: usize = 300;
/// ε of the first round, its decay from round to round, and its least [–].
const EPSILON: f64 = 1e-4;
const SHARPER: f64 = 0.03;
const SHARPEST: f64 = 1e-14;
const ROUNDS: u32 = 8;
/// A sliding contact turns by this much in a step [rad].
const TURN: f64 = 0.3;
/// Corrections of a step; what may be left of (1), as a share of the way to go, and of λ.
const CORRECTIONS: u32 = 4;
const LEFT: f64 = 1e-3;
const ROUNDING: f64 = 1e-15;
/// Pivots below these shares of the largest count as none at the end, one after another.
const CUTS: [f64; 3] = [1e-9, 1e-11, 1e-13];
const LAST_STEPS: u32 = 6;
/// The next round starts from the end of this one if that is not worse than the best by more than this.
const WORSE: f64 = 1e2;

/// See the module.
#[derive(Default)]
pub(crate) struct Path {
    /// Scaled G + R, by rows.
    matrix: Vec<f64>,
    /// Scale of every row, y = scale λ.
    scale: Vec<f64>,
    locals: Vec<Local>,
    sides: Vec<Side>,
    epsilon: f64,
    /// Scaled impulses, where ε holds them, and their velocities with ε.
    y: Vec<f64>,
    reference: Vec<f64>,
    c: Vec<f64>,
    /// F at the start of the round, what is left of (1), dλ/dt and its velocities.
    start: Vec<f64>,
    left: Vec<f64>,
    rate: Vec<f64>,
    rate_c: Vec<f64>,
    lu: Lu,
    qr: Qr,
    /// Of a candidate.
    lambda: Vec<f64>,
    velocities: Vec<f64>,
    best: Vec<f64>,
}

impl Path {
    /// Replaces `lambda` by the best impulses met on the way from there.
    pub(crate) fn solve(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
    ) -> Reached {
        self.prepare(view);
        self.y.clear();
        self.y.extend(lambda.iter().zip(&self.scale).map(|(l, s)| l * s));
        let mut reached = Reached { residual: self.measure(view), steps: 0 };
        self.epsilon = EPSILON;
        for _ in 0..ROUNDS {
            let before = reached.steps;
            let end = self.round(view, lambda, tolerance, max_steps, &mut reached);
            if reached.residual <= tolerance || reached.steps >= max_steps || reached.steps == before {
                break;
            }
            if !(end <= WORSE * reached.residual) {
                self.y.clear();
                self.y.extend(lambda.iter().zip(&self.scale).map(|(l, s)| l * s));
            }
            self.epsilon = (SHARPER * self.epsilon).max(SHARPEST);
        }
        reached
    }

    /// Scales the problem.
    fn prepare(&mut self, view: &View) {
        let problem = view.problem;
        let n = problem.rows();
        matrix_into(problem, &mut self.matrix);
        self.scale.clear();
        for i in 0..problem.len() {
            let rows = problem.range(i);
            let mean = rows.clone().map(|r| self.matrix[r * (n + 1)]).sum::<f64>() / rows.len() as f64;
            let scale = if mean > 0.0 { mean.sqrt() } else { 1.0 };
            self.scale.extend(rows.map(|_| scale));
        }
        for (row, &s) in self.matrix.chunks_exact_mut(n.max(1)).zip(&self.scale) {
            row.iter_mut().zip(&self.scale).for_each(|(a, t)| *a /= s * t);
        }
        self.locals.clear();
        for (i, &cone) in problem.cones().iter().enumerate() {
            let mut diagonal = [0.0; 3];
            for (d, r) in diagonal.iter_mut().zip(problem.range(i)) {
                *d = self.matrix[r * (n + 1)];
            }
            self.locals.push(Local::new(cone, diagonal));
        }
    }

    /// The residual of the present impulses.
    fn measure(&mut self, view: &View) -> f64 {
        self.lambda.clear();
        self.lambda.extend(self.y.iter().zip(&self.scale).map(|(y, s)| y / s));
        view.problem.velocities_into(&self.lambda, &mut self.velocities);
        view.residual(&self.lambda, &self.velocities)
    }

    /// The same; keeps the impulses in `lambda` if they are the best yet, and not so large that rounding hides what they
    /// do: a path may run to infinity.
    fn offer(&mut self, view: &View, lambda: &mut [f64], tolerance: f64, reached: &mut Reached) -> f64 {
        let e = self.measure(view);
        if e < reached.residual {
            if self.rounding() > tolerance {
                return f64::INFINITY;
            }
            reached.residual = e;
            lambda.copy_from_slice(&self.lambda);
        }
        e
    }

    /// u ‖|G + R| |λ|‖ [m/s].
    fn rounding(&self) -> f64 {
        let size = |row: &[f64]| row.iter().zip(&self.y).map(|(a, y)| (a * y).abs()).sum::<f64>();
        let rows = self.matrix.chunks_exact(self.y.len().max(1)).zip(&self.scale);
        f64::EPSILON * rows.map(|(row, s)| (s * size(row)).powi(2)).sum::<f64>().sqrt()
    }

    /// From the present impulses to the end of a path, or as far as it leads; the residual there.
    fn round(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
        reached: &mut Reached,
    ) -> f64 {
        let problem = view.problem;
        self.reference.clone_from(&self.y);
        self.update(view);
        self.sides.clear();
        for (i, local) in self.locals.iter().enumerate() {
            self.sides.push(local.side(point(&self.y, &self.c, problem.range(i))));
        }
        let mut start = std::mem::take(&mut self.start);
        self.values_into(view, &mut start);
        self.start = start;
        let size = norm(&self.start);
        let (mut t, mut corrections) = (0.0, 0);
        let mut orientation = None;
        while reached.steps < max_steps {
            reached.steps += 1;
            if !self.factor(view) {
                return f64::NAN;
            }
            // What is left of (1) …
            let mut left = std::mem::take(&mut self.left);
            self.values_into(view, &mut left);
            left.iter_mut().zip(&self.start).for_each(|(l, f)| *l -= (1.0 - t) * f);
            let error = norm(&left);
            self.lu.solve(&mut left);
            self.left = left;
            self.rate.clear();
            self.rate.extend(self.start.iter().map(|f| -f));
            self.lu.solve(&mut self.rate);
            if self.rate.iter().chain(&self.left).any(|x| !x.is_finite()) {
                return f64::NAN;
            }
            // … is put right across it.
            let enough = LEFT * (1.0_f64 - t).abs() * size + ROUNDING * norm(&self.y);
            if error > enough && corrections < CORRECTIONS {
                corrections += 1;
                let square: f64 = self.rate.iter().map(|r| r * r).sum();
                let along: f64 = self.left.iter().zip(&self.rate).map(|(l, r)| l * r).sum();
                let back = if square > 0.0 { 0.5 * along / square } else { 0.0 };
                t += back;
                for ((y, l), r) in self.y.iter_mut().zip(&self.left).zip(&self.rate) {
                    *y += back * r - l;
                }
                self.update(view);
                continue;
            }
            corrections = 0;
            let reversed = self.lu.reverses();
            let sense = if *orientation.get_or_insert(reversed) == reversed { 1.0 } else { -1.0 };
            self.rate.iter_mut().for_each(|r| *r *= sense);
            let (length, crossed) = self.length(view, if sense > 0.0 { 1.0 - t } else { f64::INFINITY });
            if !length.is_finite() {
                return f64::NAN; // the path has no end
            }
            self.y.iter_mut().zip(&self.rate).for_each(|(y, r)| *y += length * r);
            t += sense * length;
            if let Some((i, beyond)) = crossed {
                self.sides[i] = beyond;
            }
            self.update(view);
            let e = self.offer(view, lambda, tolerance, reached);
            if e <= tolerance {
                return e;
            }
            if crossed.is_none() && t >= 1.0 {
                return self.end(view, lambda, tolerance, max_steps, reached);
            }
        }
        f64::NAN
    }

    /// How far the path may go at the present rate, `end` at most, and the block that ends its piece there.
    fn length(&mut self, view: &View, end: f64) -> (f64, Option<(usize, Side)>) {
        let mut rate_c = std::mem::take(&mut self.rate_c);
        self.multiply_into(&self.rate, &mut rate_c);
        rate_c.iter_mut().zip(&self.rate).for_each(|(c, r)| *c += self.epsilon * r);
        self.rate_c = rate_c;
        let mut length = end.max(0.0);
        let (mut crossed, mut turn) = (None, 0.0_f64);
        for (i, (local, &side)) in self.locals.iter().zip(&self.sides).enumerate() {
            let rows = view.problem.range(i);
            let (at, rate) = (point(&self.y, &self.c, rows.clone()), point(&self.rate, &self.rate_c, rows));
            if let Some((x, beyond)) = local.crossing(side, at, rate)
                && x < length
            {
                (length, crossed) = (x, Some((i, beyond)));
            }
            if side == Side::Slide {
                turn = turn.max(local.turn(at, rate));
            }
        }
        if turn * length > TURN { (TURN / turn, None) } else { (length, crossed) }
    }

    /// Newton's method on the last piece, with the rank its J has; the residual reached.
    fn end(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
        reached: &mut Reached,
    ) -> f64 {
        let epsilon = std::mem::replace(&mut self.epsilon, 0.0);
        let mut nearest = f64::INFINITY;
        self.best.clone_from(&self.y);
        'cuts: for cut in CUTS {
            self.y.clone_from(&self.best);
            let mut last = nearest;
            for step in 0..LAST_STEPS {
                if reached.steps >= max_steps {
                    break 'cuts;
                }
                reached.steps += 1;
                self.update(view);
                let mut left = std::mem::take(&mut self.left);
                self.values_into(view, &mut left);
                self.factor_by_rank(view);
                self.qr.solve(cut, &mut left);
                self.left = left;
                self.y.iter_mut().zip(&self.left).for_each(|(y, d)| *y -= d);
                let e = self.offer(view, lambda, tolerance, reached);
                if e < nearest {
                    nearest = e;
                    self.best.clone_from(&self.y);
                }
                if e <= tolerance {
                    break 'cuts;
                }
                if !e.is_finite() || (step > 0 && e > 0.5 * last) {
                    break;
                }
                last = e;
            }
        }
        self.y.clone_from(&self.best);
        self.epsilon = epsilon;
        nearest
    }

    /// Scaled velocities, with what ε adds.
    fn update(&mut self, view: &View) {
        let mut c = std::mem::take(&mut self.c);
        self.multiply_into(&self.y, &mut c);
        for (r, c) in c.iter_mut().enumerate() {
            *c += view.problem.free_velocity[r] / self.scale[r]
                + self.epsilon * (self.y[r] - self.reference[r]);
        }
        self.c = c;
    }

    fn multiply_into(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        let dot = |row: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        out.extend(self.matrix.chunks_exact(x.len().max(1)).map(dot));
    }

    /// F on the present pieces.
    fn values_into(&self, view: &View, out: &mut Vec<f64>) {
        out.clear();
        for (i, (local, &side)) in self.locals.iter().zip(&self.sides).enumerate() {
            let rows = view.problem.range(i);
            let value = local.value(side, point(&self.y, &self.c, rows.clone()));
            out.extend_from_slice(&value[..rows.len()]);
        }
    }

    /// J with ε; false if it is singular.
    fn factor(&mut self, view: &View) -> bool {
        let n = self.y.len();
        let mut lu = std::mem::take(&mut self.lu);
        lu.clear(n);
        self.write(view, |row, column, x| lu.row_mut(row)[column] += x);
        self.lu = lu;
        self.lu.factor()
    }

    /// J without it.
    fn factor_by_rank(&mut self, view: &View) {
        let mut qr = std::mem::take(&mut self.qr);
        qr.clear(self.y.len());
        self.write(view, |row, column, x| *qr.entry(row, column) += x);
        self.qr = qr;
        self.qr.factor();
    }

    /// The entries of J, some in two parts.
    fn write(&self, view: &View, mut add: impl FnMut(usize, usize, f64)) {
        let n = self.y.len();
        for (i, (local, &side)) in self.locals.iter().zip(&self.sides).enumerate() {
            let rows = view.problem.range(i);
            let slope = local.slope(side, point(&self.y, &self.c, rows.clone()));
            for (k, row) in rows.clone().enumerate() {
                for (m, column) in rows.clone().enumerate() {
                    add(row, column, slope.own[k][m] + self.epsilon * slope.left[k][m]);
                    let weight = slope.left[k][m];
                    if weight != 0.0 {
                        let from = &self.matrix[column * n..(column + 1) * n];
                        from.iter().enumerate().for_each(|(c, a)| add(row, c, weight * a));
                    }
                }
            }
        }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn point(l: &[f64], c: &[f64], rows: std::ops::Range<usize>) -> Point {
    let mut p = Point { l: [0.0; 3], c: [0.0; 3] };
    for (k, r) in rows.enumerate().take(3) {
        (p.l[k], p.c[k]) = (l[r], c[r]);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::{Auto, AutoParams};
    use crate::measure::Measure;
    use crate::sweep::blocks_into;
    use crate::testing::{ConstraintProblem, dragged, slope};
    use stiction_contact::certificate::certify;
    use stiction_contact::{ContactSolver, Law};

    /// The gaps of the four corners of a cube, no longer of one plane: up and down around the face.
    fn twisted(mut problem: ConstraintProblem, by: f64) -> ConstraintProblem {
        let mut c = Vec::new();
        let mut motion = |signs: [f64; 4]| {
            let mut x = vec![0.0; 12];
            (0..4).for_each(|i| x[3 * i + 2] = signs[i]);
            problem.delassus_mul_into(&x, &mut c);
            norm(&c)
        };
        let patterns = [[1.0, -1.0, -1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]];
        let signs = patterns.into_iter().min_by(|a, b| motion(*a).total_cmp(&motion(*b))).unwrap();
        assert!(motion(signs) < 1e-12, "no impulses that move nothing");
        (0..4).for_each(|i| problem.free_velocity[3 * i + 2] += by * signs[i]);
        problem
    }

    fn answer(problem: &ConstraintProblem) -> Vec<f64> {
        let mut lambda = vec![0.0; problem.rows()];
        assert!(Auto::new(AutoParams::default()).unwrap().solve(problem, &mut lambda).converged());
        lambda
    }

    /// Impulses of four corners do not put a twist right: from the answer without it, the path leads to where one of
    /// them is open, whether they slide or stick.
    #[test]
    fn a_corner_opens_where_gaps_are_not_of_one_plane() {
        for (plane, by) in [(dragged(0.4, 0.5), 1e-6), (dragged(0.4, 0.5), -1e-5), (slope(0.3, 0.5), 1e-7)] {
            let mut lambda = answer(&plane);
            let problem = twisted(plane, by);
            assert!(certify(&problem, &lambda).natural_map > 0.1 * by.abs());
            let (mut measure, mut blocks) = (Measure::default(), Vec::new());
            measure.prepare(&problem);
            blocks_into(&problem, &measure, &mut blocks);
            let view = View { problem: &problem, blocks: &blocks, measure: &measure, law: Law::Ncp };
            let reached = Path::default().solve(&view, &mut lambda, 1e-12, 100);
            assert!(reached.residual <= 1e-12 && reached.steps < 40, "{reached:?}");
            assert!(certify(&problem, &lambda).natural_map <= 1e-12);
            assert_eq!(lambda.chunks(3).filter(|l| l[2] < 1e-15).count(), 1, "{lambda:?}");
        }
    }
}
