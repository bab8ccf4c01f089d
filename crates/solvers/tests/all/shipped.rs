//! The corpus we ship, every engine: scenes of ours from files, 1 to 500 contacts, loops, limits, Painlevé.
//!
//! A problem passes a solver at 1e-8 m/s of the solver's law; [`ledger`] keeps the books.

use crate::every;
use crate::ledger;

use every::every_solver;
use ledger::{Failure, Ledger, Meeting, TooLarge};
use stiction_contact::certificate::natural_map_of;
use stiction_problem_files::shipped;
use stiction_solvers::registry::find;
use stiction_solvers::{Common, Params, all};

const AFAR: &str = "the start has 6e-3, and the only answer, sticking, lies far from it";

const SLOW: &str = "sweeps alone: too slow for these masses, or this many bodies on each other";
const OVERSHOOTS: &str =
    "the published step overshoots: an eigenvalue of A is more than twice what it divides by";
const RELAXED: &str = "sweeps alone, of which each goes a tenth of the way in the end: too slow";
const PATIENCE: &str = "eight iterations without gain end it, as in batches, which have a fall-back";
const EMPTY: &str = "the ellipse is empty: RaiSim's law has no answer, and the exact law's stands in";

const KNOWN_FAILURES: &[Failure] = &[
    ("ncp-staggered", "stack", "the alternation circles at 2e-5"),
    ("ccp-admm", "125 cubes apart", "one cube in 125 takes more than 1000 iterations: 2e-5 is reached"),
    ("ccp-apgd", "two-cubes", "mass ratio 1e6, by gradients alone"),
    ("ccp-apgd", "125 cubes apart", "gradients alone: 2e-6 is reached"),
    ("ccp-spg", "two-cubes", "mass ratio 1e6, by gradients alone: 1e-5 is reached"),
    ("ccp-spg", "125 cubes apart", "gradients alone: 1e-4 is reached"),
    ("ccp-spg", "wall of 70", "gradients alone: 2e-7 is reached"),
    ("ncp-admm", "rod of Painlevé, wedged", AFAR),
    ("ncp-newton", "rod of Painlevé, wedged", AFAR),
    ("ncp-staggered", "rod of Painlevé, wedged", AFAR),
    ("ncp-aclm", "rod of Painlevé, wedged", AFAR),
    ("lcp-staggered", "rod of Painlevé, wedged", AFAR),
    ("ncp-lanes", "cube-slide", PATIENCE),
    ("ncp-lanes", "pile", PATIENCE),
    ("ncp-lanes", "125 cubes apart", PATIENCE),
    ("ncp-lanes", "wall of 70", PATIENCE),
    ("lcp-lemke", "wedge", "Lemke's path ends in a ray"),
    ("lcp-lemke", "two-cubes", "Lemke's path ends in a ray, mass ratio 1e6"),
    ("lcp-lemke", "wall of 70", "more than 2000 rows with facets"),
    ("nsgs", "two-cubes", SLOW),
    ("nsgs", "stack", SLOW),
    ("nsgs", "wall of 70", SLOW),
    ("ncp-pgs", "two-cubes", SLOW),
    ("ncp-pgs", "stack", SLOW),
    ("ncp-pgs", "linkage", OVERSHOOTS),
    ("ncp-pgs", "wall of 70", OVERSHOOTS),
    ("raisim-ds", "wedge", RELAXED),
    ("raisim-ds", "two-cubes", RELAXED),
    ("raisim-ds", "stack", RELAXED),
    ("raisim-ds", "pile", RELAXED),
    ("raisim-ds", "wall of 70", RELAXED),
    ("raisim", "wedge", RELAXED),
    ("raisim", "two-cubes", RELAXED),
    ("raisim", "stack", RELAXED),
    ("raisim", "pile", RELAXED),
    ("raisim", "rod of Painlevé", EMPTY),
    ("raisim", "wall of 70", RELAXED),
    ("ccp-pgs", "two-cubes", SLOW),
    ("ccp-pgs", "stack", SLOW),
    ("ccp-pgs", "125 cubes apart", SLOW),
    ("ccp-pgs", "wall of 70", SLOW),
    ("lcp-pgs", "two-cubes", SLOW),
    ("lcp-pgs", "stack", SLOW),
    ("lcp-pgs", "wall of 70", SLOW),
];

const TOO_LARGE: &[TooLarge] = &[
    ("ncp-staggered", 500, "alternations of 1500 rows take it minutes"),
    ("lcp-staggered", 500, "alternations of 1500 rows take it minutes"),
];

fn ledger() -> Ledger {
    let meeting = |s: stiction_problem_files::Shipped| Meeting {
        name: s.name.to_owned(),
        problem: s.problem,
        goal: 1e-8,
    };
    let meetings = shipped().into_iter().map(meeting).collect();
    Ledger { meetings, max_iterations: 1000, known: KNOWN_FAILURES, too_large: TOO_LARGE }
}

fn meets_every_problem(solver: &str) {
    ledger().meet(solver);
}

every_solver!(every_problem: meets_every_problem);

#[test]
fn the_ledger_has_no_entry_too_many() {
    ledger().check_entries();
}

/// The residuals that come with the problems are reached, by the impulses of the file or by a solver.
#[test]
fn references_are_reached() {
    for s in shipped() {
        let impulses = s.impulses.unwrap_or_else(|| {
            let common = Common { tolerance: 0.5 * s.reference, max_iterations: 1000 };
            let mut impulses = vec![0.0; s.problem.rows()];
            let exact = Params::parse(&["effort=exact"]).unwrap();
            find("auto").unwrap().make(&common, &exact).unwrap().solve(&s.problem, &mut impulses);
            impulses
        });
        let e = natural_map_of(&s.problem, &impulses, s.law);
        println!("{:24} {:4} rows: {e:.1e} of {:.0e} m/s", s.name, s.problem.rows(), s.reference);
        assert!(e <= s.reference, "{}: {e:e}", s.name);
    }
}
