//! The steppers of the canon: closed forms, the energy ledger, and what they refuse.

#![allow(clippy::unwrap_used, non_snake_case)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::world::{Material, World};
use stiction::{Composer, FreeBody, Settings, Simulation, State, StepperName, StepperParams};

const RIGID: [&str; 4] = ["moreau", "stewart-trinkle", "anitescu", "todorov"];
const G: f64 = 9.81;
const MU: f64 = 0.3;

fn settings(method: &str, dt: f64) -> Settings {
    let method = StepperName::of(method).unwrap();
    let stepper = StepperParams { method, dt, ..StepperParams::default() };
    Settings { stepper, tolerance: 1e-12, ..Settings::default() }
}

/// A body on level ground.
fn on_ground(shape: Shape, surface: Material, z: f64, velocity: Vec3, spin: Vec3) -> (World, State) {
    let mut scene = Composer::new("body", vec3(0.0, 0.0, -G)).unwrap();
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, stiction::UNCOLOURED).unwrap();
    let body = FreeBody::new("body", shape, 2.0, Pose::from_translation(vec3(0.0, 0.0, z)));
    scene.body(FreeBody { material: surface, velocity, angular_velocity: spin, ..body }).unwrap();
    scene.finish()
}

fn brick(speed: Vec3) -> (World, State) {
    let surface = Material { friction: MU, ..Material::default() };
    on_ground(Shape::Box { half: vec3(0.2, 0.2, 0.02) }, surface, 0.02, speed, Vec3::ZERO)
}

/// v²/(2 μ g) by all but the regularised step, which pushes sliding bodies up; along a corner of the polygon, where friction
/// is whole. `moreau` at θ = ½ is exact up to the step in which the brick stops.
#[test]
fn a_brick_slides_as_far_as_friction_lets_it() {
    let h = 0.002;
    for (method, tolerance) in [("moreau", 2e-6), ("stewart-trinkle", 1.5e-3), ("anitescu", 5e-3)] {
        let (world, state) = brick(Vec3::X);
        let mut sim = Simulation::new(world, state, settings(method, h)).unwrap();
        while sim.state().t < 0.5 {
            let report = sim.step();
            assert!(!report.flagged(), "{method}: {report:?}");
        }
        let (way, expected) = (sim.state().q[0], 1.0 / (2.0 * MU * G));
        assert!((way - expected).abs() < tolerance, "{method}: {way} m, {expected} m");
        assert!(sim.state().v.iter().all(|v| v.abs() < 1e-9), "{method}: {:?}", sim.state().v);
    }
}

/// The ledger names all energy, to rounding, in sliding, tumbling and bouncing.
#[test]
fn the_ledger_explains_all_energy() {
    for method in RIGID {
        let e = if method == "moreau" { 0.6 } else { 0.0 };
        let surface = Material { friction: MU, restitution: e, ..Material::default() };
        let shape = Shape::Box { half: vec3(0.1, 0.15, 0.2) };
        let (world, state) = on_ground(shape, surface, 0.5, vec3(1.0, 0.2, 0.0), vec3(3.0, -4.0, 2.0));
        let mut sim = Simulation::new(world, state, settings(method, 0.002)).unwrap();
        let mut dissipated = 0.0;
        for _ in 0..500 {
            let before = sim.energy().total();
            let report = sim.step();
            let ledger = report.ledger.expect("the stepper keeps account");
            let change = sim.energy().total() - before;
            let scale = before.abs().max(ledger.size());
            assert!((ledger.change() - change).abs() <= 1e-12 * scale, "{method}: {ledger:?}, {change} J");
            let off = (ledger.explained() - change).abs();
            assert!(off <= 1e-10 * scale, "{method}: {off} J of {ledger:?}");
            dissipated += ledger.friction;
        }
        assert!(dissipated < -0.1, "{method}: friction took {dissipated} J");
    }
}

/// A ball bounces to e² of its height: with Newton's law at θ = ½ flights are exact, but for the step of the impact.
#[test]
fn a_ball_bounces_by_newtons_law() {
    let surface = Material { friction: 0.0, restitution: 0.8, ..Material::default() };
    let (world, state) = on_ground(Shape::Sphere { radius: 0.1 }, surface, 1.1, Vec3::ZERO, Vec3::ZERO);
    let mut sim = Simulation::new(world, state, settings("moreau", 1e-4)).unwrap();
    let (mut bounced, mut top) = (false, 0.0_f64);
    while sim.state().t < 0.85 {
        sim.step();
        bounced |= sim.state().v[2] > 1.0;
        if bounced {
            top = top.max(sim.state().q[2] - 0.1);
        }
    }
    assert!((top - 0.64).abs() < 1e-3, "{top} m");
}

/// Anitescu's relaxation: a brick that touches takes off at μ times the speed it is left with, v_N = μ (v − μ g h)/(1 + μ²);
/// one that starts at the gap μ v h hovers there, at μ h times its speed, step by step.
#[test]
fn what_slides_hovers_under_anitescus_relaxation() {
    let (h, speed) = (0.01, 2.0);
    let (world, mut state) = brick(Vec3::X * speed);
    let mut sim = Simulation::new(world.clone(), state.clone(), settings("anitescu", h)).unwrap();
    sim.step();
    let (up, expected) = (sim.state().v[2], MU * (speed - MU * G * h) / (1.0 + MU * MU));
    assert!((up - expected).abs() < 1e-7, "{up} m/s, {expected} m/s");
    state.q[2] += MU * speed * h;
    let mut sim = Simulation::new(world, state, settings("anitescu", h)).unwrap();
    for _ in 0..40 {
        sim.step();
        let (gap, expected) = (sim.state().q[2] - 0.02, MU * h * sim.state().v[0]);
        assert!((gap - expected).abs() < 1e-7, "{gap} m, {expected} m");
    }
    assert!(sim.state().v[0] > 0.5 && sim.state().v[0] < 1.0, "{:?}", sim.state().v);
}

/// Todorov's scalar example: a cart of mass m before a wall, with b, ε and κ, step by step, and the same with a margin.
#[test]
fn a_cart_meets_a_wall_as_in_todorovs_example() {
    let (h, epsilon, kappa, b) = (0.01, 0.1, 0.05, 0.2);
    for margin in [0.0, 0.5] {
        let surface = Material { friction: 0.0, ..Material::default() };
        let mut scene = Composer::new("cart", Vec3::ZERO).unwrap();
        scene.fixed("wall", Shape::Plane, Pose::IDENTITY, surface, stiction::UNCOLOURED).unwrap();
        let cart =
            FreeBody::new("cart", Shape::Sphere { radius: 0.1 }, 2.0, Pose::from_translation(Vec3::Z * 0.2));
        scene.body(FreeBody { material: surface, velocity: Vec3::Z * -1.5, ..cart }).unwrap();
        let (world, state) = scene.finish();
        let mut params = settings("todorov", h);
        let todorov = &mut params.stepper.canon.todorov;
        (todorov.damping_inertia, todorov.regularization) = (b, epsilon);
        (todorov.time_constant, todorov.margin) = (kappa, margin);
        let mut sim = Simulation::new(world, state, params).unwrap();
        let (m, mut q, mut v, mut far) = (2.0, 0.1, -1.5, false);
        for _ in 0..60 {
            let inertia = m + b * m;
            let free = v - h * b * m / inertia * v;
            let wanted =
                v - 2.0 * h * (1.0 + epsilon) / kappa * v - h * (1.0 + epsilon) / (kappa * kappa) * q;
            let f = if q <= margin { ((wanted - free) * inertia / (1.0 + epsilon)).max(0.0) } else { 0.0 };
            far |= f > 0.0 && q > 0.01;
            v = free + f / inertia;
            q += h * v;
            sim.step();
            let [z, speed] = [sim.state().q[2] - 0.1, sim.state().v[2]];
            assert!((z - q).abs() < 1e-9 && (speed - v).abs() < 1e-8, "{z} m, {q} m; {speed} m/s, {v} m/s");
        }
        assert_eq!(far, margin > 0.0, "force at a distance with a margin, and only then");
    }
}

/// Worlds that a method has no word for are refused by name.
#[test]
fn what_a_method_does_not_know_is_refused() {
    let surface = Material { restitution: 0.5, ..Material::default() };
    let (world, state) = on_ground(Shape::Sphere { radius: 0.1 }, surface, 1.0, Vec3::ZERO, Vec3::ZERO);
    for method in &RIGID[1..] {
        let refused = Simulation::new(world.clone(), state.clone(), settings(method, 1e-3));
        let words = refused.err().unwrap().to_string();
        assert!(words.contains(method) && words.contains("bounce") && words.contains("ground"), "{words}");
    }
    let soft = Settings { contact: "mujoco".to_owned(), ..settings("moreau", 1e-3) };
    let words = format!("{:?}", Simulation::new(world, state, soft).unwrap().step().status);
    assert!(words.contains("moreau") && words.contains("mujoco"), "{words}");
}

/// A linear spring bears a ball at m g/k, and a held brick creeps at the slip at which Stribeck's curve bears the load.
#[test]
fn springs_bear_and_held_bricks_creep() {
    let surface = Material { friction: MU, ..Material::default() };
    let depth = 2.0 * G / 1e5;
    let (world, state) =
        on_ground(Shape::Sphere { radius: 0.1 }, surface, 0.1 - depth, Vec3::ZERO, Vec3::ZERO);
    let mut sim = Simulation::new(world, state, settings("compliant", 0.01)).unwrap();
    for _ in 0..20 {
        assert!(!sim.step().flagged());
        let gap = sim.state().q[2] - 0.1;
        assert!((gap + depth).abs() < 1e-9, "{gap} m");
    }
    let (world, mut state) = brick(Vec3::ZERO);
    state.q[2] -= 0.25 * depth;
    let share = 0.5;
    let mut tilted = Composer::new("tilted", vec3(share * MU * G, 0.0, -G)).unwrap();
    tilted.robot(world, &state, Pose::IDENTITY, "");
    let (world, state) = tilted.finish();
    let mut sim = Simulation::new(world, state, settings("compliant", 0.01)).unwrap();
    for _ in 0..60 {
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
        let ledger = report.ledger.unwrap();
        assert!(ledger.integrator.abs() < 1e-5, "{ledger:?}");
    }
    // S(s) = 1/2 at s = 1/2.
    let (creep, expected) = (sim.state().v[0], 0.5 * 1e-3);
    assert!((creep - expected).abs() < 1e-3 * expected, "{creep} m/s, {expected} m/s");
}

/// The explicit and the implicit method find the same bounce, which Hunt and Crossley's damper slows down; without it none is lost.
#[test]
fn both_methods_of_integration_find_one_bounce() {
    let surface = Material { friction: 0.0, ..Material::default() };
    let mut speeds = Vec::new();
    for method in [stiction::OdeMethod::Explicit, stiction::OdeMethod::Implicit] {
        for dissipation in [0.0, 0.3] {
            let (world, state) =
                on_ground(Shape::Sphere { radius: 0.1 }, surface, 0.1, Vec3::Z * -1.0, Vec3::ZERO);
            let mut params = settings("compliant", 0.005);
            let own = &mut params.stepper.canon.compliant;
            (own.method, own.dissipation, own.exponent) = (method, dissipation, 1.5);
            (own.stiffness, own.relative_tolerance, own.absolute_tolerance) = (1e7, 1e-8, 1e-10);
            let mut sim = Simulation::new(world, state, params).unwrap();
            let mut up = 0.0_f64;
            for _ in 0..10 {
                sim.step();
                let above = sim.state().q[2] - 0.1;
                if above > 0.0 && sim.state().v[2] > 0.0 {
                    up = (sim.state().v[2].powi(2) + 2.0 * G * above).sqrt();
                    break;
                }
            }
            speeds.push(up);
        }
    }
    let [explicit, damped, implicit, damped_implicit] = speeds[..] else { unreachable!() };
    assert!((explicit - 1.0).abs() < 1e-6 && (implicit - 1.0).abs() < 1e-6, "{speeds:?}");
    assert!((damped - damped_implicit).abs() < 5e-6, "{speeds:?}");
    // To first order in d v, e = 1 − 2/3 · d v for any exponent.
    assert!((damped - (1.0 - 0.2)).abs() < 0.05, "{speeds:?}");
}

/// Events: a ball that bounces comes to rest on the ground when its bounces have ended; a brick stops where friction stops it;
/// a ball that slides rolls from 2 v/(7 μ g) on, at 5/7 of its speed.
#[test]
fn events_are_met_at_their_instant() {
    let surface = Material { friction: 0.0, restitution: 0.5, ..Material::default() };
    let (world, state) = on_ground(Shape::Sphere { radius: 0.1 }, surface, 1.1, Vec3::ZERO, Vec3::ZERO);
    let mut sim = Simulation::new(world, state, settings("event-driven", 0.01)).unwrap();
    let fall = (2.0_f64 / G).sqrt();
    let mut top = 0.0_f64;
    while sim.state().t < 3.2 * fall {
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
        if sim.state().t > fall {
            top = top.max(sim.state().q[2] - 0.1);
        }
    }
    assert!((top - 0.25).abs() < 2e-4, "{top} m");
    assert!((sim.state().q[2] - 0.1).abs() < 1e-8 && sim.state().v[2].abs() < 1e-9, "{:?}", sim.state());

    let (world, state) = brick(Vec3::X);
    let mut sim = Simulation::new(world, state, settings("event-driven", 0.05)).unwrap();
    for _ in 0..8 {
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
    }
    let (way, expected) = (sim.state().q[0], 1.0 / (2.0 * MU * G));
    assert!((way - expected).abs() < 1e-8, "{way} m, {expected} m");
    assert!(sim.state().v.iter().all(|v| v.abs() < 1e-8), "{:?}", sim.state().v);

    let surface = Material { friction: MU, ..Material::default() };
    let (world, state) = on_ground(Shape::Sphere { radius: 0.1 }, surface, 0.1, Vec3::X, Vec3::ZERO);
    let mut sim = Simulation::new(world, state, settings("event-driven", 0.02)).unwrap();
    while sim.state().t < 0.2 {
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
    }
    let (t, v) = (2.0 / (7.0 * MU * G), 5.0 / 7.0);
    let expected = t - 0.5 * MU * G * t * t + v * (sim.state().t - t);
    assert!((sim.state().v[0] - v).abs() < 1e-7, "{} m/s", sim.state().v[0]);
    assert!((sim.state().q[0] - expected).abs() < 1e-7, "{} m, {expected} m", sim.state().q[0]);
}

/// A double pendulum of two bars, held out.
fn double_pendulum() -> (World, State) {
    let mut builder = ModelBuilder::new();
    let bar = Inertia::new(1.0, vec3(0.0, 0.0, -0.5), Sym3::diagonal(0.08, 0.08, 0.001));
    let upper = builder.link("upper", None, Pose::IDENTITY, bar);
    let at = Pose::from_translation(vec3(0.0, 0.0, -1.0));
    let lower = builder.link("lower", Some(upper), at, bar);
    for (link, name) in [(upper, "shoulder"), (lower, "elbow")] {
        builder.joint(link, JointSpec::new(name, JointKind::Hinge, Vec3::Y));
    }
    let world = World::new("pendulum", builder.build(vec3(0.0, 0.0, -G)).unwrap());
    (world, State { t: 0.0, q: vec![1.2, -0.7], v: vec![0.0; 2] })
}

/// The energy of discrete mechanics swings by h² and does not drift; that of the implicit midpoint rule that `moreau` is, which is symmetric
/// but not canonical, wanders by no more than a thousandth.
#[test]
fn midpoint_rules_keep_energy() {
    for method in ["variational", "moreau"] {
        let mut swings = Vec::new();
        for h in [0.01, 0.005] {
            let (world, state) = double_pendulum();
            let mut sim = Simulation::new(world, state, settings(method, h)).unwrap();
            let start = sim.energy().total();
            let (mut early, mut late) = (0.0_f64, 0.0_f64);
            let steps = (20.0 / h) as usize;
            for k in 0..steps {
                let report = sim.step();
                assert!(!report.flagged(), "{method}: {report:?}");
                let off = (sim.energy().total() - start).abs();
                *(if 2 * k < steps { &mut early } else { &mut late }) =
                    (if 2 * k < steps { early } else { late }).max(off);
            }
            if method == "moreau" {
                assert!(early.max(late) < 1e-3 * G, "{method}: {early} J, then {late} J");
                continue;
            }
            assert!(late < 1.5 * early && early < 0.02 * G, "{method}: {early} J, then {late} J");
            swings.push(early.max(late));
        }
        if method == "moreau" {
            continue;
        }
        let ratio = swings[0] / swings[1];
        assert!(ratio > 2.5 && ratio < 6.0, "{method}: {swings:?}");
    }
    let (world, state) =
        on_ground(Shape::Sphere { radius: 0.1 }, Material::default(), 1.0, Vec3::ZERO, Vec3::ZERO);
    let words = Simulation::new(world, state, settings("variational", 0.01)).err().unwrap().to_string();
    assert!(words.contains("variational") && words.contains("free joint"), "{words}");
}

/// Around `moreau` the error at the end is no more than three times the accuracy that is asked, through an impact with hard contact, and
/// of a pendulum against stepping by events.
#[test]
fn error_control_meets_the_accuracy() {
    let surface = Material { friction: 0.0, restitution: 0.8, ..Material::default() };
    let (fall, duration) = ((2.0_f64 / G).sqrt(), 0.6);
    let since = duration - fall;
    let bounced = 0.1 + 0.8 * G * fall * since - 0.5 * G * since * since;
    let ball = || on_ground(Shape::Sphere { radius: 0.1 }, surface, 1.1, Vec3::ZERO, Vec3::ZERO);
    let (world, state) = double_pendulum();
    let mut by_events = Simulation::new(world, state, settings("event-driven", duration)).unwrap();
    by_events.step();
    let swung = by_events.state().q.clone();
    for accuracy in [1e-3, 1e-5, 1e-7] {
        let run = |(world, state)| {
            let mut params = settings("adaptive", duration / 12.0);
            (params.stepper.canon.adaptive.accuracy, params.stepper.canon.adaptive.horizon) =
                (accuracy, duration);
            let mut sim = Simulation::new(world, state, params).unwrap();
            let mut parts = 0;
            for _ in 0..12 {
                let report = sim.step();
                assert!(!report.flagged(), "{report:?}");
                parts += report.parts;
            }
            assert!(parts < 40_000, "{parts} parts");
            sim.state().q.clone()
        };
        let off = (run(ball())[2] - bounced).abs();
        assert!(off < 3.0 * accuracy, "ball at {accuracy:e}: {off:e}");
        let off =
            run(double_pendulum()).iter().zip(&swung).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(off < 3.0 * accuracy, "pendulum at {accuracy:e}: {off:e}");
    }
    let (world, state) = double_pendulum();
    let mut params = settings("adaptive", 0.05);
    params.stepper.canon.adaptive.inner = "time-stepping".to_owned();
    let words = Simulation::new(world, state, params).err().unwrap().to_string();
    assert!(words.contains("time-stepping") && words.contains("moreau"), "{words}");
}

/// A box at rest below the friction angle has four corners that share its load in many ways. Forces of least norm leave the cones of the
/// upper corners, others do not: nothing happens, in the first step and after it.
#[test]
fn redundant_contacts_are_held_by_event_driven() {
    for share in [0.5, 0.999] {
        let surface = Material { friction: MU, ..Material::default() };
        let (world, state) =
            on_ground(Shape::Box { half: vec3(0.1, 0.1, 0.1) }, surface, 0.1, Vec3::ZERO, Vec3::ZERO);
        let angle = f64::atan(share * MU);
        let gravity = vec3(G * angle.sin(), 0.0, -G * angle.cos());
        let mut world = world;
        world.model.gravity = gravity;
        let mut sim = Simulation::new(world, state, settings("event-driven", 0.001)).unwrap();
        for _ in 0..20 {
            let report = sim.step();
            assert!(!report.flagged() && report.parts == 1, "{share}: {report:?}");
        }
        assert!(sim.state().v.iter().all(|v| v.abs() < 1e-12), "{share}: {:?}", sim.state().v);
        let law = sim.certificate();
        assert!(law.natural_map < 1e-9, "{share}: {law:?}");
    }
}

/// A contact solver is refused where nobody would ask it.
#[test]
fn steppers_say_whether_they_take_a_contact_solver() {
    for (method, takes) in
        [("time-stepping", true), ("moreau", true), ("adaptive", true), ("todorov", false), ("ne-mdp", false)]
    {
        let stepper = settings(method, 0.001).stepper;
        assert_eq!(stepper.check_takes("nsgs").is_ok(), takes, "{method}");
    }
    let error = settings("todorov", 0.001).stepper.check_takes("nsgs").unwrap_err().to_string();
    assert!(error.contains("`todorov`") && error.contains("`nsgs`") && error.contains("moreau"), "{error}");
    let mut around = settings("adaptive", 0.001).stepper;
    around.canon.adaptive.inner = "anitescu".to_owned();
    assert!(!around.takes_solver());
}

/// A carriage of 2 kg on a vertical rail with stops: thrown up, it hits the upper stop, falls from there at rest and lies on the lower one,
/// whose force bears its weight. Two of it on one another, the upper one on a stop of its own, come to rest alike.
#[test]
fn stops_of_joints_are_met_at_their_instant() {
    let range = [0.0, 0.2];
    let mut builder = ModelBuilder::new();
    let carriage = Inertia::new(2.0, Vec3::ZERO, Sym3::diagonal(0.01, 0.01, 0.01));
    let mut below = None;
    for name in ["lower", "upper"] {
        let link = builder.link(name, below, Pose::IDENTITY, carriage);
        builder
            .joint(link, JointSpec { limit: Some(range), ..JointSpec::new(name, JointKind::Slide, Vec3::Z) });
        below = Some(link);
    }
    let world = World::new("rail", builder.build(vec3(0.0, 0.0, -G)).unwrap());
    let (start, speed) = (0.1, 3.0);
    let state = State { t: 0.0, q: vec![start, 0.0], v: vec![speed, 0.0] };
    let h = 0.01;
    let mut sim = Simulation::new(world, state, settings("event-driven", h)).unwrap();
    // The upper one is carried up, flies on when the lower one is stopped, and both fall apart by what it flew.
    let up = (speed - (speed * speed - 2.0 * G * (range[1] - start)).sqrt()) / G;
    let left = (speed * speed - 2.0 * G * (range[1] - start)).sqrt();
    let (mut limits, before) = (0.0, sim.energy().total());
    for _ in 0..40 {
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
        let ledger = report.ledger.unwrap();
        limits += ledger.limits;
        assert!((ledger.explained() - ledger.change()).abs() < 1e-10, "{ledger:?}");
        let since = sim.state().t - up;
        // Until the upper one is stopped by its own upper end.
        if since > 0.0 && left * since < range[1] {
            let fallen = range[1] - 0.5 * G * since * since;
            assert!((sim.state().q[0] - fallen).abs() < 1e-8, "{} m, {fallen} m", sim.state().q[0]);
            assert!((sim.state().q[1] - left * since).abs() < 1e-8, "{:?}", sim.state().q);
        }
    }
    while sim.state().t < 2.0 {
        limits += sim.step().ledger.unwrap().limits;
    }
    let state = sim.state();
    assert!(state.q.iter().chain(&state.v).all(|x| x.abs() < 1e-8), "{state:?}");
    assert!((limits - (sim.energy().total() - before)).abs() < 1e-8, "{limits} J");
    // h times the weight of both on the lower stop, and of one on the upper.
    let mut borne: Vec<f64> = sim.impulses().iter().copied().filter(|x| *x > 0.0).collect();
    borne.sort_by(f64::total_cmp);
    let expected = [2.0 * G * h, 4.0 * G * h];
    assert!(borne.len() == 2 && borne.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8), "{borne:?}");
    assert!(sim.certificate().natural_map < 1e-8);
}
