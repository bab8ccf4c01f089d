//! A resting contact set is the same from step to step: as many points, of the same features, in the
//! same order and the same places.
use super::scene::{FLOORS, contacts, prism, run, standing, standing_on};
use std::f64::consts::{FRAC_PI_2, PI};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, Quat, Vec3, vec3};

/// Steps until the bodies have settled, and steps watched.
const SETTLING: usize = 500;
const WATCHED: usize = 1000;
/// From a step to the next [m]; the solver stops at 1e-10 m/s, which is 2e-13 m per step.
const SAME_PLACE: f64 = 1e-12;

/// Every shape in the poses it can rest in, with the number of points it rests on.
fn resting() -> Vec<(&'static str, Shape, Quat, f64, usize)> {
    let about = Quat::from_axis_angle;
    let lying = about(Vec3::X, FRAC_PI_2);
    let box_ = Shape::Box { half: vec3(0.1, 0.07, 0.05) };
    let capsule = Shape::Capsule { radius: 0.05, half_length: 0.1 };
    let cylinder = Shape::Cylinder { radius: 0.1, half_length: 0.05 };
    let on_side = |n: usize| lying * about(Vec3::Z, FRAC_PI_2 + PI / n as f64);
    let apothem = |n: usize| 0.1 * (PI / n as f64).cos();
    vec![
        ("sphere", Shape::Sphere { radius: 0.1 }, Quat::IDENTITY, 0.1, 1),
        ("box", box_.clone(), Quat::IDENTITY, 0.05, 4),
        ("box turned", box_.clone(), about(Vec3::Z, 0.7), 0.05, 4),
        ("box on its side", box_, about(Vec3::X, FRAC_PI_2) * about(Vec3::Z, PI), 0.07, 4),
        ("capsule", capsule, about(Vec3::Z, 0.4) * lying, 0.05, 2),
        ("cylinder", cylinder.clone(), about(Vec3::Z, 0.4), 0.05, 4),
        ("lying cylinder", cylinder, about(Vec3::Z, 0.4) * lying, 0.1, 2),
        ("hexagon", prism(6, 0.05), about(Vec3::Z, 0.2), 0.05, 4),
        ("octagon", prism(8, 0.05), about(Vec3::Z, 1.2), 0.05, 4),
        ("16-gon", prism(16, 0.05), about(Vec3::Z, 2.2), 0.05, 4),
        ("lying hexagon", prism(6, 0.05), about(Vec3::Z, 0.1) * on_side(6), apothem(6), 4),
        ("lying octagon", prism(8, 0.05), about(Vec3::Z, 0.1) * on_side(8), apothem(8), 4),
    ]
}

#[test]
fn resting_contact_sets_do_not_change() {
    for floor in FLOORS {
        let cases = resting();
        let place = |(i, (_, shape, q, height, _)): (usize, &(_, Shape, Quat, f64, usize))| {
            (shape.clone(), Pose::new(*q, vec3(i as f64, 0.37 * i as f64, height + 1e-4)))
        };
        let mut sim = standing(floor, cases.iter().enumerate().map(place).collect());
        run(&mut sim, SETTLING);
        let mut last = contacts(&mut sim);
        for (i, (name, .., points)) in cases.iter().enumerate() {
            let found = last.iter().filter(|c| c.geometries[1] == i + 1).count();
            assert_eq!(found, *points, "{name} on {floor:?}");
        }
        for k in 0..WATCHED {
            run(&mut sim, 1);
            let now = contacts(&mut sim);
            assert_eq!(now.len(), last.len(), "step {k} on {floor:?}");
            for (c, d) in last.iter().zip(&now) {
                let name = cases[c.geometries[1] - 1].0;
                let same = c.geometries == d.geometries && c.feature == d.feature;
                let moved = (d.position - c.position).norm();
                assert!(same, "{name} on {floor:?} at step {k}: {c:?} {d:?}");
                assert!(moved < SAME_PLACE, "{name} on {floor:?} at step {k} moved {moved:e} m");
                assert!((d.normal - c.normal).norm() < SAME_PLACE, "{name} on {floor:?} at step {k}");
            }
            last = now;
        }
    }
}

/// A column of boxes at rest is solved when it is met; the impulses found then hold it up.
#[test]
fn what_rests_is_not_solved_again() {
    for floor in FLOORS {
        let half = vec3(0.1, 0.1, 0.1);
        let at = |k: usize| Pose::from_translation(Vec3::Z * (0.1 + 0.2 * k as f64));
        let mut sim = standing(floor, (0..5).map(|k| (Shape::Box { half }, at(k))).collect());
        let solved = (0..2000).filter(|_| sim.step().iterations > 0).count();
        assert!(solved <= 40, "solved in {solved} of 2000 steps on {floor:?}");
        for k in 0..5 {
            let q = &sim.state().q[7 * k..];
            let moved = (vec3(q[0], q[1], q[2]) - at(k).translation).norm();
            assert!(moved < 1e-8, "body {k} moved {moved:e} m in 4 s on {floor:?}");
        }
    }
}

/// A cube that overhangs a cube, its centre hardly above the edge, leans on two neighbouring corners of the eight that
/// both have in common. With four of these alone it would rock from one to the other without end.
#[test]
fn what_leans_on_a_corner_rests() {
    let shape = Shape::Box { half: vec3(0.08, 0.08, 0.08) };
    let turned = Quat::from_axis_angle(Vec3::Z, 41.2524_f64.to_radians());
    let above = Pose::new(turned, vec3(0.078889, 0.055656, 0.1601));
    let mut sim = standing_on(shape.clone(), Pose::IDENTITY, vec![(shape, above)]);
    run(&mut sim, 1500);
    let mut fastest = 0.0_f64;
    for _ in 0..200 {
        run(&mut sim, 1);
        fastest = sim.state().v.iter().fold(fastest, |m, v| m.max(v.abs()));
    }
    assert!(fastest < 1e-8, "{fastest:e}");
    assert!(contacts(&mut sim).len() > 4);
}
