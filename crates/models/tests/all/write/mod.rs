//! What is written reads as what it was: every robot of the data folder, and our own files, as MJCF and as URDF.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(non_snake_case)]

use crate::common;
mod details;
use crate::references::numbers;
use crate::references::worst;

use common::data;
use numbers::Ours;
use std::path::{Path, PathBuf};
use stiction_dynamics::{JointKind, Model, integrate_into};
use stiction_models::{LoadOptions, Written, load};
use stiction_world::World;
use worst::Worst;

const TOLERANCE: f64 = 1e-12;

const ROBOTS: [&str; 12] = [
    "robots/solo12/solo12.urdf",
    "robots/iiwa14/iiwa14.urdf",
    "robots/allegro_hand/allegro_right.urdf",
    "robots/robosimian/robosimian_caesar_new.urdf",
    "robots/a1_mjcf/a1.xml",
    "robots/anymal_c_mjcf/anymal_c.xml",
    "robots/panda_mjcf/panda.xml",
    "robots/cassie_mjcf/cassie.xml",
    "mjcf/model/humanoid/humanoid.xml",
    "mjcf/model/car/car.xml",
    "mjcf/model/replicate/newton_cradle.xml",
    "mjcf/model/slider_crank/slider_crank.xml",
];

/// A folder of its own for one test, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stiction-write-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(file: &Path, options: &LoadOptions) -> World {
    load(file, options).unwrap_or_else(|e| panic!("{e}"))
}

/// Writes and reads again.
fn again(written: &Written, file: &Path, options: &LoadOptions) -> World {
    written.save(file, false).unwrap();
    read(file, options)
}

/// A state off the beaten track.
fn state(model: &Model) -> (Vec<f64>, Vec<f64>) {
    let wave = |i: usize| (1.7 * i as f64 + 0.3).sin();
    let v: Vec<f64> = (0..model.nv()).map(wave).collect();
    let mut q = model.neutral();
    integrate_into(model, &model.neutral(), &v, 0.2, &mut q);
    (q, v)
}

/// Dynamics of two worlds whose coordinates mean the same.
fn same_dynamics(name: &str, a: &World, b: &World) {
    assert_eq!((a.model.nq, a.model.nv()), (b.model.nq, b.model.nv()), "{name}");
    if a.model.nv() == 0 {
        return;
    }
    let (q, v) = state(&a.model);
    let (x, y) = (Ours::at(&a.model, &q, &v), Ours::at(&b.model, &q, &v));
    let mut worst = Worst::new(name);
    worst.mass_matrix(&y.M, &x.M);
    worst.vector_above("bias", &y.bias, &x.bias, 1e-3 * x.kinetic);
    worst.vector_above("com", &y.com.to_array(), &x.com.to_array(), 1.0);
    worst.scalar("kinetic", y.kinetic, x.kinetic);
    worst.vector("mass", &[b.model.total_mass()], &[a.model.total_mass()]);
    let energy = |o: &Ours| o.potential + o.springs;
    worst.vector_above("potential", &[energy(&y)], &[energy(&x)], 1.0);
    assert!(worst.errors().iter().all(|(_, e)| *e <= TOLERANCE), "{worst:?}");
}

fn options_of(path: &str) -> LoadOptions {
    // Drawings are many and large: those of some robots stand for all.
    let visuals = ["panda", "car", "robosimian"].iter().any(|name| path.contains(name));
    LoadOptions { free_base: path.contains("solo12"), visuals, ..LoadOptions::default() }
}

#[test]
fn as_mjcf_and_back() {
    let folder = Folder::new("mjcf");
    for path in ROBOTS {
        let Some(file) = data(path) else { continue };
        let world = read(&file, &options_of(path));
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let written = stiction_models::to_mjcf(&world, stem);
        let target = folder.0.join(path.replace('/', "_")).with_extension("xml");
        let back = again(&written, &target, &LoadOptions::default());
        same_dynamics(path, &world, &back);
        details::same_but_names(path, &world, &back);
    }
}

#[test]
fn as_urdf_and_back() {
    let folder = Folder::new("urdf");
    for path in ROBOTS {
        let Some(file) = data(path) else { continue };
        let world = read(&file, &options_of(path));
        // Balls are other coordinates in URDF.
        if world.model.joints.iter().any(|j| j.kind == JointKind::Ball) {
            continue;
        }
        let stem = path.replace(['/', '.'], "_");
        let written = stiction_models::to_urdf(&world, &stem);
        let free_base = written.notes.iter().any(|n| n.contains("--free-base"));
        let srdf = written.files.iter().find(|f| f.0.ends_with(".srdf")).map(|f| folder.0.join(&f.0));
        let gravity = Some(world.model.gravity);
        let options = LoadOptions { free_base, srdf, gravity, ..LoadOptions::default() };
        let back = again(&written, &folder.0.join(&stem).with_extension("urdf"), &options);
        same_dynamics(path, &world, &back);
        details::same_shapes(path, &world, &back);
        assert_eq!(world.keyframes.len(), back.keyframes.len(), "{path}");
    }
}

#[test]
fn sdf_becomes_mjcf_and_urdf() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdf");
    let options = LoadOptions { package_dirs: vec![here.join("models")], ..LoadOptions::default() };
    let folder = Folder::new("sdf");
    for file in ["pair", "old", "world"] {
        let world = read(&here.join(file).with_extension("sdf"), &options);
        let written = stiction_models::to_mjcf(&world, file);
        let back = again(&written, &folder.0.join(file).with_extension("xml"), &LoadOptions::default());
        same_dynamics(file, &world, &back);
        details::same_but_names(file, &world, &back);
        let written = stiction_models::to_urdf(&world, file);
        let free_base = written.notes.iter().any(|n| n.contains("--free-base"));
        let options = LoadOptions { free_base, gravity: Some(world.model.gravity), ..LoadOptions::default() };
        let back = again(&written, &folder.0.join(file).with_extension("urdf"), &options);
        same_dynamics(file, &world, &back);
    }
}
