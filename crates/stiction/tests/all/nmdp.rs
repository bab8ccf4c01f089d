//! The NMDP steppers through a simulation: sliding, standing, memory, refusals, and what the judge says.

#![allow(clippy::unwrap_used, non_snake_case)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::nmdp::NmdpParams;
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, Settings, SetupError, Simulation, State, StepperName, StepperParams};

const METHODS: [&str; 5] = ["ne-mdp", "ne-nmdp-pgm", "ne-nmdp-zopgm", "pbd-nmdp-pgm", "pbd-nmdp-zopgm"];
const MU: f64 = 0.3;
const G: f64 = 9.81;
const MASS: f64 = 2.0;

fn settings(method: &str, dt: f64) -> Settings {
    let nmdp = NmdpParams::default();
    let stepper =
        StepperParams { method: StepperName::of(method).unwrap(), dt, nmdp, ..StepperParams::default() };
    Settings { stepper, ..Settings::default() }
}

/// A flat block on the ground, as deep as four saturated corners bear it, sliding along x.
fn sliding_block(speed: f64) -> (World, State) {
    let depth = (MASS * G / 4.0 / NmdpParams::default().contact.stiffness).sqrt();
    let mut scene = Composer::new("block", vec3(0.0, 0.0, -G)).unwrap();
    let surface = Material { friction: MU, ..Material::default() };
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, stiction::UNCOLOURED).unwrap();
    let pose = Pose::from_translation(vec3(0.0, 0.0, 0.02 - depth));
    let block = FreeBody::new("block", Shape::Box { half: vec3(0.2, 0.2, 0.02) }, MASS, pose);
    scene.body(FreeBody { material: surface, velocity: Vec3::X * speed, ..block }).unwrap();
    scene.finish()
}

/// v²/(2 μ g), to a first-order method's v h/2 and the little that unsaturated corners lift.
#[test]
fn a_block_slides_as_far_as_friction_lets_it() {
    for method in METHODS {
        for h in [0.005, 0.02] {
            let (world, state) = sliding_block(1.0);
            let mut sim = Simulation::new(world, state, settings(method, h)).unwrap();
            while sim.state().t < 0.6 {
                let report = sim.step();
                assert!(!report.flagged(), "{method} {h}: {report:?}");
            }
            let (way, expected) = (sim.state().q[0], 1.0 / (2.0 * MU * G));
            assert!(
                (way - expected).abs() < 0.5 * h + 0.03 * expected,
                "{method} {h}: {way} m, {expected} m"
            );
            assert!(sim.state().v[0].abs() < 2e-3, "{method} {h}: {} m/s", sim.state().v[0]);
        }
    }
}

/// c of the judge's problem is J v⁺: at a corner the velocity that the block ended the step with. Where it rests, the exact
/// law is kept, but for overlaps; where it is caught in fall and slides, unsaturated sets push it off.
#[test]
fn the_judge_sees_the_velocity_at_the_end() {
    for method in METHODS {
        let (world, mut state) = sliding_block(0.5);
        state.v[5] = 0.3;
        let mut sim = Simulation::new(world, state, settings(method, 0.005)).unwrap();
        sim.step();
        let mut c = Vec::new();
        let (problem, impulses) = (sim.problem().clone(), sim.impulses().to_vec());
        problem.velocities_into(&impulses, &mut c);
        let mut contacts = Vec::new();
        sim.contacts_into(&mut contacts);
        assert_eq!(contacts.len(), 4, "{method}");
        let v = sim.state().v.clone();
        let centre = vec3(sim.state().q[0], sim.state().q[1], sim.state().q[2]);
        for (k, contact) in contacts.iter().enumerate() {
            // Taken at the start of the step by ne-mdp, at its end by the others.
            let r = contact.position - centre;
            let slip = vec3(v[0], v[1], 0.0) + (Vec3::Z * v[5]).cross(r);
            let error = (contact.slip - slip).norm();
            assert!(error < 5e-3, "{method} {k}: {:?} {slip:?}", contact.slip);
            assert!((c[3 * k + 2] - v[2]).abs() < 0.1, "{method} {k}");
        }
        while sim.state().t < 0.5 {
            sim.step();
        }
        let rest = sim.certificate().natural_map;
        assert!(rest < 5e-3, "{method}: {rest} m/s at rest");

        let (world, mut state) = sliding_block(1.0);
        state.q[2] += 0.05;
        let mut sim = Simulation::new(world, state, settings(method, 0.02)).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..20 {
            sim.step();
            worst = worst.max(sim.certificate().natural_map);
        }
        assert!(worst > 0.05, "{method}: {worst} m/s where it is caught");
    }
}

/// A snapshot goes on to the same bits, weights, regularisation and lengths of steps included.
#[test]
fn snapshots_go_on_to_the_same_bits() {
    for method in METHODS {
        let (world, mut state) = sliding_block(1.0);
        state.q[2] += 0.02;
        state.v[3] = 0.4;
        let mut sim = Simulation::new(world, state, settings(method, 0.01)).unwrap();
        for _ in 0..10 {
            sim.step();
        }
        let kept = sim.snapshot();
        let run = |sim: &mut Simulation| {
            for _ in 0..20 {
                sim.step();
            }
            (sim.state().clone(), sim.impulses().to_vec())
        };
        let first = run(&mut sim);
        sim.restore(&kept).unwrap();
        assert_eq!(run(&mut sim), first, "{method}");
    }
}

/// Bodies that touch one another end the run with their names, and the state stays.
#[test]
fn bodies_that_touch_are_told() {
    let mut scene = Composer::new("two", vec3(0.0, 0.0, -G)).unwrap();
    for (name, z) in [("lower", 0.0), ("upper", 0.19)] {
        let pose = Pose::from_translation(vec3(0.0, 0.0, z));
        scene.body(FreeBody::new(name, Shape::Sphere { radius: 0.1 }, 1.0, pose)).unwrap();
    }
    let (world, state) = scene.finish();
    let mut sim = Simulation::new(world, state.clone(), settings("ne-nmdp-pgm", 0.01)).unwrap();
    let report = sim.step();
    let cause = report.failure().unwrap();
    assert!(cause.contains("`lower` and `upper` touch"), "{cause}");
    assert_eq!(sim.state(), &state);
}

/// A world beyond the method is refused with the name of what it cannot do; so are parameters out of range.
#[test]
fn what_the_method_cannot_do_is_refused() {
    let mut scene = Composer::new("step", vec3(0.0, 0.0, -G)).unwrap();
    let cube = Shape::Box { half: vec3(0.5, 0.5, 0.5) };
    scene.fixed("table", cube, Pose::IDENTITY, Material::default(), stiction::UNCOLOURED).unwrap();
    let pose = Pose::from_translation(vec3(0.0, 0.0, 2.0));
    scene.body(FreeBody::new("ball", Shape::Sphere { radius: 0.1 }, 1.0, pose)).unwrap();
    let (world, state) = scene.finish();
    let error = Simulation::new(world, state, settings("pbd-nmdp-pgm", 0.01)).map(|_| ()).unwrap_err();
    assert!(matches!(error, SetupError::Made(_)));
    let error = error.to_string();
    assert!(error.contains("`table` is a fixed box that `ball` can touch"), "{error}");

    let (world, state) = sliding_block(0.0);
    let mut wrong = settings("ne-nmdp-pgm", 0.01);
    wrong.stepper.nmdp.edges = 2;
    let error = Simulation::new(world, state, wrong).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("nmdp.edges"), "{error}");
}
