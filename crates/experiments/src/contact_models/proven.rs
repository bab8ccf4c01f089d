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

/// The solver, and what is known of it; of those that are not named, nothing. Interior points with a predictor and a corrector
/// [Mehrotra1992] are not among them (`ccp-ipm`, `anitescu-qp`): their programs are convex, but what is proven is of variants whose steps are held to the central path.
const PROOFS: &[(&str, Proof)] = &[
    // The complementarity problem is copositive: Lemke's path ends in a solution if pivots are not degenerate.
    ("lcp-lemke", Proof::If("pivots do not degenerate", "StewartTrinkle1996; Cottle2009")),
    // A contraction of the cones' product where every step is short; the published length 3/tr A may overshoot, `step=safe` does not.
    ("ccp-pgs", Proof::If("steps are short (step=safe)", "Tasora2011")),
    // Two convex terms take turns. Weights that change, and Anderson's steps, are heuristics.
    ("ccp-admm", Proof::If("its weight stays in the end, without Anderson steps", "Boyd2011")),
    // Accelerated gradients of a convex function; restarts are a heuristic.
    ("ccp-apgd", Proof::If("it does not restart", "Mazhar2015; ODonoghue2015")),
    // A projected gradient of a convex function whose step is bounded, with a line search.
    ("ccp-spg", Proof::Always("Birgin2000")),
    // Newton's steps with a line search on a strongly convex function whose gradient is Lipschitz.
    ("mujoco", Proof::Always("Castro2022")),
    ("mujoco-pyramidal", Proof::Always("Castro2022")),
    ("sap", Proof::Always("Castro2022")),
    ("lagged", Proof::Always("Castro2022; Castro2023")),
    ("similar", Proof::Always("Castro2022; Castro2023")),
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
        let bibliography = include_str!("../../../../REFERENCES.bib");
        for (name, proof) in PROOFS {
            assert!(registry::all().iter().any(|e| e.name == *name), "{name}");
            let (Proof::Always(source) | Proof::If(_, source) | Proof::Locally(source)) = proof else {
                continue;
            };
            for key in source.split("; ") {
                assert!(bibliography.contains(&format!("{{{key},")), "{name}: {key}");
            }
        }
        assert_eq!([of("nsgs"), of("ccp-ipm")], [Proof::No; 2]);
    }
}
