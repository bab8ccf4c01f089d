//! Where a solve starts: from the impulses given, those of the step before, where both together point, or none,
//! whichever come nearest.
//!
//! A step that puts right a velocity leaves impulses which would put it right again; the step before has none
//! of that. So resting bodies go on by the impulses they rest on, and no error of one step is made again with
//! the other sign in the next. Where bodies move, impulses change steadily, and 2 λ − λ⁻ is nearer by an order
//! of the time step.
//!
//! What is left of a residual within the tolerance moves resting bodies, step by step, until one step puts it right for
//! all of them: of the two impulses one lets bodies move on then, the other back. Those they rest on are between the two,
//! for each island elsewhere on the line from one to the other, where the square of the residual is a parabola.
//!
//! No impulses at all forget what rests on what: where bodies bear each other their residual is small, that of the
//! lowest contacts alone, and the way from there long. They must come nearer by more than the others.
//!
//! A start that the last step has changed must be nearer than one that it has left as it was: what is left of
//! its error is made in every step to come.

use crate::residual::StoppingResidual;
use crate::task::Task;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::{ConstraintProblem, Law};

/// A start that the last step has changed is good enough this near [tolerances].
const NEAR: f64 = 1e-3;
/// No impulses at all must leave less than others by this factor [–].
const HANDICAP: f64 = 3.0;
/// A start that leaves this much more than the last is compared [–].
const GROWTH: f64 = 2.0;
/// Where the nearest start of an island leaves no more than this, so do those between two [tolerances].
const RESTING: f64 = 1e2;
/// What goes on as it moved is no farther from an answer than this [tolerances].
const FAR: f64 = 1e5;
/// Impulses that differ by less than this share of the largest are the same [–].
const SAME: f64 = 1e-12;
/// Impulses of rest differ from step to step by no more than this share of the largest [–].
const REPEATED: f64 = 1e-6;

/// See the module; holds during one solve.
#[derive(Default)]
pub(crate) struct InitialGuesses {
    given: Candidate,
    second: Candidate,
    ahead: Candidate,
    none: Candidate,
    /// There is a second start.
    others: bool,
    /// 2 λ − λ⁻, of this solve or of the last.
    line: Vec<f64>,
    /// It was the nearest start of this solve, or of the last, or with what it missed before: that then, and with the
    /// square of the residual it left.
    moves: bool,
    bends: bool,
    left: f64,
    curve: Vec<f64>,
}

#[derive(Default)]
struct Candidate {
    lambda: Vec<f64>,
    c: Vec<f64>,
    /// What each block adds to the square of the residual; empty where this was not looked at.
    squares: Vec<f64>,
    /// Their sum, infinite where this is out of the question.
    sum: f64,
    /// The impulses looked at were in their sets.
    as_given: bool,
}

impl InitialGuesses {
    /// Leaves the nearest start in `impulses` and its velocities in `c`; returns its residual [m/s].
    pub(crate) fn choose(&mut self, task: &Task, impulses: &mut [f64], c: &mut Vec<f64>) -> f64 {
        let Task { problem, stopping, law, tolerance } = *task;
        let Self { given, second, ahead, none, line, .. } = self;
        for candidate in [&mut *given, second, ahead, none] {
            candidate.make_room(problem);
            candidate.sum = f64::INFINITY;
        }
        line.clear();
        line.reserve(problem.rows());
        if worth_a_look(impulses) {
            given.look(stopping, problem, law, impulses);
        }
        let other = &problem.second_start;
        if !given.within(NEAR * tolerance) && worth_a_look(other) && !same(impulses, other) {
            second.look(stopping, problem, law, other);
        }
        if !given.within(tolerance) && !second.within(tolerance) {
            if given.sum.is_finite() && second.sum.is_finite() {
                line.clear();
                line.extend(impulses.iter().zip(other).map(|(l, before)| 2.0 * l - before));
                ahead.look_along(stopping, problem, law, line, [given, second]);
            }
            let given = given.sum;
            none.look(stopping, problem, law, &[]);
            // Where nothing is not allowed it is the last resort.
            if none.lambda.iter().any(|&l| l != 0.0) && given.is_finite() {
                none.sum = f64::INFINITY;
            }
        }
        let mut best = if second.sum < given.sum { second } else { given };
        self.moves = ahead.sum < best.sum;
        if self.moves {
            (best, self.bends, self.left) = (ahead, true, 0.0);
        }
        if HANDICAP * HANDICAP * none.sum < best.sum || !best.sum.is_finite() {
            (best, self.moves) = (none, false);
        }
        impulses.copy_from_slice(&best.lambda);
        c.clone_from(&best.c);
        best.sum.sqrt()
    }

    /// [`Self::choose`] where 2 λ − λ⁻ was the nearest start of the last solve and is again nearly an answer of this:
    /// what bodies do that go on moving. The others are not looked at; but what it missed in the last solve is added where
    /// that comes nearer, as where impulses change more and more.
    pub(crate) fn go_on(&mut self, task: &Task, impulses: &mut [f64], c: &mut Vec<f64>) -> Option<f64> {
        let Task { problem, stopping, law, tolerance } = *task;
        let other = &problem.second_start;
        if !self.moves || other.len() != impulses.len() {
            return None;
        }
        let Self { given, second, ahead, none, line, curve, .. } = self;
        curve.clear();
        if line.len() == impulses.len() {
            curve.extend(impulses.iter().zip(other).zip(&*line).map(|((l, b), line)| 3.0 * l - b - line));
        }
        line.clear();
        line.extend(impulses.iter().zip(other).map(|(l, before)| 2.0 * l - before));
        if !worth_a_look(line) {
            return None;
        }
        self.bends &= worth_a_look(curve);
        ahead.look(stopping, problem, law, if self.bends { curve } else { line });
        if ahead.sum > GROWTH * GROWTH * self.left && worth_a_look(curve) {
            second.look(stopping, problem, law, if self.bends { line } else { curve });
            if second.sum < ahead.sum {
                std::mem::swap(ahead, second);
                self.bends = !self.bends;
            }
        }
        self.left = ahead.sum;
        if !ahead.within(FAR * tolerance) || ahead.within(NEAR * tolerance) {
            return None;
        }
        for candidate in [given, second, none] {
            candidate.sum = f64::INFINITY;
        }
        impulses.copy_from_slice(&ahead.lambda);
        c.clone_from(&ahead.c);
        Some(ahead.sum.sqrt())
    }

    /// True if the start chosen last was 2 λ − λ⁻.
    pub(crate) fn moves(&self) -> bool {
        self.moves
    }

    /// The next solve has no last one.
    pub(crate) fn forget(&mut self) {
        self.moves = false;
    }

    /// The residual that is good enough, by what was chosen from.
    pub(crate) fn enough(&self, tolerance: f64) -> f64 {
        if self.second.sum.is_finite() || self.moves { NEAR * tolerance } else { tolerance }
    }

    /// [`Self::choose`], and where that leaves little but too much, from between the last two impulses.
    pub(crate) fn choose_at_rest(&mut self, task: &Task, impulses: &mut [f64], c: &mut Vec<f64>) -> f64 {
        let left = self.choose(task, impulses, c);
        let rests = left > self.enough(task.tolerance) && left <= RESTING * task.tolerance;
        let Self { given, second, .. } = self;
        if rests
            && given.sum.is_finite()
            && second.sum.is_finite()
            && let Some((share, less)) = least_between(task, given, second)
            && less < left * left
        {
            self.moves = false;
            for (to, [a, b]) in [(impulses, [&given.lambda, &second.lambda]), (c, [&given.c, &second.c])] {
                to.iter_mut().zip(a.iter().zip(b)).for_each(|(x, (a, b))| *x = mix(share, *a, *b));
            }
            return less.sqrt();
        }
        left
    }

    /// Puts the impulses given into their sets; what they leave, if that will do for all blocks. Others are not
    /// looked at.
    pub(crate) fn keep(&mut self, task: &Task, impulses: &mut [f64]) -> Option<f64> {
        let Task { problem, stopping, law, tolerance } = *task;
        let given = &mut self.given;
        (given.sum, self.moves) = (f64::INFINITY, false);
        if worth_a_look(impulses) {
            given.look(stopping, problem, law, impulses);
            impulses.copy_from_slice(&given.lambda);
        }
        let others = worth_a_look(&problem.second_start);
        let enough = if others && !same(impulses, &problem.second_start) { NEAR } else { 1.0 } * tolerance;
        self.others = others;
        given.within(enough).then(|| given.sum.sqrt())
    }

    /// True if `impulses` are those of two steps, nearly, or nothing is known of the step before: others are not of rest.
    pub(crate) fn repeat(problem: &ConstraintProblem, impulses: &[f64]) -> bool {
        let second = &problem.second_start;
        second.len() != impulses.len()
            || !worth_a_look(second)
            || differ_by_at_most(REPEATED, impulses, second)
    }

    /// After [`Self::keep`], the same for some of the blocks: the square of what they leave, and how many times less than the
    /// tolerance that must be.
    pub(crate) fn keep_part(&self, problem: &ConstraintProblem, blocks: &[usize]) -> (f64, f64) {
        let Self { given, others, .. } = self;
        if !given.sum.is_finite() {
            return (f64::INFINITY, 1.0);
        }
        let second = &problem.second_start;
        let differs = |&i: &usize| {
            let rows = problem.range(i);
            !same(&given.lambda[rows.clone()], &second[rows])
        };
        let times = if *others && blocks.iter().any(differs) { 1.0 / NEAR } else { 1.0 };
        (blocks.iter().map(|&i| given.squares[i]).sum(), times)
    }
}

/// Where between the second start, at 0, and the one given, at 1, least is left, by a parabola through both and their middle; and
/// the square of what is left there. Sets are convex and velocities go with impulses, so both are mixed alike.
fn least_between(task: &Task, given: &Candidate, second: &Candidate) -> Option<(f64, f64)> {
    let at = |share: f64| -> f64 {
        let square = |i: usize| {
            let rows = task.problem.range(i);
            let [mut lambda, mut c] = [[0.0; MAX_ROWS]; 2];
            for (k, row) in rows.clone().enumerate() {
                lambda[k] = mix(share, given.lambda[row], second.lambda[row]);
                c[k] = mix(share, given.c[row], second.c[row]);
            }
            task.stopping.square(task.problem, task.law, i, &lambda[..rows.len()], &c[..rows.len()])
        };
        (0..task.problem.len()).map(square).sum()
    };
    let middle = at(0.5);
    let share =
        (3.0 * second.sum + given.sum - 4.0 * middle) / (4.0 * (given.sum + second.sum - 2.0 * middle));
    (share > 0.0 && share < 1.0).then(|| (share, at(share)))
}

#[inline]
fn mix(share: f64, a: f64, b: f64) -> f64 {
    share * a + (1.0 - share) * b
}

impl Candidate {
    fn within(&self, residual: f64) -> bool {
        self.sum <= residual * residual
    }

    /// For a solve of the same size in which this is looked at, as it may not be in the present one.
    fn make_room(&mut self, problem: &ConstraintProblem) {
        let rows = problem.rows();
        for (numbers, most) in [
            (&mut self.lambda, rows),
            (&mut self.c, rows + problem.delassus_factor.scratch(rows)),
            (&mut self.squares, problem.len()),
        ] {
            numbers.clear();
            numbers.reserve(most);
        }
    }

    /// From `impulses`, or none, put into their sets.
    fn look(&mut self, stopping: &StoppingResidual, problem: &ConstraintProblem, law: Law, impulses: &[f64]) {
        self.take(problem, law, impulses);
        if self.lambda.iter().all(|&l| l == 0.0) {
            self.c.clone_from(&problem.free_velocity);
        } else {
            problem.velocities_into(&self.lambda, &mut self.c);
        }
        self.sum = stopping.squares_into(problem, law, &self.lambda, &self.c, &mut self.squares);
    }

    /// From the impulses 2 λ − λ⁻ of two others: where all are in their sets, so do their velocities go on.
    fn look_along(
        &mut self,
        stopping: &StoppingResidual,
        problem: &ConstraintProblem,
        law: Law,
        impulses: &[f64],
        [last, before]: [&Self; 2],
    ) {
        self.take(problem, law, impulses);
        if self.as_given && last.as_given && before.as_given {
            self.c.clear();
            self.c.extend(last.c.iter().zip(&before.c).map(|(c, before)| 2.0 * c - before));
        } else {
            problem.velocities_into(&self.lambda, &mut self.c);
        }
        self.sum = stopping.squares_into(problem, law, &self.lambda, &self.c, &mut self.squares);
    }

    /// Puts `impulses`, or none, into their sets.
    fn take(&mut self, problem: &ConstraintProblem, law: Law, impulses: &[f64]) {
        self.lambda.clear();
        self.lambda.extend_from_slice(impulses);
        self.lambda.resize(problem.rows(), 0.0);
        // Friction that lags behind the pressure may leave its cone.
        if law != Law::Lagged || impulses.is_empty() {
            for (cone, rows) in problem.cones().iter().zip(problem.row_start().windows(2)) {
                law.project(*cone, &mut self.lambda[rows[0]..rows[1]]);
            }
        }
        self.as_given = self.lambda == impulses;
    }
}

/// They are finite, and not all zero.
fn worth_a_look(impulses: &[f64]) -> bool {
    let sum: f64 = impulses.iter().map(|l| l.abs()).sum();
    sum > 0.0 && sum.is_finite()
}

fn same(a: &[f64], b: &[f64]) -> bool {
    differ_by_at_most(SAME, a, b)
}

/// True if no two numbers differ by more than this share of the largest.
fn differ_by_at_most(share: f64, a: &[f64], b: &[f64]) -> bool {
    let largest = a.iter().fold(0.0_f64, |m, x| if x.abs() > m { x.abs() } else { m });
    a.iter().zip(b).fold(true, |same, (a, b)| same & ((a - b).abs() <= share * largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cube, stack, with_delassus_factor};
    use stiction_dynamics::spatial::Vec3;

    fn choose(problem: &ConstraintProblem, starts: &mut InitialGuesses, impulses: &mut [f64]) -> f64 {
        let mut stopping = StoppingResidual::default();
        stopping.prepare(problem);
        let task = Task { problem, stopping: &stopping, law: Law::Ncp, tolerance: 1e-8 };
        starts.choose(&task, impulses, &mut Vec::new())
    }

    /// Impulses that grow by as much in every step go on so.
    #[test]
    fn steady_change_goes_on() {
        let mut problem = cube(0.5, Vec3::ZERO, Vec3::ZERO);
        let mut rest = vec![0.0; problem.rows()];
        crate::make("nsgs-accelerated", &crate::Common::default()).unwrap().solve(&problem, &mut rest);
        let scaled = |by: f64| rest.iter().map(|l| l * by).collect::<Vec<_>>();
        let mut given = scaled(0.99);
        problem.second_start = scaled(0.98);
        let residual = choose(&problem, &mut InitialGuesses::default(), &mut given);
        assert!(
            residual <= 1e-8 && given.iter().zip(&rest).all(|(a, b)| (a - b).abs() < 1e-12),
            "{residual}"
        );
    }

    /// A cube at rest; the impulses given would also stop a fall of 1 µm/s that is over.
    #[test]
    fn what_the_last_step_put_right_is_not_put_right_again() {
        let mut problem = cube(0.5, Vec3::ZERO, Vec3::ZERO);
        let mut rest = vec![0.0; problem.rows()];
        assert!(
            crate::make("nsgs-accelerated", &crate::Common::default())
                .unwrap()
                .solve(&problem, &mut rest)
                .converged()
        );
        let mut given: Vec<f64> = rest.iter().map(|l| l * (1.0 + 1e-4)).collect();
        problem.second_start = rest.clone();
        let mut starts = InitialGuesses::default();
        let residual = choose(&problem, &mut starts, &mut given);
        assert!(residual <= 1e-8 && given == rest, "{residual}");
        assert!(starts.enough(1e-8) < 1e-8, "the last step changed them");
        choose(&problem, &mut starts, &mut given);
        assert!(starts.enough(1e-8) == 1e-8, "it left them as they were");
    }

    /// A stack of cubes at rest; one contact was hit, which alone leaves twice what no impulses at all leave: the others
    /// still bear what they bear.
    #[test]
    fn one_hit_is_no_reason_to_forget_what_rests_on_what() {
        let problem = stack(&[1.0; 6], Vec3::ZERO, 0.5);
        let mut rest = vec![0.0; problem.rows()];
        crate::make("nsgs-accelerated", &crate::Common::default()).unwrap().solve(&problem, &mut rest);
        let mut stopping = StoppingResidual::default();
        stopping.prepare(&problem);
        let residual = |impulses: &[f64]| {
            let mut c = Vec::new();
            problem.velocities_into(impulses, &mut c);
            stopping.residual(&problem, Law::Ncp, impulses, &c)
        };
        let none = residual(&vec![0.0; problem.rows()]);
        let hit = |by: f64| {
            let mut impulses = rest.clone();
            impulses[3 * 12 + 2] += by;
            impulses
        };
        let mut given = hit(2.0 * none / residual(&hit(1.0)));
        assert!(residual(&given) > 1.5 * none);
        let (before, mut starts) = (given.clone(), InitialGuesses::default());
        let same = |given: &[f64]| given.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-12);
        choose(&problem, &mut starts, &mut given);
        assert!(same(&given), "{given:?}");
    }

    /// A stack at rest; the last step has put right what others had left, two and three times what one leaves.
    #[test]
    fn what_bodies_rest_on_is_between_two_steps() {
        let mut problem = with_delassus_factor(stack(&[1.0; 4], Vec3::ZERO, 0.5));
        let mut rest = vec![0.0; problem.rows()];
        let common = crate::Common { tolerance: 1e-13, ..crate::Common::default() };
        assert!(crate::make("auto", &common).unwrap().solve(&problem, &mut rest).converged());
        let mut stopping = StoppingResidual::default();
        stopping.prepare(&problem);
        for times in [2.0, 3.0] {
            let lift = |by: f64| rest.iter().map(|l| l * (1.0 + by)).collect::<Vec<_>>();
            let mut given = lift(times * 3e-8);
            problem.second_start = lift(-3e-8);
            let task = Task { problem: &problem, stopping: &stopping, law: Law::Ncp, tolerance: 1e-8 };
            let (mut starts, mut c) = (InitialGuesses::default(), Vec::new());
            let from = starts.choose(&task, &mut given.clone(), &mut c);
            assert!((1e-9..1e-8).contains(&from), "{from}");
            let left = starts.choose_at_rest(&task, &mut given, &mut c);
            assert!(left < 1e-11, "{left}");
            assert!(given.iter().zip(&rest).all(|(a, b)| (a - b).abs() < 1e-11));
            let residual = stopping.residual(&problem, Law::Ncp, &given, &c);
            assert!((residual - left).abs() < 1e-12, "c goes with the impulses: {residual} {left}");
            // Of one alone there is nothing between.
            let mut none = vec![0.0; given.len()];
            InitialGuesses::default().choose_at_rest(&task, &mut none, &mut c);
            assert_eq!(none, problem.second_start);
        }
    }

    /// Of a stack at rest the lower contacts go on with their impulses, whatever the upper ones do; where the last step has
    /// changed them they must leave next to nothing.
    #[test]
    fn islands_go_on_by_themselves() {
        let mut problem = with_delassus_factor(stack(&[1.0; 4], Vec3::ZERO, 0.5));
        let mut rest = vec![0.0; problem.rows()];
        crate::make("auto", &crate::Common::default()).unwrap().solve(&problem, &mut rest);
        let mut stopping = StoppingResidual::default();
        stopping.prepare(&problem);
        let [lower, upper] = [0..problem.len() / 2, problem.len() / 2..problem.len()].map(Vec::from_iter);
        // The upper contacts bear a millionth less than in the step before.
        let mut given = rest.clone();
        given[3 * upper[0]..].iter_mut().for_each(|l| *l *= 1.0 - 1e-6);
        for before in [&rest, &given] {
            problem.second_start = before.clone();
            let task = Task { problem: &problem, stopping: &stopping, law: Law::Ncp, tolerance: 1e-4 };
            let (mut starts, mut kept) = (InitialGuesses::default(), given.clone());
            let all = starts.keep(&task, &mut kept);
            assert_eq!(kept, given);
            let [(a, times_a), (b, times_b)] =
                [&lower, &upper].map(|blocks| starts.keep_part(&problem, blocks));
            assert!(a > 0.0 && b > 1e-16 && a + b < 1e-8, "{a:e} {b:e}");
            assert_eq!(times_a, 1.0, "as it was");
            assert_eq!(times_b, if before == &given { 1.0 } else { 1.0 / NEAR });
            assert_eq!(all.is_some(), before == &given, "{all:?}");
            let few = Task { tolerance: 1e-12, ..task };
            assert!(starts.keep(&few, &mut kept).is_none());
            // Nothing is kept of nothing.
            assert!(starts.keep(&task, &mut vec![0.0; problem.rows()]).is_none());
            assert_eq!(starts.keep_part(&problem, &lower).0, f64::INFINITY);
        }
    }

    #[test]
    fn bad_starts_are_no_starts() {
        let mut problem = cube(0.5, Vec3::ZERO, Vec3::ZERO);
        problem.second_start = vec![f64::NAN; problem.rows()];
        let mut impulses = vec![f64::INFINITY; problem.rows()];
        let residual = choose(&problem, &mut InitialGuesses::default(), &mut impulses);
        assert!(residual.is_finite() && impulses.iter().all(|&l| l == 0.0));
    }
}
