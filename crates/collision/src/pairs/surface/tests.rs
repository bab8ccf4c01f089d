//! Surfaces against everything: the hull of a convex mesh, brute force, themselves.

use super::*;
use crate::convex::ConvexMesh;
use crate::mesh::TriangleMesh;
use crate::narrow::{collide, collide_all};
use crate::pairs::testing::{Lcg, every_shape, grid_mesh, mesh_of_field, prism, surfaces, torus, waves};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use stiction_dynamics::spatial::{Quat, vec3};

fn contacts(a: &Shape, X_WA: &Pose, b: &Shape, X_WB: &Pose, margin: f64) -> Vec<Manifold> {
    let mut out = Vec::new();
    collide_all(a, X_WA, b, X_WB, margin, &mut out);
    out
}

fn deepest(manifolds: &[Manifold]) -> f64 {
    manifolds.iter().filter_map(Manifold::deepest).fold(f64::INFINITY, f64::min)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(vec3(x, y, z))
}

fn mesh_of(hull: &ConvexMesh) -> Shape {
    Shape::Mesh(Arc::new(TriangleMesh::new(hull.vertices(), hull.triangles()).unwrap()))
}

/// Every kind against every other, in both orders: no pair is left out, none is unsound.
#[test]
fn the_table_of_pairs_has_no_holes() {
    let mut random = Lcg::new(81);
    let shapes: Vec<Shape> = every_shape().into_iter().chain(surfaces()).collect();
    for a in &shapes {
        for b in &shapes {
            let planes = matches!((a, b), (Shape::Plane, Shape::Plane));
            let mut met = 0;
            for _ in 0..60 {
                if met == 4 {
                    break;
                }
                let X_WA = random.pose(1.0);
                let X_WB = X_WA * random.pose(0.12);
                let there = contacts(a, &X_WA, b, &X_WB, 0.01);
                let mut back = contacts(b, &X_WB, a, &X_WA, 0.01);
                back.iter_mut().for_each(Manifold::flip);
                assert_eq!(there, back, "{} {}", a.name(), b.name());
                met += usize::from(!there.is_empty());
                let points: Vec<_> = there.iter().flat_map(|m| m.points()).collect();
                for (i, p) in points.iter().enumerate() {
                    assert!(p.gap <= 0.01 && p.gap.is_finite() && p.position.is_finite());
                    assert!(points[..i].iter().all(|q| q.feature != p.feature), "{} {}", a.name(), b.name());
                }
                assert!(
                    there.iter().all(|m| (m.normal.norm() - 1.0).abs() < 1e-12 && !m.points().is_empty())
                );
            }
            assert!(planes == (met == 0) && (planes || met > 0), "{} {}: {met}", a.name(), b.name());
        }
    }
}

/// The surface of a convex body is that body: the same depth, the same axis, whatever it meets.
#[test]
fn a_convex_mesh_is_its_hull() {
    let mut random = Lcg::new(82);
    let hulls = [
        crate::pairs::testing::box_mesh(vec3(0.1, 0.07, 0.13), Vec3::ZERO),
        prism(8, 0.1, 0.05),
        crate::pairs::testing::pebble(20, 0.1, 5),
    ];
    let (mut apart, mut shallow, mut deep) = (0, 0, 0);
    for hull in hulls {
        let (solid, mesh) = (Shape::Convex(Arc::new(hull.clone())), mesh_of(&hull));
        for b in every_shape().iter().skip(1) {
            for _ in 0..60 {
                let X_WA = random.pose(1.0);
                let X_WB = X_WA * random.pose(0.2);
                let mut expected = Manifold::new(0, 1);
                collide(&solid, &X_WA, b, &X_WB, 1.0, &mut expected);
                let gap = expected.deepest().unwrap();
                // To a chosen gap, so that touching is met often.
                let target = [0.02, 1e-3, 0.0, -1e-6, -1e-4, -2e-3][random.below(6)];
                let X_WB = Pose::new(X_WB.rotation, X_WB.translation + expected.normal * (target - gap));
                collide(&solid, &X_WA, b, &X_WB, 0.03, &mut expected);
                let gap = expected.deepest().unwrap();
                let got = contacts(&mesh, &X_WA, b, &X_WB, 0.03);
                let round = !matches!(b, Shape::Box { .. } | Shape::Convex(_) | Shape::Sphere { .. });
                // Corner on corner, the hull's axis is found on shrunk shapes: the mesh's may be better.
                let (low, high) = if round { (2e-5, 2e-5) } else { (1e-7, 1e-6) };
                let off = deepest(&got) - gap;
                assert!(off > -low && off < high, "{} {gap} {off}\n{got:?}\n{expected:?}", b.name());
                match gap {
                    g if g > 0.0 => apart += 1,
                    g if g > -1e-3 => shallow += 1,
                    _ => deep += 1,
                }
            }
        }
    }
    assert!(apart > 300 && shallow > 300 && deep > 100, "{apart} {shallow} {deep}");
}

/// A box slides and turns over a floor of 800 triangles: the contact is that of one big face.
#[test]
fn no_edge_of_a_flat_floor_is_felt() {
    let mut random = Lcg::new(83);
    let floor = Shape::Mesh(Arc::new(grid_mesh(20, 2.0, |_, _| 0.0)));
    let heights = crate::HeightField::new(21, 21, [2.0, 2.0], vec![0.0; 441], 0.1).unwrap();
    let field = Shape::HeightField(Arc::new(heights));
    let boxes = [
        Shape::Box { half: vec3(0.1, 0.15, 0.05) },
        Shape::Convex(Arc::new(prism(8, 0.15, 0.05))),
        Shape::Cylinder { radius: 0.15, half_length: 0.05 },
        mesh_of(&prism(6, 0.15, 0.05)),
    ];
    for ground in [&floor, &field] {
        for shape in &boxes {
            let mut names = Vec::new();
            for k in 0..300 {
                let t = f64::from(k) * 1e-2;
                let noise = random.vector() * 1e-10;
                let q = Quat::exp(noise) * Quat::from_axis_angle(Vec3::Z, 0.3 * t);
                let X = Pose::new(q, vec3(-0.8 + 0.5 * t, 0.02 * t, 0.05 - 1e-6) + noise);
                let m = contacts(ground, &Pose::IDENTITY, shape, &X, 1e-3);
                assert_eq!(m.len(), 1, "{} on {} {k}: {m:?}", shape.name(), ground.name());
                assert!((m[0].normal - Vec3::Z).norm() < 1e-8, "{} {k} {:?}", shape.name(), m[0]);
                assert_eq!(m[0].points().len(), 4);
                assert!(
                    m[0].points().iter().all(|p| (p.gap + 1e-6).abs() < 1e-9),
                    "{} {:?}",
                    shape.name(),
                    m[0]
                );
                let mut now: Vec<u32> = m[0].points().iter().map(|p| p.feature).collect();
                now.sort_unstable();
                names.push(now);
            }
            let changes = names.windows(2).filter(|w| w[0] != w[1]).count();
            assert!(changes <= 2, "{} on {}: {changes}", shape.name(), ground.name());
        }
    }
}

/// A field meets what the mesh of its triangles meets.
#[test]
fn a_field_is_the_mesh_of_its_triangles() {
    let field = waves();
    let mesh = Shape::Mesh(Arc::new(mesh_of_field(&field)));
    let field = Shape::HeightField(Arc::new(field));
    let mut random = Lcg::new(84);
    let mut met = 0;
    for b in every_shape().iter().skip(1) {
        for _ in 0..40 {
            let place =
                vec3(0.2 * random.symmetric(), 0.15 * random.symmetric(), 0.06 + 0.05 * random.symmetric());
            let X = Pose::new(random.rotation(), place);
            let (p, q) = (
                contacts(&field, &Pose::IDENTITY, b, &X, 0.01),
                contacts(&mesh, &Pose::IDENTITY, b, &X, 0.01),
            );
            assert_eq!(p.len(), q.len(), "{} {X:?}\n{p:?}\n{q:?}", b.name());
            assert!((deepest(&p) - deepest(&q)).abs() < 1e-12 || p.is_empty());
            met += p.len();
        }
    }
    assert!(met > 100, "{met}");
}

/// The nearest point of a ball's centre on a torus, over all its triangles.
#[test]
fn a_ball_near_a_torus_is_as_far_as_the_nearest_triangle() {
    let mesh = torus(24, 12, 0.3, 0.1);
    let nearest = |c: Vec3| {
        let of = |t: usize| {
            let [p, q, r] = mesh.corners(t);
            // Barycentric descent over a fine grid, then the corners of the cell again: plain and slow.
            let (mut u, mut v, mut step) = (1.0 / 3.0, 1.0 / 3.0, 0.4);
            let value = |u: f64, v: f64| (p * (1.0 - u - v) + q * u + r * v - c).norm();
            while step > 1e-9 {
                let moves =
                    [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step), (step, -step), (-step, step)];
                let fine = |(du, dv): &(f64, f64)| u + du >= 0.0 && v + dv >= 0.0 && u + du + v + dv <= 1.0;
                let best =
                    moves.into_iter().filter(fine).map(|(du, dv)| (value(u + du, v + dv), u + du, v + dv));
                match best.min_by(|p, q| p.0.total_cmp(&q.0)) {
                    Some((d, x, y)) if d < value(u, v) => (u, v) = (x, y),
                    _ => step *= 0.5,
                }
            }
            value(u, v)
        };
        (0..mesh.triangles().len()).map(of).fold(f64::INFINITY, f64::min)
    };
    let ball = Shape::Sphere { radius: 0.05 };
    let ring = Shape::Mesh(Arc::new(torus(24, 12, 0.3, 0.1)));
    let mut random = Lcg::new(85);
    for _ in 0..20 {
        let (s, c) = (3.0 * random.symmetric()).sin_cos();
        let p = vec3(0.3 * c, 0.3 * s, 0.0) + random.unit() * (0.12 + 0.04 * random.symmetric());
        if (p.x.hypot(p.y) - 0.3).hypot(p.z) < 0.101 {
            continue;
        }
        let got = deepest(&contacts(&ring, &Pose::IDENTITY, &ball, &at(p.x, p.y, p.z), 0.2));
        assert!((got - (nearest(p) - 0.05)).abs() < 1e-8, "{got} {}", nearest(p) - 0.05);
    }
}

/// A sheet holds a ball on either side of it, and a box on its rim.
#[test]
fn a_shell_has_two_sides() {
    let sheet = Shape::Mesh(Arc::new(grid_mesh(5, 1.0, |_, _| 0.0)));
    let ball = Shape::Sphere { radius: 0.1 };
    for side in [1.0, -1.0] {
        let m = contacts(&sheet, &Pose::IDENTITY, &ball, &at(0.12, 0.03, 0.099 * side), 0.0);
        assert_eq!((m.len(), m[0].points().len()), (1, 1));
        assert!(
            (m[0].normal - Vec3::Z * side).norm() < 1e-12 && (m[0].points()[0].gap + 0.001).abs() < 1e-12
        );
    }
    let m = contacts(&sheet, &Pose::IDENTITY, &ball, &at(0.595, 0.0, 0.0), 0.0);
    assert!((m[0].normal - Vec3::X).norm() < 1e-9 && (m[0].points()[0].gap + 0.005).abs() < 1e-9, "{m:?}");
}

/// A box across a step: it stands on the floor and leans on the wall, each with its own normal.
#[test]
fn floor_and_wall_are_two_patches() {
    let step = |x: f64, _: f64| if x > 0.0 { 0.5 * ((x * 10.0 - 1.0).clamp(0.0, 0.02) / 0.02) } else { 0.0 };
    let mesh = Shape::Mesh(Arc::new(grid_mesh(10, 1.0, step)));
    let box_ = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
    let m = contacts(&mesh, &Pose::IDENTITY, &box_, &at(-0.1, 0.03, 0.1 - 1e-5), 1e-3);
    assert!(m.iter().any(|m| (m.normal - Vec3::Z).norm() < 1e-9 && m.points().len() == 4), "{m:?}");
}

/// Two solids of triangles: a cube on a cube as two boxes, whatever the triangles.
#[test]
fn meshes_stand_on_meshes() {
    let box_ = |half: Vec3| mesh_of(&crate::pairs::testing::box_mesh(half, Vec3::ZERO));
    let (below, above) = (box_(vec3(0.5, 0.5, 0.1)), box_(vec3(0.1, 0.1, 0.1)));
    for (yaw, x) in [(0.0, 0.0), (0.3, 0.05), (0.7, -0.3)] {
        for depth in [1e-4, 1e-7, 0.0, -1e-4] {
            let X = Pose::new(Quat::from_axis_angle(Vec3::Z, yaw), vec3(x, 0.1, 0.2 - depth));
            let m = contacts(&below, &Pose::IDENTITY, &above, &X, 2e-4);
            assert_eq!((m.len(), m[0].points().len()), (1, 4), "{depth} {m:?}");
            assert!((m[0].normal - Vec3::Z).norm() < 1e-9);
            assert!(m[0].points().iter().all(|p| (p.gap + depth).abs() < 1e-9), "{depth} {m:?}");
        }
    }
    // A ring on a peg: it hangs on the inside of its hole, which its hull would have filled.
    let ring = Shape::Mesh(Arc::new(torus(32, 16, 0.2, 0.04)));
    let peg = mesh_of(&prism(32, 0.05, 0.3));
    assert!(contacts(&ring, &Pose::IDENTITY, &peg, &Pose::IDENTITY, 0.0).is_empty());
    let m = contacts(&ring, &Pose::IDENTITY, &peg, &at(0.1115, 0.0, 0.0), 0.0);
    assert!(m.iter().any(|m| m.normal.dot(-Vec3::X) > 0.99), "{m:?}");
    assert!(m.iter().all(|m| m.normal.dot(-Vec3::X) > 0.7), "{m:?}");
}

#[test]
fn meshes_and_fields_stand_on_planes() {
    let lying = Quat::from_axis_angle(Vec3::Y, FRAC_PI_2);
    for (shape, height, points) in [
        (Shape::Mesh(Arc::new(torus(32, 16, 0.2, 0.04))), 0.04, 4),
        (mesh_of(&prism(6, 0.15, 0.05)), 0.05, 4),
        (Shape::HeightField(Arc::new(waves())), 0.12, 4),
    ] {
        let low = -shape.support(-Vec3::Z).z;
        assert!((low - height).abs() < 0.03);
        let m = contacts(&Shape::Plane, &Pose::IDENTITY, &shape, &at(0.3, 0.2, low - 1e-5), 1e-3);
        assert_eq!(m[0].points().len(), points, "{}", shape.name());
        assert!(m[0].points().iter().all(|p| (p.gap + 1e-5).abs() < 1e-12));
        assert!(contacts(&Shape::Plane, &Pose::IDENTITY, &shape, &at(0.3, 0.2, low + 2e-3), 1e-3).is_empty());
        let X = Pose::new(lying, vec3(0.0, 0.0, 0.0));
        assert!(!contacts(&Shape::Plane, &Pose::IDENTITY, &shape, &X, 1e-3).is_empty());
    }
}
