//! `moreau` beside another program's runs of the same method: the tutorials of Siconos, at their θ, e and h.
//!
//! The runs are third-party data; without them the tests say so and check nothing.

#![allow(clippy::unwrap_used, non_snake_case)]

use std::collections::HashMap;
use std::path::PathBuf;
use stiction::assembly::Face;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Motion, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, Kinematics, Model, ModelBuilder};
use stiction::stepping::ContactSource;
use stiction::world::{Geometry, Material, World};
use stiction::{
    Composer, ContactPoint, FreeBody, Settings, Simulation, State, StepperName, StepperParams, ThetaForces,
};

/// Columns of a run by name.
struct Table(HashMap<String, Vec<f64>>);

impl Table {
    /// `None`, told loudly, where the data are absent.
    fn load(name: &str) -> Option<Self> {
        let data = std::env::var_os("STICTION_DATA").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
            PathBuf::from,
        );
        let path = data.join("siconos_trajectories").join(name);
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("SKIPPED: there is no {}; set STICTION_DATA", path.display());
            return None;
        };
        let mut lines = text.lines();
        let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        for line in lines.filter(|line| !line.is_empty()) {
            for (column, word) in columns.iter_mut().zip(line.split(',')) {
                column.push(word.parse().unwrap());
            }
        }
        Some(Self(names.into_iter().zip(columns).collect()))
    }

    fn at(&self, column: &str, row: usize) -> f64 {
        self.0[column][row]
    }

    fn rows(&self) -> usize {
        self.0["t"].len()
    }
}

/// The form that Siconos has, linearised once a step.
fn settings(dt: f64) -> Settings {
    let method = StepperName::of("moreau").unwrap();
    let mut stepper = StepperParams { method, dt, ..StepperParams::default() };
    (stepper.canon.moreau.forces, stepper.canon.moreau.newton) = (ThetaForces::Ends, 1);
    Settings { stepper, tolerance: 1e-14, ..Settings::default() }
}

/// A ball on a plane.
fn ball(restitution: f64, height: f64, velocity: Vec3) -> (World, State) {
    let mut scene = Composer::new("ball", vec3(0.0, 0.0, -9.81)).unwrap();
    let surface = Material { restitution, friction: 0.0, ..Material::default() };
    scene.fixed("ground", Shape::Plane, Pose::IDENTITY, surface, stiction::UNCOLOURED).unwrap();
    let pose = Pose::from_translation(vec3(0.0, 0.0, height));
    let ball = FreeBody::new("ball", Shape::Sphere { radius: 0.1 }, 1.0, pose);
    scene.body(FreeBody { material: surface, velocity, ..ball }).unwrap();
    scene.finish()
}

/// Heights, velocities and impulses of a run against the columns `z`, `v` and `impulse`, largest difference of each.
fn compare_ball(
    run: &Table,
    rows: usize,
    sim: &mut Simulation,
    rest: f64,
    [z, v, impulse]: [&str; 3],
) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    for row in 1..rows {
        sim.step();
        let pressed: f64 = sim.impulses().iter().sum();
        let ours = [sim.state().q[2] - rest, sim.state().v[2], pressed];
        for ((worst, ours), column) in worst.iter_mut().zip(ours).zip([z, v, impulse]) {
            *worst = worst.max((ours - run.at(column, row)).abs());
        }
    }
    worst
}

/// 10 s of bouncing to rest to the twelve digits of the file. Of the rolling ball the vertical, which friction has no part in, up
/// to its second impact: there its run takes the arm of a force from the centre at the end of a step to the contact point at its
/// start, by which spin turns into normal velocity once the ball moves along.
#[test]
fn bouncing_balls_bounce_alike() {
    if let Some(run) = Table::load("bouncing_ball.csv") {
        let (world, state) = ball(0.9, 1.1, Vec3::ZERO);
        let mut sim = Simulation::new(world, state, settings(0.005)).unwrap();
        let worst = compare_ball(&run, run.rows(), &mut sim, 0.1, ["z", "vz", "lambda"]);
        assert!(worst.iter().all(|d| *d < 1e-11), "{worst:?}");
    }
    if let Some(run) = Table::load("rolling_ball.csv") {
        let impacts = |row: &usize| run.at("lambda_n", *row) > 1.0;
        let second = (1..run.rows()).filter(impacts).nth(1).unwrap();
        let (world, state) = ball(0.9, 1.0, Vec3::Z * 2.0);
        let mut sim = Simulation::new(world, state, settings(0.005)).unwrap();
        let worst = compare_ball(&run, second, &mut sim, 0.0, ["x", "vx", "lambda_n"]);
        assert!(worst.iter().all(|d| *d < 1e-11), "{worst:?}");
    }
}

/// Points of the last body that touch lines of the plane of motion, x and y.
struct Points {
    body: usize,
    /// Point in the body, normal, and the place of the line along it.
    points: Vec<(Vec3, Vec3, f64)>,
    surface: Material,
}

impl ContactSource for Points {
    fn find(&mut self, _: &World, kin: &Kinematics, _: &[Motion], _: f64, out: &mut Vec<ContactPoint>) {
        for (k, &(point, n, place)) in self.points.iter().enumerate() {
            let position = kin.X_WB[self.body].transform(point);
            let gap = n.dot(position) - place;
            out.push(ContactPoint {
                geometries: [0, 1],
                bodies: [None, Some(self.body)],
                feature: k as u32,
                position,
                t1: Vec3::X,
                t2: n.cross(Vec3::X),
                n,
                gap,
                face: Face::of_one(gap),
                friction: self.surface.friction,
                stretch: [1.0; 2],
                restitution: self.surface.restitution,
                bounce_depth: 0.0,
                turning: [0.0; 3],
                spring: None,
                patch: None,
                static_friction: None,
                redundant: false,
            });
        }
    }
}

/// A world of `model` with a geometry of the world and one of the last link, neither of which touches anything.
fn world_of(model: Model) -> World {
    let mut world = World::new("planar", model);
    let last = world.model.links.len() - 1;
    for (name, link) in [("line", None), ("points", Some(last))] {
        world.geometries.push(Geometry {
            name: name.to_owned(),
            link,
            X_LG: Pose::IDENTITY,
            shape: Shape::Sphere { radius: 1e-3 },
            material: Material::default(),
            group: 0,
            mask: 0,
            continuous: false,
            rgba: [1.0; 4],
        });
    }
    world
}

/// A bar of mass m and moment of inertia J about z through its centre, which is at `com`.
fn bar(m: f64, com: Vec3, J: f64) -> Inertia {
    Inertia::new(m, com, Sym3::diagonal(0.5 * J, 0.5 * J, J))
}

/// The stick that slides and bounces at e = 1 and μ = 0.01: 0.2 s with both of its impacts.
#[test]
fn a_stick_bounces_alike() {
    let Some(run) = Table::load("impacting_stick.csv") else { return };
    let mut builder = ModelBuilder::new();
    let stick = builder.link("stick", None, Pose::IDENTITY, bar(1.0, Vec3::ZERO, 1.0 / 12.0));
    builder.joint(stick, JointSpec::new("x", JointKind::Slide, Vec3::X));
    builder.joint(stick, JointSpec::new("y", JointKind::Slide, Vec3::Y));
    builder.joint(stick, JointSpec::new("angle", JointKind::Hinge, Vec3::Z));
    let world = world_of(builder.build(vec3(0.0, -10.0, 0.0)).unwrap());
    let start = |names: [&str; 3]| names.map(|n| run.at(n, 0)).to_vec();
    let mut state = State { t: 0.0, q: start(["x", "y", "th"]), v: start(["vx", "vy", "w"]) };
    let angle = std::f64::consts::FRAC_PI_4;
    state.q = vec![0.5 * angle.sin(), 0.5 * angle.cos() + 0.01, angle]; // the file has twelve digits
    let mut sim = Simulation::new(world, state, settings(1e-4)).unwrap();
    let surface = Material { friction: 0.01, restitution: 1.0, ..Material::default() };
    let points = vec![(vec3(0.0, -0.5, 0.0), Vec3::Y, 0.0)];
    assert!(sim.add_contact_source(Box::new(Points { body: 0, points, surface })));
    let (mut worst, mut impacts) = (0.0_f64, 0);
    for row in 1..run.rows() {
        sim.step();
        let ours = [&sim.state().q[..], &sim.state().v[..]].concat();
        for (ours, name) in ours.iter().zip(["x", "y", "th", "vx", "vy", "w"]) {
            worst = worst.max((ours - run.at(name, row)).abs());
        }
        let pressed = sim.impulses().get(2).copied().unwrap_or(0.0);
        worst = worst.max((pressed - run.at("lambda_n", row)).abs());
        impacts += usize::from(pressed > 0.1);
    }
    assert!(worst < 5e-11 && impacts == 2, "{worst:e}, {impacts} impacts");
}

/// The slider-crank of Flores, Leine and Glocker up to the first impact of its slider. The run is of Siconos' variant that also
/// projects positions within the step, which no reference run without it shows: from there on it is another method. The first
/// impulses differ by what the projection changes, of the order of h.
#[test]
fn a_slider_crank_turns_alike() {
    let Some(run) = Table::load("slider_crank.csv") else { return };
    let (l1, l2, a, b, c) = (0.153, 0.306, 0.05, 0.025, 0.001);
    let mut builder = ModelBuilder::new();
    let crank = builder.link("crank", None, Pose::IDENTITY, bar(0.038, Vec3::X * (0.5 * l1), 7.4e-5));
    let at = |x: f64| Pose::from_translation(Vec3::X * x);
    let rod = builder.link("rod", Some(crank), at(l1), bar(0.038, Vec3::X * (0.5 * l2), 5.9e-4));
    let slider = builder.link("slider", Some(rod), at(l2), bar(0.076, Vec3::ZERO, 2.7e-6));
    for (link, name) in [(crank, "crank"), (rod, "rod"), (slider, "slider")] {
        builder.joint(link, JointSpec::new(name, JointKind::Hinge, Vec3::Z));
    }
    let world = world_of(builder.build(vec3(0.0, -9.81, 0.0)).unwrap());
    // Joint angles are relative, those of the file absolute.
    let state = State { t: 0.0, q: vec![0.0; 3], v: vec![150.0, -225.0, 75.0] };
    let mut sim = Simulation::new(world, state, settings(1e-4)).unwrap();
    let surface = Material { friction: 0.01, restitution: 0.4, ..Material::default() };
    let corner = |x: f64, y: f64| (vec3(x, y, 0.0), Vec3::Y * -y.signum(), -(b + c));
    let points = vec![corner(-a, b), corner(a, b), corner(-a, -b), corner(a, -b)];
    assert!(sim.add_contact_source(Box::new(Points { body: 2, points, surface })));
    let first = (1..run.rows()).find(|&row| run.at("lambda1", row) > 0.0).unwrap();
    assert_eq!(first, 28);
    for row in 1..=first {
        sim.step();
        let (q, v) = (&sim.state().q, &sim.state().v);
        let ours = [
            ("crank_rev", q[0] / std::f64::consts::TAU),
            ("th2", q[0] + q[1]),
            ("th3", q[0] + q[1] + q[2]),
            ("w1", v[0]),
            ("w2", v[0] + v[1]),
            ("w3", v[0] + v[1] + v[2]),
        ];
        if row < first {
            for (name, ours) in ours {
                let theirs = run.at(name, row);
                assert!(
                    (ours - theirs).abs() < 1e-11 * theirs.abs().max(1e2),
                    "{row} {name}: {ours} {theirs}"
                );
            }
        } else {
            let pressed: f64 = sim.impulses().iter().skip(2).step_by(3).sum();
            let theirs = run.at("lambda1", row) + run.at("lambda2", row);
            assert!((pressed - theirs).abs() < 0.04 * theirs, "{pressed} N s, {theirs} N s");
        }
    }
}
