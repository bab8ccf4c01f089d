//! `ncp-al`: the exact law by an augmented Lagrangian in the velocity.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! With the correction frozen at s, impulses held at λ̂ and a small compliance r > 0, λ is a function of the
//! velocity, and v⁺ the minimum of a strongly convex one, after which both follow:
//!
//! ```text
//!     λ(v) = P_K((R + r)⁻¹ (r λ̂ − J v − b − s)),   P_K in the metric of R + r           (3)
//!     v = argmin ½ (v − v_f)ᵀ M (v − v_f) + ½ λ(v)ᵀ (R + r) λ(v)                       (4)
//!     λ̂ ← λ(v),   s_i ← (0, 0, μ_i ‖c_Ti‖)                                             (5)
//! ```
//!
//! (3) to (5) with s fixed is the method of multipliers [Rockafellar1976]: r acts on λ − λ̂ only, which
//! vanishes. The form for contacts is [Lee2025], who freeze the radius of friction where (5) freezes De
//! Saxcé's correction, as `ncp-aclm` does. (4) is a compliant law, solved by Newton's method with a line
//! search ([`crate::primal_newton`]), which counts from λ̂: else rounding of order ε c/r would stop it. Anderson steps on s
//! shorten the way, but look at one earlier only, as λ̂ and r move as well. r starts at a share of ‖A_ii‖ and falls while λ̂
//! lags behind s; where kinks stop (4), it grows again, and what 1/r has made of an unsolved (4) is taken back.
//!
//! Mass ratios cost little. Where friction couples contacts strongly (large μ, tilted normals), s may cycle:
//! nothing is proven of (5). It starts at the slip found, and once more at zero, which is the only way to
//! a rod that wedges: any s that large lets it go.
//!
//! Units: λ [N·s], c and g [m/s], G, R and r [1/kg]. Contact axes (t₁, t₂, n), of patches also those of spinning and
//! rolling, which are among T. An iteration is a programme (4): one to ten Newton steps, each a factorisation
//! by blocks of trees. Allocates only when the problem grows.

use crate::anderson::Safeguarded;
use crate::iterate::{Limits, Method};
use crate::iterate_solver::{BY_FACTOR, IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::primal_newton::{Direction, PrimalNewton};
use crate::residual::corrections_into;
use crate::task::Task;
use crate::work;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::{Cone, ConstraintProblem, Law, Needs, SoftBlock};

/// Newton steps for (4), and how many may pass without halving its error.
const INNER: u32 = 100;
const INNER_PATIENCE: u32 = 10;
/// A line search in (4) ends where the slope is this share of the first [–].
const FLAT: f64 = 0.1;
/// (4) is solved to the tolerance, or to this share of the last change of s and λ̂ [–] …
const SHARE_OF_CHANGE: f64 = 0.1;
/// … and at first to that share of what the start leaves, or to this error [m/s].
const FIRST: f64 = 1e-4;
/// Factor by which r moves, and its range as a share of ‖A_ii‖ [–].
const FACTOR: f64 = 10.0;
const FIRMEST: f64 = 1e-8;
const SOFTEST: f64 = 1.0;
/// r falls where λ̂ still lags by more than this share of what it did, and of what s has moved [–].
const SLOW: f64 = 0.1;
const BEHIND: f64 = 0.5;
/// Where r starts by default.
const COMPLIANCE: f64 = 1e-3;
/// Iterations without halving the change of s after which it starts once more, from zero.
const PERSISTENCE: u32 = 40;
/// An unsolved (4) is taken back where s moves so many times more than before [–].
const ASTRAY: f64 = 10.0;

parameters! {
    /// Parameters of [`NcpAl`].
    pub struct NcpAlParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Programmes (4) before giving up.
        max_iterations: u32 = 500, "–", at_least(1.0);
        /// First r as a share of ‖A_ii‖; smaller takes fewer, harder programmes.
        compliance: f64 = COMPLIANCE, "–", at_least(FIRMEST).at_most(SOFTEST);
        /// Earlier iterations an Anderson step on s looks at; 0 takes none, as published. λ̂ and r move as well: more than one rarely helps.
        memory: u32 = 1, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub type NcpAl = IslandSolver<NcpAlParams>;

impl IslandMethod for NcpAlParams {
    type Method = Augmented;
    const NAME: &'static str = "ncp-al";
    const NEEDS: Needs = BY_FACTOR;
    const TAKES_PATCHES: bool = true;

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Start {
        Start { compliance: self.compliance, memory: self.memory }
    }
}

/// How [`Augmented`] starts: the parameters of the same name.
#[derive(Clone, Copy)]
pub struct Start {
    pub(crate) compliance: f64,
    pub(crate) memory: u32,
}

impl Start {
    /// The defaults of [`NcpAlParams`].
    pub(crate) const DEFAULT: Self = Self { compliance: COMPLIANCE, memory: 1 };
}

/// The method itself, on one island.
#[derive(Default)]
pub struct Augmented {
    primal: PrimalNewton,
    /// r as a share of ‖A_ii‖.
    share: f64,
    /// λ̂
    held: Vec<f64>,
    /// s, one number per friction block or patch, and its image under (3) to (5).
    shift: Vec<f64>,
    image: Vec<f64>,
    way: Safeguarded,
    /// Least change of s, iterations since, and whether s has started twice.
    least: f64,
    age: u32,
    again: bool,
    /// ‖r (λ − λ̂)‖ of the iteration before, and how much s has moved in it [m/s].
    lag: f64,
    moved: f64,
    /// Error at which (4) counts as solved [m/s].
    goal: f64,
    c: Vec<f64>,
}

impl Method for Augmented {
    type Params = Start;
    const PATIENCE: u32 = 100;
    const BY_FACTOR: bool = true;

    fn start(
        &mut self,
        &Start { compliance, memory }: &Start,
        task: &Task,
        lambda: &[f64],
        c: &[f64],
    ) -> bool {
        self.share = compliance;
        self.held.clear();
        self.held.extend_from_slice(lambda);
        corrections_into(task.problem, c, &mut self.shift);
        self.way.start(memory as usize, self.shift.len());
        let left = task.stopping.residual(task.problem, task.law, lambda, c);
        self.goal = task.tolerance.max(FIRST.min(SHARE_OF_CHANGE * left));
        (self.lag, self.moved) = (f64::INFINITY, f64::INFINITY);
        (self.least, self.age, self.again) = (f64::INFINITY, 0, false);
        self.primal.prepare(task.problem, lambda)
    }

    fn iterate(&mut self, _: &Start, task: &Task, lambda: &mut [f64]) -> bool {
        self.set_laws(task); // (3)
        let solved = self.minimise(task.problem, lambda); // (4)
        corrections_into(task.problem, &self.c, &mut self.image); // (5)

        let moved = self.shift.iter().zip(&self.image).map(|(s, t)| (s - t).powi(2)).sum::<f64>().sqrt();
        let lag = self.lag(task, lambda);
        if !solved {
            self.share = SOFTEST.min(FACTOR * self.share);
        } else if lag > SLOW * self.lag && lag > BEHIND * moved {
            self.share = FIRMEST.max(self.share / FACTOR);
        }
        if !solved && moved > ASTRAY * self.moved {
            lambda.copy_from_slice(&self.held);
            return self.primal.prepare(task.problem, lambda);
        }
        (self.lag, self.moved) = (lag, moved);
        self.goal = task.tolerance.max(SHARE_OF_CHANGE * moved.max(lag));
        self.held.copy_from_slice(lambda);
        self.primal.count_from_here(task.problem);
        self.way.advance(&mut self.shift, &mut self.image);
        self.age += 1;
        if moved < 0.5 * self.least {
            (self.least, self.age) = (moved, 0);
        } else if self.age > PERSISTENCE && !self.again {
            self.shift.fill(0.0);
            self.way.restart();
            (self.least, self.age, self.again) = (f64::INFINITY, 0, true);
        }
        self.shift.iter().all(|s| s.is_finite())
    }
}

impl Augmented {
    /// (3) as compliances and shifts: λ(v) = P_K(−(c₀ + shift)/compliance).
    fn set_laws(&mut self, task: &Task) {
        let problem = task.problem;
        let mut shift = self.shift.iter();
        self.primal.renew();
        self.primal.soft.clear();
        for (i, (&cone, norm)) in problem.cones().iter().zip(&task.stopping.norms).enumerate() {
            let (own, held) = (&problem.compliance[problem.range(i)], &self.held[problem.range(i)]);
            let more = self.share * norm;
            // An Anderson step may go below zero, where no correction is.
            let mut correction = || shift.next().map_or(0.0, |&s| if s > 0.0 { s } else { 0.0 });
            let block = match cone {
                Cone::Friction { .. } => {
                    // The metric of the projection has one number for both tangents.
                    let tangent = own[0].max(own[1]) + more;
                    let soft = [tangent, tangent, own[2] + more];
                    let mut by: [f64; 3] = std::array::from_fn(|k| (own[k] - soft[k]) * held[k]);
                    by[2] += correction();
                    SoftBlock::Cone { cone, compliance: soft, shift: by }
                }
                Cone::Patch { mu, .. } => {
                    let all = own.iter().enumerate().filter(|(k, _)| *k != cone.normal());
                    let tangent = all.fold(0.0_f64, |m, (_, own)| m.max(*own)) + more;
                    let mut by = [0.0; MAX_ROWS];
                    by.iter_mut()
                        .zip(own.iter().zip(held))
                        .for_each(|(b, (own, l))| *b = (own - tangent) * l);
                    by[2] = correction() - more * held[2];
                    SoftBlock::Patch { mu, compliance: [tangent, own[2] + more], shift: by }
                }
                Cone::Free | Cone::NonNegative | Cone::Box { .. } => {
                    let soft = own[0] + more;
                    SoftBlock::Cone { cone, compliance: [soft; 3], shift: [(own[0] - soft) * held[0]; 3] }
                }
            };
            self.primal.soft.push(block);
        }
    }

    /// (4), its impulses into λ and their velocities into c; false if hard kinks stopped it.
    fn minimise(&mut self, problem: &ConstraintProblem, lambda: &mut [f64]) -> bool {
        let mut least = (f64::INFINITY, 0);
        for step in 0..INNER {
            let going = self.primal.step(Direction::Newton, FLAT, problem, lambda);
            if !going {
                self.primal.impulses_here(problem, lambda);
            }
            let error = self.primal.error(problem, &mut self.c);
            if error <= self.goal || !going {
                return true;
            }
            if error < 0.5 * least.0 {
                least = (error, step);
            }
            if step >= least.1 + INNER_PATIENCE || work::spent() {
                return false;
            }
        }
        false
    }

    /// ‖r (λ − λ̂)‖: how far λ is from (2) with s for Γ [m/s].
    fn lag(&self, task: &Task, lambda: &[f64]) -> f64 {
        let mut squares = 0.0;
        for (i, norm) in task.stopping.norms.iter().enumerate() {
            let rows = task.problem.range(i);
            let apart = lambda[rows.clone()].iter().zip(&self.held[rows]);
            squares += apart.map(|(l, held)| (self.share * norm * (l - held)).powi(2)).sum::<f64>();
        }
        squares.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graded, point, stack};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;
    use stiction_contact::corpus::Random;
    use stiction_dynamics::spatial::{Vec3, vec3};

    /// The compliance is of the way, not of the answer: no creep in stick, no lift in sliding, no sinking.
    #[test]
    fn the_answer_is_rigid_whatever_the_compliance() {
        for (g, expected) in [([0.02, 0.0, -0.1], [0.0; 3]), ([1.0, 0.0, -0.1], [0.95, 0.0, 0.0])] {
            let problem = point(2.0, 0.5, g);
            for compliance in [1e-6, 1e-3, 1.0] {
                let (mut impulses, mut c) = (vec![0.0; 3], Vec::new());
                let params = NcpAlParams { compliance, tolerance: 1e-12, ..Default::default() };
                let report = NcpAl::new(params).unwrap().solve(&problem, &mut impulses);
                assert!(report.converged(), "{report:?}");
                problem.velocities_into(&impulses, &mut c);
                assert!((0..3).all(|k| (c[k] - expected[k]).abs() < 1e-11), "{compliance}: {c:?}");
            }
        }
    }

    /// Contacts that spin and roll, on dofs with dry friction, by blocks and by W, of one tree and of two that touch: the
    /// judge agrees, and W makes no other way of it.
    #[test]
    fn patches_are_solved() {
        let cones = [
            Cone::Patch { mu: 0.4, rolls: true },
            Cone::Patch { mu: 0.8, rolls: false },
            Cone::Friction { mu: 0.5 },
            Cone::Box { lo: -0.1, hi: 0.1 },
        ];
        let mut random = Random(8);
        for k in 0..40 {
            let (mut known, nv) = (ConstraintProblem::default(), 9);
            let trees = if k % 2 == 0 { [0..nv, 0..0] } else { [0..4, 4..nv] };
            known.delassus_factor.start(trees.iter().filter(|t| !t.is_empty()).cloned());
            for cone in cones {
                let g: Vec<f64> = (0..cone.dim()).map(|_| random.number()).collect();
                known.push(cone, &g);
                known.delassus_factor.push_block();
                let mut column = || vec3(random.number(), random.number(), random.number());
                for (tree, dofs) in trees.iter().enumerate().filter(|(_, dofs)| !dofs.is_empty()) {
                    let columns = dofs.clone().rev().map(|dof| (dof, column()));
                    known.delassus_factor.push_segment(tree, None, columns);
                }
                if cone.dim() > 3 {
                    let rolls = f64::from(u8::from(cone.dim() > 4));
                    known.delassus_factor.push_more(|_| {
                        let w = column();
                        vec3(w.x, rolls * w.y, rolls * w.z)
                    });
                }
            }
            let mut formed = known.clone();
            formed.form_blocks().unwrap();
            formed.delassus_factor.clear();
            let mut steps = [0; 2];
            for (problem, steps) in [&known, &formed].into_iter().zip(&mut steps) {
                let mut impulses = vec![0.0; problem.rows()];
                let report = NcpAl::new(NcpAlParams::default()).unwrap().solve(problem, &mut impulses);
                assert!(report.converged() && report.iterations < 60, "{report:?}");
                assert!(certify(problem, &impulses).natural_map <= 1e-8);
                *steps = report.iterations;
            }
            assert!(steps[0].abs_diff(steps[1]) <= 2, "{steps:?}");
        }
    }

    /// Heavy on light, 1 : 10⁴ over five cubes.
    #[test]
    fn mass_ratios_cost_little() {
        let problem = stack(&graded(5, 1.0, 1e4), Vec3::ZERO, 0.5);
        let mut impulses = vec![0.0; problem.rows()];
        let report = NcpAl::new(NcpAlParams::default()).unwrap().solve(&problem, &mut impulses);
        assert!(report.converged() && report.iterations < 20, "{report:?}");
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
    }
}
