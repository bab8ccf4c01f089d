//! How much a step may cost: the budgets of [`crate::auto`], one table.
//!
//! | effort | rows of an island, up to | factorisations of it | enough [m/s] | near [m/s] |
//! |---|---|---|---|---|
//! | `fast` | 1500 | 120 | – | – |
//! | | any | 60 | 1e-2 | 1e-2 |
//! | `balanced` | 300 | 4000 | – | – |
//! | | 600 | 1500 | – | – |
//! | | 1500 | 1000 | – | – |
//! | | any | 60 | 1e-4 | 1e-4 |
//! | `exact` | any | no bound | – | – |
//!
//! The unit is one factorisation of the island (`crate::work`); sweeps count for what takes as long. An island that is at
//! its tolerance ends there, whatever is left of the budget: what rests or is small never meets it. In large islands that are
//! not nearly solved at the start, a natural map that is *enough* ends the solve. Their path from no impulses, the smoothing
//! homotopy, is gone only where the start leaves more than *near*, which is about what that path reaches within the budget:
//! from nearer starts the chain goes on. Islands of up to 1500 rows have what they seldom need: one that is cut off short starts
//! its next steps farther away, and a run of such steps costs more than what was saved. What has met the end of its budget, or is
//! no more than enough, leaves the best impulses so far, which are in their cones, and the step is flagged and says so.
//!
//! A step that ends short is paid for by the next, which starts farther away. With `fast`, an island that met its tolerance in
//! the step before therefore has the line of `balanced` for [`TRIES`] steps: a single hit is solved, and the steps after it are
//! cheap. An island that ends short all the same has that line again after every [`AGAIN`] steps, or a heap that has come to rest
//! might never be solved.

use crate::parameters::choice;
use crate::values::Params;
use serde::{Deserialize, Serialize};

/// How much a step may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Large islands that are hit in every step end near the answer, early.
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
    /// Natural map at which it may end where its start is not nearly an answer [m/s]; none: its tolerance.
    pub enough: Option<f64>,
    /// Natural map of a start from which the chain goes on, and above which an island with an `enough` goes by the smoothing
    /// homotopy from no impulses [m/s].
    pub near: Option<f64>,
}

/// With `fast`, of so many steps of an island that end short, one after another, the first few have the line of `balanced`. In heaps
/// that overlap and come to rest, three are enough to be near; in bins of 300 bodies that are hit in every step, three of sixteen
/// cost a tenth.
pub const AGAIN: u32 = 16;
pub const TRIES: u32 = 3;

const ANY: usize = usize::MAX;

/// The line of islands that end at their tolerance or with their budget.
const fn to_the_tolerance(rows: usize, factorisations: u32) -> Budget {
    Budget { rows, factorisations: Some(factorisations), enough: None, near: None }
}

/// The line of islands for which less may be enough.
const fn large(factorisations: u32, enough: f64, near: f64) -> Budget {
    Budget { rows: ANY, factorisations: Some(factorisations), enough: Some(enough), near: Some(near) }
}

const FAST: [Budget; 2] = [to_the_tolerance(1500, 120), large(60, 1e-2, 1e-2)];
const BALANCED: [Budget; 4] = [
    to_the_tolerance(300, 4000),
    to_the_tolerance(600, 1500),
    to_the_tolerance(1500, 1000),
    large(60, 1e-4, 1e-4),
];
const EXACT: [Budget; 1] = [Budget { rows: ANY, factorisations: None, enough: None, near: None }];

impl Effort {
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Exact];

    /// The word for it in files and on command lines.
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

    /// The effort that an island has after so many steps that ended short of its tolerance, one after another.
    #[must_use]
    pub fn after(self, short: u32) -> Self {
        match self {
            Self::Fast if short % AGAIN < TRIES => Self::Balanced,
            own => own,
        }
    }

    /// The lines of the table for it, by ascending rows.
    pub fn budgets(self) -> &'static [Budget] {
        match self {
            Self::Fast => &FAST,
            Self::Balanced => &BALANCED,
            Self::Exact => &EXACT,
        }
    }

    /// Factorisations that an island of so many rows may cost; none: no bound.
    pub fn factorisations(self, rows: usize) -> Option<u32> {
        self.budget(rows).and_then(|b| b.factorisations)
    }

    /// Natural map at which it may end before its tolerance [m/s]; none: there is none.
    pub fn enough(self, rows: usize) -> Option<f64> {
        self.budget(rows).and_then(|b| b.enough)
    }

    /// Natural map of a start from which the chain goes on where less than the tolerance may be enough [m/s]; none: of any.
    pub fn near(self, rows: usize) -> Option<f64> {
        self.budget(rows).and_then(|b| b.near)
    }

    fn budget(self, rows: usize) -> Option<&'static Budget> {
        self.budgets().iter().find(|b| rows <= b.rows)
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
                let [enough, near] =
                    [budget.enough, budget.near].map(|e| e.map_or("–".to_owned(), |e| format!("{e:e}")));
                let head = std::mem::take(&mut first);
                let head = if head.is_empty() { String::new() } else { format!(" {head}") };
                lines += &format!("//! |{head} | {rows} | {most} | {enough} | {near} |\n");
            }
        }
        assert!(include_str!("effort.rs").contains(&lines), "the table should read\n{lines}");
        let bound = |effort: Effort, rows| effort.factorisations(rows).unwrap_or(u32::MAX);
        for rows in [0, 12, 48, 49, 300, 301, 600, 1500, 1501, 5000] {
            let of_efforts = Effort::ALL.map(|effort| bound(effort, rows));
            assert!(of_efforts.is_sorted(), "{rows} rows: {of_efforts:?}");
            assert!(Effort::ALL.iter().all(|&e| bound(e, rows) >= bound(e, rows + 100)));
        }
    }
}
