//! What is proven of the algorithms: that their iterations reach an answer of their own law, and under which conditions.
//!
//! Finite arithmetic and iteration limits are left aside. A solver that is not proven to converge may well do so on every problem at
//! hand: that is the column beside it.

use std::fmt;

/// A proof of convergence, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// For every problem that has an answer.
    Always(&'static str),
    /// Under a condition.
    If(&'static str, &'static str),
    /// Near an answer alone.
    Locally(&'static str),
    /// Nothing is known of Coulomb's friction in three dimensions.
    No,
}

/// The solver, and what is known of it; of those that are not named, nothing.
const PROOFS: &[(&str, Proof)] = &[
    // The complementarity problem is copositive: Lemke's path ends in a solution if pivots are not degenerate.
    ("lcp-lemke", Proof::If("pivots do not degenerate", "StewartTrinkle1996; Cottle2009")),
    // Convex programs.
    ("ccp-pgs", Proof::If("relaxed steps", "Tasora2011")),
    ("ccp-admm", Proof::Always("Stellato2020; ODonoghue2015")),
    ("ccp-ipm", Proof::Always("Goulart2024; Mehrotra1992")),
    ("ccp-apgd", Proof::Always("Mazhar2015")),
    ("anitescu-qp", Proof::Always("Anitescu2006")),
    ("mujoco", Proof::Always("Todorov2014")),
    ("mujoco-pyramidal", Proof::Always("Todorov2014")),
    ("sap", Proof::Always("Castro2022")),
    ("lagged", Proof::Always("Castro2023")),
    ("similar", Proof::Always("Castro2023")),
    // Newton's method on functions that are not smooth.
    ("ncp-newton", Proof::Locally("AlartCurnier1991")),
];

/// The proof for the solver of this name.
pub(super) fn of(name: &str) -> Proof {
    PROOFS.iter().find(|p| p.0 == name).map_or(Proof::No, |p| p.1)
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always(source) => write!(f, "yes [{source}]"),
            Self::If(condition, source) => write!(f, "if {condition} [{source}]"),
            Self::Locally(source) => write!(f, "near an answer [{source}]"),
            Self::No => f.write_str("no"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::solvers::registry;

    /// Every name is that of a solver, and every source is in the bibliography.
    #[test]
    fn proofs_are_of_solvers_and_have_sources() {
        let bibliography = include_str!("../../../../../REFERENCES.bib");
        for (name, proof) in PROOFS {
            assert!(registry::all().iter().any(|e| e.name == *name), "{name}");
            let (Proof::Always(source) | Proof::If(_, source) | Proof::Locally(source)) = proof else {
                continue;
            };
            for key in source.split("; ") {
                assert!(bibliography.contains(&format!("{{{key},")), "{name}: {key}");
            }
        }
        assert_eq!(of("nsgs"), Proof::No);
    }
}
