//! Seams: what slides over flush tiles slides as on one floor, and steps, walls and rims stay what they are.

use super::worlds::{G, Run, rough};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::path::Path;
use std::sync::Arc;
use stiction::collision::{ConvexMesh, HeightField, Shape, TriangleMesh};
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};
use stiction::models::{LoadOptions, load_str};
use stiction::{Composer, FreeBody, Settings, Simulation, Sleep, State, StepperParams, UNCOLOURED};

const MU: f64 = 0.1;
const V: f64 = 2.0;
/// Where sliders start and for how long they slide: over the seam at x = 0 [m, s].
const START: f64 = -0.21;
const TIME: f64 = 0.6;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(vec3(x, y, z))
}

/// A box from x = `from` to `to`, its top at z = `top`.
fn tile(from: f64, to: f64, top: f64) -> (Shape, Pose) {
    let half = vec3(0.5 * (to - from), 1.0, 0.1);
    (Shape::Box { half }, at(0.5 * (from + to), 0.0, top - 0.1))
}

fn hull(points: impl IntoIterator<Item = Vec3>) -> Shape {
    Shape::Convex(Arc::new(ConvexMesh::from_points(&points.into_iter().collect::<Vec<_>>()).unwrap()))
}

/// A prism of n sides about z.
fn prism(n: usize, radius: f64, half: f64) -> Shape {
    let rim = |k: usize| TAU * k as f64 / n as f64;
    hull((0..n).flat_map(|k| [half, -half].map(|z| vec3(radius * rim(k).cos(), radius * rim(k).sin(), z))))
}

/// Shapes that stand on z = 0.05 m below their origin, and their turn.
fn sliders() -> Vec<(&'static str, Shape, Quat)> {
    let lying = |axis: Vec3| Quat::from_axis_angle(axis, FRAC_PI_2);
    let long = Shape::Capsule { radius: 0.05, half_length: 0.08 };
    vec![
        ("box", Shape::Box { half: vec3(0.1, 0.1, 0.05) }, Quat::IDENTITY),
        ("turned box", Shape::Box { half: vec3(0.1, 0.1, 0.05) }, Quat::from_axis_angle(Vec3::Z, 0.5)),
        ("can", Shape::Cylinder { radius: 0.05, half_length: 0.05 }, Quat::IDENTITY),
        ("hull", prism(7, 0.06, 0.05), Quat::IDENTITY),
        ("cone", Shape::Cone { radius: 0.06, half_height: 0.05 }, Quat::IDENTITY),
        ("capsule ahead", long.clone(), lying(Vec3::Y)),
        ("capsule across", long, lying(Vec3::X)),
        ("ball", Shape::Sphere { radius: 0.05 }, Quat::IDENTITY),
    ]
}

/// One body of 1 kg on fixed shapes.
fn slide(ground: &[(Shape, Pose)], shape: &Shape, pose: Pose, velocity: Vec3, mu: f64, dt: f64) -> Run {
    let mut c = Composer::new("seams", vec3(0.0, 0.0, -G)).unwrap();
    for (k, (shape, pose)) in ground.iter().enumerate() {
        c.fixed(format!("ground {k}"), shape.clone(), *pose, rough(mu), UNCOLOURED).unwrap();
    }
    let body = FreeBody::new("slider", shape.clone(), 1.0, pose);
    c.body(FreeBody { velocity, material: rough(mu), ..body }).unwrap();
    Run::new(c, "auto", dt)
}

/// What a slide came to.
struct Slide {
    x: f64,
    v: Vec3,
    /// Largest change of height and largest vertical speed [m, m/s].
    lift: f64,
    bump: f64,
}

fn follow(mut run: Run, dt: f64) -> Slide {
    let z = run.position(0).z;
    let (mut lift, mut bump) = (0.0_f64, 0.0_f64);
    for _ in 0..(TIME / dt).round() as usize {
        run.step();
        lift = lift.max((run.position(0).z - z).abs());
        bump = bump.max(run.velocity(0).z.abs());
    }
    run.assert_exact();
    Slide { x: run.position(0).x, v: run.velocity(0), lift, bump }
}

/// Over the seam of two boxes that are flush, apart or one in the other, as over one.
#[test]
fn boxes_beside_each_other_are_one_floor() {
    let seams = [
        ("flush", 0.0, 0.0),
        ("higher", 0.0, 1e-6),
        ("lower", 0.0, -1e-6),
        ("apart", 1e-3, 0.0),
        ("overlapping", -1e-3, 0.0),
        ("apart and higher", 1e-3, 1e-6),
    ];
    for dt in [1e-3, 4e-3] {
        for (name, shape, turn) in sliders() {
            let pose = Pose::new(turn, vec3(START, 0.013, 0.05));
            let slide = |ground: &[_]| follow(slide(ground, &shape, pose, vec3(V, 0.0, 0.0), MU, dt), dt);
            let one = slide(&[tile(-1.0, 3.0, 0.0)]);
            for (seam, from, top) in seams {
                let two = slide(&[tile(-1.0, 0.0, 0.0), tile(from, 3.0, top)]);
                let context =
                    format!("{name}, {seam}, {dt} s: {} {} {} {}", two.x, one.x, two.lift, two.bump);
                // Balls, and capsules and cones that dip, get into gaps: by an angle of g/2r, which throws them up.
                let rolls = from > 0.0 && matches!(name, "ball" | "capsule across");
                if rolls {
                    assert!((two.x - one.x).abs() < 2e-3 && two.bump < V * 1e-3 / 0.05 * 1.5, "{context}");
                    continue;
                }
                assert!(
                    (two.x - one.x).abs() < 1e-5 && (two.v - one.v).norm() < 2e-5 + 1e-2 * top.abs() / dt,
                    "{context}"
                );
                assert!(two.lift < 1.1e-6, "{context}");
                // Up or down a micrometre in a step, at most.
                assert!(two.bump < 1e-6 + 1.1 * top.abs() / dt, "{context}");
            }
        }
    }
    // Friction alone: x = v t − ½ μ g t², to the first order in the step.
    let exact = START + V * TIME - 0.5 * MU * G * TIME * TIME;
    for dt in [1e-3, 4e-3] {
        let (_, shape, _) = &sliders()[0];
        let ground = [tile(-1.0, 0.0, 0.0), tile(0.0, 3.0, 0.0)];
        let x = follow(slide(&ground, shape, at(START, 0.0, 0.05), vec3(V, 0.0, 0.0), MU, dt), dt).x;
        assert!((x - exact).abs() < 0.51 * MU * G * TIME * dt, "{x} {exact}");
    }
}

/// Grounds of other kinds, flush at z = 0: a patch let into a plane, hulls, cylinders, a field, a sheet.
fn mixed_grounds() -> Vec<(&'static str, Vec<(Shape, Pose)>)> {
    let plane = (Shape::Plane, Pose::IDENTITY);
    let block = |x: f64| {
        let corner = |k: usize| {
            vec3(x + 0.5 * (k & 1) as f64, 2.0 * (k >> 1 & 1) as f64 - 1.0, -0.1 * (k >> 2) as f64)
        };
        (hull((0..8).map(corner)), Pose::IDENTITY)
    };
    let disc = |x: f64| (Shape::Cylinder { radius: 0.3, half_length: 0.1 }, at(x, 0.0, -0.1));
    let field = HeightField::new(3, 9, [1.0, 2.0], vec![0.0; 27], 0.1).unwrap();
    let field = (Shape::HeightField(Arc::new(field)), at(0.5, 0.0, 0.0));
    let corner = |k: u32| vec3(0.5 * f64::from(k % 5), f64::from(k / 5) * 2.0 - 1.0, 0.0);
    let strip: Vec<[u32; 3]> = (0..4).flat_map(|k| [[k, k + 1, k + 6], [k, k + 6, k + 5]]).collect();
    let sheet = TriangleMesh::new(&(0..10).map(corner).collect::<Vec<_>>(), &strip).unwrap();
    let sheet = (Shape::Mesh(Arc::new(sheet)), Pose::IDENTITY);
    vec![
        ("a patch in a plane", vec![plane.clone(), tile(0.0, 0.4, 0.0)]),
        ("a disc in a plane", vec![plane, disc(0.3)]),
        ("blocks", vec![tile(-1.0, 0.0, 0.0), block(0.0), block(0.5), block(1.0), block(1.5)]),
        ("a disc in a tile", vec![tile(-1.0, 3.0, 0.0), disc(0.4)]),
        ("a field", vec![tile(-1.0, 0.0, 0.0), field, tile(1.0, 3.0, 0.0)]),
        ("a sheet", vec![tile(-1.0, 0.0, 0.0), sheet]),
    ]
}

/// Without friction nothing may happen to what slides at 3 m/s from ground to flush ground of other kinds.
#[test]
fn ground_of_other_kinds_is_one_floor() {
    for (ground_name, ground) in mixed_grounds() {
        for (name, shape, turn) in sliders() {
            for dt in [1e-3, 4e-3] {
                let pose = Pose::new(turn, vec3(START, 0.013, 0.05));
                let v = vec3(3.0, 0.02, 0.0);
                let end = follow(slide(&ground, &shape, pose, v, 0.0, dt), dt);
                let context =
                    format!("{name} on {ground_name}, {dt} s: {:?} {} {}", end.v, end.lift, end.bump);
                assert!((end.v - v).norm() < 1e-6 && end.lift < 1e-7 && end.bump < 1e-6, "{context}");
            }
        }
    }
}

/// A body of two flush boxes, and two bodies that are welded, drawn onto a table: the seam passes its edge.
#[test]
fn seams_of_what_moves_are_none() {
    let geom = |x: f64, half: f64| {
        format!(r#"<geom type="box" size="{half} 0.1 0.05" pos="{x} 0 0" mass="1" condim="1"/>"#)
    };
    let body = |name: &str, x: f64, geoms: &str| {
        format!(r#"<body name="{name}" pos="{x} 0 0.05"><freejoint/>{geoms}</body>"#)
    };
    // The longer one, ahead, keeps both on the table.
    let one = body("a", 0.05, &(geom(-0.3, 0.3) + &geom(0.1, 0.1)));
    let two = body("a", -0.25, &geom(0.0, 0.3)) + &body("b", 0.15, &geom(0.0, 0.1));
    let weld = r#"<equality><weld body1="a" body2="b"/></equality>"#;
    for (bodies, rest) in [(&one, ""), (&two, weld)] {
        let text = format!(
            r#"<mujoco><option gravity="0 0 -9.81"/><worldbody>
            <geom type="box" size="1 1 0.1" pos="-1 0 -0.1" condim="1"/>{bodies}</worldbody>{rest}</mujoco>"#
        );
        for dt in [1e-3, 4e-3] {
            let world =
                load_str(&text, Path::new("seam.xml"), Path::new("."), &LoadOptions::default()).unwrap();
            let mut state = State::neutral(&world.model);
            for v in state.v.chunks_mut(6) {
                v[0] = -V;
            }
            let mut run = Run::of(world, state, "auto", dt);
            let x = run.position(0).x;
            run.steps((0.3 / dt).round() as usize);
            let (p, v) = (run.position(0), run.velocity(0));
            assert!(
                (v + vec3(V, 0.0, 0.0)).norm() < 1e-5 && (p.x - x + 0.3 * V).abs() < 1e-5,
                "{dt} {v:?} {p:?}"
            );
            assert!((p.z - 0.05).abs() < 1e-6, "{p:?}");
        }
    }
}

/// Steps of a millimetre and more stop a box at once, and throw up a ball as its angle to their edge says.
#[test]
fn real_steps_stop_what_hits_them() {
    for dt in [1e-3, 4e-3] {
        for step in [1e-3, 2e-3, 5e-3] {
            let ground = [tile(-1.0, 0.0, 0.0), tile(0.0, 3.0, step)];
            let (_, shape, _) = &sliders()[0];
            let end = follow(slide(&ground, shape, at(START, 0.0, 0.05), vec3(V, 0.0, 0.0), MU, dt), dt);
            assert!(end.x < -0.05 && end.lift > 1e-2, "{step} {dt}: {} {}", end.x, end.lift);
            let down = [tile(-1.0, 0.0, 0.0), tile(0.0, 3.0, -step)];
            let end = follow(slide(&down, shape, at(START, 0.0, 0.05), vec3(V, 0.0, 0.0), MU, dt), dt);
            assert!((end.x - 0.813).abs() < 5e-3 && (end.lift - step).abs() < 1e-5, "{step} {dt}: {}", end.x);
        }
    }
}

/// A box driven into the corner of a tiled floor and a wall on the seam stays there; a ball rolls off the last tile.
#[test]
fn walls_and_rims_stay() {
    for dt in [1e-3, 4e-3] {
        let wall = (Shape::Box { half: vec3(0.1, 1.0, 0.3) }, at(0.1, 0.0, 0.3));
        let room = [tile(-1.0, 0.0, 0.0), tile(0.0, 1.0, 0.0), wall];
        for (name, shape, turn) in sliders() {
            let pose = Pose::new(turn, vec3(START, 0.0, 0.05));
            let mut run = slide(&room, &shape, pose, vec3(V, 0.0, 0.0), MU, dt);
            let mut farthest = f64::NEG_INFINITY;
            for _ in 0..(TIME / dt).round() as usize {
                run.step();
                farthest = farthest.max(run.position(0).x);
            }
            let p = run.position(0);
            assert!(
                farthest < if name == "cone" { -0.02 } else { -0.045 } && p.z > 0.0499 && p.z < 0.2,
                "{name} {dt}: {farthest} {p:?}"
            );
        }
        let rim = [tile(-1.0, 0.0, 0.0), tile(0.0, 0.3, 0.0)];
        let ball = Shape::Sphere { radius: 0.05 };
        let fall =
            |ground: &[_]| follow(slide(ground, &ball, at(START, 0.0, 0.05), vec3(V, 0.0, 0.0), MU, dt), dt);
        let (two, one) = (fall(&rim), fall(&[tile(-1.0, 0.3, 0.0)]));
        assert!(one.lift > 0.1 && (two.x - one.x).abs() < 1e-6 && (two.lift - one.lift).abs() < 1e-6);
    }
}

/// What is swept, too: a box at 20 m/s over flush tiles, and into a wall on them.
#[test]
fn fast_bodies_pass_seams_but_not_walls() {
    for (wall, expected) in [(false, START + 20.0 * 0.2 - 0.5 * MU * G * 0.04), (true, 0.9)] {
        let mut c = Composer::new("fast", vec3(0.0, 0.0, -G)).unwrap();
        let mut ground = vec![tile(-1.0, 0.0, 0.0), tile(0.0, 1.0, 0.0), tile(1.0, 9.0, 0.0)];
        ground.extend(wall.then(|| (Shape::Box { half: vec3(0.01, 1.0, 0.3) }, at(1.01, 0.0, 0.3))));
        for (k, (shape, pose)) in ground.into_iter().enumerate() {
            c.fixed(format!("ground {k}"), shape, pose, rough(MU), UNCOLOURED).unwrap();
        }
        let body = FreeBody::new("slider", sliders()[0].1.clone(), 1.0, at(START, 0.0, 0.05));
        c.body(FreeBody { velocity: vec3(20.0, 0.0, 0.0), material: rough(MU), ..body }).unwrap();
        let (world, state) = c.finish();
        let stepper =
            StepperParams { dt: 4e-3, continuous: true, sleep: Sleep::Off, ..StepperParams::default() };
        let mut sim = Simulation::new(world, state, Settings { stepper, ..Settings::default() }).unwrap();
        let mut most = f64::NEG_INFINITY;
        for _ in 0..50 {
            assert!(sim.step().failure().is_none());
            most = most.max(sim.state().q[0]);
        }
        let limit = if wall { 1e-3 } else { 1e-2 };
        assert!((most - expected).abs() < limit, "{most} {expected}");
    }
}
