use crate::collider::Collider;
use crate::manifold::Manifold;
use crate::pairs::testing::{Lcg, box_mesh, every_shape, grid_mesh, prism};
use crate::shape::Shape;
use crate::world::CollisionWorld;
use crate::{HeightField, collide};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::sync::Arc;
use stiction_dynamics::spatial::{Pose, Quat, Vec3, vec3};

const MARGIN: f64 = 0.01;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(vec3(x, y, z))
}

/// The contacts of `movers`, of one body, with `fixed` shapes.
fn contacts(fixed: &[(Shape, Pose)], movers: &[(Shape, Pose)]) -> Vec<Manifold> {
    let collider = |shape: &Shape, owner| Collider { shape: shape.clone(), owner, group: 1, mask: 1 };
    let colliders = (fixed.iter().map(|f| collider(&f.0, 0))).chain(movers.iter().map(|m| collider(&m.0, 1)));
    let poses: Vec<Pose> = fixed.iter().chain(movers).map(|s| s.1).collect();
    let mut world = CollisionWorld::new(colliders.collect(), &[], |owner| owner == 0).unwrap();
    let (margins, mut out) = (vec![0.5 * MARGIN; poses.len()], Vec::new());
    world.query(&poses, &margins, Vec3::ZERO, &mut out);
    out
}

fn slab(half: f64, depth: f64) -> Shape {
    Shape::Box { half: vec3(half, 1.0, depth) }
}

/// Ground with the top at z = 0 and a seam in x = `from`: the tile before it, and one of each kind after it.
fn tiles(from: f64, level: f64) -> Vec<[(Shape, Pose); 2]> {
    let before = (slab(0.5, 0.1), at(-0.5, 0.0, -0.1));
    let sheet = |x: f64| {
        let mesh = grid_mesh(4, 2.0, |_, _| 0.0);
        (Shape::Mesh(Arc::new(mesh)), at(x + 1.0, 0.0, level))
    };
    let field = HeightField::new(3, 5, [1.0, 2.0], vec![0.0; 15], 0.2).unwrap();
    let after = [
        (slab(0.5, 0.2), at(from + 0.5, 0.0, level - 0.2)),
        (
            Shape::Convex(Arc::new(box_mesh(vec3(0.5, 1.0, 0.1), Vec3::ZERO))),
            at(from + 0.5, 0.0, level - 0.1),
        ),
        (Shape::HeightField(Arc::new(field)), at(from + 0.5, 0.0, level)),
        sheet(from),
    ];
    after.into_iter().map(|after| [before.clone(), after]).collect()
}

/// What slides over a seam touches what it would touch on one floor: the same normals, as near, as far as its rim.
#[test]
fn tiles_are_one_floor() {
    let floor = (slab(2.0, 0.1), at(0.0, 0.0, -0.1));
    let lying = Quat::from_axis_angle(vec3(0.8, 0.6, 0.0), FRAC_PI_2);
    let mut seen = 0;
    for (from, level) in [(0.0, 0.0), (0.0, 1e-6), (0.0, -1e-6), (1e-3, 0.0), (-1e-3, 0.0), (1e-3, 1e-6)] {
        for ground in tiles(from, level) {
            for shape in every_shape().iter().skip(1) {
                for (turn, height) in
                    [(Quat::IDENTITY, -1e-9), (lying, 0.0), (Quat::IDENTITY, -4e-6), (lying, 2e-3)]
                {
                    let lowest = shape.support(turn.conjugate().rotate(-Vec3::Z));
                    let z = height - turn.rotate(lowest).z;
                    for k in -40_i32..=40 {
                        // Round shapes get into gaps.
                        let mover = (shape.clone(), Pose::new(turn, vec3(5e-3 * f64::from(k), 0.01, z)));
                        let dips = from > 0.0 && (5e-3 * f64::from(k) + turn.rotate(lowest).x).abs() < 2e-2;
                        if dips && !matches!(shape, Shape::Box { .. }) {
                            continue;
                        }
                        let found = contacts(&ground, std::slice::from_ref(&mover));
                        let expected = contacts(std::slice::from_ref(&floor), std::slice::from_ref(&mover));
                        let context = || {
                            format!(
                                "{} on {}, {from} {level} {turn:?} {height} {k}: {:?}",
                                shape.name(),
                                ground[1].0.name(),
                                found.iter().map(|m| (m.a, m.normal, m.points())).collect::<Vec<_>>()
                            )
                        };
                        assert!(found.iter().all(|m| (m.normal - Vec3::Z).norm() < 2e-6), "{}", context());
                        let nearest = |all: &[Manifold]| {
                            all.iter().filter_map(Manifold::deepest).fold(f64::INFINITY, f64::min)
                        };
                        let off = (nearest(&found) - nearest(&expected)).abs();
                        assert!(off <= 1.1e-6, "{off} {}", context());
                        seen += found.len();
                    }
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

/// Whether something stops a box of 0.2 × 0.2 × 0.1 m that is a little before the plane x = 0 and moves towards it.
fn stops(found: &[Manifold]) -> bool {
    found.iter().any(|m| m.normal.x < -0.5)
}

#[test]
fn a_step_higher_than_what_is_flush_stops() {
    let floor = (slab(0.5, 0.1), at(-0.5, 0.0, -0.1));
    for (height, stop) in
        [(0.0, false), (1e-6, false), (9e-6, false), (1.1e-5, true), (1e-4, true), (1e-3, true), (5e-3, true)]
    {
        for before in [2e-3, 1e-4, 1e-7, -1e-9, -1e-7] {
            let step = (slab(0.5, 0.1), at(0.5, 0.0, height - 0.1));
            let mover = (Shape::Box { half: vec3(0.1, 0.1, 0.05) }, at(-0.1 - before, 0.0, 0.05 - 1e-10));
            let found = contacts(&[floor.clone(), step.clone()], std::slice::from_ref(&mover));
            assert_eq!(stops(&found), stop, "{height} {before}: {found:?}");
            // A step down is none.
            let found = contacts(&[floor.clone(), (step.0, at(0.5, 0.0, -height - 0.1))], &[mover]);
            assert!(!stops(&found), "{height} {before}: {found:?}");
        }
    }
}

/// A wall stands on the seam of two tiles: it stops what comes, also what touches it at its foot alone, and what falls
/// along it is not held by its own seams.
#[test]
fn walls_stay_walls() {
    let floor = [(slab(0.5, 0.1), at(-0.5, 0.0, -0.1)), (slab(0.5, 0.1), at(0.5, 0.0, -0.1))];
    let wall = (slab(0.1, 0.5), at(0.1, 0.0, 0.5));
    let all = [floor[0].clone(), floor[1].clone(), wall.clone()];
    let half = vec3(0.1, 0.1, 0.05);
    let mover = |x: f64, z: f64, turn: f64| {
        let rotation = Quat::from_axis_angle(Vec3::Y, turn);
        (Shape::Box { half }, Pose::new(rotation, vec3(x, 0.0, z)))
    };
    for gap in [1e-3, 1e-9, -1e-9, -1e-6] {
        let found = contacts(&all, &[mover(-0.1 - gap, 0.05, 0.0)]);
        assert!(stops(&found) && found.iter().any(|m| m.normal.z > 0.99), "{found:?}");
        let fine = |n: Vec3| (n - Vec3::Z).norm() < 1e-9 || (n + Vec3::X).norm() < 1e-9;
        assert!(found.iter().all(|m| fine(m.normal)), "{found:?}");
        // A ladder: it touches floor and wall with its lowest edge alone.
        let leaning = Quat::from_axis_angle(Vec3::Y, 0.6);
        let lowest = leaning.rotate(vec3(half.x, 0.0, -half.z));
        let foot = Pose::new(leaning, vec3(-gap, 0.0, 0.0) - lowest);
        let found = contacts(&all, &[(Shape::Box { half }, foot)]);
        assert!(stops(&found), "{gap} {found:?}");
    }
    // Along the wall and past the seam of wall and floor's tile below, which goes on in its plane.
    let below = [(slab(0.1, 0.5), at(0.1, 0.0, 0.5)), (slab(0.1, 0.5), at(0.1, 0.0, -0.5))];
    for z in [0.051, 0.05 + 1e-9, 0.05, 0.05 - 1e-9, 0.049] {
        let found = contacts(&below, &[mover(-0.1 + 1e-9, z, 0.0)]);
        assert!(found.iter().all(|m| (m.normal + Vec3::X).norm() < 1e-9), "{z}: {found:?}");
    }
}

/// A ball that is deep beside a seam leaves through the top, not into the neighbour.
#[test]
fn inner_faces_are_no_way_out() {
    let floor = [(slab(0.5, 0.1), at(-0.5, 0.0, -0.1)), (slab(0.5, 0.1), at(0.5, 0.0, -0.1))];
    for x in [-4e-4, -1e-6, 2e-6, 3e-4] {
        let ball = (Shape::Sphere { radius: 0.005 }, at(x, 0.2, -1e-3));
        let alone = contacts(&floor[..1], std::slice::from_ref(&ball));
        assert!(alone[0].normal.x > 0.9 || x > 0.0, "{alone:?}");
        let found = contacts(&floor, &[ball]);
        assert!(
            !found.is_empty() && found.iter().all(|m| (m.normal - Vec3::Z).norm() < 1e-9),
            "{x}: {found:?}"
        );
        assert!((found[0].deepest().unwrap() + 6e-3).abs() < 1e-9);
    }
}

/// The group may be what moves, and the order of the geometries does not matter.
#[test]
fn what_moves_has_seams_too() {
    let halves = [(slab(0.1, 0.05), at(-0.1, 0.0, 0.05)), (slab(0.1, 0.05), at(0.1, 0.0, 0.05))];
    for dx in [-2e-3, -1e-9, 0.0, 1e-9, 1e-3, 2e-3, 6e-3] {
        // A post that the two slide over.
        let post = (Shape::Box { half: vec3(0.02, 0.02, 0.1) }, at(0.02 + dx, 0.0, -0.1 + 1e-10));
        let found = contacts(std::slice::from_ref(&post), &halves);
        assert!(!found.is_empty() && found.iter().all(|m| (m.normal - Vec3::Z).norm() < 1e-9), "{found:?}");
        // A table that they are drawn onto, its edge at their seam.
        for dz in [-1e-10, 0.0, 1e-10, 1e-6] {
            let table = (slab(1.0, 0.1), at(-1.0 - dx, 0.0, -0.1 - dz));
            let found = contacts(std::slice::from_ref(&table), &halves);
            let along = |m: &&Manifold| (m.normal - Vec3::Z).norm() > 1e-9;
            assert!(!found.is_empty() && !found.iter().any(|m| along(&m)), "{dx} {dz}: {found:?}");
        }
        let turned = contacts(&halves, std::slice::from_ref(&post));
        assert!(turned.iter().all(|m| (m.normal + Vec3::Z).norm() < 1e-9), "{turned:?}");
    }
}

/// Joined owners are one group; owners that are not, and neighbours that the mover does not meet, shield nothing.
#[test]
fn only_what_is_joined_and_met_shields() {
    let shapes = [slab(0.5, 0.1), slab(0.5, 0.1), Shape::Box { half: vec3(0.1, 0.1, 0.05) }];
    let poses = [at(-0.5, 0.0, -0.1), at(0.5, 0.0, -0.1), at(-0.101, 0.0, 0.05 - 1e-10)];
    let query = |mask: u32, joined: &[(usize, usize)]| {
        let collider = |(k, shape): (usize, &Shape)| Collider {
            shape: shape.clone(),
            owner: k,
            group: if k == 0 { mask } else { 1 },
            mask: if k == 0 { 0 } else { 1 },
        };
        let colliders = shapes.iter().enumerate().map(collider).collect();
        let world = CollisionWorld::new(colliders, &[(0, 1)], |_| false).unwrap();
        let (mut world, mut out) = (world.with_joined(joined.iter().copied()), Vec::new());
        world.query(&poses, &[0.5 * MARGIN; 3], Vec3::ZERO, &mut out);
        let seam = world.seams(&poses).next();
        (stops(&out), seam)
    };
    assert_eq!(query(1, &[]), (true, None));
    assert_eq!(query(1, &[(1, 0)]), (false, Some([0, 1, 2])));
    assert_eq!(query(1, &[(0, 7)]), (true, None));
    let unmet = query(2, &[(1, 0)]);
    assert!(unmet.0, "a tile that is not met shields nothing");
}

/// A ramp whose foot is flush with the floor is climbed: its front below the floor stops nothing, its slope counts.
#[test]
fn the_front_of_a_ramp_is_no_wall() {
    let corner = |k: usize| {
        let y = if k & 1 == 0 { -1.0 } else { 1.0 };
        [vec3(0.0, y, 0.0), vec3(0.0, y, -0.1), vec3(1.0, y, -0.1), vec3(1.0, y, 0.3)][k / 2]
    };
    let ramp = crate::ConvexMesh::from_points(&(0..8).map(corner).collect::<Vec<_>>()).unwrap();
    let ground = [(slab(0.5, 0.1), at(-0.5, 0.0, -0.1)), (Shape::Convex(Arc::new(ramp)), Pose::IDENTITY)];
    let slope = vec3(-0.3, 0.0, 1.0).normalized().unwrap();
    for dx in [-3e-3, -1e-6, 0.0, 1e-6, 1e-3] {
        let mover = (Shape::Box { half: vec3(0.1, 0.1, 0.05) }, at(-0.1 + dx, 0.0, 0.05 - 1e-10));
        let found = contacts(&ground, &[mover]);
        let fine = |n: Vec3| (n - Vec3::Z).norm() < 1e-9 || (n - slope).norm() < 1e-9;
        assert!(found.iter().all(|m| fine(m.normal)), "{dx}: {found:?}");
        assert!(found.iter().any(|m| m.normal.x < -0.1) || dx < 1e-5, "{dx}: {found:?}");
    }
}

/// Of bodies that are apart, or hardly overlap, the nearest contact is never a ghost: nothing gets through.
#[test]
fn the_nearest_contact_stays() {
    let mut random = Lcg::new(12);
    let shapes = every_shape();
    let mut touching = 0;
    for round in 0..4000 {
        let pick = |random: &mut Lcg| shapes[1 + random.below(shapes.len() - 1)].clone();
        let fixed: Vec<(Shape, Pose)> = (0..4).map(|_| (pick(&mut random), random.pose(0.2))).collect();
        let mover = (pick(&mut random), random.pose(0.3));
        let found = contacts(&fixed, std::slice::from_ref(&mover));
        let gap = |f: &(Shape, Pose)| {
            let mut m = Manifold::new(0, 1);
            collide(&f.0, &f.1, &mover.0, &mover.1, MARGIN, &mut m);
            m.deepest()
        };
        let least = fixed.iter().filter_map(gap).reduce(f64::min);
        let kept = found.iter().filter_map(Manifold::deepest).reduce(f64::min);
        if least.is_some_and(|gap| gap > -1e-5) {
            assert_eq!(kept, least, "{round}");
            touching += 1;
        }
        assert_eq!(kept.is_some(), least.is_some(), "{round}");
    }
    assert!(touching > 100, "{touching}");
}

/// A shell of eight sides around a prism that turns in it, and a corner of three slabs: what needs several normals keeps
/// them.
#[test]
fn corners_keep_their_normals() {
    let sides: Vec<(Shape, Pose)> = (0..8)
        .map(|k| {
            let turn = Quat::from_axis_angle(Vec3::Z, FRAC_PI_4 * f64::from(k));
            (slab(0.05, 0.2), Pose::new(turn, turn.rotate(vec3(0.15, 0.0, 0.0))))
        })
        .collect();
    let can = Shape::Cylinder { radius: 0.1, half_length: 0.1 };
    let found = contacts(&sides, &[(can, Pose::IDENTITY)]);
    assert_eq!(found.len(), 8, "{found:?}");
    let hull = Shape::Convex(Arc::new(prism(6, 0.1, 0.05)));
    let corner = [
        (slab(1.0, 0.5), at(0.0, 0.0, -0.5)),
        (slab(0.5, 1.0), at(0.6, 0.0, 1.0)),
        (Shape::Box { half: vec3(1.0, 0.5, 1.0) }, at(0.0, 0.6, 1.0)),
    ];
    let found = contacts(
        &corner,
        &[(hull, at(0.0, 0.0, 0.05 - 1e-9)), (Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, 0.1))],
    );
    let of_ball = found.iter().filter(|m| m.b == 4).count();
    assert!(of_ball == 3, "{found:?}");
}
