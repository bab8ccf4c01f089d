//! Velocity-level time stepping: the trapezoidal rule for robots that something holds or drives, semi-implicit Euler
//! where something is hit, higher orders where no constraint acts.
//!
//! ```text
//!     M̂ = M + h k                                                         (1)
//!     M̂ (v_f − v) = h (τ − b)                                             (2)
//!     v⁺ = v_f + M̂⁻¹ Jᵀ λ,   λ from the constraint problem                (3)
//!     q⁺ = q ⊕ h v⁺                                                       (4)
//! ```
//!
//! k are the gains of joint dampers, joint springs and actuators (see [`crate::actuation`]). The gyroscopic moment of a
//! free single body is taken at the midpoint,
//!
//! ```text
//!     I (ω⁺ − ω) = −h ω̄ × I ω̄,   ω̄ = (ω + ω⁺)/2                          (5)
//! ```
//!
//! which keeps its energy and the norm of its angular momentum to rounding. Robots with servos, and linkages that
//! nothing can touch, move where nothing is hit ([`crate::means`]) by
//!
//! ```text
//!     q⁺ = q ⊕ h (v + v⁺)/2                                               (6)
//!     M, b, J of loops at q ⊕ h v/2, of what nothing can touch            (7)
//! ```
//!
//! the midpoint rule of [Moreau1988], with servos near the middle of the step as well ((5) of [`crate::actuation`]).
//! What else is held, and all under compliant laws, which are written for (4), goes by (4): first order. Trees that no
//! constraint acts upon replace (4), and (3) where they have joints, by what [`crate::flight`] says.
//!
//! What turns farther in a step than it can follow keeps its energy ([`fast`]).
//!
//! A step either succeeds or leaves the state as it was and says why. Overlaps that are deep, or that friction holds
//! together ([`jam`]), are taken out of the positions alone ([`apart`]); an answer that did not converge adds no
//! kinetic energy but by pushing others out ([`restraint`]), unless only rounding is left ([`rounding`]).

mod apart;
mod fast;
mod free;
mod jam;
mod middle;
mod parts;
mod restraint;
mod retry;
mod rounding;
mod sleep;
pub(crate) mod sleepers;

use crate::State;
use crate::actuation::{self, Effort};
use crate::assembly::{Notes, Situation};
use crate::contacts::{ContactFinder, ContactPoint, Lookout};
use crate::flight::Flight;
use crate::loops::{Consistent, Loops};
use crate::means::{Means, Solved};
use crate::params::StepperParams;
use crate::report::{StepReport, StepStatus};
use crate::rows::Rows;
use crate::servos::Servos;
use crate::softening::Softening;
use crate::tendons::Pull;
use crate::views;
use crate::warm_start::WarmStart;
use crate::weight::CarriedWeight;
pub(crate) use fast::{FAR, turning};
use middle::Middle;
pub(crate) use middle::NEAR;
use stiction_collision::ShapeError;
use stiction_contact::{ConstraintProblem, ContactSolver, Judge, SolveReport, SolveStatus};
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_dynamics::{
    CrbaWorkspace, Factor, JointKind, Kinematics, MassMatrix, RneaWorkspace, Velocities,
    integrate_joints_into, lanes, motions_into,
};
use stiction_models::World;

/// What acts on the world during one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// One control per actuator.
    pub control: Vec<f64>,
    /// Generalized forces added to the dofs [N or N·m].
    pub generalized: Vec<f64>,
}

/// Semi-implicit time stepping of one world; owns all memory a step needs.
pub struct TimeStepper {
    params: StepperParams,
    /// (6) to (8) hold in this step: the law is rigid.
    trapezoidal: bool,
    kin: Kinematics,
    middle: Middle,
    vel: Velocities,
    rnea: RneaWorkspace,
    crba: CrbaWorkspace,
    mass: MassMatrix,
    factor: Factor,
    finder: ContactFinder,
    softening: Softening,
    contacts: Vec<ContactPoint>,
    loops: Loops,
    /// What couplings and loops are asked for, and how it is made possible.
    feedback: Vec<f64>,
    consistent: Consistent,
    rows: Rows,
    problem: ConstraintProblem,
    impulses: Vec<f64>,
    memory: WarmStart,
    /// Bodies of (5): free, alone in their tree.
    free_bodies: Vec<usize>,
    q_of_dof: Vec<usize>,
    servos: Servos,
    pulls: Vec<(Pull, Effort)>,
    carried: CarriedWeight,
    flight: Flight,
    means: Means,
    fast: fast::Fast,
    notes: Notes,
    tau: Vec<f64>,
    diagonal: Vec<f64>,
    /// v at the start of the step.
    v_start: Vec<f64>,
    v_free: Vec<f64>,
    /// The motions of bodies that this would be.
    V_free: Vec<Motion>,
    /// v_f − v.
    dv_free: Vec<f64>,
    v_next: Vec<f64>,
    /// (3), or flight.
    v_end: Vec<f64>,
    q_next: Vec<f64>,
    /// The state at the start of a step in parts, and its length [s].
    before: State,
    step_length: f64,
    /// What a step is done again from.
    kept: retry::Kept,
    jam: jam::Jam,
    judge: Judge, // of what a solver calls rounding
    apart: apart::Apart,
    sleepers: sleepers::Sleepers,
    pull: Vec<f64>, // Jᵀλ of a step that did not converge
}

impl TimeStepper {
    /// Sizes everything for `world`; the parameters must be valid.
    pub fn new(world: &World, params: StepperParams) -> Result<Self, ShapeError> {
        let model = &world.model;
        let alone = |b: usize| {
            let body = &model.bodies[b];
            model.joints[body.joints.start].kind == JointKind::Free
                && model.bodies.iter().all(|c| c.parent != Some(b))
        };
        let means = Means::new(world);
        Ok(Self {
            params,
            trapezoidal: true,
            kin: Kinematics::new(model),
            middle: Middle::new(world, &means),
            vel: Velocities::new(model),
            rnea: RneaWorkspace::new(model),
            crba: CrbaWorkspace::new(model),
            mass: MassMatrix::new(model),
            factor: Factor::new(model),
            finder: ContactFinder::new(world, params.continuous)?,
            softening: Softening::new(world),
            contacts: Vec::new(),
            loops: Loops::new(world),
            feedback: Vec::new(),
            consistent: Consistent::default(),
            rows: Rows::new(model),
            problem: ConstraintProblem::default(),
            impulses: Vec::new(),
            memory: WarmStart::default(),
            free_bodies: (0..model.bodies.len()).filter(|&b| alone(b)).collect(),
            q_of_dof: actuation::q_of_dofs(world),
            servos: Servos::new(world),
            pulls: Vec::new(),
            carried: CarriedWeight::new(world),
            flight: Flight::new(world),
            means,
            fast: fast::Fast::new(world),
            notes: Notes::default(),
            tau: vec![0.0; model.nv()],
            diagonal: vec![0.0; model.nv()],
            v_start: vec![0.0; model.nv()],
            v_free: vec![0.0; model.nv()],
            V_free: vec![Motion::ZERO; model.bodies.len()],
            dv_free: vec![0.0; model.nv()],
            v_next: vec![0.0; model.nv()],
            v_end: vec![0.0; model.nv()],
            q_next: vec![0.0; model.nq],
            before: State::neutral(model),
            step_length: params.dt,
            kept: retry::Kept::new(world),
            jam: jam::Jam::default(),
            judge: Judge::default(),
            apart: apart::Apart::new(world),
            sleepers: sleepers::Sleepers::new(world, params.sleep, params.dt),
            pull: Vec::new(),
        })
    }

    /// One step of `state`, in place. On failure the state is as before.
    pub fn step(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if self.sleepers.on && self.all_sleep(world, state, input) {
            self.pass(state)
        } else if self.params.adaptive > 0 {
            self.step_or_retry(world, state, input, solver)
        } else {
            self.step_once(world, state, input, solver)
        }
    }

    fn step_once(
        &mut self,
        world: &World,
        state: &mut State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> StepReport {
        if self.finder.sweeps() {
            return self.step_in_parts(world, state, input, solver);
        }
        let solved = self.solve(world, state, input, solver);
        match solved.and_then(|solve| self.advance(world, state, &solve, 1.0).map(|()| solve)) {
            Ok(solve) => self.report(&solve),
            Err(cause) => StepReport::failed(cause),
        }
    }

    /// The velocity at the end of the step; the cause if there is none.
    fn solve(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> Result<SolveReport, String> {
        lanes::plain(
            #[inline(always)]
            || self.kin.update(&world.model, &state.q),
        );
        // Compliant laws are written for positions that move by v⁺.
        self.trapezoidal = !solver.needs().softness;
        self.fast.find(&world.model, &state.v, self.params.dt);
        self.middle.find(world, state, self.params.dt, self.trapezoidal, &self.fast.lost);
        self.means.begin();
        loop {
            let solve = self.solve_once(world, state, input, solver)?;
            if self.servos.promote(&state.v, &self.v_next) {
                continue;
            }
            let slow = self.params.bouncing_speed(&world.model.gravity);
            let (means, solved, v_next) = self.solved(&state.v, slow);
            if !means.turn_back(&solved, v_next) {
                return Ok(solve);
            }
        }
    }

    /// The same with the limits of servos where they are expected.
    fn solve_once(
        &mut self,
        world: &World,
        state: &State,
        input: &Input,
        solver: &mut dyn ContactSolver,
    ) -> Result<SolveReport, String> {
        self.find_contacts(world, state, input)?;
        while self.wake_touched(world) {
            self.find_contacts(world, state, input)?;
        }
        self.assemble(world, state, solver)?;
        self.stay_jammed();

        let mut solve = if self.problem.is_empty() {
            SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 }
        } else {
            let solve = solver.solve(&self.problem, &mut self.impulses);
            self.judged(solve, solver.law())
        };
        self.apart.clear();
        let doubtful = match solve.status {
            SolveStatus::Converged => self.push_too_much(world, state, solver.law()),
            SolveStatus::Rounding => {
                self.press_too_much(world) || self.push_too_much(world, state, solver.law())
            }
            SolveStatus::IterationLimit | SolveStatus::Stalled => true,
            SolveStatus::NumericalFailure => false,
        };
        if doubtful && let Some(without) = self.solve_jam(solver) {
            solve = SolveReport { iterations: solve.iterations + without.iterations, ..without };
        }
        if solve.status == SolveStatus::NumericalFailure {
            let at = self.culprit(world);
            return Err(format!("{}: a number stopped being finite; {at}", solver.name()));
        }
        let solve = self.bounce_less(world, state, solver, solve);
        self.apply_impulses(state);
        self.restrain(world, &solve, solver.law());
        self.push_apart(world);
        self.note_flight(world, input);
        if let Some(dof) = self.v_next.iter().position(|v| !v.is_finite()) {
            let model = &world.model;
            let joint = &model.joints[model.dofs[dof].joint].name;
            return Err(format!("the velocity of joint `{joint}` is {}", self.v_next[dof]));
        }
        Ok(solve)
    }

    /// The velocity without constraint impulses, and the contacts that may close.
    fn find_contacts(&mut self, world: &World, state: &State, input: &Input) -> Result<(), String> {
        self.free_motion(world, state, input)?;
        // What will meet depends on how the bodies would go on.
        lanes::plain(
            #[inline(always)]
            || motions_into(&world.model, &self.kin, &self.v_free, &mut self.V_free),
        );
        let StepperParams { margin, dt, .. } = self.params;
        let continuous = self.finder.sweeps().then_some(self.step_length);
        let ahead = Lookout { margin, h: dt, continuous, rigid: self.trapezoidal };
        self.finder.find(world, &self.kin, &self.V_free, ahead, &mut self.contacts);
        // Corners beyond those that span an area count where something leans on them.
        let Self { contacts, memory, .. } = self;
        contacts.retain(|c| !c.spare || memory.wrench_of(c) != [Vec3::ZERO; 2]);
        Ok(())
    }

    fn note_flight(&mut self, world: &World, input: &Input) {
        let Self { flight, rows, problem, impulses, notes, factor, kin, apart, .. } = self;
        let held = |tree: usize| !kin.selects(tree) || apart.moves(tree);
        flight.note(rows, problem, impulses, &notes.bounces, factor, held);
        if flight.has_trees() {
            flight.applied.fill(0.0);
            flight.applied.iter_mut().zip(&input.generalized).for_each(|(a, f)| *a += f);
            self.servos.add_efforts(&world.actuators, &mut flight.applied);
        }
    }

    /// What is known of the step, for [`Means`], with v⁺; `slow` as there.
    fn solved<'a>(&'a mut self, v: &'a [f64], slow: f64) -> (&'a mut Means, Solved<'a>, &'a [f64]) {
        let solved = Solved {
            rows: &self.rows,
            problem: &self.problem,
            contacts: self.contacts.len(),
            notes: &self.notes,
            impulses: &self.impulses,
            last: [self.memory.last(), self.memory.before()],
            v,
            v_free: &self.v_free,
            lost: &self.fast.lost,
            slow,
            deep: self.params.slop / self.params.dt,
        };
        (&mut self.means, solved, &self.v_next)
    }

    /// q and v after a share of the step: (4), or flight.
    fn displace(&mut self, world: &World, state: &State, share: f64) {
        let h = self.params.dt * share;
        self.v_end.copy_from_slice(&self.v_next);
        if self.trapezoidal && share == 1.0 {
            let slow = self.params.bouncing_speed(&world.model.gravity);
            let mut v_end = std::mem::take(&mut self.v_end);
            let (means, solved, _) = self.solved(&state.v, slow);
            means.take(&solved, &mut v_end); // (6)
            self.v_end = v_end;
        }
        self.v_end.iter_mut().zip(&self.apart.v).for_each(|(v, more)| *v += more);
        for joints in self.kin.selected_joints() {
            integrate_joints_into(&world.model, joints.clone(), &state.q, &self.v_end, h, &mut self.q_next);
        }
        self.v_end.copy_from_slice(&self.v_next);
        let (q, v) = (&mut self.q_next, &mut self.v_end);
        self.flight.advance(state, &self.v_free, &self.mass, [h, share], q, v);
    }

    /// Accepts the step that was solved, over a share of it; the cause if a number is not finite.
    fn advance(
        &mut self,
        world: &World,
        state: &mut State,
        solve: &SolveReport,
        share: f64,
    ) -> Result<(), String> {
        self.displace(world, state, share);
        let model = &world.model;
        if let Some(i) = self.q_next.iter().position(|q| !q.is_finite()) {
            let of = model.joints.iter().rfind(|j| j.idx_q <= i);
            let name = of.map_or("?", |j| &j.name);
            return Err(format!("the position of joint `{name}` is {}", self.q_next[i]));
        }
        if let Some(dof) = self.v_end.iter().position(|v| !v.is_finite()) {
            let name = &model.joints[model.dofs[dof].joint].name;
            return Err(format!("the velocity of joint `{name}` is {}", self.v_end[dof]));
        }
        self.memory.commit(&self.contacts, self.problem.cones(), &self.impulses);
        self.memory.jammed = self.jam.solved;
        self.servos.commit(&world.actuators, &state.v, &self.v_next);
        self.v_start.copy_from_slice(&state.v);
        if self.sleepers.on {
            self.lull(world, state, solve, share);
        }
        state.q.copy_from_slice(&self.q_next);
        state.v.copy_from_slice(&self.v_end);
        state.t += self.params.dt;
        Ok(())
    }

    fn report(&self, solve: &SolveReport) -> StepReport {
        let deepest = self.contacts.iter().fold(0.0_f64, |d, c| d.max(-c.gap));
        self.sleepers.add_to(StepReport {
            status: StepStatus::from(solve.status),
            iterations: solve.iterations,
            residual: solve.residual,
            contacts: self.contacts.len(),
            penetration: deepest,
            parts: 1,
            jammed: self.jam.solved,
            asleep: 0,
        })
    }

    fn assemble(&mut self, world: &World, state: &State, solver: &dyn ContactSolver) -> Result<(), String> {
        let (needs, law) = (solver.needs(), solver.law());
        let situation = Situation {
            world,
            kin: &self.kin,
            middle: self.middle.or(&self.kin),
            state,
            free_velocity: &self.v_free,
            free_motions: &self.V_free,
            params: &self.params,
            pulls: &self.pulls,
            q_of_dof: &self.q_of_dof,
            loops: &self.loops,
            soft: needs.softness.then_some((&self.softening, law)),
            gentle: if needs.softness { f64::INFINITY } else { self.params.gentle(&world.model.gravity) },
        };
        let (rows, problem) = (&mut self.rows, &mut self.problem);
        let primal = problem.primal.take();
        let feedback = &mut self.feedback;
        let asked =
            situation.write(&self.contacts, rows, problem, &mut self.memory, feedback, &mut self.notes);
        self.impulses.clear();
        self.impulses.extend_from_slice(self.memory.last());
        problem.second_start.extend_from_slice(self.memory.before());
        rows.factor_into(&self.factor, problem);
        // Couplings alone are taken to be independent.
        if !self.loops.is_empty() {
            self.consistent.find(asked.clone(), feedback, problem);
        }
        for (i, &b) in asked.zip(&*feedback) {
            let row = problem.range(i).start;
            problem.free_velocity[row] += b;
            self.notes.returns.push((row, b));
        }
        if !needs.thin {
            problem.form_blocks().map_err(|e| format!("the contact problem: {e}"))?;
        }
        if needs.softness {
            views::complete_softness(rows, &self.v_free, &state.v, problem);
            for (softness, contact) in problem.softness.iter_mut().zip(&self.contacts) {
                self.softening.contact(law, contact, &self.finder.surface(contact), softness);
            }
        }
        if needs.primal {
            let mut primal = primal.unwrap_or_default();
            views::write_primal(&self.mass, rows, &self.v_free, problem, &mut primal);
            problem.primal = Some(primal);
        }
        Ok(())
    }

    /// (3), what changes v first: forces and impulses that all but cancel leave no rounding of v.
    fn apply_impulses(&mut self, state: &State) {
        self.v_next.fill(0.0);
        self.rows.add_impulses_into(self.problem.row_start(), &self.impulses, &mut self.v_next);
        let Self { factor, v_next, .. } = self;
        lanes::plain(
            #[inline(always)]
            || factor.solve_in_place(v_next),
        );
        let changes = self.dv_free.iter().zip(&state.v);
        self.v_next.iter_mut().zip(changes).for_each(|(next, (dv, v))| *next = v + (*next + dv));
    }

    /// The constraint that a failure of the solver most likely comes from, in words.
    fn culprit(&self, world: &World) -> String {
        let size = |block: usize| {
            let rows = &self.problem.free_velocity[self.problem.range(block)];
            rows.iter().fold(0.0_f64, |m, g| if g.is_finite() { m.max(g.abs()) } else { f64::INFINITY })
        };
        let worst =
            (0..self.problem.len()).map(|b| (b, size(b))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((block, speed)) = worst else { return "there is no constraint".to_owned() };
        let what = match self.contacts.get(block) {
            Some(contact) => {
                let [a, b] = contact.geometries.map(|g| &world.geometries[g].name);
                format!("the contact of `{a}` with `{b}`")
            }
            None => self.memory.key(block - self.contacts.len()).words(world),
        };
        format!("the fastest constraint, at {speed:.1e} m/s or rad/s, is {what}")
    }

    /// What the next step will remember: warm starts, and which servos are at their limits.
    pub(crate) fn memory(&self) -> (&WarmStart, &Servos) {
        (&self.memory, &self.servos)
    }

    /// The same, to put it back.
    pub(crate) fn memory_mut(&mut self) -> (&mut WarmStart, &mut Servos) {
        (&mut self.memory, &mut self.servos)
    }

    /// The problem of the last step, without what slept.
    pub fn problem(&self) -> &ConstraintProblem {
        &self.problem
    }

    /// The impulses of the last step, in the order of [`Self::problem`] [N·s].
    pub fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    /// Contact points of the last step, without what slept: the first blocks of the problem, in order.
    pub fn contacts(&self) -> &[ContactPoint] {
        &self.contacts
    }

    /// Effort of every actuator during the last step [N·m or N] into `out`; zero before the first.
    pub fn efforts_into(&self, world: &World, out: &mut Vec<f64>) {
        self.servos.exerted_into(&world.actuators, &self.v_start, &self.v_next, out);
    }

    /// Takes the numbers of a world that differs from the first in inertias, gravity and surfaces at most; the rest
    /// is read from the world of every step.
    pub(crate) fn take_numbers(&mut self, world: &World) {
        self.kin.set_inertias(&world.model);
        self.finder.take_surfaces(world);
        self.carried = CarriedWeight::new(world);
        self.flight = Flight::new(world);
        self.means = Means::new(world);
        self.fast = fast::Fast::new(world);
        self.middle = Middle::new(world, &self.means);
        self.forget_sleep();
    }

    /// Forgets warm starts, as after a jump of the state.
    pub fn forget(&mut self) {
        self.memory.clear();
        self.servos.forget();
        self.forget_sleep();
    }
}

/// Without allocating.
fn copy(from: &State, to: &mut State) {
    to.t = from.t;
    to.q.copy_from_slice(&from.q);
    to.v.copy_from_slice(&from.v);
}
