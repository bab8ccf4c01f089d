//! The equilibrium of the springs at one stiffness, by Newton's method on the pieces of the law, and stiffness to infinity.
//!
//! ```text
//!     w = (G + R) λ + g + ρ D (λ − λ_ref),     F(λ, w) = 0 of [`super::pieces`]                 (1)
//! ```
//!
//! With λ_ref = 0 that is (1) of [`super`]; with λ_ref the last answer it is a proximal step of the exact law
//! [Rockafellar1976], of which a few lead to ρ → 0.

use super::Island;
use super::delassus::Delassus;
use super::pieces::{Piece, piece_of, put};
use stiction_contact::Law;

/// Equilibria of an answer in their order, that at ρ̄ first: where those of the next step are looked for.
/// Each has one answer, so that
/// they say how soon it is found, not which it is.
#[derive(Default)]
pub(crate) struct Equilibria {
    list: Vec<Vec<f64>>,
    len: usize,
}

impl Equilibria {
    pub(crate) fn forget(&mut self) {
        self.len = 0;
    }

    /// The k-th, if it has so many rows.
    fn get(&self, k: usize, rows: usize) -> Option<&[f64]> {
        self.list[..self.len].get(k).map(|l| &l[..]).filter(|l| l.len() == rows)
    }

    fn set(&mut self, k: usize, lambda: &[f64]) {
        if self.list.len() <= k {
            self.list.resize_with(k + 1, Vec::new);
        }
        self.list[k].clear();
        self.list[k].extend_from_slice(lambda);
        self.len = self.len.max(k + 1);
    }
}

/// Newton's method and its workspace; valid during one solve, but for `last`.
#[derive(Default)]
pub(super) struct Newton {
    pub(super) last: Equilibria,
    pub(super) lambda: Vec<f64>,
    pub(super) pieces: Vec<Piece>,
    /// Pieces whose factor is held.
    factored: Vec<Piece>,
    w: Vec<f64>,
    c: Vec<f64>,
    /// c of the reference of a proximal step [m/s].
    base: Vec<f64>,
    reference: Vec<f64>,
    /// w before impulses are put on their pieces.
    before: Vec<f64>,
    step: Vec<f64>,
    d: Vec<f64>,
    best: Vec<f64>,
    trial: Vec<f64>,
    other: Vec<f64>,
    other_w: Vec<f64>,
    other_pieces: Vec<Piece>,
    /// Impulses of the step before.
    pub(super) given: Vec<f64>,
    pub(super) factorisations: u32,
    /// Proximal steps of this answer begin where those of the last one ended.
    starts_known: bool,
}

impl Newton {
    /// The equilibrium of the springs at ρ̄, into `self.lambda`, from impulses `pressing` without friction:
    /// at once, or by way of softer
    /// springs; false if neither leads there.
    pub(super) fn equilibrium<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        pressing: &[f64],
    ) -> bool {
        let params = island.params;
        let most = params.newton_steps;
        self.begin_nearer(island, a, pressing);
        if self.stage(island, a, (params.compliance, most), None, params.found) {
            return true;
        }
        self.begin_at(pressing);
        let softer = params.softer * params.compliance;
        self.stage(island, a, (softer, most), None, params.rough * softer)
            && self.stage(island, a, (params.compliance, most), None, params.found)
    }

    /// Begins at the impulses of the step before or at `other`, whichever leaves less of F at ρ̄.
    fn begin_nearer<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D, other: &[f64]) {
        let given = std::mem::take(&mut self.given);
        if given.iter().any(|l| *l != 0.0) {
            self.begin_at(other);
            let e = self.look(island, a);
            self.begin_at(&given);
            if self.look(island, a) < e {
                self.given = given;
                return;
            }
        }
        self.given = given;
        self.begin_at(other);
    }

    /// The equilibrium at ρ̄, if Newton's method leads there in a few steps from that of the step before.
    pub(super) fn again<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> bool {
        let params = island.params;
        let Some(last) = self.last.get(0, island.problem.rows()) else { return false };
        last.clone_into(&mut self.other);
        let start = std::mem::take(&mut self.other);
        self.begin_at(&start);
        self.other = start;
        self.stage(island, a, (params.compliance, params.steps_again), None, params.found)
    }

    /// True if contacts slide in the equilibrium, faster than they creep.
    pub(super) fn slides(&self, island: &Island<'_>) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Slides { .. })) && !self.creeps(island)
    }

    pub(super) fn forget(&mut self) {
        self.last.forget();
    }

    /// Takes an equilibrium that another method has found.
    pub(super) fn begin_at(&mut self, lambda: &[f64]) {
        self.factorisations = 0;
        self.lambda.clear();
        self.lambda.extend_from_slice(lambda);
        self.reference.clear();
        self.reference.resize(lambda.len(), 0.0);
        self.factored.clear();
    }

    /// ρ → 0 by proximal steps, from an equilibrium; the natural map [m/s] of the best impulses, which stay
    /// and are in their sets.
    pub(super) fn harden<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D, tolerance: f64) -> f64 {
        let enough = island.params.digits * tolerance;
        self.starts_known = true;
        self.last.set(0, &self.lambda);
        let mut best = self.judge(island, a);
        std::mem::swap(&mut self.best, &mut self.trial);
        let mut rho = island.params.compliance;
        for step in 0..island.params.proximal_steps {
            self.refer();
            let k = step as usize + 1;
            if !self.stage(
                island,
                a,
                (rho, island.params.proximal_newton_steps),
                Some(k),
                island.params.sharp,
            ) {
                if step > 0 {
                    break;
                }
                // Too hard at once.
                rho = island.params.compliance;
                self.lambda.clone_from(&self.reference);
                self.w.clone_from(&self.base);
                self.factored.clear();
                continue;
            }
            self.last.set(k, &self.lambda);
            let e = self.judge(island, a);
            let slow = !(e < island.params.slow * best);
            if e < best {
                best = e;
                std::mem::swap(&mut self.best, &mut self.trial);
            }
            if best <= enough {
                break;
            }
            // The first step, at the ρ of the equilibrium, settles which impulses; the others come nearer to the law.
            // Bodies much heavier than the mean feel the springs as soft.
            if step == 0 || slow {
                rho *= island.params.harder;
                self.factored.clear();
                if rho < island.params.null {
                    break;
                }
            }
        }
        self.lambda.clone_from(&self.best);
        best
    }

    /// The impulses at hand are the reference of the next proximal step; c of them is w without their springs.
    fn refer(&mut self) {
        self.base.clear();
        let springs = self.d.iter().zip(&self.lambda).zip(&self.reference).map(|((d, l), r)| d * (l - r));
        self.base.extend(self.w.iter().zip(springs).map(|(w, s)| w - s));
        self.reference.clone_from(&self.lambda);
    }

    /// The natural map of the impulses, put into their sets in `self.trial` [m/s].
    fn judge<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> f64 {
        let problem = island.problem;
        self.trial.clone_from(&self.lambda);
        problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut self.trial[problem.range(i)]));
        a.velocities(problem, &self.trial, &mut self.c);
        island.stopping.residual(problem, Law::Ncp, &self.trial, &self.c)
    }

    /// Newton's method at one ρ; true if F falls to `found`. A proximal step may begin where the
    /// `proximal`-th of the last answer ended.
    fn stage<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        (rho, most): (f64, u32),
        proximal: Option<usize>,
        found: f64,
    ) -> bool {
        let problem = island.problem;
        if proximal.is_none() {
            self.reference.fill(0.0);
        }
        self.d.clear();
        self.d.extend(island.metric.d.iter().map(|d| rho * d));
        if proximal.is_none() {
            self.factored.clear();
        }
        let unit = island.size() / island.metric.mean;
        let mut last = f64::INFINITY;
        let mut e = match proximal {
            None => self.evaluate(island, a),
            Some(k) => self.nearer_start(island, a, k),
        } / unit;
        // The next proximal step takes off what is left of this one.
        let found = if proximal.is_some() { found.max(island.params.inexact * e) } else { found };
        let mut chord = false;
        for step in 0..=most {
            if step > 0 {
                e = self.evaluate(island, a) / unit;
                if chord && !(e < last) {
                    // The factor of other pieces' directions leads away: back, with a new one.
                    std::mem::swap(&mut self.lambda, &mut self.other);
                    self.factored.clear();
                    e = self.evaluate(island, a) / unit;
                }
            }
            if e <= found
                || step > 2 && e <= island.params.newton_rounding && e > island.params.newton_gain * last
            {
                return true;
            }
            if !e.is_finite() || step == most {
                return false;
            }
            let again = e <= island.params.newton_gain * last
                && self.factored.len() == self.pieces.len()
                && self.factored.iter().zip(&self.pieces).all(|(f, p)| f.is_like(p));
            (last, chord) = (e, again);
            if again {
                self.other.clone_from(&self.lambda);
            } else {
                if !a.factor(problem, &self.pieces, &self.d) {
                    return false;
                }
                self.factorisations += 1;
                self.factored.clone_from(&self.pieces);
            }
            self.put_on_pieces(island, a);
            self.right_hand_side(island);
            a.solve(problem, &self.factored, &mut self.step);
            self.lambda.iter_mut().zip(&self.step).for_each(|(l, s)| *l += s);
        }
        false
    }

    /// ‖F‖ of the reference, or of where the `k`-th proximal step of the last answer ended if that leaves less.
    fn nearer_start<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D, k: usize) -> f64 {
        self.w.clone_from(&self.base);
        let at_reference = self.find_pieces(island);
        let start = match self.last.get(k, island.problem.rows()) {
            Some(known) if self.starts_known => known,
            None if k == 1 => &self.given,
            _ => return at_reference,
        };
        start.clone_into(&mut self.other);
        let swap = |newton: &mut Self| {
            std::mem::swap(&mut newton.lambda, &mut newton.other);
            std::mem::swap(&mut newton.w, &mut newton.other_w);
            std::mem::swap(&mut newton.pieces, &mut newton.other_pieces);
        };
        swap(self);
        let there = self.evaluate(island, a);
        if there < at_reference {
            return there;
        }
        swap(self);
        self.starts_known = false;
        at_reference
    }

    /// The pieces, velocities and ‖F‖ of the impulses at ρ̄.
    pub(super) fn look<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> f64 {
        self.factored.clear();
        self.d.clear();
        self.d.extend(island.metric.d.iter().map(|d| island.params.compliance * d));
        self.evaluate(island, a)
    }

    /// w, the pieces and ‖F‖ of the impulses.
    fn evaluate<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> f64 {
        self.velocities(island, a);
        self.find_pieces(island)
    }

    /// The pieces and ‖F‖ of the impulses and w.
    fn find_pieces(&mut self, island: &Island<'_>) -> f64 {
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
        self.before.clone_from(&self.w);
        let mut moved = false;
        for (i, (piece, now)) in self.factored.iter().zip(&self.pieces).enumerate() {
            let rows = island.problem.range(i);
            moved |= put(island.problem.cone(i), piece, now, &mut self.lambda[rows]);
        }
        if moved {
            self.velocities(island, a);
        }
    }

    /// −w where velocities vanish; across the direction of friction −F_T/r, less f times what putting
    /// impulses on their pieces has
    /// changed of w, as the equations are those before it.
    fn right_hand_side(&mut self, island: &Island<'_>) {
        let problem = island.problem;
        self.step.clear();
        self.step.extend(self.w.iter().map(|w| -w));
        for (i, pieces) in self.factored.iter().zip(&self.pieces).enumerate() {
            let (Piece::Slides { along, stiff, mu, share }, Piece::Slides { along: now, .. }) = pieces else {
                continue;
            };
            let (rows, cone) = (problem.range(i), problem.cone(i));
            let normal = rows.start + cone.normal();
            let (radius, tangents) =
                (mu * (self.lambda[normal] - self.before[normal] / stiff), cone.tangential_rows());
            let mut on = 0.0;
            for ((&t, u), now) in tangents.iter().zip(along).zip(now) {
                let r = rows.start + t;
                let moved = self.w[r] - self.before[r];
                self.step[r] = -stiff * (self.lambda[r] - radius * now) - share * moved;
                on += self.step[r] * u;
            }
            tangents.iter().zip(along).for_each(|(&t, u)| self.step[rows.start + t] -= on * u);
        }
    }

    /// True if all that slides in the equilibrium creeps: it is slower than the share `params.creep` of what
    /// it would be without impulses.
    /// So it does where nothing slides at ρ̄, though the smallest impulses that would hold it are outside of their cones.
    pub(super) fn creeps(&self, island: &Island<'_>) -> bool {
        for (i, piece) in self.pieces.iter().enumerate() {
            let Piece::Slides { .. } = piece else { continue };
            let rows = island.problem.range(i);
            let mut square = 0.0;
            for &t in island.problem.cone(i).tangential_rows() {
                let r = rows.start + t;
                square += (self.w[r] - self.d[r] * (self.lambda[r] - self.reference[r])).powi(2);
            }
            let free: f64 = island.problem.free_velocity[rows].iter().map(|g| g * g).sum();
            if square > island.params.creep * island.params.creep * free {
                return false;
            }
        }
        true
    }
}
