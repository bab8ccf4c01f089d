//! A simulation: q, v and controls as arrays that Python holds, which a step reads before it starts and writes when it ends.
//!
//! The arrays are never memory of the engine: a thread that writes into them while another steps can spoil numbers, not
//! memory. What was written into q or v is taken as a new state, from which contacts start cold.

use crate::errors::{InternalError, StepFailed, index, interruptible, released, wrong};
use crate::held::{Held, Push, Written};
use crate::numbers::{Row, numbers, vec3};
use crate::page::Page;
use crate::plugged::{PythonCorrection, PythonSolver, Raised};
use crate::record::Record;
use crate::report::Report;
use crate::world::{World, without_place};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use serde::{Deserialize, de};
use serde_json::{Map, Value};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use stiction::dynamics::spatial::{Force as SpatialForce, Vec3};
use stiction::solvers::Params;
use stiction::{Settings, Snapshot, State, StepReport, StepStatus};
use stiction_camera::Painter;
use stiction_scene::stepper_changes::over;
use stiction_scene::{Force, Motion};
use stiction_sensors::Forward;

/// Settings on top of those of a world.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    contact: Option<String>,
    #[serde(default)]
    contact_params: Option<Params>,
    tolerance: Option<f64>,
    max_iterations: Option<u32>,
    threads: Option<usize>,
    #[serde(default)]
    stepper: Map<String, Value>,
}

/// The settings of `base` with those of the JSON `given` on top.
pub(crate) fn settings(base: &Settings, given: &str) -> PyResult<Settings> {
    let given: Given = serde_json::from_str(given).map_err(|e| wrong(without_place(&e)))?;
    let mut settings = base.clone();
    if let Some(contact) = &given.contact {
        settings.set_contact(contact);
    }
    if let Some(params) = &given.contact_params {
        settings.contact_params = std::mem::take(&mut settings.contact_params).over(params);
    }
    settings.tolerance = given.tolerance.unwrap_or(settings.tolerance);
    settings.max_iterations = given.max_iterations.unwrap_or(settings.max_iterations);
    settings.threads = given.threads.unwrap_or(settings.threads);
    settings.stepper = stepper(&settings.stepper, given.stepper)?;
    if let Some(solver) = &given.contact {
        settings.stepper.check_takes(solver).map_err(wrong)?;
    }
    Ok(settings)
}

/// The parameters of a stepper with those `given` on top.
pub(crate) fn stepper(
    base: &stiction::StepperParams,
    given: Map<String, Value>,
) -> PyResult<stiction::StepperParams> {
    over(base, &Value::Object(given)).map_err(|e| wrong(without_place(&e)))
}

/// The part that one thread at a time works on.
pub(crate) struct Inner {
    pub(crate) sim: stiction::Simulation,
    /// Forces that the scene states.
    pub(crate) forces: Vec<Force>,
    /// The motion that the actuators follow, until a control is given.
    pub(crate) motion: Option<Motion>,
    /// v at the start of the last step.
    pub(crate) v_before: Vec<f64>,
    /// q at the start of the step that led to the present state, if one did.
    pub(crate) q_before: Option<Vec<f64>>,
    pub(crate) record: Option<Record>,
    /// The page that shows it, if one is open.
    pub(crate) page: Weak<Page>,
    /// Triangles of its shapes, once a picture was made.
    pub(crate) painter: Option<Painter>,
    /// Forces and accelerations of a state that no step led to, once somebody has asked.
    pub(crate) forward: Option<Box<Forward>>,
    /// Forces given for the next call; they are in the generalized forces too.
    held: Held,
    /// An exception that a solver or a correction in Python raised.
    raised: Raised,
    /// Threads do not follow into a forked process: there it must not be used.
    process: Option<u32>,
}

/// A simulation and the arrays that show it.
#[pyclass(subclass, frozen, module = "stiction._stiction")]
pub(crate) struct Simulation {
    pub(crate) inner: Mutex<Inner>,
    world: Mutex<Py<World>>,
    /// q, v, controls.
    buffer: Py<PyArray1<f64>>,
    q: Py<PyAny>,
    v: Py<PyAny>,
    control: Py<PyAny>,
    nq: usize,
    nv: usize,
    nu: usize,
}

impl Simulation {
    /// The world as it is now.
    pub(crate) fn world_now(&self, py: Python<'_>) -> Py<World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner).clone_ref(py)
    }

    /// The inside, if no other thread is in it.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        let inner = self.inner.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => PyRuntimeError::new_err(
                "this simulation is in use: by another thread, or by the step that called you; make one per thread",
            ),
            TryLockError::Poisoned(_) => {
                InternalError::new_err("this simulation met a bug before and cannot be used any more")
            }
        })?;
        if inner.process.is_some_and(|p| p != std::process::id()) {
            return Err(PyRuntimeError::new_err(
                "this simulation has threads and was made before the process forked; make it in the child, or start \
                 processes by multiprocessing.get_context('spawn')",
            ));
        }
        Ok(inner)
    }

    /// The inside, with what Python has written into the arrays.
    pub(crate) fn pulled(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        let mut inner = self.lock()?;
        let buffer = self.buffer.bind(py).try_readonly().map_err(wrong)?;
        self.take(&mut inner, buffer.as_slice().map_err(wrong)?)?;
        Ok(inner)
    }

    /// Writes `control` into the arrays, then gives the inside as [`Self::pulled`] does.
    fn commanded(&self, py: Python<'_>, control: &Row<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        let view = control.as_array();
        if view.len() != self.nu {
            return Err(crate::errors::wrong_length("control", view.len(), self.nu, "one for each actuator"));
        }
        let mut inner = self.lock()?;
        let mut buffer = self.buffer.bind(py).try_readwrite().map_err(wrong)?;
        let all = buffer.as_slice_mut().map_err(wrong)?;
        all[self.nq + self.nv..].iter_mut().zip(view.iter()).for_each(|(to, x)| *to = *x);
        self.take(&mut inner, all)?;
        Ok(inner)
    }

    /// Takes state and controls of the arrays; a state that is another is one from which contacts start cold.
    fn take(&self, inner: &mut Inner, all: &[f64]) -> PyResult<()> {
        let (q, rest) = all.split_at(self.nq);
        let (v, control) = rest.split_at(self.nv);
        let state = inner.sim.state();
        if !(same(&state.q, q) && same(&state.v, v)) {
            let state = State { t: state.t, q: q.to_vec(), v: v.to_vec() };
            inner.sim.set_state(state).map_err(wrong)?;
            inner.v_before.copy_from_slice(v);
            inner.q_before = None;
            inner.project();
        }
        inner.sim.control_mut().copy_from_slice(control);
        Ok(())
    }

    /// Writes the state into the arrays.
    fn push(&self, py: Python<'_>, inner: &mut Inner) -> PyResult<()> {
        let mut buffer = self.buffer.bind(py).try_readwrite().map_err(wrong)?;
        let all = buffer.as_slice_mut().map_err(wrong)?;
        let state = inner.sim.state();
        all[..self.nq].copy_from_slice(&state.q);
        all[self.nq..self.nq + self.nv].copy_from_slice(&state.v);
        Ok(())
    }

    fn push_control(&self, py: Python<'_>, inner: &mut Inner) -> PyResult<()> {
        let mut buffer = self.buffer.bind(py).try_readwrite().map_err(wrong)?;
        let all = buffer.as_slice_mut().map_err(wrong)?;
        all[self.nq + self.nv..].copy_from_slice(inner.sim.control_mut());
        Ok(())
    }

    /// The steps of one call.
    fn steps_of_a_call(
        &self,
        py: Python<'_>,
        control: Option<Row<'_>>,
        steps: usize,
        keep: bool,
    ) -> PyResult<Report> {
        if steps == 0 {
            return Err(wrong("steps is 0; expected at least one"));
        }
        let given = control.is_some();
        let mut guard = match control {
            Some(control) => self.commanded(py, &control)?,
            None => self.pulled(py)?,
        };
        let inner = &mut *guard;
        if given {
            inner.motion = None;
        }
        let outcome = inner.steps(py, steps, keep);
        self.push(py, inner)?;
        let nothing = || InternalError::new_err("no step was made");
        Ok(Report(outcome?.ok_or_else(nothing)?))
    }
}

/// Bit by bit: a NaN that stayed is no news, and neither is −0.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

impl Inner {
    /// One step with the forces of the scene, recorded.
    fn step(&mut self) -> StepReport {
        for force in &self.forces {
            force.apply(&mut self.sim);
        }
        if let Some(motion) = &self.motion {
            motion.apply(&mut self.sim);
        }
        self.v_before.copy_from_slice(&self.sim.state().v);
        let mut q = self.q_before.take().unwrap_or_default();
        q.clone_from(&self.sim.state().q);
        let report = self.sim.step();
        self.q_before = (report.parts > 0).then_some(q);
        if let Some(record) = &mut self.record {
            record.after_step(&mut self.sim, &report);
        }
        if let Some(page) = self.page.upgrade() {
            page.after_step(&mut self.sim, &report);
        }
        report
    }

    /// Turns what is given for the next call into efforts at the present pose.
    fn project(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let world = self.sim.shared_world().clone();
        let efforts = self.held.at(&world.model, self.sim.kinematics());
        self.sim.generalized_mut().copy_from_slice(&efforts);
    }

    /// Forgets what was given for the next call.
    fn drop_forces(&mut self) {
        self.held.clear();
        self.sim.generalized_mut().fill(0.0);
    }

    /// Adds a push that acts in the steps of the next call.
    fn push(&mut self, push: Push) {
        let world = self.sim.shared_world().clone();
        let mut efforts = self.sim.generalized_mut().to_vec();
        push.add(&world.model, self.sim.kinematics(), &mut efforts);
        self.sim.generalized_mut().copy_from_slice(&efforts);
        self.held.push(push);
    }

    /// `steps` steps, fewer if one fails or a signal ends them. What was given acts in all of them, and goes on to act if `keep`.
    fn steps(&mut self, py: Python<'_>, steps: usize, keep: bool) -> PyResult<Option<StepReport>> {
        let (mut last, mut left) = (None, steps);
        let outcome = interruptible(py, || {
            if left < steps {
                self.project();
            }
            let report = self.step();
            if let Some(error) = self.raised.take() {
                return Err(error);
            }
            left -= 1;
            let over = left == 0 || matches!(report.status, StepStatus::Failed(_));
            last = Some(report);
            Ok(over)
        });
        if keep && outcome.is_ok() {
            self.project();
        } else {
            self.drop_forces();
        }
        outcome.map(|_| last)
    }
}

#[pymethods]
impl Simulation {
    /// `contact`: nothing, or an object with a method `solve`.
    #[new]
    #[pyo3(signature = (world, settings, solver=None))]
    fn new(
        py: Python<'_>,
        world: Py<World>,
        settings: &str,
        solver: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let of = world.get();
        let settings = self::settings(&of.settings, settings)?;
        let process = (settings.threads > 1).then(std::process::id);
        let raised = Raised::default();
        let mut sim = released(py, || {
            stiction::Simulation::new(of.world.clone(), of.state.clone(), settings).map_err(wrong)
        })?;
        if let Some(solver) = solver {
            let solver = PythonSolver::new(&solver, raised.clone())?;
            sim.use_solver(Box::new(solver)).map_err(wrong)?;
        }
        sim.control_mut().copy_from_slice(&of.control);
        let (nq, nv, nu) = (of.state.q.len(), of.state.v.len(), of.control.len());
        let buffer = PyArray1::from_vec(py, [&of.state.q[..], &of.state.v, &of.control].concat());
        let view = |from: usize, to: usize| -> PyResult<Py<PyAny>> {
            let slice = PySlice::new(py, from as isize, to as isize, 1);
            Ok(buffer.as_any().get_item(slice)?.unbind())
        };
        let (q, v, control) = (view(0, nq)?, view(nq, nq + nv)?, view(nq + nv, nq + nv + nu)?);
        let (forces, motion, v_before) = (of.forces.clone(), of.motion.clone(), of.state.v.clone());
        let inner = Mutex::new(Inner {
            sim,
            forces,
            motion,
            v_before,
            q_before: None,
            record: None,
            page: Weak::new(),
            painter: None,
            forward: None,
            held: Held::default(),
            raised,
            process,
        });
        let world = Mutex::new(world);
        Ok(Self { inner, world, buffer: buffer.unbind(), q, v, control, nq, nv, nu })
    }

    /// Advances by `steps` time steps; fewer if one fails. Says how the last went. What was applied acts in all of them.
    #[pyo3(signature = (control=None, steps=1))]
    fn step(&self, py: Python<'_>, control: Option<Row<'_>>, steps: usize) -> PyResult<Report> {
        self.steps_of_a_call(py, control, steps, false)
    }

    /// Steps as `step` does, but a step that fails raises.
    #[pyo3(signature = (control=None, steps=1))]
    fn advance(&self, py: Python<'_>, control: Option<Row<'_>>, steps: usize) -> PyResult<Report> {
        self.go_on(py, control, steps, false)
    }

    /// Steps as `advance` does; what was applied goes on to act if `keep`.
    #[pyo3(name = "_go_on")]
    fn go_on(&self, py: Python<'_>, control: Option<Row<'_>>, steps: usize, keep: bool) -> PyResult<Report> {
        let report = self.steps_of_a_call(py, control, steps, keep)?;
        match report.0.status {
            StepStatus::Failed(cause) => Err(StepFailed::new_err(cause)),
            _ => Ok(report),
        }
    }

    /// Forgets the forces that were applied and have not acted yet.
    #[pyo3(name = "_drop_forces")]
    fn drop_forces(&self) -> PyResult<()> {
        self.lock()?.drop_forces();
        Ok(())
    }

    #[getter]
    fn q(&self, py: Python<'_>) -> Py<PyAny> {
        self.q.clone_ref(py)
    }

    #[getter]
    fn v(&self, py: Python<'_>) -> Py<PyAny> {
        self.v.clone_ref(py)
    }

    #[getter]
    fn control(&self, py: Python<'_>) -> Py<PyAny> {
        self.control.clone_ref(py)
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.sim.state().t)
    }

    #[setter]
    fn set_time(&self, py: Python<'_>, t: f64) -> PyResult<()> {
        if !t.is_finite() {
            return Err(wrong(format_args!("the time is {t}; expected a finite number [s]")));
        }
        let mut inner = self.pulled(py)?;
        let state = State { t, ..inner.sim.state().clone() };
        inner.sim.set_state(state).map_err(wrong)?;
        inner.project();
        Ok(())
    }

    #[getter]
    fn dt(&self) -> PyResult<f64> {
        Ok(self.lock()?.sim.settings().stepper.dt)
    }

    /// The name of the contact solver.
    #[getter]
    fn contact(&self) -> PyResult<String> {
        Ok(self.lock()?.sim.solver().name().to_owned())
    }

    #[getter]
    #[pyo3(name = "_world")]
    fn world(&self, py: Python<'_>) -> Py<World> {
        self.world_now(py)
    }

    /// Sets time, q and v; contacts start cold, and forces that were applied are forgotten.
    #[pyo3(name = "_set_state")]
    fn set_state(&self, py: Python<'_>, t: f64, q: Row<'_>, v: Row<'_>) -> PyResult<()> {
        let q = numbers("q", &q, self.nq, "one for each coordinate")?;
        let v = numbers("v", &v, self.nv, "one for each velocity")?;
        if !t.is_finite() {
            return Err(wrong(format_args!("the time is {t}; expected a finite number [s]")));
        }
        let mut inner = self.lock()?;
        let before = v.clone();
        inner.sim.set_state(State { t, q, v }).map_err(wrong)?;
        inner.drop_forces();
        inner.v_before.copy_from_slice(&before);
        inner.q_before = None;
        self.push(py, &mut inner)
    }

    /// Goes on with the same state in a world whose numbers are others, or under other settings than the present; contacts
    /// start cold.
    #[pyo3(name = "_go_on_in", signature = (world, settings=None))]
    fn go_on_in(&self, py: Python<'_>, world: Py<World>, settings: Option<&str>) -> PyResult<()> {
        let of = world.get();
        if (of.state.q.len(), of.state.v.len(), of.control.len()) != (self.nq, self.nv, self.nu) {
            return Err(wrong("a simulation goes on in a world of as many coordinates and actuators alone"));
        }
        let settings = settings.map(|given| self::settings(&of.settings, given)).transpose()?;
        let mut guard = self.pulled(py)?;
        let inner = &mut *guard;
        inner.v_before.copy_from_slice(&inner.sim.state().v);
        match settings {
            None => released(py, || inner.sim.go_on_in(of.world.clone()).map_err(wrong))?,
            Some(settings) => {
                let (state, control) = (inner.sim.state().clone(), inner.sim.control_mut().to_vec());
                inner.sim = released(py, || {
                    stiction::Simulation::new(of.world.clone(), state, settings).map_err(wrong)
                })?;
                inner.sim.control_mut().copy_from_slice(&control);
            }
        }
        (inner.q_before, inner.forward, inner.painter) = (None, None, None);
        inner.held.clear();
        drop(guard);
        *self.world.lock().unwrap_or_else(PoisonError::into_inner) = world;
        Ok(())
    }

    /// Replaces what acts in the steps of the next call by these efforts.
    #[pyo3(name = "_set_efforts")]
    fn set_efforts(&self, efforts: Row<'_>) -> PyResult<()> {
        let efforts = numbers("efforts", &efforts, self.nv, "one for each velocity")?;
        let mut inner = self.lock()?;
        inner.held.set_efforts(&efforts);
        inner.sim.generalized_mut().copy_from_slice(&efforts);
        Ok(())
    }

    /// Adds a force at a point of a body, both in the world, for the steps of the next call.
    #[pyo3(name = "_apply_force")]
    fn apply_force(&self, py: Python<'_>, body: isize, point: Row<'_>, force: Row<'_>) -> PyResult<()> {
        let (point, force) = (vec3("point", &point)?, vec3("force", &force)?);
        let mut inner = self.pulled(py)?;
        let body = index("body", body, inner.sim.world().model.bodies.len())?;
        let point = inner.sim.kinematics().X_WB[body].inverse_transform(point);
        inner.push(Push { body, point, force: SpatialForce::new(Vec3::ZERO, force) });
        Ok(())
    }

    /// Adds a moment on a body, in world axes, for the steps of the next call.
    #[pyo3(name = "_apply_moment")]
    fn apply_moment(&self, py: Python<'_>, body: isize, moment: Row<'_>) -> PyResult<()> {
        let moment = vec3("moment", &moment)?;
        let mut inner = self.pulled(py)?;
        let body = index("body", body, inner.sim.world().model.bodies.len())?;
        inner.push(Push { body, point: Vec3::ZERO, force: SpatialForce::new(moment, Vec3::ZERO) });
        Ok(())
    }

    /// Adds generalized forces, for the steps of the next call.
    fn apply_efforts(&self, efforts: Row<'_>) -> PyResult<()> {
        let efforts = numbers("efforts", &efforts, self.nv, "one for each velocity")?;
        if let Some(x) = efforts.iter().find(|x| !x.is_finite()) {
            return Err(wrong(format_args!("an effort is {x}; expected finite numbers")));
        }
        let mut inner = self.lock()?;
        inner.held.add_efforts(&efforts);
        inner.sim.generalized_mut().iter_mut().zip(&efforts).for_each(|(to, x)| *to += x);
        Ok(())
    }

    /// Everything that decides the future, as JSON.
    #[pyo3(name = "_snapshot")]
    fn snapshot(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let mut inner = self.pulled(py)?;
        let mut snapshot = serde_json::to_vec(&inner.sim.snapshot()).map_err(wrong)?;
        if let Some(forces) = inner.held.written() {
            snapshot.extend(serde_json::to_vec(&forces).map_err(wrong)?);
        }
        Ok(snapshot)
    }

    /// Goes on from a snapshot.
    #[pyo3(name = "_restore")]
    fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let unreadable = |e| wrong(format_args!("no snapshot: {e}"));
        let mut pieces = serde_json::Deserializer::from_slice(snapshot);
        let snapshot: Snapshot = de::Deserialize::deserialize(&mut pieces).map_err(unreadable)?;
        let forces = pieces.into_iter::<Written>().next().transpose().map_err(unreadable)?;
        let mut inner = self.lock()?;
        let model = &inner.sim.shared_world().clone().model;
        let forces = forces.map(|of| Held::read(&of, model.bodies.len(), model.nv())).transpose()?;
        inner.sim.restore(&snapshot).map_err(wrong)?;
        let v = inner.sim.state().v.clone();
        inner.v_before.copy_from_slice(&v);
        inner.q_before = None;
        let efforts = inner.sim.generalized_mut().to_vec();
        match forces {
            Some(forces) => inner.held = forces,
            None => inner.held.set_efforts(&efforts),
        }
        self.push(py, &mut inner)?;
        self.push_control(py, &mut inner)
    }

    /// Lets a callable change contact impulses between solving and applying them; nothing takes it away.
    #[pyo3(name = "_correct_contacts")]
    fn correct_contacts(&self, correction: Option<Py<PyAny>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let raised = inner.raised.clone();
        let boxed = correction
            .map(|c| -> Box<dyn stiction::ContactCorrection> { Box::new(PythonCorrection::new(c, raised)) });
        if inner.sim.correct_contacts(boxed) {
            return Ok(());
        }
        let method = inner.sim.settings().stepper.method.as_str();
        Err(wrong(format_args!("the stepper `{method}` has no place for a contact correction")))
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let (world, state) = (inner.sim.world(), inner.sim.state());
        Ok(format!(
            "<stiction.Simulation of `{}` at t = {:.6} s, contact '{}', nq = {}, nv = {}, nu = {}>",
            world.name,
            state.t,
            inner.sim.solver().name(),
            self.nq,
            self.nv,
            self.nu
        ))
    }
}
