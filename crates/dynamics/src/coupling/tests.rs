//! Against constraint rows, by hand, and by identities.

use super::*;
use crate::spatial::{Inertia, Pose, Sym3, Vec3, vec3};
use crate::testing::*;
use crate::{JointKind, JointSpec, Kinematics, ModelBuilder, Velocities};

/// Receipts at q = Γ(q_r), v = G v_r, and v.
fn receipts(
    model: &Model,
    reduction: &Reduction,
    q_r: &[f64],
    v_r: &[f64],
) -> (Kinematics, Velocities, Vec<f64>) {
    let (mut q, mut v) = (model.neutral(), vec![0.0; model.nv()]);
    reduction.configuration_into(q_r, &mut q);
    reduction.expand_into(v_r, &mut v);
    let (kin, vel) = at(model, &q, &v);
    (kin, vel, v)
}

fn forward(
    model: &Model,
    reduction: &Reduction,
    kin: &Kinematics,
    vel: &Velocities,
    tau_r: &[f64],
) -> Vec<f64> {
    let mut w = ReducedWorkspace::new(model, reduction);
    let mut a_r = vec![0.0; reduction.nv()];
    reduced_forward_dynamics_into(model, reduction, kin, vel, tau_r, &mut w, &mut a_r).unwrap();
    a_r
}

/// Gears between scalar joints of a forest: a mimic, a mimic of it, a differential of three.
fn geared_forest(seed: u64) -> (Model, Reduction) {
    let model = random_trees(seed, 16);
    let scalar: Vec<usize> = (0..model.joints.len()).filter(|&j| model.joints[j].kind.is_scalar()).collect();
    let gears = [
        Gear::mimic(scalar[7], scalar[4], -1.5, 0.1),
        Gear::mimic(scalar[4], scalar[0], 0.7, -0.2),
        Gear {
            joint: scalar[2],
            terms: vec![(scalar[7], 0.5), (scalar[5], -2.0), (scalar[5], 1.0)],
            offset: 0.3,
        },
    ];
    let reduction = Reduction::new(&model, &gears).unwrap();
    assert_eq!((reduction.nq() + 3, reduction.nv() + 3), (model.nq, model.nv()));
    (model, reduction)
}

fn state_of(model: &Model, reduction: &Reduction, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut q_r = vec![0.0; reduction.nq()];
    reduction.independent_into(&random_state(model, seed).0, &mut q_r);
    (q_r, Dice::new(seed).vector(reduction.nv()))
}

/// Accelerations by the other way: M a + b = τ + Kᵀ λ and K a = 0 with a row e_i − Σ r_ij e_j per gear, solved
/// densely. K is made of the differences q_i − Γ_i, not of G.
#[test]
fn agrees_with_constraint_rows() {
    let (model, reduction) = geared_forest(90);
    let (q_r, v_r) = state_of(&model, &reduction, 90);
    let (kin, vel, _) = receipts(&model, &reduction, &q_r, &v_r);
    let (n, tau) = (model.nv(), Dice::new(91).vector(model.nv()));
    let scalar: Vec<usize> = model.joints.iter().filter(|j| j.kind.is_scalar()).map(|j| j.idx_v).collect();
    let rows: [&[(usize, f64)]; 3] = [
        &[(scalar[7], 1.0), (scalar[4], 1.5)],
        &[(scalar[4], 1.0), (scalar[0], -0.7)],
        &[(scalar[2], 1.0), (scalar[7], -0.5), (scalar[5], 1.0)],
    ];
    let factor = factored(&model, &mass_matrix(&model, &kin));
    let mut a = plus(&tau, &bias(&model, &kin, &vel), -1.0);
    factor.solve_in_place(&mut a);
    let times = |row: &[(usize, f64)], x: &[f64]| row.iter().map(|(i, c)| c * x[*i]).sum::<f64>();
    let columns: Vec<Vec<f64>> = (rows.iter())
        .map(|row| {
            let mut y = vec![0.0; n];
            row.iter().for_each(|(i, c)| y[*i] = *c);
            factor.solve_in_place(&mut y);
            y
        })
        .collect();
    let mut K_Minv_Kt: Vec<f64> = rows.iter().flat_map(|row| columns.iter().map(|y| times(row, y))).collect();
    let mut lambda = rows.map(|row| -times(row, &a));
    crate::dense::cholesky(&mut K_Minv_Kt, 3).unwrap();
    crate::dense::cholesky_solve(&K_Minv_Kt, 3, &mut lambda);
    for (y, lambda) in columns.iter().zip(lambda) {
        a = plus(&a, y, lambda);
    }
    let mut tau_r = vec![0.0; reduction.nv()];
    reduction.project_into(&tau, &mut tau_r);
    let mut geared = vec![0.0; n];
    reduction.expand_into(&forward(&model, &reduction, &kin, &vel, &tau_r), &mut geared);
    assert_close(&geared, &a, 1e-11);
}

/// Forward undoes inverse; ½ v_rᵀ Gᵀ M G v_r is the kinetic energy; power drives the energy.
#[test]
fn identities_of_the_reduced_equations() {
    let ((model, reduction), h) = (geared_forest(92), 1e-5);
    let (q_r, v_r) = state_of(&model, &reduction, 92);
    let (kin, vel, v) = receipts(&model, &reduction, &q_r, &v_r);
    let n = reduction.nv();
    let a_r = Dice::new(93).vector(n);
    let (mut w, mut tau_r) = (ReducedWorkspace::new(&model, &reduction), vec![0.0; n]);
    reduced_inverse_dynamics_into(&model, &reduction, &kin, &vel, &a_r, &mut w, &mut tau_r);
    assert_close(&forward(&model, &reduction, &kin, &vel, &tau_r), &a_r, 1e-11);
    let mut M_r = vec![0.0; n * n];
    reduction.mass_matrix_into(&mass_matrix(&model, &kin), &mut M_r);
    let twice: f64 = (0..n).map(|i| v_r[i] * dot(&M_r[i * n..(i + 1) * n], &v_r)).sum();
    assert_close(&[0.5 * twice], &[crate::kinetic_energy(&model, &kin, &vel, &v)], 1e-13);
    let mut bias_r = vec![0.0; n];
    reduced_bias_into(&model, &reduction, &kin, &vel, &mut w, &mut bias_r);
    let Ma: Vec<f64> = (0..n).map(|i| dot(&M_r[i * n..(i + 1) * n], &a_r)).collect();
    assert_close(&plus(&Ma, &bias_r, 1.0), &tau_r, 1e-13);
    // Moving q along G v keeps to the gears: Γ is integrable.
    let energy = |h: f64| {
        let mut q = model.neutral();
        reduction.configuration_into(&q_r, &mut q);
        let q = moved(&model, &q, &plus(&v, &expanded(&reduction, &a_r), 0.5 * h), h);
        let v = plus(&v, &expanded(&reduction, &a_r), h);
        let (kin, vel) = at(&model, &q, &v);
        crate::kinetic_energy(&model, &kin, &vel, &v) + crate::potential_energy(&model, &kin)
    };
    assert_close(&[dot(&v_r, &tau_r)], &[(energy(h) - energy(-h)) / (2.0 * h)], 1e-7);
}

fn expanded(reduction: &Reduction, a_r: &[f64]) -> Vec<f64> {
    let mut a = vec![0.0; reduction.rows.len()];
    reduction.expand_into(a_r, &mut a);
    a
}

/// A crank with a rotor of 0.02 kg·m² lifts a rack of 3 kg by a pinion of radius r = 0.1 m,
/// z = r θ, and turns a wheel of 0.5 kg·m² by θ_w = −2 θ + 1. By Lagrange:
/// (I + 0.02 + m r² + 4 · 0.5) θ̈ = τ − m g r.
#[test]
fn rack_and_pinion_by_hand() {
    let mut b = ModelBuilder::new();
    let disc = |i| Inertia::new(1.0, Vec3::ZERO, Sym3::diagonal(i, i, i));
    let crank = b.link("crank", None, Pose::IDENTITY, disc(0.3));
    b.joint(crank, JointSpec::hinge("crank", Vec3::Y).with_rotor(0.02 / 16.0, 4.0));
    let rack = b.link("rack", None, Pose::IDENTITY, Inertia::new(3.0, vec3(0.0, 0.2, 0.0), Sym3::ZERO));
    b.joint(rack, JointSpec::slide("rack", Vec3::Z));
    let wheel = b.link("wheel", None, Pose::IDENTITY, disc(0.5));
    b.joint(wheel, JointSpec::hinge("wheel", Vec3::X));
    let model = b.build(GRAVITY).unwrap();
    let gears = [Gear::mimic(1, 0, 0.1, 0.0), Gear::mimic(2, 0, -2.0, 1.0)];
    let reduction = Reduction::new(&model, &gears).unwrap();
    let (kin, vel, _) = receipts(&model, &reduction, &[0.4], &[2.0]);
    assert!((kin.X_WB[1].translation.z - 0.04).abs() < 1e-16);
    let expected = (5.0 - 3.0 * 9.81 * 0.1) / (0.3 + 0.02 + 3.0 * 0.01 + 4.0 * 0.5);
    assert_close(&forward(&model, &reduction, &kin, &vel, &[5.0]), &[expected], 1e-14);
}

/// A screw is a cylindrical joint whose slide follows its turning by the pitch.
#[test]
fn a_screw_is_a_geared_cylinder() {
    let axis = vec3(0.2, -0.5, 0.8);
    let build = |joints: &[JointSpec]| {
        let (mut d, mut b) = (Dice::new(94), ModelBuilder::new());
        let base = b.link("base", None, d.pose(), d.inertia());
        b.joint(base, JointSpec::hinge("base", Vec3::X));
        let nut = b.link("nut", Some(base), d.pose(), d.inertia());
        joints.iter().for_each(|j| b.joint(nut, j.clone().at(Vec3::Y)));
        b.build(GRAVITY).unwrap()
    };
    let screw = build(&[JointSpec::screw("screw", axis, -0.3)]);
    let cylinder = build(&JointSpec::cylindrical("cylinder", axis));
    let reduction = Reduction::new(&cylinder, &[Gear::mimic(1, 2, -0.3, 0.0)]).unwrap();
    let (q, v, tau) = ([0.7, 1.9], [-0.8, 2.2], [0.3, 0.6]);
    let (kin, vel, _) = receipts(&cylinder, &reduction, &q, &v);
    let geared = forward(&cylinder, &reduction, &kin, &vel, &tau);
    let (kin, vel) = at(&screw, &q, &v);
    let mut a = [0.0; 2];
    crate::aba_into(&screw, &kin, &vel, &tau, &mut crate::AbaWorkspace::new(&screw), &mut a);
    assert_close(&geared, &a, 1e-12);
}

#[test]
fn mistakes_are_named() {
    let mut b = ModelBuilder::new();
    for name in ["a", "b", "c", "d"] {
        let link = b.link(name, None, Pose::IDENTITY, Dice::new(1).inertia());
        let kind = if name == "d" { JointKind::Ball } else { JointKind::Hinge };
        b.joint(link, JointSpec::new(name, kind, Vec3::Z));
    }
    let model = b.build(GRAVITY).unwrap();
    let error = |gears: &[Gear]| Reduction::new(&model, gears).unwrap_err().to_string();
    let mimic = |joint, leader| Gear::mimic(joint, leader, 1.0, 0.0);
    assert!(error(&[mimic(0, 1), mimic(1, 2), mimic(2, 1)]).contains("`b` follows `c`"));
    assert!(error(&[mimic(0, 0)]).contains("circle: `a`"));
    assert!(error(&[mimic(0, 1), mimic(0, 2)]).contains("two gears"));
    assert!(error(&[mimic(0, 3)]).contains("`d` cannot be geared"));
    assert!(error(&[mimic(7, 0)]).contains("joint 7"));
    assert!(error(&[Gear::mimic(0, 1, f64::NAN, 0.0)]).contains("ratio is NaN"));
    let steep = |joint, leader| Gear::mimic(joint, leader, 1e200, 0.0);
    assert!(error(&[steep(0, 1), steep(1, 2)]).contains("ratio, resolved, is inf"));
}
