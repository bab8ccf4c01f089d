//! The equilibrium of the springs at one stiffness, by Newton's method on the pieces of the law, and stiffness to infinity.
//!
//! ```text
//!     w = (G + R) λ + g + ρ D (λ − λ_ref),     F(λ, w) = 0 of [`super::pieces`]                 (1)
//! ```
//!
//! With λ_ref = 0 that is (1) of [`super`]; with λ_ref the last answer it is a proximal step of the exact law
//! [Rockafellar1976], of which a few lead to ρ → 0.

use super::delassus::Delassus;
use super::pieces::{Piece, friction_of, piece_of, put, tangential_rows};
use super::{Island, SpringsParams};
use stiction_contact::cone::tangential;
use stiction_contact::{Cone, Law};

/// F at which an equilibrium is found, and at which a proximal step is, in units of ‖g‖/ḡ [–].
const FOUND: f64 = 1e-10;
const SHARP: f64 = 1e-13;
/// F is rounding where a step leaves more than a tenth of so little [–].
const ROUNDING: f64 = 1e-12;
/// A step is halved where F more than doubles, so often at most.
const GROWS: f64 = 2.0;
const HALVINGS: u32 = 4;
/// The factor of other steps serves while the pieces are the same and each step leaves no more than this share of F [–].
const GAINS: f64 = 0.1;

/// See the module; valid during one solve.
#[derive(Default)]
pub(super) struct Newton {
    pub(super) lambda: Vec<f64>,
    pub(super) pieces: Vec<Piece>,
    /// Pieces whose factor is held.
    factored: Vec<Piece>,
    w: Vec<f64>,
    c: Vec<f64>,
    reference: Vec<f64>,
    before: Vec<f64>,
    step: Vec<f64>,
    d: Vec<f64>,
    best: Vec<f64>,
    trial: Vec<f64>,
    pub(super) factorisations: u32,
}

impl Newton {
    /// The limit of the springs of the island from no impulses, into `self.lambda`, admissible; its natural map [m/s], infinite
    /// where the springs have no equilibrium that this finds.
    pub(super) fn limit<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        params: &SpringsParams,
        a: &mut D,
        tolerance: f64,
    ) -> f64 {
        self.factorisations = 0;
        self.clear(island);
        if !self.stage(island, params, a, params.compliance, false, FOUND) && !self.ladder(island, params, a) {
            return f64::INFINITY;
        }
        self.harden(island, params, a, tolerance)
    }

    fn clear(&mut self, island: &Island<'_>) {
        self.lambda.clear();
        self.lambda.resize(island.problem.rows(), 0.0);
        self.reference.clone_from(&self.lambda);
        self.factored.clear();
    }

    /// From soft springs to stiff ones, each from where the last two point; false if some have no equilibrium.
    fn ladder<D: Delassus>(&mut self, island: &Island<'_>, params: &SpringsParams, a: &mut D) -> bool {
        self.clear(island);
        let mut rho = params.softest;
        let mut last: Option<f64> = None;
        self.best.clone_from(&self.lambda);
        let mut shorter = 0;
        let mut share = params.rung;
        loop {
            let before = self.lambda.clone();
            if let Some(last) = last {
                let slope = (rho - last) / (last / share - last);
                for (l, old) in self.lambda.iter_mut().zip(&self.best) {
                    *l += slope * (old - *l);
                }
            }
            if self.stage(island, params, a, rho, false, FOUND.max(1e-6 * rho.min(1.0))) {
                if rho <= params.compliance {
                    return true;
                }
                self.best = before;
                last = Some(rho);
                rho = (rho * share).max(params.compliance);
                continue;
            }
            self.lambda = before;
            shorter += 1;
            let Some(done) = last else { return false };
            if shorter > 3 {
                return false;
            }
            share = share.sqrt();
            rho = done * share;
        }
    }

    /// ρ → 0 by proximal steps, from an equilibrium; the natural map [m/s] of the best impulses, which stay.
    fn harden<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        params: &SpringsParams,
        a: &mut D,
        tolerance: f64,
    ) -> f64 {
        let enough = params.digits * tolerance;
        let mut best = f64::INFINITY;
        for _ in 0..params.proximal_steps {
            self.reference.clone_from(&self.lambda);
            if !self.stage(island, params, a, params.compliance, true, SHARP) {
                break;
            }
            let e = self.judge(island, a);
            let gains = e < 0.5 * best;
            if e < best {
                best = e;
                std::mem::swap(&mut self.best, &mut self.trial);
            }
            if best <= enough || !gains {
                break;
            }
        }
        if best.is_finite() {
            self.lambda.clone_from(&self.best);
        }
        best
    }

    /// The natural map of the impulses, put into their sets in `self.trial` [m/s].
    fn judge<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> f64 {
        let problem = island.problem;
        self.trial.clone_from(&self.lambda);
        problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut self.trial[problem.range(i)]));
        a.velocities(problem, &self.trial, &mut self.c);
        island.stopping.residual(problem, Law::Ncp, &self.trial, &self.c)
    }

    /// Newton's method at one ρ; true if F falls to `found`.
    fn stage<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        params: &SpringsParams,
        a: &mut D,
        rho: f64,
        proximal: bool,
        found: f64,
    ) -> bool {
        let problem = island.problem;
        if !proximal {
            self.reference.fill(0.0);
        }
        self.d.clear();
        self.d.extend(island.metric.d.iter().map(|d| rho * d));
        if !proximal {
            self.factored.clear();
        }
        let unit = island.size() / island.metric.mean;
        let mut last = f64::INFINITY;
        let mut halvings = 0;
        for step in 0..=params.newton_steps {
            let e = self.evaluate(island, a) / unit;
            if e <= found || step > 2 && e <= ROUNDING && e > GAINS * last {
                return true;
            }
            if !e.is_finite() || step == params.newton_steps {
                return false;
            }
            if step > 1 && e > GROWS * last && halvings < HALVINGS {
                halvings += 1;
                for ((l, b), s) in self.lambda.iter_mut().zip(&self.before).zip(&mut self.step) {
                    *s *= 0.5;
                    *l = b + *s;
                }
                continue;
            }
            halvings = 0;
            let again = e <= GAINS * last
                && self.factored.len() == self.pieces.len()
                && self.factored.iter().zip(&self.pieces).all(|(f, p)| f.is_like(p));
            last = e;
            if !again {
                if !a.factor(problem, &self.pieces, &self.d) {
                    return false;
                }
                self.factorisations += 1;
                self.factored.clone_from(&self.pieces);
            }
            self.put_on_pieces(island, a);
            self.before.clone_from(&self.lambda);
            self.right_hand_side(island);
            a.solve(problem, &self.factored, &mut self.step);
            self.lambda.iter_mut().zip(&self.step).for_each(|(l, s)| *l += s);
        }
        false
    }

    /// w, the pieces and ‖F‖ of the impulses.
    fn evaluate<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> f64 {
        self.velocities(island, a);
        let problem = island.problem;
        let Self { pieces, lambda, w, d, .. } = self;
        pieces.clear();
        let mut square = 0.0;
        for (i, (cone, norm)) in problem.cones().iter().zip(&island.stopping.norms).enumerate() {
            let rows = problem.range(i);
            let (piece, e) = piece_of(*cone, norm + d[rows.start], &lambda[rows.clone()], &w[rows]);
            pieces.push(piece);
            square += e;
        }
        square.sqrt()
    }

    fn velocities<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) {
        a.velocities(island.problem, &self.lambda, &mut self.w);
        for (((w, d), l), r) in self.w.iter_mut().zip(&self.d).zip(&self.lambda).zip(&self.reference) {
            *w += d * (l - r);
        }
    }

    /// Puts what is known where the pieces say, with w to match.
    fn put_on_pieces<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) {
        let mut moved = false;
        for (i, (piece, now)) in self.factored.iter().zip(&self.pieces).enumerate() {
            let rows = island.problem.range(i);
            moved |= put(island.problem.cone(i), piece, now, &mut self.lambda[rows]);
        }
        if moved {
            self.velocities(island, a);
        }
    }

    /// −w where velocities vanish, and what friction has across its direction.
    fn right_hand_side(&mut self, island: &Island<'_>) {
        let problem = island.problem;
        self.step.clear();
        self.step.extend(self.w.iter().map(|w| -w));
        for (i, pieces) in self.factored.iter().zip(&self.pieces).enumerate() {
            let (Piece::Slides { along, stiff, mu, .. }, Piece::Slides { along: now, .. }) = pieces else {
                continue;
            };
            let (rows, cone) = (problem.range(i), problem.cone(i));
            let (lambda, step) = (&self.lambda[rows.clone()], &mut self.step[rows]);
            let (radius, tangents) = (mu * lambda[cone.normal()], tangential_rows(cone));
            let mut on = 0.0;
            for ((&t, u), now) in tangents.iter().zip(along).zip(now) {
                step[t] = -stiff * (lambda[t] - radius * now);
                on += step[t] * u;
            }
            tangents.iter().zip(along).for_each(|(&t, u)| step[t] -= on * u);
        }
    }

    /// The fastest slip of what presses [m/s], and whether anything does; of the impulses last judged.
    pub(super) fn fastest_slip(&self, island: &Island<'_>) -> f64 {
        let problem = island.problem;
        let slip = |(i, cone): (usize, &Cone)| {
            let rows = problem.range(i);
            match friction_of(*cone) {
                Some(mu) if mu > 0.0 && self.best[rows.start + 2] > 0.0 => {
                    tangential(&self.c[rows])
                }
                _ => 0.0,
            }
        };
        problem.cones().iter().enumerate().map(slip).fold(0.0, f64::max)
    }
}
