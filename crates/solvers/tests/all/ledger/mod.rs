//! Every registered solver meets every problem: pass, skip with a reason, or a known failure with one.
//!
//! A solver passes by the judge's natural map of its own law. An entry of the ledger that passes is an error,
//! and so is an entry that nothing met.

// Only tests reach it.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use stiction_contact::ConstraintProblem;
use stiction_contact::certificate::{certify, natural_map_of};
use stiction_solvers::{Common, all, make};

/// (solver, problem, reason).
pub(crate) type Failure = (&'static str, &'static str, &'static str);
/// (solver, rows, reason): larger problems are left out.
pub(crate) type TooLarge = (&'static str, usize, &'static str);

/// A problem as solvers of all laws meet it.
pub(crate) struct Meeting {
    pub(crate) name: String,
    pub(crate) problem: ConstraintProblem,
    /// Natural map that passes [m/s].
    pub(crate) goal: f64,
}

/// A corpus of problems, and the outcomes that are known in advance.
pub(crate) struct Ledger {
    pub(crate) meetings: Vec<Meeting>,
    pub(crate) max_iterations: u32,
    pub(crate) known: &'static [Failure],
    pub(crate) too_large: &'static [TooLarge],
}

impl Ledger {
    /// Panics with what contradicts the ledger where the solver `name` meets every problem.
    pub(crate) fn meet(&self, name: &str) {
        let entry = all().iter().find(|e| e.name == name).expect("a registered solver");
        let mut wrong = Vec::new();
        for Meeting { name, problem, goal } in &self.meetings {
            let rows = problem.rows();
            let too_large = self.too_large.iter().find(|(s, most, _)| *s == entry.name && rows > *most);
            if let Some((.., reason)) = too_large {
                println!("{:13} {name:40} {rows:5} rows skipped: {reason}", entry.name);
                continue;
            }
            // A tenth for what the solver's bound and the judge's number differ by.
            let common = Common { tolerance: 0.9 * goal, max_iterations: self.max_iterations };
            let mut impulses = vec![0.0; rows];
            let start = std::time::Instant::now();
            let report = make(entry.name, &common).unwrap().solve(problem, &mut impulses);
            let time = start.elapsed().as_secs_f64();
            let own = natural_map_of(problem, &impulses, entry.law);
            let exact = certify(problem, &impulses).natural_map;
            let passed = own <= *goal;
            let reason = self.known.iter().find(|(s, p, _)| (*s, *p) == (entry.name, name)).map(|k| k.2);
            println!(
                "{:13} {name:40} {rows:5} rows {:14} {:5} it {time:7.3} s  own {own:8.1e}  exact {exact:8.1e}  {}",
                entry.name,
                format!("{:?}", report.status),
                report.iterations,
                reason.unwrap_or_default(),
            );
            match (passed, reason) {
                (true, Some(_)) => wrong.push(format!("{} on {name} passes: strike it off", entry.name)),
                (false, None) => wrong.push(format!("{} on {name}: {report:?}, own {own:e}", entry.name)),
                _ => {}
            }
            assert!(!report.converged() || passed, "{} on {name} claims to have converged", entry.name);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Panics with entries that no meeting belongs to.
    pub(crate) fn check_entries(&self) {
        let solver = |name: &str| all().iter().any(|e| e.name == name);
        let problem = |name: &str| self.meetings.iter().any(|m| m.name == name);
        let unmet: Vec<_> = self.known.iter().filter(|(s, p, _)| !solver(s) || !problem(p)).collect();
        assert!(unmet.is_empty(), "no such meetings: {unmet:#?}");
        let unknown: Vec<_> = self.too_large.iter().filter(|(s, ..)| !solver(s)).collect();
        assert!(unknown.is_empty(), "no such solvers: {unknown:#?}");
    }
}
