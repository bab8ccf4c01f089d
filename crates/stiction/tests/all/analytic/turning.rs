//! Friction against spinning and rolling (MJCF condim 4 and 6) under the exact law.
use super::worlds::{G, Run, geometry};
use std::path::Path;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::models::{LoadOptions, load_str};
use stiction::world::{Actuator, ActuatorLaw, Dimension, Material, World};
use stiction::{Composer, FreeBody, Settings, Simulation, State, StepperParams, UNCOLOURED};

/// Solvers that take contacts which resist turning.
const SOLVERS: [&str; 5] =
    ["auto", "nsgs-accelerated", "ncp-pgs-accelerated", "ncp-al", "raisim-ds-accelerated"];
const RADIUS: f64 = 0.1;
const MASS: f64 = 2.0;

fn resists(friction: f64, dimension: Dimension, spinning: f64, rolling: f64) -> Material {
    Material { friction, dimension, spinning, rolling, ..Material::default() }
}

/// A ball on the ground.
fn ball(material: Material, velocity: Vec3, angular_velocity: Vec3) -> Composer {
    let mut c = Composer::new("ball", vec3(0.0, 0.0, -G)).unwrap();
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, material, UNCOLOURED).unwrap();
    let pose = Pose::from_translation(vec3(0.0, 0.0, RADIUS));
    let body = FreeBody::new("ball", Shape::Sphere { radius: RADIUS }, MASS, pose);
    c.body(FreeBody { material, velocity, angular_velocity, ..body }).unwrap();
    c
}

/// A ball spins down at μ_s N/I and stops after ω₀ I/(μ_s N), where it stays.
#[test]
fn a_spinning_ball_stops_when_it_should() {
    let (spin, mu_s, dt) = (20.0, 0.005, 1e-3);
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let rate = mu_s * MASS * G / inertia;
    for contact in SOLVERS {
        for dimension in [Dimension::Spinning, Dimension::Rolling] {
            let mut run = Run::new(
                ball(resists(0.8, dimension, mu_s, 1e-4), Vec3::ZERO, vec3(0.0, 0.0, spin)),
                contact,
                dt,
            );
            let stop = spin / rate;
            let before = (0.9 * stop / dt) as usize;
            run.steps(before);
            let expected = spin - rate * before as f64 * dt;
            let now = run.sim.state().v[5];
            assert!((now - expected).abs() < 1e-7, "{contact}: {now} {expected}");
            let moment = run.contacts()[0].moment;
            assert!((moment - vec3(0.0, 0.0, -mu_s * MASS * G)).norm() < 1e-6, "{contact}: {moment:?}");
            run.steps((0.1 * stop / dt) as usize + 3);
            assert!(run.sim.state().v.iter().all(|v| v.abs() < 1e-7), "{contact}: {:?}", run.sim.state().v);
            assert!((run.sim.state().q[2] - RADIUS).abs() < 1e-9);
            run.assert_exact();
        }
    }
}

/// Friction brakes a body that slides and spins in the direction of both, (f/μ)² + (M/μ_s)² = N²: v/v₀ = (ω/ω₀)^k
/// with k = μ² I/(m μ_s²).
#[test]
fn what_slides_and_spins_is_braked_in_both_alike() {
    let text = "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.1'>
        <joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 0 1'/>
        <geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>";
    let (mu, mu_s, slip, spin) = (0.4, 0.02, 1.0, 20.0);
    let mut world = load_str(text, Path::new("disc.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    world.geometries.iter_mut().for_each(|g| g.material = resists(mu, Dimension::Spinning, mu_s, 0.0));
    let mut start = State::neutral(&world.model);
    start.v.copy_from_slice(&[slip, 0.0, spin]);
    let k = mu * mu * 0.4 * RADIUS * RADIUS / (mu_s * mu_s);
    let stepper = StepperParams { dt: 1e-3, ..StepperParams::default() };
    let settings = Settings { tolerance: 1e-10, stepper, ..Settings::default() };
    let mut sim = Simulation::new(world.clone(), start.clone(), settings).unwrap();
    let mut steps = 0;
    while sim.state().v[2] > 0.3 * spin {
        assert!(!sim.step().flagged() && steps < 1000);
        steps += 1;
    }
    let (v, expected) = (sim.state().v[0], slip * (sim.state().v[2] / spin).powf(k));
    assert!((v - expected).abs() < 1e-5 * expected, "{v} is {expected}");
}

/// A ball that rolls is braked by a = M r/(m r² + I) with M the moment: f = m a and M share the ellipsoid
/// (f/μ)² + (M/μ_r)² = N². What it slips meanwhile is the share (f/M) ℓ² /r of its speed.
#[test]
fn a_rolling_ball_slows_down_as_it_should() {
    let (speed, mu, mu_r, dt) = (1.0, 0.5, 2e-3_f64, 1e-3);
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let per_moment = MASS * RADIUS / (MASS * RADIUS * RADIUS + inertia); // f/M
    let moment = MASS * G / ((per_moment / mu).powi(2) + mu_r.powi(-2)).sqrt();
    let braked = moment * per_moment / MASS;
    for contact in SOLVERS {
        let rolling = vec3(0.0, speed / RADIUS, 0.0);
        let material = resists(mu, Dimension::Rolling, 5e-3, mu_r);
        let mut run = Run::new(ball(material, vec3(speed, 0.0, 0.0), rolling), contact, dt);
        run.steps(1000);
        let v = run.sim.state().v.clone();
        let expected = speed - braked * 1.0;
        let slip = per_moment * (mu_r / mu).powi(2) / RADIUS;
        assert!((v[0] - expected).abs() < 2.0 * slip * speed + 1e-7, "{contact}: {} {expected}", v[0]);
        assert!((v[0] - RADIUS * v[4]).abs() < 2.0 * slip * speed, "{contact}: {v:?}");
        run.steps((1.05 * speed / braked / dt) as usize);
        assert!(run.sim.state().v.iter().all(|v| v.abs() < 1e-6), "{contact}: {:?}", run.sim.state().v);
        run.assert_exact();
    }
}

/// With vanishing resistance to turning a box slides, tumbles and comes to rest as with sliding friction alone.
#[test]
fn without_moments_it_is_coulombs_law() {
    let cube = |dimension| {
        let material = resists(0.5, dimension, 0.0, 0.0);
        let mut c = Composer::new("box", vec3(0.0, 0.0, -G)).unwrap();
        c.fixed("ground", Shape::Plane, Pose::IDENTITY, material, UNCOLOURED).unwrap();
        let shape = Shape::Box { half: vec3(0.1, 0.15, 0.1) };
        let body = FreeBody::new("box", shape, 1.0, Pose::from_translation(vec3(0.0, 0.0, 0.1)));
        c.body(FreeBody { material, velocity: vec3(1.5, 0.4, 0.0), ..body }).unwrap();
        c
    };
    let (mut plain, mut patch) = (
        Run::new(cube(Dimension::Sliding), "nsgs-accelerated", 1e-3),
        Run::new(cube(Dimension::Rolling), "nsgs-accelerated", 1e-3),
    );
    for _ in 0..500 {
        plain.step();
        patch.step();
        let off = plain.sim.state().q.iter().zip(&patch.sim.state().q).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-4, "{:?} {:?}", plain.sim.state(), patch.sim.state());
    }
    patch.assert_exact();
}

/// Two fingertips on slides along x press a block of 0.5 kg with `force`, `off` its centre of mass along y.
fn pinched(force: f64, off: f64, material: Material) -> (World, State) {
    let mut b = ModelBuilder::new();
    let tip = Inertia::new(0.1, Vec3::ZERO, Sym3::diagonal(1e-4, 1e-4, 1e-4));
    for (i, x) in [-0.06, 0.06].into_iter().enumerate() {
        let link = b.link(format!("tip {i}"), None, Pose::from_translation(vec3(x, 0.0, 0.5)), tip);
        b.joint(link, JointSpec::new(format!("slide {i}"), JointKind::Slide, Vec3::X));
    }
    let solid = Inertia::new(0.5, vec3(0.0, off, 0.0), Sym3::diagonal(2e-3, 2e-3, 2e-3));
    let block = b.link("block", None, Pose::from_translation(vec3(0.0, 0.0, 0.5)), solid);
    b.joint(block, JointSpec::new("free", JointKind::Free, Vec3::Z));
    let mut world = World::new("pinch", b.build(vec3(0.0, 0.0, -G)).unwrap());
    for i in 0..3 {
        let shape =
            if i < 2 { Shape::Sphere { radius: 0.02 } } else { Shape::Box { half: vec3(0.04, 0.1, 0.04) } };
        world.geometries.push(geometry(Some(i), Pose::IDENTITY, shape, material));
    }
    for (dof, sign) in [(0, 1.0), (1, -1.0)] {
        world.actuators.push(Actuator {
            name: format!("press {dof}"),
            transmission: vec![(dof, sign)],
            law: ActuatorLaw { gain: 1.0, bias: force, bias_length: 0.0, bias_velocity: 0.0 },
            effort_limit: None,
            control_limit: None,
        });
    }
    let state = State::neutral(&world.model);
    (world, state)
}

/// A block pinched `off` its centre of mass does not turn about the line between the fingertips as long as
/// (w/(2 μ N))² + (w off/(2 μ_s N))² ≤ 1 with w its weight, and does beyond; without torsional friction it swings.
#[test]
fn fingertips_hold_a_moment() {
    let (mu, mu_s, off) = (0.8_f64, 0.01_f64, 0.02);
    let weight = 0.5 * G;
    let limit = 0.5 * weight * (mu.powi(-2) + (off / mu_s).powi(2)).sqrt();
    for contact in ["auto", "nsgs-accelerated"] {
        for (share, dimension, holds) in [
            (1.02, Dimension::Spinning, true),
            (1.02, Dimension::Rolling, true),
            (0.98, Dimension::Spinning, false),
            (1.02, Dimension::Sliding, false),
        ] {
            let (world, state) = pinched(share * limit, off, resists(mu, dimension, mu_s, 1e-4));
            let mut run = Run::of(world, state, contact, 1e-3);
            run.steps(1000);
            let state = run.sim.state();
            let turned = 2.0 * state.q[6].abs().asin();
            assert_eq!(turned < 1e-6, holds, "{contact} {dimension:?} at {share}: turned by {turned}");
            run.assert_exact();
        }
    }
}

/// Solvers without them say so, by name.
#[test]
fn others_refuse_contacts_that_resist_turning() {
    for contact in ["ncp-newton", "ccp-pgs-accelerated", "lcp-pgs-accelerated", "lagged", "sap"] {
        let (world, state) = ball(resists(0.8, Dimension::Spinning, 5e-3, 0.0), Vec3::ZERO, Vec3::Z).finish();
        let settings = Settings { contact: contact.to_owned(), ..Settings::default() };
        let error = Simulation::new(world, state, settings).err().map(|e| e.to_string()).unwrap();
        assert!(error.starts_with(contact) && error.contains("auto and nsgs do"), "{error}");
    }
}
