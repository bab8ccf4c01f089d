//! Contact surfaces against closed forms, quadrature, and one another.

use super::field::Field;
use super::*;
use crate::convex::ConvexMesh;
use crate::manifold::Manifold;
use crate::narrow::collide;
use crate::pairs::testing::{Lcg, every_shape};
use crate::shape::Shape;
use std::f64::consts::PI;
use stiction_dynamics::spatial::{Force, Pose, Quat, Vec3, vec3};

const E: f64 = 1e6;

fn soft(shape: &Shape, edge: f64) -> PressureGeometry {
    PressureGeometry::compliant(shape, E, Some(edge), Some(0.1)).unwrap()
}

fn hard(shape: &Shape, edge: f64) -> PressureGeometry {
    PressureGeometry::rigid(shape, Some(edge)).unwrap()
}

fn patch(a: (&PressureGeometry, &Pose), b: (&PressureGeometry, &Pose)) -> PressurePatch {
    let mut out = PressurePatch::default();
    pressure_patch(a, b, &mut PressureScratch::default(), &mut out);
    out
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Quat::IDENTITY, vec3(x, y, z))
}

/// Force of a ball whose pressure is E (1 − ‖x‖/r), cut by a plane at the depth d: ∫ p dA by hand.
fn ball_on_plane(r: f64, d: f64) -> f64 {
    let c = r - d;
    2.0 * PI * E * (0.5 * (r * r - c * c) - (r.powi(3) - c.powi(3)) / (3.0 * r))
}

/// Cells fill the shape once, and the pressure is the extent of the module's table.
#[test]
fn fields_are_what_their_table_says() {
    let mut random = Lcg::new(7);
    for shape in every_shape().iter().skip(1).take(8) {
        let edge = 0.1 * shape.size();
        let field = Field::new(shape, E, edge).unwrap();
        let inner = 0.93;
        let (mut inside, mut covered) = (0, 0);
        for _ in 0..300 {
            let x = random.vector() * shape.bounding_radius();
            // Scaled about the origin, which all of these hold: the surfaces of round ones are not quite theirs.
            let expected = extent(shape, x);
            let (p, cells) = field.at(x);
            if let Some(expected) = expected {
                assert!(
                    (p / E - expected.max(0.0)).abs() < 0.03,
                    "{} at {x:?}: {p} {expected}",
                    shape.name()
                );
                if expected > 1.0 - inner {
                    inside += 1;
                    covered += usize::from(cells == 1);
                }
            } else {
                assert!(cells <= 1);
                inside += usize::from(cells == 1);
                covered += usize::from(cells == 1);
            }
        }
        assert!(inside > 20 && covered == inside, "{}: {covered} of {inside}", shape.name());
    }
}

/// The extent of a shape whose formula is known; negative outside.
fn extent(shape: &Shape, x: Vec3) -> Option<f64> {
    let across = x.x.hypot(x.y);
    Some(match shape {
        Shape::Sphere { radius } => 1.0 - x.norm() / radius,
        Shape::Box { half } => {
            let depth = (half.x - x.x.abs()).min(half.y - x.y.abs()).min(half.z - x.z.abs());
            depth / half.x.min(half.y).min(half.z)
        }
        Shape::Capsule { radius, half_length } => {
            let z = x.z - x.z.clamp(-half_length, *half_length);
            1.0 - across.hypot(z) / radius
        }
        Shape::Cylinder { radius, half_length } => {
            (radius - across).min(half_length - x.z.abs()) / radius.min(*half_length)
        }
        Shape::Ellipsoid { radii } => 1.0 - vec3(x.x / radii.x, x.y / radii.y, x.z / radii.z).norm(),
        Shape::Cone { radius: r, half_height: h } => {
            let slant = (2.0 * h).hypot(*r);
            let depth = (x.z + h).min(((h - x.z) * r - across * 2.0 * h) / slant);
            depth / (2.0 * h * r / (r + slant))
        }
        _ => return None,
    })
}

/// A ball on a rigid half-space, at any orientation, against the integral in closed form: within a thousandth at edges of a
/// fortieth of the radius, at depths from a twentieth to half of it; and the moment about the centre vanishes.
#[test]
fn a_ball_on_a_half_space_is_the_integral() {
    let (r, edge) = (0.1, 0.1 / 40.0);
    let ball = soft(&Shape::Sphere { radius: r }, edge);
    let ground = hard(&Shape::Plane, edge);
    let (mut random, mut worst) = (Lcg::new(11), 0.0_f64);
    for depth in [0.005, 0.01, 0.02, 0.05] {
        for _ in 0..3 {
            let pose = Pose::new(random.rotation(), vec3(0.3, -0.2, r - depth));
            let found = patch((&ground, &Pose::IDENTITY), (&ball, &pose));
            let (force, expected) = (found.wrench(pose.translation), ball_on_plane(r, depth));
            worst = worst.max((force.linear.z / expected - 1.0).abs());
            assert!(force.linear.x.hypot(force.linear.y) < 1e-12 * expected);
            assert!(force.angular.norm() < 1e-3 * expected * r);
            for e in found.elements() {
                assert!(e.centroid.z.abs() < 1e-12 && (e.normal - Vec3::Z).norm() < 1e-12);
            }
        }
    }
    assert!(worst < 1e-3, "{worst}");
    println!("worst error of the force {worst:.1e}");
}

/// The error falls with the square of the edge length.
#[test]
fn a_ball_converges() {
    let ground = hard(&Shape::Plane, 0.01);
    let mut random = Lcg::new(2);
    let mut errors = Vec::new();
    for edge in [0.02, 0.01, 0.005] {
        let ball = soft(&Shape::Sphere { radius: 0.1 }, edge);
        let mut sum = 0.0;
        for _ in 0..20 {
            let pose = Pose::new(random.rotation(), vec3(0.0, 0.0, 0.08));
            let force = patch((&ground, &Pose::IDENTITY), (&ball, &pose)).wrench(Vec3::ZERO).linear.z;
            sum += (force / ball_on_plane(0.1, 0.02) - 1.0).powi(2);
        }
        errors.push((sum / 20.0_f64).sqrt());
    }
    assert!(errors[0] > 9.0 * errors[2], "{errors:?}");
}

/// Two equal balls press each other as each presses a wall between them.
#[test]
fn two_balls_meet_in_the_middle() {
    let ball = soft(&Shape::Sphere { radius: 0.1 }, 0.005);
    let (a, b) = (at(0.0, 0.0, 0.0), at(0.0, 0.0, 0.18));
    let found = patch((&ball, &a), (&ball, &b));
    let expected = ball_on_plane(0.1, 0.01);
    let force = found.wrench(Vec3::ZERO).linear;
    assert!((force.z / expected - 1.0).abs() < 5e-3 && force.x.hypot(force.y) < 1e-3 * expected, "{force:?}");
    assert!(found.elements().iter().all(|e| (e.centroid.z - 0.09).abs() < 1e-3));
}

/// A box on a half-space: the pressure E min(δ, distance from the rim)/m over the face is a frustum.
#[test]
fn a_box_on_a_half_space_is_exact() {
    let half = vec3(0.1, 0.07, 0.05);
    let ground = hard(&Shape::Plane, 1.0);
    for edge in [1.0, 0.03] {
        let solid = soft(&Shape::Box { half }, edge);
        for depth in [1e-4, 1e-3, 0.01, 0.04] {
            let face = |s: f64| 4.0 * (half.x - s) * (half.y - s);
            let frustum = depth / 6.0 * (face(0.0) + 4.0 * face(0.5 * depth) + face(depth));
            let expected = E / half.z * frustum;
            let found = patch((&ground, &Pose::IDENTITY), (&solid, &at(0.0, 0.0, half.z - depth)));
            let wrench = found.wrench(Vec3::ZERO);
            assert!(
                (wrench.linear.z / expected - 1.0).abs() < 1e-12,
                "{edge} {depth}: {wrench:?} {expected}"
            );
            assert!(
                wrench.angular.norm() < 1e-12 * expected && (found.area() / face(0.0) - 1.0).abs() < 1e-12
            );
        }
    }
}

/// Force and moment of tilted solids against quadrature of the pressure over the plane.
#[test]
fn tilted_solids_are_their_quadrature() {
    let ground = hard(&Shape::Plane, 1.0);
    let shapes = [
        (Shape::Box { half: vec3(0.1, 0.07, 0.05) }, 1e-4),
        (Shape::Cylinder { radius: 0.08, half_length: 0.05 }, 1e-3),
        (Shape::Capsule { radius: 0.06, half_length: 0.1 }, 3e-3),
        (Shape::Ellipsoid { radii: vec3(0.1, 0.06, 0.14) }, 3e-3),
    ];
    for (shape, tolerance) in shapes {
        let solid = soft(&shape, 0.004);
        for tilt in [0.02, 0.3, 1.2] {
            let R = Quat::from_axis_angle(vec3(0.6, 0.8, 0.0), tilt);
            let low = R.rotate(shape.support(R.conjugate().rotate(-Vec3::Z))).z;
            let pose = Pose::new(R, vec3(0.0, 0.0, -low - 0.012));
            let wrench = patch((&ground, &Pose::IDENTITY), (&solid, &pose)).wrench(Vec3::ZERO);
            let (n, side) = (600, 0.2);
            let step = 2.0 * side / n as f64;
            let mut sum = Force::new(Vec3::ZERO, Vec3::ZERO);
            for i in 0..n * n {
                let x = vec3((i % n) as f64 * step, (i / n) as f64 * step, 0.0)
                    + vec3(0.5 * step - side, 0.5 * step - side, 0.0);
                let p = E * extent(&shape, pose.inverse_transform(x)).unwrap().max(0.0);
                sum += Force::at(x, Vec3::Z * (p * step * step));
            }
            let error = (wrench.linear - sum.linear).norm() / sum.linear.norm();
            let moment = (wrench.angular - sum.angular).norm() / sum.linear.norm();
            println!("{} at {tilt}: force within {error:.1e}, its place within {moment:.1e} m", shape.name());
            assert!(error < tolerance, "{} at {tilt}: {error}", shape.name());
            assert!(moment < tolerance * 0.1, "{} at {tilt}: {moment} m", shape.name());
        }
    }
}

/// The patch of (B, A) is that of (A, B) with opposite normals, to the bit; and moves with the two.
#[test]
fn exchange_flips_and_motion_moves() {
    let shapes = every_shape();
    let mut random = Lcg::new(3);
    let mut met = 0;
    for (i, first) in shapes.iter().enumerate() {
        for second in shapes.iter().skip(i) {
            if matches!((first, second), (Shape::Plane, Shape::Plane)) {
                continue;
            }
            let (f, g) = (soft(first, 0.05), soft(second, 0.04));
            for other in [g, hard(second, 0.04)] {
                let (X, mut Y) = (random.pose(0.01), random.pose(0.01));
                Y.translation += random.unit() * 0.1;
                let (ab, ba) = (patch((&f, &X), (&other, &Y)), patch((&other, &Y), (&f, &X)));
                assert_eq!(ab.elements().len(), ba.elements().len());
                met += usize::from(!ab.elements().is_empty());
                for (p, q) in ab.elements().iter().zip(ba.elements()) {
                    assert_eq!(
                        (p.normal, p.area, p.pressure, p.slope),
                        (-q.normal, q.area, q.pressure, q.slope)
                    );
                    assert_eq!(p.center_of_pressure, q.center_of_pressure);
                }
                let by = random.pose(1.0);
                let moved = patch((&f, &(by * X)), (&other, &(by * Y))).wrench(by.translation);
                let before = ab.wrench(Vec3::ZERO);
                let size = ab.elements().iter().map(|e| e.area * e.pressure).sum::<f64>() + 1e-9;
                let turned = |x: Vec3| by.rotation.rotate(x);
                assert!((turned(before.linear) - moved.linear).norm() < 1e-9 * size);
                assert!((turned(before.angular) - moved.angular).norm() < 1e-9 * size);
            }
        }
    }
    assert!(met > 60, "{met}");
}

/// Where two balls, a ball and a box, two boxes and a box and a rigid box move past each other, no step changes force or
/// moment by more than a bound that goes with the step.
#[test]
fn forces_are_continuous() {
    let (ball, cube) = (Shape::Sphere { radius: 0.1 }, Shape::Box { half: vec3(0.1, 0.08, 0.06) });
    let (s, c) = (soft(&ball, 0.03), soft(&cube, 0.05));
    let (rigid, R) = (hard(&cube, 0.05), Quat::from_axis_angle(vec3(0.0, 0.6, 0.8), 0.4));
    for (a, b) in [(&s, &s), (&s, &c), (&c, &c), (&c, &rigid), (&s, &rigid)] {
        let jump = |steps: usize| {
            let mut last: Option<Force> = None;
            let (mut largest, mut most) = (0.0_f64, 0.0_f64);
            for k in 0..=steps {
                let t = k as f64 / steps as f64;
                let pose = Pose::new(R, vec3(0.14 - 0.06 * t, 0.03 * t, 0.11 - 0.02 * t));
                let wrench = patch((a, &Pose::IDENTITY), (b, &pose)).wrench(Vec3::ZERO);
                if let Some(last) = last {
                    largest = largest.max((wrench.linear - last.linear).norm());
                    largest = largest.max((wrench.angular - last.angular).norm() / 0.1);
                }
                most = most.max(wrench.linear.norm());
                last = Some(wrench);
            }
            (largest, most)
        };
        let ((coarse, most), (fine, _)) = (jump(50), jump(400));
        assert!(most > 1.0 && fine < 0.2 * coarse && fine < 0.02 * most, "{coarse} {fine} of {most}");
    }
}

/// Two boxes overlap at an edge, and one slides past the depth at which the least overlap changes its axis: the normal of contact
/// points turns by a right angle at once, the force of pressures changes little by little.
#[test]
fn where_normals_of_boxes_jump_pressure_does_not() {
    let half = vec3(0.1, 0.1, 0.1);
    let cube = Shape::Box { half };
    let solid = soft(&cube, 0.1);
    let (mut turn, mut change, mut most) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut last: Option<(Vec3, Vec3)> = None;
    let n = 400;
    for k in 0..=n {
        // Overlaps: 0.02 along z, and along x from 0.01 to 0.03.
        let pose = at(0.19 - 0.02 * k as f64 / n as f64, 0.0, 0.18);
        let mut manifold = Manifold::new(0, 1);
        collide(&cube, &Pose::IDENTITY, &cube, &pose, 0.0, &mut manifold);
        let force = patch((&solid, &Pose::IDENTITY), (&solid, &pose)).wrench(Vec3::ZERO).linear;
        if let Some((normal, before)) = last {
            turn = turn.max(normal.dot(manifold.normal).clamp(-1.0, 1.0).acos());
            change = change.max((force - before).norm());
        }
        most = most.max(force.norm());
        last = Some((manifold.normal, force));
    }
    println!(
        "the normal turns by {turn:.3} rad in a step, the force changes by {:.2e} of its largest",
        change / most
    );
    assert!(turn > 1.5, "the normals of points: {turn}");
    assert!(most > 10.0 && change < 0.02 * most, "{change} of {most}");
}

/// A stiff partner is a rigid one, and a half-space that yields shares the pressure with what lies on it.
#[test]
fn pressures_are_in_series() {
    let (ball, cube) = (Shape::Sphere { radius: 0.1 }, Shape::Box { half: vec3(0.1, 0.1, 0.1) });
    let s = soft(&ball, 0.02);
    let (stiff, rigid) =
        (PressureGeometry::compliant(&cube, 1e6 * E, Some(0.1), None).unwrap(), hard(&cube, 0.1));
    let pose = at(0.01, 0.02, 0.17);
    let of = |g: &PressureGeometry| patch((g, &Pose::IDENTITY), (&s, &pose)).wrench(Vec3::ZERO).linear;
    assert!((of(&stiff) - of(&rigid)).norm() < 1e-4 * of(&rigid).norm(), "{:?} {:?}", of(&stiff), of(&rigid));
    // A box of half side m on a layer of the thickness m, of one modulus: half the pressure of a rigid layer, but at the rim.
    let (b, layer) = (soft(&cube, 0.1), soft(&Shape::Plane, 0.1));
    let pressed =
        patch((&layer, &Pose::IDENTITY), (&b, &at(0.0, 0.0, 0.1 - 1e-4))).wrench(Vec3::ZERO).linear.z;
    let expected = E / 0.1 * 0.5e-4 * 0.04;
    assert!((pressed / expected - 1.0).abs() < 2e-3, "{pressed} {expected}");
    let sum: f64 = {
        let patch = patch((&layer, &Pose::IDENTITY), (&b, &at(0.0, 0.0, 0.1 - 1e-4)));
        patch.elements().iter().map(|e| e.stiffness()).sum()
    };
    // The stiffness k = A g is that of the force: dF/dδ.
    assert!((sum * 1e-4 / pressed - 1.0).abs() < 4e-3, "{sum}");
}

/// A rigid box in a yielding half-space, and a mesh of it: ρ g V of Archimedes with ρ g = E/t.
#[test]
fn a_rigid_box_floats_on_a_layer() {
    let half = vec3(0.1, 0.07, 0.05);
    let layer = soft(&Shape::Plane, 1.0);
    let mut random = Lcg::new(9);
    for _ in 0..10 {
        let b = hard(&Shape::Box { half }, 0.02);
        let axis = vec3(random.symmetric(), random.symmetric(), 0.0).normalized().unwrap();
        let pose = Pose::new(Quat::from_axis_angle(axis, 0.15 * random.symmetric()), vec3(0.0, 0.0, 0.02));
        let wrench = patch((&layer, &Pose::IDENTITY), (&b, &pose)).wrench(Vec3::ZERO);
        // The volume below, from points.
        let (n, mut below) = (100, 0);
        for i in 0..n * n * n {
            let u = |k: usize| 2.0 * (k as f64 + 0.5) / n as f64 - 1.0;
            let x = vec3(half.x * u(i % n), half.y * u(i / n % n), half.z * u(i / n / n));
            below += usize::from(pose.transform(x).z < 0.0);
        }
        let volume = 8.0 * half.x * half.y * half.z * below as f64 / (n * n * n) as f64;
        let lifted = wrench.linear * (1.0 / (E / 0.1 * volume));
        assert!((lifted - Vec3::Z).norm() < 3e-3, "{lifted:?}");
    }
}

/// The hull of a box's corners is as soft as the box, flat and askew; cells of any hull fill it, and pressures are of the nearest face.
#[test]
fn a_hull_is_as_soft_as_its_shape() {
    let half = vec3(0.1, 0.07, 0.03);
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { 1.0 } else { -1.0 };
        vec3(half.x * sign(0), half.y * sign(1), half.z * sign(2))
    };
    let points: Vec<Vec3> = (0..8).map(corner).collect();
    let hull = Shape::Convex(ConvexMesh::from_points(&points).unwrap().into());
    let ground = hard(&Shape::Plane, 1.0);
    let (mut random, mut worst) = (Lcg::new(12), 0.0_f64);
    for k in 0..40 {
        let q = if k == 0 { Quat::IDENTITY } else { random.rotation() };
        let shape = Shape::Box { half };
        let low = q.rotate(shape.support(q.conjugate().rotate(-Vec3::Z))).z;
        let pose = Pose::new(q, vec3(0.0, 0.0, -low - 0.012));
        let [a, b] = [&shape, &hull].map(|s| {
            let pressed = patch((&ground, &Pose::IDENTITY), (&soft(s, 0.05), &pose));
            pressed.wrench(pose.translation)
        });
        worst = worst.max((a.linear - b.linear).norm() / a.linear.norm());
        worst = worst.max((a.angular - b.angular).norm() / (0.1 * a.linear.norm()));
    }
    println!("worst difference of force and moment of a box and its hull {worst:.1e}");
    assert!(worst < 1e-6, "{worst}");

    for count in [6, 12, 40, 150] {
        let points: Vec<Vec3> = (0..count).map(|_| random.vector()).collect();
        let mesh = ConvexMesh::from_points(&points).unwrap();
        let field = Field::new(&Shape::Convex(mesh.clone().into()), E, 0.5).unwrap();
        let (mut inside, mut deepest) = (0, 0.0_f64);
        for _ in 0..400 {
            let x = random.vector();
            let depth = mesh.faces().iter().fold(f64::INFINITY, |d, f| d.min(f.offset - f.normal.dot(x)));
            let (p, cells) = field.at(x);
            assert_eq!(cells, usize::from(depth > 0.0), "{count} points: {depth}");
            if depth > 0.0 {
                inside += 1;
                deepest = deepest.max(p);
                assert!((p * deepest_of(&mesh, &field) / (E * depth) - 1.0).abs() < 1e-9, "{p} {depth}");
            }
        }
        assert!(inside > 10 && deepest <= E * (1.0 + 1e-12), "{inside} {deepest}");
    }
}

/// The depth at which the field of a hull is at its modulus.
fn deepest_of(mesh: &ConvexMesh, field: &Field) -> f64 {
    let c = mesh.center();
    let depth = mesh.faces().iter().fold(f64::INFINITY, |d, f| d.min(f.offset - f.normal.dot(c)));
    E * depth / field.at(c).0
}

/// The four points carry force and moment of the patch, and are at least as stiff against sinking.
#[test]
fn four_points_carry_the_patch() {
    let ground = hard(&Shape::Plane, 1.0);
    let mut random = Lcg::new(4);
    let mut seen = 0;
    for shape in every_shape().iter().skip(1) {
        let solid = soft(shape, 0.02);
        for _ in 0..10 {
            let R = random.rotation();
            let low = R.rotate(shape.support(R.conjugate().rotate(-Vec3::Z))).z;
            let pose = Pose::new(R, vec3(0.2, 0.1, -low - 0.01));
            let whole = patch((&ground, &Pose::IDENTITY), (&solid, &pose));
            let (mut points, about) = (Vec::new(), vec3(0.1, 0.0, 0.3));
            representative_points(&whole, &mut points);
            assert_eq!(points.len(), 4);
            let mut sum = Force::new(Vec3::ZERO, Vec3::ZERO);
            points
                .iter()
                .for_each(|p| sum += Force::at(p.position - about, p.normal * (-p.gap * p.stiffness)));
            let expected = whole.wrench(about);
            let size = expected.linear.norm();
            assert!((sum.linear - expected.linear).norm() < 1e-12 * size);
            assert!((sum.angular - expected.angular).norm() < 1e-12 * size);
            let stiffness: f64 = whole.elements().iter().map(|e| e.stiffness()).sum();
            let ratio = 4.0 * points[0].stiffness / stiffness;
            assert!((1.0 - 1e-12..2.0).contains(&ratio), "{}: {ratio}", shape.name());
            seen += 1;
        }
    }
    assert_eq!(seen, 90);
    let mut none = Vec::new();
    representative_points(&PressurePatch::default(), &mut none);
    assert!(none.is_empty());
}

/// Friction of the four points holds back what spins as friction over the area does, μ ∫ p r dA: of a ball and of the face of a
/// cylinder in closed form, of what lies askew by its polygons in small parts.
#[test]
fn four_points_resist_spinning_as_the_area_does() {
    let ground = hard(&Shape::Plane, 1.0);
    let of_points = |whole: &PressurePatch| {
        let mut points = Vec::new();
        representative_points(whole, &mut points);
        let c = points.iter().fold(Vec3::ZERO, |c, p| c + p.position * 0.25);
        let torque: f64 = points.iter().map(|p| -p.gap * p.stiffness * (p.position - c).norm()).sum();
        (torque, c, points[0].normal)
    };
    // p = E (1 − √(c² + x²)/r) over a circle of the radius R.
    let (r, d) = (0.1_f64, 0.01);
    let c = r - d;
    let R = (r * r - c * c).sqrt();
    let root = R * (2.0 * R * R + c * c) * r / 8.0 - c.powi(4) / 8.0 * (R / c).asinh();
    let expected = 2.0 * PI * E * (R.powi(3) / 3.0 - root / r);
    let ball = soft(&Shape::Sphere { radius: r }, 0.002);
    let (torque, ..) = of_points(&patch((&ground, &Pose::IDENTITY), (&ball, &at(0.0, 0.0, c))));
    println!("ball: {torque} N m, {expected}");
    assert!((torque / expected - 1.0).abs() < 5e-3, "ball: {torque} {expected}");
    // Uniform pressure: ⅔ of the radius.
    let can = Shape::Cylinder { radius: 0.1, half_length: 0.05 };
    let whole = patch((&ground, &Pose::IDENTITY), (&soft(&can, 0.01), &at(0.0, 0.0, 0.05 - 1e-4)));
    let expected = 2.0 / 3.0 * 0.1 * whole.wrench(Vec3::ZERO).linear.norm();
    let (torque, ..) = of_points(&whole);
    println!("can: {torque} N m, {expected}");
    assert!((torque / expected - 1.0).abs() < 5e-3, "can: {torque} {expected}");

    let mut random = Lcg::new(6);
    for shape in every_shape().iter().skip(1) {
        let solid = soft(shape, 0.02);
        for _ in 0..4 {
            let q = random.rotation();
            let low = q.rotate(shape.support(q.conjugate().rotate(-Vec3::Z))).z;
            let pose = Pose::new(q, vec3(0.2, 0.1, -low - 0.01));
            let whole = patch((&ground, &Pose::IDENTITY), (&solid, &pose));
            let (torque, c, n) = of_points(&whole);
            let mut expected = 0.0;
            for e in whole.elements() {
                let (corners, pressures) = whole.corners(e);
                for k in 1..corners.len() - 1 {
                    let [x, y, z] = [0, k, k + 1].map(|i| corners[i]);
                    let [p, q, s] = [0, k, k + 1].map(|i| pressures[i]);
                    let area = 0.5 * (y - x).cross(z - x).norm();
                    let parts = 12;
                    // Centres of the small triangles, those that stand and those that hang.
                    for (i, j, third) in (0..parts)
                        .flat_map(|i| (0..parts - i).map(move |j| (i, j)))
                        .flat_map(|(i, j)| [(i, j, 1.0), (i, j, 2.0)])
                        .filter(|(i, j, third)| *third < 1.5 || i + j < parts - 1)
                    {
                        let [a, b] = [i, j].map(|i| (f64::from(i) + third / 3.0) / f64::from(parts));
                        let (at, p) = (x + (y - x) * a + (z - x) * b, p + (q - p) * a + (s - p) * b);
                        let d = at - c;
                        expected += p * area / f64::from(parts * parts) * (d - n * n.dot(d)).norm();
                    }
                }
            }
            assert!((torque / expected - 1.0).abs() < 0.02, "{}: {torque} {expected}", shape.name());
        }
    }
}

/// Numbers that no field can be made of are refused with their names.
#[test]
fn bad_numbers_are_named() {
    let ball = Shape::Sphere { radius: 0.1 };
    let text = |r: Result<PressureGeometry, _>| match r {
        Err(e) => crate::error::ShapeError::to_string(&e),
        Ok(_) => String::new(),
    };
    assert!(text(PressureGeometry::compliant(&ball, -1.0, None, None)).contains("modulus is -1"));
    assert!(text(PressureGeometry::compliant(&ball, f64::NAN, None, None)).contains("NaN"));
    assert!(text(PressureGeometry::compliant(&ball, E, Some(1e-9), None)).contains("resolution"));
    assert!(text(PressureGeometry::compliant(&ball, E, Some(2e-4), None)).contains("at most"));
    assert!(text(PressureGeometry::compliant(&Shape::Plane, E, None, None)).contains("thickness"));
    for surface in crate::pairs::testing::surfaces() {
        assert!(text(PressureGeometry::compliant(&surface, E, None, None)).contains("not convex"));
        assert!(PressureGeometry::rigid(&surface, None).is_ok());
    }
}
