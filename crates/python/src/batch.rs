//! Many environments of one world: q and v as arrays that a step writes when it ends, controls as one that it reads.

use crate::errors::{InternalError, guarded, index, interruptible, released, wrong};
use crate::fields::{QUANTITIES, Quantity};
use crate::held::{Held, Push};
use crate::numbers::{Rows, matrix_of, table};
use crate::own_world::Own;
use crate::report::status;
use crate::world::{World, quantity_values, without_place};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::{Mutex, MutexGuard, TryLockError};
use stiction::batch::{BatchSettings, Fields, Pace, Path, Precision};
use stiction::dynamics::spatial::{Force, Vec3};
use stiction::dynamics::{Kinematics, Model};
use stiction::solvers::Effort;
use stiction::{State, StepStatus};
use stiction_sensors::Forward;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    precision: Option<String>,
    tolerance: Option<f64>,
    #[serde(default)]
    effort: Effort,
    #[serde(default)]
    judge: bool,
    threads: Option<usize>,
    #[serde(default)]
    stepper: Map<String, Value>,
}

fn settings(world: &World, given: &str) -> PyResult<BatchSettings> {
    let given: Given = serde_json::from_str(given).map_err(|e| wrong(without_place(&e)))?;
    let defaults = BatchSettings::default();
    let precision = match given.precision.as_deref() {
        None | Some("f64") => Precision::Double,
        Some("f32") => Precision::Single,
        Some(other) => {
            return Err(wrong(format_args!("no precision is called `{other}`; there are: f64, f32")));
        }
    };
    Ok(BatchSettings {
        stepper: crate::simulation::stepper(&world.settings.stepper, given.stepper)?,
        precision,
        tolerance: given.tolerance.unwrap_or(defaults.tolerance),
        effort: given.effort,
        judge: given.judge,
        threads: given.threads.unwrap_or(defaults.threads),
    })
}

/// The part that one thread at a time works on.
pub(crate) struct Inner {
    pub(crate) batch: stiction::batch::Batch,
    pub(crate) control: Vec<f64>,
    /// v at the start of the last step of every environment.
    pub(crate) v_before: Vec<f64>,
    /// Whether an environment was stepped since its state was set.
    pub(crate) stepped: Vec<bool>,
    pub(crate) own: Vec<Own>,
    /// Accelerations of states that no step led to, of environments that share the world.
    pub(crate) forward: Option<Box<Forward>>,
    /// Forces given for the next call, of every environment; empty: none.
    held: Vec<Held>,
    process: u32,
}

impl Inner {
    /// Keeps the velocities of the start of a step, which accelerations are read from.
    fn remember(&mut self) {
        let n = self.stepped.len();
        let nv = self.v_before.len() / n;
        for i in 0..n {
            self.v_before[i * nv..(i + 1) * nv].copy_from_slice(self.batch.state(i).1);
        }
        self.stepped.fill(true);
    }

    /// Forces for the next call, of every environment.
    fn held(&mut self) -> &mut [Held] {
        self.held.resize(self.stepped.len(), Held::default());
        &mut self.held
    }

    /// Turns what is given for the next call into efforts at the present poses.
    fn project(&mut self, model: &Model) {
        if self.held.is_empty() {
            return;
        }
        let mut kin = Kinematics::new(model);
        for (i, held) in self.held.iter().enumerate().filter(|(_, held)| !held.is_empty()) {
            kin.update(model, self.batch.state(i).0);
            let efforts = held.at(model, &kin);
            self.batch.generalized_mut(i).copy_from_slice(&efforts);
        }
    }
}

/// A batch and the arrays that show it.
#[pyclass(subclass, frozen, module = "stiction._stiction")]
pub(crate) struct Batch {
    inner: Mutex<Inner>,
    pub(crate) world: Py<World>,
    q: Py<PyArray2<f64>>,
    v: Py<PyArray2<f64>>,
    control: Py<PyArray2<f64>>,
    pub(crate) n: usize,
}

impl Batch {
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        let inner = self.inner.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => PyRuntimeError::new_err("this batch is in use by another thread"),
            TryLockError::Poisoned(_) => {
                InternalError::new_err("this batch met a bug before and cannot be used any more")
            }
        })?;
        if inner.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "this batch was made before the process forked, and its threads stayed behind; make it in the child, or \
                 start processes by multiprocessing.get_context('spawn')",
            ));
        }
        Ok(inner)
    }

    /// Writes the states into the arrays.
    fn push(&self, py: Python<'_>, inner: &Inner) -> PyResult<()> {
        let mut q = self.q.bind(py).try_readwrite().map_err(wrong)?;
        let mut v = self.v.bind(py).try_readwrite().map_err(wrong)?;
        inner.batch.states_into(q.as_slice_mut().map_err(wrong)?, v.as_slice_mut().map_err(wrong)?);
        Ok(())
    }

    fn take_control(&self, py: Python<'_>, given: Option<&Rows<'_>>, inner: &mut Inner) -> PyResult<()> {
        if let Some(given) = given {
            let view = given.as_array();
            let expected = self.control.bind(py).shape();
            if view.shape() != expected {
                let found = view.shape();
                return Err(wrong(format_args!("control has the shape {found:?}; expected {expected:?}")));
            }
            let mut control = self.control.bind(py).try_readwrite().map_err(wrong)?;
            let control = control.as_slice_mut().map_err(wrong)?;
            match view.as_slice() {
                Some(slice) => control.copy_from_slice(slice),
                None => control.iter_mut().zip(view.iter()).for_each(|(to, x)| *to = *x),
            }
        }
        let control = self.control.bind(py).try_readonly().map_err(wrong)?;
        inner.control.copy_from_slice(control.as_slice().map_err(wrong)?);
        Ok(())
    }

    fn environments(&self, ids: &[isize]) -> PyResult<Vec<usize>> {
        ids.iter().map(|i| index("environment", *i, self.n)).collect()
    }
}

#[pymethods]
impl Batch {
    #[new]
    fn new(py: Python<'_>, world: Py<World>, n: usize, settings: &str) -> PyResult<Self> {
        let of = world.get();
        let settings = self::settings(of, settings)?;
        let batch = released(py, || {
            stiction::batch::Batch::new(of.world.clone(), &of.state, n, settings).map_err(wrong)
        })?;
        let (nq, nv, nu) = (of.state.q.len(), of.state.v.len(), of.control.len());
        let control: Vec<f64> = (0..n).flat_map(|_| of.control.iter().copied()).collect();
        let made = Self {
            q: matrix_of(py, vec![0.0; n * nq], [n, nq])?.unbind(),
            v: matrix_of(py, vec![0.0; n * nv], [n, nv])?.unbind(),
            control: matrix_of(py, control.clone(), [n, nu])?.unbind(),
            inner: Mutex::new(Inner {
                batch,
                control,
                v_before: of.state.v.repeat(n),
                stepped: vec![false; n],
                forward: None,
                held: Vec::new(),
                own: (0..n).map(|_| Own::Shared).collect(),
                process: std::process::id(),
            }),
            world,
            n,
        };
        made.push(py, &*made.lock()?)?;
        Ok(made)
    }

    /// Advances all environments by `steps` time steps, and says how many were made: `strict` ends with the first in which an
    /// environment fails, and Ctrl-C ends it too. What was applied acts in all of them.
    #[pyo3(signature = (control=None, steps=1, strict=false))]
    fn step(
        &self,
        py: Python<'_>,
        control: Option<Rows<'_>>,
        steps: usize,
        strict: bool,
    ) -> PyResult<(usize, Option<PyErr>)> {
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        self.take_control(py, control.as_ref(), inner)?;
        let model = self.world.get().model();
        let mut done = 0;
        let outcome = interruptible(py, || {
            if done == steps {
                return Ok(true);
            }
            if done > 0 {
                inner.project(model);
            }
            inner.remember();
            inner.batch.step(&inner.control);
            done += 1;
            let failed = |r: &stiction::batch::BatchReport| matches!(r.status, StepStatus::Failed(_));
            Ok(done == steps || (strict && inner.batch.reports().any(failed)))
        });
        inner.held.clear();
        self.push(py, inner)?;
        Ok((done, outcome.err()))
    }

    fn __len__(&self) -> usize {
        self.n
    }

    /// The array of configurations, which a step overwrites; what is written into it is lost.
    #[getter]
    #[pyo3(name = "_q")]
    fn q_memory(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.q.clone_ref(py)
    }

    /// The array of velocities, likewise.
    #[getter]
    #[pyo3(name = "_v")]
    fn v_memory(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.v.clone_ref(py)
    }

    /// Controls of the next step.
    #[getter]
    fn control(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.control.clone_ref(py)
    }

    #[getter]
    #[pyo3(name = "_world")]
    fn world(&self, py: Python<'_>) -> Py<World> {
        self.world.clone_ref(py)
    }

    #[getter]
    fn dt(&self) -> PyResult<f64> {
        Ok(self.lock()?.batch.settings().stepper.dt)
    }

    /// How many environments a thread steps at a time, and why only one.
    #[pyo3(name = "_pace")]
    fn pace(&self) -> PyResult<(usize, Option<String>)> {
        Ok(match self.lock()?.batch.pace() {
            Pace::Lanes(width) => (width, None),
            Pace::Alone(why) => (1, Some(why)),
        })
    }

    /// Sets states; contacts of these environments start cold, and forces that were applied to them are forgotten.
    #[pyo3(name = "_set_states")]
    fn set_states(&self, py: Python<'_>, ids: Vec<isize>, q: Rows<'_>, v: Rows<'_>) -> PyResult<()> {
        let ids = self.environments(&ids)?;
        let model = self.world.get().model();
        let q = table("q", &q, [ids.len(), model.nq], "a row for each environment")?;
        let v = table("v", &v, [ids.len(), model.nv()], "a row for each environment")?;
        let mut guard = self.lock()?;
        let rows = q.chunks(model.nq.max(1)).zip(v.chunks(model.nv().max(1)));
        for (i, (q, v)) in ids.iter().zip(rows) {
            let state = State { t: 0.0, q: q.to_vec(), v: v.to_vec() };
            guard.batch.reset(*i, &state).map_err(|e| wrong(format_args!("environment {i}: {e}")))?;
            let nv = v.len();
            guard.v_before[i * nv..(i + 1) * nv].copy_from_slice(v);
            guard.stepped[*i] = false;
            if let Some(held) = guard.held.get_mut(*i) {
                held.clear();
            }
        }
        self.push(py, &guard)
    }

    /// Gives environments numbers of their own; `values` maps quantities to arrays with a row for each.
    #[pyo3(name = "_set_parameters")]
    fn set_parameters(&self, ids: Vec<isize>, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let ids = self.environments(&ids)?;
        let world = &self.world.get().world;
        for (name, _) in values.iter() {
            Quantity::named(&name.extract::<String>()?)?;
        }
        let mut given: Vec<(&Quantity, Vec<f64>)> = Vec::new();
        for quantity in &QUANTITIES {
            if let Some(value) = values.get_item(quantity.name)? {
                let mut shape = vec![ids.len()];
                shape.extend(quantity.shape(world));
                given.push((quantity, quantity_values(quantity, &value, &shape)?));
            }
        }
        let mut inner = self.lock()?;
        for (k, &i) in ids.iter().enumerate() {
            let mut fields = inner.batch.fields(i);
            for (quantity, values) in &given {
                let each: usize = quantity.shape(world).iter().product();
                quantity.set(&mut fields, &values[k * each..(k + 1) * each])?;
            }
            inner.batch.set_fields(i, fields).map_err(|e| wrong(format_args!("environment {i}: {e}")))?;
            inner.own[i] = Own::Unread;
        }
        Ok(())
    }

    /// The numbers of all environments.
    #[pyo3(name = "_parameters")]
    fn parameters<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let all: Vec<Fields> = (0..self.n).map(|i| inner.batch.fields(i)).collect();
        let out = PyDict::new(py);
        for name in names {
            let quantity = Quantity::named(&name)?;
            let mut shape = vec![self.n];
            shape.extend(quantity.shape(&self.world.get().world));
            let values: Vec<f64> = all.iter().flat_map(|f| quantity.get(f)).collect();
            out.set_item(quantity.name, PyArray1::from_vec(py, values).reshape(shape)?)?;
        }
        Ok(out)
    }

    /// Adds generalized forces, a row for each environment, for the steps of the next call.
    fn apply_efforts(&self, efforts: Rows<'_>) -> PyResult<()> {
        let nv = self.world.get().model().nv();
        let efforts = table("efforts", &efforts, [self.n, nv], "a row for each environment")?;
        finite("an effort", &efforts)?;
        let mut inner = self.lock()?;
        for (i, row) in efforts.chunks(nv.max(1)).enumerate() {
            inner.batch.generalized_mut(i).iter_mut().zip(row).for_each(|(to, x)| *to += x);
            inner.held()[i].add_efforts(row);
        }
        Ok(())
    }

    /// Adds a moment and a force at the origin of a body, in world axes, a row for each environment, for the steps of the next call.
    fn apply_wrench(&self, body: isize, wrenches: Rows<'_>) -> PyResult<()> {
        let model = self.world.get().model();
        let body = index("body", body, model.bodies.len())?;
        let wrenches =
            table("wrenches", &wrenches, [self.n, 6], "a moment and a force for each environment")?;
        finite("a wrench", &wrenches)?;
        let mut inner = self.lock()?;
        let mut kin = Kinematics::new(model);
        for (i, x) in wrenches.chunks_exact(6).enumerate().filter(|(_, x)| x.iter().any(|x| *x != 0.0)) {
            kin.update(model, inner.batch.state(i).0);
            let force = Force::new(Vec3::from([x[0], x[1], x[2]]), Vec3::from([x[3], x[4], x[5]]));
            let push = Push { body, point: Vec3::ZERO, force };
            push.add(model, &kin, inner.batch.generalized_mut(i));
            inner.held()[i].push(push);
        }
        Ok(())
    }

    /// Reports of the last step, an array for each quantity.
    #[pyo3(name = "_reports")]
    fn reports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let reports = || inner.batch.reports();
        let out = PyDict::new(py);
        out.set_item("status", PyArray1::from_iter(py, reports().map(|r| code(&r.status))))?;
        let path = |p: Path| match p {
            Path::Lane => 0_i8,
            Path::FellBack => 1,
            Path::Alone => 2,
        };
        out.set_item("path", PyArray1::from_iter(py, reports().map(|r| path(r.path))))?;
        out.set_item("residual", PyArray1::from_iter(py, reports().map(|r| r.residual)))?;
        out.set_item(
            "natural_map",
            PyArray1::from_iter(py, reports().map(|r| r.natural_map.unwrap_or(f64::NAN))),
        )?;
        out.set_item("contacts", PyArray1::from_iter(py, reports().map(|r| r.contacts as i64)))?;
        out.set_item("penetration", PyArray1::from_iter(py, reports().map(|r| r.penetration)))?;
        Ok(out)
    }

    /// Environments whose last step failed, and why.
    fn failures(&self) -> PyResult<Vec<(usize, String)>> {
        let inner = self.lock()?;
        let failed = inner.batch.reports().enumerate().filter_map(|(i, r)| match &r.status {
            StepStatus::Failed(cause) => Some((i, cause.clone())),
            _ => None,
        });
        Ok(failed.collect())
    }

    /// Poses of a link, position and quaternion, and its velocity, angular first, in world axes: 13 numbers an environment.
    #[pyo3(name = "_link_states")]
    fn link_states<'py>(&self, py: Python<'py>, link: isize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let model = self.world.get().model();
        let link = index("link", link, model.links.len())?;
        let inner = self.lock()?;
        let batch = &inner.batch;
        let all = guarded(|| {
            let mut out = Vec::with_capacity(13 * self.n);
            self.world.get().workspaces.with(model, |w| {
                for i in 0..self.n {
                    let (q, v) = batch.state(i);
                    w.moved(model, q, Some(v));
                    let (p, r) = crate::numbers::pose(&stiction::dynamics::frame_pose(model, &w.kin, link));
                    let axes = stiction::dynamics::Axes::Aligned;
                    let V = stiction::dynamics::frame_velocity(model, &w.kin, &w.vel, link, axes);
                    out.extend(p);
                    out.extend(r);
                    out.extend(crate::numbers::motion(&V));
                }
            });
            Ok(out)
        })?;
        matrix_of(py, all, [self.n, 13])
    }

    /// One row of numbers for every environment: a copy of a state.
    #[expect(clippy::type_complexity, reason = "two arrays that Python names")]
    fn state<'py>(
        &self,
        py: Python<'py>,
        i: isize,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let i = index("environment", i, self.n)?;
        let inner = self.lock()?;
        let (q, v) = inner.batch.state(i);
        Ok((PyArray1::from_slice(py, q), PyArray1::from_slice(py, v)))
    }
}

/// The words for the codes of [`Batch::reports`].
pub(crate) fn status_words() -> Vec<&'static str> {
    let failed = StepStatus::Failed(String::new());
    [StepStatus::Converged, StepStatus::Rounding, StepStatus::NotConverged, failed, StepStatus::GainedEnergy]
        .iter()
        .map(status)
        .collect()
}

fn code(status: &StepStatus) -> i8 {
    match status {
        StepStatus::Converged => 0,
        StepStatus::Rounding => 1,
        StepStatus::NotConverged => 2,
        StepStatus::Failed(_) => 3,
        StepStatus::GainedEnergy => 4,
    }
}

fn finite(what: &str, x: &[f64]) -> PyResult<()> {
    match x.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(wrong(format_args!("{what} is {x}; expected finite numbers"))),
        None => Ok(()),
    }
}
