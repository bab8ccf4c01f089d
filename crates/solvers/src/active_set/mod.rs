//! Newton finish, from the active set that sweeps have found.
//!
//! For the exact law, Alart and Curnier's equations [AlartCurnier1991] are non-smooth but piecewise
//! differentiable; with τ_N = λ_N − ρ_N c_N, τ_T = λ_T − ρ_T c_T, r = μ τ_N, e = τ_T/‖τ_T‖ and q = r/‖τ_T‖, a
//! contact is
//!
//! ```text
//!     open    τ_N ≤ 0          λ = 0                                            (1)
//!     stick   ‖τ_T‖ ≤ r        c = 0                                            (2)
//!     slide   otherwise        c_N = 0,  λ_T − r e = 0                          (3)
//! ```
//!
//! One step solves the equations of the present pieces, linearised in λ with Δc = (G + R) Δλ; for (3)
//!
//! ```text
//!     e·Δλ_T − μ Δλ_N + μ ρ_N Δc_N             = −e·(λ_T − r e)                 (4)
//!     e⊥·((1 − q) Δλ_T + ρ_T q Δc_T)           = −e⊥·λ_T                        (5)
//! ```
//!
//! The other laws go by their natural map, λ = P_K(x), x = λ − ρ ĉ(c), whose pieces are the same but for
//!
//! ```text
//!     slide   (I − P') Δλ + ρ P' ĉ' Δc = P_K(x) − λ                             (6)
//! ```
//!
//! with P' the derivative of the projection and ĉ' = I for the convex relaxation, that of
//! ĉ = c + γ(c) A_N: for RaiSim's law. A polygon of radius r in place of the disc has edges and corners,
//! with the axis m of the edge, m⊥ along it, and κ of [`stiction_contact::polygon`]:
//!
//! ```text
//!     edge    |m⊥·τ_T| ≤ σ r     c_N = 0,  m·λ_T = κ μ λ_N,  m⊥·c_T = 0         (7)
//!     corner  otherwise          c_N = 0,  λ_T = μ λ_N d                        (8)
//! ```
//!
//! and the cone over it facets, on which c is normal to a facet that holds λ, and edges, on which c is normal
//! to an edge that holds λ.
//!
//! Only rows that can change are unknown. G may be singular (hyperstatic contacts), and the equations of the
//! pieces then inconsistent: of four corners whose gaps are not quite of one plane, one must open. G's
//! diagonal is raised by a share ε of itself, which bounds the step in the null space by residual/ε and costs
//! a factor ε/σ of contraction. For the exact law ε = residual/‖g‖ [Marquardt1963], by which impulses go
//! about as far as they are large; for the others, which have no other way where masses differ much, 10⁻¹⁰.
//! Where steps lead nowhere ε grows. Steps may raise the natural map for a while (the pieces are being sorted
//! out); the best iterate is what counts. Quadratic where it works, ⅔ rows³ operations a step.
//!
//! In large islands a step is wrong in few places, whose pieces it does not know, and far off there. Two
//! sweeps give each contact its own answer again before the next; ε is (residual/‖g‖)^0.7, so that what
//! contradicts itself by little does not throw impulses far, a hundredth of it where rows are few, and falls
//! to a tenth at most, but to a thousandth where the pieces have stayed and the step gained a digit: it is
//! all that the next is slowed down by. A step that has gone far astray is undone.
//!
//! Successive time steps pose nearly the same problem. The factors of the last step are kept, and serve
//! the next solve while the pieces are the same:
//!
//! ```text
//!     (matrix of an earlier step) Δλ = (right-hand side of this one)            (9)
//! ```
//!
//! Where a robot has moved on since, each of these gains less; factors by which one step does not do are
//! renewed in time where what they were of was far from singular.

mod patch;
mod piece;
mod polygon;
mod rows;
#[cfg(test)]
mod tests;

use crate::blocks::{Block, pass};
use crate::dense::{Lu, STRIP, zeros};
use crate::local::{Contact, quartic};
use crate::trees::{Equation, TreeSystem};
use crate::tuning::NewtonTuning;
use crate::view::{Reached, View};
use piece::{Piece, piece_of, ray_of};
use std::mem::{Discriminant, discriminant};
use stiction_contact::certificate::exact;
use stiction_contact::{Cone, Law};

/// Newton's method on one problem, with the factors of its last pieces.
#[derive(Default)]
pub(crate) struct Newton {
    lu: Lu,
    /// Large islands: the same in velocities.
    trees: TreeSystem,
    in_trees: bool,
    /// Share of the diagonal added to it at present.
    regularisation: f64,
    lambda: Vec<f64>,
    c: Vec<f64>,
    /// Wᵀ λ of a sweep.
    z: Vec<f64>,
    /// Equations of the present pieces, by rows.
    pieces: Vec<Piece>,
    /// Unknown that row r is, or `KNOWN`.
    unknown: Vec<usize>,
    /// Δλ of rows that are known; zero elsewhere.
    known: Vec<f64>,
    d_c: Vec<f64>,
    step: Vec<f64>,
    packed: Vec<f64>,
    /// G of one tree, found in this solve or not yet, and what it is found in.
    whole: Vec<f64>,
    columns: Vec<[f64; STRIP]>,
    /// The rows that are unknowns.
    places: Vec<usize>,
    /// Unknowns and pieces whose factors are held, or none. They outlive the solve.
    held: Vec<usize>,
    held_pieces: Vec<Discriminant<Piece>>,
    /// The matrix they are of is far from singular.
    regular: bool,
    /// Solves by them, and whether the last took several steps.
    age: u32,
    slow: bool,
}

const KNOWN: usize = usize::MAX;

impl Newton {
    /// Improves `lambda`, whose residual is `current`; returns the residual reached and the steps taken.
    pub(crate) fn solve(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        current: f64,
        tolerance: f64,
        max_steps: u32,
    ) -> Reached {
        lambda.clone_into(&mut self.lambda);
        view.problem.velocities_into(&self.lambda, &mut self.c);
        self.forget();
        self.whole.clear();
        self.in_trees = TreeSystem::pays(view.problem);
        if self.in_trees {
            self.trees.take(&view.problem.delassus_factor);
        }
        let (mut best, mut wandered) = (current, 0);
        let scale = view.problem.free_velocity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let (t, fewest) = (&view.tuning.newton, view.tuning.islands.fewest);
        let NewtonTuning { least, most, .. } = *t;
        let exact = view.law == Law::Ncp;
        let (harder, wander) = if exact { (t.harder, t.wander) } else { (t.harder_other, t.wander_other) };
        let in_trees = self.in_trees;
        let small = if in_trees && lambda.len() <= fewest { t.small } else { 1.0 };
        let share = |e: f64| {
            let share = if in_trees { (e / scale).powf(t.power) } else { e / scale };
            if exact { (small * share).clamp(least.min(most), most) } else { least }
        };
        let smooths = exact && self.in_trees && view.sweeps;
        let slowest = if self.in_trees { t.slowest } else { 0.0 };
        self.regularisation = share(current);
        let mut gained = false;
        for step in 1..=max_steps {
            let unknowns = self.sort(view);
            if exact && in_trees && gained && self.same_pieces() {
                self.regularisation = (t.quick * self.regularisation).max(least);
            }
            if !self.solve_step(view, unknowns, false) {
                return Reached { residual: best, steps: step };
            }
            let mut e = self.take_step(view);
            if smooths && e > t.rough * best {
                e = self.smooth(view, e, tolerance);
            }
            if !e.is_finite() {
                return Reached { residual: best, steps: step };
            }
            wandered = if e < 0.5 * best { 0 } else { wandered + 1 };
            let e = view.cautious(e, &self.lambda, tolerance, &mut self.d_c);
            gained = e < t.gain * best;
            if e < best {
                best = e;
                lambda.copy_from_slice(&self.lambda);
                if exact {
                    let next = share(e).max(slowest * self.regularisation);
                    self.regularisation = self.regularisation.min(next);
                }
            }
            if best <= tolerance || crate::work::spent() {
                return Reached { residual: best, steps: step };
            }
            if wandered > wander || smooths && e > t.astray * best {
                self.regularisation *= harder;
                if self.regularisation > most {
                    return Reached { residual: best, steps: step };
                }
                self.lambda.copy_from_slice(lambda);
                view.problem.velocities_into(&self.lambda, &mut self.c);
                wandered = 0;
            }
        }
        Reached { residual: best, steps: max_steps }
    }

    /// Goes as [`Self::solve`] does, by the factors of an earlier solve (9): good while no contact changes
    /// its piece. At most `newton.chord_steps` steps of 2 rows² operations. `c` are the velocities of
    /// `lambda`.
    pub(crate) fn chord(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        c: &[f64],
        current: f64,
        tolerance: f64,
    ) -> Reached {
        let mut reached = Reached { residual: current, steps: 0 };
        if self.held.len() != lambda.len() {
            return reached;
        }
        for (mine, given) in [(&mut self.lambda, &*lambda), (&mut self.c, c)] {
            given.clone_into(mine);
        }
        while reached.steps < view.tuning.newton.chord_steps && reached.residual > tolerance {
            let unknowns = self.sort(view);
            if !self.same_pieces() || self.unknown != self.held || !self.solve_step(view, unknowns, true) {
                break;
            }
            let e = self.take_step(view);
            reached.steps += 1;
            if !(e < 0.1 * reached.residual) {
                break;
            }
            reached.residual = e;
            lambda.copy_from_slice(&self.lambda);
        }
        self.age = self.age.saturating_add(1);
        self.slow = reached.steps > 1;
        reached
    }

    /// True if the blocks are on the pieces whose factors are held.
    fn same_pieces(&self) -> bool {
        self.pieces.iter().map(discriminant).eq(self.held_pieces.iter().copied())
    }

    /// True if new factors would save steps.
    pub(crate) fn stale(&self, tuning: &NewtonTuning) -> bool {
        self.slow && self.regular && self.age >= tuning.renewal && !self.held.is_empty()
    }

    /// True if the pieces of the last step leave the impulses no freedom.
    pub(crate) fn regular(&self) -> bool {
        self.regular
    }

    /// λ + Δλ, made admissible; its residual.
    fn take_step(&mut self, view: &View) -> f64 {
        for (l, d) in self.lambda.iter_mut().zip(&self.step) {
            *l += d;
        }
        view.law.project_all(view.problem, &mut self.lambda);
        view.problem.velocities_into(&self.lambda, &mut self.c);
        view.residual(&self.lambda, &self.c)
    }

    /// Sweeps from where a step has led, to the residual `e`, by the exact answer of each contact that leaves
    /// more than its share of that; the residual they leave.
    fn smooth(&mut self, view: &View, e: f64, tolerance: f64) -> f64 {
        let t = &view.tuning.newton;
        let least = (t.little * e).powi(2) / view.blocks.len() as f64;
        let answer = |contact: &Contact, l: [f64; 3], c: [f64; 3]| {
            let left = exact::contact_squared(contact.mu, contact.norm, l.into(), c.into());
            if left <= least { l } else { quartic::solve(contact, l, c) }
        };
        for _ in 0..t.sweeps {
            let room = (&mut self.z, &mut self.c[..]);
            pass::by_factor(answer, view.blocks, view.problem, &mut self.lambda, room);
        }
        let left = view.residual(&self.lambda, &self.c);
        if left > tolerance {
            return left;
        }
        view.problem.velocities_into(&self.lambda, &mut self.c); // afresh
        view.residual(&self.lambda, &self.c)
    }

    /// Drops what outlives a solve.
    pub(crate) fn forget(&mut self) {
        self.held.clear();
        self.held_pieces.clear();
        (self.age, self.slow, self.regular) = (0, false, false);
    }

    /// Puts every block on its piece and numbers the unknown rows.
    fn sort(&mut self, view: &View) -> usize {
        let rows = self.lambda.len();
        self.pieces.clear();
        self.unknown.clear();
        self.unknown.resize(rows, KNOWN);
        zeros(&mut self.known, rows);
        let mut unknowns = 0;
        for (i, block) in view.blocks.iter().enumerate() {
            let range = view.problem.range(i);
            let r = range.start;
            let piece = match block {
                Block::Contact(contact) => {
                    let l = [self.lambda[r], self.lambda[r + 1], self.lambda[r + 2]];
                    let c = [self.c[r], self.c[r + 1], self.c[r + 2]];
                    let piece = match view.law {
                        Law::Ncp => piece_of(&contact.a, contact.mu, l, c),
                        Law::Pyramid | Law::Facets { .. } => polygon::edge_or_corner(contact, view.law, l, c),
                        Law::PolyhedralCcp { .. } => polygon::facet_or_edge(contact, view.law, l, c),
                        law => ray_of(contact, law, l, c),
                    };
                    let open = if let Piece::Closed = piece { 2 } else { 3 };
                    if let Piece::Fixed | Piece::Closed = piece {
                        (0..open).for_each(|k| self.known[r + k] = -l[k]); // (1)
                    }
                    piece
                }
                Block::Scalar(a, cone) => {
                    let target = self.lambda[r] - self.c[r] / a;
                    let mut inside = [target];
                    cone.project(&mut inside);
                    let at_bound = matches!(cone, Cone::Box { lo, hi } if lo >= hi) || inside[0] != target;
                    if at_bound {
                        self.known[r] = inside[0] - self.lambda[r];
                        Piece::Fixed
                    } else {
                        Piece::Stick
                    }
                }
                &Block::Patch(mu, norm) => {
                    let (l, c) = (&self.lambda[range.clone()], &self.c[range.clone()]);
                    let piece = patch::piece_of(view.stopping.diagonal[i][8], norm, mu, l, c);
                    if let Piece::Fixed = piece {
                        range.clone().for_each(|r| self.known[r] = -self.lambda[r]); // (1)
                    }
                    piece
                }
                Block::Inert => Piece::Fixed,
            };
            let first = match piece {
                Piece::Fixed => range.end,
                Piece::Closed => range.end - 1,
                Piece::Stick | Piece::Slide { .. } | Piece::Linear { .. } | Piece::Turn { .. } => r,
            };
            for row in first..range.end {
                self.unknown[row] = unknowns;
                unknowns += 1;
            }
            self.pieces.push(piece);
        }
        unknowns
    }

    /// Δλ into `step`, by the factors held if `reuse`; false if the matrix has none.
    fn solve_step(&mut self, view: &View, unknowns: usize, reuse: bool) -> bool {
        let problem = view.problem;
        // Velocities after the known changes; a product may need more room than its rows.
        self.d_c.clear();
        self.d_c.reserve(self.known.len() + problem.delassus_factor.scratch(self.known.len()));
        if self.known.iter().any(|&d| d != 0.0) {
            problem.delassus_mul_into(&self.known, &mut self.d_c);
            for (k, d) in self.d_c.iter_mut().enumerate() {
                *d += problem.compliance[k] * self.known[k];
            }
        } else {
            self.d_c.resize(self.known.len(), 0.0);
        }
        if !reuse {
            self.forget();
            let factored =
                if self.in_trees { self.factor_trees(view) } else { self.factor_rows(view, unknowns) };
            if !factored {
                return false;
            }
            self.held.extend_from_slice(&self.unknown);
            self.held_pieces.extend(self.pieces.iter().map(discriminant));
        }
        zeros(&mut self.step, problem.rows());
        for i in 0..self.pieces.len() {
            let rows = problem.range(i);
            if rows.len() > 3 {
                let rhs =
                    patch::equations(&self.pieces[i], view, i, [&self.lambda, &self.c, &self.d_c], 0.0).rhs;
                self.step[rows.clone()].copy_from_slice(&rhs[..rows.len()]);
                continue;
            }
            let rhs = self.right_side(view, i);
            self.step[rows.clone()].copy_from_slice(&rhs[..rows.len()]);
        }
        if self.in_trees {
            self.trees.solve(problem.row_start(), &mut self.step);
        } else {
            zeros(&mut self.packed, unknowns);
            for (x, &at) in self.step.iter().zip(&self.unknown).filter(|e| *e.1 != KNOWN) {
                self.packed[at] = *x;
            }
            self.lu.solve_at_once(&mut self.packed);
            for (x, &at) in self.step.iter_mut().zip(&self.unknown).filter(|e| *e.1 != KNOWN) {
                *x = self.packed[at];
            }
        }
        for (x, known) in
            self.step.iter_mut().zip(&self.known).zip(&self.unknown).filter(|e| *e.1 == KNOWN).map(|e| e.0)
        {
            *x = *known;
        }
        self.step.iter().all(|d| d.is_finite())
    }

    /// Weights of Δc (left) and of Δλ (own) in the equations of block i, rigid parts of A alone.
    fn weights(&self, view: &View, i: usize) -> Equation {
        let (mut left, mut own) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        match self.pieces[i] {
            Piece::Fixed | Piece::Turn { .. } => {}
            Piece::Closed => left[2][2] = 1.0,
            Piece::Stick => (0..view.problem.cone(i).dim()).for_each(|k| left[k][k] = 1.0),
            Piece::Linear { left: weights, own: share, .. } => {
                left = weights;
                own = share.map(|row| row.map(|x| x * view.stopping.norms[i]));
            }
            Piece::Slide { e, q, mu, rho_n, rho_t, .. } => {
                own[0] = [e[0] / rho_t, e[1] / rho_t, -mu / rho_t]; // (4)
                left[0][2] = mu * rho_n / rho_t;
                own[1] = [-e[1] * (1.0 - q) / rho_t, e[0] * (1.0 - q) / rho_t, 0.0]; // (5)
                left[1] = [-e[1] * q, e[0] * q, 0.0];
                left[2][2] = 1.0;
            }
        }
        // Of A only G is left to whoever solves.
        let r = view.problem.range(i).start;
        for l in 0..view.problem.cone(i).dim() {
            let raised = view.problem.compliance[r + l] + self.regularisation * view.stopping.norms[i];
            (0..3).for_each(|k| own[k][l] += left[k][l] * raised);
        }
        Equation { left, own }
    }

    /// The right-hand side of the same.
    fn right_side(&self, view: &View, i: usize) -> [f64; 3] {
        let r = view.problem.range(i).start;
        let c = |k: usize| self.c[r + k] + self.d_c[r + k];
        let mut rhs = [0.0; 3];
        match self.pieces[i] {
            Piece::Fixed | Piece::Turn { .. } => {}
            Piece::Closed => rhs[2] = -c(2),
            Piece::Stick => (0..view.problem.cone(i).dim()).for_each(|k| rhs[k] = -c(k)),
            Piece::Linear { left, rhs: target, .. } => {
                for k in 0..3 {
                    rhs[k] = target[k] - (0..3).map(|l| left[k][l] * self.d_c[r + l]).sum::<f64>();
                }
            }
            Piece::Slide { e, q, mu, rho_n, rho_t, r: radius } => {
                let l = &self.lambda[r..r + 3];
                let along = e[0] * l[0] + e[1] * l[1] - radius;
                let across = e[0] * l[1] - e[1] * l[0];
                let d_across = e[0] * self.d_c[r + 1] - e[1] * self.d_c[r];
                rhs[0] = (-along - mu * rho_n * self.d_c[r + 2]) / rho_t;
                rhs[1] = -across / rho_t - q * d_across;
                rhs[2] = -c(2);
            }
        }
        rhs
    }

    /// The equations by velocities of trees.
    fn factor_trees(&mut self, view: &View) -> bool {
        self.regular = false; // unknown
        let mut trees = std::mem::take(&mut self.trees);
        let equation = |i: usize| {
            let range = view.problem.range(i);
            if range.clone().all(|row| self.unknown[row] == KNOWN) {
                return None;
            }
            let Equation { mut left, mut own } = self.weights(view, i);
            for k in 0..3 {
                if self.unknown.get(range.start + k).is_none_or(|u| k >= range.len() || *u == KNOWN) {
                    (left[k], own[k]) = ([0.0; 3], [0.0; 3]);
                    own[k][k] = 1.0;
                }
            }
            Some(Equation { left, own })
        };
        let factored = trees.factor((0..self.pieces.len()).map(equation));
        self.trees = trees;
        factored
    }
}
