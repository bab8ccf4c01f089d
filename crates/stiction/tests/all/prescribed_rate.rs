//! Joints that move at a prescribed rate: the motor's torque and work against closed forms, linkages, impacts, lanes, derivatives.

use stiction::assembly::BlockKey;
use stiction::batch::{Batch, BatchSettings};
use stiction::models::{LoadOptions, load_str};
use stiction::world::World;
use stiction::{Settings, Simulation, Sleep, State, StepperName, StepperParams};

const RATE: f64 = 2.0;
const G: f64 = 9.81;
/// Mass [kg] and distance [m] of the weight on the crank.
const WEIGHT: [f64; 2] = [1.5, 0.4];

/// A crank with a weight, a second link that hangs on it, and a ball in its way at `ball` [m] if that is finite.
fn crank(ball: f64) -> World {
    let [mass, arm] = WEIGHT;
    let text = format!(
        r#"<mujoco><worldbody>
        <body name="crank"><joint name="crank" axis="0 -1 0"/><inertial pos="{arm} 0 0" mass="{mass}" diaginertia="0.01 0.01 0.01"/>
        <geom name="tip" size="0.05" pos="{arm} 0 0"/></body>
        <body name="ball" pos="{ball} 0 0.1"><joint name="rail" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/><geom size="0.04"/></body></worldbody></mujoco>"#
    );
    let file = std::path::Path::new("crank.xml");
    let mut world = load_str(&text, file, std::path::Path::new("."), &LoadOptions::default()).unwrap();
    world.model.dofs[0].rate = Some(RATE);
    world
}

fn simulation(world: World, method: &str, dt: f64) -> Simulation {
    let state = State::neutral(&world.model);
    let method = StepperName::of(method).unwrap();
    let stepper = StepperParams { method, dt, sleep: Sleep::Off, ..StepperParams::default() };
    let settings = Settings { stepper, tolerance: 1e-8, ..Settings::default() };
    Simulation::new(world, state, settings).unwrap()
}

/// Torque of the motor in the last step [N·m].
fn torque(sim: &Simulation) -> f64 {
    let (posed, impulses) = (sim.posed(), sim.impulses());
    let motor =
        |key: BlockKey| matches!(key, BlockKey::Row(key) if key.kind().sort() == "prescribed rate of joint");
    let block = posed.blocks.iter().position(|b| motor(b.key)).unwrap();
    impulses[posed.problem.range(block).start] / sim.settings().stepper.dt
}

/// θ = ω t, and the torque m g l cos θ of a crank that turns evenly; its work is the weight's rise.
#[test]
fn a_crank_turns_at_its_rate() {
    for method in ["time-stepping", "moreau", "stewart-trinkle", "anitescu", "todorov"] {
        let dt = 1e-3;
        let mut sim = simulation(crank(9.0), method, dt);
        let mut work = 0.0;
        for step in 1..=500 {
            let report = sim.step();
            assert!(!report.flagged(), "{method}: {report:?}");
            work += report.ledger.as_ref().map_or(0.0, |l| l.actuators);
            if step == 1 {
                continue; // from rest to ω
            }
            let angle = RATE * dt * f64::from(step);
            assert!((sim.state().v[0] - RATE).abs() < 1e-7, "{method}: {:?}", sim.state().v);
            let [mass, arm] = WEIGHT;
            let (found, expected) = (torque(&sim), mass * G * arm * angle.cos());
            assert!(
                (found - expected).abs() < 3.0 * dt * mass * G * arm,
                "{method} {step}: {found} {expected}"
            );
        }
        let angle = sim.state().q[0];
        // `moreau` moves by the mean of the velocities, from rest in its first step.
        assert!((angle - RATE * 0.5).abs() < 0.51 * RATE * dt, "{method}: {angle}");
        if method != "time-stepping" {
            let [mass, arm] = WEIGHT;
            let inertia = 0.01 + mass * arm * arm;
            let expected = mass * G * arm * angle.sin() + 0.5 * inertia * RATE * RATE;
            assert!((work - expected).abs() < 2e-3 * expected, "{method}: {work} J, {expected} J");
        }
    }
}

/// The crank hits a ball, and goes on at its rate: the ball leaves at the speed of the tip there.
#[test]
fn an_impact_does_not_stop_it() {
    let mut sim = simulation(crank(WEIGHT[1]), "time-stepping", 1e-3);
    let mut fastest = 0.0_f64;
    for step in 0..60 {
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
        assert!(step == 0 || (sim.state().v[0] - RATE).abs() < 1e-9, "{:?}", sim.state().v);
        fastest = fastest.max(sim.state().v[1]);
    }
    assert!((fastest - RATE * WEIGHT[1]).abs() < 0.03, "{fastest} m/s");
}

/// A batch steps as a simulation does, and the derivative of the rate by the state is zero.
#[test]
fn lanes_and_derivatives_have_the_row() {
    let mut sim = simulation(crank(9.0), "time-stepping", 1e-3);
    let settings = BatchSettings {
        stepper: sim.settings().stepper.clone(),
        tolerance: 1e-8,
        ..BatchSettings::default()
    };
    let mut batch = Batch::new(crank(9.0), &sim.state().clone(), 5, settings).unwrap();
    for _ in 0..200 {
        sim.step();
        batch.step(&[]);
    }
    let (q, v) = batch.state(3);
    for (a, b) in q.iter().chain(v).zip(sim.state().q.iter().chain(&sim.state().v)) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
    let found = sim.linearize().unwrap();
    let row = &found.a[2 * 4..3 * 4];
    assert!(row.iter().all(|x| x.abs() < 1e-12), "{row:?}");
}

/// Methods without such rows refuse the world by the joint's name.
#[test]
fn methods_without_it_refuse() {
    for method in ["ne-mdp", "compliant"] {
        let method = StepperName::of(method).unwrap();
        let stepper = StepperParams { method, ..StepperParams::default() };
        let world = crank(9.0);
        let state = State::neutral(&world.model);
        let error = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).err().unwrap();
        let text = error.to_string();
        assert!(text.contains("prescribed rate of joint") && text.contains("`crank`"), "{text}");
    }
}
