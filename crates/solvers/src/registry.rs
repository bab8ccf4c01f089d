//! The solvers by name.

use crate::anitescu_qp::{AnitescuQp, AnitescuQpParams};
use crate::auto::{Auto, AutoParams};
use crate::ccp_admm::{CcpAdmm, CcpAdmmParams};
use crate::ccp_apgd::{CcpApgd, CcpApgdParams};
use crate::ccp_ipm::{CcpIpm, CcpIpmParams};
use crate::ccp_pgs::{CcpPgs, CcpPgsParams};
use crate::ccp_spg::{CcpSpg, CcpSpgParams};
use crate::error::ParamError;
use crate::lagged::{Lagged, LaggedParams};
use crate::lcp_lemke::{LcpLemke, LcpLemkeParams};
use crate::lcp_pgs::{LcpPgs, LcpPgsParams};
use crate::lcp_qp::{LcpQp, LcpQpParams};
use crate::lcp_staggered::{LcpStaggered, LcpStaggeredParams};
use crate::mujoco::{Mujoco, MujocoParams};
use crate::ncp_aclm::{NcpAclm, NcpAclmParams};
use crate::ncp_admm::{NcpAdmm, NcpAdmmParams};
use crate::ncp_al::{NcpAl, NcpAlParams};
use crate::ncp_ipm::{NcpIpm, NcpIpmParams};
use crate::ncp_lanes::{NcpLanes, NcpLanesParams};
use crate::ncp_newton::{NcpNewton, NcpNewtonParams};
use crate::ncp_pgs::{NcpPgs, NcpPgsParams};
use crate::ncp_smoothing::{NcpSmoothing, NcpSmoothingParams};
use crate::ncp_staggered::{NcpStaggered, NcpStaggeredParams};
use crate::nsgs::{Nsgs, NsgsParams};
use crate::parameters::{Parameter, Parameters};
use crate::raisim::{Raisim, RaisimParams};
use crate::raisim_ds::{RaisimDs, RaisimDsParams};
use crate::sap::{Sap, SapParams};
use crate::similar::{Similar, SimilarParams};
use crate::values::{Misfit, Params};
use serde::Serialize;
use serde_json::Value;
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
    /// Keys of REFERENCES.bib: where it was published.
    pub source: &'static str,
    table: &'static [Parameter],
    defaults: fn() -> Value,
    make: fn(Value) -> Made,
}

type Made = Result<Box<dyn ContactSolver>, SolverError>;

/// A parameter of an entry, as its manual shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// As in `--contact-param name=value`.
    pub name: String,
    /// "–" for a pure number.
    pub unit: &'static str,
    pub default: String,
    /// Values that are allowed.
    pub allowed: String,
    /// What the value does.
    pub effect: &'static str,
}

/// Why there is no solver.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolverError {
    #[error("no contact solver is called `{name}`{hint}; there are: {available}")]
    Unknown { name: String, hint: String, available: String },
    #[error("{solver}: there is no parameter `{name}`{hint}; there are: {available}")]
    UnknownParam { solver: &'static str, name: String, hint: String, available: String },
    #[error("{0}")]
    Param(#[from] ParamError),
    #[error("{solver}: {message}")]
    Unreadable { solver: &'static str, message: String },
}

impl Entry {
    /// All parameters, groups written out.
    pub fn settings(&self) -> Vec<Setting> {
        let mut out = Vec::new();
        list("", self.table, &(self.defaults)(), &mut out);
        out
    }

    /// True if it runs published sweeps and nothing else, so that an accelerated form stands beside it.
    pub fn sweeps_alone(&self) -> bool {
        let defaults = (self.defaults)();
        defaults["memory"] == 0 && defaults["finish"] == false
    }

    /// True if a parameter has this name.
    pub fn has(&self, name: &str) -> bool {
        self.settings().iter().any(|s| s.name == name)
    }

    /// The solver with its defaults but for the common parameters, and those of `params` on top.
    pub fn make(&self, common: &Common, params: &Params) -> Made {
        let mut all = (self.defaults)();
        let tolerance = params.get("tolerance").and_then(Value::as_f64).unwrap_or(common.tolerance);
        if tolerance > 0.0 && !(tolerance * tolerance).is_finite() {
            let expected =
                "tolerance > 0 [m/s], and no more than 1e154: residuals are summed as squares".to_owned();
            let (name, value) = ("tolerance".to_owned(), format!("{tolerance:e}"));
            return Err(ParamError { solver: self.name, name, value, expected }.into());
        }
        let shared = Params::default()
            .with("tolerance", common.tolerance)
            .with("max_iterations", common.max_iterations);
        shared.over(params).put_into(self.name, self.table, &mut all).map_err(|misfit| match misfit {
            Misfit::Value(error) => SolverError::Param(error),
            Misfit::Unknown(name) => {
                let settings = self.settings();
                let names: Vec<&str> = settings.iter().map(|s| &s.name[..]).collect();
                let (hint, available) = (hint(&name, &names), names.join(", "));
                SolverError::UnknownParam { solver: self.name, name, hint, available }
            }
        })?;
        (self.make)(all)
    }
}

fn list(prefix: &str, table: &[Parameter], defaults: &Value, out: &mut Vec<Setting>) {
    for p in table {
        let (name, default) = (format!("{prefix}{}", p.name), &defaults[p.name]);
        if !p.group.is_empty() {
            list(&format!("{name}."), p.group, default, out);
            continue;
        }
        let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        out.push(Setting { name, unit: p.unit, default, allowed: p.expected(), effect: p.effect.trim() });
    }
}

/// An entry: name, law, summary, source, what makes it of its parameters, and their defaults.
macro_rules! entry {
    ($name:path, $law:expr, $summary:literal, $source:literal, $new:path, $defaults:path) => {
        Entry {
            name: $name,
            law: $law,
            summary: $summary,
            source: $source,
            table: table_of($defaults),
            defaults: || serde_json::to_value($defaults()).unwrap_or_default(),
            make: |params| {
                let unreadable =
                    |e: serde_json::Error| SolverError::Unreadable { solver: $name, message: e.to_string() };
                Ok(Box::new($new(serde_json::from_value(params).map_err(unreadable)?)?))
            },
        }
    };
}

/// The table of the parameters that `defaults` makes.
const fn table_of<P: Parameters>(_: fn() -> P) -> &'static [Parameter] {
    P::TABLE
}

/// A static is compiled here alone; a constant would be compiled anew, with all solvers, by every crate that reads it.
static ALL: &[Entry] = &[
    entry!(
        Auto::NAME,
        Law::Ncp,
        "exact law; of several answers that of stiff springs, by these or by sweeps, second-order steps and fall-backs",
        "[DeSaxce1998; Acary2011]",
        Auto::new,
        AutoParams::default
    ),
    entry!(
        Nsgs::NAME,
        Law::Ncp,
        "exact law; Gauss-Seidel with the exact one-contact answer",
        "[Jourdan1998; Bonnefon2011]",
        Nsgs::new,
        NsgsParams::default
    ),
    entry!(
        Nsgs::ACCELERATED,
        Law::Ncp,
        "nsgs with Anderson steps and a second-order finish",
        "[Jourdan1998; Bonnefon2011]",
        Nsgs::new,
        NsgsParams::accelerated
    ),
    entry!(
        NcpPgs::NAME,
        Law::Ncp,
        "exact law; projected Gauss-Seidel, normal before tangent",
        "[Jourdan1998; LeLidec2023]",
        NcpPgs::new,
        NcpPgsParams::default
    ),
    entry!(
        NcpPgs::ACCELERATED,
        Law::Ncp,
        "ncp-pgs with Anderson steps and a second-order finish",
        "[Jourdan1998; LeLidec2023]",
        NcpPgs::new,
        NcpPgsParams::accelerated
    ),
    entry!(
        NcpAdmm::NAME,
        Law::Ncp,
        "exact law; alternating directions, with Anderson steps",
        "[Carpentier2024]",
        NcpAdmm::new,
        NcpAdmmParams::default
    ),
    entry!(
        NcpNewton::NAME,
        Law::Ncp,
        "exact law; non-smooth Newton",
        "[Acary2018; Fukushima2002]",
        NcpNewton::new,
        NcpNewtonParams::default
    ),
    entry!(
        NcpIpm::NAME,
        Law::Ncp,
        "exact law; interior points",
        "[Mehrotra1992; Acary2018]",
        NcpIpm::new,
        NcpIpmParams::default
    ),
    entry!(
        NcpSmoothing::NAME,
        Law::Ncp,
        "exact law; smoothing homotopy, De Saxce's derivative in the Newton matrix",
        "[DeSaxce1998; Fukushima2002]",
        NcpSmoothing::new,
        NcpSmoothingParams::default
    ),
    entry!(
        NcpLanes::NAME,
        Law::Ncp,
        "exact law; sweeps and Newton steps in turn, the solver of batches",
        "[Jourdan1998; AlartCurnier1991]",
        NcpLanes::new,
        NcpLanesParams::default
    ),
    entry!(
        NcpStaggered::NAME,
        Law::Ncp,
        "exact law; normal and tangential impulses in turn, with Anderson steps",
        "[Kaufman2008]",
        NcpStaggered::new,
        NcpStaggeredParams::default
    ),
    entry!(
        NcpAclm::NAME,
        Law::Ncp,
        "exact law; a sequence of convex problems, with Anderson steps",
        "[Acary2011]",
        NcpAclm::new,
        NcpAclmParams::default
    ),
    entry!(
        NcpAl::NAME,
        Law::Ncp,
        "exact law; augmented Lagrangian in the velocity, with Anderson steps",
        "[Rockafellar1976; Lee2025]",
        NcpAl::new,
        NcpAlParams::default
    ),
    entry!(
        RaisimDs::NAME,
        Law::Ncp,
        "exact law; RaiSim's bisection with De Saxce's correction",
        "[LeLidec2024]",
        RaisimDs::new,
        RaisimDsParams::default
    ),
    entry!(
        RaisimDs::ACCELERATED,
        Law::Ncp,
        "raisim-ds with Anderson steps, a second-order finish and exact answers after 100 sweeps",
        "[LeLidec2024]",
        RaisimDs::new,
        RaisimDsParams::accelerated
    ),
    entry!(
        Raisim::NAME,
        Law::Raisim,
        "RaiSim's law as published; friction may not oppose slip",
        "[Hwangbo2018]",
        Raisim::new,
        RaisimParams::default
    ),
    entry!(
        Raisim::ACCELERATED,
        Law::Raisim,
        "raisim with Anderson steps and a second-order finish",
        "[Hwangbo2018]",
        Raisim::new,
        RaisimParams::accelerated
    ),
    entry!(
        CcpPgs::NAME,
        Law::Ccp,
        "convex relaxation; sliding bodies lift",
        "[Anitescu2006; Tasora2011]",
        CcpPgs::new,
        CcpPgsParams::default
    ),
    entry!(
        CcpPgs::ACCELERATED,
        Law::Ccp,
        "ccp-pgs with Anderson steps and an interior-point finish",
        "[Anitescu2006; Tasora2011]",
        CcpPgs::new,
        CcpPgsParams::accelerated
    ),
    entry!(
        CcpAdmm::NAME,
        Law::Ccp,
        "convex relaxation; alternating directions, with Anderson steps",
        "[Anitescu2006; Carpentier2024]",
        CcpAdmm::new,
        CcpAdmmParams::default
    ),
    entry!(
        CcpIpm::NAME,
        Law::Ccp,
        "convex relaxation; Clarabel's interior points",
        "[Anitescu2006; Goulart2024]",
        CcpIpm::new,
        CcpIpmParams::default
    ),
    entry!(
        CcpApgd::NAME,
        Law::Ccp,
        "convex relaxation; accelerated projected gradients, no matrix",
        "[Mazhar2015; ODonoghue2015]",
        CcpApgd::new,
        CcpApgdParams::default
    ),
    entry!(
        CcpSpg::NAME,
        Law::Ccp,
        "convex relaxation; spectral projected gradients, no matrix",
        "[Birgin2000; Heyn2013]",
        CcpSpg::new,
        CcpSpgParams::default
    ),
    entry!(
        AnitescuQp::NAME,
        Law::PolyhedralCcp { facets: 8 },
        "convex relaxation over a polyhedral cone; quadratic programme",
        "[Anitescu2006]",
        AnitescuQp::new,
        AnitescuQpParams::default
    ),
    entry!(
        LcpPgs::NAME,
        Law::Pyramid,
        "friction pyramid of Bullet and ODE; row by row",
        "[LeLidec2023]",
        LcpPgs::new,
        LcpPgsParams::default
    ),
    entry!(
        LcpPgs::ACCELERATED,
        Law::Pyramid,
        "lcp-pgs with Anderson steps and a second-order finish",
        "[LeLidec2023]",
        LcpPgs::new,
        LcpPgsParams::accelerated
    ),
    entry!(
        LcpLemke::NAME,
        Law::Facets { facets: 8 },
        "friction polygon; Lemke's pivots",
        "[StewartTrinkle1996; Cottle2009]",
        LcpLemke::new,
        LcpLemkeParams::default
    ),
    entry!(
        LcpStaggered::NAME,
        Law::Facets { facets: 8 },
        "friction polygon; normal and tangential programmes in turn, with Anderson steps",
        "[StewartTrinkle1996; Kaufman2008]",
        LcpStaggered::new,
        LcpStaggeredParams::default
    ),
    entry!(
        LcpQp::NAME,
        Law::Facets { facets: 8 },
        "friction polygon; complementarity as a quadratic programme",
        "[StewartTrinkle1996]",
        LcpQp::new,
        LcpQpParams::default
    ),
    entry!(
        Mujoco::NAME,
        Law::Mujoco,
        "MuJoCo's regularised relaxation; contacts yield, held bodies creep",
        "[Todorov2014]",
        Mujoco::new,
        MujocoParams::default
    ),
    entry!(
        Mujoco::PYRAMIDAL,
        Law::MujocoPyramidal,
        "the same with four-sided friction pyramids",
        "[Todorov2014]",
        Mujoco::pyramidal,
        MujocoParams::default
    ),
    entry!(
        Sap::NAME,
        Law::Sap,
        "Drake's regularised relaxation, linear compliance",
        "[Castro2022]",
        Sap::new,
        SapParams::default
    ),
    entry!(
        Lagged::NAME,
        Law::Lagged,
        "Hunt and Crossley's contact; friction lags by a step",
        "[Castro2023]",
        Lagged::new,
        LaggedParams::default
    ),
    entry!(
        Similar::NAME,
        Law::Similar,
        "Hunt and Crossley's contact; sliding bodies ride higher",
        "[Castro2023]",
        Similar::new,
        SimilarParams::default
    ),
];

/// All solvers, the default first.
pub fn all() -> &'static [Entry] {
    ALL
}

/// The entry called `name`.
pub fn find(name: &str) -> Result<&'static Entry, SolverError> {
    let names = || ALL.iter().map(|e| e.name).collect::<Vec<_>>();
    ALL.iter().find(|e| e.name == name).ok_or_else(|| SolverError::Unknown {
        name: name.to_owned(),
        hint: hint(name, &names()),
        available: names().join(", "),
    })
}

/// The solver `name` with its own defaults but for the common parameters.
pub fn make(name: &str, common: &Common) -> Made {
    make_from(name, common, &Params::default())
}

/// The solver `name` with the common parameters and its own.
pub fn make_from(name: &str, common: &Common, params: &Params) -> Made {
    find(name)?.make(common, params)
}

/// The name of `names` that may have been meant.
fn hint(name: &str, names: &[&str]) -> String {
    let near = names.iter().map(|n| (distance(name, n), *n)).min().filter(|(d, n)| 2 * d <= n.len());
    near.map(|(_, n)| format!(" (did you mean `{n}`?)")).unwrap_or_default()
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
mod tests;
