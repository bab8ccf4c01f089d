//! What the exact answer of one contact adds: the publication asks for it and leaves it open.
//!
//! RaiSim's sweep with De Saxcé's correction freezes Γ at the velocity before, so that even one contact needs several sweeps; the
//! quartic of `nsgs` answers a contact exactly. Both are counted in sweeps, of which each costs a product with G, on named problems,
//! with α lowered once a sweep and, as Alg. 1 prints it, once a contact.

use crate::{Claim, ExperimentError, Findings, Size, Table};
use stiction::contact::{Judge, Law, corpus};
use stiction::solvers::Params;
use stiction::solvers::registry::{self, Common};

const PROBLEMS: [&str; 6] = [
    "cube slides and spins",
    "dragged, slides",
    "grasp slips",
    "stack of 5, pushed",
    "heap of 10",
    "stack of 5, 1 to 1e2",
];
const LIMIT: Common = Common { tolerance: 1e-8, max_iterations: 1000 };

/// Name in the table, solver, and its parameters.
fn chosen() -> [(&'static str, &'static str, Params); 5] {
    let plain = Params::default;
    [
        ("raisim", "raisim", plain()),
        ("raisim-ds, α once a sweep", "raisim-ds", plain()),
        (
            "raisim-ds, α once a contact, as printed",
            "raisim-ds",
            plain().with("relaxation.update", "contact"),
        ),
        ("raisim-ds, exact answer from the first sweep on", "raisim-ds", plain().with("exact_after", 0)),
        ("nsgs, exact answer", "nsgs", plain()),
    ]
}

pub(super) fn measure(size: Size, findings: &mut Findings) -> Result<(), ExperimentError> {
    let mut judge = Judge::default();
    let problems: Vec<_> = corpus::named().into_iter().filter(|(name, _)| PROBLEMS.contains(name)).collect();
    let problems = if size == Size::Full { &problems[..] } else { &problems[..problems.len().min(3)] };
    let mut rows = Vec::new();
    let mut counts = Vec::new();
    for (label, solver, params) in chosen() {
        let mut cells = vec![label.to_owned()];
        let mut taken = Vec::new();
        for (_, problem) in problems {
            let mut solver = registry::make_from(solver, &LIMIT, &params)?;
            let mut impulses = vec![0.0; problem.rows()];
            let report = solver.solve(problem, &mut impulses);
            let own = judge.natural_map_of(problem, &impulses, solver.law());
            let exact = judge.natural_map_of(problem, &impulses, Law::Ncp);
            let met = own <= 2.0 * LIMIT.tolerance;
            taken.push(met.then_some(report.iterations));
            cells.push(match met {
                true => format!("{} ({exact:.0e})", report.iterations),
                false => format!("not met: {own:.0e} ({exact:.0e})"),
            });
        }
        rows.push(cells);
        counts.push(taken);
    }
    // Where both arrive.
    let pairs = |a: usize, b: usize| {
        let both = counts[a].iter().zip(&counts[b]).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
        both.fold((0, 0, 0), |s, (a, b)| (s.0 + 1, s.1 + a, s.2 + b))
    };
    let (of, corrected, exact) = pairs(1, 4);
    findings.claims.push(Claim {
        claim:
            "the exact one-contact answer takes fewer sweeps than De Saxcé's correction, where both arrive"
                .to_owned(),
        measured: format!("{exact} and {corrected} sweeps of {of} problems"),
        holds: of > 0 && exact < corrected,
        sample: of,
    });
    let (of, sweep, contact) = pairs(1, 2);
    findings.notes.push(format!(
        "α lowered once a contact, as printed: {contact} sweeps where once a sweep takes {sweep}, of {of} problems that both solve"
    ));
    let heads = ["one-contact answer"].into_iter().chain(problems.iter().map(|p| p.0)).map(str::to_owned);
    findings.tables.push(Table {
        stem: "one-contact-answers",
        title: "What the one-contact answer is worth".to_owned(),
        about: format!(
            "Sweeps until the own law is met to {:.0e} m/s, of {} at most, from a cold start; in brackets the natural map of the exact \
             law [m/s]",
            LIMIT.tolerance, LIMIT.max_iterations
        ),
        heads: heads.collect(),
        rows,
    });
    Ok(())
}
