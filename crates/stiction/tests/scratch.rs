#![allow(clippy::unwrap_used, non_snake_case, clippy::all)]
use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::models::{LoadOptions, Material, World, load_str};
use stiction::{Composer, FreeBody, Settings, Simulation, State, StepperName, StepperParams};
const G: f64 = 9.81;
fn settings(method: &str, dt: f64) -> Settings {
    let method = StepperName::of(method).unwrap();
    let stepper = StepperParams { method, dt, ..StepperParams::default() };
    Settings { stepper, tolerance: 1e-12, ..Settings::default() }
}
fn on_ground(shape: Shape, surface: Material, pose: Pose, velocity: Vec3, spin: Vec3) -> (World, State) {
    let mut scene = Composer::new("body", vec3(0.0, 0.0, -G)).unwrap();
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, stiction::UNCOLOURED).unwrap();
    let body = FreeBody::new("body", shape, 2.0, pose);
    scene.body(FreeBody { material: surface, velocity, angular_velocity: spin, ..body }).unwrap();
    scene.finish()
}
fn robot(text: &str) -> (World, State) {
    let world = load_str(text, Path::new("a.xml"), Path::new(""), &LoadOptions::default()).unwrap();
    let s = State::neutral(&world.model);
    (world, s)
}
fn pendulum() -> (World, State) {
    let (w, mut s) = robot(
        "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody><body><joint name='q1' axis='0 1 0'/>\
         <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/><body pos='0 0 -1'><joint name='q2' axis='0 1 0'/>\
         <inertial pos='0 0 -0.5' mass='1' diaginertia='0.08 0.08 0.001'/></body></body></worldbody></mujoco>",
    );
    s.q.copy_from_slice(&[1.2, -0.7]);
    (w, s)
}
fn oscillator() -> (World, State) {
    let (w, mut s) = robot(
        "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='.1 0 0' condim='3'/></default><worldbody>\
         <geom type='plane' size='0 0 1'/><body pos='0 0 0.05'><joint type='slide' axis='1 0 0' stiffness='100'/>\
         <joint type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='0.001 0.001 0.001'/>\
         <geom type='sphere' size='0.05'/></body></worldbody></mujoco>",
    );
    s.q[0] = 0.1;
    (w, s)
}
fn slide() -> (World, State) {
    on_ground(
        Shape::Sphere { radius: 0.1 },
        Material { friction: 0.3, ..Material::default() },
        Pose::from_translation(vec3(0.0, 0.0, 0.1)),
        Vec3::X,
        Vec3::ZERO,
    )
}
fn bounces() -> (World, State) {
    on_ground(
        Shape::Sphere { radius: 0.1 },
        Material { friction: 0.2, restitution: 0.7, ..Material::default() },
        Pose::from_translation(vec3(0.0, 0.0, 0.3)),
        Vec3::X * 0.5,
        Vec3::Y * 10.0,
    )
}
fn block() -> (World, State) {
    let (b, h, tilt) = (0.1, 0.3, 0.1_f64);
    let centre = vec3(-b * tilt.cos() + h * tilt.sin(), 0.0, b * tilt.sin() + h * tilt.cos());
    on_ground(
        Shape::Box { half: vec3(b, 0.1, h) },
        Material { friction: 2.0, ..Material::default() },
        Pose::new(stiction::dynamics::spatial::Quat::exp(Vec3::Y * tilt), centre),
        Vec3::ZERO,
        Vec3::ZERO,
    )
}
#[test]
fn accuracy() {
    for (name, make, T) in [
        ("pendulum", pendulum as fn() -> (World, State), 0.8),
        ("slide", slide, 0.24),
        ("bounces", bounces, 0.8),
        ("oscillator", oscillator, 1.0),
        ("block", block, 0.6),
    ] {
        let (w, s) = make();
        let mut set = settings("event-driven", T / 8.0);
        set.stepper.canon.event_driven.relative_tolerance = 1e-12;
        set.stepper.canon.event_driven.absolute_tolerance = 1e-12;
        let mut sim = Simulation::new(w, s, set).unwrap();
        for _ in 0..8 {
            let r = sim.step();
            assert!(r.failure().is_none(), "{name} {r:?}");
        }
        let exact = sim.state().clone();
        println!("{name} reference {:?}", exact.q);
        for h in [1e-2_f64, 5e-3, 2.5e-3, 1.25e-3] {
            let (w, s) = make();
            let n = (T / h).round() as u32;
            let mut sim = Simulation::new(w, s, settings("moreau", T / n as f64)).unwrap();
            for _ in 0..n {
                assert!(sim.step().failure().is_none());
            }
            let e = sim.state().q.iter().zip(&exact.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            println!("{name} moreau h {h:e}: {e:.3e}");
        }
        for accuracy in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
            let (w, s) = make();
            let mut set = settings("adaptive", T / 8.0);
            set.stepper.canon.adaptive.accuracy = accuracy;
            set.stepper.canon.adaptive.horizon = T;
            let mut sim = Simulation::new(w, s, set).unwrap();
            let clock = std::time::Instant::now();
            let mut parts = 0;
            for _ in 0..8 {
                let r = sim.step();
                if r.failure().is_some() || r.flagged() {
                    println!("{name} {accuracy:e} {:?}", r.status);
                }
                parts += r.parts;
                if parts > 100000 {
                    println!("too many");
                    break;
                }
            }
            let e = sim.state().q.iter().zip(&exact.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            let ev = sim.state().v.iter().zip(&exact.v).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            println!(
                "{name} {accuracy:e}: {e:.3e} ratio {:.2} v ratio {:.2} parts {parts} {:.2}s",
                e / accuracy,
                ev * T / accuracy,
                clock.elapsed().as_secs_f64()
            );
            if clock.elapsed().as_secs_f64() > 15.0 {
                break;
            }
        }
    }
}
#[test]
fn energy() {
    for (newton, steps) in [(1, 30_000), (10, 100_000)] {
        let (w, s) = pendulum();
        let mut set = settings("moreau", 2e-3);
        set.stepper.canon.moreau.newton = newton;
        let mut sim = Simulation::new(w, s, set).unwrap();
        let start = sim.energy().total();
        let mut worst = [0.0_f64; 4];
        for k in 0..steps {
            let r = sim.step();
            if r.failure().is_some() {
                println!("failed {k} {r:?}");
                break;
            }
            let e = sim.energy().total() - start;
            let at = (4 * k / steps).min(3);
            worst[at] = worst[at].max(e.abs());
        }
        println!(
            "newton {newton}: start {start} worst by quarter {worst:?}, end {}",
            sim.energy().total() - start
        );
    }
}
#[test]
fn linkage() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody>
<body name="crank"><joint name="crank" axis="0 -1 0"/><geom type="capsule" size=".01" fromto="0 0 0 .25 0 0" mass=".8" contype="0" conaffinity="0"/>
<body name="rod" pos=".25 0 0"><joint name="rod" axis="0 -1 0"/><geom type="capsule" size=".01" fromto="0 0 0 .6 0 0" mass=".5" contype="0" conaffinity="0"/></body></body>
<body name="slider" pos=".85 0 0"><joint name="slider" type="slide" axis="1 0 0"/><geom type="box" size=".05 .05 .05" mass="1.1" contype="0" conaffinity="0"/></body>
</worldbody><equality><connect body1="rod" body2="slider" anchor=".6 0 0"/></equality></mujoco>"#;
    let mut last: Option<Vec<f64>> = None;
    for (h, n) in [(4e-3, 100), (2e-3, 200), (1e-3, 400), (5e-4, 800)] {
        let (w, mut s) = robot(text);
        s.v.copy_from_slice(&[8.0, -8.0 - 8.0 * 0.25 / 0.6, 0.0]);
        let mut sim = Simulation::new(w, s, settings("moreau", h)).unwrap();
        let e0 = sim.energy().total();
        for _ in 0..n {
            let r = sim.step();
            assert!(!r.flagged(), "{r:?}");
        }
        let q = sim.state().q.clone();
        if let Some(l) = &last {
            println!(
                "linkage h {h}: change {:.3e} dE {:.3e}",
                l.iter().zip(&q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())),
                sim.energy().total() - e0
            );
        }
        last = Some(q);
    }
}
