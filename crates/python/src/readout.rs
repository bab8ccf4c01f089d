//! What a simulation tells of its present state and of its last step.

use crate::dynamics::at_origins;
use crate::errors::{guarded, wrong};
use crate::numbers::{frozen_row, matrix, matrix_of, motion, pose, row};
use crate::packed::Packed;
use crate::problem::Problem;
use crate::report;
use crate::simulation::Simulation;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use stiction::ContactState;
use stiction::dynamics::spatial::Vec3;
use stiction::dynamics::{Velocities, frame_velocity};
use stiction_sensors::{Forward, Found, efforts_in};

/// Slip below this counts as sticking [m/s].
const STICK_SPEED: f64 = 1e-6;

#[pymethods]
impl Simulation {
    /// Whether a step led to the present state.
    #[getter]
    fn _stepped(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.pulled(py)?.q_before.is_some())
    }

    /// Contacts of the last step, as records: bodies, geometries, feature and mode; position, axes, gap, friction, force,
    /// moment, slip.
    #[pyo3(name = "_contact_records")]
    fn contact_records<'py>(&self, py: Python<'py>, open: bool) -> PyResult<Bound<'py, PyByteArray>> {
        let mut inner = self.lock()?;
        let mut contacts = Vec::new();
        inner.sim.contacts_into(&mut contacts);
        Ok(records(py, &contacts, open))
    }

    /// The judge's word on the last step, by the exact law.
    #[pyo3(name = "_certificate")]
    fn certificate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut inner = self.lock()?;
        let certificate = guarded(|| Ok(inner.sim.certificate()))?;
        report::certificate(py, &certificate)
    }

    /// The natural map of the certificate alone.
    #[getter]
    fn natural_map(&self) -> PyResult<f64> {
        let mut inner = self.lock()?;
        guarded(|| Ok(inner.sim.certificate().natural_map))
    }

    /// The natural map of the last step by the solver's own law.
    #[getter]
    fn own_natural_map(&self) -> PyResult<f64> {
        let mut inner = self.lock()?;
        guarded(|| Ok(inner.sim.own_natural_map()))
    }

    /// Kinetic and potential energy of the present state.
    #[pyo3(name = "_energy")]
    fn energy(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        let mut inner = self.pulled(py)?;
        guarded(|| {
            let energy = inner.sim.energy();
            Ok((energy.kinetic, energy.potential))
        })
    }

    /// The effort of every actuator during the last step.
    #[getter]
    fn efforts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut efforts = Vec::new();
        self.lock()?.sim.efforts_into(&mut efforts);
        Ok(frozen_row(py, efforts))
    }

    /// Mean v̇ of the last step.
    #[getter]
    fn acceleration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let inner = self.lock()?;
        Ok(frozen_row(py, inner.acceleration()))
    }

    /// Accelerations, contacts, open ones too, and efforts of the present state: those of the last step where one led to it.
    #[expect(clippy::type_complexity, reason = "two arrays and records that Python names")]
    #[pyo3(name = "_forward")]
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyByteArray>, Bound<'py, PyArray1<f64>>)> {
        let mut inner = self.pulled(py)?;
        let found = guarded(|| inner.found())?;
        Ok((row(py, found.acceleration), records(py, &found.contacts, true), row(py, found.efforts)))
    }

    /// Efforts of actuators in the present state, under the present controls.
    #[pyo3(name = "_efforts_now")]
    fn efforts_now<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut inner = self.pulled(py)?;
        let control = inner.sim.control_mut().to_vec();
        Ok(row(py, efforts_in(inner.sim.world(), inner.sim.state(), &control)))
    }

    /// The contact problem of the last step, without what slept.
    #[getter]
    fn problem(&self) -> PyResult<Problem> {
        let inner = self.lock()?;
        let name = format!("{} at {} s", inner.sim.world().name, inner.sim.state().t);
        guarded(|| Problem::of(inner.sim.problem().clone(), name))
    }

    /// Impulses of the last step.
    #[getter]
    fn impulses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(frozen_row(py, self.lock()?.sim.impulses().to_vec()))
    }

    /// Positions and quaternions of the bodies.
    #[expect(clippy::type_complexity, reason = "two arrays that Python names")]
    #[pyo3(name = "_body_poses")]
    fn body_poses<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        let mut inner = self.pulled(py)?;
        let poses: Vec<_> = inner.sim.kinematics().X_WB.iter().map(pose).collect();
        let (p, r) = (poses.iter().flat_map(|x| x.0), poses.iter().flat_map(|x| x.1));
        let nb = poses.len();
        Ok((matrix_of(py, p.collect(), [nb, 3])?, matrix_of(py, r.collect(), [nb, 4])?))
    }

    /// Velocities of the origins of the bodies, angular first, in world axes.
    #[pyo3(name = "_body_velocities")]
    fn body_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let mut inner = self.pulled(py)?;
        let (kin, vel) = inner.moving();
        matrix(py, at_origins(&kin, &vel), 6)
    }

    /// Poses of geometries: positions and quaternions.
    #[expect(clippy::type_complexity, reason = "two arrays that Python names")]
    #[pyo3(name = "_geometry_poses")]
    fn geometry_poses<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
        let mut inner = self.pulled(py)?;
        let poses: Vec<_> =
            self.world_now(py).get().geometry_poses(inner.sim.kinematics()).iter().map(pose).collect();
        let (p, r) = (poses.iter().flat_map(|x| x.0), poses.iter().flat_map(|x| x.1));
        let n = poses.len();
        Ok((matrix_of(py, p.collect(), [n, 3])?, matrix_of(py, r.collect(), [n, 4])?))
    }

    /// Position, quaternion and velocity (angular first, world axes) of a link.
    #[expect(clippy::type_complexity, reason = "three arrays that Python names")]
    #[pyo3(name = "_link_state")]
    fn link_state<'py>(
        &self,
        py: Python<'py>,
        link: isize,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let mut inner = self.pulled(py)?;
        let world = inner.sim.shared_world();
        let link = crate::errors::index("link", link, world.model.links.len())?;
        let (kin, vel) = inner.moving();
        let (p, r) = pose(&stiction::dynamics::frame_pose(&world.model, &kin, link));
        let V = frame_velocity(&world.model, &kin, &vel, link, stiction::dynamics::Axes::Aligned);
        Ok((row(py, p.to_vec()), row(py, r.to_vec()), row(py, motion(&V).to_vec())))
    }
}

impl Simulation {
    /// Contacts of the present state: those of the last step where one led to it.
    pub(crate) fn present_contacts(&self, py: Python<'_>) -> PyResult<Vec<ContactState>> {
        let mut inner = self.pulled(py)?;
        if inner.q_before.is_none() {
            return guarded(|| Ok(inner.forward()?.contacts.clone()));
        }
        let mut contacts = Vec::new();
        inner.sim.contacts_into(&mut contacts);
        Ok(contacts)
    }
}

impl crate::simulation::Inner {
    /// Accelerations, contacts and efforts of the last step; of a state that no step led to, its own.
    pub(crate) fn found(&mut self) -> PyResult<Found> {
        if self.q_before.is_none() {
            return self.forward().cloned();
        }
        let mut found = Found { acceleration: self.acceleration(), ..Found::default() };
        self.sim.contacts_into(&mut found.contacts);
        self.sim.efforts_into(&mut found.efforts);
        Ok(found)
    }

    /// Accelerations and forces of the present state, under the present controls and applied efforts.
    pub(crate) fn forward(&mut self) -> PyResult<&Found> {
        let applied = self.sim.generalized_mut().to_vec();
        for force in &self.forces {
            force.apply(&mut self.sim);
        }
        if let Some(motion) = &self.motion {
            motion.apply(&mut self.sim);
        }
        let efforts = self.sim.generalized_mut().to_vec();
        // What the scene exerts is added by the next step again.
        self.sim.generalized_mut().copy_from_slice(&applied);
        let control = self.sim.control_mut().to_vec();
        let state = self.sim.state().clone();
        let forward = match self.forward.take() {
            Some(forward) => forward,
            None => Box::new(Forward::new(&self.sim).map_err(wrong)?),
        };
        self.forward.insert(forward).of(&state, &control, &efforts).map_err(wrong)
    }

    /// Mean v̇ of the last step; zero before the first.
    pub(crate) fn acceleration(&self) -> Vec<f64> {
        let per_second = 1.0 / self.sim.settings().stepper.dt;
        self.sim.state().v.iter().zip(&self.v_before).map(|(v, before)| (v - before) * per_second).collect()
    }

    /// Positions and velocities of the present state.
    pub(crate) fn moving(&mut self) -> (stiction::dynamics::Kinematics, Velocities) {
        let world = self.sim.shared_world();
        let kin = self.sim.kinematics().clone();
        let mut vel = Velocities::new(&world.model);
        vel.update(&world.model, &kin, &self.sim.state().v);
        (kin, vel)
    }
}

/// Contacts as records; those that carry no force if `open`.
fn records<'py>(py: Python<'py>, contacts: &[ContactState], open: bool) -> Bound<'py, PyByteArray> {
    let mut out = Packed::default();
    for c in contacts.iter().filter(|c| open || c.force != Vec3::ZERO) {
        c.bodies.iter().for_each(|b| out.index(*b));
        c.geometries.iter().for_each(|g| out.index(Some(*g)));
        out.whole(c.feature.cast_signed());
        out.whole(mode(c));
        out.vector(c.position);
        let (t1, t2) = c.normal.tangents();
        [t1, t2, c.normal].iter().for_each(|axis| out.vector(*axis));
        out.numbers(&[c.gap, c.friction]);
        [c.force, c.moment, c.slip].iter().for_each(|v| out.vector(*v));
    }
    out.finish(py)
}

/// 0: open, 1: sticks, 2: slides.
fn mode(c: &ContactState) -> i32 {
    match (c.force == Vec3::ZERO, c.slip.norm() > STICK_SPEED) {
        (true, _) => 0,
        (false, false) => 1,
        (false, true) => 2,
    }
}
