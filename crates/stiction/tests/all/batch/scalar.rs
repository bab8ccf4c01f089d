//! Lanes against [`Simulation`] on the same seeds.

use super::scene::{Dice, arm, foot, heap, hulls, quadruped, tendons};
use stiction::batch::{Batch, BatchSettings, Pace, Path, Precision};
use stiction::world::{Dimension, World};
use stiction::{HigherOrder, Settings, Simulation, Sleep, State, StepperParams};

/// How two are compared.
struct Comparison {
    n: usize,
    steps: usize,
    /// Random velocities [rad/s or m/s], and targets beside `control`.
    shaken: f64,
    control: Vec<f64>,
    targets: f64,
    /// Largest difference of a coordinate or velocity at any time.
    close: f64,
    contacts: usize,
    /// Share of steps that lanes may leave to others [–].
    fell_back: f64,
    precision: Precision,
}

/// Share of steps that an event ends early where steps are posed in their middle, which are left to others [–].
const PARTED: f64 = 0.1;

/// Of quadrupeds.
const DRIVEN: Comparison = Comparison {
    n: 10,
    steps: 100,
    shaken: 0.5,
    control: Vec::new(),
    targets: 0.1,
    close: 1e-9,
    contacts: 1000,
    fell_back: 0.02,
    precision: Precision::Double,
};

/// Of bodies that nobody drives; they may fall back as long as one flies.
const FALLING: Comparison = Comparison {
    n: 6,
    steps: 120,
    shaken: 0.3,
    control: Vec::new(),
    targets: 0.0,
    close: 1e-7,
    contacts: 300,
    fell_back: 1.0,
    precision: Precision::Double,
};

/// Steps `n` perturbed copies side by side and alone.
fn compare(world: &World, start: &State, c: &Comparison) {
    let stepper = StepperParams { dt: 1e-3, ..StepperParams::default() };
    let tolerance = if c.precision == Precision::Single { 1e-6 } else { 1e-12 };
    let settings = BatchSettings {
        stepper: stepper.clone(),
        precision: c.precision,
        tolerance,
        judge: true,
        ..BatchSettings::default()
    };
    let mut batch = Batch::new(world.clone(), start, c.n, settings).unwrap();
    assert!(matches!(batch.pace(), Pace::Lanes(_)), "{:?}", batch.pace());
    // What lanes do not know: sleep, and servos in methods of higher order.
    let higher_order = HigherOrder::Passive;
    let stepper = StepperParams { sleep: Sleep::Off, higher_order, ..stepper };
    let alone = Settings { tolerance: 1e-12, stepper, ..Settings::default() };
    let mut dice = Dice(5);
    let mut sims: Vec<Simulation> = (0..c.n)
        .map(|i| {
            let mut state: State = start.clone();
            state.v.iter_mut().for_each(|v| *v += c.shaken * dice.signed());
            batch.reset(i, &state).unwrap();
            Simulation::new(world.clone(), state, alone.clone()).unwrap()
        })
        .collect();
    let (mut fell_back, mut touched) = (0, 0);
    for step in 0..c.steps {
        let controls: Vec<f64> =
            (0..c.n).flat_map(|_| c.control.clone()).map(|u| u + c.targets * dice.signed()).collect();
        batch.step(&controls);
        for (i, sim) in sims.iter_mut().enumerate() {
            let nu = c.control.len();
            sim.control_mut().copy_from_slice(&controls[i * nu..(i + 1) * nu]);
            assert!(sim.step().failure().is_none());
            let ((q, v), report) = (batch.state(i), batch.report(i));
            fell_back += u32::from(report.path == Path::FellBack);
            touched += report.contacts;
            assert!(report.residual <= 100.0 * tolerance, "{report:?}");
            assert!(report.natural_map.is_none_or(|e| e <= 100.0 * tolerance), "{report:?}");
            let difference = (sim.state().q.iter().zip(q))
                .chain(sim.state().v.iter().zip(v))
                .fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()));
            assert!(difference < c.close, "step {step}, environment {i}: {difference:e}, {report:?}");
        }
    }
    assert!(touched >= c.contacts, "{touched} contacts");
    let share = f64::from(fell_back) / (c.n * c.steps) as f64;
    assert!(share <= c.fell_back.max(PARTED), "{share} of the steps fell back");
}

#[test]
fn quadrupeds_move_as_they_do_alone() {
    let (world, mut home, control) = quadruped();
    home.q[2] += 0.003; // they land
    compare(&world, &home, &Comparison { control, ..DRIVEN });
}

/// Feet that resist spinning, and rolling too.
#[test]
fn quadrupeds_on_feet_that_resist_turning_move_as_they_do_alone() {
    for dimension in [Dimension::Spinning, Dimension::Rolling] {
        let (mut world, mut home, control) = quadruped();
        home.q[2] += 0.003; // they land
        for g in &mut world.geometries {
            (g.material.dimension, g.material.spinning, g.material.rolling) = (dimension, 0.02, 0.01);
        }
        compare(&world, &home, &Comparison { control, close: 1e-8, ..DRIVEN });
    }
}

/// Single precision knows gaps to a ten-millionth of a metre, and the speeds at which they close to a ten-thousandth.
#[test]
fn single_precision_is_near() {
    let (world, home, control) = quadruped();
    let precision = Precision::Single;
    let c = Comparison { shaken: 0.1, control, targets: 0.02, close: 1e-2, precision, ..DRIVEN };
    compare(&world, &home, &c);
}

/// Impacts, bounces, sliding and rolling, on the ground and on each other; until the first box falls flat on all of its
/// corners, to which the law has several answers.
#[test]
fn falling_bodies_move_as_they_do_alone() {
    let (world, start) = heap();
    compare(&world, &start, &FALLING);
}

/// Two shapes of one body are one face on the ground.
#[test]
fn feet_land_as_they_do_alone() {
    let (world, start) = foot();
    let c = Comparison { steps: 150, close: 1e-8, contacts: 1200, fell_back: 0.6, ..FALLING };
    compare(&world, &start, &c);
}

/// Limits, dry friction, springs, a servo that often presses with all it has, and contacts that cannot move sideways.
#[test]
fn arms_move_as_they_do_alone() {
    let (world, start) = arm();
    let c = Comparison {
        n: 7,
        steps: 600,
        shaken: 2.0,
        control: vec![0.3, 0.0, 0.0],
        targets: 1.0,
        close: 1e-7, // what lands from a gap of 1e-10 m more is 1e-7 m/s faster
        contacts: 100,
        ..DRIVEN
    };
    compare(&world, &start, &c);
}

/// Couplings, and tendons with springs, stops, dry friction, motors and servos.
#[test]
fn tendons_pull_as_they_do_alone() {
    let (world, start) = tendons();
    let control = vec![0.0, 0.1, 0.0];
    let c = Comparison {
        n: 7,
        steps: 500,
        shaken: 1.0,
        control,
        targets: 0.5,
        close: 1e-7,
        contacts: 500,
        ..DRIVEN
    };
    compare(&world, &start, &c);
}

/// What lanes keep from the narrow phase touches nowhere.
#[test]
fn hulls_and_boxes_meet_as_they_do_alone() {
    let (world, start) = hulls();
    let c = Comparison {
        n: 7,
        steps: 600,
        shaken: 1.0,
        control: vec![-0.1, -0.1, 0.1],
        targets: 0.3,
        close: 1e-6,
        contacts: 500,
        ..DRIVEN
    };
    compare(&world, &start, &c);
}
