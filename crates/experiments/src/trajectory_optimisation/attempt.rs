//! One attempt at a task: an optimisation with one source of gradients, and what its trajectory does.

use super::tasks::{Task, yaw};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::Instant;
use stiction::recording::{Recording, StepMark};
use stiction::{ContactState, Recorder, SetupError, Simulation};
use stiction_control::ilqr::{End, Gradient, IlqrError, IlqrParams, Simulated, SystemError, Tally, optimize};

/// Frames per second of a replay.
const FRAMES: f64 = 50.0;
/// A contact is loaded above this force [N], sticks below the first and slides above the second speed [m/s].
const LOADED: f64 = 0.02;
const STICKS: f64 = 1e-5;
const SLIDES: f64 = 1e-3;

/// The result of an optimisation, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Attempt {
    /// Cost before the first iteration and after each.
    pub(super) costs: Vec<f64>,
    /// Time from the start of the optimisation at these [s].
    pub(super) seconds: Vec<f64>,
    pub(super) end: String,
    pub(super) tally: Tally,
    pub(super) controls: Vec<Vec<f64>>,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub(super) enum AttemptError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    System(#[from] SystemError),
    #[error(transparent)]
    Ilqr(#[from] IlqrError),
}

/// Optimises; `None` if `tell`, asked after every iteration, wants no more.
pub(super) fn attempt(
    task: &Task,
    gradient: Gradient,
    params: &IlqrParams,
    tell: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<Option<Attempt>, AttemptError> {
    let mut system = system(task, gradient)?;
    let begin = Instant::now();
    let (mut costs, mut seconds) = (Vec::new(), Vec::new());
    let mut after = |iteration: &stiction_control::ilqr::Iteration| {
        costs.push(iteration.cost);
        seconds.push(begin.elapsed().as_secs_f64());
        tell(iteration.number, iteration.cost)
    };
    let bounds = [&task.bounds[0][..], &task.bounds[1][..]];
    let found = optimize(&mut system, &task.cost, bounds, &task.seed, params, &mut after)?;
    if found.end == End::Interrupted {
        return Ok(None);
    }
    let end = match found.end {
        End::Converged => "converged",
        End::Stalled => "stalled",
        End::IterationLimit => "iteration limit",
        End::Interrupted => "interrupted",
    };
    costs.insert(0, found.start_cost);
    seconds.insert(0, 0.0);
    let (end, tally) = (end.to_owned(), system.tally());
    Ok(Some(Attempt { costs, seconds, end, tally, controls: found.controls }))
}

fn system(task: &Task, gradient: Gradient) -> Result<Simulated, AttemptError> {
    let sim = Simulation::new(task.world.clone(), task.start.clone(), task.settings())?;
    Ok(Simulated::new(sim, task.hold, gradient)?)
}

/// A trajectory, seen step by step.
#[derive(Default)]
pub(super) struct Seen {
    /// Times after steps [s], and q and v there.
    pub(super) t: Vec<f64>,
    pub(super) q: Vec<Vec<f64>>,
    pub(super) v: Vec<Vec<f64>>,
    /// Force [N] and slip [m/s] of that contact between the first body and the others that carries most; zero where none does.
    pub(super) force: Vec<f64>,
    pub(super) slip: Vec<f64>,
    /// Loaded contacts of the world's fixed geometries.
    pub(super) on_ground: Vec<usize>,
    pub(super) natural_map: f64,
    pub(super) flagged: usize,
}

impl Seen {
    /// Steps in which the contact sticks, and in which it slides.
    pub(super) fn sticks_and_slides(&self) -> [usize; 2] {
        let loaded = || self.force.iter().zip(&self.slip).filter(|(f, _)| **f > LOADED);
        [loaded().filter(|(_, s)| **s < STICKS).count(), loaded().filter(|(_, s)| **s > SLIDES).count()]
    }

    /// The longest time without a contact with what is fixed [s].
    pub(super) fn flight(&self, dt: f64) -> f64 {
        let (mut longest, mut now) = (0, 0);
        for count in &self.on_ground {
            now = if *count == 0 { now + 1 } else { 0 };
            longest = longest.max(now);
        }
        longest as f64 * dt
    }

    /// Turn of the first body after every step [rad].
    pub(super) fn yaws(&self) -> Vec<f64> {
        self.q.iter().map(|q| yaw(q)).collect()
    }
}

/// Simulates the controls again, and looks.
pub(super) fn see(task: &Task, controls: &[Vec<f64>]) -> Result<(Seen, Recording), AttemptError> {
    let mut system = system(task, Gradient::Exact { displacement: 1e-6 })?;
    let mut seen = Seen::default();
    let mut recorder = Recorder::new(system.simulation(), FRAMES);
    let mut contacts: Vec<ContactState> = Vec::new();
    system.replay(controls, |sim, report| {
        let certificate = sim.certificate();
        seen.natural_map = stiction::contact::certificate::worse(seen.natural_map, certificate.natural_map);
        seen.flagged += usize::from(report.flagged());
        sim.contacts_into(&mut contacts);
        let own = |c: &&ContactState| c.bodies.contains(&Some(0)) && c.bodies.iter().all(Option::is_some);
        let strongest = contacts.iter().filter(own).max_by(|a, b| a.force.norm().total_cmp(&b.force.norm()));
        seen.force.push(strongest.map_or(0.0, |c| c.force.norm()));
        seen.slip.push(strongest.map_or(0.0, |c| c.slip.norm()));
        let fixed = contacts.iter().filter(|c| c.bodies.contains(&None) && c.force.norm() > LOADED);
        seen.on_ground.push(fixed.count());
        let state = sim.state();
        seen.t.push(state.t);
        seen.q.push(state.q.clone());
        seen.v.push(state.v.clone());
        let mark = StepMark::new(report, sim.own_natural_map(), certificate.worst);
        recorder.after_step(sim, certificate.natural_map, mark);
    })?;
    Ok((seen, recorder.finish()))
}
