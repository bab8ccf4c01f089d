//! Derivatives of an accepted step: ∂(q⁺, v⁺, λ)/∂(q, v, u), and by parameters of the world ([`Parameter`]),
//! by the implicit function theorem.
//!
//! ```text
//!     δv⁺ = M̂⁻¹ (r + Jᵀ δλ)            r: what acts beside the impulses, and how Jᵀ turns          [`forces`], [`rows`]
//!     c = J v⁺ + biases + R λ          on the pieces of the contact law that the answer is on       [`active_set`]
//!     q⁺ by the rule of each tree                                                                   [`moves`]
//! ```
//!
//! What is differentiated is the problem as it was posed and solved, not the iterations of a solver.
//! Positions are differentiated along the coordinates of v: ∂f/∂q_j = d/dε f(q ⊕ ε e_j). The derivative is
//! exact where the step is smooth. Where it is not, the result says what it is ([`LinearizationNote`]), and
//! where a step is of a kind that is not differentiated there is an error instead of a matrix
//! ([`LinearizationError`]). A step that was parted at impacts is differentiated part by part, and so are the
//! instants of these ([`parts`]).

#![expect(clippy::needless_range_loop, reason = "indices are rows and columns of matrices")]

pub(crate) mod active_set;
mod bounced_motion;
mod bounces;
mod closing;
mod columns;
pub(crate) mod compliant;
mod contact_geometry;
mod correction;
mod forces;
mod jump;
mod lasting;
mod middle;
mod moves;
mod own_equations;
mod parameter;
mod parameters;
mod parts;
mod posed_gap;
mod relaxed;
mod rollout;
mod rows;
mod scalar_rows;
mod simulation;

use crate::input::Input;
use crate::remedy::Remedy;
use crate::report::StepReport;
use crate::state::State;
use crate::stepping::Accepted;
use crate::stepping::slopes::dense_jacobian;
use active_set::Answer;
use columns::{Columns, Derivative, solve};
use compliant::{Read, SoftEquation};
use contact_geometry::Geometry;
use correction::Corrected;
use forces::Forces;
use middle::Middle;
use moves::Moves;
use nalgebra::DMatrix;
pub use parameter::Parameter;
use parameters::{friction_columns, numbers_of_surfaces};
pub use rollout::{RolloutError, RolloutGradient};
use rows::{Rows, Stepped};
use stiction_contact::{Cone, Law};
use stiction_dynamics::Kinematics;
use stiction_world::World;

/// A step from (q, v) under the controls u to (q⁺, v⁺), and its derivatives. Matrices are row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// Velocities of the model, and controls.
    pub nv: usize,
    pub nu: usize,
    /// ∂(q⁺, v⁺)/∂(q, v), 2 nv × 2 nv, in the tangent coordinates of q, which are those of v.
    pub a: Vec<f64>,
    /// ∂(q⁺, v⁺)/∂u, 2 nv × nu.
    pub b: Vec<f64>,
    /// ∂(q⁺, v⁺)/∂ parameters, 2 nv × their number, in the order in which they were asked for; none unless
    /// they were.
    pub c: Vec<f64>,
    /// ∂λ/∂(q, v, u), a row per impulse of [`crate::Simulation::impulses`] of that step, which are of its
    /// last part, 2 nv + nu columns [N·s]. Impulses of a contact are along its tangents and normal, which
    /// turn with it.
    pub dlambda: Vec<f64>,
    /// ∂λ/∂ parameters, a row per impulse.
    pub dlambda_dparameters: Vec<f64>,
    /// Where the step is not smooth.
    pub notes: Vec<LinearizationNote>,
    /// How the step went.
    pub report: StepReport,
    /// Where it led.
    pub next: State,
}

/// A fact to be known of a derivative that is not simply that of a smooth step.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "note")]
pub enum LinearizationNote {
    /// This block of the problem is where two pieces of its law meet: the derivative is that of the piece
    /// which its impulse is on, a one-sided one.
    AtSwitch { block: usize },
    /// `rank` of the `rows` that hold are independent: the derivative of the impulses is the least there is.
    /// That of the motion is the same for all of them where everything sticks.
    Hyperstatic { rows: usize, rank: usize },
    /// Rows that hold contradict each other to first order, as contacts do that cannot all stay closed: least
    /// squares, by the share of the right-hand side that is left [–].
    Inconsistent { share: f64 },
    /// The geometry of this block of a contact could not be differentiated, and was taken as fixed in body B.
    GeometryHeld { block: usize },
    /// The slip of this block of dry friction stops within the step and turns back: its impulse, which is known by the
    /// share of the step before that, was taken as it is.
    TurnsBack { block: usize },
    /// The derivative is that of the step in one part, whose motion differs from it by O(h): slip that stops and turns back
    /// ended a part, or something landed in a step whose problem is relaxed.
    InOnePart,
    /// The tree sleeps: it stays, and its derivative is that of standing still.
    Sleeps { tree: usize },
    /// So many contacts are hit at one instant, or impacts follow one another there: the derivative is that
    /// of motions in which they stay together, at the instant of the first. Others meet one after another.
    MeetTogether { contacts: usize },
}

/// Why a step has no derivative here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinearizationError {
    #[error("the step was not accepted: {0}")]
    Failed(String),
    #[error(
        "the step did not converge (residual {residual:.1e} m/s): its answer is not that of the law; lower `dt`, or raise `max_iterations`"
    )]
    NotConverged { residual: f64 },
    #[error(
        "the step was solved in {parts} parts, as it was halved, or parted where fast bodies, which are swept, meet something; linearize \
         with `adaptive` = 0 and `continuous` = false, or away from there"
    )]
    Parts { parts: u32 },
    #[error(
        "an impact of the step is not differentiated: {why}; linearize from a state beside it, or with `impact_instants` = 0, which \
         solves impacts in the problem of the whole step"
    )]
    Impact { why: &'static str },
    #[error("the remedy `{}` changed the problem of the step; linearize away from where it acts", .0.name())]
    Remedy(Remedy),
    #[error("steps of the stepper `{stepper}` are not differentiated: {why}; those of `time-stepping` are")]
    Stepper { stepper: &'static str, why: &'static str },
    #[error("the equations of the step have no derivative here: {0}")]
    Equations(String),
    #[error(
        "steps under the law of `{0}`, whose direction of slip is that of an iteration, are not differentiated; those of all other laws are"
    )]
    Law(String),
    #[error(
        "a correction changed the contact impulses of the step, and what it does is not differentiated; take it away first"
    )]
    Corrected,
    #[error(
        "a contact bounces in this step in a way that is not differentiated, as under compliant laws; linearize away from impacts"
    )]
    Bounces,
    #[error(
        "friction with a direction (two coefficients) is not differentiated; give the surfaces one coefficient"
    )]
    DirectedFriction,
    #[error("{0} is not differentiated")]
    Row(String),
    #[error("the law of `{law}` is not relaxed; the exact law and the relaxation are: take `smoothing` = 0")]
    Smoothing { law: String },
    #[error("Newton's method finds no answer of the relaxed problem; take another `smoothing`")]
    NotRelaxed,
    #[error("the parameter {parameter:?} has no derivative here: {why}")]
    Parameter { parameter: Parameter, why: &'static str },
    #[error("tree {tree} turns farther in a step than the step can follow; lower `dt`")]
    TooFast { tree: usize },
    #[error(
        "overlaps are undone no faster than `push_out_speed` here, which is not differentiated; raise it, or start with less overlap"
    )]
    HeldBack,
    #[error("what undoes position errors has no derivative: its rows depend on one another")]
    PositionErrors,
    #[error(
        "tree {tree} moved by a method of higher order whose stages have no derivative; set `higher_order` to \"passive\""
    )]
    HigherOrder { tree: usize },
}

/// How close to a switch counts as at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearizationParams {
    /// Velocities of rows below this [m/s].
    pub switch_velocity: f64,
    /// Impulses below this share of the largest of the step [–].
    pub switch_impulse: f64,
    /// Gaps of contacts and limits closer than this to where what they ask for changes: to touching, and to
    /// an overlap of `slop` [m or rad].
    pub switch_gap: f64,
    /// κ [J]: the derivative is that of the step's problem relaxed by it, in which contacts that are near
    /// press as well, λ_N c_N = κ. It differs from that of the step in proportion to κ away from switches, of
    /// which it has none. Landings are in the relaxed problem of the whole step. 0: the problem as it is. Compliant laws
    /// are smooth of themselves.
    pub smoothing: f64,
}

impl Default for LinearizationParams {
    fn default() -> Self {
        Self { switch_velocity: 1e-7, switch_impulse: 1e-7, switch_gap: 1e-8, smoothing: 0.0 }
    }
}

/// A step that was done.
pub(crate) struct Done<'a> {
    pub(crate) world: &'a World,
    pub(crate) start: &'a State,
    pub(crate) input: &'a Input,
    pub(crate) next: &'a State,
    pub(crate) h: f64,
    pub(crate) report: StepReport,
    pub(crate) law: Law,
    pub(crate) solver: &'a str,
    pub(crate) accepted: Accepted<'a>,
    pub(crate) params: LinearizationParams,
    pub(crate) parameters: &'a [Parameter],
}

/// The rows of a step at its answer, and the parts of the motion that do not wait for δλ.
struct Solved {
    rows: Rows,
    /// ∂v⁺ where the impulses stay, and by the impulses: M̂⁻¹ Jᵀ, and where Coriolis forces are of the mean velocity, what
    /// these change as well.
    free: DMatrix<f64>,
    T: DMatrix<f64>,
    /// M̂⁻¹ Jᵀ where that is another.
    pushed: Option<DMatrix<f64>>,
    /// ∂c where the impulses stay.
    d: DMatrix<f64>,
}

impl Solved {
    /// The step whose right-hand side, without impulses, is `right`.
    fn new(
        stepped: Stepped<'_>,
        bouncing: Option<&bounces::Velocities>,
        mut right: DMatrix<f64>,
    ) -> Result<Self, LinearizationError> {
        let factor = stepped.forces.accepted.factor;
        let rows = stepped.rows(bouncing, &mut right)?;
        let mut T = rows.J.transpose();
        let turning = stepped.forces.turning_mass().map(DMatrix::lu);
        let pushed = match turning {
            None => {
                solve(factor, &mut right);
                solve(factor, &mut T);
                None
            }
            Some(turning) => {
                let mut pushed = T.clone();
                solve(factor, &mut pushed);
                let definite = turning.solve_mut(&mut right) && turning.solve_mut(&mut T);
                if !definite {
                    let why = "the mass matrix with Coriolis forces is singular".to_owned();
                    return Err(LinearizationError::Equations(why));
                }
                Some(pushed)
            }
        };
        let d = &rows.J * &right + &rows.velocity;
        Ok(Self { rows, free: right, T, pushed, d })
    }

    /// M̂⁻¹ Jᵀ.
    fn pushed(&self) -> &DMatrix<f64> {
        self.pushed.as_ref().unwrap_or(&self.T)
    }

    /// A note for each contact whose geometry is held.
    fn notes(&self) -> Vec<LinearizationNote> {
        self.rows.held.iter().map(|&block| LinearizationNote::GeometryHeld { block }).collect()
    }
}

/// Where a step is posed: kinematics, v⁺ − v, and the middle of the step if that is there.
struct Here<'a> {
    kin: Kinematics,
    change: Vec<f64>,
    middle: Option<Middle<'a>>,
}

impl<'a> Done<'a> {
    /// This step, with the velocities at which it was posed as those before it.
    fn posed(mut self) -> Self {
        if let Some(posed) = self.accepted.facts.posed_in_middle {
            self.accepted.v = &posed.state.v;
        }
        self
    }
}

impl Done<'_> {
    pub(crate) fn linearize(self) -> Result<Derivative, LinearizationError> {
        self.refuse()?;
        self.refuse_parameters()?;
        let this = self.posed();
        if this.params.smoothing > 0.0 && !this.law.compliant() && !this.accepted.impulses.is_empty() {
            return this.linearize_relaxed();
        }
        this.linearize_answer(None)
    }

    /// The problem relaxed by κ, at its own answer.
    fn linearize_relaxed(self) -> Result<Derivative, LinearizationError> {
        let Self { accepted, law, params, .. } = &self;
        if !matches!(law, Law::Ncp | Law::Ccp) {
            return Err(LinearizationError::Smoothing { law: law.to_string() });
        }
        let problem = &accepted.posed.problem;
        let J = dense_jacobian(accepted.posed, self.world.model.nv());
        let mut T = J.transpose();
        solve(accepted.factor, &mut T);
        let mut A = &J * &T;
        (0..problem.rows()).for_each(|r| A[(r, r)] += problem.compliance[r]);
        let relaxed = relaxed::relax((problem, *law), &A, accepted.impulses, params.smoothing)
            .ok_or(LinearizationError::NotRelaxed)?;
        let impulses = relaxed.lambda.clone();
        let pushed = T * DMatrix::from_column_slice(impulses.len(), 1, &impulses);
        let v_next: Vec<f64> = accepted.v_free.iter().zip(pushed.iter()).map(|(v, p)| v + p).collect();
        let accepted = Accepted { impulses: &impulses, v_next: &v_next, ..self.accepted };
        Done { accepted, ..self }.linearize_answer(Some(&relaxed))
    }

    /// Where the step is posed.
    fn here(&self) -> Here<'_> {
        let Self { world, start, h, accepted, .. } = self;
        let posed = accepted.facts.posed_in_middle;
        let mut kin = Kinematics::new(&world.model);
        kin.update(&world.model, posed.map_or(&start.q, |posed| &posed.state.q));
        Here {
            kin,
            change: accepted.v_next.iter().zip(accepted.v).map(|(a, b)| a - b).collect(),
            middle: posed.map(|posed| Middle::new(world, posed, start, *h)),
        }
    }

    fn forces<'b>(&'b self, Here { kin, change, middle }: &'b Here<'b>) -> Forces<'b> {
        let Self { world, start, input, h, accepted, parameters, .. } = self;
        let columns = Columns { nv: world.model.nv(), nu: world.actuators.len(), np: parameters.len() };
        let middle = middle.as_ref();
        Forces { kin, world, start, input, h: *h, accepted, columns, change, parameters, middle }
    }

    /// The derivatives at the answer, on the pieces of the law or on the path of the relaxed problem.
    fn linearize_answer(&self, relaxed: Option<&relaxed::Relaxed>) -> Result<Derivative, LinearizationError> {
        let Self { next, law, accepted, params, parameters, .. } = &self;
        let here = self.here();
        let forces = &self.forces(&here);
        let columns = forces.columns;
        let (mut right, mass) = forces.right_hand_side();
        forces.add_parameters(&mut right);
        let stepped = Stepped { forces, mass: &mass, geometry: &Geometry::new(forces) };
        let bouncing = self.bouncing(stepped)?;
        let solved = Solved::new(stepped, bouncing.as_ref(), right)?;
        let mut notes = solved.notes();
        if relaxed.is_none() {
            notes.extend(self.gaps_at_switches());
        }
        notes.extend(self.frictions_that_turn());
        let before = if law.compliant() { stepped.before()? } else { columns.zeros(0) };
        let (problem, mut diagonal) = (&accepted.posed.problem, Vec::new());
        if law.compliant() {
            problem.diagonal_blocks_into(&mut diagonal);
        }
        // Rows that have no derivative were refused before.
        let inertia = |i: usize| {
            let change = stepped.mobility_change(solved.pushed(), problem.range(i));
            change.unwrap_or_else(|_| columns.zeros(problem.range(i).len().pow(2)))
        };
        let numbers = numbers_of_surfaces(accepted, parameters, columns);
        let Rows { gap, bias, .. } = &solved.rows;
        let (before, diagonal) = (&before, &diagonal);
        let read = Read { gap, bias, before, inertia: &inertia, diagonal, numbers: &numbers };
        let soft = |i: usize, c: &[f64]| compliant::equation(*law, problem, i, c, &read);
        let dlambda = match relaxed {
            None => self.on_pieces(&solved, &numbers, &soft, &mut notes),
            Some(relaxed) => {
                let mut turning = &solved.rows.J * &solved.T;
                (0..problem.rows()).for_each(|r| turning[(r, r)] += problem.compliance[r]);
                relaxed.impulses(&solved.d, &turning).ok_or(LinearizationError::NotRelaxed)?
            }
        };
        let dv = &solved.free + &solved.T * &dlambda;
        let corrected = Corrected { stepped, solved: &solved, dv: &dv, still: params.switch_velocity };
        let corrected = corrected.change()?;
        let shift = match bouncing {
            Some(bouncing) => bounced_motion::shift(bouncing, stepped, &solved, &dlambda)?,
            None => None,
        };
        let moves = Moves { forces, dv, corrected, shift, q_end: &next.q };
        let end = moves.end(&mut notes)?;
        let mut dlambda = dlambda;
        if let Some(middle) = forces.middle {
            middle.turn_to_start(columns, &mut dlambda);
        }
        Ok(Derivative { columns, end, dlambda, notes })
    }

    /// ∂λ on the pieces of the law.
    fn on_pieces(
        &self,
        solved: &Solved,
        numbers: &[Vec<(usize, Parameter)>],
        soft: &dyn Fn(usize, &[f64]) -> Option<SoftEquation>,
        notes: &mut Vec<LinearizationNote>,
    ) -> DMatrix<f64> {
        let (problem, lambda) = (&self.accepted.posed.problem, self.accepted.impulses);
        let (mut c, friction) = (Vec::new(), friction_columns(numbers));
        problem.velocities_into(lambda, &mut c);
        let Solved { rows: Rows { J, .. }, T, d, .. } = solved;
        let answer = Answer { problem, lambda, c: &c, J, T, d, friction_columns: &friction };
        active_set::impulses(answer, (self.law, &self.params), soft, notes)
    }

    /// Velocities of the rows where contacts may bounce.
    fn bouncing(&self, stepped: Stepped<'_>) -> Result<Option<bounces::Velocities>, LinearizationError> {
        if !self.accepted.contacts.iter().any(|c| c.restitution > 0.0) || self.law.compliant() {
            return Ok(None);
        }
        bounced_motion::velocities(stepped.before()?, stepped).map(Some)
    }

    /// Dry friction whose impulse was fixed, as its slip turns back within the step.
    fn frictions_that_turn(&self) -> impl Iterator<Item = LinearizationNote> + '_ {
        let problem = &self.accepted.posed.problem;
        let fixed =
            |block: &usize| matches!(problem.cone(*block), Cone::Box { lo, hi } if lo == hi && lo != 0.0);
        (0..problem.len()).filter(fixed).map(|block| LinearizationNote::TurnsBack { block })
    }

    /// Contacts that carry, or will, and are about to change what they ask for.
    fn gaps_at_switches(&self) -> impl Iterator<Item = LinearizationNote> + '_ {
        let (accepted, near) = (&self.accepted, self.params.switch_gap);
        let slop = accepted.facts.rows.slop;
        let posed = accepted.posed;
        posed.contacts(accepted.contacts).filter_map(move |(block, c)| {
            let carries = accepted.impulses[posed.normal_row(block)] > 0.0;
            let touches = carries && c.gap.abs() <= near;
            let overlaps = (carries || c.gap < 0.0) && (c.gap + slop).abs() <= near;
            ((touches || overlaps) && c.spring.is_none()).then_some(LinearizationNote::AtSwitch { block })
        })
    }

    /// Steps that no stepper differentiates.
    fn refuse_report(report: &StepReport) -> Result<(), LinearizationError> {
        if let Some(cause) = report.failure() {
            return Err(LinearizationError::Failed(cause.to_owned()));
        }
        if report.parts > 1 {
            return Err(LinearizationError::Parts { parts: report.parts });
        }
        Ok(())
    }

    /// Steps that are not differentiated.
    fn refuse(&self) -> Result<(), LinearizationError> {
        let Self { report, law, solver, accepted, .. } = self;
        Self::refuse_report(report)?;
        // Where a step has no instants for impacts, all bounces are in its one problem.
        let remedy = accepted.remedy.or(report.remedy);
        if let Some(remedy) = remedy.filter(|r| *r != Remedy::ImpactsAtOnce) {
            return Err(LinearizationError::Remedy(remedy));
        }
        if report.status == crate::report::StepStatus::NotConverged {
            return Err(LinearizationError::NotConverged { residual: report.residual });
        }
        if accepted.facts.corrected {
            return Err(LinearizationError::Corrected);
        }
        let known = *law != Law::Raisim;
        if !known && !accepted.impulses.is_empty() {
            return Err(LinearizationError::Law((*solver).to_owned()));
        }
        if accepted.posed.bounces() && law.compliant() {
            return Err(LinearizationError::Bounces);
        }
        if let Some(tree) = accepted.facts.too_fast {
            return Err(LinearizationError::TooFast { tree });
        }
        Ok(())
    }
}
