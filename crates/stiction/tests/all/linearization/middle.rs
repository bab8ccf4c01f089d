//! Steps that are posed in their middle: products of their derivatives against differences of whole runs.

use super::free::world;
use super::touching::walker;
use nalgebra::DMatrix;
use stiction::dynamics::{difference_into, integrate_into};
use stiction::world::World;
use stiction::{Settings, Simulation, State};

/// A run, and what the products are off at most at 1 ms, beside the largest entry.
struct Run {
    name: &'static str,
    world: World,
    start: State,
    control: Vec<f64>,
    /// Duration [s].
    time: f64,
    most: f64,
    order: Order,
}

#[derive(PartialEq)]
enum Order {
    /// The derivatives are those of the steps.
    Exact,
    /// They differ by the second order in h.
    Second,
    /// They are those of landings at their instants, which steps find to 10⁻⁷ m.
    Landings,
}

impl Run {
    fn simulation(&self, start: &State, dt: f64) -> Simulation {
        let mut settings = Settings::default();
        settings.stepper.dt = dt;
        settings.tolerance = 1e-13;
        let mut sim = Simulation::new(self.world.clone(), start.clone(), settings).unwrap();
        sim.control_mut().copy_from_slice(&self.control);
        sim
    }

    fn steps(&self, dt: f64) -> usize {
        (self.time / dt).round() as usize
    }

    /// ∂(q, v) at the end by (q, v) at the start, from the derivatives of steps.
    fn product(&self, dt: f64) -> DMatrix<f64> {
        let n = 2 * self.world.model.nv();
        let (mut sim, mut all) = (self.simulation(&self.start, dt), DMatrix::identity(n, n));
        let mut parted = false;
        for _ in 0..self.steps(dt) {
            let (report, linearization) = sim.step_linearized(&Default::default());
            parted |= report.parts > 1;
            let linearization = linearization.unwrap_or_else(|e| panic!("{}: {e}", self.name));
            all = DMatrix::from_row_slice(n, n, &linearization.a) * all;
        }
        assert_eq!(parted, self.order == Order::Landings, "{}", self.name);
        all
    }

    fn differences(&self, dt: f64) -> DMatrix<f64> {
        let model = &self.world.model;
        let (nv, step) = (model.nv(), 3e-7);
        let end = |k: usize, x: f64| {
            let mut start = self.start.clone();
            let mut e = vec![0.0; nv];
            if k < nv {
                e[k] = x;
                let q = start.q.clone();
                integrate_into(model, &q, &e, 1.0, &mut start.q);
            } else {
                start.v[k - nv] += x;
            }
            let mut sim = self.simulation(&start, dt);
            (0..self.steps(dt)).for_each(|_| assert!(!sim.step().flagged()));
            sim.state().clone()
        };
        let mut out = DMatrix::zeros(2 * nv, 2 * nv);
        for k in 0..2 * nv {
            let (back, ahead) = (end(k, -step), end(k, step));
            let mut dq = vec![0.0; nv];
            difference_into(model, &back.q, &ahead.q, 1.0, &mut dq);
            for i in 0..nv {
                out[(i, k)] = dq[i] / (2.0 * step);
                out[(nv + i, k)] = (ahead.v[i] - back.v[i]) / (2.0 * step);
            }
        }
        out
    }
}

fn runs() -> Vec<Run> {
    let at = |world: &World, q: &[(usize, f64)], v: &[(usize, f64)]| {
        let mut state = State::neutral(&world.model);
        q.iter().for_each(|&(i, x)| state.q[i] = x);
        v.iter().for_each(|&(i, x)| state.v[i] = x);
        state
    };
    let arm = world(
        "<worldbody><body pos='0 0 1'><joint name='a' axis='0 1 0' stiffness='3' damping='.02'/><geom type='capsule' fromto='0 0 0 .1 .2 -.3' size='.03' mass='1'/>
         <body pos='.1 .2 -.3'><joint name='b' axis='1 .3 0'/><geom type='capsule' fromto='0 0 0 .1 .2 -.3' size='.03' mass='.6'/></body></body></worldbody>
         <actuator><position joint='b' kp='9' kv='.3'/></actuator>",
    );
    let of_arm = at(&arm, &[(0, 0.4), (1, -0.7)], &[(0, 2.0), (1, -3.0)]);
    let ball = world(
        "<worldbody><geom type='plane' size='5 5 1' friction='.9'/><body pos='0 0 .1'><freejoint/><geom type='sphere' size='.1' mass='1'/>
         <geom type='sphere' size='.05' pos='.02 0 .01' mass='1'/></body></worldbody>",
    );
    let of_ball = at(&ball, &[(2, 0.1 - 2e-6)], &[(0, 1.0), (4, 10.0), (3, 1.0), (1, -0.1)]);
    let slider = world(
        "<worldbody><geom type='plane' size='5 5 1' friction='.2'/><body pos='0 0 .1'><freejoint/><geom type='ellipsoid' size='.13 .12 .1' mass='1' friction='.2'/></body></worldbody>",
    );
    let of_slider = at(&slider, &[(2, 0.1 - 2e-6)], &[(0, 2.0), (1, 1.0), (5, 3.0)]);
    let hinged = world(
        "<worldbody><geom type='plane' size='5 5 1' friction='.8'/><body pos='0 0 .4'><joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .05' mass='2'/>
         <body><joint name='a' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .05 0 -.2' size='.02' mass='.5'/>
         <body pos='.05 0 -.2'><joint name='b' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 -.05 0 -.16' size='.02' mass='.3'/>
         <geom type='sphere' size='.04' pos='-.05 0 -.16' mass='.1' friction='.8'/></body></body></body></worldbody>
         <actuator><position joint='a' kp='50' kv='1'/><position joint='b' kp='50' kv='1'/></actuator>",
    );
    let of_hinged = at(&hinged, &[(0, -2e-6)], &[]);
    let of_dropped = at(&hinged, &[(0, 5e-3)], &[]);
    let robot = walker("damping='0.1'", 1.2);
    let of_robot = at(&robot, &[(2, 0.3 - 2e-6)], &[]);
    let lands = walker("damping='0.1'", 1.2);
    let of_lands = at(&lands, &[(2, 0.305)], &[(0, 0.1), (2, -0.4), (4, 0.5), (6, 1.0), (7, -1.0)]);
    let falls = walker("damping='0.1' range='-6 6'", 0.3);
    let of_swings = at(&falls, &[(2, 0.4)], &[(0, 0.1), (6, 8.0), (7, -2.0)]);
    let of_falls = at(&falls, &[(2, 0.4)], &[(0, 0.1), (6, 2.0), (8, 8.0)]);
    use Order::{Exact, Landings, Second};
    let run = |name, (world, start): (World, State), control: &[f64], time, (most, order)| {
        let control = control.to_vec();
        Run { name, world, start, control, time, most, order }
    };
    vec![
        run("arm", (arm, of_arm), &[0.2], 0.04, (1e-8, Exact)),
        run("ball", (ball, of_ball), &[], 0.04, (1e-7, Exact)),
        run("slider", (slider, of_slider), &[], 0.04, (1e-6, Exact)),
        run("swings", (falls.clone(), of_swings), &[0.06, -0.12, 0.3], 0.032, (1e-8, Exact)),
        run("stops", (falls, of_falls), &[0.06, -0.12, 0.3], 0.02, (1e-3, Landings)),
        run("leg", (hinged.clone(), of_hinged), &[0.06, -0.04], 0.02, (1e-4, Second)),
        run("robot", (robot, of_robot), &[0.06, -0.12, 0.3], 0.02, (1e-4, Second)),
        run("leg lands", (hinged, of_dropped), &[0.06, -0.04], 0.04, (1e-2, Landings)),
        run("robot lands", (lands, of_lands), &[0.06, -0.12, 0.3], 0.02, (2e-2, Landings)),
    ]
}

/// Arms, robots in the air, balls that roll and ellipsoids that slide to rounding; robots on their feet to the second order, as
/// Coriolis forces are of (v + v⁺)/2; landings and stops of joints as far as their
/// instants are found. Those runs, and no others, have steps in parts.
#[test]
fn products_of_steps_are_derivatives_of_runs() {
    for run in runs() {
        let off = |dt: f64| {
            let (product, exact) = (run.product(dt), run.differences(dt));
            (product - &exact).amax() / exact.amax()
        };
        let fine = off(1e-3);
        assert!(fine <= run.most, "{}: {fine:.1e}", run.name);
        if run.order == Order::Second {
            let coarse = off(4e-3);
            assert!(fine < 0.15 * coarse, "{}: {coarse:.1e}, {fine:.1e}", run.name);
        }
    }
}
