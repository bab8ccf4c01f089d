//! What contacts, limits, dry friction, couplings and tendons act upon.
use super::free::{random_state, settings, world};
use super::witness::Witness;
use stiction::dynamics::integrate_into;
use stiction::random::Random;
use stiction::stepping::BlockMode;
use stiction::world::World;
use stiction::{LinearizationError, LinearizationNote, Settings, Simulation, State};

/// Counts of the modes of blocks that the states of [`hold`] met.
#[derive(Debug, Default)]
pub(crate) struct Met {
    pub(crate) open: usize,
    pub(crate) sticking: usize,
    pub(crate) sliding: usize,
    pub(crate) bound: usize,
    /// Steps in parts.
    pub(crate) parted: usize,
}

/// Linearizes steps from what `draw` gives, until `wanted` of them are away from switches and smooth; the worst error allowed is `most`.
pub(crate) fn hold(
    world: &World,
    settings: &Settings,
    (wanted, most): (usize, f64),
    draw: impl Fn(&mut Random) -> State,
) -> Met {
    let (mut met, mut done) = (Met::default(), 0);
    for seed in 0..20 * wanted as u64 {
        let mut dice = Random::new(seed + 1);
        let start = draw(&mut dice);
        let mut simulation = Simulation::new(world.clone(), start.clone(), settings.clone()).unwrap();
        let control: Vec<f64> = simulation.control_mut().iter_mut().map(|_| 0.3 * dice.signed()).collect();
        simulation.control_mut().copy_from_slice(&control);
        let linearization = match simulation.linearize() {
            Err(LinearizationError::HeldBack) => continue,
            other => other.unwrap(),
        };
        let smooth = |n: &LinearizationNote| matches!(n, LinearizationNote::Hyperstatic { .. });
        if !linearization.notes.iter().all(smooth) {
            continue;
        }
        assert!(!simulation.step().flagged());
        met.parted += usize::from(linearization.report.parts > 1);
        let modes: Vec<_> = simulation.accepted().unwrap().active_set().collect();
        for mode in &modes {
            *match mode {
                BlockMode::Open => &mut met.open,
                BlockMode::Sticking => &mut met.sticking,
                BlockMode::Sliding => &mut met.sliding,
                BlockMode::Bound => &mut met.bound,
            } += 1;
        }
        let (worst, column) = Witness { simulation: &mut simulation, start, control }.worst(&linearization);
        assert!(worst < most, "seed {seed}: column {column} is off by {worst:.1e}; {modes:?}");
        done += 1;
        if done == wanted {
            return met;
        }
    }
    panic!("{done} of {wanted} states were smooth");
}

/// A robot of three links on the ground: feet are balls, a capsule and a box.
pub(crate) fn walker(joints: &str, friction: f64) -> World {
    world(&format!(
        "<worldbody><geom type='plane' size='5 5 1' friction='{friction}'/>
          <body name='trunk' pos='0 0 0.3'><freejoint/>
            <geom type='box' size='0.1 0.08 0.03' mass='2'/>
            <body name='one' pos='0.1 0 0'><joint name='one' axis='0 1 0' {joints}/>
              <geom type='capsule' fromto='0 0 0 0 0.05 -0.27' size='0.03' mass='0.3' friction='{friction}'/></body>
            <body name='two' pos='-0.1 0.08 0'><joint name='two' axis='1 0.2 0' {joints}/>
              <geom type='sphere' pos='0 0 -0.25' size='0.05' mass='0.3' friction='{friction}'/></body>
            <body name='three' pos='-0.1 -0.08 0'><joint name='three' axis='0.3 1 0' {joints}/>
              <geom type='sphere' pos='0 0 -0.25' size='0.05' mass='0.3' friction='{friction}'/></body>
          </body></worldbody>
        <actuator><position joint='one' kp='30' kv='1'/><position joint='two' kp='30' kv='1'/>
          <motor joint='three'/></actuator>"
    ))
}

/// A state of the walker near the ground.
pub(crate) fn above(world: &World, dice: &mut Random, speed: f64) -> State {
    let mut state = random_state(world, dice, 0.05, speed);
    state.q[2] = 0.3 + 0.01 * dice.unit();
    state.v[2] -= 0.5;
    state
}

/// Contacts that stick, slide and stay open.
#[test]
fn a_robot_on_its_feet() {
    let mut met = Met::default();
    for (speed, friction) in [(0.3, 1.2), (1.0, 0.2)] {
        let world = walker("damping='0.1'", friction);
        let of = hold(&world, &settings(), (8, 1e-7), |dice| above(&world, dice, speed));
        met.sticking += of.sticking;
        met.sliding += of.sliding;
    }
    assert!(met.sticking > 0 && met.sliding > 2, "{met:?}");
}

/// Limits and dry friction of joints beside contacts.
#[test]
fn limits_and_dry_friction() {
    let world = walker("range='-2 2' frictionloss='0.4'", 0.6);
    let met = hold(&world, &settings(), (8, 1e-7), |dice| above(&world, dice, 0.5));
    assert!(met.bound > 0 && met.sticking + met.sliding > 0, "{met:?}");
}

/// Faces of boxes and round shapes on one another: the narrow phase is differentiated.
#[test]
fn free_bodies_on_one_another() {
    let world = world(
        "<worldbody><geom type='box' pos='0 0 -0.5' size='2 2 0.5' friction='0.7'/>
          <body pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>
          <body pos='0.02 0.01 0.295'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body></worldbody>",
    );
    let model = world.model.clone();
    let met = hold(&world, &settings(), (4, 1e-7), |dice| {
        let mut state = random_state(&world, dice, 0.0, 0.3);
        let e: Vec<f64> = (0..model.nv()).map(|i| if i % 6 < 3 { 0.0 } else { dice.signed() }).collect();
        let q = state.q.clone();
        integrate_into(&model, &q, &e, 1.0, &mut state.q);
        (state.v[2], state.v[8]) = (-0.5, -1.0);
        state.q[2] += 2e-4 * dice.signed();
        state.q[9] += 3e-4 * dice.signed();
        state
    });
    assert!(met.sliding + met.sticking > 4, "{met:?}");
}

/// Boxes that overlap and are nearly flush: within the displacements of differences of the narrow phase the points are clipped by the face of the one box or
/// of the other, whose normals differ, and smaller displacements are taken.
#[test]
fn boxes_that_are_nearly_flush() {
    let body = |z: f64, mass: f64| {
        format!(
            "<body pos='0 0 {z}'><freejoint/><inertial pos='0 0 0' mass='{mass}' diaginertia='0.006 0.007 0.008'/>
              <geom type='box' size='0.1 0.1 0.1' friction='0.9'/></body>"
        )
    };
    let world = world(&format!(
        "<worldbody><geom type='plane' size='5 5 1'/>{}{}</worldbody>",
        body(0.1, 1.0),
        body(0.3, 2.0)
    ));
    let mut settings = settings();
    settings.stepper.dt = 1e-3;
    let mut state = State::neutral(&world.model);
    let q = [
        [-7.4675e-03, -1.9889e-03, 1.0633e-01, 1.0, -2.7284e-03, -4.3059e-04, -7.2242e-04],
        [-1.9603e-03, -1.6186e-03, 2.9930e-01, 1.0, 1.8891e-03, -5.2037e-04, 3.2990e-03],
    ];
    state.q.copy_from_slice(&q.concat());
    stiction::dynamics::normalize(&world.model, &mut state.q);
    state.v.copy_from_slice(&[
        0.1678, 0.1933, -0.1555, -0.0027, -0.0799, -0.2255, 0.0904, 0.1943, 0.0663, 0.2848, -0.1745, 0.0729,
    ]);
    let met = hold(&world, &settings, (1, 1e-7), |_| state.clone());
    assert!(met.open > 0, "they part, and are moved out of one another: {met:?}");
}

/// A slab that falls on a corner, with its gyroscopic moment: it flies on after the impulses.
#[test]
fn a_slab_on_its_corner() {
    let world = world(
        "<worldbody><geom type='plane' size='5 5 1' friction='0.4'/>
          <body pos='0 0 0.2'><freejoint/><geom type='box' size='0.1 0.2 0.05' pos='0.02 0 0.01' mass='1' friction='0.4'/></body>
         </worldbody>",
    );
    let met = hold(&world, &settings(), (6, 1e-7), |dice| {
        let mut state = random_state(&world, dice, 0.4, 1.0);
        state.v[2] = -1.0;
        let mut lowest = f64::INFINITY;
        let q = &state.q;
        let R = stiction::dynamics::spatial::Quat::new(q[3], q[4], q[5], q[6]);
        for k in 0..8 {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = [0.02 + 0.1 * sign(0), 0.2 * sign(1), 0.01 + 0.05 * sign(2)];
            lowest = f64::min(lowest, R.rotate(corner.into()).z);
        }
        state.q[2] = -lowest + 5e-4 * dice.signed();
        state
    });
    assert!(met.sliding + met.sticking > 4, "{met:?}");
}

/// ∂λ of contacts, limits and dry friction against differences of the impulses of steps that start cold.
#[test]
fn impulses_have_the_derivatives_of_differences() {
    let world = walker("range='-2 2' damping='0.1'", 0.6);
    let mut compared = 0;
    for seed in 0..40 {
        let mut dice = Random::new(seed + 1);
        let start = above(&world, &mut dice, 0.5);
        let mut simulation = Simulation::new(world.clone(), start.clone(), settings()).unwrap();
        let linearization = simulation.linearize();
        let Some(linearization) = linearization.ok().filter(|l| l.notes.is_empty()) else { continue };
        simulation.step();
        let rows = simulation.impulses().len();
        let n = 2 * linearization.nv + linearization.nu;
        assert_eq!(linearization.dlambda.len(), rows * n);
        for k in 0..2 * linearization.nv {
            let mut impulses = |x: f64| {
                let mut state = start.clone();
                let mut e = vec![0.0; linearization.nv];
                if k < linearization.nv {
                    e[k] = x;
                    integrate_into(&world.model, &start.q, &e, 1.0, &mut state.q);
                } else {
                    state.v[k - linearization.nv] += x;
                }
                simulation.set_state(state).unwrap();
                simulation.step();
                simulation.impulses().to_vec()
            };
            let x = 1e-6;
            let (ahead, back) = (impulses(x), impulses(-x));
            if ahead.len() != rows || back.len() != rows {
                continue;
            }
            for i in 0..rows {
                let about = (ahead[i] - back[i]) / (2.0 * x);
                let ours = linearization.dlambda[i * n + k];
                assert!(
                    (ours - about).abs() < 1e-5 * (1.0 + about.abs()),
                    "seed {seed}, {i} by {k}: {ours} is {about}"
                );
                compared += usize::from(about.abs() > 1e-3);
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The gradient of a cost of a rollout on the ground, against differences of whole rollouts, whatever the
/// checkpoints. Mean forces of the last step are memory, by which steps are not differentiated: that is of the second
/// order in the step.
#[test]
fn gradients_through_a_rollout() {
    for dt in [2e-3, 5e-4] {
        let off = rollout_off_by(dt);
        assert!(off < 25.0 * dt * dt, "{dt}: {off:e} of the largest");
    }
}

/// The largest error of the gradient of a rollout by steps of `dt` [s], as a share of the largest number.
fn rollout_off_by(dt: f64) -> f64 {
    let world = walker("range='-2 2' damping='0.1'", 0.9);
    let mut dice = Random::new(3);
    let (steps, nu, nv) = (12, world.actuators.len(), world.model.nv());
    let mut start = above(&world, &mut dice, 0.1);
    start.q[2] += 0.01;
    let controls: Vec<f64> = (0..steps * nu).map(|_| 0.2 * dice.signed()).collect();
    let mut settings = settings();
    settings.stepper.dt = dt;
    let mut simulation = Simulation::new(world, start.clone(), settings).unwrap();
    // The cost: Σ w·v over all steps.
    let weights: Vec<f64> = (0..nv).map(|_| dice.signed()).collect();
    let cost = |simulation: &mut Simulation, start: &State, controls: &[f64]| -> f64 {
        simulation.set_state(start.clone()).unwrap();
        let mut sum = 0.0;
        for u in controls.chunks_exact(nu) {
            simulation.control_mut().copy_from_slice(u);
            assert!(!simulation.step().flagged());
            sum += simulation.state().v.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>();
        }
        sum
    };
    let gradients: Vec<f64> = (0..steps).flat_map(|_| [vec![0.0; nv], weights.clone()].concat()).collect();
    simulation.set_state(start.clone()).unwrap();
    let found = simulation.rollout_vjp(&controls, &gradients, 5).unwrap();
    let same = simulation.rollout_vjp(&controls, &gradients, 1).unwrap();
    for (a, b) in found.controls.iter().chain(&found.start).zip(same.controls.iter().chain(&same.start)) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} is {b}");
    }
    assert_eq!(simulation.state(), &start);
    assert!(simulation.rollout_vjp(&controls[1..], &gradients, 5).is_err());
    let (x, mut pairs) = (1e-6, Vec::new());
    for k in [0, 1, 7, 20, steps * nu - 1] {
        let mut at = |x: f64| {
            let mut moved = controls.clone();
            moved[k] += x;
            cost(&mut simulation, &start, &moved)
        };
        pairs.push([found.controls[k], (at(x) - at(-x)) / (2.0 * x)]);
    }
    for k in 0..nv {
        let mut at = |x: f64| {
            let mut moved = start.clone();
            moved.v[k] += x;
            cost(&mut simulation, &moved, &controls)
        };
        pairs.push([found.start[nv + k], (at(x) - at(-x)) / (2.0 * x)]);
    }
    let most = |of: &dyn Fn(&[f64; 2]) -> f64| pairs.iter().map(of).fold(0.0, f64::max);
    most(&|[a, b]| (a - b).abs()) / most(&|[_, b]| b.abs())
}
