//! Every query against a witness that does not share its mathematics.

use super::*;
use crate::collider::Collider;
use crate::pairs::testing::{Lcg, every_shape, surfaces};
use crate::world::CollisionWorld;
use stiction_dynamics::spatial::{Pose, vec3};

fn all_shapes() -> Vec<Shape> {
    every_shape().into_iter().chain(surfaces()).collect()
}

/// For a convex body d(p) = max { n·p − h(n) } over unit n, inside and outside: here climbed from
/// the gradient found and from random directions.
#[test]
fn distance_of_a_point_is_the_largest_height_over_support_planes() {
    let mut random = Lcg::new(101);
    for shape in every_shape().iter().skip(1) {
        for k in 0..60 {
            let p = random.vector() * [0.05, 0.15, 0.5][k % 3];
            let (d, m) = shape.signed_distance(p);
            assert!((m.norm() - 1.0).abs() < 1e-12);
            let over = |n: Vec3| n.dot(p - shape.support(n));
            let (mut n, mut best, mut step) = (m, over(m), 0.5);
            while step > 1e-7 {
                let tries = (0..24).map(|_| (n + random.unit() * step).normalized().unwrap());
                match tries.map(|n| (over(n), n)).max_by(|p, q| p.0.total_cmp(&q.0)) {
                    Some((value, better)) if value > best => (best, n) = (value, better),
                    _ => step *= 0.5,
                }
            }
            assert!((d - best).abs() < 1e-9, "{} {p:?} {d} {best}", shape.name());
            assert_eq!(shape.contains(p), d <= 0.0);
        }
    }
}

/// Along the gradient the distance grows as the way, and the nearest point has none.
#[test]
fn gradients_are_those_of_the_distance() {
    let mut random = Lcg::new(102);
    for shape in all_shapes() {
        for _ in 0..60 {
            let p = random.vector() * 0.3;
            let (d, m) = shape.signed_distance(p);
            let h = 1e-7;
            let ahead = shape.signed_distance(p + m * h).0;
            assert!((ahead - d - h).abs() < 1e-9, "{} {p:?}", shape.name());
            assert!(shape.signed_distance(p - m * d).0.abs() < 1e-9, "{} {p:?} {d}", shape.name());
        }
    }
}

/// A ray changes sides where it says it does, and nowhere else: by the signed distance along it. A
/// hit is where the distance vanishes, and its normal is the gradient there.
#[test]
fn rays_cross_where_the_distance_vanishes() {
    let mut random = Lcg::new(103);
    for shape in all_shapes() {
        let solid = !matches!(&shape, Shape::Mesh(m) if !m.is_closed());
        let mut crossed = 0;
        for k in 0..150 {
            let X = random.pose(0.3);
            let origin = random.vector() * [0.05, 0.4][k % 2];
            let target = X.transform(random.vector() * 0.08);
            let Some(d) = (target - origin).normalized() else { continue };
            let ray = Ray { origin, direction: d * 3.0, limit: 1.5 };
            let at = |t: f64| shape.signed_distance(X.inverse_transform(origin + d * t)).0;
            let mut hits = Vec::new();
            shape.ray_all(&X, &ray, &mut hits);
            let first = shape.ray_first(&X, &ray);
            assert_eq!(first.map(|h| h.distance), hits.first().map(|h| h.distance), "{}", shape.name());
            for hit in &hits {
                assert!(at(hit.distance).abs() < 1e-9, "{} {hit:?} {}", shape.name(), at(hit.distance));
                assert!((hit.point - origin - d * hit.distance).norm() < 1e-12);
                if solid && hit.normal.dot(d).abs() > 1e-3 {
                    let (before, after) = (at(hit.distance - 1e-8), at(hit.distance + 1e-8));
                    assert!((after - before) * hit.normal.dot(d) > 0.0, "{} {hit:?}", shape.name());
                }
            }
            // The side between two crossings is one side.
            let mut inside = solid && at(0.0) < 0.0;
            let mut from = 0.0;
            for to in hits.iter().map(|h| h.distance).chain([1.5]) {
                for j in 1..8 {
                    let t = from + (to - from) * f64::from(j) / 8.0;
                    let d = at(t);
                    assert!(
                        d.abs() < 1e-7 || !solid || (d < 0.0) == inside,
                        "{} {t} {d} {hits:?}",
                        shape.name()
                    );
                }
                (from, inside) = (to, !inside);
            }
            crossed += usize::from(!hits.is_empty());
        }
        assert!(crossed > 40, "{} {crossed}", shape.name());
    }
}

#[test]
fn rays_without_direction_or_place_hit_nothing() {
    let ball = Shape::Sphere { radius: 1.0 };
    let ray = Ray { origin: Vec3::ZERO, direction: Vec3::X, limit: f64::INFINITY };
    assert_eq!(ball.ray_first(&Pose::IDENTITY, &ray).map(|h| h.distance), Some(1.0));
    for ray in [
        Ray { direction: Vec3::ZERO, ..ray },
        Ray { origin: vec3(f64::NAN, 0.0, 0.0), ..ray },
        Ray { direction: vec3(f64::INFINITY, 0.0, 0.0), ..ray },
        Ray { limit: f64::NAN, ..ray },
        Ray { limit: 0.5, ..ray },
    ] {
        assert!(
            all_shapes()
                .iter()
                .skip(1)
                .all(|s| s.ray_first(&Pose::IDENTITY, &ray).is_none() || ray.limit == 0.5)
        );
        assert!(ball.ray_first(&Pose::IDENTITY, &ray).is_none());
    }
}

/// The least distance of many points of A from B bounds that of A from above, and no less than the
/// sum of their spacing; apart, the closest points are on both.
#[test]
fn distances_join_points_of_both_surfaces() {
    let mut random = Lcg::new(104);
    let shapes = all_shapes();
    for a in &shapes {
        for b in &shapes {
            for k in 0..6 {
                let (X_WA, X_WB) = (random.pose(0.1), random.pose([0.1, 0.5, 3.0][k % 3]));
                let Some(found) = distance(a, &X_WA, b, &X_WB, f64::INFINITY) else {
                    assert!(
                        matches!((a, b), (Shape::Plane, Shape::Plane)) || !b.is_convex() && !a.is_convex(),
                        "{} {}",
                        a.name(),
                        b.name()
                    );
                    continue;
                };
                assert!((found.on_b - found.on_a - found.normal * found.distance).norm() < 1e-12);
                if found.distance > 1e-6 {
                    let (p, q) = (X_WA.inverse_transform(found.on_a), X_WB.inverse_transform(found.on_b));
                    let off = a.signed_distance(p).0.abs().max(b.signed_distance(q).0.abs());
                    assert!(off < 2e-5 + 1e-4 * found.distance, "{} {} {off} {found:?}", a.name(), b.name());
                    // From the closest point of one, the other is no nearer.
                    let back = b.signed_distance(X_WB.inverse_transform(found.on_a)).0;
                    assert!(
                        (back - found.distance).abs() < 2e-5,
                        "{} {} {back} {found:?}",
                        a.name(),
                        b.name()
                    );
                    assert!(!overlaps(a, &X_WA, b, &X_WB));
                    assert!(distance(a, &X_WA, b, &X_WB, 0.9 * found.distance).is_none());
                }
            }
        }
    }
}

/// A world answers as all of its colliders one by one.
#[test]
fn the_world_is_all_of_its_colliders() {
    let mut random = Lcg::new(105);
    let shapes = all_shapes();
    let colliders: Vec<Collider> = (0..40)
        .map(|i| Collider { shape: shapes[1 + i % (shapes.len() - 1)].clone(), owner: i, group: 1, mask: 1 })
        .collect();
    let world = CollisionWorld::new(colliders.clone(), &[], |_| false).unwrap();
    let poses: Vec<Pose> = (0..40).map(|_| random.pose(1.0)).collect();
    let odd = |i: usize, _: &Collider| i % 2 == 1;
    let (mut hits, mut near) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        let ray = Ray { origin: random.vector(), direction: random.unit(), limit: 5.0 };
        world.ray_all(&poses, &ray, odd, &mut hits);
        let first = world.ray_first(&poses, &ray, odd);
        assert_eq!(first.map(|h| h.hit.distance), hits.first().map(|h| h.hit.distance));
        assert!(
            hits.iter().all(|h| h.collider % 2 == 1)
                && hits.is_sorted_by(|a, b| a.hit.distance <= b.hit.distance)
        );

        let (probe, X) = (Shape::Sphere { radius: 0.2 }, random.pose(1.0));
        let single = |i: usize| {
            distance(&probe, &X, &colliders[i].shape, &poses[i], 10.0).map_or(f64::INFINITY, |d| d.distance)
        };
        let expected = (0..40).filter(|i| i % 2 == 1).map(single).fold(f64::INFINITY, f64::min);
        let found = world.nearest(&poses, &probe, &X, 10.0, odd).unwrap();
        // Once the probe overlaps something, what is left to find overlaps, too.
        assert!(
            (found.distance.distance - expected).abs() < 1e-6
                || expected < 0.0 && found.distance.distance < 0.0
        );
        assert!((single(found.collider) - found.distance.distance).abs() < 1e-9);
        world.overlapping(&poses, &probe, &X, odd, &mut near);
        assert_eq!(near, (0..40).filter(|i| i % 2 == 1 && single(*i) <= 0.0).collect::<Vec<_>>());
    }
}
