//! Independent parts of a problem, solved one by one.
//!
//! Blocks that meet through G, directly or through others, form an island. Islands do not feel each
//! other, and a dense finish costs the cube of what it is given, so each is solved alone, the largest first.
//! The 2-norm over all is to keep the tolerance: each has a share of tolerance², one half of which goes by islands and the
//! other by blocks. Those whose start will do are left at that, if it is within their share, and the others share what is
//! left.
//!
//! Where G is known by its factor only ([`stiction_contact::BranchSparseRows`]), so are the islands, and whoever
//! solves them forms the blocks of those that need them.
//!
//! A part that is solved on a thread holds all that its solve needs, so a [`WorkerPool`] may do it anywhere: the answer has the
//! same bits. The caller copies part after part out of the problem, while the others solve. On one thread parts take turns
//! in one room, which stays in the caches.

use crate::worker_pool::WorkerPool;
use std::cmp::Reverse;
use stiction_contact::{ConstraintProblem, SolveReport, SolveStatus, Watch};

/// How an island is solved: what a solve's islands have in common.
pub(crate) trait Recipe: Clone + Send + 'static {
    /// What is kept for an island from solve to solve.
    type Memory: Default + Send;
    /// What a solve works in, of which nothing is kept but room.
    type Tools: Default + Send;

    /// Solves one to `tolerance`; of its problem blocks may be formed.
    fn solve(
        &self,
        memory: &mut Self::Memory,
        tools: &mut Self::Tools,
        tolerance: f64,
        problem: &mut ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport;
}

/// The parts of a problem and a memory for each, kept from solve to solve.
pub(crate) struct Islands<R: Recipe> {
    /// Union–find over blocks: the smallest block of an island is its root.
    parent: Vec<usize>,
    /// Island of every block, and its place there.
    place: Vec<(usize, usize)>,
    /// Blocks and trees of the islands, in the order of their first blocks.
    found: Vec<[Vec<usize>; 2]>,
    /// Those that are largest first.
    order: Vec<usize>,
    /// What [`Self::settle`] was told of each.
    asked: Vec<(f64, f64)>,
    /// Largest first: each keeps memory for the largest it ever was, and threads begin with what takes longest.
    parts: Vec<Box<Part<R>>>,
    /// Of islands that are solved one after another: the room for a problem, and for its solve.
    room: Room,
    tools: R::Tools,
    pool: Option<WorkerPool<Job<R>, ()>>,
    /// Parts that are done, in no order.
    done: Vec<Job<R>>,
    /// Of problems by their factor: the trees of every block, the same union–find over trees, and the place of a tree in its
    /// island.
    touched: Vec<[usize; 2]>,
    tree_parent: Vec<usize>,
    tree_place: Vec<usize>,
    /// The impulses of all islands, for whoever watches.
    shown: Vec<f64>,
}

/// A part to be solved.
struct Job<R: Recipe> {
    part: Box<Part<R>>,
    recipe: R,
    /// To whoever is free; the others are solved by the caller, or not at all.
    given: bool,
}

struct Part<R: Recipe> {
    index: usize,
    /// Blocks of the whole problem, ascending.
    blocks: Vec<usize>,
    /// Trees of the whole problem, where it is known by its factor.
    trees: Vec<usize>,
    memory: R::Memory,
    /// Where threads solve. Each part has its own, so that who has solved what before does not say when there is room.
    own: Option<Box<(Room, R::Tools)>>,
    /// The square of the residual its impulses leave, where they will do as they are.
    settled: Option<f64>,
    /// Its share.
    tolerance: f64,
    report: Option<SolveReport>,
}

/// The problem of a part, and its impulses.
#[derive(Default)]
struct Room {
    problem: ConstraintProblem,
    impulses: Vec<f64>,
}

impl<R: Recipe> Default for Islands<R> {
    fn default() -> Self {
        Self {
            parent: Vec::new(),
            place: Vec::new(),
            found: Vec::new(),
            order: Vec::new(),
            asked: Vec::new(),
            parts: Vec::new(),
            room: Room::default(),
            tools: R::Tools::default(),
            pool: None,
            done: Vec::new(),
            touched: Vec::new(),
            tree_parent: Vec::new(),
            tree_place: Vec::new(),
            shown: Vec::new(),
        }
    }
}

impl<R: Recipe> Islands<R> {
    /// Solves on so many threads, the caller's among them.
    pub(crate) fn use_threads(&mut self, threads: usize) {
        let others = threads.saturating_sub(1);
        self.pool = (others > 0).then(|| {
            let solve = |job: &mut Job<R>, _: &mut ()| {
                let Job { part, recipe, .. } = job;
                if let Some(mut own) = part.own.take() {
                    part.solve(recipe, &mut own.0, &mut own.1, &mut Watch::none());
                    part.own = Some(own);
                }
            };
            WorkerPool::new((), vec![(); others], solve)
        });
    }

    /// Finds the islands of a problem with formed blocks or a factor of G; returns their number.
    pub(crate) fn find(&mut self, problem: &ConstraintProblem) -> usize {
        let n = problem.len();
        if n > 0 && problem.blocks_formed() && problem.blocks.entries(0).len() == n {
            return 1; // one robot: every block meets the first
        }
        self.parent.clear();
        self.parent.extend(0..n);
        if problem.blocks_formed() {
            for i in 0..n {
                for k in problem.blocks.entries(i) {
                    unite(&mut self.parent, i, problem.blocks.column_of(k));
                }
            }
        } else {
            self.unite_by_trees(problem);
        }
        self.place.clear();
        self.place.resize(n, (0, 0));
        let mut count = 0;
        for i in 0..n {
            let root = root(&mut self.parent, i);
            let island = if root == i { count } else { self.place[root].0 };
            if root == i {
                if self.found.len() == count {
                    self.found.push([Vec::new(), Vec::new()]);
                    self.parts.push(Box::new(Part::new(count)));
                }
                self.found[count].iter_mut().for_each(Vec::clear);
                count += 1;
            }
            let [blocks, trees] = &mut self.found[island];
            self.place[i] = (island, blocks.len());
            blocks.push(i);
            if !problem.blocks_formed() {
                for tree in self.touched[i].into_iter().filter(|&tree| tree != NOWHERE) {
                    if self.tree_place[tree] == NOWHERE {
                        self.tree_place[tree] = trees.len();
                        trees.push(tree);
                    }
                }
            }
        }
        let Self { found, order, parts, .. } = self;
        order.clear();
        order.extend(0..count);
        order.sort_unstable_by_key(|&k| (Reverse(found[k][0].len()), k));
        for (part, &k) in parts.iter_mut().zip(&*order) {
            part.blocks.clone_from(&found[k][0]);
            part.trees.clone_from(&found[k][1]);
            (part.settled, part.report) = (None, None);
        }
        count
    }

    /// Blocks whose trees are joined through others are in one island.
    fn unite_by_trees(&mut self, problem: &ConstraintProblem) {
        let trees = problem.delassus_factor.trees();
        self.tree_parent.clear();
        self.tree_parent.extend(0..trees);
        self.tree_place.clear();
        self.tree_place.resize(trees, NOWHERE);
        self.touched.clear();
        for i in 0..problem.len() {
            let mut touched = problem.delassus_factor.trees_of(i);
            let [a, b] = [touched.next(), touched.next()].map(|tree| tree.unwrap_or(NOWHERE));
            if b != NOWHERE {
                unite(&mut self.tree_parent, a, b);
            }
            self.touched.push([a, b]);
        }
        // The first block of an island stands for the trees of it.
        for (i, &[tree, _]) in self.touched.iter().enumerate().filter(|(_, touched)| touched[0] != NOWHERE) {
            let root = root(&mut self.tree_parent, tree);
            match self.tree_place[root] {
                NOWHERE => self.tree_place[root] = i,
                first => self.parent[i] = first,
            }
        }
        self.tree_place.fill(NOWHERE);
    }

    /// Asks each of the `count` islands that [`Self::find`] found, by its blocks, for the square of the residual that its
    /// impulses leave as they are, and how many times less than its share of `tolerance` that must be. [`Self::solve`] leaves
    /// alone those that keep to it: to their share of all, or of what others that were left alone have left over.
    pub(crate) fn settle(
        &mut self,
        count: usize,
        tolerance: f64,
        mut left: impl FnMut(&[usize]) -> (f64, f64),
    ) {
        self.asked.clear();
        self.asked.extend(self.parts[..count].iter().map(|part| left(&part.blocks)));
        let (mut square, mut more) = (tolerance * tolerance, true);
        while std::mem::take(&mut more) {
            self.share(count, square);
            for (part, (left, times)) in self.parts.iter_mut().zip(&self.asked) {
                if part.settled.is_none() && left * times * times <= part.tolerance * part.tolerance {
                    part.settled = Some(*left);
                    square -= left;
                    more = true;
                }
            }
        }
    }

    /// Shares the square of a tolerance among those that are not settled.
    fn share(&mut self, count: usize, square: f64) {
        let parts = &mut self.parts[..count];
        let open = parts.iter().filter(|p| p.settled.is_none());
        let (islands, blocks) = open.fold((0, 0), |(n, blocks), p| (n + 1, blocks + p.blocks.len()));
        for part in parts.iter_mut().filter(|p| p.settled.is_none()) {
            let share = 0.5 * (1.0 / islands as f64 + part.blocks.len() as f64 / blocks as f64);
            part.tolerance = (share * square).sqrt();
        }
    }

    /// Solves the `count` islands that [`Self::find`] found, each to its share of `tolerance`.
    pub(crate) fn solve(
        &mut self,
        count: usize,
        tolerance: f64,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
        recipe: &R,
    ) -> SolveReport {
        let settled = self.parts[..count].iter().filter_map(|p| p.settled);
        let left = (tolerance * tolerance - settled.sum::<f64>()).max(0.0);
        self.share(count, left);
        if watch.on() {
            self.solve_watched(count, problem, impulses, watch, recipe);
        } else {
            self.solve_all(count, problem, impulses, recipe);
        }
        let (mut status, mut iterations, mut total) = (SolveStatus::Converged, 0, 0.0);
        for part in &self.parts[..count] {
            let Some(report) = part.report else {
                total += part.settled.unwrap_or(0.0);
                continue;
            };
            if severity(report.status) > severity(status) {
                status = report.status;
            }
            iterations = iterations.max(report.iterations);
            total += report.residual * report.residual;
        }
        // An island may miss its share where the others make up for it.
        let residual = total.sqrt();
        if residual <= tolerance && matches!(status, SolveStatus::IterationLimit | SolveStatus::Stalled) {
            status = SolveStatus::Converged;
        }
        SolveReport { status, iterations, residual }
    }

    /// Those that are large enough by whoever is free, the others here.
    fn solve_all(&mut self, count: usize, problem: &ConstraintProblem, impulses: &mut [f64], recipe: &R) {
        let Self { place, parts, room, tools, pool, done, tree_place, .. } = self;
        let mut here = |part: &mut Part<R>, impulses: &mut [f64]| {
            part.gather(room, place, tree_place, problem, impulses);
            part.solve(recipe, room, tools, &mut Watch::none());
            spread(&part.blocks, &room.impulses, problem, impulses);
        };
        let open = |part: &Part<R>| part.index < count && part.settled.is_none();
        let Some(pool) = pool else {
            parts.iter_mut().filter(|part| open(part)).for_each(|part| here(part, impulses));
            return;
        };
        let rows = |part: &Part<R>| part.blocks.iter().map(|&i| problem.range(i).len()).sum::<usize>();
        for mut part in parts.drain(..) {
            let given = open(&part) && rows(&part) >= LEAST_ROWS;
            if given {
                let mut own = part.own.take().unwrap_or_default();
                part.gather(&mut own.0, place, tree_place, problem, impulses);
                part.own = Some(own);
            }
            let job = Job { part, recipe: recipe.clone(), given };
            if given {
                pool.give(job);
            } else {
                done.push(job);
            }
        }
        done.iter_mut().filter(|job| open(&job.part)).for_each(|job| here(&mut job.part, impulses));
        pool.finish(done);
        for Job { part, given, .. } in &*done {
            if let Some(own) = part.own.as_ref().filter(|_| *given) {
                spread(&part.blocks, &own.0.impulses, problem, impulses);
            }
        }
        parts.extend(done.drain(..).map(|job| job.part));
        parts.sort_unstable_by_key(|part| part.index);
    }

    /// One after another, each shown among the impulses of all.
    fn solve_watched(
        &mut self,
        count: usize,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
        recipe: &R,
    ) {
        let Self { place, parts, room, tools, tree_place, shown, .. } = self;
        shown.clear();
        shown.extend_from_slice(impulses);
        let mut before = 0;
        for part in parts[..count].iter_mut().filter(|p| p.settled.is_none()) {
            part.gather(room, place, tree_place, problem, impulses);
            let blocks = std::mem::take(&mut part.blocks);
            let mut show = |iteration, x: &[f64]| {
                spread(&blocks, x, problem, shown);
                watch.show(before + iteration, shown);
            };
            part.solve(recipe, room, tools, &mut Watch::new(&mut show));
            spread(&blocks, &room.impulses, problem, shown);
            part.blocks = blocks;
            before += part.report.map_or(0, |r| r.iterations);
        }
        impulses.copy_from_slice(shown);
    }

    /// Every memory, those of islands that are gone included.
    pub(crate) fn memories_mut(&mut self) -> impl Iterator<Item = &mut R::Memory> {
        self.parts.iter_mut().map(|p| &mut p.memory)
    }
}

/// The impulses of some blocks of a problem, one after another, to where they are among those of all.
fn spread(blocks: &[usize], mine: &[f64], problem: &ConstraintProblem, all: &mut [f64]) {
    let mut rest = mine;
    for &i in blocks {
        let (own, after) = rest.split_at(problem.range(i).len());
        all[problem.range(i)].copy_from_slice(own);
        rest = after;
    }
}

impl<R: Recipe> Part<R> {
    fn new(index: usize) -> Self {
        Self {
            index,
            blocks: Vec::new(),
            trees: Vec::new(),
            memory: R::Memory::default(),
            own: None,
            settled: None,
            tolerance: 0.0,
            report: None,
        }
    }

    fn solve(&mut self, recipe: &R, room: &mut Room, tools: &mut R::Tools, watch: &mut Watch<'_>) {
        let Room { problem, impulses } = room;
        self.report = Some(recipe.solve(&mut self.memory, tools, self.tolerance, problem, impulses, watch));
    }

    /// Copies its blocks out of the whole problem, and their impulses.
    fn gather(
        &self,
        room: &mut Room,
        place: &[(usize, usize)],
        tree_place: &[usize],
        whole: &ConstraintProblem,
        impulses: &[f64],
    ) {
        room.problem.clear();
        room.problem.time_step = whole.time_step;
        room.impulses.clear();
        for &i in &self.blocks {
            room.problem.push(whole.cone(i), &whole.free_velocity[whole.range(i)]);
            room.impulses.extend_from_slice(&impulses[whole.range(i)]);
            room.problem.second_start.extend(whole.second_start.get(whole.range(i)).into_iter().flatten());
        }
        for (local, &i) in self.blocks.iter().enumerate() {
            let to = room.problem.range(local);
            room.problem.compliance[to].copy_from_slice(&whole.compliance[whole.range(i)]);
            room.problem.softness.extend(whole.softness.get(i));
        }
        if !whole.blocks_formed() {
            return room.problem.delassus_factor.gather(
                &whole.delassus_factor,
                &self.blocks,
                &self.trees,
                tree_place,
            );
        }
        let (start, blocks) = room.problem.starts_and_blocks_mut();
        let columns = |i: usize| whole.blocks.entries(i).map(|k| place[whole.blocks.column_of(k)].1);
        blocks.reshape(start, |local, out| out.extend(columns(self.blocks[local])));
        for (local, &i) in self.blocks.iter().enumerate() {
            for (to, from) in blocks.entries(local).zip(whole.blocks.entries(i)) {
                blocks.entry_mut(to).copy_from_slice(whole.blocks.entry(from));
            }
        }
    }
}

/// Smaller islands are not worth handing over.
const LEAST_ROWS: usize = 9;
/// A tree that no block has touched yet, or that there is not.
const NOWHERE: usize = usize::MAX;

pub(crate) fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// The smaller root becomes that of both.
pub(crate) fn unite(parent: &mut [usize], i: usize, j: usize) {
    let (a, b) = (root(parent, i), root(parent, j));
    parent[a.max(b)] = a.min(b);
}

fn severity(status: SolveStatus) -> u32 {
    match status {
        SolveStatus::Converged => 0,
        SolveStatus::Rounding => 1,
        SolveStatus::Stalled => 2,
        SolveStatus::IterationLimit => 3,
        SolveStatus::NumericalFailure => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nsgs::{Nsgs, NsgsParams};
    use stiction_contact::{Cone, ContactSolver};

    #[derive(Clone)]
    struct Nothing;

    impl Recipe for Nothing {
        type Memory = ();
        type Tools = ();

        fn solve(
            &self,
            (): &mut (),
            (): &mut (),
            _: f64,
            _: &mut ConstraintProblem,
            _: &mut [f64],
            _: &mut Watch<'_>,
        ) -> SolveReport {
            SolveReport { status: SolveStatus::Converged, iterations: 0, residual: 0.0 }
        }
    }

    /// Blocks 0 and 2 meet, 1 is alone, 3 and 4 meet.
    #[test]
    fn islands_are_what_g_connects() {
        let mut problem = ConstraintProblem::default();
        (0..5).for_each(|_| problem.push(Cone::NonNegative, &[-1.0]));
        let pattern: [&[usize]; 5] = [&[0, 2], &[1], &[0, 2], &[3, 4], &[3, 4]];
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| out.extend_from_slice(pattern[i]));
        let mut islands = Islands::<Nothing>::default();
        assert_eq!(islands.find(&problem), 3);
        assert_eq!(islands.place, [(0, 0), (1, 0), (0, 1), (2, 0), (2, 1)]);
    }

    /// Squares of shares add up to that of the tolerance; the larger island may leave more, the smaller not much less than
    /// if all were alike; and what is settled is left out.
    #[test]
    fn tolerances_are_shared_by_islands_and_by_blocks() {
        let mut islands = Islands::<Nothing>::default();
        for (index, blocks) in [30, 9, 1].into_iter().enumerate() {
            let part = Part { blocks: vec![0; blocks], ..Part::new(index) };
            islands.parts.push(Box::new(part));
        }
        let squares = |islands: &mut Islands<Nothing>| {
            islands.share(3, 1.0);
            [0, 1, 2].map(|k| islands.parts[k].tolerance.powi(2))
        };
        let [a, b, c] = squares(&mut islands);
        assert!((a + b + c - 1.0).abs() < 1e-12 && a > b && b > c && c > 0.5 / 3.0, "{a} {b} {c}");
        islands.parts[0].settled = Some(0.0);
        let [before, b, c] = squares(&mut islands);
        assert!(before == a && (b + c - 1.0).abs() < 1e-12, "{before} {b} {c}");
    }

    /// Of four islands alike, which may leave a quarter of the tolerance's square each: the second leaves more than that, but
    /// not more than what the first has left over; the third more than all; the fourth little, but ought to leave less still.
    #[test]
    fn what_some_leave_over_is_there_for_others() {
        let mut islands = Islands::<Nothing>::default();
        for index in 0..4 {
            islands.parts.push(Box::new(Part { blocks: vec![index], ..Part::new(index) }));
        }
        let told = [(0.01, 1.0), (0.3, 1.0), (2.0, 1.0), (0.01, 1e3)];
        islands.settle(4, 1.0, |blocks| told[blocks[0]]);
        let settled = [0, 1, 2, 3].map(|k| islands.parts[k].settled);
        assert_eq!(settled, [Some(0.01), Some(0.3), None, None]);
        assert!((islands.parts[2].tolerance.powi(2) - 0.345).abs() < 1e-12);
    }

    /// A chain of four rows that sweeps solve slowly, and perhaps a row that the first sweep solves.
    fn chain(with_easy_row: bool) -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        let n = 4 + usize::from(with_easy_row);
        (0..n).for_each(|_| problem.push(Cone::NonNegative, &[-1.0]));
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| if i < 4 { out.extend(0..4) } else { out.push(i) });
        for i in 0..n {
            for k in blocks.entries(i) {
                let apart = blocks.column_of(k).abs_diff(i);
                blocks.entry_mut(k)[0] = [1.0, -0.45, 0.0, 0.0][apart];
            }
        }
        problem
    }

    /// One island that ends at rounding does not excuse another.
    #[test]
    fn the_worst_island_is_told() {
        use SolveStatus::{Converged, IterationLimit, NumericalFailure, Rounding, Stalled};
        let order = [Converged, Rounding, Stalled, IterationLimit, NumericalFailure];
        assert!(order.windows(2).all(|s| severity(s[0]) < severity(s[1])));
    }

    /// The slow island misses its share of the tolerance; the whole problem keeps it.
    #[test]
    fn the_status_is_that_of_the_whole() {
        let solve = |problem: &ConstraintProblem, tolerance: f64| {
            let params = NsgsParams { tolerance, max_iterations: 5, memory: 1, ..Default::default() };
            Nsgs::new(params).unwrap().solve(problem, &mut vec![0.0; problem.rows()])
        };
        let reached = solve(&chain(false), 1e-12);
        assert_eq!(reached.status, SolveStatus::IterationLimit);
        assert_eq!(solve(&chain(true), 1.2 * reached.residual).status, SolveStatus::Converged);
        assert_eq!(solve(&chain(true), 0.9 * reached.residual).status, SolveStatus::IterationLimit);
    }
}
