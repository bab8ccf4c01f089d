//! Inertia matrix, bias force, centre of mass and energies of well-known robots, against
//! Pinocchio (URDF) and MuJoCo (MJCF).
//!
//! The models and their references are not part of this repository. They are looked for in the
//! folder `STICTION_DATA`, else in `../shared/data` beside the workspace; where they are absent,
//! these tests say so and check nothing.
//!
//! Zero of the potential energy: both libraries and we put zero height at the world origin. Links
//! fixed to the world count in MuJoCo's, not in Pinocchio's nor in ours; MuJoCo's also holds the
//! joint springs. The test adds both to ours.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(non_snake_case)]

use crate::common;
pub(crate) mod numbers;
pub(crate) mod worst;

use common::data;
use numbers::Ours;
use serde_json::Value;
use std::path::Path;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::{Quat, Vec3, vec3};
use stiction_models::{LoadOptions, load};
use stiction_world::World;
use worst::Worst;

const TOLERANCE: f64 = 1e-9;

fn json(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(v: &Value) -> Vec<Vec<f64>> {
    v.as_array().unwrap().iter().map(numbers).collect()
}

/// Checks a URDF against a Pinocchio reference.
///
/// Pinocchio's velocity of a free-flyer is (R_WBᵀ v, ω), both in body axes, ours (v, ω) with v in
/// world axes; joints may be in another order. With v_pin = T(q) v_ours, power vᵀτ and energy
/// ½ vᵀ M v being the same,
///
/// ```text
///     M_ours = Tᵀ M_pin T                                                  (1)
///     v̇_pin = T v̇_ours + Ṫ v_ours,   so   b_ours = Tᵀ (b_pin + M_pin Ṫ v_ours)   (2)
///     Ṫ v_ours: d/dt(R_WBᵀ) v = −ω × (R_WBᵀ v) in the linear rows, else 0        (3)
/// ```
fn urdf(folder: &str, name: &str) -> Option<Worst> {
    let file = data(&format!("robots/{folder}/{name}.urdf"))?;
    let reference = json(&data(&format!("robots/{folder}/{name}.reference.json"))?);
    let free = reference["base"] == "free_flyer";
    let world = load(&file, &LoadOptions { free_base: free, visuals: false, ..LoadOptions::default() });
    let world = world.unwrap_or_else(|e| panic!("{e}"));
    let model = &world.model;
    let nv = model.nv();
    assert_eq!(nv, reference["nv"].as_u64().unwrap() as usize, "{name}: dofs");

    // Of every dof of Pinocchio: our dof and the coordinates of both.
    let index = |key: &str, i: usize| reference[key][i].as_u64().unwrap() as usize;
    let mut dof = vec![0; nv];
    let mut coordinates = Vec::new();
    for (i, joint) in reference["joint_names"].as_array().unwrap().iter().enumerate() {
        let ours = if free && i == 0 { "floating_base" } else { joint.as_str().unwrap() };
        let joint = &model.joints[model.joint_named(ours).unwrap_or_else(|| panic!("{name}: {ours}"))];
        for k in 0..joint.kind.nv() {
            dof[index("idx_v", i) + k] = joint.idx_v + k;
        }
        let continuous = reference["joint_types"][i].as_str().unwrap().contains("Unbounded");
        coordinates.push((index("idx_q", i), joint.idx_q, joint.kind, continuous));
    }
    let mut worst = Worst::new(&world.name);
    worst.scalar("mass", model.moving_mass(), reference["total_mass"].as_f64().unwrap());
    for state in reference["states"].as_array().unwrap() {
        let (q_pin, v_pin) = (numbers(&state["q"]), numbers(&state["v"]));
        let mut q = model.neutral();
        let mut R = Quat::IDENTITY;
        for &(from, to, kind, continuous) in &coordinates {
            match kind {
                JointKind::Free => {
                    q[to..to + 3].copy_from_slice(&q_pin[from..from + 3]);
                    let [x, y, z, w] = [0, 1, 2, 3].map(|k| q_pin[from + 3 + k]);
                    R = Quat::new(w, x, y, z).renormalized();
                    q[to + 3..to + 7].copy_from_slice(&[w, x, y, z]);
                }
                // Pinocchio writes an unlimited joint as (cos, sin).
                _ if continuous => q[to] = q_pin[from + 1].atan2(q_pin[from]),
                _ => q[to] = q_pin[from],
            }
        }
        let (M_pin, nle) = (matrix(&state["M"]), numbers(&state["nle"]));
        // Columns of T, by our dof, in Pinocchio's order.
        let R_WB = R.to_matrix();
        let mut T = vec![vec![0.0; nv]; nv];
        for (row, &col) in dof.iter().enumerate() {
            T[row][col] = 1.0;
        }
        if free {
            for (row, T_row) in T.iter_mut().take(3).enumerate() {
                for col in 0..3 {
                    T_row[dof[col]] = R_WB.rows[col][row];
                }
            }
        }
        let mut v = vec![0.0; nv];
        for (row, &col) in dof.iter().enumerate() {
            v[col] = v_pin[row];
        }
        let mut T_dot_v = vec![0.0; nv];
        if free {
            let linear = Vec3::from([v_pin[0], v_pin[1], v_pin[2]]);
            let angular = Vec3::from([v_pin[3], v_pin[4], v_pin[5]]);
            let in_world = R.rotate(linear).to_array();
            for k in 0..3 {
                v[dof[k]] = in_world[k];
            }
            T_dot_v[..3].copy_from_slice(&(-angular.cross(linear)).to_array()); // (3)
        }
        let times = |a: &[Vec<f64>], x: &[f64]| -> Vec<f64> {
            a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
        };
        let transposed = |a: &[Vec<f64>]| -> Vec<Vec<f64>> {
            (0..nv).map(|j| (0..nv).map(|i| a[i][j]).collect()).collect()
        };
        let T_t = transposed(&T);
        // (1), column by column: M_pin T.
        let MT: Vec<Vec<f64>> = transposed(&T_t.iter().map(|col| times(&M_pin, col)).collect::<Vec<_>>());
        let M: Vec<Vec<f64>> = transposed(
            &(0..nv).map(|j| times(&T_t, &MT.iter().map(|r| r[j]).collect::<Vec<_>>())).collect::<Vec<_>>(),
        );
        let shifted: Vec<f64> = nle.iter().zip(times(&M_pin, &T_dot_v)).map(|(a, b)| a + b).collect();
        let bias = times(&T_t, &shifted); // (2)

        let ours = Ours::at(model, &q, &v);
        worst.mass_matrix(&ours.M, &M);
        worst.vector("bias", &ours.bias, &bias);
        worst.scalar("kinetic", ours.kinetic, state["kinetic"].as_f64().unwrap());
        worst.scalar("potential", ours.potential, state["potential"].as_f64().unwrap());
        worst.vector("com", &ours.com.to_array(), &numbers(&state["com"]));
    }
    print(name, &worst);
    Some(worst)
}

/// Mass and first moment of the links fixed to the world.
fn fixed(world: &World) -> (f64, Vec3) {
    let mut sum = (0.0, vec3(0.0, 0.0, 0.0));
    for link in world.model.links.iter().filter(|l| l.body.is_none()) {
        sum.0 += link.inertia.mass;
        sum.1 += link.X_BL.transform(link.inertia.com()) * link.inertia.mass;
    }
    sum
}

fn print(name: &str, worst: &Worst) {
    let errors: Vec<_> = worst.errors().iter().map(|(what, e)| format!("{what} {e:.1e}")).collect();
    println!("{name:24} {}", errors.join("  "));
}

fn check(worst: Option<Worst>) {
    if let Some(worst) = worst {
        assert!(worst.errors().iter().all(|(_, e)| *e <= TOLERANCE), "{worst:?}");
    }
}

#[test]
fn solo12() {
    check(urdf("solo12", "solo12"));
}

#[test]
fn iiwa14() {
    check(urdf("iiwa14", "iiwa14"));
}

#[test]
fn allegro_hand() {
    check(urdf("allegro_hand", "allegro_right"));
}

#[test]
fn robosimian() {
    check(urdf("robosimian", "robosimian_caesar_new"));
    check(urdf("robosimian", "robosimian_caesar_new_2D"));
    check(urdf("robosimian", "robosimian_caesar_new_all_active"));
}

/// Checks an MJCF file against MuJoCo's numbers, whose conventions are ours.
fn mjcf(file: &str, reference: &str) -> Option<Worst> {
    let file = data(file)?;
    let reference = json(&data(reference)?);
    let world = load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let model = &world.model;
    let size = |key: &str| reference[key].as_u64().unwrap() as usize;
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    assert_eq!((model.nq, model.nv()), (size("nq"), size("nv")), "{name}: coordinates");
    assert_eq!(model.links.len(), size("nbody") - 1, "{name}: bodies");
    assert_eq!(world.actuators.len(), size("nu"), "{name}: actuators");
    let mut worst = Worst::new(&name);
    for (link, theirs) in model.links.iter().zip(reference["body_mass"].as_array().unwrap().iter().skip(1)) {
        worst.scalar("masses", link.inertia.mass, theirs.as_f64().unwrap());
    }
    worst.vector("qpos0", &model.neutral(), &numbers(&reference["qpos0"]));
    let (_, fixed_moment) = fixed(&world);
    for state in reference["states"].as_array().unwrap() {
        let ours = Ours::at(model, &numbers(&state["qpos"]), &numbers(&state["qvel"]));
        worst.mass_matrix(&ours.M, &matrix(&state["M"]));
        // Free balls without weight have no bias force at all.
        worst.vector_above("bias", &ours.bias, &numbers(&state["qfrc_bias"]), 1e-3 * ours.kinetic);
        worst.scalar("kinetic", ours.kinetic, state["energy_vel"].as_f64().unwrap());
        let potential = ours.potential + ours.springs - model.gravity.dot(fixed_moment);
        worst.scalar("potential", potential, state["energy_pos"].as_f64().unwrap());
    }
    print(&name, &worst);
    Some(worst)
}

#[test]
fn mujoco_robots() {
    for (folder, name) in
        [("a1_mjcf", "a1"), ("anymal_c_mjcf", "anymal_c"), ("panda_mjcf", "panda"), ("cassie_mjcf", "cassie")]
    {
        check(mjcf(
            &format!("robots/{folder}/{name}.xml"),
            &format!("robots/{folder}/{name}.reference.json"),
        ));
    }
}

#[test]
fn mujoco_humanoid() {
    check(mjcf("mjcf/model/humanoid/humanoid.xml", "mjcf/reference/model__humanoid__humanoid.json"));
}

#[test]
fn mujoco_models() {
    for path in [
        "model/car/car",
        "model/replicate/bowl",
        "model/replicate/cylinder",
        "model/replicate/helix",
        "model/replicate/newton_cradle",
        "model/slider_crank/slider_crank",
        "test/collision_box/boxbox_bad0",
        "test/collision_convex/capsule_mesh",
        "test/collision_convex/cylinder_box",
        "test/collision_driver/planks",
        "test/collision_primitive/sphere_cylinder",
        "test/connect",
        "test/core_constraint/jdotv_connect_3d",
        "test/core_constraint/surfacevel_conveyor",
        "test/core_smooth/rne_post/connect/force_slide",
        "test/island/abacus",
        "test/sleep/contactpair",
    ] {
        let reference = format!("mjcf/reference/{}.json", path.replace('/', "__"));
        check(mjcf(&format!("mjcf/{path}.xml"), &reference));
    }
}
