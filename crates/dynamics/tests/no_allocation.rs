//! After set-up no algorithm allocates: counted by the allocator itself.
#![allow(non_snake_case)]
// as in the crate: capitals carry meaning
// A global allocator can only be replaced through an unsafe trait; this one forwards to the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction_dynamics::spatial::{Inertia, Motion, Pose, Sym3, Vec3, vec3};
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
    integrate_into(&model, &q, &v, 0.01, &mut q_next);
    difference_into(&model, &q, &q_next, 0.01, &mut a);
    normalize(&model, &mut q_next);
    let energy = kinetic_energy(&model, &kin, &vel, &v) + potential_energy(&model, &kin);
    let momentum = momentum(&model, &kin, &vel);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
    assert!(sound && energy.is_finite() && momentum.linear.is_finite());
}
