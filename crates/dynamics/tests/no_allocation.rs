//! After set-up no algorithm allocates: counted by the allocator itself.
#![allow(non_snake_case)]
// as in the crate: capitals carry meaning
// A global allocator can only be replaced through an unsafe trait; this one forwards to the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction_dynamics::spatial::{Force, Inertia, Motion, Pose, Sym3, Vec3, vec3};
use stiction_dynamics::*;

struct Counting;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The only test of this binary, so that no other thread allocates meanwhile.
#[test]
fn nothing_allocates_after_set_up() {
    let mut b = ModelBuilder::new();
    let inertia = Inertia::new(1.0, vec3(0.0, 0.1, -0.2), Sym3::diagonal(0.1, 0.2, 0.15));
    let trunk = b.link("trunk", None, Pose::IDENTITY, inertia);
    b.joint(trunk, JointSpec::new("free", JointKind::Free, Vec3::Z));
    for (k, kind) in
        [JointKind::Ball, JointKind::Hinge, JointKind::Slide, JointKind::Screw].into_iter().enumerate()
    {
        let limb = b.link(format!("limb{k}"), Some(trunk), Pose::from_translation(Vec3::X), inertia);
        b.joint(limb, JointSpec::new(format!("joint{k}"), kind, Vec3::Y));
    }
    let model = b.build(vec3(0.0, 0.0, -9.81)).unwrap();

    let (q, v) = (model.neutral(), vec![0.5; model.nv()]);
    let mut q_next = q.clone();
    let (mut tau, mut a) = (v.clone(), v.clone());
    let (mut kin, mut vel) = (Kinematics::new(&model), Velocities::new(&model));
    let (mut M, mut factor) = (MassMatrix::new(&model), Factor::new(&model));
    let (mut crba, mut rnea) = (CrbaWorkspace::new(&model), RneaWorkspace::new(&model));
    let mut aba = AbaWorkspace::new(&model);
    let (mut J, mut J6) = (vec![Vec3::ZERO; model.nv()], vec![Motion::ZERO; model.nv()]);
    let chain: Vec<usize> = model.chain(Some(2)).collect();

    let frame = model.links.len() - 1;
    let gear = Gear::mimic(model.joints.len() - 1, model.joints.len() - 2, 0.5, 0.1);
    let reduction = Reduction::new(&model, &[gear]).unwrap();
    let mut reduced = ReducedWorkspace::new(&model, &reduction);
    let (mut q_r, mut tau_r) = (vec![0.0; reduction.nq()], vec![0.0; reduction.nv()]);
    let mut a_r = tau_r.clone();

    let mut ik = InverseKinematics::new(&model);
    let asked =
        [Target::pose(frame, Pose::from_translation(vec3(1.2, 0.4, -0.1))), Target::position(1, Vec3::X)];
    let params = IkParams { restarts: 2, iterations: 20, ..IkParams::default() };
    let mut q_ik = model.neutral();
    ik.solve(&model, &asked, Some(&q), &params, &mut q_ik).unwrap();
    let (mut rates, mut acc) = (ColumnRates::new(&model), Accelerations::new(&model));
    let (mut inverse, mut direct) = (RneaDerivatives::new(&model), AbaDerivatives::new(&model));
    let (mut external, loads) = (ExternalForces::new(&model), vec![Force::ZERO; model.bodies.len()]);
    let (mut point, mut inverse_mass) = (PointDerivatives::new(&model), InverseMass::new(&model));
    let (mut coriolis, mut centroidal) = (CoriolisMatrix::new(&model), Centroidal::new(&model));
    let (mut regressor, mut gravity) = (Regressor::new(&model), GravityWorkspace::new(&model));

    let before = ALLOCATIONS.load(Ordering::Relaxed);
    kin.update(&model, &q);
    vel.update(&model, &kin, &v);
    crba_into(&model, &kin, &mut crba, &mut M);
    bias_into(&model, &kin, &vel, &mut rnea, &mut tau);
    rnea_into(&model, &kin, &vel, &v, &mut rnea, &mut tau);
    aba_into(&model, &kin, &vel, &tau, &mut aba, &mut a);
    let sound = factor.factor(&M).is_ok();
    factor.solve_in_place(&mut tau);
    factor.half_solve_chain_in_place(&chain, &mut tau);
    M.mul_into(&v, &mut tau);
    point_jacobian_into(&model, &kin, Some(2), Vec3::ZERO, &mut J);
    body_jacobian_into(&model, &kin, Some(2), &mut J6);
    rates.update(&model, &kin, &vel, &v);
    acc.update(&model, &kin, &vel, &rates, &v, &a);
    external.update(&kin, &loads);
    inverse.update(&model, &kin, &vel, &rates, &acc);
    let sound = sound && direct.update(&model, &kin, &vel, &v, &tau, Some(&external)).is_ok();
    point.update(&model, &kin, &vel, &rates, &acc, 2, Vec3::ZERO);
    inverse_mass.update(&factor);
    coriolis.update(&kin, &vel, &rates);
    centroidal.update(&model, &kin, &vel);
    regressor.update(&model, &kin, &vel, &acc);
    gravity_into(&model, &kin, &mut gravity, &mut tau);
    point_jacobian_rate_into(&model, &kin, &vel, &rates, Some(2), Vec3::ZERO, &mut J);
    body_jacobian_rate_into(&model, &kin, &vel, &rates, Some(2), &mut J6);
    integrate_into(&model, &q, &v, 0.01, &mut q_next);
    difference_into(&model, &q, &q_next, 0.01, &mut a);
    normalize(&model, &mut q_next);
    frame_jacobian_into(&model, &kin, frame, Axes::Local, &mut J6);
    let acceleration = frame_classical_acceleration(&model, &kin, &vel, &a, frame, Axes::World);
    reduction.independent_into(&q, &mut q_r);
    reduction.configuration_into(&q_r, &mut q_next);
    reduced_inverse_dynamics_into(&model, &reduction, &kin, &vel, &a_r, &mut reduced, &mut tau_r);
    let tau_r = &tau_r;
    let geared = reduced_forward_dynamics_into(&model, &reduction, &kin, &vel, tau_r, &mut reduced, &mut a_r);
    let solved = ik.solve(&model, &asked, Some(&q), &params, &mut q_ik);
    let energy = kinetic_energy(&model, &kin, &vel, &v) + potential_energy(&model, &kin);
    let momentum = momentum(&model, &kin, &vel);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
    assert!(solved.is_ok() && geared.is_ok() && acceleration.linear.is_finite());
    assert!(sound && energy.is_finite() && momentum.linear.is_finite());
}
