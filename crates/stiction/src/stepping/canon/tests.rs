//! A method added by the page "Add a stepper" of ARCHITECTURE.md: semi-implicit Euler for trees without contacts.

use super::mechanics::Mechanics;
use super::method::{Method, MethodStepper, Published, Shared, Solution};
use super::unsupported::{Features, UnsupportedByCanon};
use crate::catalogue::{SolvedBy, StepperEntry, Steps};
use crate::params::StepperParams;
use crate::report::StepReport;
use crate::state::State;
use crate::stepping::StepperError;
use crate::stepping::attempt::Step;
use crate::stepping::slopes::{self, NoSlopes, Slopes};
use crate::{Settings, Simulation};
use nalgebra::DMatrix;
use std::path::Path;
use stiction_contact::ContactSolver;
use stiction_dynamics::differences::fourth_order;
use stiction_dynamics::integrate_into;
use stiction_models::{LoadOptions, load_str};
use stiction_world::World;

/// The method.
struct Euler {
    at: Mechanics,
}

impl Published for Euler {
    const ENTRY: &'static StepperEntry = &StepperEntry {
        name: "euler",
        summary: "v⁺ = v + h M⁻¹ f(q, v), q⁺ = q ⊕ h v⁺",
        order: "1",
        steps: Steps::Given,
        contacts: SolvedBy::Stepper,
        source: "",
    };
    const SUPPORTS: Features = Features { turning_joints: true, ..Features::TREES };

    fn new(world: &World, _: &StepperParams) -> Result<Self, UnsupportedByCanon> {
        Ok(Self { at: Mechanics::new(world) })
    }
}

impl Method for Euler {
    fn solve(&mut self, step: &Step<'_>, at: &mut Shared, _: &mut dyn ContactSolver) -> Solution {
        self.velocity_into(step, at)?;
        integrate_into(&step.world.model, &step.start.q, &at.v, step.h, &mut at.q);
        at.efforts.copy_from_slice(&self.at.forces.efforts);
        Ok(StepReport::of_part())
    }

    fn jacobian(&mut self, step: &Step<'_>, at: &mut Shared) -> Result<Slopes, NoSlopes> {
        let (nv, nu) = (step.start.v.len(), step.input.control.len());
        let (v_next, mut v_change) = (at.v.clone(), DMatrix::zeros(nv, 2 * nv + nu));
        for k in 0..2 * nv + nu {
            fourth_order(1e-4, |x, weight| {
                let (start, input) = step.displaced(k, x);
                let moved = Step { start: &start, input: &input, ..*step };
                self.velocity_into(&moved, at).map_err(NoSlopes::Here)?;
                (0..nv).for_each(|i| v_change[(i, k)] += weight * at.v[i]);
                Ok(())
            })?;
        }
        at.v.copy_from_slice(&v_next);
        let mean_change = v_change.clone();
        Ok(Slopes::Solved(slopes::Solved {
            mean: v_next,
            mean_change,
            v_change,
            rows: 0,
            rank: 0,
            at_switch: false,
        }))
    }

    fn mechanics(&mut self) -> Vec<&mut Mechanics> {
        vec![&mut self.at]
    }
}

impl Euler {
    /// v⁺, into `at`.
    fn velocity_into(&mut self, step: &Step<'_>, at: &mut Shared) -> Result<(), String> {
        let Step { world, input, start: state, h } = *step;
        self.at.look(world, &state.q, &state.v);
        self.at.find_forces(world, (&state.q, &state.v), &input.control);
        at.rows.factor(world, &self.at.kin)?;
        at.v.iter_mut().zip(self.at.total(&input.generalized)).for_each(|(v, total)| *v = h * total);
        at.rows.factor.solve_in_place(&mut at.v);
        at.v.iter_mut().zip(&state.v).for_each(|(next, v)| *next += v);
        Ok(())
    }
}

/// The method simulates, and the derivative of its step is that of finite differences of simulated steps.
#[test]
fn a_method_of_one_file_steps_and_is_differentiated() {
    let text = "<mujoco><worldbody><body><joint name='a' axis='0 1 0' damping='0.1' stiffness='2'/>\
        <geom type='sphere' size='0.1' pos='0.5 0 0'/><body pos='1 0 0'><joint name='b' axis='0 1 0'/>\
        <geom type='sphere' size='0.1' pos='0.4 0 0.1'/></body></body></worldbody>\
        <actuator><motor joint='b' gear='2'/></actuator></mujoco>";
    let world = load_str(text, Path::new("arm.xml"), Path::new(""), &LoadOptions::default()).unwrap();
    let simulate = |start: [f64; 5]| {
        let state = State { t: 0.0, q: start[..2].to_vec(), v: start[2..4].to_vec() };
        let make = |world: &World, params| {
            Ok(MethodStepper::<Euler>::new(world, params).map_err(StepperError::from)?)
        };
        let mut sim = Simulation::with_stepper(world.clone(), state, Settings::default(), make).unwrap();
        sim.control_mut()[0] = start[4];
        sim
    };
    let start = [0.3, -0.7, 1.0, 2.0, 0.5];
    let (report, found) = simulate(start).step_linearized(&Default::default());
    let found = found.unwrap();
    assert!(report.failure().is_none() && report.parts == 1);
    let end = |start: [f64; 5]| {
        let mut sim = simulate(start);
        sim.step();
        [sim.state().q.clone(), sim.state().v.clone()].concat()
    };
    for k in 0..5 {
        let [ahead, back] = [1e-5, -1e-5].map(|x| {
            let mut moved = start;
            moved[k] += x;
            end(moved)
        });
        for i in 0..4 {
            let slope = (ahead[i] - back[i]) / 2e-5;
            let by = if k < 4 { found.a[i * 4 + k] } else { found.b[i] };
            assert!((slope - by).abs() < 1e-7, "row {i}, column {k}: {slope} {by}");
        }
    }
}
