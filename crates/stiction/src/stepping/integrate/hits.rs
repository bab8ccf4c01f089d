//! Which trees are hit in a step, and which impulses join to servos: of one environment, or of as many as there are lanes.
//!
//! A tree is hit if a contact or stop, of gap φ that grows at the rate u before the step and u⁺ after it,
//!
//! ```text
//!     has an impulse, and bounces, or |u| or |u⁺| is more than what bounces                            (1)
//!     had no impulse in the last step or in that before, and would overlap: φ + h (u + u⁺)/2 < −slop   (2)
//!     is a contact with an impulse, on trees to which no impulse joins a servo                         (3)
//! ```
//!
//! acts upon it, or if impulses join it to a tree that is. Truth is 1 or 0, lane by lane.

use stiction_dynamics::Real;

/// A contact or stop of a step that was solved.
pub(crate) struct Opening<T> {
    pub(crate) contact: bool,
    /// u and u⁺ [m/s].
    pub(crate) rates: [T; 2],
    /// φ/h where φ > 0 [m/s].
    pub(crate) gap: T,
    pub(crate) bounces: T,
    /// It had no impulse in the last step or in that before.
    pub(crate) new: T,
    /// The lane has it.
    pub(crate) there: T,
}

/// The blocks of a step that was solved.
pub(crate) trait SolvedBlocks<T> {
    fn count(&self) -> usize;
    /// The trees that block i acts upon.
    fn trees(&self, i: usize) -> impl Iterator<Item = usize>;
    /// 1 where block i has an impulse.
    fn acts(&self, i: usize) -> T;
    /// `None` of blocks that do not open.
    fn opening(&self, i: usize) -> Option<Opening<T>>;
}

/// Per tree, 1 or 0.
pub(crate) struct Hits<T> {
    /// Impulses join it to a tree with servos.
    pub(crate) joined: Vec<T>,
    pub(crate) hit: Vec<T>,
}

impl<T: Real> Hits<T> {
    pub(crate) fn new(kind: T, trees: usize) -> Self {
        Self { joined: vec![kind.zero(); trees], hit: vec![kind.zero(); trees] }
    }

    /// (1) to (3), from trees with servos in `joined` and those that are hit anyhow in `hit`. What bounces is faster than
    /// `slow`; `deep` = slop/h [m/s].
    #[inline(always)]
    pub(crate) fn find(&mut self, blocks: &impl SolvedBlocks<T>, slow: T, deep: T) {
        spread(blocks, &mut self.joined);
        for i in 0..blocks.count() {
            let Some(opening) = blocks.opening(i) else { continue };
            let mut joined = slow.zero();
            for tree in blocks.trees(i) {
                joined = larger(joined, self.joined[tree]);
            }
            let hits = is_hit(&opening, blocks.acts(i), joined, slow, deep);
            for tree in blocks.trees(i) {
                self.hit[tree] = larger(self.hit[tree], hits);
            }
        }
        spread(blocks, &mut self.hit);
    }
}

/// (1) to (3) of one block.
#[inline(always)]
fn is_hit<T: Real>(o: &Opening<T>, acts: T, joined: T, slow: T, deep: T) -> T {
    let (zero, one, [before, after]) = (slow.zero(), slow.one(), o.rates);
    let fast = slow.less(larger(before.abs(), after.abs()));
    let mut hits = T::select(fast, one, o.bounces); // (1)
    if o.contact {
        hits = T::select(zero.less(joined), hits, one); // (3)
    }
    let end = slow.like(0.5) * (before + after) + o.gap;
    let overlaps = T::both(zero.less(o.new), end.less(-deep)); // (2)
    T::select(overlaps, o.there, hits * acts)
}

/// What is true of a tree is true of all that impulses join to it.
#[inline(always)]
fn spread<T: Real>(blocks: &impl SolvedBlocks<T>, of_tree: &mut [T]) {
    let mut spreads = of_tree.len() > 1;
    while std::mem::take(&mut spreads) {
        for i in 0..blocks.count() {
            let mut most = of_tree[0].zero();
            for tree in blocks.trees(i) {
                most = larger(most, of_tree[tree]);
            }
            if !T::any(most.zero().less(most)) {
                continue;
            }
            let all = most * blocks.acts(i);
            for tree in blocks.trees(i) {
                spreads |= T::any(of_tree[tree].less(all));
                of_tree[tree] = larger(of_tree[tree], all);
            }
        }
    }
}

#[inline(always)]
fn larger<T: Real>(a: T, b: T) -> T {
    T::select(a.less(b), b, a)
}
