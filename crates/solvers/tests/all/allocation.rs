//! Once sized, solving and certifying allocate nothing.

// A counting allocator is the only way to know.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use stiction_contact::{Cone, ConstraintProblem, Judge};
use stiction_solvers::{Common, all, make};

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // During thread teardown there is nothing left to count.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Feet on a trunk: four coupled contacts and a limit, in a step that slides a little.
fn step(problem: &mut ConstraintProblem, time: f64) {
    problem.clear();
    for k in 0..4 {
        let phase = time + f64::from(k);
        problem.push(
            Cone::Friction { mu: 0.6 },
            &[0.3 * phase.sin(), 0.2 * phase.cos(), -0.01 - 0.005 * phase.sin()],
        );
    }
    problem.push(Cone::NonNegative, &[-0.1 * time.cos()]);
    let (start, blocks) = problem.starts_and_blocks_mut();
    blocks.set_pattern(start, |_, out| out.extend(0..5));
    for i in 0..5 {
        for k in blocks.entries(i) {
            let diagonal = blocks.column_of(k) == i;
            let width = if blocks.column_of(k) == 4 { 1 } else { 3 };
            for (n, v) in blocks.entry_mut(k).iter_mut().enumerate() {
                let own = if n / width == n % width { 0.2 + if diagonal { 2.0 } else { 0.0 } } else { 0.05 };
                *v = own;
            }
        }
    }
}

/// Built anew by another crate for every solve.
const ALLOCATING: [&str; 1] = ["ccp-ipm"];

#[test]
fn nothing_is_allocated_once_sized() {
    for entry in all().iter().filter(|e| !ALLOCATING.contains(&e.name)) {
        let mut solver = make(entry.name, &Common { tolerance: 1e-12, max_iterations: 300 }).unwrap();
        let (mut problem, mut judge) = (ConstraintProblem::default(), Judge::default());
        let mut impulses = vec![0.0; 13];
        let mut run = |steps: std::ops::Range<u32>| {
            for k in steps {
                step(&mut problem, 0.37 * f64::from(k));
                if k % 5 == 0 {
                    impulses.fill(0.0);
                }
                solver.solve(&problem, &mut impulses);
                assert!(judge.certify(&problem, &impulses).is_finite());
            }
        };
        run(0..40);
        let before = COUNT.get();
        run(40..200);
        assert_eq!(COUNT.get() - before, 0, "{} allocates", entry.name);
    }
}
