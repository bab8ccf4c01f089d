//! The solvers by name.

use crate::anitescu_qp::{AnitescuQp, AnitescuQpParams};
use crate::auto::{Auto, AutoParams};
use crate::ccp_admm::{CcpAdmm, CcpAdmmParams};
use crate::ccp_apgd::{CcpApgd, CcpApgdParams};
use crate::ccp_ipm::{CcpIpm, CcpIpmParams};
use crate::ccp_pgs::{CcpPgs, CcpPgsParams};
use crate::error::ParamError;
use crate::lagged::{Lagged, LaggedParams};
use crate::lcp_lemke::{LcpLemke, LcpLemkeParams};
use crate::lcp_pgs::{LcpPgs, LcpPgsParams};
use crate::lcp_qp::{LcpQp, LcpQpParams};
use crate::lcp_staggered::{LcpStaggered, LcpStaggeredParams};
use crate::mujoco::{Mujoco, MujocoParams};
use crate::mujoco_pyramidal::{MujocoPyramidal, MujocoPyramidalParams};
use crate::ncp_aclm::{NcpAclm, NcpAclmParams};
use crate::ncp_admm::{NcpAdmm, NcpAdmmParams};
use crate::ncp_al::{NcpAl, NcpAlParams};
use crate::ncp_ipm::{NcpIpm, NcpIpmParams};
use crate::ncp_newton::{NcpNewton, NcpNewtonParams};
use crate::ncp_pgs::{NcpPgs, NcpPgsParams};
use crate::ncp_staggered::{NcpStaggered, NcpStaggeredParams};
use crate::nsgs::{Nsgs, NsgsParams};
use crate::raisim::{Raisim, RaisimParams};
use crate::raisim_ds::{RaisimDs, RaisimDsParams};
use crate::sap::{Sap, SapParams};
use crate::similar::{Similar, SimilarParams};
use serde::Deserializer;
use stiction_contact::{ContactSolver, Law};
use thiserror::Error;

/// What every solver understands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Common {
    /// Natural map of the solver's own law at which it stops [m/s].
    pub tolerance: f64,
    /// Sweeps, Newton steps or whatever the solver counts.
    pub max_iterations: u32,
}

impl Default for Common {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000 }
    }
}

/// A solver as a person chooses it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// `law-algorithm`.
    pub name: &'static str,
    pub law: Law,
    /// One sentence.
    pub summary: &'static str,
    make: fn(&Common) -> Made,
}

type Made = Result<Box<dyn ContactSolver>, ParamError>;

/// Why there is no solver.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolverError {
    #[error("no contact solver is called `{name}`{hint}; there are: {available}")]
    Unknown { name: String, hint: String, available: String },
    #[error("{0}")]
    Param(#[from] ParamError),
    #[error("{name}: {message}")]
    Params { name: String, message: String },
}

/// One line per solver: name, law, summary, type, parameters.
macro_rules! solvers {
    ($(($name:path, $law:expr, $summary:literal, $solver:ident, $params:ident)),* $(,)?) => {
        const ALL: &[Entry] = &[$(Entry {
            name: $name,
            law: $law,
            summary: $summary,
            #[allow(clippy::needless_update)] // some have no parameters of their own
            make: |common| {
                let Common { tolerance, max_iterations } = *common;
                Ok(Box::new($solver::new($params { tolerance, max_iterations, ..Default::default() })?))
            },
        }),*];

        /// A solver from its own parameters, as a TOML table or a JSON object holds them. Unknown
        /// fields are errors, missing ones take their defaults.
        pub fn make_from<'de, D: Deserializer<'de>>(
            name: &str,
            params: D,
        ) -> Result<Box<dyn ContactSolver>, SolverError> {
            let unreadable =
                |e: D::Error| SolverError::Params { name: name.to_owned(), message: e.to_string() };
            match name {
                $($name => {
                    let params: $params = serde::Deserialize::deserialize(params).map_err(unreadable)?;
                    Ok(Box::new($solver::new(params)?))
                })*
                _ => Err(unknown(name)),
            }
        }
    };
}

solvers![
    (
        Auto::NAME,
        Law::Ncp,
        "exact law; the chain of nsgs, then the smallest of all answers",
        Auto,
        AutoParams
    ),
    (Nsgs::NAME, Law::Ncp, "exact law; Gauss-Seidel with the exact one-contact answer", Nsgs, NsgsParams),
    (
        NcpPgs::NAME,
        Law::Ncp,
        "exact law; projected Gauss-Seidel, normal before tangent",
        NcpPgs,
        NcpPgsParams
    ),
    (NcpAdmm::NAME, Law::Ncp, "exact law; alternating directions", NcpAdmm, NcpAdmmParams),
    (NcpNewton::NAME, Law::Ncp, "exact law; non-smooth Newton", NcpNewton, NcpNewtonParams),
    (NcpIpm::NAME, Law::Ncp, "exact law; interior points", NcpIpm, NcpIpmParams),
    (
        NcpStaggered::NAME,
        Law::Ncp,
        "exact law; normal and tangential impulses in turn",
        NcpStaggered,
        NcpStaggeredParams
    ),
    (NcpAclm::NAME, Law::Ncp, "exact law; a sequence of convex problems", NcpAclm, NcpAclmParams),
    (NcpAl::NAME, Law::Ncp, "exact law; augmented Lagrangian in the velocity", NcpAl, NcpAlParams),
    (
        RaisimDs::NAME,
        Law::Ncp,
        "exact law; RaiSim's bisection with De Saxce's correction",
        RaisimDs,
        RaisimDsParams
    ),
    (
        Raisim::NAME,
        Law::Raisim,
        "RaiSim's law as published; friction may not oppose slip",
        Raisim,
        RaisimParams
    ),
    (CcpPgs::NAME, Law::Ccp, "convex relaxation; sliding bodies lift", CcpPgs, CcpPgsParams),
    (CcpAdmm::NAME, Law::Ccp, "convex relaxation; alternating directions", CcpAdmm, CcpAdmmParams),
    (CcpIpm::NAME, Law::Ccp, "convex relaxation; Clarabel's interior points", CcpIpm, CcpIpmParams),
    (
        CcpApgd::NAME,
        Law::Ccp,
        "convex relaxation; accelerated projected gradients, no matrix",
        CcpApgd,
        CcpApgdParams
    ),
    (
        AnitescuQp::NAME,
        Law::PolyhedralCcp { facets: 8 },
        "convex relaxation over a polyhedral cone; quadratic programme",
        AnitescuQp,
        AnitescuQpParams
    ),
    (LcpPgs::NAME, Law::Pyramid, "friction pyramid of Bullet and ODE; row by row", LcpPgs, LcpPgsParams),
    (LcpLemke::NAME, Law::Facets { facets: 8 }, "friction polygon; Lemke's pivots", LcpLemke, LcpLemkeParams),
    (
        LcpStaggered::NAME,
        Law::Facets { facets: 8 },
        "friction polygon; normal and tangential programmes in turn",
        LcpStaggered,
        LcpStaggeredParams
    ),
    (
        LcpQp::NAME,
        Law::Facets { facets: 8 },
        "friction polygon; complementarity as a quadratic programme",
        LcpQp,
        LcpQpParams
    ),
    (
        Mujoco::NAME,
        Law::Mujoco,
        "MuJoCo's regularised relaxation; contacts yield, held bodies creep",
        Mujoco,
        MujocoParams
    ),
    (
        MujocoPyramidal::NAME,
        Law::MujocoPyramidal,
        "the same with four-sided friction pyramids",
        MujocoPyramidal,
        MujocoPyramidalParams
    ),
    (Sap::NAME, Law::Sap, "Drake's regularised relaxation, linear compliance", Sap, SapParams),
    (Lagged::NAME, Law::Lagged, "Hunt and Crossley's contact; friction lags by a step", Lagged, LaggedParams),
    (
        Similar::NAME,
        Law::Similar,
        "Hunt and Crossley's contact; sliding bodies ride higher",
        Similar,
        SimilarParams
    ),
];

/// All solvers, the default first.
pub fn all() -> &'static [Entry] {
    ALL
}

/// The solver `name` with its own defaults but for the common parameters.
pub fn make(name: &str, common: &Common) -> Result<Box<dyn ContactSolver>, SolverError> {
    let entry = ALL.iter().find(|e| e.name == name).ok_or_else(|| unknown(name))?;
    Ok((entry.make)(common)?)
}

fn unknown(name: &str) -> SolverError {
    let names: Vec<&str> = ALL.iter().map(|e| e.name).collect();
    let near = names.iter().map(|n| (distance(name, n), *n)).min().filter(|(d, n)| 2 * d <= n.len());
    let hint = near.map(|(_, n)| format!(" (did you mean `{n}`?)")).unwrap_or_default();
    SolverError::Unknown { name: name.to_owned(), hint, available: names.join(", ") }
}

/// Levenshtein's distance, capitals and underscores forgiven.
fn distance(a: &str, b: &str) -> usize {
    let plain = |s: &str| s.to_lowercase().replace('_', "-").chars().take(64).collect::<Vec<char>>();
    let (a, b) = (plain(a), plain(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_makes_a_solver_of_its_name_and_law() {
        for entry in all() {
            let solver = make(entry.name, &Common::default()).unwrap();
            assert_eq!((solver.name(), solver.law()), (entry.name, entry.law));
        }
    }

    #[test]
    fn a_wrong_name_is_told_the_right_ones() {
        let Err(error) = make("nsg", &Common::default()) else { panic!("`nsg` is no solver") };
        let text = error.to_string();
        assert!(text.contains("did you mean `nsgs`?") && text.contains("there are: auto, nsgs"), "{text}");
        assert!(make("nsgs", &Common { tolerance: -1.0, max_iterations: 10 }).is_err());
    }

    #[test]
    fn parameters_are_read_and_unknown_ones_refused() {
        use serde::de::value::{Error, MapDeserializer};
        let from = |name, field: &'static str, value: f64| {
            make_from(name, MapDeserializer::<_, Error>::new([(field, value)].into_iter())).map(|s| s.name())
        };
        for entry in all() {
            assert_eq!(from(entry.name, "tolerance", 1e-6), Ok(entry.name));
            let typo =
                from(entry.name, "tolerence", 1e-6).expect_err("a field that does not exist").to_string();
            assert!(typo.contains(entry.name) && typo.contains("tolerence"), "{typo}");
            let range = from(entry.name, "tolerance", 0.0).expect_err("a tolerance of zero").to_string();
            assert!(range.contains("tolerance") && range.contains("> 0"), "{range}");
        }
        assert!(matches!(from("pgs", "tolerance", 1e-6), Err(SolverError::Unknown { .. })));
    }
}
