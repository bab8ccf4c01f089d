//! Which answer, where the exact law has several with different velocities.
//!
//! Rigid contacts with friction may leave open not only how they press, but how bodies move: a box held between two plates
//! may stick or slip, and what slides on four corners turns as they happen to share its weight. The rule:
//!
//! ```text
//!     sticking:  all that can stick do, if the smallest impulses that hold them are admissible                       (1)
//!     sliding:   min ‖λ‖  such that  c = 0 where it sticks, c_N = 0 and λ = N (−μ ĉ_T, 1) where it slides             (2)
//! ```
//!
//! (2) is how many equal springs share a load whose sliding directions ĉ_T are given; they are those of the answer itself.
//! (1) is asked first, before any search and of any number of rows, whether all can stick ([`holding`]). Where a search has found that
//! something slides it is asked of all that touches, with a load or without: contacts whose smallest holding impulses leave their cones slide,
//! and the others are asked again. So the answer depends on the problem alone, not on the impulses a solve starts from.
//!
//! What is found counts only if the natural map of the exact law [DeSaxce1998] says that it is an answer. It works on
//! connected blocks together, in dense matrices by rows: G of one such component, and C of (2), whose rows are the
//! velocities that vanish and whose columns are the impulses that are free:
//!
//! ```text
//!     C x = b,   x = Cᵀ y,   (C Cᵀ + δ) y ← b,   a few times                                                        (3)
//! ```
//!
//! Cost: n³ for n free impulses of a component that slides; nothing where nothing slides.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg].

mod component;
mod holding;
mod pieces;
mod selected;

pub(crate) use holding::Holding;
pub(crate) use selected::Selected;

use crate::residual::StoppingResidual;
use component::{Component, Unique};
use pieces::Piece;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// Share of the friction allowed that is all of it, but for what a tolerance leaves [–].
const ALL: f64 = 0.999;
/// A contact opens slowly if it does at less than so many times the fastest slip [–].
const NEAR: f64 = 3.0;
/// (1) is asked where the slip of some contact is no more than so many times what all friction of the component would
/// stop [–].
const STOPS: f64 = 10.0;
/// Rounds of (1), and of the directions of (2).
const ROUNDS: usize = 12;
const TURNS: usize = 12;
/// Directions are found anew while what is left falls to this share at least [–] …
const GAIN: f64 = 0.9;
/// … and no contact pulls by more than this share of the largest impulse, which no other direction would mend [–].
const HOPELESS: f64 = 1e-2;
/// Impulses that hold may leave their cones by this share of them [–].
const OUTSIDE: f64 = 1e-9;

/// Room for a selection; holds during one.
#[derive(Default)]
pub(crate) struct Selection {
    component: Component,
    c: Vec<f64>,
    found: Vec<f64>,
    found_c: Vec<f64>,
    /// Per block the component it is in, by its first block.
    root: Vec<usize>,
    /// Per component, by its first block: something slides there.
    slips: Vec<bool>,
    blocks: Vec<usize>,
    /// Per block of the component: it slides in the answer given.
    sliding: Vec<bool>,
    pieces: Vec<Piece>,
    tried: Vec<Piece>,
}

impl Selection {
    /// Leaves the selected answer in `impulses`, which solve `problem` to `tolerance`, and returns its residual and how far
    /// its velocities are from those of the answer given, 2-norm [m/s]; `None` if nothing slides in components of `most` rows
    /// or less, or nothing else is an answer.
    pub(crate) fn select(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &mut StoppingResidual,
        (tolerance, most): (f64, usize),
        impulses: &mut [f64],
    ) -> Option<(f64, f64)> {
        if !(0..problem.len()).any(|i| may_slide(problem, i, impulses)) {
            return None;
        }
        problem.velocities_into(impulses, &mut self.c);
        if !(0..problem.len()).any(|i| slides(problem, i, impulses, &self.c, tolerance)) {
            return None;
        }
        stopping.prepare(problem);
        let before = stopping.residual(problem, Law::Ncp, impulses, &self.c);
        component::find(problem, &mut self.root, &mut self.blocks);
        let mut chosen = None;
        self.slips.clear();
        self.slips.resize(problem.len(), false);
        for i in 0..problem.len() {
            self.slips[self.root[i]] |= slides(problem, i, impulses, &self.c, tolerance);
        }
        for first in 0..problem.len() {
            if !self.slips[first] {
                continue;
            }
            self.blocks.clear();
            self.blocks.extend((first..problem.len()).filter(|&i| self.root[i] == first));
            let rows: usize = self.blocks.iter().map(|&i| problem.cone(i).dim()).sum();
            let patch = |i: &usize| matches!(problem.cone(*i), Cone::Patch { .. });
            if rows > most || self.blocks.iter().any(patch) {
                continue;
            }
            self.component.take(problem, &self.blocks);
            if let Some(e) = self.choose(problem, stopping, tolerance.max(before), impulses) {
                let apart = self.found_c.iter().zip(&self.c).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                let known: (f64, f64) = chosen.unwrap_or_default();
                chosen = Some((e, known.1.hypot(apart.sqrt())));
                impulses.copy_from_slice(&self.found);
                self.c.copy_from_slice(&self.found_c);
            }
        }
        chosen
    }

    /// (1), then (2), of the component at hand; the residual of what is found and is an answer.
    fn choose(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        tolerance: f64,
        impulses: &[f64],
    ) -> Option<f64> {
        pieces::read(problem, stopping, &self.blocks, impulses, &self.c, tolerance, &mut self.pieces);
        self.sliding.clear();
        self.sliding.extend(self.blocks.iter().map(|&i| slides(problem, i, impulses, &self.c, tolerance)));
        // Contacts that open slower than others slide may stay when those stop.
        let c = |i: usize| &self.c[problem.range(i)];
        let slip = |&i: &usize| {
            if slides(problem, i, impulses, &self.c, tolerance) { c(i)[0].hypot(c(i)[1]) } else { 0.0 }
        };
        let fastest = NEAR * self.blocks.iter().map(slip).fold(0.0, f64::max);
        // Friction that might come to act between all of them [N·s].
        let friction = |&i: &usize| match problem.cone(i) {
            Cone::Friction { mu } => mu * impulses[problem.range(i).start + 2].max(0.0),
            _ => 0.0,
        };
        let most = STOPS * self.blocks.iter().map(friction).sum::<f64>();
        let stops = |k: usize, i: usize| c(i)[0].hypot(c(i)[1]) <= most * self.component.tangential(k);
        let stops = (0..self.blocks.len()).any(|k| self.sliding[k] && stops(k, self.blocks[k]));
        self.tried.clear();
        self.tried.extend(self.pieces.iter().zip(&self.blocks).map(|(p, &i)| match problem.cone(i) {
            Cone::Friction { mu } if mu > 0.0 && (*p != Piece::Given || c(i)[2] <= fastest) => Piece::Sticks,
            _ => *p,
        }));
        for _ in 0..if stops { ROUNDS } else { 0 } {
            if self.component.solve(&self.tried, impulses, &self.blocks, problem).is_none() {
                break;
            }
            if !self.let_go() {
                if let Some(e) = self.settle(problem, stopping, tolerance, impulses) {
                    return Some(e);
                }
                break;
            }
            if !self.slides_less() {
                break;
            }
        }
        self.tried.clear();
        self.tried.extend_from_slice(&self.pieces);
        self.settle(problem, stopping, tolerance, impulses)
    }

    /// Opens the contacts that pull among those that stick in what is tried; where none pulls, those whose impulses leave their
    /// cones slide, on their way if they slide anyhow. False if all may stay.
    fn let_go(&mut self) -> bool {
        let Self { component, tried, pieces, .. } = self;
        let mut any = false;
        for (k, piece) in tried.iter_mut().enumerate() {
            if *piece != Piece::Given && component.pulls(k, OUTSIDE) {
                (*piece, any) = (Piece::Given, true);
            }
        }
        if any {
            return true;
        }
        for (k, piece) in tried.iter_mut().enumerate() {
            if let (Piece::Sticks, Some(slide)) = (*piece, component.leaves(k, OUTSIDE)) {
                *piece = if let Piece::Slides { .. } = pieces[k] { pieces[k] } else { slide };
                any = true;
            }
        }
        any
    }

    /// True if fewer contacts slide in what is tried than in the answer given, and none that does not there.
    fn slides_less(&self) -> bool {
        let slides = |(k, p): (usize, &Piece)| match p {
            Piece::Slides { .. } => true,
            Piece::Given => self.sliding[k],
            Piece::Sticks => false,
        };
        let tried = || self.tried.iter().enumerate().filter(|t| slides(*t)).map(|t| t.0);
        tried().count() < self.sliding.iter().filter(|s| **s).count() && tried().all(|k| self.sliding[k])
    }

    /// (2) with the pieces that are tried, its directions those of its own velocities; the residual if it is an answer.
    fn settle(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        tolerance: f64,
        impulses: &[f64],
    ) -> Option<f64> {
        let mut best = f64::INFINITY;
        for turn in 0..TURNS {
            let unique = self.component.solve(&self.tried, impulses, &self.blocks, problem)?;
            // What has these pieces and no other answer is the answer given.
            if unique == Unique::Yes && turn == 0 && self.tried == self.pieces {
                return None;
            }
            self.found.clear();
            self.found.extend_from_slice(impulses);
            self.component.write(problem, &self.blocks, &mut self.found);
            problem.velocities_into(&self.found, &mut self.found_c);
            let e = stopping.residual(problem, Law::Ncp, &self.found, &self.found_c);
            if e <= tolerance {
                return Some(e);
            }
            if turn > 0 && !(e < GAIN * best) || self.component.any_pulls(HOPELESS) {
                return None;
            }
            best = best.min(e);
            for (piece, &i) in self.tried.iter_mut().zip(&self.blocks) {
                piece.turn(&self.found_c[problem.range(i)]);
            }
        }
        None
    }
}

/// True if block i is a contact that slides, faster than `tolerance` [m/s]: with a load, or touching without one.
fn slides(problem: &ConstraintProblem, i: usize, impulses: &[f64], c: &[f64], tolerance: f64) -> bool {
    let (Cone::Friction { mu }, rows) = (problem.cone(i), problem.range(i)) else { return false };
    let slip = c[rows.start].hypot(c[rows.start + 1]);
    mu > 0.0 && slip > tolerance && (impulses[rows.start + 2] > 0.0 || c[rows.start + 2] <= NEAR * slip)
}

/// True if block i is a contact that may slide: without a load, or with all the friction that its cone allows.
fn may_slide(problem: &ConstraintProblem, i: usize, impulses: &[f64]) -> bool {
    let (Cone::Friction { mu }, rows) = (problem.cone(i), problem.range(i)) else { return false };
    let &[x, y, n] = &impulses[rows] else { return false };
    mu > 0.0 && (n <= 0.0 || x.hypot(y) >= ALL * mu * n)
}

#[cfg(test)]
mod tests {
    use crate::registry::{Common, make, make_from};
    use crate::testing::{cube, grasp};
    use crate::values::Params;
    use stiction_contact::certificate::certify;
    use stiction_contact::{ConstraintProblem, ContactSolver};
    use stiction_dynamics::spatial::vec3;

    /// The answer from many starts, all within the tolerance, and how far they are from the first [N·s].
    fn from_many_starts(solver: &mut dyn ContactSolver, problem: &ConstraintProblem) -> (Vec<f64>, f64) {
        let (mut first, mut apart, mut bits) = (Vec::new(), 0.0_f64, 7_u64);
        for start in 0..30 {
            let mut impulses = vec![0.0; problem.rows()];
            for (i, cone) in problem.cones().iter().enumerate().filter(|_| start > 0) {
                let rows = &mut impulses[problem.range(i)];
                for x in &mut *rows {
                    bits =
                        bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    *x = (bits >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
                }
                cone.project(rows);
            }
            solver.forget();
            assert!(solver.solve(problem, &mut impulses).converged());
            assert!(certify(problem, &impulses).natural_map <= 1e-9);
            if first.is_empty() {
                first.clone_from(&impulses);
            }
            apart = first.iter().zip(&impulses).fold(apart, |m, (a, b)| m.max((a - b).abs()));
        }
        (first, apart)
    }

    /// A cube that slides and turns on four corners: one answer from all starts, whose impulses are the smallest. Any other
    /// answer of the same directions is larger: moved along what changes no normal velocity, ‖λ‖ grows.
    #[test]
    fn sliding_corners_share_the_load_as_equal_springs_do() {
        let problem = cube(0.5, vec3(1.0, 0.3, -0.1), vec3(0.0, 0.0, 3.0));
        let common = Common { tolerance: 1e-9, max_iterations: 2000 };
        let (selected, apart) = from_many_starts(make("auto", &common).unwrap().as_mut(), &problem);
        assert!(apart < 1e-8, "{apart:e}");
        let size = |l: &[f64]| l.iter().map(|x| x * x).sum::<f64>().sqrt();
        let never = Params::parse(&["selection_rows=0"]).unwrap();
        for name in ["auto", "nsgs", "ncp-newton"] {
            let (other, _) = from_many_starts(make_from(name, &common, &never).unwrap().as_mut(), &problem);
            assert!(size(&other) > size(&selected) - 1e-9, "{name}: {} < {}", size(&other), size(&selected));
        }
        let asked = Params::parse(&["selection_rows=100"]).unwrap();
        let (same, _) =
            from_many_starts(make_from("ncp-newton", &common, &asked).unwrap().as_mut(), &problem);
        assert!(same.iter().zip(&selected).all(|(a, b)| (a - b).abs() < 1e-7), "{same:?} {selected:?}");
    }

    /// A box that can be held is held, from every start, by the smallest impulses that hold it.
    #[test]
    fn what_can_stick_sticks() {
        let problem = grasp(12.0, 0.5);
        let (held, apart) = from_many_starts(make("auto", &Common::default()).unwrap().as_mut(), &problem);
        let mut c = Vec::new();
        problem.velocities_into(&held, &mut c);
        assert!(apart < 1e-8 && c.iter().all(|c| c.abs() < 1e-9), "{apart:e}, {c:?}");
    }
}
