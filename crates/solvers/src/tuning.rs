//! The numbers that decide how far and how long methods go: a table for each method, every number a
//! parameter.
//!
//! They are groups of the parameters of [`crate::auto`] and of solvers that are one of these methods, written
//! `group.name`. The rules with Anderson steps or a second-order finish go by the defaults.

use crate::parameters::{Field, Parameter, Parameters, parameters};

/// Declares the tables of numbers, each a group of parameters.
macro_rules! tables {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident { $($body:tt)* }
    )+) => {
        $(
            parameters! {
                $(#[$meta])*
                pub struct $name { $($body)* }
            }

            impl Field for $name {
                const GROUP: &'static [Parameter] = Self::TABLE;
            }
        )+
    };
}

/// The numbers of all methods that a solve of islands may come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tuning {
    pub(crate) islands: IslandsTuning,
    pub(crate) sweeps: SweepsTuning,
    pub(crate) newton: NewtonTuning,
    pub(crate) attempts: AttemptsTuning,
    pub(crate) parts: PartsTuning,
    pub(crate) path: PathTuning,
    pub(crate) facets: FacetsTuning,
    pub(crate) smoothing_start: SmoothingStart,
    pub(crate) smoothing: SmoothingTuning,
}

tables! {
    /// Sizes of islands, and how near an answer is near.
    pub struct IslandsTuning {
        /// A start or a natural map within so many tolerances is nearly an answer.
        near: f64 = 1e2, "–", at_least(1.0);
        /// Rows of an island, at most, in which every factorisation is cheap: condition `≤ 48 rows`.
        fewest: usize = 48, "–", at_least(0.0);
        /// Rows, at most, of an island in which a factorisation pays before the first sweep: nearly solved,
        /// or of many trees.
        cheap: usize = 300, "–", at_least(0.0);
        /// Rows of an island that has parts, at least.
        parts: usize = 60, "–", at_least(0.0);
        /// Rows, at most, of an island that is solved by rows along a path.
        path: usize = 300, "–", at_least(0.0);
        /// Rows of a hyperstatic island, at least …
        hyperstatic: usize = 300, "–", at_least(0.0);
        /// … and rows for each coordinate of its velocity, at least.
        per_coordinate: usize = 3, "–", at_least(0.0);
        /// Rows above which a step on all of the island costs much.
        many: usize = 600, "–", at_least(0.0);
        /// Rows above which an island is left to sweeps, unless it is solved in velocities of trees.
        finish: usize = 1500, "–", at_least(0.0);
        /// Rows above which an island is large.
        large: usize = 2000, "–", at_least(0.0);
    }

    /// Sweeps with Anderson steps.
    pub struct SweepsTuning {
        /// Iterations in which the best residual must fall by a tenth, or the solve stalls.
        patience: u32 = 500, "–", at_least(1.0);
        /// Velocities are computed afresh after so many sweeps.
        refresh: u32 = 50, "–", at_least(1.0);
        /// Growth of the residual that an Anderson step may cause.
        growth: f64 = 2.0, "–", at_least(1.0);
        /// Accelerated sweeps without progress before as many plain ones.
        idle: u32 = 50, "–", at_least(1.0);
        /// Velocities are computed afresh after an Anderson step with larger coefficients than this.
        drift: f64 = 100.0, "–", above(0.0);
        /// Slip of more than so many times what all friction would stop is not stopped.
        stops: f64 = 10.0, "–", above(0.0);
        /// A start that leaves no more than this is calm: nothing was hit since.
        calm: f64 = 1e-2, "m/s", above(0.0);
    }

    /// Newton's method on the active set.
    pub struct NewtonTuning {
        /// Least share of the diagonal of G that is added to it …
        least: f64 = 1e-10, "–", above(0.0);
        /// … and the largest, above which steps end.
        most: f64 = 1e-3, "–", above(0.0);
        /// Growth of that share where steps lead nowhere, for the exact law …
        harder: f64 = 30.0, "–", above(1.0);
        /// … and for other laws.
        harder_other: f64 = 1e3, "–", above(1.0);
        /// Steps in a row that may fail to halve the best residual, for the exact law …
        wander: u32 = 2, "–", at_least(0.0);
        /// … and for other laws.
        wander_other: u32 = 4, "–", at_least(0.0);
        /// In islands of many trees the share goes by this power of residual/‖g‖ …
        power: f64 = 0.7, "–", above(0.0);
        /// … and by this factor where rows are fewest.
        small: f64 = 0.01, "–", above(0.0);
        /// There, a step that leaves more than this share of the best residual is followed by sweeps …
        rough: f64 = 0.3, "–", above(0.0);
        /// Sweeps after a rough step in islands of many trees …
        sweeps: u32 = 2, "–", at_least(0.0);
        /// … over contacts that leave more than this share of their part of the residual.
        little: f64 = 0.1, "–", at_least(0.0);
        /// Share of the added diagonal that a better step leaves there, at least.
        slowest: f64 = 0.1, "–", at_least(0.0);
        /// A step there that is so many times worse than the best is undone at once.
        astray: f64 = 100.0, "–", above(1.0);
        /// A step that leaves less than this share had the right pieces …
        gain: f64 = 0.1, "–", above(0.0);
        /// … and leaves this share of the added diagonal.
        quick: f64 = 0.01, "–", above(0.0);
        /// Least pivot of equations that have one answer.
        regular: f64 = 1e-6, "–", above(0.0);
        /// Steps by factors of an earlier solve.
        chord_steps: u32 = 3, "–", at_least(0.0);
        /// Solves after which factors are renewed by which one step did not do.
        renewal: u32 = 12, "–", at_least(0.0);
    }

    /// Attempts to finish what sweeps have begun.
    pub struct AttemptsTuning {
        /// Sweeps before an interior-point attempt, and before another way.
        patience: u32 = 20, "–", at_least(0.0);
        /// Sweeps before the other ways.
        little_patience: u32 = 4, "–", at_least(0.0);
        /// Sweeps before any attempt on RaiSim's law, whose answer is where the published sweeps go.
        raisim_patience: u32 = 200, "–", at_least(0.0);
        /// Sweeps before an attempt in islands that are solved in velocities of trees.
        in_trees: u32 = 4, "–", at_least(0.0);
        /// Sweeps between attempts in large islands.
        soon: u32 = 10, "–", at_least(1.0);
        /// Steps of Newton's method where a path follows …
        newton_steps: u32 = 10, "–", at_least(0.0);
        /// … where none does …
        newton_steps_alone: u32 = 20, "–", at_least(0.0);
        /// … and with many rows and parts.
        newton_steps_many: u32 = 5, "–", at_least(0.0);
        /// Steps of Newton's method before the first sweep where the start is good enough, or its pieces
        /// change most.
        newton_steps_near: u32 = 2, "–", at_least(0.0);
        /// Steps of Newton's method after another way has reached the tolerance …
        polishing_steps: u32 = 2, "–", at_least(0.0);
        /// … towards this share of it, as for starts of bodies at rest that are nearly answers.
        deep: f64 = 1e-4, "–", above(0.0).at_most(1.0);
        /// A step from what is good enough leaves this share of it, at most.
        digit: f64 = 0.1, "–", above(0.0).at_most(1.0);
        /// A way that leaves less than this share of the residual is gone again.
        again: f64 = 0.5, "–", above(0.0);
        /// Steps of the augmented Lagrangian from no impulses …
        last_steps: u32 = 150, "–", at_least(0.0);
        /// … and with many rows.
        last_steps_many: u32 = 30, "–", at_least(0.0);
        /// Compliance of the augmented Lagrangian from what is nearly an answer, in units of 1/‖A_ii‖.
        firm: f64 = 1e-4, "–", above(0.0);
        /// Steps along a path …
        path_steps: u32 = 150, "–", at_least(0.0);
        /// … along one with many rows …
        path_steps_many: u32 = 60, "–", at_least(0.0);
        /// … and by rows: rows times steps.
        path_cost: usize = 18_000, "–", at_least(0.0);
        /// Rounding may be so many times larger than reckoned …
        caution: f64 = 10.0, "–", at_least(1.0);
        /// … and is not looked at closely up to this share of the tolerance.
        nothing: f64 = 1e-3, "–", above(0.0);
    }

    /// The parts of a large island in which Newton's method fails.
    pub struct PartsTuning {
        /// Rounds of parts and of Newton's method on all.
        rounds: u32 = 8, "–", at_least(0.0);
        /// Parts must leave less than this share of a residual at which Newton's method on all has failed.
        gain: f64 = 0.3, "–", above(0.0);
        /// Rounds in a row that may leave more …
        idle_rounds: u32 = 2, "–", at_least(1.0);
        /// … than this share of the best.
        progress: f64 = 0.9, "–", above(0.0);
        /// A block is wrong that leaves more than this share of the root mean square of all.
        first_share: f64 = 0.1, "–", above(0.0);
        /// A part reaches so far around a wrong block, from tree to tree.
        first_reach: u32 = 2, "–", at_least(0.0);
        /// Share in place of `first_share` where the largest part is too large.
        second_share: f64 = 1.0, "–", above(0.0);
        /// Reach that belongs to `second_share`.
        second_reach: u32 = 2, "–", at_least(0.0);
        /// Share where the largest part is too large by `second_share`.
        third_share: f64 = 1.0, "–", above(0.0);
        /// Reach that belongs to `third_share`.
        third_reach: u32 = 1, "–", at_least(0.0);
        /// Share where the largest part is too large by `third_share`.
        fourth_share: f64 = 3.0, "–", above(0.0);
        /// Reach that belongs to `fourth_share`.
        fourth_reach: u32 = 1, "–", at_least(0.0);
        /// A part is too large that has more than this share of all blocks.
        most: f64 = 0.5, "–", above(0.0).at_most(1.0);
        /// Steps of Newton's method in a part …
        newton_steps: u32 = 20, "–", at_least(0.0);
        /// … and along a path where that fails.
        path_steps: u32 = 60, "–", at_least(0.0);
        /// Share of the tolerance to which parts are solved.
        share: f64 = 0.5, "–", above(0.0).at_most(1.0);
        /// A part in which more than this share is left is a knot …
        tied: f64 = 0.01, "–", above(0.0);
        /// … of so many rows at most …
        knot_rows: usize = 1500, "–", at_least(0.0);
        /// … of which so many are untied at a time.
        knots: u32 = 4, "–", at_least(0.0);
        /// Sweeps from no impulses in a knot …
        sweeps: u32 = 200, "–", at_least(0.0);
        /// … steps of the smoothed law …
        smoothed_steps: u32 = 60, "–", at_least(0.0);
        /// … and of the augmented Lagrangian.
        multiplier_steps: u32 = 40, "–", at_least(0.0);
    }

    /// The path from one active set to the next.
    pub struct PathTuning {
        /// ε of the first round, as a share of the diagonal …
        epsilon: f64 = 1e-4, "–", above(0.0);
        /// … its growth while no path has an end …
        softer: f64 = 100.0, "–", above(1.0);
        /// … and its largest.
        softest: f64 = 1.0, "–", above(0.0);
        /// Decay of ε from round to round at first …
        sharper: f64 = 0.03, "–", above(0.0).below(1.0);
        /// … and that which is too slow to go on.
        slowest: f64 = 0.7, "–", above(0.0).below(1.0);
        /// Least ε by rows …
        sharpest: f64 = 1e-14, "–", above(0.0);
        /// … and in trees.
        sharpest_in_trees: f64 = 1e-10, "–", above(0.0);
        /// A sliding contact turns by this much in a step.
        turn: f64 = 0.3, "rad", above(0.0);
        /// Steps back after which a path has no end.
        back: u32 = 10, "–", at_least(0.0);
        /// A round ends where F is this share of what ε adds …
        left: f64 = 0.1, "–", above(0.0);
        /// … or this share of λ …
        rounding: f64 = 1e-15, "–", above(0.0);
        /// … or when so many whole steps in a row have not halved it.
        poor: u32 = 4, "–", at_least(0.0);
    }

    /// The interior-point method of polygonal cones.
    pub struct FacetsTuning {
        /// Share of the way to the boundary that a step may go.
        to_boundary: f64 = 0.95, "–", above(0.0).below(1.0);
        /// Share of the diagonal of A that is added to it: redundant bilateral rows keep a unique step.
        nudge: f64 = 1e-13, "–", at_least(0.0);
        /// Short steps in a row that end an attempt …
        short_steps: u32 = 4, "–", at_least(1.0);
        /// Length below which an interior step is short.
        short: f64 = 1e-3, "–", above(0.0);
        /// A step below this has come near a boundary far from the others.
        cramped: f64 = 0.1, "–", at_least(0.0);
        /// Friction coefficients below this count as zero.
        smooth: f64 = 1e-9, "–", at_least(0.0);
        /// L of a bilateral row counts as this where it is zero: c = 0 is then met step by step.
        bilateral: f64 = 1e-9, "–", above(0.0);
        /// Interior steps of a start before the first attempt of Newton's method …
        first: u32 = 12, "–", at_least(0.0);
        /// … between attempts of Newton's method …
        between: u32 = 6, "–", at_least(1.0);
        /// … and of a start in all.
        steps: u32 = 60, "–", at_least(1.0);
        /// Steps of Newton's method in an attempt.
        newton_steps: u32 = 10, "–", at_least(0.0);
    }

    /// The first attempt of the smoothing homotopy.
    pub struct SmoothingStart {
        /// Share of De Saxcé's derivative in the matrix while the answer is far; 1 is Newton's method, less
        /// walks over folds.
        derivative: f64 = 0.85, "–", at_least(0.0).at_most(1.0);
        /// Proximal compliance as a share of ‖A_ii‖ and of what is left of the first residual; more is
        /// steadier and slower.
        proximal: f64 = 0.03, "–", above(0.0).at_most(1.0);
    }

    /// The smoothing homotopy.
    pub struct SmoothingTuning {
        /// Share of De Saxcé's derivative in the second attempt.
        second_derivative: f64 = 0.7, "–", at_least(0.0).at_most(1.0);
        /// Proximal compliance in the second attempt, which may meet other folds.
        second_proximal: f64 = 0.3, "–", above(0.0).at_most(1.0);
        /// Share of De Saxcé's derivative in the third attempt.
        third_derivative: f64 = 1.0, "–", at_least(0.0).at_most(1.0);
        /// Proximal compliance in the third attempt.
        third_proximal: f64 = 0.1, "–", above(0.0).at_most(1.0);
        /// First κ, in units of median(1/‖A_ii‖) e₀²/n.
        first_kappa: f64 = 5.0, "–", above(0.0);
        /// Least κ, in units of the first.
        last_kappa: f64 = 1e-30, "–", at_least(0.0);
        /// Step length ρ of the curve, in units of 1/‖A_ii‖.
        rho: f64 = 0.2, "–", above(0.0);
        /// A stage ends at this share of the natural map.
        centre: f64 = 0.5, "–", above(0.0);
        /// De Saxcé's derivative is whole where e is less than this share of e₀.
        near: f64 = 3e-3, "–", at_least(0.0);
        /// Least r by the residual, as a share of ‖A_ii‖.
        least_proximal: f64 = 1e-9, "–", above(0.0);
        /// Largest r by the residual, as a share of ‖A_ii‖.
        most_proximal: f64 = 1e-4, "–", above(0.0);
        /// Largest r where it has grown at stalls, as a share of ‖A_ii‖.
        firmest: f64 = 1e-2, "–", above(0.0);
        /// Least r where it has fallen, as a share of ‖A_ii‖.
        softest: f64 = 1e-15, "–", above(0.0);
        /// κ waits where r adds more than this share of e to velocities, as between very unequal masses.
        lag: f64 = 0.5, "–", above(0.0);
        /// Factor by which r falls where κ waits.
        softening: f64 = 10.0, "–", above(1.0);
        /// Least factor of r in all.
        least_growth: f64 = 1e-10, "–", above(0.0);
        /// Factor by which r grows at a stall.
        growth: f64 = 30.0, "–", above(1.0);
        /// Factor by which r falls with every stage.
        decay: f64 = 5.0, "–", above(1.0);
        /// First share σ of κ that a stage leaves.
        first_sigma: f64 = 0.3, "–", above(0.0).below(1.0);
        /// Least share σ of κ that a stage leaves.
        least_sigma: f64 = 0.02, "–", above(0.0).below(1.0);
        /// Largest share σ of κ that a stage leaves.
        most_sigma: f64 = 0.6, "–", above(0.0).below(1.0);
        /// Factor of σ after a stage of one Newton step, or none.
        quick: f64 = 0.5, "–", above(0.0);
        /// Factor of σ after a stage of two Newton steps.
        usual: f64 = 1.0, "–", above(0.0);
        /// Factor of σ after a stage of three or four Newton steps.
        slow: f64 = 1.7, "–", above(0.0);
        /// Factor of σ after a stage of more Newton steps.
        slowest: f64 = 3.0, "–", above(0.0);
        /// Halvings of a line search …
        halvings: u32 = 5, "–", at_least(0.0);
        /// … the share that a whole step must gain …
        gain: f64 = 0.1, "–", above(0.0).below(1.0);
        /// Length below which a step of a stage is short.
        short: f64 = 0.2, "–", above(0.0);
        /// Short steps in a row that say that there is a fold …
        short_steps: u32 = 2, "–", at_least(1.0);
        /// Newton steps of a stage that say that there is a fold.
        stage_steps: u32 = 10, "–", at_least(1.0);
        /// Folds of a stage before κ grows.
        folds: u32 = 8, "–", at_least(0.0);
        /// Times that κ may grow for folds.
        lifts: u32 = 4, "–", at_least(0.0);
        /// Factor by which κ grows for folds.
        lift: f64 = 10.0, "–", above(1.0);
        /// Factor σ after κ has grown for folds.
        sigma_after_lift: f64 = 0.5, "–", above(0.0).below(1.0);
        /// Share of De Saxcé's derivative in a snap.
        first_snap: f64 = 0.7, "–", at_least(0.0).at_most(1.0);
        /// Share of De Saxcé's derivative in a snap where ‖H‖ grows too fast by `first_snap`.
        second_snap: f64 = 0.4, "–", at_least(0.0).at_most(1.0);
        /// Share of De Saxcé's derivative in a snap where ‖H‖ grows too fast by `second_snap`.
        third_snap: f64 = 0.0, "–", at_least(0.0).at_most(1.0);
        /// Steps of a snap.
        snap_steps: u32 = 14, "–", at_least(1.0);
        /// Factor by which one step may multiply ‖H‖ …
        blow_up: f64 = 5.0, "–", above(1.0);
        /// … and the length of one that would where no share is left.
        shortened: f64 = 0.3, "–", above(0.0).at_most(1.0);
        /// Falls of ‖H‖ in a row that end a snap.
        falls: u32 = 3, "–", at_least(1.0);
        /// A fall of ‖H‖ in a snap is one to this share of it, at most.
        fall: f64 = 0.8, "–", above(0.0);
        /// A snap is over where ‖H‖ is this share of that at its entry.
        snapped: f64 = 0.1, "–", above(0.0);
        /// A snap has failed where ‖H‖ is so many times that at its entry.
        lost: f64 = 1e3, "–", above(1.0);
        /// … and from which it goes back.
        back: f64 = 3.0, "–", above(1.0);
        /// A leap is tried below this share of e₀.
        leap: f64 = 3e-4, "–", at_least(0.0);
        /// A leap is tried below this share of where the last one led, or began if it failed.
        leap_again: f64 = 0.1, "–", at_least(0.0);
        /// Steps of a leap.
        leap_steps: u32 = 6, "–", at_least(1.0);
        /// Share of e that a leap must leave, at most.
        leap_gain: f64 = 0.1, "–", above(0.0);
        /// Steps after which a leap ends by `leap_poor`.
        leap_poor_steps: u32 = 4, "–", at_least(0.0);
        /// Share of the first e above which a leap ends after `leap_poor_steps`.
        leap_poor: f64 = 0.3, "–", above(0.0);
        /// Steps after which a leap ends by `leap_bad`.
        leap_bad_steps: u32 = 3, "–", at_least(0.0);
        /// Multiple of the first e above which a leap ends after `leap_bad_steps`.
        leap_bad: f64 = 100.0, "–", above(0.0);
        /// Halvings of a step of a leap.
        leap_halvings: u32 = 3, "–", at_least(0.0);
        /// Difference of κ for ∂H/∂κ, as a share.
        difference: f64 = 1e-3, "–", above(0.0).below(1.0);
        /// Factorisations of an attempt.
        attempt: u32 = 150, "–", at_least(1.0);
    }
}

impl PartsTuning {
    /// Shares of the root mean square of all from which a block is wrong, and how far around it its part
    /// reaches.
    pub(crate) fn ranges(&self) -> [(f64, u32); 4] {
        [
            (self.first_share, self.first_reach),
            (self.second_share, self.second_reach),
            (self.third_share, self.third_reach),
            (self.fourth_share, self.fourth_reach),
        ]
    }
}

impl FacetsTuning {
    /// Starting points, as multiples of the problem's scales of impulse and speed.
    pub(crate) const STARTS: [(f64, f64); 5] =
        [(1.0, 1.0), (10.0, 10.0), (100.0, 100.0), (0.1, 1.0), (1.0, 100.0)];
}

impl SmoothingTuning {
    /// Shares of De Saxcé's derivative in a snap, the next where ‖H‖ grows too fast.
    pub(crate) fn snap(&self) -> [f64; 3] {
        [self.first_snap, self.second_snap, self.third_snap]
    }

    /// Steps and shares of the first e at which a leap ends.
    pub(crate) fn leap_ends(&self) -> [(u32, f64); 2] {
        [(self.leap_poor_steps, self.leap_poor), (self.leap_bad_steps, self.leap_bad)]
    }

    /// Numbers of further attempts.
    pub(crate) fn further(&self) -> [SmoothingStart; 2] {
        let start = |derivative, proximal| SmoothingStart { derivative, proximal };
        [
            start(self.second_derivative, self.second_proximal),
            start(self.third_derivative, self.third_proximal),
        ]
    }
}
