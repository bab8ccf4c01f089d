//! Control: a walking robot's torques by model predictive control, and trajectories by iterative LQR.

use crate::errors::{guarded, wrong, wrong_length};
use crate::numbers::{Row, Rows, matrix_of, numbers, row, table};
use crate::simulation::Simulation;
use crate::world::World;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use stiction_control::ilqr::{
    Cost, Expansion, Gradient, IlqrParams, Iteration, Point, Simulated, Stage, Tracking, optimize,
};
use stiction_control::{Command, LEGS, LocomotionParams};

/// The walking controller of a robot.
#[pyclass(frozen, module = "stiction._stiction")]
pub(crate) struct Locomotion {
    inner: Mutex<stiction_control::Locomotion>,
}

#[pymethods]
impl Locomotion {
    #[new]
    fn new(world: &World, trunk: &str, feet: [String; LEGS], home: Row<'_>, params: &str) -> PyResult<Self> {
        let params: LocomotionParams = serde_json::from_str(params).map_err(wrong)?;
        let home: Vec<f64> = home.as_array().iter().copied().collect();
        let feet = [&*feet[0], &*feet[1], &*feet[2], &*feet[3]];
        let made = stiction_control::Locomotion::new(&world.world.model, trunk, feet, &home, params);
        Ok(Self { inner: Mutex::new(made.map_err(wrong)?) })
    }

    /// All parameters with the values they have unless they are given, as JSON.
    #[staticmethod]
    fn defaults() -> PyResult<String> {
        serde_json::to_string(&LocomotionParams::default()).map_err(wrong)
    }

    /// Indices into v of the joints, per leg from the trunk to the foot.
    #[getter]
    fn dofs(&self) -> Vec<usize> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.robot().legs.iter().flat_map(|leg| leg.dofs).collect()
    }

    /// Feet that stand by the gait at t [s].
    fn standing(&self, t: f64) -> [bool; LEGS] {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).standing(t)
    }

    /// Torques of the joints, per leg from the trunk to the foot; the command is speed ahead and to the left, rate of the heading and height.
    fn torques<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        state: (Row<'py>, Row<'py>),
        command: [f64; 4],
        ground: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let given = |row: &Row<'_>| row.as_array().iter().copied().collect::<Vec<f64>>();
        let (q, v) = (given(&state.0), given(&state.1));
        let [x, y, yaw_rate, height] = command;
        let command = Command { velocity: [x, y], yaw_rate, height };
        let raised = RefCell::new(None);
        let height = |x: f64, y: f64| {
            let Some(ground) = &ground else { return 0.0 };
            match ground.call1(py, (x, y)).and_then(|z| z.extract::<f64>(py)) {
                Ok(z) => z,
                Err(error) => {
                    raised.borrow_mut().get_or_insert(error);
                    f64::NAN
                }
            }
        };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let found = guarded(|| {
            let torques = inner.torques(t, (&q, &v), &command, &height).map_err(wrong)?;
            Ok(torques.iter().flatten().copied().collect::<Vec<f64>>())
        });
        match raised.take() {
            Some(error) => Err(error),
            None => Ok(row(py, found?)),
        }
    }
}

/// Quadratic weights, and costs that Python states.
struct Stated<'py> {
    py: Python<'py>,
    tracking: Tracking,
    /// `running(k, q, v, u)` and `terminal(q, v)`, which answer with a cost and its derivatives.
    running: Option<Py<PyAny>>,
    terminal: Option<Py<PyAny>>,
    raised: RefCell<Option<PyErr>>,
}

impl Stated<'_> {
    /// The answer of Python; `None` where it states nothing.
    fn asked(&self, k: usize, x: &Point, u: Option<&[f64]>) -> PyResult<Option<Vec<Bound<'_, PyAny>>>> {
        let py = self.py;
        let state = |of: &[f64]| row(py, of.to_vec());
        let answer = match (u, &self.running, &self.terminal) {
            (Some(u), Some(running), _) => {
                running.call1(py, (k, state(&x.q), state(&x.v), row(py, u.to_vec())))?
            }
            (None, _, Some(terminal)) => terminal.call1(py, (state(&x.q), state(&x.v)))?,
            _ => return Ok(None),
        };
        let answer = answer.into_bound(py);
        match answer.cast::<PyTuple>() {
            Ok(parts) => Ok(Some(parts.iter().collect())),
            Err(_) => Ok(Some(vec![answer])),
        }
    }

    fn keep<T: Default>(&self, found: PyResult<T>) -> T {
        found.unwrap_or_else(|error| {
            self.raised.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    fn add(&self, k: usize, x: &Point, u: Option<&[f64]>, out: &mut Expansion) -> PyResult<()> {
        let Some(parts) = self.asked(k, x, u)? else { return Ok(()) };
        let (n, nu) = (out.l_x.len(), out.l_u.len());
        let vector = |part: &Bound<'_, PyAny>, what: &str, n: usize| -> PyResult<Vec<f64>> {
            numbers(what, &part.extract::<Row<'_>>()?, n, "one for each coordinate")
        };
        let matrix = |part: &Bound<'_, PyAny>, what: &str, shape: [usize; 2]| -> PyResult<Vec<f64>> {
            table(what, &part.extract::<Rows<'_>>()?, shape, "second derivatives")
        };
        let names: &[&str] = match u {
            Some(_) => &["the cost", "l_x", "l_u", "l_xx", "l_ux", "l_uu"],
            None => &["the cost", "l_x", "l_xx"],
        };
        if parts.len() > names.len() {
            return Err(wrong_length("the answer of a cost", parts.len(), names.len(), "its derivatives"));
        }
        for (part, name) in parts.iter().zip(names).skip(1).filter(|(part, _)| !part.is_none()) {
            match *name {
                "l_x" => vector(part, name, n)?.iter().zip(out.l_x.iter_mut()).for_each(|(x, to)| *to += x),
                "l_u" => vector(part, name, nu)?.iter().zip(out.l_u.iter_mut()).for_each(|(x, to)| *to += x),
                _ => {
                    let to = match *name {
                        "l_xx" => &mut out.l_xx,
                        "l_ux" => &mut out.l_ux,
                        _ => &mut out.l_uu,
                    };
                    let shape = [to.nrows(), to.ncols()];
                    for (i, x) in matrix(part, name, shape)?.into_iter().enumerate() {
                        to[(i / shape[1], i % shape[1])] += x;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Cost for Stated<'_> {
    fn knots(&self) -> usize {
        self.tracking.knots()
    }

    fn value(&self, k: usize, x: &Point, u: Option<&[f64]>) -> f64 {
        if self.raised.borrow().is_some() {
            return f64::NAN;
        }
        let stated = self.asked(k, x, u).and_then(|parts| match parts.as_deref() {
            Some([first, ..]) => first.extract::<f64>().map(Some),
            Some([]) => {
                Err(wrong("a cost answers with nothing; expected a number, or a tuple that starts with one"))
            }
            None => Ok(None),
        });
        let stated = self.keep(stated).unwrap_or(0.0);
        self.tracking.value(k, x, u) + stated
    }

    fn expand(&self, k: usize, x: &Point, u: Option<&[f64]>, out: &mut Expansion) {
        self.tracking.expand(k, x, u, out);
        let found = self.add(k, x, u, out);
        self.keep(found);
    }
}

/// Controls, q and v of the states, gains row by row, costs at first and at last, and what is to be known, as JSON.
type Found<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    [f64; 2],
    String,
);

#[pymethods]
impl Simulation {
    /// Controls from the present state that make a cost least: targets and weights per knot and for the end, weights of controls, bounds.
    #[pyo3(name = "_ilqr")]
    #[expect(clippy::too_many_arguments, reason = "called by one function in Python, which names them")]
    fn ilqr<'py>(
        &self,
        py: Python<'py>,
        controls: (Rows<'py>, usize),
        states: (Rows<'py>, Rows<'py>, Rows<'py>),
        control: (Row<'py>, Row<'py>),
        bounds: (Row<'py>, Row<'py>),
        costs: (Option<Py<PyAny>>, Option<Py<PyAny>>),
        settings: (String, String),
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Found<'py>> {
        let (controls, hold) = controls;
        let (target_q, target_v, weights) = states;
        let (control, control_weights) = control;
        let (lowest, highest) = bounds;
        let (running, terminal) = costs;
        let gradient: Gradient = serde_json::from_str(&settings.0).map_err(wrong)?;
        let params: IlqrParams = serde_json::from_str(&settings.1).map_err(wrong)?;
        let inner = self.pulled(py)?;
        let (world, state, settings) =
            (inner.sim.shared_world(), inner.sim.state().clone(), inner.sim.settings().clone());
        drop(inner);
        let (nq, nv, nu) = (world.model.nq, world.model.nv(), world.actuators.len());
        let knots = controls.as_array().nrows();
        let start = table("the controls to start from", &controls, [knots, nu], "a row per knot")?;
        let per = "a row per knot and one for the end";
        let q = table("the targets of q", &target_q, [knots + 1, nq], per)?;
        let v = table("the targets of v", &target_v, [knots + 1, nv], per)?;
        let w = table("the weights of states", &weights, [knots + 1, 2 * nv], per)?;
        let of_control = |what, row: &Row<'_>| numbers(what, row, nu, "one for each actuator");
        let stage = |k: usize| {
            let target = Point { q: q[k * nq..(k + 1) * nq].to_vec(), v: v[k * nv..(k + 1) * nv].to_vec() };
            Arc::new(Stage { target, weights: w[k * 2 * nv..(k + 1) * 2 * nv].to_vec() })
        };
        let cost = Stated {
            py,
            tracking: Tracking {
                model: world.model.clone(),
                stages: (0..=knots).map(stage).collect(),
                control: of_control("the target of controls", &control)?,
                control_weights: of_control("the weights of controls", &control_weights)?,
            },
            running,
            terminal,
            raised: RefCell::new(None),
        };
        let bounds =
            [of_control("the lowest controls", &lowest)?, of_control("the highest controls", &highest)?];
        let start: Vec<Vec<f64>> = (0..knots).map(|k| start[k * nu..(k + 1) * nu].to_vec()).collect();
        let found = guarded(|| {
            let simulation = stiction::Simulation::new(world, state, settings).map_err(wrong)?;
            let mut system = Simulated::new(simulation, hold, gradient).map_err(wrong)?;
            let mut told = |iteration: &Iteration| {
                let asked = py.check_signals().and_then(|()| match &tell {
                    None => Ok(true),
                    Some(tell) => {
                        let Iteration { number, cost, expected, taken, regularization } = *iteration;
                        let answer = tell.call1(py, (number, cost, expected, taken, regularization))?;
                        Ok(answer.is_none(py) || answer.extract::<bool>(py)?)
                    }
                });
                match cost.keep(asked) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            };
            let bounds = [&bounds[0][..], &bounds[1][..]];
            let found = optimize(&mut system, &cost, bounds, &start, &params, &mut told);
            Ok((found, system.tally()))
        });
        if let Some(error) = cost.raised.borrow_mut().take() {
            return Err(error);
        }
        let (found, tally) = found?;
        let found = found.map_err(wrong)?;
        let history: Vec<_> = (found.history.iter())
            .map(|i| {
                serde_json::json!({
                    "number": i.number, "cost": i.cost, "expected": i.expected, "taken": i.taken, "regularization": i.regularization,
                })
            })
            .collect();
        let told = serde_json::json!({ "end": found.end, "history": history, "work": tally });
        let rows = |of: Vec<f64>, width: usize| {
            let n = of.len().checked_div(width).unwrap_or(0);
            matrix_of(py, of, [n, width])
        };
        let (q, v): (Vec<_>, Vec<_>) = found.states.into_iter().map(|x| (x.q, x.v)).unzip();
        Ok((
            rows(found.controls.concat(), nu)?,
            rows(q.concat(), nq)?,
            rows(v.concat(), nv)?,
            rows(found.gains.concat(), 2 * nv)?,
            [found.start_cost, found.cost],
            told.to_string(),
        ))
    }
}
