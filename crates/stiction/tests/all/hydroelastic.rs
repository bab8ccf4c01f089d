//! Contact by pressure in steps: rest depths, friction over areas, energy, and agreement of the ways to step.

#![allow(clippy::unwrap_used, non_snake_case)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::world::{Compliance, Hydroelastic, HydroelasticKind, Material, World};
use stiction::{Composer, FreeBody, Settings, Simulation, State, StepperName, StepperParams};

const G: f64 = 9.81;
const MU: f64 = 0.3;
const MODULUS: f64 = 1e6;

/// A compliant surface with edges of `edge` [m].
fn soft(edge: f64, dissipation: f64) -> Material {
    let hydroelastic = Hydroelastic {
        kind: HydroelasticKind::Compliant,
        modulus: MODULUS,
        resolution: Some(edge),
        ..Hydroelastic::default()
    };
    let compliance = Compliance { dissipation: Some(dissipation), ..Compliance::default() };
    Material { friction: MU, hydroelastic, compliance, ..Material::default() }
}

fn hard() -> Material {
    let hydroelastic = Hydroelastic { kind: HydroelasticKind::Rigid, ..Hydroelastic::default() };
    Material { friction: MU, hydroelastic, ..Material::default() }
}

/// A compliant body of 2 kg on level rigid ground.
fn on_ground(shape: Shape, material: Material, X: Pose, velocity: Vec3, spin: Vec3) -> (World, State) {
    let mut scene = Composer::new("body", vec3(0.0, 0.0, -G)).unwrap();
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, hard(), stiction::UNCOLOURED).unwrap();
    let body = FreeBody::new("body", shape, 2.0, X);
    scene.body(FreeBody { material, velocity, angular_velocity: spin, ..body }).unwrap();
    scene.finish()
}

fn settings(method: &str, solver: &str, dt: f64) -> Settings {
    let method = StepperName::of(method).unwrap();
    let mut stepper = StepperParams { method, dt, ..StepperParams::default() };
    stepper.canon.compliant.slip_speed = 1e-4;
    Settings { stepper, contact: solver.to_owned(), ..Settings::default() }
}

fn up(z: f64) -> Pose {
    Pose::from_translation(vec3(0.0, 0.0, z))
}

/// Depth at which the integral of E (1 − ‖x‖/r) over the cut is the weight of 2 kg.
fn rest_depth(r: f64) -> f64 {
    let force = |d: f64| {
        let c = r - d;
        2.0 * std::f64::consts::PI * MODULUS * (0.5 * (r * r - c * c) - (r.powi(3) - c.powi(3)) / (3.0 * r))
    };
    let (mut low, mut high) = (0.0, r);
    for _ in 0..60 {
        let d = 0.5 * (low + high);
        if force(d) < 2.0 * G { low = d } else { high = d }
    }
    low
}

/// A ball comes to rest at the depth of the closed form, under every law that yields and under the exact law.
#[test]
fn a_ball_rests_at_the_depth_of_the_integral() {
    let (r, expected) = (0.1, rest_depth(0.1));
    for (method, solver) in [
        ("compliant", "auto"),
        ("time-stepping", "sap"),
        ("time-stepping", "lagged"),
        ("time-stepping", "similar"),
        ("time-stepping", "auto"),
        ("moreau", "auto"),
    ] {
        let material = soft(0.004, 20.0);
        let (world, state) =
            on_ground(Shape::Sphere { radius: r }, material, up(r - 0.9 * expected), Vec3::ZERO, Vec3::ZERO);
        let mut sim = Simulation::new(world, state, settings(method, solver, 0.002)).unwrap();
        let mut contacts = 0;
        while sim.state().t < 1.0 {
            let report = sim.step();
            assert!(report.failure().is_none(), "{method} {solver}: {report:?}");
            contacts = contacts.max(report.contacts);
        }
        let depth = r - sim.state().q[2];
        assert!((depth / expected - 1.0).abs() < 3e-3, "{method} {solver}: {depth} m, {expected} m");
        let polygons = contacts > 4;
        assert_eq!(polygons, !(solver == "auto" && method != "compliant"), "{method} {solver}: {contacts}");
    }
}

/// A box that slides is held back by μ m g, and stops after v²/(2 μ g), whatever the law.
#[test]
fn a_box_slides_as_far_as_friction_lets_it() {
    let half = vec3(0.1, 0.08, 0.05);
    // The pressure over the face: k δ = m g.
    let depth = 2.0 * G * half.z / (MODULUS * 4.0 * half.x * half.y);
    for (method, solver) in [("compliant", "auto"), ("time-stepping", "lagged"), ("time-stepping", "auto")] {
        let (world, state) =
            on_ground(Shape::Box { half }, soft(0.1, 20.0), up(half.z - depth), Vec3::X, Vec3::ZERO);
        let mut sim = Simulation::new(world, state, settings(method, solver, 0.002)).unwrap();
        while sim.state().t < 0.5 {
            assert!(sim.step().failure().is_none(), "{method} {solver}");
        }
        let (way, expected) = (sim.state().q[0], 1.0 / (2.0 * MU * G));
        assert!((way - expected).abs() < 6e-3 * expected, "{method} {solver}: {way} m, {expected} m");
        let v = &sim.state().v;
        // What is left is creep, and rocking on the springs.
        assert!(v.iter().all(|v| v.abs() < 1e-2), "{method} {solver}: {v:?}");
    }
}

/// A cylinder that spins on its face is held back by ⅔ μ m g R: friction over an area, without a coefficient of its own.
#[test]
fn a_disc_spins_down_by_the_friction_of_its_area() {
    let (radius, half_length) = (0.1, 0.04);
    let area = std::f64::consts::PI * radius * radius;
    let depth = 2.0 * G * half_length / (MODULUS * area);
    let inertia = 0.5 * 2.0 * radius * radius;
    let expected = 2.0 / 3.0 * MU * 2.0 * G * radius / inertia;
    for (method, solver, tolerance) in
        [("compliant", "auto", 0.02), ("time-stepping", "lagged", 0.03), ("time-stepping", "auto", 0.03)]
    {
        let shape = Shape::Cylinder { radius, half_length };
        let spin = vec3(0.0, 0.0, 10.0);
        let (world, state) = on_ground(shape, soft(0.02, 5.0), up(half_length - depth), Vec3::ZERO, spin);
        let mut sim = Simulation::new(world, state, settings(method, solver, 0.002)).unwrap();
        while sim.state().t < 0.1 {
            assert!(sim.step().failure().is_none(), "{method} {solver}");
        }
        let slower = (10.0 - sim.state().v[5]) / sim.state().t;
        let off = slower / expected - 1.0;
        println!("{method} {solver}: {slower} rad/s2, {:.1} % from the integral", 100.0 * off);
        assert!(off.abs() < tolerance, "{method} {solver}: {slower} rad/s2, {expected}");
    }
}

/// A ball that bounces undamped returns its energy, Hunt and Crossley's dissipation takes a part, and the ledger names all.
#[test]
fn dissipation_takes_energy_and_the_ledger_names_it() {
    let mut tops = Vec::new();
    for dissipation in [0.0, 0.2, 1.0] {
        let R = Quat::from_axis_angle(vec3(0.6, 0.8, 0.0), 0.7);
        let shape = Shape::Sphere { radius: 0.1 };
        let (world, state) = on_ground(
            shape,
            soft(0.04, dissipation),
            Pose::new(R, vec3(0.0, 0.0, 0.15)),
            Vec3::ZERO,
            Vec3::ZERO,
        );
        let chosen = settings("compliant", "auto", 0.005);
        let mut sim = Simulation::new(world, state, chosen).unwrap();
        let (mut bounced, mut top) = (false, 0.0_f64);
        while sim.state().t < 0.35 {
            let before = sim.energy().total();
            let report = sim.step();
            let ledger = report.ledger.unwrap();
            let change = sim.energy().total() - before;
            let scale = before.abs().max(ledger.size());
            assert!((ledger.change() - change).abs() <= 1e-12 * scale);
            assert!((ledger.explained() - change).abs() <= 1e-10 * scale, "{ledger:?}");
            bounced |= sim.state().v[2] > 0.1;
            if bounced {
                top = top.max(sim.state().q[2]);
            }
        }
        tops.push(top);
    }
    // Against a mesh of flat faces the elastic force is not quite that of a potential: 1 % of the height.
    assert!(
        (tops[0] - 0.15).abs() < 1e-3 && tops[0] > tops[1] + 1e-3 && tops[1] > tops[2] + 1e-3,
        "{tops:?}"
    );
}

/// The ways to step agree on a box that lands on an edge and settles, with both surfaces compliant.
#[test]
fn ways_to_step_agree_on_a_box_that_settles() {
    let half = vec3(0.1, 0.08, 0.05);
    let run = |method: &str, solver: &str, dt: f64| {
        let mut scene = Composer::new("boxes", vec3(0.0, 0.0, -G)).unwrap();
        let slab = Shape::Box { half: vec3(0.5, 0.5, 0.1) };
        scene.fixed("slab", slab, up(-0.1), soft(0.5, 10.0), stiction::UNCOLOURED).unwrap();
        let R = Quat::from_axis_angle(Vec3::Y, 0.2);
        let body = FreeBody::new("body", Shape::Box { half }, 2.0, Pose::new(R, vec3(0.0, 0.0, 0.08)));
        scene.body(FreeBody { material: soft(0.1, 10.0), ..body }).unwrap();
        let (world, state) = scene.finish();
        let mut sim = Simulation::new(world, state, settings(method, solver, dt)).unwrap();
        while sim.state().t < 0.5 {
            assert!(sim.step().failure().is_none(), "{method} {solver}");
        }
        (sim.state().q.clone(), sim.state().v.clone())
    };
    let (q, v) = run("compliant", "auto", 0.005);
    assert!(v.iter().all(|v| v.abs() < 1e-2), "{v:?}");
    for (method, solver) in [("time-stepping", "lagged"), ("time-stepping", "sap"), ("time-stepping", "auto")]
    {
        let (p, _) = run(method, solver, 0.002);
        let apart = (vec3(p[0], p[1], p[2]) - vec3(q[0], q[1], q[2])).norm();
        println!("{method} {solver}: {apart:.1e} m from compliant");
        assert!(apart < 4e-3 && (p[2] - q[2]).abs() < 1e-4, "{method} {solver}: {apart} m");
    }
}

/// The static coefficient of a surface is that of what sticks, under the law that has two.
#[test]
fn what_sticks_holds_more_than_what_slides() {
    let half = vec3(0.1, 0.08, 0.05);
    let depth = 2.0 * G * half.z / (MODULUS * 4.0 * half.x * half.y);
    let held = |most: Option<f64>, force: f64| {
        let material = Material { static_friction: most, ..soft(0.2, 20.0) };
        let (world, state) =
            on_ground(Shape::Box { half }, material, up(half.z - depth), Vec3::ZERO, Vec3::ZERO);
        let mut chosen = settings("compliant", "auto", 0.01);
        chosen.stepper.canon.compliant.slip_speed = 1e-3;
        let mut sim = Simulation::new(world, state, chosen).unwrap();
        while sim.state().t < 0.3 {
            // Little by little: what is pushed at once slips before its friction has grown.
            sim.generalized_mut()[0] = force * (sim.state().t / 0.2).min(1.0);
            sim.step();
        }
        sim.state().v[0].abs() < 1e-3
    };
    let weight = 2.0 * G;
    assert!(held(None, 0.9 * MU * weight) && !held(None, 1.15 * MU * weight));
    // Of the ground 0.3, of the box 0.6: the larger, as in MuJoCo, since no format speaks.
    assert!(held(Some(0.6), 1.7 * MU * weight) && !held(Some(0.6), 2.2 * MU * weight));
}

/// Steppers whose contacts are points by their law refuse what presses over an area, by name; two rigid surfaces are points to all.
#[test]
fn steppers_of_points_refuse_pressure() {
    for method in ["event-driven", "variational", "stewart-trinkle", "anitescu", "todorov", "ne-mdp"] {
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        let (world, state) = on_ground(shape.clone(), soft(0.1, 1.0), up(0.1), Vec3::ZERO, Vec3::ZERO);
        let error = Simulation::new(world, state, settings(method, "auto", 0.001))
            .map(|_| ())
            .unwrap_err()
            .to_string();
        let free = method == "variational" && error.contains("free joint");
        assert!(error.contains("hydroelastic") && error.contains("`body`") || free, "{method}: {error}");
    }
    let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let (world, state) = on_ground(shape, hard(), up(0.1), Vec3::ZERO, Vec3::ZERO);
    let mut sim = Simulation::new(world, state, settings("time-stepping", "auto", 0.001)).unwrap();
    let report = sim.step();
    assert!(report.contacts == 4 && report.penetration < 1e-9, "{report:?}");
}
