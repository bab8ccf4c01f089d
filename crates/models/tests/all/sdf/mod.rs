//! SDF: against the same robot in URDF, against Drake, and feature by feature.
//!
//! `reference.json` holds Drake's numbers for the files beside it, made by `drake_reference.py`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(non_snake_case)]

mod features;
use crate::references::numbers;
use crate::references::worst;

use numbers::Ours;
use serde_json::Value;
use std::path::{Path, PathBuf};
use stiction_dynamics::spatial::{Quat, vec3};
use stiction_dynamics::{Kinematics, Model};
use stiction_models::{LoadOptions, load};
use stiction_world::World;
use worst::Worst;

fn here(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdf").join(file)
}

fn read(file: &str, options: &LoadOptions) -> World {
    load(&here(file), options).unwrap_or_else(|e| panic!("{e}"))
}

fn with_models() -> LoadOptions {
    LoadOptions { package_dirs: vec![here("models")], ..LoadOptions::default() }
}

fn numbers_of(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// First coordinate and velocity of the joint `name`.
fn places(model: &Model, name: &str) -> (usize, usize) {
    let joint = &model.joints[model.joint_named(name).unwrap_or_else(|| panic!("no joint {name}"))];
    (joint.idx_q, joint.idx_v)
}

/// Largest errors against Drake in all states of `file`.
fn against_drake(file: &str) -> Worst {
    let reference: Value =
        serde_json::from_str(&std::fs::read_to_string(here("reference.json")).unwrap()).unwrap();
    // Drake leaves a world's gravity out.
    let options = LoadOptions { gravity: Some(vec3(0.0, 0.0, -9.81)), ..with_models() };
    let world = read(&format!("{file}.sdf"), &options);
    let model = &world.model;
    let mut worst = Worst::new(file);
    for state in reference[file].as_array().unwrap() {
        let (mut q, mut v) = (model.neutral(), vec![0.0; model.nv()]);
        // Our dof of every velocity of Drake.
        let mut dofs = Vec::new();
        for entry in state["order"].as_array().unwrap() {
            let (name, n) = (entry[0].as_str().unwrap(), entry[1].as_u64().unwrap() as usize);
            let (at_q, at_v) = places(model, name);
            let (qs, vs) = (numbers_of(&state["q"][name]), numbers_of(&state["v"][name]));
            q[at_q..at_q + qs.len()].copy_from_slice(&qs);
            v[at_v..at_v + n].copy_from_slice(&vs);
            dofs.extend(at_v..at_v + n);
        }
        assert_eq!(dofs.len(), model.nv(), "{file}: velocities");
        let ours = Ours::at(model, &q, &v);
        let M: Vec<Vec<f64>> = dofs.iter().map(|&i| dofs.iter().map(|&j| ours.M[i][j]).collect()).collect();
        let theirs: Vec<Vec<f64>> = state["M"].as_array().unwrap().iter().map(numbers_of).collect();
        worst.mass_matrix(&M, &theirs);
        let bias: Vec<f64> = dofs.iter().map(|&i| ours.bias[i]).collect();
        worst.vector("bias", &bias, &numbers_of(&state["bias"]));
        worst.scalar("kinetic", ours.kinetic, state["kinetic"].as_f64().unwrap());
        let mut kin = Kinematics::new(model);
        kin.update(model, &q);
        for (name, pose) in state["poses"].as_object().unwrap() {
            let link = &model.links[model.link_named(name).unwrap_or_else(|| panic!("no link {name}"))];
            let X = link.body.map_or(link.X_BL, |b| kin.X_WB[b] * link.X_BL);
            let [x, y, z, w, a, b, c] = numbers_of(pose).try_into().unwrap();
            let theirs = Quat::new(w, a, b, c);
            let turn = (X.rotation * theirs.conjugate()).log();
            worst.vector_above("turn", &turn.to_array(), &[0.0; 3], 1.0);
            let p = X.translation - vec3(x, y, z);
            worst.vector_above("place", &p.to_array(), &[0.0; 3], 1.0);
        }
    }
    worst
}

#[test]
fn drake_reads_the_same_robots() {
    for file in ["pair", "old", "joints", "world"] {
        let worst = against_drake(file);
        assert!(worst.errors().iter().all(|(_, e)| *e < 1e-12), "{worst:?}");
    }
}

/// The pair of files says the same: dynamics, shapes, limits and losses.
#[test]
fn the_same_robot_in_urdf() {
    let options = LoadOptions { free_base: true, ..LoadOptions::default() };
    let (urdf, sdf) = (read("pair.urdf", &options), read("pair.sdf", &options));
    let (a, b) = (&urdf.model, &sdf.model);
    assert_eq!(a.nv(), b.nv());
    let mut q = a.neutral();
    let mut v = vec![0.0; a.nv()];
    (q.iter_mut().enumerate()).for_each(|(i, x)| *x += 0.1 * (i as f64 + 1.0).sin());
    (v.iter_mut().enumerate()).for_each(|(i, x)| *x = (i as f64).cos());
    let norm = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
    q[3..7].iter_mut().for_each(|x| *x /= norm);
    // Children come in the order of their joints in both.
    let names = |m: &Model| m.joints.iter().skip(1).map(|j| j.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    let (x, y) = (Ours::at(a, &q, &v), Ours::at(b, &q, &v));
    let mut worst = Worst::new("pair");
    worst.mass_matrix(&y.M, &x.M);
    worst.vector("bias", &y.bias, &x.bias);
    worst.scalar("kinetic", y.kinetic, x.kinetic);
    worst.scalar("potential", y.potential + y.springs, x.potential + x.springs);
    worst.vector("com", &y.com.to_array(), &x.com.to_array());
    assert!(worst.errors().iter().all(|(_, e)| *e < 1e-12), "{worst:?}");
    for (i, j) in a.joints.iter().zip(&b.joints) {
        assert_eq!((i.kind, i.limit), (j.kind, j.limit));
    }
    for (i, j) in a.dofs.iter().zip(&b.dofs) {
        assert_eq!((i.damping, i.friction, i.armature), (j.damping, j.friction, j.armature));
    }
    assert_eq!(urdf.drive_limits, sdf.drive_limits);
    assert_eq!(urdf.geometries.len(), sdf.geometries.len());
    for (g, h) in urdf.geometries.iter().zip(&sdf.geometries) {
        let apart = g.X_LG.inverse() * h.X_LG;
        assert!(apart.translation.norm() < 1e-15 && apart.rotation.log().norm() < 1e-15, "{}", g.name);
        assert_eq!((format!("{:?}", g.shape), g.link), (format!("{:?}", h.shape), h.link));
    }
}
