//! The corpus we ship: problems of our scenes as files, and what [`super::named`] lacks.
//!
//! Files in `crates/contact/corpus` are single steps of built-in scenes, as `stiction run SCENE --dump-problems`
//! writes them, with the best impulses known in place of those the step used. Large problems are built when asked
//! for. Every problem comes with its law and the natural map that the best solver reaches: how far rounding lets
//! anyone go.

use super::{Scene, one_contact, point, push_row};
use crate::cone::Cone;
use crate::io;
use crate::law::Law;
use crate::problem::ConstraintProblem;
use stiction_dynamics::spatial::{Vec3, vec3};

/// A problem of the corpus.
pub struct Shipped {
    pub name: &'static str,
    pub problem: ConstraintProblem,
    /// The law it was posed under; solvers of others meet it by their own.
    pub law: Law,
    /// Natural map of `law` within reach, rounded up [m/s].
    pub reference: f64,
    /// Impulses that reach it, where a file holds them [N·s].
    pub impulses: Option<Vec<f64>>,
}

/// (name, text, reference): a sliding cube, a quadruped on its feet, a humanoid falling with knees at their
/// limits, a grasp, a jam, mass ratio 10⁶, a hyperstatic stack, a heap of things that arrive.
const FILES: [(&str, &str, f64); 8] = [
    ("cube-slide", include_str!("../../corpus/cube-slide.json"), 1e-15),
    ("quadruped", include_str!("../../corpus/quadruped.json"), 1e-15),
    ("humanoid", include_str!("../../corpus/humanoid.json"), 1e-14),
    ("grasp", include_str!("../../corpus/grasp.json"), 1e-15),
    ("wedge", include_str!("../../corpus/wedge.json"), 1e-15),
    ("two-cubes", include_str!("../../corpus/two-cubes.json"), 1e-10),
    ("stack", include_str!("../../corpus/stack.json"), 1e-13),
    ("pile", include_str!("../../corpus/pile.json"), 1e-13),
];

/// All of them, files first.
pub fn shipped() -> Vec<Shipped> {
    let from_file = |&(name, text, reference): &(&'static str, &str, f64)| {
        let file = io::parse(text, name).expect("files of ours are well formed");
        let impulses = file.reference.map(|r| r.impulses);
        Shipped { name, problem: file.problem, law: Law::Ncp, reference, impulses }
    };
    let built = [
        ("point opens", point(2.0, 0.5, [1.0, 0.0, 0.1]), 1e-16),
        ("point sticks", point(2.0, 0.5, [0.02, 0.0, -0.1]), 1e-16),
        ("point slides", point(2.0, 0.5, [1.0, 0.0, -0.1]), 1e-15),
        ("rod of Painlevé", painleve(0.01), 1e-16),
        ("rod of Painlevé, wedged", painleve(-0.01), 1e-13),
        ("linkage", linkage(), 1e-14),
        ("125 cubes apart", cubes_apart(125), 1e-13),
        ("wall of 70", wall(7, 10), 1e-12),
    ];
    let built = built.map(|(name, problem, reference)| Shipped {
        name,
        problem,
        law: Law::Ncp,
        reference,
        impulses: None,
    });
    FILES.iter().map(from_file).chain(built).collect()
}

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
fn linkage() -> ConstraintProblem {
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
fn cubes_apart(n: usize) -> ConstraintProblem {
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
fn wall(width: usize, courses: usize) -> ConstraintProblem {
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
