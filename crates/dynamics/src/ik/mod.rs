//! Inverse kinematics: a configuration that puts frames where they are asked to be.
//!
//! ```text
//!     minimise ½ ‖r(q)‖²  over the manifold of configurations, within the limits of the joints  (1)
//!     r = (w_p ∘ R*ᵀ (p − p*),  w_R ∘ log(R*ᵀ R))  of every target (R*, p*), its frame at (R, p) (2)
//! ```
//!
//! by the method of Levenberg and Marquardt with an active set ([`descent`]), from the start given
//! and then from random ones. Where the targets leave freedom, the solution slides along its
//! self-motion to the nearest point to a posture ([`posture`]). Units: m, rad; weights by axis of the
//! target, [1/m] and [1/rad]: where an axis weighs nothing, nothing is asked of it, and w_R = (1, 1, 0)
//! asks for the direction of z alone.
//!
//! The report is about the configuration that is returned, measured afresh. The same input gives the
//! same bits. Repeated solves allocate nothing.

mod descent;
mod limits;
mod posture;
mod residual;
#[cfg(test)]
mod tests;

use crate::model::Model;
use crate::spatial::{Pose, Vec3, vec3};
use descent::Descent;
use posture::Slide;
use residual::Problem;

/// Where a frame is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The frame: an index into `links` (see [`Model::add_frame`]).
    pub link: usize,
    pub X_WT: Pose,
    /// w_p of (2), in axes of the target [1/m].
    pub position_weight: Vec3,
    /// w_R of (2), in axes of the target [1/rad].
    pub rotation_weight: Vec3,
}

impl Target {
    const ONE: Vec3 = vec3(1.0, 1.0, 1.0);

    /// Position and orientation.
    pub fn pose(link: usize, X_WT: Pose) -> Self {
        Self { link, X_WT, position_weight: Self::ONE, rotation_weight: Self::ONE }
    }

    /// The frame's origin only.
    pub fn position(link: usize, p_WT: Vec3) -> Self {
        let X_WT = Pose::from_translation(p_WT);
        Self { rotation_weight: Vec3::ZERO, ..Self::pose(link, X_WT) }
    }

    /// The frame's axes only.
    pub fn orientation(link: usize, X_WT: Pose) -> Self {
        Self { position_weight: Vec3::ZERO, ..Self::pose(link, X_WT) }
    }
}

/// When to stop, and where else to begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkParams {
    /// Converged: no target is off by more [m]. Typical 1e-6; the default asks for 1e-9.
    pub position_tolerance: f64,
    /// Converged: no target is turned by more [rad].
    pub rotation_tolerance: f64,
    /// Steps per start, and as many towards the posture.
    pub iterations: usize,
    /// Random starts within the limits after the one given did not converge.
    pub restarts: usize,
    /// Seed of the random starts.
    pub seed: u64,
}

impl Default for IkParams {
    fn default() -> Self {
        Self { position_tolerance: 1e-9, rotation_tolerance: 1e-9, iterations: 100, restarts: 0, seed: 0 }
    }
}

/// How a solve ended. Only `Converged` means that the targets are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IkStatus {
    /// Every target within both tolerances.
    Converged,
    /// No small motion that the limits allow comes closer, but without them one would.
    LimitsReached,
    /// No small motion comes closer: out of reach, targets at odds, or a local minimum.
    Stalled,
    /// Steps still helped when they ran out.
    IterationLimit,
    /// A number was not finite.
    NumericalFailure,
}

/// Result of a search: how well the configuration that is returned meets the targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkReport {
    pub status: IkStatus,
    /// Largest distance of a target, over the axes that weigh [m].
    pub position_error: f64,
    /// Largest angle of a target, over the axes that weigh [rad].
    pub rotation_error: f64,
    /// Steps, of all starts together.
    pub iterations: usize,
    /// Random starts.
    pub restarts: usize,
}

/// A question that has no meaning.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IkError {
    #[error("target {target}: there is no link {link}; the model has {count}, counted from 0")]
    Link { target: usize, link: usize, count: usize },
    #[error("target {target}: {what} is {value}; expected {expected}")]
    Target { target: usize, what: &'static str, value: String, expected: &'static str },
    #[error("{what} has {found} numbers, expected {expected}, all finite, quaternions not zero")]
    Configuration { what: &'static str, found: usize, expected: usize },
    #[error("{what} is {value}; expected a finite number > 0")]
    Tolerance { what: &'static str, value: f64 },
}

/// The solver and its memory.
#[derive(Clone, Debug)]
pub struct InverseKinematics {
    problem: Problem,
    descent: Descent,
    slide: Slide,
    /// Length nq: where the solve began, and the best end of all starts.
    q_start: Vec<f64>,
    q_best: Vec<f64>,
}

impl InverseKinematics {
    /// For models of the structure of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            problem: Problem::new(model),
            descent: Descent::new(model),
            slide: Slide::new(model),
            q_start: model.neutral(),
            q_best: model.neutral(),
        }
    }

    /// Solves (1) from `q`, which becomes the solution, or, if none was found, the best of all ends.
    /// With a `posture` (length nq) the solution slides towards it. Joints that move no target stay.
    pub fn solve(
        &mut self,
        model: &Model,
        targets: &[Target],
        posture: Option<&[f64]>,
        params: &IkParams,
        q: &mut [f64],
    ) -> Result<IkReport, IkError> {
        check(model, targets, params)?;
        check_configuration(model, "q", q)?;
        posture.map_or(Ok(()), |p| check_configuration(model, "the posture", p))?;
        let Self { problem, descent, slide, q_start, q_best } = self;
        let task = Task { model, targets, params };
        problem.prepare(&task);
        descent.prepare(problem.dofs.len());
        problem.clamp(model, q);
        q_start.copy_from_slice(q);

        let mut best = descent.run(&task, problem, q);
        let (mut iterations, mut restarts) = (best.iterations, 0);
        q_best.copy_from_slice(q);
        let mut dice = limits::Dice::new(params.seed);
        while best.status != IkStatus::Converged && restarts < params.restarts {
            restarts += 1;
            problem.scatter(model, &mut dice, q_start, q);
            let end = descent.run(&task, problem, q);
            iterations += end.iterations;
            if end.beats(&best) {
                best = end;
                q_best.copy_from_slice(q);
            }
        }
        q.copy_from_slice(q_best);
        if let (Some(posture), IkStatus::Converged) = (posture, best.status) {
            iterations += slide.run(&task, posture, problem, descent, q);
        }
        let errors = problem.evaluate(&task, q);
        let (position_error, rotation_error) = (errors.position, errors.rotation);
        Ok(IkReport { status: best.status, position_error, rotation_error, iterations, restarts })
    }
}

/// The question: model, targets and parameters.
struct Task<'a> {
    model: &'a Model,
    targets: &'a [Target],
    params: &'a IkParams,
}

/// How one start ended.
#[derive(Clone, Copy, Debug)]
struct End {
    status: IkStatus,
    cost: f64,
    iterations: usize,
}

impl End {
    fn beats(&self, other: &Self) -> bool {
        self.status == IkStatus::Converged || self.cost < other.cost || other.cost.is_nan()
    }
}

fn check(model: &Model, targets: &[Target], params: &IkParams) -> Result<(), IkError> {
    for (what, value) in
        [("position_tolerance", params.position_tolerance), ("rotation_tolerance", params.rotation_tolerance)]
    {
        if !(value > 0.0 && value.is_finite()) {
            return Err(IkError::Tolerance { what, value });
        }
    }
    for (target, t) in targets.iter().enumerate() {
        if t.link >= model.links.len() {
            return Err(IkError::Link { target, link: t.link, count: model.links.len() });
        }
        let X = t.X_WT;
        if !X.is_finite() || (X.rotation.norm_squared() - 1.0).abs() > 1e-6 {
            let (value, expected) = (format!("{X:?}"), "finite numbers, a quaternion of norm 1");
            return Err(IkError::Target { target, what: "the pose", value, expected });
        }
        for (what, w) in
            [("the position weight", t.position_weight), ("the rotation weight", t.rotation_weight)]
        {
            if !(w.is_finite() && w.x >= 0.0 && w.y >= 0.0 && w.z >= 0.0) {
                return Err(IkError::Target {
                    target,
                    what,
                    value: format!("{w:?}"),
                    expected: "finite numbers >= 0",
                });
            }
        }
    }
    Ok(())
}

fn check_configuration(model: &Model, what: &'static str, q: &[f64]) -> Result<(), IkError> {
    let sound = q.len() == model.nq && {
        let quaternions = model.joints.iter().filter(|j| j.kind.nq() >= 4).map(|j| j.idx_q + j.kind.nq() - 4);
        let turns = |at: usize| q[at..at + 4].iter().map(|x| x * x).sum::<f64>();
        q.iter().all(|x| x.is_finite()) && quaternions.map(turns).all(|n| n > 0.0 && n.is_finite())
    };
    if sound { Ok(()) } else { Err(IkError::Configuration { what, found: q.len(), expected: model.nq }) }
}
