//! Scenes whose answer is known: the exact solvers must give it, at a natural map of at most
//! 1e-8 m/s at every step, and the relaxed one must err the way its law says.

// Capitals carry meaning: X_WB is a pose, I an inertia.
#![allow(non_snake_case)]
// Helpers of tests may panic as tests do.
#![allow(clippy::unwrap_used)]

mod anisotropy;
mod compliance;
mod free;
mod friction;
mod grasp;
mod higher_order;
mod impact;
mod joints;
mod linkages;
mod loops;
mod meshes;
mod robust;
mod rolling;
mod seams;
mod second_order;
mod several_answers;
mod soft_loops;
mod stacks;
mod stated;
mod tips;
mod turning;
mod worlds;
mod yielding;
