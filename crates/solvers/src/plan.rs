//! What `auto` and the accelerated sweeps try, and when: tables that are read from top to bottom until the tolerance is met.
//!
//! A [`Plan`] has four tables. `island` is the solve of an island; its stage `sweeps` tries `first` before the first sweep and
//! `between` at growing intervals of sweeps; the stage `others` of that one goes on with the next of `others`, which each have
//! one attempt. A [`Line`] is tried where all its conditions ([`When`]) hold, for at most so many steps. A stage leaves the best
//! impulses it has met, so that lines may be moved, added or left out ([`Plan::without`]): that changes what a solve costs and how far
//! it comes, but never makes its answer worse than its start. A line with the condition
//! [`When::Creeps`] is read after an answer, wherever it stands.

mod record;

pub use record::{Tried, explained};
pub(crate) use record::{clock, record};

use crate::parameters::{Field, Parameter, Parameters, parameters};
use crate::trees::{TreeSystem, knows_all, knows_factor};
use crate::tuning::IslandsTuning;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// Lines of a table, at most.
const MOST: usize = 20;

/// The tables in which a stage may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `island`, where it comes before all others and costs no budget.
    Beginning,
    Island,
    First,
    Between,
    Others,
    NotOthers,
    Anywhere,
}

/// The places of stages, in their order; of conditions there are none.
trait Placed {
    const PLACES: &'static [Place];
}

/// An enum of words: the word in tables and parameters, its meaning in a line, and of a stage its place.
macro_rules! words {
    ($(#[$about:meta])* $kind:ident: $($name:ident = $word:literal, $meaning:literal $(, $place:ident)?;)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind {
            $($name),+
        }

        impl $kind {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The word in tables and parameters.
            pub const fn name(self) -> &'static str {
                [$($word),+][self as usize]
            }

            /// The meaning, in a line.
            pub const fn meaning(self) -> &'static str {
                [$($meaning),+][self as usize]
            }
        }

        impl Placed for $kind {
            const PLACES: &'static [Place] = &[$($(Place::$place,)?)+];
        }
    };
}

words! {
    /// A stage that a line tries.
    Stage:
    LastImpulses = "last-impulses", "impulses of the step before, if those of two steps agree and leave no more than rest does", Beginning;
    Springs = "springs", "the answer of equal stiff springs, loaded from nothing", Beginning;
    Starts = "starts", "the nearest of the starts there are", Beginning;
    Hold = "hold", "impulses that hold all that touches", Beginning;
    First = "first", "the table `first`, before blocks of G are formed", Island;
    Smoothing = "smoothing", "smoothing homotopy from no impulses, until the residual is enough", Island;
    Sweeps = "sweeps", "the table `first`, then sweeps with Anderson steps and the table `between`", Island;
    FromNothing = "from-nothing", "augmented Lagrangian, then `sweeps`, from no impulses", Island;
    PlainSweeps = "plain-sweeps", "sweeps alone, from the start", Island;
    OldFactors = "old-factors", "Newton's method by the factors of the last step", First;
    Newton = "newton", "Newton's method on the active set", NotOthers;
    NewtonAfterSweeps = "newton-after-sweeps", "a few sweeps, and Newton's method from there", First;
    FirmMultipliers = "firm-multipliers", "augmented Lagrangian that starts firmly at these impulses", First;
    Multipliers = "multipliers", "augmented Lagrangian, and Newton's method", Anywhere;
    Parts = "parts", "the parts in which Newton's method fails, and Newton's method on all, in turn", NotOthers;
    Others = "others", "the next line of the table `others`, and Newton's method from its end", Between;
    Path = "path", "path from one active set to the next", Anywhere;
    PathByRows = "path-by-rows", "the same, by rows of G", Anywhere;
    SmoothedNewton = "smoothed-newton", "Newton's method on the smoothed law", Anywhere;
    Interior = "interior", "interior point method from a cold start", Anywhere;
    Facets = "facets", "interior point method for polygonal cones, from a cold start", Anywhere;
    MoreSweeps = "more-sweeps", "nothing but sweeps until the next attempt", Others;
}

words! {
    /// A condition that must hold where a line is tried.
    When:
    FewRows = "few rows", "friction, and at most `springs.rows` rows";
    ManyRows = "many rows", "more rows, or no friction";
    Friction = "friction", "some contact has friction";
    Moves = "moves", "the start leaves more than what rests does, or is no answer of this solver";
    Creeps = "creeps", "what slides under the answer is slower than `springs.creep` of what it would be without impulses";
    Unformed = "unformed", "sweeps need blocks of G that are not formed";
    EnoughSaid = "enough said", "the table of efforts says a natural map that is enough";
    OtherStart = "other start", "the start was not zero, or the augmented Lagrangian knows the island";
    Far = "far", "natural map above a hundred tolerances";
    Cheap = "cheap", "a factorisation costs little, or the start is nearly an answer";
    Fewest = "≤ 48 rows", "at most 48 rows";
    ByRows = "by rows", "few trees: systems are solved by rows";
    InTrees = "in trees", "many trees: systems are solved in velocities";
    KnowsAll = "knows W", "the factor of G is known";
    KnowsFactor = "knows factor", "the factor of G is known, R being zero or not";
    Hyperstatic = "hyperstatic", "an island of many trees has far more rows than velocities";
    NearlyHyperstatic = "hyperstatic, near", "the same, and the start is nearly an answer";
    Parts = "has parts", "many trees and rows: what is wrong may be in parts";
    Path = "has path", "the exact law, and few rows or many trees";
    Large = "large", "more than 2000 rows";
    NotLarge = "not large", "at most 2000 rows";
    Turning = "turning", "some contact resists spinning or rolling";
    NoTurning = "no turning", "no contact resists spinning or rolling";
    Exact = "exact law", "the law is Signorini's and Coulomb's";
    Polygon = "polygon", "the law has polygonal cones";
    NoPolygon = "round", "it has round ones, and not both the exact law and many trees";
    AboveRounding = "above rounding", "the natural map is more than rounding the impulses leaves";
}

/// A line of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub stage: Stage,
    /// All must hold.
    pub when: &'static [When],
    /// Steps, at most; 0: as many as are left.
    pub steps: u32,
}

/// A line that is tried where all of `when` hold, for as many steps as are left.
pub const fn line(stage: Stage, when: &'static [When]) -> Line {
    Line { stage, when, steps: 0 }
}

/// A line of at most so many steps.
pub const fn most(steps: u32, stage: Stage, when: &'static [When]) -> Line {
    Line { stage, when, steps }
}

/// Lines, read from top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    lines: [Line; MOST],
    len: usize,
}

impl Table {
    pub const fn new(lines: &[Line]) -> Self {
        assert!(lines.len() <= MOST, "a table has at most 20 lines");
        let mut out = Self { lines: [line(Stage::MoreSweeps, &[]); MOST], len: lines.len() };
        let mut i = 0;
        while i < lines.len() {
            out.lines[i] = lines[i];
            i += 1;
        }
        out
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl std::ops::Deref for Table {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        &self.lines[..self.len]
    }
}

/// The tables of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub island: Table,
    pub first: Table,
    pub between: Table,
    pub others: Table,
}

use Stage as S;
use When as W;

const FIRST: Table = Table::new(&[
    line(S::OldFactors, &[]),
    most(8, S::Newton, &[W::Cheap]),
    most(8, S::FirmMultipliers, &[W::Turning, W::Cheap, W::Fewest, W::ByRows, W::Path, W::AboveRounding]),
    most(
        5,
        S::NewtonAfterSweeps,
        &[W::NoTurning, W::Cheap, W::Fewest, W::ByRows, W::Path, W::Far, W::KnowsAll, W::AboveRounding],
    ),
    line(S::Path, &[W::NoTurning, W::Cheap, W::Fewest, W::ByRows, W::Path, W::AboveRounding]),
    most(8, S::FirmMultipliers, &[W::NearlyHyperstatic, W::Cheap]),
]);

const BETWEEN: Table = Table::new(&[
    line(S::Newton, &[]),
    most(60, S::Multipliers, &[W::AboveRounding, W::Hyperstatic, W::Far]),
    line(S::Parts, &[W::AboveRounding, W::Parts]),
    line(S::Others, &[W::AboveRounding]),
]);

const OTHERS: Table = Table::new(&[
    line(S::PathByRows, &[W::Turning, W::NotLarge, W::Path]),
    most(60, S::Multipliers, &[W::Turning, W::NotLarge, W::Exact]),
    line(S::Path, &[W::NoTurning, W::NotLarge, W::Path]),
    most(60, S::SmoothedNewton, &[W::NoTurning, W::NotLarge, W::Exact]),
    most(60, S::Multipliers, &[W::NoTurning, W::NotLarge, W::Exact, W::KnowsFactor]),
    most(60, S::Facets, &[W::NoTurning, W::NotLarge, W::Polygon]),
    most(60, S::Facets, &[W::NoTurning, W::NotLarge, W::Polygon]),
    most(60, S::Facets, &[W::NoTurning, W::NotLarge, W::Polygon]),
    most(60, S::SmoothedNewton, &[W::NoTurning, W::NotLarge, W::Exact, W::InTrees]),
    most(60, S::SmoothedNewton, &[W::NoTurning, W::NotLarge, W::Exact, W::InTrees]),
    most(60, S::SmoothedNewton, &[W::NoTurning, W::NotLarge, W::Exact, W::InTrees]),
    most(60, S::Interior, &[W::NoTurning, W::NotLarge, W::NoPolygon]),
    most(60, S::Interior, &[W::NoTurning, W::NotLarge, W::NoPolygon]),
    most(60, S::Interior, &[W::NoTurning, W::NotLarge, W::NoPolygon]),
    line(S::MoreSweeps, &[W::Large]),
    line(S::MoreSweeps, &[W::Large]),
    most(60, S::Multipliers, &[W::Large]),
]);

/// The plan of `auto`.
pub const AUTO: Plan = Plan {
    island: Table::new(&[
        line(S::LastImpulses, &[W::FewRows]),
        line(S::Springs, &[W::FewRows]),
        line(S::Starts, &[]),
        line(S::First, &[W::Unformed]),
        line(S::Smoothing, &[W::EnoughSaid]),
        line(S::Sweeps, &[]),
        line(S::FromNothing, &[W::OtherStart]),
        most(50, S::PlainSweeps, &[]),
        line(S::Hold, &[W::ManyRows, W::Friction, W::Creeps]),
    ]),
    first: FIRST,
    between: BETWEEN,
    others: OTHERS,
};

/// The plan of accelerated sweeps of other laws and of `nsgs`.
pub const SWEEPS: Plan = Plan {
    island: Table::new(&[
        line(S::Starts, &[]),
        line(S::Hold, &[W::Friction, W::Moves, W::Exact]),
        line(S::First, &[W::Unformed]),
        line(S::Sweeps, &[]),
        line(S::FromNothing, &[W::OtherStart]),
    ]),
    ..AUTO
};

/// The plan of accelerated sweeps of RaiSim's law, whose answer is where its first sweeps go.
pub const RAISIM: Plan = Plan {
    island: Table::new(&[line(S::Starts, &[]), line(S::Sweeps, &[])]),
    first: Table::new(&[]),
    between: Table::new(&[line(S::Newton, &[])]),
    others: Table::new(&[]),
};

impl Table {
    /// The table without the lines of a stage.
    #[must_use]
    pub fn without(self, stage: Stage) -> Self {
        let mut out = Self::default();
        for line in self.iter().filter(|line| line.stage != stage) {
            out.lines[out.len] = *line;
            out.len += 1;
        }
        out
    }

    /// The table with a line more, before the `at`-th, or last.
    ///
    /// # Panics
    /// If it has 20 lines already.
    #[must_use]
    pub fn with(self, at: usize, line: Line) -> Self {
        let mut lines = self.to_vec();
        lines.insert(at.min(lines.len()), line);
        Self::new(&lines)
    }
}

impl Stage {
    /// The tables in which it may stand.
    pub(crate) fn place(self) -> Place {
        <Self as Placed>::PLACES[self as usize]
    }

    /// True if the table of that name tries it.
    fn fits(self, table: &str) -> bool {
        match self.place() {
            Place::Beginning | Place::Island => table == "island",
            Place::First => table == "first",
            Place::Between => table == "between",
            Place::Others => table == "others",
            Place::NotOthers => table != "others",
            Place::Anywhere => true,
        }
    }
}

impl Plan {
    /// The plan with so many steps for a stage of islands, or none of it.
    pub(crate) fn with_steps(mut self, stage: Stage, steps: u32) -> Self {
        if steps == 0 {
            self.island = self.island.without(stage);
        }
        let lines: Vec<Line> =
            self.island.iter().map(|l| if l.stage == stage { Line { steps, ..*l } } else { *l }).collect();
        self.island = Table::new(&lines);
        self
    }

    /// The plan without a stage, in all its tables.
    #[must_use]
    pub fn without(self, stage: Stage) -> Self {
        let Self { island, first, between, others } = self;
        let [island, first, between, others] = [island, first, between, others].map(|t| t.without(stage));
        Self { island, first, between, others }
    }

    /// The tables by their names.
    pub fn tables(&self) -> [(&'static str, Table); 4] {
        [("island", self.island), ("first", self.first), ("between", self.between), ("others", self.others)]
    }

    /// A table of the plan and a stage in it that is none of its kind, if there is one.
    pub fn misplaced(&self) -> Option<(&'static str, Stage)> {
        for (name, table) in self.tables() {
            if let Some(line) = table.iter().find(|line| !line.stage.fits(name)) {
                return Some((name, line.stage));
            }
        }
        None
    }

    /// True if it tries that stage on islands.
    pub(crate) fn tries(&self, stage: Stage) -> bool {
        self.island.iter().any(|line| line.stage == stage)
    }

    /// The plan as tables in Markdown, with the meaning of every word.
    pub fn page(&self) -> String {
        let mut out = String::new();
        for (name, table) in self.tables() {
            if table.is_empty() {
                continue;
            }
            out += &format!("\n`{name}`\n\n| tried | when | steps, at most |\n|---|---|---|\n");
            for Line { stage, when, steps } in &*table {
                let when: Vec<&str> = when.iter().map(|w| w.name()).collect();
                let steps = if *steps == 0 { "–".to_owned() } else { steps.to_string() };
                let when = if when.is_empty() { "always".to_owned() } else { when.join(", ") };
                out += &format!("| `{}` | {when} | {steps} |\n", stage.name());
            }
        }
        let mut lines: Vec<Line> = self.tables().iter().flat_map(|(_, table)| table.to_vec()).collect();
        lines.sort_by_key(|line| line.stage.name());
        lines.dedup_by_key(|line| line.stage);
        out += "\n| stage | what it is |\n|---|---|\n";
        for Line { stage, .. } in &lines {
            out += &format!("| `{}` | {} |\n", stage.name(), stage.meaning());
        }
        out += "\n| condition | holds where |\n|---|---|\n";
        for when in When::ALL {
            out += &format!("| {} | {} |\n", when.name(), when.meaning());
        }
        out
    }
}

/// The facts of a problem that conditions of a plan need.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) law: Law,
    pub(crate) sizes: &'a IslandsTuning,
    pub(crate) few_rows: bool,
    pub(crate) moves: bool,
    pub(crate) creeps: bool,
    pub(crate) enough_said: bool,
    pub(crate) other_start: bool,
    /// The natural map is above a hundred tolerances.
    pub(crate) far: bool,
    /// The natural map of the start is not.
    pub(crate) near: bool,
    pub(crate) cheap: bool,
}

impl<'a> Facts<'a> {
    pub(crate) fn of(problem: &'a ConstraintProblem, law: Law, sizes: &'a IslandsTuning) -> Self {
        let [few_rows, moves, creeps, enough_said, other_start, far, near, cheap] = [false; 8];
        Self { problem, law, sizes, few_rows, moves, creeps, enough_said, other_start, far, near, cheap }
    }

    /// True if all of these hold; [`When::AboveRounding`] is the caller's.
    pub(crate) fn hold(&self, when: &[When]) -> bool {
        when.iter().all(|w| self.is(*w))
    }

    pub(crate) fn is(&self, when: When) -> bool {
        let Self { problem, law, sizes, .. } = *self;
        let rows = problem.rows();
        match when {
            When::FewRows => self.few_rows,
            When::ManyRows => !self.few_rows,
            When::Friction => rubs(problem),
            When::Moves => self.moves,
            When::Creeps => self.creeps,
            When::Unformed => !(problem.blocks_formed() || law == Law::Ncp && TreeSystem::pays(problem)),
            When::EnoughSaid => self.enough_said,
            When::OtherStart => self.other_start,
            When::Far => self.far,
            When::Cheap => self.cheap,
            When::Fewest => rows <= sizes.fewest,
            When::ByRows => !TreeSystem::pays(problem),
            When::InTrees => TreeSystem::pays(problem),
            When::KnowsAll => knows_all(problem),
            When::KnowsFactor => knows_factor(problem),
            When::Hyperstatic => {
                self.is(When::Parts)
                    && rows > sizes.hyperstatic
                    && rows > sizes.per_coordinate.saturating_mul(problem.delassus_factor.coordinates())
            }
            When::NearlyHyperstatic => self.near && self.is(When::Hyperstatic),
            When::Parts => law == Law::Ncp && rows >= sizes.parts && TreeSystem::pays(problem),
            When::Path => law == Law::Ncp && (rows <= sizes.path || TreeSystem::pays(problem)),
            When::Large => self.is(When::Parts) && rows > sizes.large,
            When::NotLarge => !self.is(When::Large),
            When::Turning => turns(problem),
            When::NoTurning => !turns(problem),
            When::Exact => law == Law::Ncp,
            When::Polygon => law.polygon().is_some(),
            When::NoPolygon => law.polygon().is_none() && !(law == Law::Ncp && TreeSystem::pays(problem)),
            When::AboveRounding => true,
        }
    }
}

/// True if some contact has friction: without, velocities have one answer.
pub(crate) fn rubs(problem: &ConstraintProblem) -> bool {
    problem.cones().iter().any(|c| matches!(*c, Cone::Friction { mu } | Cone::Patch { mu, .. } if mu > 0.0))
}

/// True if some contacts resist turning.
pub(crate) fn turns(problem: &ConstraintProblem) -> bool {
    problem.cones().iter().any(|c| matches!(c, Cone::Patch { .. }))
}

macro_rules! leave_out {
    ($($field:ident: $stage:ident;)+) => {
        parameters! {
            /// Stages of the plan that may be left out.
            pub struct PlanParams {
                $(
                    /// False leaves this stage out of the plan, wherever it is tried.
                    $field: bool = true, "–", by_type();
                )+
            }
        }

        impl PlanParams {
            /// The plan with the stages that are left.
            pub(crate) fn of(&self, plan: Plan) -> Plan {
                let mut out = plan;
                $(
                    if !self.$field {
                        out = out.without(Stage::$stage);
                    }
                )+
                out
            }
        }
    };
}

leave_out! {
    hold: Hold;
    first: First;
    smoothing: Smoothing;
    from_nothing: FromNothing;
    old_factors: OldFactors;
    newton: Newton;
    newton_after_sweeps: NewtonAfterSweeps;
    firm_multipliers: FirmMultipliers;
    multipliers: Multipliers;
    parts: Parts;
    path: Path;
    path_by_rows: PathByRows;
    smoothed_newton: SmoothedNewton;
    interior: Interior;
}

impl Field for PlanParams {
    const GROUP: &'static [Parameter] = Self::TABLE;
}

#[cfg(test)]
mod tests;
