//! Errors of the steppers of the canon: the accuracy that `adaptive` is asked for where slip turns back and where a block rocks, contacts that
//! last under `moreau`, and what methods of integration do to the energy.

#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;
use std::path::Path;
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, Sleep, State, StepReport, StepperName};

const G: f64 = 9.81;

fn world(bodies: &str) -> World {
    let text = format!(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -{G}'/><worldbody><geom type='plane' size='0 0 1' friction='0.1 0 0' \
         condim='3'/>{bodies}</worldbody></mujoco>"
    );
    load_str(&text, Path::new("accuracy.xml"), Path::new(""), &LoadOptions::default()).unwrap()
}

fn settings(method: &str, dt: f64) -> Settings {
    let mut settings = Settings { tolerance: 1e-12, ..Settings::default() };
    settings.stepper.dt = dt;
    settings.stepper.sleep = Sleep::Off;
    settings.stepper.method = StepperName::of(method).unwrap();
    settings
}

/// A slender block that is let go on one edge, at a tilt of 0.1 rad: it rocks, lands, and goes over to the other edge.
fn block() -> World {
    let (b, h, tilt) = (0.1, 0.3, 0.1_f64);
    let (x, z) = (-b * tilt.cos() + h * tilt.sin(), b * tilt.sin() + h * tilt.cos());
    world(&format!(
        "<body pos='{x} 0 {z}' euler='0 {tilt} 0'><freejoint/><geom type='box' size='{b} 0.1 {h}' mass='5' friction='2 0 0' condim='3'/></body>"
    ))
}

/// Where the block is after `seconds`, and the parts that it took.
fn rocks(method: &str, seconds: f64, steps: u32, accuracy: f64) -> (Vec<f64>, u32) {
    let world = block();
    let state = State::neutral(&world.model);
    let mut settings = settings(method, seconds / f64::from(steps));
    (settings.stepper.canon.adaptive.accuracy, settings.stepper.canon.adaptive.horizon) = (accuracy, seconds);
    let events = &mut settings.stepper.canon.event_driven;
    (events.relative_tolerance, events.absolute_tolerance) = (1e-12, 1e-13);
    let mut sim = Simulation::new(world, state, settings).unwrap();
    let mut parts = 0;
    for _ in 0..steps {
        let report = sim.step();
        assert!(!report.flagged(), "{method}: {report:?}");
        parts += report.parts;
    }
    (sim.state().q.clone(), parts)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// An edge that bears the block holds it whatever the drift of its gap is: the error falls with the second power of the step.
#[test]
fn a_contact_that_lasts_is_not_lifted_by_its_drift() {
    let (exact, _) = rocks("event-driven", 0.16, 2, 1.0);
    let errors = [40, 80, 160].map(|steps| apart(&rocks("moreau", 0.16, steps, 1.0).0, &exact));
    assert!(errors[0] < 1e-4 && errors[0] > 3.5 * errors[1] && errors[1] > 3.5 * errors[2], "{errors:?}");
}

/// A block that rocks over from edge to edge is where stepping by events has it, within the accuracy that is asked, in a work that it allows.
#[test]
fn a_rocking_block_meets_the_accuracy() {
    let seconds = 0.3;
    let (exact, _) = rocks("event-driven", seconds, 3, 1.0);
    for (accuracy, most) in [(1e-3, 2_000), (1e-5, 20_000)] {
        let (q, parts) = rocks("adaptive", seconds, 6, accuracy);
        let off = apart(&q, &exact);
        assert!(off < accuracy && parts < most, "{accuracy:e}: {off:e} in {parts} parts");
    }
}

/// A mass on a spring that slides to and fro, four times, is where its half swings about ±μ g/ω² have it.
#[test]
fn slip_that_turns_back_meets_the_accuracy() {
    let (omega, mu, start, seconds) = (10.0_f64, 0.1, 0.1, 1.0);
    let off = mu * G / (omega * omega);
    let (mut left, mut from) = (seconds, start);
    while left > PI / omega {
        (left, from) = (left - PI / omega, 2.0 * off.copysign(from) - from);
    }
    let centre = off.copysign(from);
    let exact = centre + (from - centre) * (omega * left).cos();
    for accuracy in [1e-4, 1e-6] {
        let world = world(
            "<body pos='0 0 0.05'><joint type='slide' axis='1 0 0' stiffness='100'/><joint type='slide' axis='0 0 1'/>\
             <inertial pos='0 0 0' mass='1' diaginertia='0.001 0.001 0.001'/><geom type='sphere' size='0.05' friction='0.1 0 0' \
             condim='3'/></body>",
        );
        let mut state = State::neutral(&world.model);
        state.q[0] = start;
        let mut settings = settings("adaptive", seconds / 8.0);
        (settings.stepper.canon.adaptive.accuracy, settings.stepper.canon.adaptive.horizon) =
            (accuracy, seconds);
        let mut sim = Simulation::new(world, state, settings).unwrap();
        (0..8).for_each(|_| assert!(!sim.step().flagged()));
        let error = (sim.state().q[0] - exact).abs();
        assert!(error < accuracy, "{accuracy:e}: {error:e}");
    }
}

/// An accuracy that cannot be had within the parts that are allowed is told, and nothing has moved.
#[test]
fn work_has_a_limit_that_is_told() {
    let world = block();
    let state = State::neutral(&world.model);
    let mut settings = settings("adaptive", 0.1);
    (settings.stepper.canon.adaptive.accuracy, settings.stepper.canon.adaptive.most_parts) = (1e-6, 20);
    let mut sim = Simulation::new(world, state.clone(), settings).unwrap();
    let report = sim.step();
    let cause = report.failure().unwrap();
    assert!(cause.contains("20 parts") && cause.contains("most_parts"), "{cause}");
    assert_eq!(sim.state().q, state.q);
}

/// The energy that the ledger of a step does not explain, relative to its scale [–].
fn unexplained(report: &StepReport, before: f64, after: f64) -> f64 {
    let ledger = report.ledger.as_ref().unwrap();
    let scale = before.abs().max(ledger.size());
    assert!((ledger.change() - (after - before)).abs() <= 1e-12 * scale, "{ledger:?}");
    (ledger.explained() - (after - before)).abs() / scale
}

/// A block falls on a corner, tumbles and slides, by methods that control their errors loosely: the works of all causes and of the defect of
/// the integration, each found for itself, are the change of the energy.
#[test]
fn what_integration_does_to_the_energy_is_a_figure_of_its_own() {
    for method in ["compliant", "event-driven"] {
        let world = world(
            "<body pos='0 0 0.5' euler='0.3 0.4 0'><freejoint/><geom type='box' size='0.1 0.15 0.2' mass='2' friction='0.1 0 0' \
             condim='3'/></body>",
        );
        let mut state = State::neutral(&world.model);
        state.v.copy_from_slice(&[1.0, 0.2, 0.0, 3.0, -4.0, 2.0]);
        let mut settings = settings(method, 0.01);
        let (events, springs) =
            (&mut settings.stepper.canon.event_driven, &mut settings.stepper.canon.compliant);
        (events.relative_tolerance, events.absolute_tolerance) = (1e-4, 1e-6);
        (springs.relative_tolerance, springs.absolute_tolerance) = (1e-4, 1e-6);
        let mut sim = Simulation::new(world, state, settings).unwrap();
        let (mut friction, mut made) = (0.0, 0.0_f64);
        for k in 0..60 {
            let before = sim.energy().total();
            let report = sim.step();
            assert!(report.failure().is_none(), "{method}: {report:?}");
            let off = unexplained(&report, before, sim.energy().total());
            assert!(off < 1e-10, "{method}: step {k}: {off:e} of {:?}", report.ledger);
            let ledger = report.ledger.unwrap();
            friction += ledger.friction;
            made = made.max(ledger.integrator.abs());
        }
        assert!(
            friction < -0.05 && made > 1e-9,
            "{method}: {friction} J by friction, {made} J by integration"
        );
    }
}

/// The work of carried weight is told, beside a spring, a damper and a motor.
#[test]
fn carried_weight_is_named() {
    for method in ["moreau", "variational", "todorov", "compliant", "event-driven"] {
        let world = load_str(
            "<mujoco><option gravity='0 0 -9.81'/><worldbody><body gravcomp='0.5'><joint name='q1' axis='0 1 0' damping='0.1'/>\
             <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/><body pos='0 0 -1' gravcomp='1'><joint name='q2' axis='0 1 0' \
             stiffness='2'/><inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/></body></body></worldbody>\
             <actuator><motor joint='q1' gear='2'/></actuator></mujoco>",
            Path::new("carried.xml"),
            Path::new(""),
            &LoadOptions::default(),
        )
        .unwrap();
        let mut state = State::neutral(&world.model);
        state.q.copy_from_slice(&[1.2, -0.7]);
        let mut sim = Simulation::new(world, state, settings(method, 0.01)).unwrap();
        sim.control_mut()[0] = 0.4;
        let mut by = [0.0; 3];
        for _ in 0..40 {
            let before = sim.energy().total();
            let report = sim.step();
            let off = unexplained(&report, before, sim.energy().total());
            assert!(off < 1e-10, "{method}: {off:e} of {:?}", report.ledger);
            let ledger = report.ledger.unwrap();
            by = [by[0] + ledger.applied, by[1] + ledger.damping, by[2] + ledger.actuators];
        }
        assert!(by.iter().all(|x| x.abs() > 1e-3), "{method}: {by:?}");
    }
}
