//! A hundred thousand pairs of boxes.

use super::random::Random;
use super::solid::{Solid, separation, signed_distance};
use stiction_collision::{Manifold, Shape, collide};
use stiction_dynamics::spatial::{Pose, Vec3, vec3};

/// Pairs are looked for within this distance [m].
const MARGIN: f64 = 0.02;
const EXACT: f64 = 1e-9;

/// Long, flat and cubic boxes.
fn half_sides(random: &mut Random) -> Vec3 {
    let mut side = || [0.01, 0.1, 0.3][random.below(3)] * random.between(0.5, 1.5);
    let half = vec3(side(), side(), side());
    if random.below(4) == 0 { vec3(0.1, 0.1, 0.1) } else { half }
}

#[test]
fn a_hundred_thousand_pairs_of_boxes_agree_with_the_separating_axis_theorem() {
    let mut random = Random::new(2026);
    let (mut touching, mut near, mut single) = (0, 0, 0);
    for k in 0..100_000 {
        let (half_a, half_b) = (half_sides(&mut random), half_sides(&mut random));
        let X_WA = if k % 2 == 0 { Pose::IDENTITY } else { random.pose(1.0) };
        let reach = 0.6 * (half_a.norm() + half_b.norm());
        let X_WB = X_WA * random.pose(reach);
        let (shape_a, shape_b) = (Shape::Box { half: half_a }, Shape::Box { half: half_b });
        let mut m = Manifold::new(0, 1);
        collide(&shape_a, &X_WA, &shape_b, &X_WB, MARGIN, &mut m);

        let (a, b) = (Solid::of_box(half_a).placed(&X_WA), Solid::of_box(half_b).placed(&X_WB));
        let truth = signed_distance(&a, &b);
        let at = || format!("pair {k}: {half_a:?} {X_WA:?} {half_b:?} {X_WB:?} {m:?} {}", truth.distance);
        let Some(deepest) = m.deepest() else {
            assert!(truth.distance > MARGIN - EXACT, "missed: {}", at());
            continue;
        };
        assert!((deepest - truth.distance).abs() < EXACT, "{}", at());
        let (s, toward) = separation(&a, &b, m.normal);
        assert!((s - truth.distance).abs() < EXACT && toward == m.normal, "normal: {}", at());
        if truth.runner_up < truth.distance - 1e-6 && truth.distance.abs() > 1e-4 {
            assert!((m.normal - truth.normal).norm() < 1e-9, "{:?} {}", truth.normal, at());
            single += 1;
        }
        for p in m.points() {
            let half_gap = m.normal * (0.5 * p.gap);
            let beyond = a.outside(p.position - half_gap).max(b.outside(p.position + half_gap));
            assert!(p.gap >= truth.distance - EXACT && beyond < 1e-6, "{beyond:e} {p:?} {}", at());
        }
        *(if truth.distance < 0.0 { &mut touching } else { &mut near }) += 1;
    }
    assert!(touching > 30_000 && near > 2_000 && single > 20_000, "{touching} {near} {single}");
}
