//! What must not break: deep overlaps, numbers that are not finite, steps that do not converge.
use super::worlds::{G, Run, geometry, on_ground, rough};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::world::{Coupling, Geometry, Material, World};
use stiction::{
    CERTIFIED, Composer, FreeBody, Settings, Simulation, State, StepStatus, StepperParams, UNCOLOURED,
};

fn weightless() -> Composer {
    Composer::new("overlap", Vec3::ZERO).unwrap()
}

fn simulation(composer: Composer, stepper: StepperParams, max_iterations: u32) -> Simulation {
    let (world, state) = composer.finish();
    let settings = Settings { contact: "auto".to_owned(), max_iterations, stepper, ..Settings::default() };
    Simulation::new(world, state, settings).unwrap()
}

/// The largest kinetic energy on the way, and the deepest overlap of the last step.
fn come_apart(composer: Composer, seconds: f64) -> (f64, f64) {
    let mut sim = simulation(composer, StepperParams::default(), 1000);
    let (mut energy, mut deepest) = (0.0_f64, 0.0);
    for _ in 0..(seconds * 1e3) as usize {
        let report = sim.step();
        assert!(report.failure().is_none(), "{report:?}");
        energy = energy.max(sim.energy().kinetic);
        deepest = report.penetration;
    }
    (energy, deepest)
}

/// Twice the energy of a kilogram at the speed of what is pushed out by velocities, 0.01 m/s where nothing weighs [J].
const GENTLE: f64 = 1e-4;

/// Two boxes half inside each other, a capsule inside a wall, twenty bodies in one place: all come apart, moved in
/// their positions.
#[test]
fn what_overlaps_deeply_comes_apart_gently() {
    let solid = |name: &str, shape: Shape, at: Vec3| FreeBody {
        material: rough(0.5),
        ..FreeBody::new(name, shape, 1.0, Pose::from_translation(at))
    };
    let brick = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let mut c = weightless();
    c.body(solid("one", brick.clone(), Vec3::ZERO)).unwrap();
    c.body(solid("two", brick.clone(), vec3(0.1, 0.02, 0.01))).unwrap();
    let (energy, deepest) = come_apart(c, 1.0);
    assert!(energy <= 2.0 * GENTLE && deepest < 1e-3, "boxes: {energy} J, {deepest} m");

    let mut c = weightless();
    let wall = Shape::Box { half: vec3(0.1, 1.0, 1.0) };
    c.fixed("wall", wall, Pose::IDENTITY, rough(0.5), UNCOLOURED).unwrap();
    let capsule = Shape::Capsule { radius: 0.05, half_length: 0.1 };
    c.body(solid("capsule", capsule.clone(), vec3(0.03, 0.0, 0.0))).unwrap();
    let (energy, deepest) = come_apart(c, 1.0);
    assert!(energy <= GENTLE && deepest < 1e-3, "capsule: {energy} J, {deepest} m");

    let mut c = weightless();
    let shapes =
        [brick, Shape::Sphere { radius: 0.1 }, capsule, Shape::Cylinder { radius: 0.1, half_length: 0.1 }];
    for i in 0..20 {
        let x = |k: i32| 0.1 * (f64::from(k * (i + 1)) * 0.7).sin();
        let pose = Pose::new(Quat::from_rpy(x(3) * 9.0, x(5) * 9.0, x(7) * 9.0), vec3(x(1), x(2), x(4)));
        let shape = shapes[i as usize % shapes.len()].clone();
        let body = FreeBody::new(format!("body {i}"), shape, 1.0, pose);
        c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
    }
    let (energy, deepest) = come_apart(c, 2.0);
    assert!(energy <= 20.0 * GENTLE && deepest < 5e-3, "heap: {energy} J, {deepest} m");
}

/// What lies 5 cm deep in the floor is lifted out of it at no more than 1 m/s and lies on it: it has never more than
/// twice its energy at 2 g h, and does not leave the floor.
#[test]
fn what_lies_deep_in_the_floor_comes_out_and_rests() {
    let brick = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let rolled = Quat::from_rpy(0.0, 0.5 * std::f64::consts::PI, 0.0);
    let upright = Quat::from_rpy(0.0, 0.0, 0.0);
    for (shape, turn) in [
        (brick, upright),
        (Shape::Sphere { radius: 0.1 }, upright),
        (Shape::Capsule { radius: 0.1, half_length: 0.1 }, rolled),
        (Shape::Cylinder { radius: 0.1, half_length: 0.1 }, upright),
    ] {
        for (h, mass, restitution) in [(1e-3, 1.0, 0.0), (1e-3, 1e-3, 0.5), (5e-3, 1e3, 0.9)] {
            let material = Material { restitution, ..rough(0.5) };
            let mut c = on_ground(0.5, 0.0);
            let pose = Pose::new(turn, vec3(0.0, 0.0, 0.05));
            c.body(FreeBody { material, ..FreeBody::new("body", shape.clone(), mass, pose) }).unwrap();
            let mut sim = simulation(c, StepperParams { dt: h, ..StepperParams::default() }, 1000);
            let case = format!("{shape:?} of {mass} kg, e = {restitution}");
            for _ in 0..(0.5 / h) as usize {
                let before = sim.state().q[2];
                assert!(!sim.step().flagged(), "{case}");
                let (energy, z) = (sim.energy().kinetic, sim.state().q[2]);
                assert!(energy <= mass * (2.0 * G * h).powi(2), "{case}: {energy} J");
                assert!(z - before <= 1.01 * h && z < 0.1 + 1e-4, "{case}: {z} m");
            }
            let (energy, z) = (sim.energy().kinetic, sim.state().q[2]);
            assert!(energy < 1e-12 * mass && (z - 0.1).abs() < 2e-5, "{case}: {energy} J, {z} m");
        }
    }
}

/// A tower whose storeys overlap by 3 cm, the lowest in the floor too, light ones under heavy ones and the other way
/// round.
#[test]
fn a_tower_laid_into_itself_rises_and_stands() {
    for masses in [[1.0, 1.0, 1.0, 1.0], [100.0, 10.0, 1.0, 0.1], [0.1, 1.0, 10.0, 100.0]] {
        let mut c = on_ground(0.5, 0.0);
        for (i, mass) in masses.into_iter().enumerate() {
            let pose = Pose::from_translation(vec3(0.0, 0.0, 0.07 + 0.17 * i as f64));
            let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
            let body = FreeBody::new(format!("storey {i}"), shape, mass, pose);
            c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
        }
        let (energy, deepest) = come_apart(c, 2.0);
        let most = masses.iter().sum::<f64>() * (2.0 * G * 1e-3_f64).powi(2);
        assert!(energy <= most && deepest < 2e-5, "{masses:?}: {energy} J of {most} J, {deepest} m");
    }
}

/// Capsules across each other in a shaft too narrow for them: the ways apart are short levers. None becomes fast.
#[test]
fn what_can_all_but_not_part_stays_slow() {
    for span in [0.0, 2.0] {
        let mut c = weightless();
        for (i, n) in [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z].into_iter().enumerate() {
            let inwards = Pose::new(Quat::between(Vec3::Z, n), n * -0.2);
            c.fixed(format!("wall {i}"), Shape::Plane, inwards, rough(0.5), UNCOLOURED).unwrap();
        }
        let mut mass = 0.0;
        for i in 0..12 {
            let x = |k: i32| (f64::from(k * (i + 1)) * 0.7).sin();
            let pose =
                Pose::new(Quat::from_rpy(3.0 * x(3), 3.0 * x(5), 3.0 * x(7)), vec3(x(1), x(2), x(4)) * 0.05);
            let (shape, own) =
                (Shape::Capsule { radius: 0.05, half_length: 0.2 }, 10_f64.powf(0.5 * span * x(11)));
            mass += own;
            let body = FreeBody::new(format!("capsule {i}"), shape, own, pose);
            c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
        }
        let (energy, _) = come_apart(c, 0.3);
        assert!(energy <= mass * GENTLE, "{energy} J of {mass} kg");
    }
}

/// A slider beyond its stop is moved back to it and stays there.
#[test]
fn what_is_beyond_its_stop_comes_back_and_rests() {
    let mut b = ModelBuilder::new();
    let inertia = Inertia::new(2.0, Vec3::ZERO, Sym3::diagonal(1e-3, 1e-3, 1e-3));
    let link = b.link("mass", None, Pose::IDENTITY, inertia);
    let slide = JointSpec::new("slide", JointKind::Slide, Vec3::Z);
    b.joint(link, JointSpec { limit: Some([-0.05, 0.05]), ..slide });
    let world = World::new("stop", b.build(vec3(0.0, 0.0, -G)).unwrap());
    let mut state = State::neutral(&world.model);
    state.q[0] = -0.15;
    let mut sim = Simulation::new(world, state, Settings::default()).unwrap();
    for _ in 0..300 {
        assert!(!sim.step().flagged());
        assert!(sim.energy().kinetic <= 2.0 * (2.0 * G * 1e-3_f64).powi(2), "{}", sim.energy().kinetic);
    }
    let state = sim.state();
    assert!((state.q[0] + 0.05).abs() < 2e-5 && state.v[0].abs() < 1e-6, "{state:?}");
}

/// A ball in a groove of half angle 5°, where friction (26°) locks it, too deep in both sides: no velocity pushes it
/// out. It is moved out all the same, without being thrown; every step is certified and needs no remedy.
#[test]
fn what_friction_locks_is_moved_out_and_stays_at_rest() {
    let (half, radius) = (5_f64.to_radians(), 0.1);
    for (contact, depth) in
        [("auto", 1e-3), ("nsgs-accelerated", 1e-3), ("auto", 4e-5), ("nsgs-accelerated", 4e-5)]
    {
        let mut c = weightless();
        for side in [-1.0, 1.0] {
            let pose =
                Pose::new(Quat::from_rpy(0.0, side * (0.5 * std::f64::consts::PI - half), 0.0), Vec3::ZERO);
            c.fixed(format!("side {side}"), Shape::Plane, pose, rough(0.5), UNCOLOURED).unwrap();
        }
        // From the bottom of the groove.
        let at = vec3(0.0, 0.0, (radius - depth) / half.sin());
        let ball = FreeBody::new("ball", Shape::Sphere { radius }, 1.0, Pose::from_translation(at));
        c.body(FreeBody { material: rough(0.5), ..ball }).unwrap();
        let (world, state) = c.finish();
        let settings = Settings {
            contact: contact.to_owned(),
            stepper: StepperParams::default(),
            ..Settings::default()
        };
        let mut sim = Simulation::new(world, state, settings).unwrap();
        let mut report = sim.step();
        assert!((report.penetration - depth).abs() < 1e-12 && report.iterations <= 20, "{report:?}");
        for _ in 0..100 {
            assert!(!report.flagged() && sim.certificate().natural_map <= 1e-8, "{contact}: {report:?}");
            assert!(report.remedy.is_none(), "{contact}: {report:?}");
            assert!(sim.energy().kinetic < 1e-12, "{contact}: {}", sim.energy().kinetic);
            report = sim.step();
        }
        assert!(report.penetration < 1.1e-5, "{contact}: {report:?}");
    }
}

/// Input that is not finite fails the step, which names the joint and leaves state and future as they were; with
/// retries too.
#[test]
fn a_step_that_fails_names_the_cause_and_changes_nothing() {
    for adaptive in [0, 2] {
        let mut c = on_ground(0.5, 0.0);
        let pose = Pose::from_translation(vec3(0.0, 0.0, 0.1));
        c.body(FreeBody {
            velocity: Vec3::X,
            ..FreeBody::new("box", Shape::Sphere { radius: 0.1 }, 1.0, pose)
        })
        .unwrap();
        let mut sim = simulation(c, StepperParams { adaptive, ..StepperParams::default() }, 1000);
        (0..10).for_each(|_| assert!(!sim.step().flagged()));
        let before = sim.state().clone();
        for bad in [f64::NAN, f64::INFINITY, 1e308] {
            sim.generalized_mut()[1] = bad;
            let report = sim.step();
            let cause = report.failure().unwrap().to_owned();
            assert!(cause.contains("box"), "{cause}");
            assert_eq!(sim.state(), &before);
        }
        assert!(!sim.step().flagged() && sim.state().t > before.t);
    }
}

/// A stack kicked sideways, under a solver that may iterate only a few times: single steps do not converge, halved ones
/// do, and the report says in how many parts. The time is that of whole steps.
#[test]
fn steps_that_do_not_converge_are_done_again_in_parts() {
    let run = |adaptive: u32, max_iterations: u32| {
        let mut c = on_ground(0.5, 0.0);
        for i in 0..4 {
            let pose = Pose::from_translation(vec3(0.02 * f64::from(i), 0.0, 0.1 + 0.2 * f64::from(i)));
            let velocity = vec3(0.5 * f64::from(i), 0.0, -1.0);
            let cube =
                FreeBody::new(format!("cube {i}"), Shape::Box { half: vec3(0.1, 0.1, 0.1) }, 1.0, pose);
            c.body(FreeBody { material: rough(0.5), velocity, ..cube }).unwrap();
        }
        let (world, state) = c.finish();
        // No landing ends a part of a step.
        let stepper = StepperParams { dt: 5e-3, adaptive, landing_interval: 0, ..StepperParams::default() };
        let settings = Settings {
            contact: "ncp-pgs-accelerated".to_owned(),
            max_iterations,
            stepper,
            ..Settings::default()
        };
        let mut sim = Simulation::new(world, state, settings).unwrap();
        let (mut flagged, mut parts) = (0, 0);
        for k in 1..=100 {
            let report = sim.step();
            assert!(report.failure().is_none());
            flagged += usize::from(report.status == StepStatus::NotConverged);
            parts = parts.max(report.parts);
            assert!((sim.state().t - 5e-3 * f64::from(k)).abs() < 1e-12);
        }
        (flagged, parts, sim.energy().total())
    };
    let (mut plain, mut mended) = (0, 0);
    for iterations in [4, 6, 8, 10] {
        let ((flagged, one, _), (still, more, energy)) = (run(0, iterations), run(4, iterations));
        assert!(one == 1 && flagged > 0, "{flagged} steps did not converge in {iterations}");
        assert!((2..=16).contains(&more) && energy < G * 4.0, "{more} parts, {energy} J");
        (plain, mended) = (plain + flagged, mended + still);
    }
    assert!(mended < plain, "{mended} for {plain}");
}

/// Cubes without weight that meet again and again, under a solver that may iterate once from the impulses of the step
/// before: a step that does not converge adds no kinetic energy.
#[test]
fn steps_that_do_not_converge_add_no_energy() {
    let mut c = weightless();
    for side in [-1.0, 1.0] {
        let pose = Pose::from_translation(vec3(0.0, 0.0, 0.6 * side));
        c.fixed(
            format!("wall {side}"),
            Shape::Box { half: vec3(1.0, 1.0, 0.1) },
            pose,
            rough(0.5),
            UNCOLOURED,
        )
        .unwrap();
    }
    for i in 0..4 {
        let pose = Pose::from_translation(vec3(0.01 * f64::from(i), 0.0, 0.201 * (f64::from(i) - 1.5)));
        let (shape, mass) = (Shape::Box { half: vec3(0.1, 0.1, 0.1) }, 10.0_f64.powi(-i));
        let cube = FreeBody::new(format!("cube {i}"), shape, mass, pose);
        let velocity = vec3(0.5 * f64::from(i), 0.1, 1.0 - f64::from(i));
        c.body(FreeBody { material: rough(0.5), velocity, ..cube }).unwrap();
    }
    let (world, state) = c.finish();
    let stepper = StepperParams { adaptive: 0, baumgarte: 0.0, ..StepperParams::default() };
    let settings = Settings {
        contact: "ncp-pgs-accelerated".to_owned(),
        max_iterations: 1,
        stepper,
        ..Settings::default()
    };
    let mut sim = Simulation::new(world, state, settings).unwrap();
    let (mut before, mut flagged) = (sim.energy().kinetic, 0);
    for _ in 0..200 {
        let report = sim.step();
        let kinetic = sim.energy().kinetic;
        if report.flagged() {
            assert!(report.failure().is_none() && kinetic <= before * (1.0 + 1e-12), "{before} {kinetic}");
            flagged += 1;
        }
        before = kinetic;
    }
    assert!(flagged >= 10, "{flagged} steps did not converge");
}

/// Cubes of 0.1 g and of a thousand tonnes on each other: rounding hides what is left to find, steps say so or, where it is
/// more than 1e-6 m/s, are flagged, and what is applied obeys the law all the same.
#[test]
fn what_rounding_hides_is_applied_as_it_is() {
    let mut c = on_ground(0.5, 0.0);
    for (i, mass) in [0.1, 1e-4, 1e6].into_iter().enumerate() {
        let at = Pose::from_translation(vec3(0.01 * i as f64, 0.0, 0.1 + 0.2 * i as f64));
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        let body = FreeBody::new(format!("cube {i}"), shape, mass, at);
        c.body(FreeBody { material: rough(0.5), ..body }).unwrap();
    }
    let mut sim = simulation(c, StepperParams { dt: 2e-3, ..StepperParams::default() }, 1000);
    let (mut rounding, mut worst, mut deepest) = (0, 0.0_f64, 0.0);
    for _ in 0..50 {
        let report = sim.step();
        let natural_map = sim.certificate().natural_map;
        assert!(report.flagged() || natural_map <= CERTIFIED, "{report:?}, {natural_map} m/s");
        rounding += usize::from(report.status == StepStatus::Rounding);
        deepest = report.penetration;
        worst = worst.max(natural_map);
    }
    assert!(rounding > 0 && worst < 1e-4 && deepest < 1e-6, "{rounding}, {worst} m/s, {deepest} m");
}

/// A runner on a rail lies in a wall beside it, 2 cm deep, and two walls press a second one from both sides: nothing can
/// part them. A box that lies in the floor comes out all the same, and the runners stay where they are.
#[test]
fn what_cannot_part_keeps_nothing_else_in() {
    let mut b = runners();
    let link = b.link("box", None, Pose::from_translation(vec3(3.0, 0.0, 0.05)), solid());
    b.joint(link, JointSpec::new("free", JointKind::Free, Vec3::Z));
    let mut world = World::new("rails", b.build(vec3(0.0, 0.0, -G)).unwrap());
    (0..3).for_each(|link| add(&mut world, Some(link), Pose::IDENTITY, CUBE));
    add(&mut world, None, Pose::IDENTITY, Shape::Plane);
    for y in [0.18, 1.82, 2.18] {
        add(&mut world, None, Pose::from_translation(vec3(0.0, y, 1.0)), CUBE);
    }
    let state = State::neutral(&world.model);
    let mut run = Run::of(world, state, "auto", 2e-3);
    run.steps(500);
    let q = &run.sim.state().q;
    assert!(q[0].abs() < 1e-6 && q[1].abs() < 1e-6, "{q:?}");
    assert!((q[4] - 0.1).abs() < 2e-5, "{q:?}");
    run.assert_exact();
}

/// Walls press two runners from both ends of their rails, and a coupling wants them 10 µm from where they are: no velocity
/// does. It has its way in the positions alone, and each step has an answer, the first by a second solve.
#[test]
fn couplings_of_what_cannot_move_have_answers() {
    let mut world = World::new("rails", runners().build(Vec3::ZERO).unwrap());
    (0..2).for_each(|link| add(&mut world, Some(link), Pose::IDENTITY, CUBE));
    for (x, y) in [(0.18, 0.0), (-0.18, 0.0), (0.18, 2.0), (-0.18, 2.0)] {
        add(&mut world, None, Pose::from_translation(vec3(x, y, 1.0)), CUBE);
    }
    let terms = vec![(0, 1.0), (1, -1.0)];
    world.couplings.push(Coupling { name: "rod".into(), terms, offset: 1e-5, curve: None });
    let state = State::neutral(&world.model);
    let mut run = Run::of(world, state, "auto", 2e-3);
    run.steps(1);
    let first = run.sim.state().clone();
    assert!(first.v.iter().all(|v| v.abs() < 1e-8), "{first:?}");
    run.steps(500);
    let q = &run.sim.state().q;
    assert!((q[0] - q[1] - 1e-5).abs() < 1e-10 && (q[0] + q[1]).abs() < 1e-8, "{q:?}");
    assert!(run.sim.energy().kinetic < 1e-15, "{}", run.sim.energy().kinetic);
    run.assert_exact();
}

const CUBE: Shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };

fn solid() -> Inertia {
    Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(1e-2, 1e-2, 1e-2))
}

/// Two bodies on rails along x, 1 m above the floor and 2 m apart.
fn runners() -> ModelBuilder {
    let mut b = ModelBuilder::new();
    for (name, y) in [("a", 0.0), ("b", 2.0)] {
        let link = b.link(name, None, Pose::from_translation(vec3(0.0, y, 1.0)), solid());
        b.joint(link, JointSpec::new(format!("rail {name}"), JointKind::Slide, Vec3::X));
    }
    b
}

/// A shape that touches those of bodies if it is the world's, and the other way round.
fn add(world: &mut World, link: Option<usize>, pose: Pose, shape: Shape) {
    let (group, mask) = if link.is_some() { (1, 2) } else { (2, 1) };
    world.geometries.push(Geometry { group, mask, ..geometry(link, pose, shape, rough(0.5)) });
}
