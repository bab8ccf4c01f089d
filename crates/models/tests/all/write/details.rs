//! Everything of a world beside its equations of motion.

use super::{Folder, again};
use std::collections::BTreeSet;
use std::path::Path;
use stiction_collision::Shape;
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Pose;
use stiction_models::{LoadOptions, load_str};
use stiction_world::{Drawing, Geometry, Material, Mixing, World};

const CLOSE: f64 = 1e-12;

/// Where the shape is in the world, all joints at their references.
fn place(world: &World, kin: &Kinematics<f64>, link: Option<usize>, X_LG: Pose) -> Pose {
    let (body, X) = world.mount(link, X_LG);
    body.map_or(X, |b| kin.X_WB[b] * X)
}

fn near(a: Pose, b: Pose) -> bool {
    let apart = a.inverse() * b;
    apart.translation.norm() < CLOSE && apart.rotation.log().norm() < CLOSE
}

/// The numbers that make a shape.
fn sizes(shape: &Shape) -> Vec<f64> {
    match shape {
        Shape::Plane => Vec::new(),
        Shape::Sphere { radius } => vec![*radius],
        Shape::Box { half } => half.to_array().to_vec(),
        Shape::Ellipsoid { radii } => radii.to_array().to_vec(),
        Shape::Capsule { radius: r, half_length: l }
        | Shape::Cylinder { radius: r, half_length: l }
        | Shape::Cone { radius: r, half_height: l } => vec![*r, *l],
        _ => vec![shape.volume(), shape.bounding_radius()],
    }
}

/// Asserts that two worlds have as many shapes, of the same kinds and sizes, in the same places.
pub(crate) fn same_shapes(name: &str, a: &World, b: &World) {
    // Coordinates mean the same; where a free base starts, URDF cannot say.
    let at_rest = |w: &World| {
        let mut kin = Kinematics::new(&w.model);
        kin.update(&w.model, &a.model.neutral());
        kin
    };
    let (kin_a, kin_b) = (at_rest(a), at_rest(b));
    assert_eq!(a.geometries.len(), b.geometries.len(), "{name}: shapes");
    let twin = |g: &Geometry| {
        let at = place(a, &kin_a, g.link, g.X_LG);
        b.geometries.iter().any(|h| {
            let (one, other) = (sizes(&g.shape), sizes(&h.shape));
            let planes = matches!(g.shape, Shape::Plane);
            let same = planes
                || (g.shape.name() == h.shape.name()
                    && one.iter().zip(&other).all(|(x, y)| (x - y).abs() <= CLOSE * x.abs()));
            same && (planes || near(at, place(b, &kin_b, h.link, h.X_LG)))
        })
    };
    for g in &a.geometries {
        assert!(twin(g), "{name}: shape `{}` ({}) is elsewhere", g.name, g.shape.name());
    }
    let corners = |w: &World| {
        w.visuals
            .iter()
            .map(|v| match &v.drawing {
                Drawing::Mesh { triangles, .. } => triangles.len(),
                Drawing::Shape(_) => 1,
            })
            .sum::<usize>()
    };
    assert_eq!((a.visuals.len(), corners(a)), (b.visuals.len(), corners(b)), "{name}: drawings");
}

/// Pairs of carriers that never touch: bodies, or links that stand still.
fn excluded(w: &World) -> BTreeSet<[(bool, usize); 2]> {
    let carrier = |l: usize| w.model.links[l].body.map_or((false, l), |b| (true, b));
    let pairs = w.excluded.iter().map(|&(a, b)| [carrier(a), carrier(b)]);
    pairs
        .map(|mut p| {
            p.sort_unstable();
            p
        })
        .filter(|[a, b]| a != b && (a.0 || b.0))
        .collect()
}

/// All that MJCF can say is the same.
pub(crate) fn same_but_names(name: &str, a: &World, b: &World) {
    same_shapes(name, a, b);
    for (i, j) in a.model.joints.iter().zip(&b.model.joints) {
        assert_eq!(
            (i.kind, i.reference, i.stiffness),
            (j.kind, j.reference, j.stiffness),
            "{name}: {}",
            i.name
        );
        let bounded = i.limit.map(|l| l.map(|x| x.clamp(-1e10, 1e10)));
        assert_eq!(bounded, j.limit, "{name}: {}", i.name);
    }
    for (i, j) in a.model.dofs.iter().zip(&b.model.dofs) {
        assert_eq!((i.armature, i.damping, i.friction), (j.armature, j.damping, j.friction), "{name}");
    }
    let efforts = |w: &World| w.drive_limits.iter().map(|d| d.effort).collect::<Vec<_>>();
    assert_eq!(efforts(a), efforts(b), "{name}: limits of effort");
    let drives = |w: &World| {
        let moving = w.actuators.iter().filter(|a| !a.transmission.is_empty());
        moving
            .map(|a| format!("{:?} {:?} {:?} {:?}", a.transmission, a.law, a.effort_limit, a.control_limit))
            .collect::<Vec<_>>()
    };
    assert_eq!(drives(a), drives(b), "{name}: actuators");
    assert_eq!(excluded(a), excluded(b), "{name}: pairs that never touch");
    assert_eq!(a.pairs.len(), b.pairs.len(), "{name}: pairs with rules of their own");
    assert_eq!(a.couplings.len(), b.couplings.len(), "{name}: couplings");
    for (x, y) in a.loops.iter().zip(&b.loops) {
        let same = x.ends.iter().zip(&y.ends).all(|(p, q)| p.0 == q.0 && near(p.1, q.1));
        assert!(same && x.hold == y.hold && x.active == y.active, "{name}: {x:?} {y:?}");
    }
    assert_eq!(a.loops.len(), b.loops.len(), "{name}: loops");
    assert_eq!(a.model.gravity, b.model.gravity, "{name}: gravity");
    assert_eq!(a.time_step.unwrap_or(0.002), b.time_step.unwrap(), "{name}: time step");
    assert_eq!(a.keyframes.len(), b.keyframes.len(), "{name}: keyframes");
    for (x, y) in a.keyframes.iter().zip(&b.keyframes) {
        let close =
            |p: &[f64], q: &[f64]| p.iter().zip(q).all(|(x, y)| (x - y).abs() <= 1e-15 * x.abs().max(1.0));
        assert!(
            x.name == y.name && close(&x.q, &y.q) && x.v == y.v && x.control == y.control,
            "{name}: {}",
            x.name
        );
    }
    for (g, h) in a.geometries.iter().zip(&b.geometries) {
        assert_eq!((g.group, g.mask, g.rgba), (h.group, h.mask, h.rgba), "{name}: {}", g.name);
        let mixing = Mixing::default();
        let said = Material { restitution: 0.0, mixing, ..g.material };
        assert_eq!(said, h.material, "{name}: {}", g.name);
    }
}

/// Losses of either format are noted; names become unique; nothing is overwritten unasked.
#[test]
fn losses_are_noted_and_files_kept() {
    let text = r#"<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass></inertial>
        <collision name="c"><geometry><cone><radius>1</radius><length>2</length></cone></geometry>
        <surface><bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0</threshold></bounce></surface>
        </collision></link><link name="b"><inertial><mass>1</mass></inertial></link>
        <joint name="j" type="screw"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>
        <limit><lower>0</lower></limit></axis></joint></model></sdf>"#;
    let world = load_str(text, Path::new("m.sdf"), Path::new("."), &LoadOptions::default()).unwrap();
    let folder = Folder::new("losses");
    let (mjcf, urdf) = (stiction_models::to_mjcf(&world, "m"), stiction_models::to_urdf(&world, "m"));
    let said = |notes: &[String], part: &str| {
        assert!(notes.iter().any(|n| n.contains(part)), "`{part}` in {notes:?}")
    };
    for part in ["restitution", "cones are hulls", "screws are a hinge", "one side only", "time step"] {
        said(&mjcf.notes, part);
    }
    for part in ["cones are hulls", "screws are a hinge", "--free-base", "--srdf"] {
        said(&urdf.notes, part);
    }
    assert_eq!(mjcf.files[0].0, "m_meshes/a__c.obj");
    let back = again(&mjcf, &folder.0.join("m.xml"), &LoadOptions::default());
    assert_eq!((back.model.nv(), back.couplings.len(), back.geometries.len()), (8, 1, 1));
    let refused = mjcf.save(&folder.0.join("m.xml"), false).unwrap_err().to_string();
    assert!(refused.contains("m.xml is there already"), "{refused}");
    assert_eq!(mjcf.save(&folder.0.join("m.xml"), true).unwrap().len(), 2);
    let options = LoadOptions { free_base: true, ..LoadOptions::default() };
    let back = again(&urdf, &folder.0.join("urdf/m.urdf"), &options);
    assert_eq!((back.model.nv(), back.couplings.len()), (8, 1));
}

/// Welds with their own points and turns, and connects, of bodies and of the world.
#[test]
fn loops_are_written() {
    let text = r#"<mujoco><worldbody>
        <body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
        <body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/></body></worldbody>
        <equality><connect name="p" body1="a" body2="b" anchor="0.3 0.1 0"/><connect body1="b" anchor="0 0 0.2"/>
        <weld body1="a" body2="b" anchor="0.1 0.2 0.3" relpose="1 2 3 0.6 0 0.8 0" torquescale="2"/>
        <weld body1="a" active="false"/></equality></mujoco>"#;
    let world = load_str(text, Path::new("m.xml"), Path::new("."), &LoadOptions::default()).unwrap();
    let folder = Folder::new("loops");
    let back =
        again(&stiction_models::to_mjcf(&world, "m"), &folder.0.join("m.xml"), &LoadOptions::default());
    assert_eq!((back.loops.len(), back.loops[2].torque_scale), (4, 2.0));
    assert!(!back.loops[3].active);
    for (x, y) in world.loops.iter().zip(&back.loops) {
        assert!(x.name == y.name && x.hold == y.hold, "{x:?} {y:?}");
        assert!(x.ends.iter().zip(&y.ends).all(|(p, q)| p.0 == q.0 && near(p.1, q.1)), "{x:?} {y:?}");
    }
    assert!(stiction_models::to_urdf(&world, "m").notes.iter().any(|n| n.contains("no loops")));
}
