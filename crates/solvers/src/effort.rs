//! How much a step may cost: the budgets of [`crate::auto`], one table.
//!
//! | effort | rows of an island, up to | factorisations of it |
//! |---|---|---|
//! | `fast` | 48 | 60 |
//! | | 300 | 30 |
//! | | any | 12 |
//! | `balanced` | 300 | 1000 |
//! | | 600 | 250 |
//! | | any | 60 |
//! | `exact` | any | no bound |
//!
//! The unit is one factorisation of the island (`crate::work`); sweeps count for what takes as long. An island that is at
//! its tolerance ends there, whatever is left of the budget: what rests or is small never meets it. One that meets its end
//! leaves the best impulses so far, which are in their cones, and the step says so.

use crate::parameters::choice;
use crate::values::Params;
use serde::{Deserialize, Serialize};

/// How much a step may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// About the time that a step of MuJoCo takes.
    Fast,
    /// To the tolerance where islands are small or calm, within a bounded time elsewhere.
    #[default]
    Balanced,
    /// To the tolerance, if any method leads there.
    Exact,
}
choice!(Effort);

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Rows of an island, at most.
    pub rows: usize,
    /// Factorisations that it may cost; none: no bound.
    pub factorisations: Option<u32>,
}

const ANY: usize = usize::MAX;

const fn budget(rows: usize, factorisations: u32) -> Budget {
    Budget { rows, factorisations: Some(factorisations) }
}

const FAST: [Budget; 3] = [budget(48, 60), budget(300, 30), budget(ANY, 12)];
const BALANCED: [Budget; 3] = [budget(300, 1000), budget(600, 250), budget(ANY, 60)];
const EXACT: [Budget; 1] = [Budget { rows: ANY, factorisations: None }];

impl Effort {
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Exact];

    /// Its word in files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Exact => "exact",
        }
    }

    /// `params` with this effort, which solvers without budgets refuse by name.
    #[must_use]
    pub fn over(self, params: Params) -> Params {
        params.with("effort", self.name())
    }

    /// Its lines of the table, by ascending rows.
    pub fn budgets(self) -> &'static [Budget] {
        match self {
            Self::Fast => &FAST,
            Self::Balanced => &BALANCED,
            Self::Exact => &EXACT,
        }
    }

    /// Factorisations that an island of so many rows may cost; none: no bound.
    pub fn factorisations(self, rows: usize) -> Option<u32> {
        self.budgets().iter().find(|b| rows <= b.rows).and_then(|b| b.factorisations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More effort and fewer rows never have less; the table of the module is that of the code.
    #[test]
    fn the_table_is_the_code() {
        let mut lines = String::new();
        for effort in Effort::ALL {
            let mut first = format!("`{}`", effort.name());
            for budget in effort.budgets() {
                let rows = if budget.rows == ANY { "any".to_owned() } else { budget.rows.to_string() };
                let most = budget.factorisations.map_or("no bound".to_owned(), |n| n.to_string());
                let head = std::mem::take(&mut first);
                let head = if head.is_empty() { String::new() } else { format!(" {head}") };
                lines += &format!("//! |{head} | {rows} | {most} |\n");
            }
        }
        assert!(include_str!("effort.rs").contains(&lines), "the table should read\n{lines}");
        let bound = |effort: Effort, rows| effort.factorisations(rows).unwrap_or(u32::MAX);
        for rows in [0, 12, 48, 49, 300, 301, 600, 601, 5000] {
            let of_efforts = Effort::ALL.map(|effort| bound(effort, rows));
            assert!(of_efforts.is_sorted(), "{rows} rows: {of_efforts:?}");
            assert!(Effort::ALL.iter().all(|&e| bound(e, rows) >= bound(e, rows + 100)));
        }
    }
}
