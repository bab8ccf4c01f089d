//! Our own MJCF files, one for each group of features, against what MuJoCo 4.0 makes of them.
//!
//! `make_references.py` writes the numbers, and names the version. M, bias forces, places of sites and
//! shapes, lengths of tendons at three states; masses, sizes, limits, actuators and pairs once.

#![allow(clippy::unwrap_used, clippy::print_stdout, non_snake_case)]

use crate::references::numbers;
use crate::references::worst;

use numbers::Ours;
use serde_json::Value;
use std::path::Path;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Mat3, Pose, Sym3, Vec3};
use stiction_dynamics::{JointKind, Kinematics};
use stiction_models::{LoadOptions, load};
use stiction_world::{Dimension, TendonPath, World};
use worst::Worst;

const TOLERANCE: f64 = 1e-9;

fn list(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn rows(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().unwrap().iter().map(list).collect()
}

fn names(v: &Value) -> Vec<String> {
    v.as_array().unwrap().iter().map(|x| x.as_str().unwrap().to_owned()).collect()
}

/// Names of ours, where those that nobody gave are left out as MuJoCo does.
fn given<'a>(all: impl Iterator<Item = &'a String>) -> Vec<String> {
    all.map(|n| if n.contains('#') { String::new() } else { n.clone() }).collect()
}

/// MuJoCo keeps vertices of meshes in single precision, and ends the search for their principal axes at
/// turns of about 1e-6.
const OF_MESHES: f64 = 1e-7;

/// The file `name` against its reference.
fn check(name: &str) {
    check_to(name, TOLERANCE);
}

fn check_to(name: &str, tolerance: f64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mujoco");
    let all: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("references.json")).unwrap()).unwrap();
    let reference = &all[name];
    let world = load(&folder.join(format!("features/{name}.xml")), &LoadOptions::default());
    let world = world.unwrap_or_else(|e| panic!("{e}"));
    let mut worst = Worst::new(name);
    counts_and_names(&world, reference);
    constants(&world, reference, &mut worst);
    shapes(&world, reference, &mut worst);
    for state in reference["states"].as_array().unwrap() {
        at_state(&world, reference, state, &mut worst);
    }
    println!("{worst:?}");
    assert!(worst.errors().iter().all(|e| e.1 <= tolerance), "{worst:?}");
}

fn counts_and_names(world: &World, reference: &Value) {
    let model = &world.model;
    assert_eq!(reference["nq"], model.nq, "nq");
    assert_eq!(reference["nv"], model.nv(), "nv");
    assert_eq!(given(model.links.iter().map(|l| &l.name)), names(&reference["bodies"]));
    assert_eq!(given(model.joints.iter().map(|j| &j.name)), names(&reference["joints"]));
    assert_eq!(given(world.extras.sites.iter().map(|s| &s.name)), names(&reference["sites"]));
    assert_eq!(given(world.tendons.iter().map(|t| &t.name)), names(&reference["tendons"]));
    assert_eq!(given(world.actuators.iter().map(|a| &a.name)), names(&reference["actuators"]));
    assert_eq!(given(world.extras.sensors.iter().map(|s| &s.name)), names(&reference["sensors"]));
    assert_eq!(given(world.pairs.iter().map(|p| &p.name)), names(&reference["pairs"]));
    let couplings = world.couplings.len() + world.loops.len();
    assert_eq!(reference["equalities"], couplings, "equalities");
}

fn constants(world: &World, reference: &Value, worst: &mut Worst) {
    let model = &world.model;
    let each = |what: &str| list(&reference[what]);
    worst.scalar("time step", world.time_step.unwrap(), reference["timestep"].as_f64().unwrap());
    worst.vector("gravity", &model.gravity.to_array(), &each("gravity"));
    let masses: Vec<f64> = model.links.iter().map(|l| l.inertia.mass).collect();
    worst.vector("masses", &masses, &each("body_mass"));
    let of_dofs = |f: fn(&stiction_dynamics::Dof) -> f64| model.dofs.iter().map(f).collect::<Vec<_>>();
    worst.vector("damping", &of_dofs(|d| d.damping), &each("dof_damping"));
    worst.vector("armature", &of_dofs(|d| d.armature), &each("dof_armature"));
    worst.vector("dry friction", &of_dofs(|d| d.friction), &each("dof_frictionloss"));
    let stiffness: Vec<f64> = model.joints.iter().map(|j| j.stiffness).collect();
    worst.vector("stiffness", &stiffness, &each("joint_stiffness"));
    for (i, joint) in model.joints.iter().enumerate() {
        let limited = reference["joint_limited"][i] == true;
        assert_eq!(joint.limit.is_some(), limited, "{}", joint.name);
        if let Some(limit) = joint.limit {
            worst.vector("limits", &limit, &list(&reference["joint_range"][i]));
        }
        if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            worst.vector_above("rest", &[joint.spring_rest], &[each("joint_spring")[i]], 1e-3);
        }
    }
    for (i, actuator) in world.actuators.iter().enumerate() {
        let (gain, bias) = (list(&reference["actuator_gain"][i]), list(&reference["actuator_bias"][i]));
        let law = actuator.law;
        if !actuator.transmission.is_empty() {
            worst.vector("gain", &[law.gain], &gain[..1]);
            worst.vector_above("bias law", &[law.bias, law.bias_length, law.bias_velocity], &bias, 1.0);
        }
        for (ours, theirs) in
            [(actuator.control_limit, "actuator_control"), (actuator.effort_limit, "actuator_force")]
        {
            let limited = !reference[theirs][i][0].is_null();
            assert_eq!(ours.is_some(), limited, "{} {theirs}", actuator.name);
            if let Some(range) = ours {
                worst.vector("ranges", &range, &list(&reference[theirs][i]));
            }
        }
    }
    for (i, pair) in world.pairs.iter().enumerate() {
        let s = &pair.surface;
        let friction = [s.sliding[0], s.sliding[1], s.spinning, s.rolling[0], s.rolling[1]];
        worst.vector("pair friction", &friction, &list(&reference["pair_friction"][i]));
        worst.vector("pair margin", &[s.margin, s.gap], &[each("pair_margin")[i], each("pair_gap")[i]]);
        worst.vector("pair softness", &s.softness.reference, &list(&reference["pair_solref"][i]));
        worst.vector("pair softness", &s.softness.impedance, &list(&reference["pair_solimp"][i]));
        let dimension = match s.dimension {
            Dimension::Normal => 1,
            Dimension::Sliding => 3,
            Dimension::Spinning => 4,
            Dimension::Rolling => 6,
        };
        assert_eq!(reference["pair_dim"][i], dimension, "{}", pair.name);
    }
    let keys = reference["keys"].as_array().unwrap();
    assert_eq!(world.keyframes.len(), keys.len());
    for (ours, theirs) in world.keyframes.iter().zip(keys) {
        worst.vector_above("key", &ours.q, &list(&theirs["qpos"]), 1.0);
        worst.vector_above("key", &ours.v, &list(&theirs["qvel"]), 1.0);
        worst.vector_above("key", &ours.control, &list(&theirs["ctrl"]), 1.0);
    }
}

/// Half sizes along the axes of shapes that MuJoCo does not put elsewhere.
fn sizes(shape: &Shape) -> Option<[f64; 3]> {
    Some(match *shape {
        Shape::Sphere { radius } => [radius, 0.0, 0.0],
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            [radius, half_length, 0.0]
        }
        Shape::Box { half } => half.to_array(),
        Shape::Ellipsoid { radii } => radii.to_array(),
        _ => return None,
    })
}

fn shapes(world: &World, reference: &Value, worst: &mut Worst) {
    let theirs = names(&reference["geoms"]);
    for g in world.geometries.iter().filter(|g| !g.name.is_empty()) {
        let i = theirs.iter().position(|n| *n == g.name).unwrap_or_else(|| panic!("{}", g.name));
        let material = [g.material.friction, g.material.spinning, g.material.rolling];
        worst.vector("friction", &material, &list(&reference["geom_friction"][i]));
        if let Some(size) = sizes(&g.shape) {
            let their_size = list(&reference["geom_size"][i]);
            let n = size.iter().filter(|s| **s != 0.0).count();
            worst.vector("sizes", &size[..n], &their_size[..n]);
        }
        if let Shape::HeightField(field) = &g.shape {
            worst.vector("heights", field.heights(), &list(&reference["hfield_heights"]));
        }
    }
}

fn at_state(world: &World, reference: &Value, state: &Value, worst: &mut Worst) {
    let model = &world.model;
    let (q, v) = (list(&state["qpos"]), list(&state["qvel"]));
    let ours = Ours::at(model, &q, &v);
    let mut M = vec![vec![0.0; model.nv()]; model.nv()];
    for entry in rows(&state["M"]) {
        let (i, j) = (entry[0] as usize, entry[1] as usize);
        (M[i][j], M[j][i]) = (entry[2], entry[2]);
    }
    worst.mass_matrix(&ours.M, &M);
    worst.vector_above("bias", &ours.bias, &list(&state["bias"]), 1e-3);
    let mut kin = Kinematics::new(model);
    kin.update(model, &q);
    let at = |link: Option<usize>, X: Pose| {
        let (body, X) = world.mount(link, X);
        body.map_or(X, |b| kin.X_WB[b] * X)
    };
    for (site, theirs) in world.extras.sites.iter().zip(rows(&state["sites"])) {
        worst.vector_above("sites", &at(site.link, site.X_LS).translation.to_array(), &theirs, 1.0);
    }
    for (tendon, theirs) in world.tendons.iter().zip(list(&state["tendon_length"])) {
        if let TendonPath::Fixed(terms) = &tendon.path {
            let coordinate = |dof: usize| q[model.joints[model.dofs[dof].joint].idx_q];
            let length: f64 = terms.iter().map(|&(dof, c)| c * coordinate(dof)).sum();
            worst.vector_above("tendons", &[length], &[theirs], 1.0);
        }
    }
    let theirs = names(&reference["geoms"]);
    for g in world.geometries.iter().filter(|g| !g.name.is_empty()) {
        let Some(size) = sizes(&g.shape) else { continue };
        let i = theirs.iter().position(|n| *n == g.name).unwrap();
        let X = at(g.link, g.X_LG);
        worst.vector_above("shapes", &X.translation.to_array(), &list(&state["geom_pos"][i]), 1.0);
        // Axes may be turned round: the ellipsoid of the sizes stands as it stood.
        let half = match g.shape {
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                [radius, radius, half_length]
            }
            Shape::Sphere { radius } => [radius; 3],
            _ => size,
        };
        let m = list(&state["geom_mat"][i]);
        let row = |k: usize| Vec3::from([m[3 * k], m[3 * k + 1], m[3 * k + 2]]);
        let R = Mat3 { rows: [row(0), row(1), row(2)] };
        worst.vector("turns", &spread(half, &X.rotation.to_matrix()), &spread(half, &R));
    }
    carried_weight(world, &kin, &list(&state["gravcomp"]), worst);
}

/// R diag(s²) Rᵀ.
fn spread(s: [f64; 3], R: &Mat3) -> [f64; 6] {
    let t = Sym3::diagonal(s[0] * s[0], s[1] * s[1], s[2] * s[2]).rotated(R);
    [t.xx, t.yy, t.zz, t.xy, t.xz, t.yz]
}

/// Work of the carried weight along every dof: force times velocity of the centre of mass.
fn carried_weight(world: &World, kin: &Kinematics, theirs: &[f64], worst: &mut Worst) {
    let model = &world.model;
    let mut ours = vec![0.0; model.nv()];
    for &(l, share) in &world.gravity_compensation {
        let link = &model.links[l];
        let Some(b) = link.body else { continue };
        let com = kin.X_WB[b].transform(link.X_BL.transform(link.inertia.com()));
        let arm = com - kin.reference[model.bodies[b].tree];
        let force = model.gravity * (-share * link.inertia.mass);
        let mut dof = Some(model.bodies[b].dofs.end - 1);
        while let Some(d) = dof {
            ours[d] += kin.S[d].linear_at(arm).dot(force);
            dof = model.dofs[d].parent;
        }
    }
    worst.vector_above("carried weight", &ours, theirs, 1.0);
}

#[test]
fn compiler_settings() {
    check("compiler");
    check("totalmass");
}

#[test]
fn frames_and_classes() {
    check("frames");
}

#[test]
fn replicas_and_what_speaks_of_them() {
    check("replicate");
}

#[test]
fn attached_models() {
    check("attach");
}

#[test]
fn joints_and_keyframes() {
    check("joints");
}

#[test]
fn meshes_and_shapes_fitted_to_them() {
    check_to("meshes", OF_MESHES);
    check("fitaabb");
}

#[test]
fn shells_and_height_fields() {
    check("shells");
    check("hfield");
}

#[test]
fn actuators_and_tendons() {
    check("actuators");
}

#[test]
fn contact_pairs() {
    check("contact");
}
