//! What a derivative of an accepted step needs.

use super::integrate::Quadrature;
use super::integrate::ballistic::Ballistic;
use super::integrate::rolling::RollingBodies;
use crate::remedy::Remedy;
use crate::state::State;
use stiction_assembly::forces::{GravityCompensation, Servos};
use stiction_assembly::{ContactFinder, ContactPoint, Posed, RowParams};
use stiction_contact::Cone;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::pieces::Piece;
use stiction_dynamics::{Factor, MassMatrix};

/// An accepted step, as it was solved: v⁺ = v_f + M̂⁻¹ Jᵀ λ, and by which rule every tree moved.
pub struct Accepted<'a> {
    /// Rows, keys and biases by cause.
    pub posed: &'a Posed,
    pub contacts: &'a [ContactPoint],
    /// λ that was applied [N·s].
    pub impulses: &'a [f64],
    /// Velocities: at the start, without impulses, with them.
    pub v: &'a [f64],
    pub v_free: &'a [f64],
    pub v_next: &'a [f64],
    /// M̂ = M + h k with the implicit gains of springs, dampers and servos, and LᵀDL of it.
    pub mass: &'a MassMatrix,
    pub factor: &'a Factor,
    /// Per tree.
    pub quadrature: &'a [Quadrature],
    /// Set where the answer is not that of the problem as it was first posed.
    pub remedy: Option<Remedy>,
    pub(crate) facts: StepFacts<'a>,
}

/// The facts of a step that its derivative needs beside problem and answer.
#[derive(Clone, Copy)]
pub(crate) struct StepFacts<'a> {
    /// The contact law is rigid: trees move by rules of their own, and overlaps are undone in the positions.
    pub(crate) rigid: bool,
    /// Where the step was posed in its middle.
    pub(crate) posed_in_middle: Option<PosedInMiddle<'a>>,
    /// A tree turns farther than the step can follow.
    pub(crate) too_fast: Option<usize>,
    pub(crate) servos: &'a Servos,
    pub(crate) gravity_compensation: &'a GravityCompensation,
    /// Bodies whose gyroscopic moment is of the middle.
    pub(crate) gyroscopic: &'a [usize],
    /// Index into q of every dof of a scalar joint.
    pub(crate) q_of_dof: &'a [usize],
    pub(crate) bodies: &'a RollingBodies,
    pub(crate) ballistic: &'a Ballistic,
    pub(crate) finder: &'a ContactFinder,
    /// The numbers of the rows.
    pub(crate) rows: RowParams,
    /// Velocities that undo position errors; empty where there are none.
    pub(crate) correction: &'a [f64],
    /// p of the programme that they are of, in the rows of the problem.
    pub(crate) correction_impulses: &'a [f64],
    /// A correction of contact impulses acted.
    pub(crate) corrected: bool,
}

/// A step that was posed in its middle.
#[derive(Clone, Copy)]
pub(crate) struct PosedInMiddle<'a> {
    /// q_m and v⁻.
    pub(crate) state: &'a State,
    /// Trees that were posed there, and the flying bodies.
    pub(crate) bodies: &'a RollingBodies,
    /// Velocities of which Coriolis forces are.
    pub(crate) mean: &'a [f64],
}

/// The piece of the contact law that a block is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockMode {
    /// No impulse.
    Open,
    /// λ inside its set: the row's velocity is zero (or what R λ leaves).
    Sticking,
    /// λ_T on the friction cone: it opposes the slip.
    Sliding,
    /// λ at a bound of dry friction or of an effort.
    Bound,
}

/// λ_T this share below μ λ_N still counts as on the cone [–].
pub(crate) const ON_CONE: f64 = 1e-6;

impl Accepted<'_> {
    /// The active set: the mode of every block.
    pub fn active_set(&self) -> impl Iterator<Item = BlockMode> + '_ {
        let problem = &self.posed.problem;
        (0..problem.len()).map(|i| mode(problem.cone(i), &self.impulses[problem.range(i)]))
    }
}

fn mode(cone: Cone, x: &[f64]) -> BlockMode {
    match (cone, x) {
        (Cone::NonNegative, [n]) => {
            if *n > 0.0 {
                BlockMode::Sticking
            } else {
                BlockMode::Open
            }
        }
        (Cone::Friction { mu } | Cone::Patch { mu, .. }, x) => {
            let lambda: [f64; MAX_ROWS] = std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0));
            match Piece::of(mu * (1.0 - ON_CONE), &lambda) {
                Piece::Open => BlockMode::Open,
                Piece::Sticks => BlockMode::Sticking,
                Piece::Closed | Piece::Slides { .. } => BlockMode::Sliding,
            }
        }
        (Cone::Box { lo, hi }, [x]) => {
            if *x <= lo || *x >= hi {
                BlockMode::Bound
            } else {
                BlockMode::Sticking
            }
        }
        (Cone::Free | Cone::NonNegative | Cone::Box { .. }, _) => BlockMode::Sticking,
    }
}
