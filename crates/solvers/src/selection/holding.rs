//! What would hold all that touches: (1) of the parent module, asked of the problem alone and before any search.
//!
//! The smallest impulses under which nothing that is closed moves,
//!
//! ```text
//!     min ‖λ‖  such that  (A λ + g)_S = 0,  λ = 0 elsewhere,      A = G + R                  (1)
//! ```
//!
//! from λ = 0, by steps in the range of A, which leave alone what no impulses can mend:
//!
//! ```text
//!     λ ← λ − S A_SS S (A λ + g)_S,     S = (A_SS + ε)⁻¹                                       (2)
//! ```
//!
//! S is what closes by itself, without what pulls and with what would overlap, found in a few rounds; rows at a side of their
//! box leave it. Where these leave their cones though others need not, they are led there by turns onto the cones and onto
//! (1) [Boyle1986]. If the natural map of the exact law then says so, this is an answer. One factorisation a round: in the velocities of trees where that pays ([`crate::trees`]), else by rows.
//!
//! Units: λ [N·s], c and g [m/s], A [1/kg].

use super::{ALL, OUTSIDE, STOPS};
use crate::dense::{Cholesky, STRIP, matrix_into, whole_into};
use crate::residual::StoppingResidual;
use crate::trees::{Equation, TreeSystem, knows_all};
use stiction_contact::cone::tangential;
use stiction_contact::{Cone, ConstraintProblem, Law};
use stiction_dynamics::lanes;

/// Contacts that open no faster than this share of the fastest row of g may be closed [–].
const SLOW: f64 = 1e-6;
/// However little is asked for, what holds leaves no more, and what opens faster is open [m/s].
const CLOSED: f64 = 1e-8;
/// Rounds of S.
const ROUNDS: usize = 4;
/// ε as a share of the largest ‖A_ii‖ [–].
const DAMPING: f64 = 1e-9;
/// Turns onto the cones, at most, while what is outside falls to this share; onto cones so much narrower, and by so many
/// times the way there [–].
const PROJECTIONS: usize = 40;
const FALLS: f64 = 0.85;
const WITHIN: f64 = 0.998;
const BEYOND: f64 = 1.6;
/// (2) is repeated at most so often, while it takes away this share of what is left [–], …
const REPEATS: usize = 8;
const GAIN: f64 = 0.3;
/// … down to this share of g, or of the tolerance [–].
const ENOUGH: [f64; 2] = [1e-15, 1e-6];
/// Rows of an island that is solved by rows.
const MOST_ROWS: usize = 600;

/// Where a block is in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In S.
    Holds,
    /// A contact or a limit that is open.
    Open,
    /// At a side of its box.
    Bound,
}

/// Room for the question; holds during one.
#[derive(Default)]
pub(crate) struct Holding {
    places: Vec<Place>,
    lambda: Vec<f64>,
    c: Vec<f64>,
    step: Vec<f64>,
    product: Vec<f64>,
    system: TreeSystem,
    /// A by rows of so many numbers, where the system of trees does not pay.
    a: Vec<f64>,
    width: usize,
    columns: Vec<[f64; STRIP]>,
    /// Rows in S, and A_SS.
    rows: Vec<usize>,
    part: Vec<f64>,
    cholesky: Cholesky,
}

impl Holding {
    /// Leaves impulses in `impulses` that hold all that touches and returns their natural map, at most `tolerance` [m/s];
    /// `None`, and `impulses` as they were, where there are none. The problem is one island.
    pub(crate) fn hold(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        tolerance: f64,
        impulses: &mut [f64],
    ) -> Option<f64> {
        let tolerance = tolerance.min(CLOSED);
        if !self.touches(problem, tolerance) {
            return None;
        }
        let by_trees = TreeSystem::pays(problem);
        if !by_trees && !self.take_rows(problem) {
            return None;
        }
        for round in 0..ROUNDS {
            let epsilon = DAMPING * stopping.norms.iter().fold(0.0_f64, |m, n| m.max(*n));
            let factored = if by_trees {
                self.factor_trees(problem, epsilon, round == 0)
            } else {
                self.factor_rows(problem, epsilon)
            };
            if !factored || !self.solve(problem, by_trees, tolerance) {
                return None;
            }
            if self.changes(problem, tolerance) {
                continue;
            }
            if !self.take_noise(problem, by_trees, tolerance)
                || !self.lead_inside(problem, by_trees, tolerance)
            {
                return None;
            }
            problem.velocities_into(&self.lambda, &mut self.c);
            let e = stopping.residual(problem, Law::Ncp, &self.lambda, &self.c);
            if !(e <= tolerance) {
                return None;
            }
            impulses.copy_from_slice(&self.lambda);
            return Some(e);
        }
        None
    }

    /// True if some contact that is pressed by `impulses` has all the friction that its cone allows: it may slide.
    pub(crate) fn slides(problem: &ConstraintProblem, impulses: &[f64]) -> bool {
        problem.cones().iter().enumerate().any(|(i, cone)| {
            let (Cone::Friction { mu } | Cone::Patch { mu, .. }) = *cone else { return false };
            let rows = &impulses[problem.range(i)];
            mu > 0.0 && rows[2] > 0.0 && tangential(rows) >= ALL * mu * rows[2]
        })
    }

    /// True if some contact that is pressed by `impulses` slips so fast, c [m/s], that [`STOPS`] times all friction they allow would
    /// not stop it: then it is not worth asking.
    pub(crate) fn hopeless(
        &self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        impulses: &[f64],
        c: &[f64],
    ) -> bool {
        let pressed = || {
            problem.cones().iter().enumerate().filter_map(|(i, cone)| {
                let (Cone::Friction { mu } | Cone::Patch { mu, .. }) = *cone else { return None };
                let rows = problem.range(i);
                let normal = impulses[rows.start + 2];
                (mu * normal > 0.0).then_some((i, rows.start, mu * normal))
            })
        };
        let friction: f64 = pressed().map(|p| p.2).sum();
        pressed().any(|(i, first, _)| c[first].hypot(c[first + 1]) > STOPS * friction * stopping.norms[i])
    }

    /// S of the first round; false if no contact with friction is in it.
    fn touches(&mut self, problem: &ConstraintProblem, tolerance: f64) -> bool {
        let fastest = problem.free_velocity.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        let slow = (SLOW * fastest).max(tolerance);
        let mut any = false;
        self.places.clear();
        self.places.extend(problem.cones().iter().enumerate().map(|(i, cone)| {
            let closed =
                !cone.opens() || problem.free_velocity[problem.range(i).start + cone.normal()] <= slow;
            any |= closed && matches!(cone, Cone::Friction { mu } | Cone::Patch { mu, .. } if *mu > 0.0);
            if closed { Place::Holds } else { Place::Open }
        }));
        any
    }

    /// A by rows; false where that is too much.
    fn take_rows(&mut self, problem: &ConstraintProblem) -> bool {
        if problem.rows() > MOST_ROWS {
            return false;
        }
        if knows_all(problem) {
            let Self { columns, a, .. } = self;
            lanes::plain(
                #[inline(always)]
                || whole_into(problem, columns, a),
            );
            self.width = STRIP * problem.rows().div_ceil(STRIP);
            let width = self.width;
            for (r, compliance) in problem.compliance.iter().enumerate() {
                self.a[r * width + r] += compliance;
            }
            return true;
        }
        if problem.blocks_formed() {
            matrix_into(problem, &mut self.a);
            self.width = problem.rows();
        }
        problem.blocks_formed()
    }

    /// The rows of block i that are unknowns if it is in S: of a contact without friction its normal alone.
    fn unknowns(cone: Cone) -> std::ops::Range<usize> {
        match cone {
            Cone::Friction { mu } | Cone::Patch { mu, .. } if mu == 0.0 => 2..3,
            cone => 0..cone.dim(),
        }
    }

    fn factor_trees(&mut self, problem: &ConstraintProblem, epsilon: f64, first: bool) -> bool {
        let Self { places, system, .. } = self;
        if first {
            system.take(&problem.delassus_factor);
        }
        let equations = places.iter().enumerate().map(|(i, place)| {
            if *place != Place::Holds {
                return None;
            }
            let cone = problem.cone(i);
            let (unknown, first) = (Self::unknowns(cone), problem.range(i).start);
            let (mut left, mut own) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
            for k in 0..3 {
                own[k][k] = if unknown.contains(&k) { epsilon + problem.compliance[first + k] } else { 1.0 };
                left[k][k] = if unknown.contains(&k) { 1.0 } else { 0.0 };
            }
            Some(Equation { left, own })
        });
        system.factor(equations)
    }

    fn factor_rows(&mut self, problem: &ConstraintProblem, epsilon: f64) -> bool {
        let Self { places, rows, a, width, part, cholesky, .. } = self;
        rows.clear();
        for (i, _) in places.iter().enumerate().filter(|p| *p.1 == Place::Holds) {
            let first = problem.range(i).start;
            rows.extend(Self::unknowns(problem.cone(i)).map(|k| first + k));
        }
        part.clear();
        for &r in &*rows {
            let row = &a[r * *width..(r + 1) * *width];
            part.extend(rows.iter().map(|&c| row[c]));
        }
        cholesky.set(rows.len(), part);
        cholesky.add_diagonal(std::iter::repeat_n(epsilon, rows.len()));
        cholesky.factor()
    }

    /// (2) from no impulses; false if it does not come to an end. What is at a side of its box stays there.
    fn solve(&mut self, problem: &ConstraintProblem, by_trees: bool, tolerance: f64) -> bool {
        self.lambda.resize(problem.rows(), 0.0);
        for (i, _) in self.places.iter().enumerate().filter(|p| *p.1 != Place::Bound) {
            self.lambda[problem.range(i)].fill(0.0);
        }
        self.correct(problem, by_trees, tolerance)
    }

    /// Takes off what rounding has left outside of the range of A, some u/ε of the impulses, by A S: of what is in the range that
    /// leaves all but ε, and (2) puts it back. False if that does not come to an end.
    fn take_noise(&mut self, problem: &ConstraintProblem, by_trees: bool, tolerance: f64) -> bool {
        self.step.clone_from(&self.lambda);
        self.keep_unknowns(problem);
        self.shrink(problem, by_trees);
        self.multiply(problem);
        for (i, _) in self.places.iter().enumerate().filter(|p| *p.1 == Place::Holds) {
            let rows = problem.range(i);
            self.lambda[rows.clone()].copy_from_slice(&self.step[rows]);
        }
        self.correct(problem, by_trees, tolerance)
    }

    /// The step times A_SS.
    fn multiply(&mut self, problem: &ConstraintProblem) {
        problem.delassus_mul_into(&self.step, &mut self.product);
        for ((step, product), r) in self.step.iter_mut().zip(&self.product).zip(&problem.compliance) {
            *step = product + r * *step;
        }
        self.keep_unknowns(problem);
    }

    /// (2), until what it can take away is gone; false if it does not come to an end.
    fn correct(&mut self, problem: &ConstraintProblem, by_trees: bool, tolerance: f64) -> bool {
        let mut before = f64::INFINITY;
        for _ in 0..=REPEATS {
            problem.velocities_into(&self.lambda, &mut self.c);
            self.step.clear();
            self.step.extend(self.c.iter().map(|c| -c));
            self.keep_unknowns(problem);
            self.shrink(problem, by_trees);
            // Of what is left only the part that impulses can take away: A (A + ε)⁻¹.
            self.multiply(problem);
            let left = self.step.iter().map(|x| x * x).sum::<f64>().sqrt();
            let size = problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
            if !left.is_finite() {
                return false;
            }
            if left <= (ENOUGH[0] * size).max(ENOUGH[1] * tolerance) {
                return true;
            }
            if !(left <= GAIN * before) {
                return left <= tolerance;
            }
            before = left;
            self.shrink(problem, by_trees);
            self.lambda.iter_mut().zip(&self.step).for_each(|(l, d)| *l += d);
        }
        before <= tolerance
    }

    /// Leaves of the step what is an unknown of S.
    fn keep_unknowns(&mut self, problem: &ConstraintProblem) {
        for (i, place) in self.places.iter().enumerate() {
            let unknown = if *place == Place::Holds { Self::unknowns(problem.cone(i)) } else { 0..0 };
            let rows = &mut self.step[problem.range(i)];
            rows.iter_mut().enumerate().filter(|(k, _)| !unknown.contains(k)).for_each(|(_, x)| *x = 0.0);
        }
    }

    /// The step times (A_SS + ε)⁻¹.
    fn shrink(&mut self, problem: &ConstraintProblem, by_trees: bool) {
        let Self { step, system, rows, part, cholesky, .. } = self;
        if by_trees {
            system.solve(problem.row_start(), step);
            return;
        }
        part.clear();
        part.extend(rows.iter().map(|&r| step[r]));
        lanes::plain(
            #[inline(always)]
            || cholesky.solve(part),
        );
        rows.iter().zip(&*part).for_each(|(&r, d)| step[r] = *d);
    }

    /// Opens what pulls, closes what would overlap, leaves rows at a side of their box and takes them back; true if S has changed.
    fn changes(&mut self, problem: &ConstraintProblem, tolerance: f64) -> bool {
        let Self { places, lambda, c, .. } = self;
        let largest = lambda.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        let mut changed = false;
        for (i, place) in places.iter_mut().enumerate() {
            let (cone, first) = (problem.cone(i), problem.range(i).start);
            let r = first + cone.normal();
            let next = match (cone, *place) {
                (Cone::Free, _) => continue,
                (Cone::Box { lo, hi }, Place::Holds) => {
                    if lambda[r] >= lo && lambda[r] <= hi {
                        continue;
                    }
                    cone.project(&mut lambda[r..=r]);
                    Place::Bound
                }
                (Cone::Box { lo, .. }, _) => {
                    let back = if lambda[r] <= lo { c[r] < -tolerance } else { c[r] > tolerance };
                    if !back {
                        continue;
                    }
                    Place::Holds
                }
                (_, Place::Holds) if lambda[r] < -OUTSIDE * largest => Place::Open,
                (_, Place::Open) if c[r] < -tolerance => Place::Holds,
                _ => continue,
            };
            (*place, changed) = (next, true);
        }
        changed
    }

    /// Leads the impulses into their cones where they are not, by turns onto these and onto (1), and takes off what rounding
    /// leaves; false if that leads nowhere.
    fn lead_inside(&mut self, problem: &ConstraintProblem, by_trees: bool, tolerance: f64) -> bool {
        let mut before = f64::INFINITY;
        for _ in 0..PROJECTIONS {
            let (mut excess, mut size) = (0.0, 0.0_f64);
            self.step.clone_from(&self.lambda);
            for (i, cone) in problem.cones().iter().enumerate() {
                let rows = problem.range(i);
                let here = &mut self.step[rows.clone()];
                size += here.iter().map(|x| x * x).sum::<f64>();
                let (Cone::Friction { mu } | Cone::Patch { mu, .. }) = *cone else { continue };
                if tangential(here) > mu * here[2] {
                    cone.project(here);
                    let lambda = &self.lambda[rows];
                    excess += here.iter().zip(lambda).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                }
            }
            let (excess, size): (f64, f64) = (excess.sqrt(), size.sqrt());
            if excess <= OUTSIDE * size {
                problem
                    .cones()
                    .iter()
                    .enumerate()
                    .for_each(|(i, c)| c.project(&mut self.lambda[problem.range(i)]));
                return true;
            }
            if !(excess <= FALLS * before) {
                return false;
            }
            before = excess;
            for (i, cone) in problem.cones().iter().enumerate() {
                let within = match *cone {
                    Cone::Friction { mu } => Cone::Friction { mu: WITHIN * mu },
                    Cone::Patch { mu, rolls } => Cone::Patch { mu: WITHIN * mu, rolls },
                    _ => continue,
                };
                let rows = problem.range(i);
                let here = &mut self.step[rows.clone()];
                here.copy_from_slice(&self.lambda[rows.clone()]);
                within.project(here);
                self.lambda[rows].iter_mut().zip(here).for_each(|(l, p)| *l += BEYOND * (*p - *l));
            }
            if !self.correct(problem, by_trees, tolerance) {
                return false;
            }
        }
        false
    }
}
