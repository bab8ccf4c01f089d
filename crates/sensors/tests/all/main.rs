//! Sensors against closed forms: a box at rest on the ground, a ball in free fall, a spinning ball.

// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, State};
use stiction_sensors::Sensors;

const G: f64 = 9.81;

/// A box of 2 kg and edges of 0.2 m with a site in its middle, its bottom at the height `z`.
fn boxed(z: f64, sensors: &str) -> World {
    let text = format!(
        "<mujoco><option gravity='0 0 -{G}'/><worldbody><geom type='plane' size='1 1 1'/>\
         <body name='box' pos='0 0 {}'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/>\
         <site name='middle' type='box' size='.2 .2 .2'/></body></worldbody><sensor>{sensors}</sensor></mujoco>",
        z + 0.1
    );
    load_str(&text, Path::new("box.xml"), Path::new(""), &LoadOptions::default()).unwrap()
}

fn simulation(world: &World) -> Simulation {
    Simulation::new(world.clone(), State::neutral(&world.model), Settings::default()).unwrap()
}

fn near(read: &[f64], expected: &[f64], within: f64) {
    assert_eq!(read.len(), expected.len());
    for (a, b) in read.iter().zip(expected) {
        assert!((a - b).abs() < within, "{read:?} is not {expected:?}");
    }
}

const SENSORS: &str = "<accelerometer site='middle'/><touch site='middle'/><gyro site='middle'/>\
    <framepos objtype='site' objname='middle'/><clock/>";

/// At rest the accelerometer reads what holds against gravity, and the site is pressed with the weight; before the
/// first step as after it.
#[test]
fn a_box_at_rest_feels_its_weight() {
    let world = boxed(0.0, SENSORS);
    let (mut sim, mut sensors) = (simulation(&world), Sensors::new(&world));
    for steps in 0..3 {
        let read = sensors.read(&mut sim).unwrap();
        near(&read[0], &[0.0, 0.0, G], 1e-6);
        near(&read[1], &[2.0 * G], 1e-6);
        near(&read[2], &[0.0; 3], 1e-9);
        near(&read[3], &[0.0, 0.0, 0.1], 1e-9);
        near(&read[4], &[f64::from(steps) * sim.settings().stepper.dt], 1e-12);
        assert!(sensors.step(&mut sim).failure().is_none());
    }
}

/// In free fall nothing is felt, whatever the rate of turning at the centre of mass.
#[test]
fn a_box_in_free_fall_feels_nothing() {
    let world = boxed(1.0, SENSORS);
    let (mut sim, mut sensors) = (simulation(&world), Sensors::new(&world));
    let mut state = sim.state().clone();
    state.v[3..].copy_from_slice(&[0.0, 0.0, 3.0]);
    sim.set_state(state).unwrap();
    for _ in 0..3 {
        let read = sensors.read(&mut sim).unwrap();
        near(&read[0], &[0.0; 3], 1e-6);
        near(&read[1], &[0.0], 1e-9);
        near(&read[2], &[0.0, 0.0, 3.0], 1e-9);
        assert!(sensors.step(&mut sim).failure().is_none());
    }
}

/// A sensor that is not offered says why, and the others are read.
#[test]
fn what_is_not_offered_says_why() {
    let world = boxed(0.0, "<magnetometer site='middle'/><clock/>");
    let mut sensors = Sensors::new(&world);
    assert!(sensors.offered()[0].as_ref().err().is_some_and(|why| why.contains("magnetometer")));
    assert_eq!(sensors.read(&mut simulation(&world)).unwrap(), [[0.0]]);
}
