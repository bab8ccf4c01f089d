//! The corpus we ship: problems of our scenes as files, and what [`stiction_contact::corpus::named`] lacks.
//!
//! Files in `crates/problem-files/corpus` are single steps of built-in scenes, as `stiction run SCENE --dump-problems`
//! writes them, with the best impulses known in place of those the step used. Large problems are built when asked
//! for. Every problem comes with its law and the natural map that the best solver reaches: how far rounding lets
//! anyone go.

use crate::parse;
use stiction_contact::corpus::{cubes_apart, linkage, painleve, point, wall};
use stiction_contact::{ConstraintProblem, Law};

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
    ("cube-slide", include_str!("../corpus/cube-slide.json"), 1e-15),
    ("quadruped", include_str!("../corpus/quadruped.json"), 1e-15),
    ("humanoid", include_str!("../corpus/humanoid.json"), 1e-14),
    ("grasp", include_str!("../corpus/grasp.json"), 1e-15),
    ("wedge", include_str!("../corpus/wedge.json"), 1e-15),
    ("two-cubes", include_str!("../corpus/two-cubes.json"), 1e-10),
    ("stack", include_str!("../corpus/stack.json"), 1e-13),
    ("pile", include_str!("../corpus/pile.json"), 1e-13),
];

/// All of them, files first.
pub fn shipped() -> Vec<Shipped> {
    let from_file = |&(name, text, reference): &(&'static str, &str, f64)| {
        let file = parse(text, name).expect("files of ours are well formed");
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
