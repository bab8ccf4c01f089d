//! A step on threads allocates nothing once everything has been met, on none of them: counted, not believed.

// A counting allocator is an `unsafe impl`; it forwards to the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Pose, vec3};
use stiction::world::Material;
use stiction::{Composer, FreeBody, Settings, Simulation, State, UNCOLOURED};

/// Of all threads: this file holds one test.
static COUNT: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: every call is forwarded unchanged to `System`; counting touches no memory of theirs.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is ours.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is ours.
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is ours.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pairs of boxes that slide and topple, from the same start twice: the second time nothing is new.
#[test]
fn a_step_on_two_threads_after_warm_up_allocates_nothing() {
    let mut c = Composer::new("pairs", vec3(0.0, 0.0, -9.81)).unwrap();
    let rough = Material { friction: 0.5, ..Material::default() };
    c.fixed("ground", Shape::Plane, Pose::IDENTITY, rough, UNCOLOURED).unwrap();
    for k in 0..16 {
        let (pair, floor) = (k / 2, f64::from(k % 2));
        let pose = Pose::from_translation(vec3(f64::from(pair), 0.03 * floor, 0.1 + 0.2 * floor));
        let shape = Shape::Box { half: vec3(0.1, 0.1, 0.1) };
        let mut body = FreeBody { material: rough, ..FreeBody::new(format!("box {k}"), shape, 1.0, pose) };
        body.velocity = vec3(0.0, 0.5 + 0.1 * f64::from(pair), 0.0);
        body.angular_velocity = vec3(2.0 * floor, 0.0, 1.0);
        c.body(body).unwrap();
    }
    let (world, start) = c.finish();
    let settings = Settings { threads: 2, ..Settings::default() };
    let mut sim = Simulation::new(world, start.clone(), settings).unwrap();
    let mut run = |start: State| -> u64 {
        sim.set_state(start).unwrap();
        let (before, mut contacts) = (COUNT.load(Ordering::Relaxed), 0);
        for _ in 0..300 {
            let report = sim.step();
            assert!(report.failure().is_none());
            contacts += report.contacts;
        }
        assert!(contacts > 300 * 16, "the boxes must have touched");
        COUNT.load(Ordering::Relaxed) - before
    };
    assert!(run(start.clone()) > 0, "the first time all is new");
    let again = start.clone();
    run(start);
    assert_eq!(run(again), 0, "allocations in 300 steps on two threads");
}
