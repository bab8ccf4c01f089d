//! One environment by itself: the step of [`TimeStepping`], for what lanes cannot do or gave up.

use super::Fields;
use super::memory::Memory;
use super::plan::Plan;
use super::settings::{BatchReport, Path};
use crate::input::Input;
use crate::params::{HigherOrder, Sleep, StepperParams};
use crate::settings::ITERATIONS;
use crate::state::State;
use crate::stepping::{Driver, TimeStepping};
use stiction_collision::ShapeError;
use stiction_contact::{ContactSolver, Judge};
use stiction_solvers::Params;
use stiction_solvers::registry::{self, Common, SolverError};
use stiction_world::World;

/// See the module.
pub(super) struct Alone {
    driver: Driver<TimeStepping>,
    solver: Box<dyn ContactSolver>,
    judge: Judge,
    state: State,
    input: Input,
    /// With the numbers of the environment that was last here, if it has its own.
    own: Option<Box<World>>,
    varied: bool,
}

/// Why there can be none.
#[derive(Debug, thiserror::Error)]
pub(super) enum AloneError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl Alone {
    pub(super) fn new(plan: &Plan) -> Result<Self, AloneError> {
        let tolerance = plan.settings.tolerance;
        let asked = plan.settings.stepper.clone();
        // As in lanes, if there are any.
        let higher_order = if plan.obstacle.is_some() { asked.higher_order } else { HigherOrder::Passive };
        let energy_tolerance = if plan.obstacle.is_some() { asked.energy_tolerance } else { f64::MAX };
        let continuous = plan.obstacle.is_some() && asked.continuous;
        let params = StepperParams { sleep: Sleep::Off, higher_order, energy_tolerance, continuous, ..asked };
        let common = Common { tolerance, max_iterations: ITERATIONS };
        let effort = plan.settings.effort.over(Params::default());
        Ok(Self {
            driver: Driver::new(
                &plan.world,
                Box::new(TimeStepping::new(&plan.world, params.clone())?),
                &params,
            ),
            solver: registry::make_from("auto", &common, &effort)?,
            judge: Judge::default(),
            state: State::neutral(&plan.world.model),
            input: Input::default(),
            own: None,
            varied: false,
        })
    }

    /// The numbers of the next environment.
    pub(super) fn take(&mut self, plan: &Plan, fields: Option<&Fields>) {
        if let Some(fields) = fields {
            let own = self.own.get_or_insert_with(|| Box::new(World::clone(&plan.world)));
            fields.write(own);
            self.driver.take_numbers(own);
        } else if self.varied {
            self.driver.take_numbers(&plan.world);
        }
        self.varied = fields.is_some();
    }

    /// The next step starts cold.
    pub(super) fn forget(&mut self) {
        self.driver.forget();
        self.solver.forget();
    }

    /// The next step starts from what a lane remembers.
    pub(super) fn borrow(&mut self, plan: &Plan, memory: &Memory, lane: usize) {
        self.forget();
        memory.lend(plan, lane, self.driver.stepper_mut().lending());
        self.driver.restore_credit(memory.credit(lane));
    }

    /// What it remembers goes back there.
    pub(super) fn give_back(&mut self, plan: &Plan, memory: &mut Memory, lane: usize) {
        let credit = self.driver.credit();
        memory.take(plan, lane, &self.driver.stepper_mut().lending(), credit);
    }

    /// One step of the environment at (q, v), in place; on failure nothing moves.
    pub(super) fn step(
        &mut self,
        plan: &Plan,
        [q, v]: [&mut [f64]; 2],
        control: &[f64],
        force: &[f64],
        path: Path,
    ) -> BatchReport {
        self.state.q.copy_from_slice(q);
        self.state.v.copy_from_slice(v);
        self.input.control.clear();
        self.input.control.extend_from_slice(control);
        self.input.generalized.clear();
        self.input.generalized.extend_from_slice(force);
        let own = self.own.as_deref().filter(|_| self.varied);
        let world = own.unwrap_or(&plan.world);
        let report = self.driver.step(
            world,
            &mut self.state,
            &self.input,
            plan.settings.stepper.dt,
            self.solver.as_mut(),
        );
        q.copy_from_slice(&self.state.q);
        v.copy_from_slice(&self.state.v);
        let natural_map = (plan.settings.judge && report.failure().is_none())
            .then(|| self.judge.certify(&self.driver.posed().problem, self.driver.impulses()).natural_map);
        let (contacts, penetration) = (report.contacts, report.penetration);
        BatchReport {
            status: report.status,
            path,
            residual: report.residual,
            natural_map,
            contacts,
            penetration,
        }
    }
}
