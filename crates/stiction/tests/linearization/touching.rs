//! What contacts, limits, dry friction, couplings and tendons act upon.

use crate::free::{random_state, settings, world};
use crate::witness::Witness;
use stiction::dynamics::integrate_into;
use stiction::models::World;
use stiction::random::Random;
use stiction::stepping::BlockMode;
use stiction::{LinearizationError, LinearizationNote, Settings, Simulation, State};

/// Which modes of blocks the states of [`hold`] met.
#[derive(Debug, Default)]
pub(crate) struct Met {
    pub(crate) open: usize,
    pub(crate) sticking: usize,
    pub(crate) sliding: usize,
    pub(crate) bound: usize,
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
fn walker(joints: &str, friction: f64) -> World {
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
fn above(world: &World, dice: &mut Random, speed: f64) -> State {
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
        let of = hold(&world, &settings(), (8, 1e-8), |dice| above(&world, dice, speed));
        met.sticking += of.sticking;
        met.sliding += of.sliding;
    }
    assert!(met.sticking > 2 && met.sliding > 2, "{met:?}");
}

/// Limits and dry friction of joints beside contacts.
#[test]
fn limits_and_dry_friction() {
    let world = walker("range='-2 2' frictionloss='0.4'", 0.6);
    let met = hold(&world, &settings(), (8, 1e-8), |dice| above(&world, dice, 0.5));
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
