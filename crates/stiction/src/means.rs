//! Which trees move by the trapezoidal rule, (6) of [`crate::stepper`]: q⁺ = q ⊕ h (v + v⁺)/2.
//!
//! Those with servos, what impulses join to them, and those without contact geometry that something else binds (loops,
//! couplings, dry friction, tendons, carried weight); but not if a contact or stop, of gap φ that grows at the rate u,
//!
//! ```text
//!     is hit: has an impulse, and |u| or |u⁺| is more than what bounces                                (1)
//!     had none in the last step or in that before, and would overlap: φ + h (u + u⁺)/2 < −slop         (2)
//!     is a contact with an impulse that no servo damps: where surfaces bend, means gain energy         (3)
//! ```
//!
//! or it turns so far that where it goes means nothing (`stepper/fast.rs`); (2) because what meets in a step still
//! closes at its end. These move by v⁺, which neither crosses a surface nor gains energy. Trees that impulses join go
//! alike, or contacts would drift. Where nothing changes nothing is done.
//!
//! Of those without contact geometry inertia and forces are those of the middle of the step ([`Means::swings`]): they
//! gain no energy. With contacts, whose J is that of the start, that mixture would keep legs from coming to rest;
//! there, servos damp what forces at the start of the step add, ω² h/2 of the energy of a swing.

use crate::assembly::Notes;
use crate::flight::{bound_trees, is_servo};
use crate::rows::Rows;
use stiction_contact::ConstraintProblem;
use stiction_models::World;

/// What is known of a step that was solved.
pub(crate) struct Solved<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) problem: &'a ConstraintProblem,
    /// Blocks that are contacts, the first.
    pub(crate) contacts: usize,
    pub(crate) notes: &'a Notes,
    pub(crate) impulses: &'a [f64],
    /// Those of the last step, and of that before: the same or zero where there were none.
    pub(crate) last: [&'a [f64]; 2],
    pub(crate) v: &'a [f64],
    pub(crate) v_free: &'a [f64],
    /// Trees that turn too far for (6).
    pub(crate) lost: &'a [bool],
    /// What bounces is faster, (1) [m/s].
    pub(crate) slow: f64,
    /// slop/h of (2) [m/s].
    pub(crate) deep: f64,
}

/// See the module.
pub(crate) struct Means {
    /// Per tree: (6) where nothing is hit; nothing can touch it, and it is bound; it has servos.
    pub(crate) goes: Vec<bool>,
    pub(crate) swings: Vec<bool>,
    pub(crate) driven: Vec<bool>,
    /// Impulses join it to a tree with servos; it moves by v⁺.
    joined: Vec<bool>,
    hit: Vec<bool>,
    /// Of a dof.
    pub(crate) tree_of: Vec<usize>,
    /// Blocks whose impulses join two trees.
    joints: Vec<usize>,
}

/// Changes of velocity that are none [m/s or rad/s].
pub(crate) const STILL: f64 = 1e-9;

impl Means {
    pub(crate) fn new(world: &World) -> Self {
        let model = &world.model;
        let tree_of: Vec<_> = model.dofs.iter().map(|d| model.bodies[d.body].tree).collect();
        let bound = bound_trees(world);
        let mut driven = vec![false; model.trees];
        for a in world.actuators.iter().filter(|a| is_servo(a)) {
            a.transmission.iter().for_each(|&(dof, _)| driven[tree_of[dof]] = true);
        }
        let mut swings: Vec<_> = (0..model.trees).map(|t| bound.contains(&t)).collect();
        for geometry in world.geometries.iter().filter(|g| g.group | g.mask != 0) {
            if let Some(body) = world.mount(geometry.link, geometry.X_LG).0 {
                swings[model.bodies[body].tree] = false;
            }
        }
        Self {
            goes: swings.iter().zip(&driven).map(|(a, b)| *a || *b).collect(),
            swings,
            driven,
            joined: vec![false; model.trees],
            hit: vec![false; model.trees],
            tree_of,
            joints: Vec::new(),
        }
    }

    /// True of a dof of a tree with servos.
    pub(crate) fn drives(&self, dof: usize) -> bool {
        self.driven[self.tree_of[dof]]
    }

    /// The velocities by which everything moves, in place of v⁺.
    pub(crate) fn take(&mut self, s: &Solved<'_>, v_next: &mut [f64]) {
        let moves = |(a, b): (&f64, &f64)| (a - b).abs() > STILL;
        if !self.goes.contains(&true) || !s.v.iter().zip(&*v_next).any(moves) {
            return;
        }
        let acts = |block: usize| s.impulses[s.problem.range(block)].iter().any(|x| *x != 0.0);
        let joins = |block: usize| s.rows.trees_of(block).nth(1).is_some() && acts(block);
        self.joints.clear();
        self.joints.extend((0..s.problem.len()).filter(|&block| joins(block)));
        self.joined.copy_from_slice(&self.driven);
        spread(&self.joints, s.rows, &mut self.joined);
        self.hit.copy_from_slice(s.lost);
        for (block, cone) in s.problem.cones().iter().enumerate() {
            if cone.opens() && self.hits(s, block, acts(block), v_next) {
                s.rows.trees_of(block).for_each(|t| self.hit[t] = true);
            }
        }
        spread(&self.joints, s.rows, &mut self.hit);
        for ((next, v), &t) in v_next.iter_mut().zip(s.v).zip(&self.tree_of) {
            if (self.goes[t] || self.joined[t]) && !self.hit[t] {
                *next += 0.5 * (v - *next);
            }
        }
    }

    /// (1) to (3), of a contact or stop; what bounces is hit. (1) and (3) only if it has an impulse.
    fn hits(&self, s: &Solved<'_>, block: usize, acts: bool, v_next: &[f64]) -> bool {
        if acts && block < s.contacts && !s.rows.trees_of(block).any(|t| self.joined[t]) {
            return true;
        }
        let of_block = s.problem.cone(block).normal();
        let normal = |v: &[f64]| s.rows.row_velocity(block, of_block, v);
        let (before, after) = (normal(s.v), normal(v_next));
        let (mean, row) = (0.5 * (before + after), s.problem.range(block).start + of_block);
        let gap = || (s.problem.free_velocity[row] - normal(s.v_free)).max(0.0); // φ/h, where φ > 0
        let [last, before_last] = s.last.map(|x| x[row]);
        let new = last == 0.0 || before_last == 0.0 || before_last == last;
        (new && mean < -s.deep && mean + gap() < -s.deep)
            || acts && before.abs().max(after.abs()) > s.slow
            || acts && s.notes.bounces.iter().any(|b| b.block == block)
    }
}

/// What is true of a tree is true of all that `blocks` join to it.
fn spread(blocks: &[usize], rows: &Rows, of_tree: &mut [bool]) {
    let mut spreads = true;
    while std::mem::take(&mut spreads) {
        for &block in blocks {
            if rows.trees_of(block).any(|t| of_tree[t]) {
                for t in rows.trees_of(block) {
                    spreads |= !std::mem::replace(&mut of_tree[t], true);
                }
            }
        }
    }
}
