//! Our Robosimian beside the URDF whose numbers it states; without the file the test says so.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use stiction::dynamics::spatial::{Inertia, Vec3};
use stiction::dynamics::{Kinematics, Model};
use stiction::models::{LoadOptions, load};
use stiction_lab::Scene;

/// Mass, centre of mass, and moments about it, at q = 0.
fn whole(model: &Model, q: &[f64]) -> (f64, Vec3, [f64; 3]) {
    let mut kin = Kinematics::new(model);
    kin.update(model, q);
    let total = kin.I.iter().fold(Inertia::ZERO, |sum, inertia| sum + *inertia);
    let about = total.about_com();
    (total.mass, total.com() + kin.reference[0], [about.xx, about.yy, about.zz])
}

#[test]
fn our_robosimian_has_the_mass_inertia_and_reach_of_its_urdf() {
    let setup = Scene::builtin("robosimian-jump").unwrap().build().unwrap();
    let model = &setup.world.model;
    let mut q = model.neutral();
    q[2] = 0.0;
    let ours = whole(model, &q);
    assert_eq!(model.nv(), 6 + 12);
    assert!((ours.0 - 99.888).abs() < 1e-9, "{} kg", ours.0);

    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("STICTION_DATA").map_or(beside, PathBuf::from);
    let path = folder.join("robots/robosimian/robosimian_caesar_new.urdf");
    if !path.is_file() {
        eprintln!("NOT COMPARED: {} is absent; STICTION_DATA says where it is", path.display());
        return;
    }
    let theirs = load(&path, &LoadOptions { free_base: true, ..LoadOptions::default() }).unwrap();
    let (mass, com, moments) = whole(&theirs.model, &theirs.model.neutral());
    assert!((ours.0 - mass).abs() < 1e-9, "{mass} kg");
    assert!((ours.1 - com).norm() < 2e-3, "{:?} {com:?}", ours.1);
    for (a, b) in ours.2.iter().zip(moments) {
        assert!((a - b).abs() < 0.01 * b, "{:?} {moments:?}", ours.2);
    }
    // Reach: where the last joint of a limb is.
    let (mut kin, mut other) = (Kinematics::new(model), Kinematics::new(&theirs.model));
    kin.update(model, &q);
    other.update(&theirs.model, &theirs.model.neutral());
    for (ours, limb) in [("FL", 4), ("FR", 1), ("RL", 3), ("RR", 2)] {
        let hand = model.bodies.iter().position(|b| b.name == format!("{ours}_hand")).unwrap();
        let joint = format!("limb{limb}_joint6");
        let joint = theirs.model.joints.iter().find(|j| j.name == joint).unwrap();
        let p = other.X_WB[joint.body].transform(joint.anchor);
        let error = (kin.X_WB[hand].translation - p).norm();
        assert!(error < 0.01, "{ours}: {error} m");
    }
}
