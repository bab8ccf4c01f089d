//! Problems beyond [`super::named`]: Painlevé's rod, a loop, and two large ones.

use super::{Scene, one_contact, push_row};
use crate::cone::Cone;
use crate::problem::ConstraintProblem;
use stiction_dynamics::spatial::{Vec3, vec3};

/// A uniform rod of 1 kg and half length 1 m whose lower end slides on the ground at tan θ = 2, μ = 1.4 > 4/3, with
/// normal velocity `normal` [m/s]. Separating slowly, it may open, stick or slide; approaching, only stick.
pub fn painleve(normal: f64) -> ConstraintProblem {
    let (x, z) = (-1.0 / 5.0_f64.sqrt(), -2.0 / 5.0_f64.sqrt());
    let coupling = -3.0 * x * z; // inertia 1/3
    let a = [1.0 + 3.0 * z * z, 0.0, coupling, 0.0, 4.0, 0.0, coupling, 0.0, 1.0 + 3.0 * x * x];
    one_contact(a, [-10.0, 0.0, normal], 1.4)
}

/// Four bars pinned to a frame, which is pushed over: the lowest lies on the ground. Twelve bilateral rows close
/// the loop.
pub fn linkage() -> ConstraintProblem {
    let mut scene = Scene::default();
    let (long, high) = (vec3(0.5, 0.05, 0.05), vec3(0.05, 0.05, 0.5));
    scene.body(0.5, long, vec3(0.0, 0.0, 0.05));
    scene.body(0.5, high, vec3(0.5, 0.0, 0.55));
    scene.body(0.5, long, vec3(0.0, 0.0, 1.05));
    scene.body(0.5, high, vec3(-0.5, 0.0, 0.55));
    scene.bodies[2].velocity = vec3(0.3, 0.1, 0.0);
    scene.corners(None, 0, 0.4);
    let (mut cones, mut primal) = scene.primal();
    let pins = [vec3(0.5, 0.0, 0.05), vec3(0.5, 0.0, 1.05), vec3(-0.5, 0.0, 1.05), vec3(-0.5, 0.0, 0.05)];
    for (k, pin) in pins.into_iter().enumerate() {
        for axis in [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), Vec3::Z] {
            push_row(&mut primal.jacobian, scene.relative(Some(k), (k + 1) % 4, pin, axis));
            primal.bias.push(0.0);
            cones.push(Cone::Free);
        }
    }
    ConstraintProblem::from_primal(&cones, primal, super::STEP).expect("masses are positive")
}

/// n cubes that do not touch each other, every third at rest, the others sliding and spinning.
pub fn cubes_apart(n: usize) -> ConstraintProblem {
    let mut scene = Scene::default();
    for k in 0..n {
        let b = scene.body(1.0 + k as f64 / 10.0, vec3(0.5, 0.5, 0.5), vec3(2.0 * k as f64, 0.0, 0.5));
        let phase = k as f64;
        if k % 3 > 0 {
            scene.bodies[b].velocity = vec3(phase.cos(), phase.sin(), 0.0);
            scene.bodies[b].spin = vec3(0.0, 0.0, (3.0 * phase).sin());
        }
        scene.corners(None, b, 0.5);
    }
    scene.problem()
}

/// Courses of bricks in running bond, each brick on two; one in the middle of the top is pushed along the wall.
pub fn wall(width: usize, courses: usize) -> ConstraintProblem {
    let half = vec3(0.1, 0.05, 0.04);
    let mut scene = Scene::default();
    for course in 0..courses {
        for k in 0..width {
            let x = 2.0 * half.x * k as f64 + if course % 2 == 1 { half.x } else { 0.0 };
            let b = scene.body(2.0, half, vec3(x, 0.0, half.z * (2 * course + 1) as f64));
            if course == 0 {
                scene.corners(None, b, 0.6);
                continue;
            }
            // Those below: k and its neighbour on the side to which this course is shifted.
            let below = if course % 2 == 1 { [Some(k), Some(k + 1)] } else { [k.checked_sub(1), Some(k)] };
            for (side, at) in [-1.0, 1.0].into_iter().zip(below) {
                let Some(at) = at.filter(|&at| at < width) else { continue };
                for (u, w) in [(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)] {
                    let p = vec3(x + side * u * half.x, w * half.y, 2.0 * half.z * course as f64);
                    scene.touch(Some((course - 1) * width + at), b, p, Vec3::Z, 0.6);
                }
            }
        }
    }
    let pushed = width * (courses - 1) + width / 2;
    scene.bodies[pushed].push = vec3(0.1, 0.0, 0.0);
    scene.problem()
}
