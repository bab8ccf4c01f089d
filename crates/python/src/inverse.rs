//! What made a motion: inverse dynamics that know springs, dampers and the impulses of constraints.
//!
//! ```text
//!     τ = M(q) v̇ + b(q, v) − τ_passive(q, v) − Jᵀ λ / h                                          (1)
//! ```
//!
//! λ are the impulses of a step; which the rigid law would give for a state and an acceleration is not defined.

use crate::errors::{guarded, wrong};
use crate::numbers::{Row, numbers, row};
use crate::simulation::Simulation;
use crate::world::World;
use numpy::PyArray1;
use pyo3::prelude::*;
use stiction::StepperName;
use stiction::assembly::block::BlockKey;
use stiction::assembly::forces::{GravityCompensation, ImplicitForce, actuators, tendons};
use stiction::assembly::rows::kind::Work;

#[pymethods]
impl World {
    /// τ_passive of (1): springs, dampers, tendons, and weight that is carried by what is not modelled.
    fn passive_efforts<'py>(
        &self,
        py: Python<'py>,
        q: Row<'py>,
        v: Row<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (world, model) = (&*self.world, self.model());
        let q_numbers = numbers("q", &q, model.nq, "one for each coordinate")?;
        self.at(&q, Some(&v), |w, v| {
            let (mut tau, mut gains) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
            actuators::add_passive(model, &q_numbers, v, 0.0, |_, _| 1.0, &mut tau, &mut gains);
            GravityCompensation::new(world).add(world, &w.kin, &mut tau);
            let q_of_dof = actuators::q_of_dofs(world);
            for (force, effort) in tendons::tendon_forces(world, [&q_numbers, v], &q_of_dof, 0.0, |_| 1.0) {
                let ImplicitForce::Tendon(t) = force else { continue };
                world.tendons[t].terms().iter().for_each(|&(dof, c)| tau[dof] += c * effort.start);
            }
            Ok(row(py, tau))
        })
    }

    /// Constraints beside contacts that may hold joints at q, in words.
    fn held<'py>(&self, q: Row<'py>) -> PyResult<Vec<String>> {
        let (world, model) = (&*self.world, self.model());
        let q = numbers("q", &q, model.nq, "one for each coordinate")?;
        let mut all = Vec::new();
        for joint in &model.joints {
            let Some([low, high]) = joint.limit else { continue };
            let free = if joint.kind.is_scalar() {
                q[joint.idx_q] > low && q[joint.idx_q] < high
            } else {
                actuators::rotation_vector(&q[joint.idx_q..]).norm() < high
            };
            if !free {
                all.push(format!("joint `{}` is at its limit", joint.name));
            }
        }
        let mut dry = model.dofs.iter().filter(|d| d.friction > 0.0);
        all.extend(dry.next().map(|d| format!("joint `{}` has dry friction", model.joints[d.joint].name)));
        all.extend(world.couplings.first().map(|c| format!("coupling `{}` holds", c.name)));
        all.extend(world.loops.iter().find(|l| l.active).map(|l| format!("loop `{}` holds", l.name)));
        let holds = |t: &&stiction::world::Tendon| t.limit.is_some() || t.friction > 0.0;
        let tendon = world.tendons.iter().find(holds);
        all.extend(tendon.map(|t| format!("tendon `{}` has a limit or dry friction", t.name)));
        Ok(all)
    }
}

#[pymethods]
impl Simulation {
    /// Jᵀ λ / h of the last step: contacts, limits, dry friction, couplings and loops.
    #[pyo3(name = "_constraint_efforts")]
    fn constraint_efforts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut inner = self.pulled(py)?;
        if inner.q_before.is_none() {
            return Err(wrong(
                "the impulses of constraints are those of a step, and none led to this state; step first",
            ));
        }
        let settings = inner.sim.settings();
        let (h, method) = (settings.stepper.dt, settings.stepper.method);
        if method != StepperName::default() {
            return Err(wrong(format_args!(
                "the stepper `{}` keeps no impulses of a step; `{}` does",
                method.as_str(),
                StepperName::default().as_str()
            )));
        }
        let mut contacts = Vec::new();
        inner.sim.contacts_into(&mut contacts);
        let (posed, impulses) = (inner.sim.posed(), inner.sim.impulses());
        let awake = posed.blocks.iter().filter(|b| matches!(b.key, BlockKey::Contact(_))).count();
        if contacts.len() > awake {
            return Err(wrong("something sleeps, of which no impulses are kept; turn `sleep` off"));
        }
        let tau = guarded(|| {
            let mut given = impulses.to_vec();
            for (i, block) in posed.blocks.iter().enumerate() {
                if matches!(block.key, BlockKey::Row(key) if key.kind().work() == Work::Actuators) {
                    given[posed.problem.range(i)].fill(0.0);
                }
            }
            let mut tau = vec![0.0; inner.sim.world().model.nv()];
            posed.jacobian.add_impulses_into(posed.problem.row_start(), &given, &mut tau);
            tau.iter_mut().for_each(|x| *x /= h);
            Ok(tau)
        })?;
        Ok(row(py, tau))
    }

    /// q at the start of the last step; none where no step led to the present state.
    #[getter]
    #[pyo3(name = "_q_before")]
    fn q_before<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let inner = self.pulled(py)?;
        Ok(inner.q_before.clone().map(|q| row(py, q)))
    }
}
