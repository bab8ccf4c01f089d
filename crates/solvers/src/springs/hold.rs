//! Impulses that hold all that touches.
//!
//! The smallest impulses, in the metric of D, under which nothing that presses moves,
//!
//! ```text
//!     min λᵀ D λ  such that  (A λ + g)_P = 0,  λ = 0 elsewhere,      A = G + R                 (1)
//!     λ ← λ − (A + ε D)_PP⁻¹ (A λ + g)_P  from λ = 0, until it rests                           (2)
//!     λ ← λ − (A + ε D)_PP⁻¹ A (A + ε D)_PP⁻¹ (A λ + g)_P                                      (3)
//! ```
//!
//! P is what presses without friction, without what then pulls and with what then overlaps. Where these impulses are
//! in their cones, they are the limit of (1) of [`super`]. Where contacts are hyperstatic, A is singular: rounding of
//! gaps leaves velocities that no impulses change, and (2) would divide these by ε. (3) leaves them out, and stays
//! where the smallest impulses are.
//!
//! Where the smallest impulses leave their cones, others may not: [`Hold::any`] finds these, the smallest of them, by the
//! convex problem of [`crate::minimum_norm`].

use super::Island;
use super::delassus::Delassus;
use super::pieces::{Piece, piece_of};
use crate::minimum_norm::MinimumNorm;
use stiction_contact::cone::tangential;
use stiction_contact::{Cone, Law};

/// Where a problem is held; valid during one solve.
#[derive(Default)]
pub(super) struct Hold {
    pub(super) pieces: Vec<Piece>,
    pub(super) lambda: Vec<f64>,
    /// Impulses that press without friction.
    pub(super) pressing: Vec<f64>,
    c: Vec<f64>,
    step: Vec<f64>,
    product: Vec<f64>,
    d: Vec<f64>,
    size: f64,
    smallest: MinimumNorm,
}

impl Hold {
    /// The smallest impulses of the island that hold all that presses, into `self.lambda`; their natural map, at most
    /// `tolerance` [m/s]. `None` where they are no answer, or a first step goes so many times `beyond` the
    /// cone of a contact.
    pub(super) fn smallest<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        tolerance: f64,
        beyond: f64,
    ) -> Option<f64> {
        self.press(island, a);
        if !self.touches() {
            return None;
        }
        self.metric(island, island.params.null);
        for _ in 0..island.params.rounds {
            if !self.factor_and_solve(island, a, tolerance, beyond) {
                return None;
            }
            if !self.changes(island, tolerance) {
                return self.inside(island).then(|| self.judge(island, a)).filter(|e| *e <= tolerance);
            }
        }
        None
    }

    /// Any admissible impulses that hold what `pieces` say that presses, into `self.lambda`; their natural map, at most
    /// `tolerance` [m/s]. `None` where none were found.
    pub(super) fn any<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        pieces: &[Piece],
        tolerance: f64,
    ) -> Option<f64> {
        self.size = island.size();
        self.pieces.clear();
        self.pieces.extend(pieces.iter().enumerate().map(|(i, piece)| match piece {
            Piece::Slides { .. } => Self::held(island.problem.cone(i)),
            other => *other,
        }));
        self.any_of_p(island, a, tolerance)
    }

    /// Any admissible impulses that hold what closes without impulses, as [`Self::any`] finds them: for
    /// islands of many rows.
    pub(super) fn any_of_many<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        tolerance: f64,
    ) -> Option<f64> {
        self.close(island);
        if self.touches() { self.any_of_p(island, a, tolerance) } else { None }
    }

    /// Finds what [`Self::any`] does for P as it is after [`Self::smallest`].
    pub(super) fn any_of_p<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        tolerance: f64,
    ) -> Option<f64> {
        // The nearest impulses by length, since cones are projected onto so.
        let largest = island.stopping.norms.iter().fold(0.0_f64, |m, n| m.max(*n));
        self.d.clear();
        self.d.resize(island.problem.rows(), 0.1 * island.params.null * largest);
        for _ in 0..island.params.rounds {
            if !self.factor_and_solve(island, a, tolerance, f64::INFINITY) {
                return None;
            }
            if !self.changes(island, tolerance) {
                if !self.inside(island) && !self.lead_inside(island, a, tolerance) {
                    return None;
                }
                return Some(self.judge(island, a)).filter(|e| *e <= tolerance);
            }
        }
        None
    }

    fn metric(&mut self, island: &Island<'_>, scale: f64) {
        self.d.clear();
        self.d.extend(island.metric.d.iter().map(|d| scale * d));
    }

    /// The piece of a block that is held.
    fn held(cone: Cone) -> Piece {
        let smooth = matches!(cone, Cone::NonNegative) || cone.friction() == Some(0.0);
        if smooth { Piece::Closed } else { Piece::Sticks }
    }

    /// P of islands of many rows: what closes without impulses.
    fn close(&mut self, island: &Island<'_>) {
        self.size = island.size();
        self.pieces.clear();
        self.pieces.extend(island.problem.cones().iter().enumerate().map(|(i, cone)| {
            let g = &island.problem.free_velocity[island.problem.range(i)];
            match *cone {
                Cone::Box { .. } => piece_of(*cone, island.stopping.norms[i], &[0.0], g).0,
                cone if cone.opens() && g[cone.normal()] > 0.0 => Piece::Fixed(0.0),
                cone => Self::held(cone),
            }
        }));
    }

    /// P: what presses where there is no friction, with springs along the normals alone; the answer is unique.
    fn press<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) {
        let problem = island.problem;
        self.size = island.size();
        self.pieces.clear();
        self.pieces.extend(problem.cones().iter().enumerate().map(|(i, cone)| match cone {
            Cone::Free => Piece::Sticks,
            Cone::Box { .. } => Piece::Fixed(0.0),
            Cone::NonNegative | Cone::Friction { .. } | Cone::Patch { .. } => {
                let presses = problem.free_velocity[problem.range(i).start + cone.normal()] < 0.0;
                if presses { Piece::Closed } else { Piece::Fixed(0.0) }
            }
        }));
        self.metric(island, island.params.compliance);
        let presses = island.params.presses;
        for round in 0..presses {
            if !a.factor(problem, &self.pieces, &self.d) {
                self.lambda.clear();
                self.lambda.resize(problem.rows(), 0.0);
                break;
            }
            self.lambda.clear();
            self.lambda.extend(problem.free_velocity.iter().map(|g| -g));
            a.solve(problem, &self.pieces, &mut self.lambda);
            // Of open contacts alone velocities say something new.
            if self.pieces.iter().any(|piece| matches!(piece, Piece::Fixed(_))) {
                a.velocities(problem, &self.lambda, &mut self.c);
            }
            let mut last = None;
            for (i, piece) in self.pieces.iter_mut().enumerate() {
                let cone = problem.cone(i);
                let r = problem.range(i).start + cone.normal();
                let next = match piece {
                    Piece::Closed if self.lambda[r] < 0.0 => Piece::Fixed(0.0),
                    Piece::Fixed(_) if cone.opens() && self.c[r] < -1e-12 * self.size => Piece::Closed,
                    _ => continue,
                };
                last = Some((i, next));
                if round < presses / 2 {
                    *piece = next;
                }
            }
            let Some((i, next)) = last else { break };
            // Block pivots may go in circles; one at a time do not [Murty1974].
            if round >= presses / 2 {
                self.pieces[i] = next;
            }
        }
        self.pressing.clone_from(&self.lambda);
        problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut self.pressing[problem.range(i)]));
        for (i, (piece, cone)) in self.pieces.iter_mut().zip(problem.cones()).enumerate() {
            if let Cone::Box { .. } = cone {
                // Dry friction that stops its row alone, or goes to its side.
                let g = &problem.free_velocity[problem.range(i)];
                *piece = piece_of(*cone, island.stopping.norms[i], &[0.0], g).0;
            } else if *piece == Piece::Closed {
                *piece = Self::held(*cone);
            }
        }
    }

    /// True if something is in P.
    fn touches(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece, Piece::Fixed(_)))
    }

    /// (2) with the pieces at hand, or (3) where A_PP is nearly singular; false if it comes to no end, or its first
    /// step goes so many times `beyond` the cone of a contact.
    fn factor_and_solve<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        tolerance: f64,
        beyond: f64,
    ) -> bool {
        let problem = island.problem;
        if !a.factor(problem, &self.pieces, &self.d) {
            return false;
        }
        self.start(island, a);
        if !a.is_regular(island.params.regular) {
            return self.correct(island, a, tolerance, (true, beyond));
        }
        let mut before = f64::INFINITY;
        for step in 0..island.params.refinements {
            self.step.clear();
            self.step.extend(self.c.iter().map(|c| -c));
            a.solve(problem, &self.pieces, &mut self.step);
            if step == 0 && self.is_beyond(island, beyond) {
                return false;
            }
            self.lambda.iter_mut().zip(&self.step).for_each(|(l, d)| *l += d);
            a.velocities(problem, &self.lambda, &mut self.c);
            let left = self.left(island, &self.c);
            if !left.is_finite() {
                return false;
            }
            if left <= island.params.refined * self.size {
                return true;
            }
            if left > island.params.refinement_gain * before {
                break;
            }
            before = left;
        }
        self.start(island, a);
        self.correct(island, a, tolerance, (false, f64::INFINITY))
    }

    /// True if a step has more than so many times the friction that the normal impulse of a contact allows.
    fn is_beyond(&self, island: &Island<'_>, times: f64) -> bool {
        times.is_finite()
            && island.problem.cones().iter().enumerate().any(|(i, cone)| {
                let Some(mu) = cone.friction() else { return false };
                let here = &self.step[island.problem.range(i)];
                let most = mu * here[cone.normal()];
                most > 0.0 && tangential(here) > times * most
            })
    }

    /// No impulses but those of rows at a side of their box.
    fn start<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) {
        let problem = island.problem;
        self.lambda.clear();
        self.lambda.resize(problem.rows(), 0.0);
        let mut any = false;
        for (i, piece) in self.pieces.iter().enumerate() {
            if let Piece::Fixed(value) = piece
                && *value != 0.0
            {
                self.lambda[problem.range(i)].fill(*value);
                any = true;
            }
        }
        if any {
            a.velocities(problem, &self.lambda, &mut self.c);
        } else {
            self.c.clear();
            self.c.extend_from_slice(&problem.free_velocity);
        }
    }

    /// (3) from the impulses at hand, which may be none, and their velocities c; false if what it can take away does not
    /// go, or its first step goes so many times `beyond` the cone of a contact.
    fn correct<D: Delassus>(
        &mut self,
        island: &Island<'_>,
        a: &mut D,
        tolerance: f64,
        (from_nothing, beyond): (bool, f64),
    ) -> bool {
        let problem = island.problem;
        let mut before = f64::INFINITY;
        for k in 0..=island.params.refinements {
            self.step.clear();
            self.step.extend(self.c.iter().map(|c| -c));
            a.solve(problem, &self.pieces, &mut self.step);
            if k == 0 && self.is_beyond(island, beyond) {
                return false;
            }
            a.multiply(problem, &self.step, &mut self.product);
            let left = self.left(island, &self.product);
            if !left.is_finite() {
                return false;
            }
            if left <= island.params.refined_in_range * self.size {
                return true;
            }
            if !(left <= island.params.refinement_gain * before) {
                return left <= tolerance;
            }
            before = left;
            std::mem::swap(&mut self.step, &mut self.product);
            a.solve(problem, &self.pieces, &mut self.step);
            self.lambda.iter_mut().zip(&self.step).for_each(|(l, d)| *l += d);
            if k == 0 && from_nothing {
                self.take_noise(island, a);
            }
            a.velocities(problem, &self.lambda, &mut self.c);
        }
        before <= tolerance
    }

    /// Takes off what rounding has left outside of the range of A, some u/ε of the impulses: A (A + ε D)⁻¹
    /// leaves of what is in the range all but ε/A, which further steps put back.
    fn take_noise<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) {
        let problem = island.problem;
        self.step.clone_from(&self.lambda);
        for (i, piece) in self.pieces.iter().enumerate() {
            if let Piece::Fixed(_) = piece {
                self.step[problem.range(i)].fill(0.0);
            }
        }
        a.solve(problem, &self.pieces, &mut self.step);
        a.multiply(problem, &self.step, &mut self.product);
        for (i, piece) in self.pieces.iter().enumerate() {
            let rows = problem.range(i);
            match piece {
                Piece::Sticks => self.lambda[rows.clone()].copy_from_slice(&self.product[rows]),
                Piece::Closed => {
                    let r = rows.start + problem.cone(i).normal();
                    self.lambda[r] = self.product[r];
                }
                _ => {}
            }
        }
    }

    /// ‖c‖ over the rows that are held [m/s].
    fn left(&self, island: &Island<'_>, c: &[f64]) -> f64 {
        let problem = island.problem;
        let square = |(i, piece): (usize, &Piece)| {
            let rows = &c[problem.range(i)];
            match piece {
                Piece::Sticks => rows.iter().map(|c| c * c).sum(),
                Piece::Closed => rows[problem.cone(i).normal()].powi(2),
                _ => 0.0,
            }
        };
        self.pieces.iter().enumerate().map(square).sum::<f64>().sqrt()
    }

    /// Opens what pulls, closes what would overlap, leaves rows at a side of their box and takes them back; true if P has
    /// changed.
    fn changes(&mut self, island: &Island<'_>, tolerance: f64) -> bool {
        let Self { pieces, lambda, c, size, .. } = self;
        let problem = island.problem;
        let largest = lambda.iter().fold(0.0_f64, |m, l| m.max(l.abs()));
        let overlaps = (island.params.overlaps * *size).min(tolerance);
        let mut changed = false;
        for (i, piece) in pieces.iter_mut().enumerate() {
            let cone = problem.cone(i);
            let r = problem.range(i).start + cone.normal();
            let next = match (cone, &*piece) {
                (Cone::Free, _) => continue,
                (Cone::Box { lo, hi }, Piece::Fixed(side)) => {
                    let back = if *side <= lo { c[r] < -overlaps } else { c[r] > overlaps };
                    if !back || lo >= hi {
                        continue;
                    }
                    Piece::Sticks
                }
                (Cone::Box { lo, hi }, _) => {
                    if lambda[r] >= lo && lambda[r] <= hi {
                        continue;
                    }
                    Piece::Fixed(if lambda[r] < lo { lo } else { hi })
                }
                (Cone::NonNegative | Cone::Friction { .. } | Cone::Patch { .. }, piece) => {
                    let fixed = matches!(piece, Piece::Fixed(_));
                    if fixed && c[r] < -overlaps {
                        Self::held(cone)
                    } else if !fixed && lambda[r] < -island.params.outside * largest {
                        Piece::Fixed(0.0)
                    } else {
                        continue;
                    }
                }
            };
            (*piece, changed) = (next, true);
        }
        changed
    }

    /// True if all impulses are in their cones, up to rounding, where they are put.
    fn inside(&mut self, island: &Island<'_>) -> bool {
        let problem = island.problem;
        let square: f64 = self.lambda.iter().map(|l| l * l).sum();
        let slack = island.params.outside * square.sqrt();
        for (i, cone) in problem.cones().iter().enumerate() {
            let Some(mu) = cone.friction() else { continue };
            let here = &self.lambda[problem.range(i)];
            if tangential(here) > mu * here[2] + slack {
                return false;
            }
        }
        problem.cones().iter().enumerate().for_each(|(i, c)| c.project(&mut self.lambda[problem.range(i)]));
        true
    }

    /// The natural map of the impulses [m/s].
    fn judge<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D) -> f64 {
        a.velocities(island.problem, &self.lambda, &mut self.c);
        island.stopping.residual(island.problem, Law::Ncp, &self.lambda, &self.c)
    }

    /// Other impulses that hold the same, in their cones; false if there are none.
    fn lead_inside<D: Delassus>(&mut self, island: &Island<'_>, a: &mut D, tolerance: f64) -> bool {
        let blocks = self.pieces.iter().enumerate().filter(|p| !matches!(p.1, Piece::Fixed(_))).map(|p| p.0);
        if !self.smallest.admissible(island.problem, blocks, &self.lambda, &mut self.step) {
            return false;
        }
        for (i, piece) in self.pieces.iter().enumerate() {
            if !matches!(piece, Piece::Fixed(_)) {
                let rows = island.problem.range(i);
                self.lambda[rows.clone()].copy_from_slice(&self.step[rows]);
            }
        }
        a.velocities(island.problem, &self.lambda, &mut self.c);
        self.correct(island, a, tolerance, (false, f64::INFINITY)) && self.inside(island)
    }
}
