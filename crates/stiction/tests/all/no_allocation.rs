//! A step allocates nothing once everything has been met: counted, not believed.

// A counting allocator is an `unsafe impl`; it forwards to the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use stiction::batch::{Batch, BatchSettings, Precision};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load};
use stiction::world::Material;
use stiction::{
    Composer, FreeBody, Settings, Simulation, Sleep, State, StepStatus, StepperName, StepperParams,
    UNCOLOURED,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is forwarded unchanged to `System`; counting touches no memory of theirs.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: the caller's contract is ours.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is ours.
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: the caller's contract is ours.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Quadrupeds in lanes whose targets keep changing.
#[test]
fn a_step_of_a_batch_after_warm_up_allocates_nothing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scene/scenes/quadruped.xml");
    let world = load(&path, &LoadOptions::default()).unwrap();
    let home = world.keyframes[0].clone();
    let state = State { t: 0.0, q: home.q, v: home.v };
    for precision in [Precision::Double, Precision::Single] {
        let settings = BatchSettings { precision, ..BatchSettings::default() };
        let mut batch = Batch::new(world.clone(), &state, 20, settings).unwrap();
        let mut controls = home.control.repeat(20);
        let mut step = |k: usize| {
            controls.iter_mut().enumerate().for_each(|(i, u)| *u += 0.03 * ((i + 7 * k) as f64).sin());
            batch.step(&controls);
            assert!(batch.reports().all(|r| r.status == StepStatus::Converged));
        };
        (0..300).for_each(&mut step);
        let before = COUNT.with(Cell::get);
        (300..400).for_each(&mut step);
        assert_eq!(COUNT.with(Cell::get) - before, 0, "{precision:?}");
    }
}

/// Boxes, a capsule and a ball that have come to rest on each other and on the ground.
#[test]
fn a_step_after_warm_up_allocates_nothing() {
    let mut c = Composer::new("heap", vec3(0.0, 0.0, -9.81)).unwrap();
    let (ground, stone) = (Material::default(), Material { friction: 0.6, ..Material::default() });
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, ground, UNCOLOURED).unwrap();
    let shapes = [
        Shape::Box { half: vec3(0.1, 0.1, 0.1) },
        Shape::Box { half: vec3(0.1, 0.1, 0.1) },
        Shape::Capsule { radius: 0.05, half_length: 0.1 },
        Shape::Sphere { radius: 0.1 },
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let pose = Pose::from_translation(vec3(0.01 * i as f64, 0.0, 0.12 + 0.22 * i as f64));
        c.body(FreeBody { material: stone, ..FreeBody::new(format!("body {i}"), shape, 1.0, pose) }).unwrap();
    }
    let (world, state) = c.finish();
    let stepper = StepperParams { sleep: Sleep::Off, ..StepperParams::default() };
    let mut sim = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap();
    for _ in 0..1500 {
        assert!(sim.step().failure().is_none());
    }
    sim.certificate();
    let before = COUNT.with(Cell::get);
    let mut contacts = 0;
    for _ in 0..200 {
        contacts += sim.step().contacts;
        sim.certificate();
    }
    assert_eq!(COUNT.with(Cell::get) - before, 0, "allocations in 200 steps with certificate");
    assert!(contacts > 200, "the bodies must have touched");
    assert!(sim.energy().total().is_finite() && Vec3::from([0.0; 3]).is_finite());
}

/// A ball in a groove that locks it, moved out in its position alone.
#[test]
fn a_position_correction_allocates_nothing() {
    let half = 5_f64.to_radians();
    for depth in [4e-5, 1e-3] {
        let mut c = Composer::new("groove", Vec3::ZERO).unwrap();
        let rough = Material { friction: 0.5, ..Material::default() };
        for side in [-1.0, 1.0] {
            let turn = Quat::from_rpy(0.0, side * (0.5 * std::f64::consts::PI - half), 0.0);
            let pose = Pose::new(turn, Vec3::ZERO);
            c.fixed(format!("side {side}"), Shape::Plane, pose, rough, UNCOLOURED).unwrap();
        }
        let at = Pose::from_translation(vec3(0.0, 0.0, (0.1 - depth) / half.sin()));
        let ball = FreeBody::new("ball", Shape::Sphere { radius: 0.1 }, 1.0, at);
        c.body(FreeBody { material: rough, ..ball }).unwrap();
        let (world, state) = c.finish();
        let mut sim = Simulation::new(world, state, Settings::default()).unwrap();
        (0..5).for_each(|_| assert!(sim.step().penetration > 1.1e-5));
        let before = COUNT.with(Cell::get);
        (0..5).for_each(|_| assert!(sim.step().penetration > 1.1e-5));
        assert_eq!(COUNT.with(Cell::get) - before, 0);
    }
}

/// Two piles, of which one is shaken again and again and falls asleep in between.
#[test]
fn falling_asleep_and_waking_allocate_nothing() {
    let mut c = Composer::new("piles", vec3(0.0, 0.0, -9.81)).unwrap();
    let (ground, stone) = (Material::default(), Material { friction: 0.6, ..Material::default() });
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, ground, UNCOLOURED).unwrap();
    for i in 0..6 {
        let pose = Pose::from_translation(vec3(f64::from(i / 3), 0.0, 0.1 + 0.2 * f64::from(i % 3)));
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        c.body(FreeBody { material: stone, ..FreeBody::new(format!("box {i}"), shape, 1.0, pose) }).unwrap();
    }
    let (world, state) = c.finish();
    let stepper = StepperParams { sleep: Sleep::Auto, ..StepperParams::default() };
    let mut sim = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap();
    // True if the pile woke and slept again.
    let round = |sim: &mut Simulation| {
        sim.apply_force(1, vec3(0.0, 0.0, 0.3), vec3(0.0, 0.0, 300.0));
        let woke = (0..10).any(|_| sim.step().asleep == 3);
        let slept = (0..600).map(|_| sim.step()).any(|report| report.asleep == 6);
        woke && slept && sim.certificate().natural_map < 1e-7
    };
    (0..600).for_each(|_| drop(sim.step()));
    // Until all ways of the solver have been met.
    assert!((0..20).all(|_| round(&mut sim)));
    let before = COUNT.with(Cell::get);
    assert!((0..5).all(|_| round(&mut sim)));
    assert_eq!(COUNT.with(Cell::get) - before, 0);
}

/// A quadruped that stands under every implicit stepper of the non-convex maximal dissipation principle.
#[test]
fn implicit_steps_after_warm_up_allocate_nothing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scene/scenes/quadruped.xml");
    let world = load(&path, &LoadOptions::default()).unwrap();
    let home = world.keyframes[0].clone();
    for entry in stiction::steppers().iter().filter(|entry| entry.name.contains("nmdp")) {
        let method = StepperName::of(entry.name).unwrap();
        let stepper = StepperParams { method, dt: 0.01, ..StepperParams::default() };
        let state = State { t: 0.0, q: home.q.clone(), v: home.v.clone() };
        let settings = Settings { stepper, ..Settings::default() };
        let mut sim = Simulation::new(world.clone(), state, settings).unwrap();
        sim.control_mut().copy_from_slice(&home.control);
        let mut step = |_| assert!(sim.step().failure().is_none(), "{}", entry.name);
        (0..60).for_each(&mut step);
        let before = COUNT.with(Cell::get);
        (60..80).for_each(&mut step);
        assert_eq!(COUNT.with(Cell::get) - before, 0, "{}", entry.name);
    }
}
