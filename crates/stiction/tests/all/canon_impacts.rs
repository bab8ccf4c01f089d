//! Laws of restitution under event-driven stepping: closed forms of balls, and no law makes energy where friction reverses the slip.

#![allow(clippy::unwrap_used, non_snake_case)]

use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, ModelBuilder};
use stiction::world::{Geometry, Material, World};
use stiction::{RestitutionLaw, Settings, Simulation, State, StepperName, StepperParams};

const LAWS: [RestitutionLaw; 3] = [RestitutionLaw::Newton, RestitutionLaw::Poisson, RestitutionLaw::Stronge];

fn settings(law: RestitutionLaw, dt: f64) -> Settings {
    let method = StepperName::of("event-driven").unwrap();
    let mut stepper = StepperParams { method, dt, ..StepperParams::default() };
    stepper.canon.event_driven.restitution = law;
    Settings { stepper, tolerance: 1e-12, ..Settings::default() }
}

fn geometry(name: &str, link: Option<usize>, shape: Shape, pose: Pose, material: Material) -> Geometry {
    Geometry {
        name: name.to_owned(),
        link,
        X_LG: pose,
        shape,
        material,
        continuous: false,
        group: 1,
        mask: 1,
        rgba: [0.5; 4],
    }
}

/// A ball of radius 0.1 m with the moment of inertia `share` m r², that touches the ground.
fn ball(share: f64, surface: Material) -> World {
    let r = 0.1;
    let mut builder = ModelBuilder::new();
    let moment = share * 2.0 * r * r;
    let inertia = Inertia::new(2.0, Vec3::ZERO, Sym3::diagonal(moment, moment, moment));
    let link = builder.link("ball", None, Pose::IDENTITY, inertia);
    builder.joint(link, JointSpec::free("free"));
    let mut world = World::new("ball", builder.build(Vec3::ZERO).unwrap());
    world.geometries.push(geometry("ground", None, Shape::Plane, Pose::IDENTITY, surface));
    let sphere = Shape::Sphere { radius: r };
    world.geometries.push(geometry("ball", Some(link), sphere, Pose::IDENTITY, surface));
    world
}

/// Hollow (I = ⅔ m r²) and solid (⅖ m r²) balls: where friction holds, x' = (3 x − 2 r θ)/5 and (5 x − 2 r θ)/7; else it takes
/// μ (1 + e) v_N. The three laws agree, for nothing couples normal and tangent.
#[test]
fn balls_leave_by_their_closed_forms() {
    let (x, w, down, r, e) = (0.7, -11.0, 2.0, 0.1, 0.6);
    for law in LAWS {
        for (share, mu) in [(2.0 / 3.0, 5.0), (0.4, 5.0), (2.0 / 3.0, 0.1), (0.4, 0.1)] {
            let surface = Material { friction: mu, restitution: e, ..Material::default() };
            let world = ball(share, surface);
            let mut state = State::neutral(&world.model);
            state.q[2] = r;
            state.v.copy_from_slice(&[x, 0.0, -down, 0.0, w, 0.0]);
            let mut sim = Simulation::new(world, state, settings(law, 1e-3)).unwrap();
            let report = sim.step();
            assert!(!report.flagged(), "{report:?}");
            // The slip of the lowest point is x − r θ' with θ' about +y.
            let slip = x - r * w;
            let holds = -slip / (1.0 + 1.0 / share);
            let most = mu * (1.0 + e) * down;
            let kick = if holds.abs() <= most { holds } else { -most * slip.signum() };
            let expected = [x + kick, 0.0, e * down, 0.0, w - kick / (share * r), 0.0];
            for (v, expected) in sim.state().v.iter().zip(expected) {
                assert!(
                    (v - expected).abs() < 1e-9,
                    "{law:?} {share} {mu}: {:?} {expected:?}",
                    sim.state().v
                );
            }
        }
    }
}

/// Two bars of 1 m and 1 kg that hang from a hinge and end in a small ball; the ground lies below the tip.
fn pendulum([first, second]: [f64; 2], surface: Material) -> World {
    let r = 1e-3;
    let mut builder = ModelBuilder::new();
    let bar = Inertia::new(1.0, vec3(0.0, 0.0, -0.5), Sym3::diagonal(1.0 / 12.0, 1.0 / 12.0, 1e-3));
    let upper = builder.link("upper", None, Pose::IDENTITY, bar);
    let at = Pose::from_translation(vec3(0.0, 0.0, -1.0));
    let lower = builder.link("lower", Some(upper), at, bar);
    for (link, name) in [(upper, "shoulder"), (lower, "elbow")] {
        builder.joint(link, JointSpec::new(name, JointKind::Hinge, Vec3::Y));
    }
    let mut world = World::new("pendulum", builder.build(Vec3::ZERO).unwrap());
    let down = -(first.cos() + (first + second).cos()) - r;
    let plane = Pose::from_translation(vec3(0.0, 0.0, down));
    world.geometries.push(geometry("ground", None, Shape::Plane, plane, surface));
    world.geometries.push(geometry("tip", Some(lower), Shape::Sphere { radius: r }, at, surface));
    world
}

/// M and the rows (x, z) of J at the lowest point of the tip.
fn kane([a, b]: [f64; 2]) -> ([[f64; 2]; 2], [[f64; 2]; 2]) {
    let r = 1e-3;
    let (i, c) = (1.0 / 3.0, b.cos());
    let mass = [[2.0 * i + 1.0 + c, i + 0.5 * c], [i + 0.5 * c, i]];
    // A hinge about +y turns −z towards −x.
    let x = [-(a.cos() + (a + b).cos()) - r, -(a + b).cos() - r];
    let z = [a.sin() + (a + b).sin(), (a + b).sin()];
    (mass, [x, z])
}

/// G, and the velocity of the tip.
fn seen_by_the_tip(q: [f64; 2], v: [f64; 2]) -> ([[f64; 2]; 2], [f64; 2]) {
    let (m, j) = kane(q);
    let d = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let solve = |b: [f64; 2]| [(m[1][1] * b[0] - m[0][1] * b[1]) / d, (m[0][0] * b[1] - m[1][0] * b[0]) / d];
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let g = [0, 1].map(|i| [0, 1].map(|k| dot(j[i], solve(j[k]))));
    (g, [dot(j[0], v), dot(j[1], v)])
}

/// Newton's law with Coulomb's of the end of the impact: the impulses (x, z), sticking if the cone allows.
fn newton(g: [[f64; 2]; 2], c: [f64; 2], [mu, e]: [f64; 2]) -> [f64; 2] {
    let d = g[0][0] * g[1][1] - g[0][1] * g[1][0];
    let wanted = [-c[0], -(1.0 + e) * c[1]];
    let stick =
        [(g[1][1] * wanted[0] - g[0][1] * wanted[1]) / d, (g[0][0] * wanted[1] - g[1][0] * wanted[0]) / d];
    if stick[0].abs() <= mu * stick[1] {
        return stick;
    }
    for sign in [1.0, -1.0] {
        let normal = wanted[1] / (g[1][1] - sign * mu * g[1][0]);
        let slip = c[0] + normal * (g[0][1] - sign * mu * g[0][0]);
        if normal > 0.0 && slip * sign >= 0.0 {
            return [-sign * mu * normal, normal];
        }
    }
    panic!("no impulse")
}

/// Kane's paradox: where Newton's law makes energy, no law does here; the tip leaves the ground, and Newton's takes less of its restitution.
#[test]
fn no_law_makes_energy_where_newtons_would() {
    let (q, v, coefficients) = ([0.35, 0.5], [-0.2, -2.0], [0.5, 0.9]);
    let (mut paradoxes, mut tried) = (0, 0);
    for k in 0..12 {
        let q = [q[0], q[1] + 0.05 * f64::from(k)];
        let (g, c) = seen_by_the_tip(q, v);
        if c[1] >= 0.0 {
            continue;
        }
        tried += 1;
        let p = newton(g, c, coefficients);
        let after = [0, 1].map(|i| c[i] + g[i][0] * p[0] + g[i][1] * p[1]);
        let gained = 0.5 * (p[0] * (c[0] + after[0]) + p[1] * (c[1] + after[1]));
        let surface =
            Material { friction: coefficients[0], restitution: coefficients[1], ..Material::default() };
        for law in LAWS {
            let world = pendulum(q, surface);
            let state = State { t: 0.0, q: q.to_vec(), v: v.to_vec() };
            let mut sim = Simulation::new(world, state, settings(law, 1e-7)).unwrap();
            let start = sim.energy().total();
            let report = sim.step();
            assert!(report.failure().is_none(), "{report:?}");
            let change = sim.energy().total() - start;
            assert!(change <= 1e-8 * start, "{law:?} at {q:?}: {change} J of {start} J");
            let velocity = seen_by_the_tip(q, [sim.state().v[0], sim.state().v[1]]).1;
            // The rows turn by some 1e-7 in the step.
            assert!(velocity[1] > -1e-6, "{law:?} at {q:?}: {velocity:?}");
            if law == RestitutionLaw::Newton {
                let told = report.remedy.map_or("", |r| r.name());
                assert_eq!(told == "less-restitution", gained > 1e-8 * start, "{q:?}: {gained} J, {told}");
                paradoxes += usize::from(gained > 1e-8 * start);
                if gained <= 0.0 {
                    assert!((velocity[1] - after[1]).abs() < 1e-5, "{velocity:?} {after:?}");
                }
            }
        }
    }
    assert!(paradoxes >= 2 && tried > paradoxes, "{paradoxes} of {tried}");
}

/// A box that falls flat on its four corners leaves at e times its speed by every law.
#[test]
fn a_box_on_four_corners_bounces_flat() {
    for law in LAWS {
        let surface = Material { friction: 0.4, restitution: 0.5, ..Material::default() };
        let mut world = ball(0.4, surface);
        world.geometries[1].shape = Shape::Box { half: vec3(0.2, 0.3, 0.1) };
        let mut state = State::neutral(&world.model);
        state.q[2] = 0.1;
        state.v[2] = -1.0;
        let mut sim = Simulation::new(world, state, settings(law, 1e-3)).unwrap();
        let report = sim.step();
        assert!(!report.flagged(), "{report:?}");
        let v = &sim.state().v;
        let tolerance = if law == RestitutionLaw::Stronge { 2e-3 } else { 1e-9 };
        assert!((v[2] - 0.5).abs() < tolerance, "{law:?}: {v:?}");
        assert!([0, 1, 3, 4, 5].iter().all(|i| v[*i].abs() < 1e-6), "{law:?}: {v:?}");
    }
}
