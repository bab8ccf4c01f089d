//! Steps that are posed in their middle: where they are posed, by where they start.
//!
//! ```text
//!     (q_m, v⁻) = half a flight from (q, v)                                                         (1)
//!     v⁺ by the problem at q_m                                                                      (2)
//!     (q⁺, v⁺) = half a flight from (q_m, v⁺)                                                       (3)
//! ```
//!
//! (2) is differentiated by the tangents of (q_m, v⁻): columns of q and v are theirs until the end. What depends on the
//! start itself, as springs do, is turned to them by the inverse of (1), block by block of joints. Coriolis forces
//! are of the mean velocity v̄, which is taken as (v + v⁺)/2, as it is in a step that starts anew; others have it from the
//! impulses of the last step, which differ from their own by O(h). The closing rigid motion follows
//! ([`super::closing`]).

use super::columns::Columns;
use crate::state::State;
use crate::stepping::accepted::PosedInMiddle;
use crate::stepping::integrate::ballistic::Body;
use crate::stepping::integrate::tangent::moved;
use nalgebra::DMatrix;
use stiction_dynamics::spatial::Quat;
use stiction_dynamics::{Dual, Joint, Model};
use stiction_world::World;

/// The middle of a step, and how it changes with the start.
pub(super) struct Middle<'a> {
    pub(super) posed: PosedInMiddle<'a>,
    /// ∂(q_m, v⁻)/∂(q, v), and its inverse.
    by_start: Blocks,
    back: Blocks,
}

/// A matrix between tangents of (q, v) whose blocks are those of single joints.
pub(super) struct Blocks {
    blocks: Vec<DMatrix<f64>>,
    /// Joint of every dof.
    joint_of: Vec<usize>,
    /// First velocity of every joint.
    first: Vec<usize>,
}

impl Blocks {
    fn new(model: &Model, of: impl Fn(&Joint) -> DMatrix<f64>) -> Self {
        Self {
            blocks: model.joints.iter().map(of).collect(),
            joint_of: model.dofs.iter().map(|dof| dof.joint).collect(),
            first: model.joints.iter().map(|joint| joint.idx_v).collect(),
        }
    }

    /// Sets the block of a joint.
    pub(super) fn set(&mut self, joint: usize, block: DMatrix<f64>) {
        self.blocks[joint] = block;
    }

    /// The columns of q and v of a joint.
    fn columns(&self, joint: usize, columns: Columns) -> impl Iterator<Item = usize> + Clone {
        let (first, n) = (self.first[joint], self.blocks[joint].nrows() / 2);
        (first..first + n).map(move |i| columns.q(i)).chain((first..first + n).map(move |i| columns.v(i)))
    }

    /// `matrix` times this, in its columns of q and v.
    pub(super) fn apply(&self, columns: Columns, matrix: &mut DMatrix<f64>) {
        for (joint, block) in self.blocks.iter().enumerate() {
            let of: Vec<usize> = self.columns(joint, columns).collect();
            for r in 0..matrix.nrows() {
                let row: Vec<f64> = of.iter().map(|&c| matrix[(r, c)]).collect();
                if row.iter().all(|x| *x == 0.0) {
                    continue;
                }
                for (l, &c) in of.iter().enumerate() {
                    matrix[(r, c)] = row.iter().enumerate().map(|(k, x)| x * block[(k, l)]).sum();
                }
            }
        }
    }

    /// Calls `add` with the columns and entries of the row of coordinate `dof` of q.
    fn row_of_q(&self, dof: usize, columns: Columns, mut add: impl FnMut(usize, f64)) {
        let joint = self.joint_of[dof];
        let row = self.blocks[joint].row(dof - self.first[joint]);
        self.columns(joint, columns).zip(row.iter()).for_each(|(column, x)| add(column, *x));
    }
}

impl<'a> Middle<'a> {
    /// (1) of a step of h [s] from `start`.
    pub(super) fn new(world: &World, posed: PosedInMiddle<'a>, start: &State, h: f64) -> Self {
        let by_start = flights(world, posed, start, 0.5 * h);
        let inverse = |joint: &Joint| {
            let block = &by_start.blocks[by_start.joint_of[joint.idx_v]];
            let none = || DMatrix::from_element(block.nrows(), block.nrows(), f64::NAN);
            block.clone().try_inverse().unwrap_or_else(none)
        };
        let back = Blocks::new(&world.model, inverse);
        Self { posed, by_start, back }
    }

    /// Turns columns of the middle to those of the start.
    pub(super) fn turn_to_start(&self, columns: Columns, matrix: &mut DMatrix<f64>) {
        self.by_start.apply(columns, matrix);
    }

    /// Turns columns of the start to those of the middle.
    pub(super) fn turn_to_middle(&self, columns: Columns, matrix: &mut DMatrix<f64>) {
        self.back.apply(columns, matrix);
    }

    /// Calls `add` with the columns of the middle, and the entries, by which coordinate `dof` of q at the start changes.
    pub(super) fn start_by_middle(&self, dof: usize, columns: Columns, add: impl FnMut(usize, f64)) {
        self.back.row_of_q(dof, columns, add);
    }

    /// Whether a tree is posed in the middle.
    pub(super) fn takes(&self, tree: usize) -> bool {
        self.posed.bodies.on[tree]
    }

    /// The flying body of a tree that is one, and is posed in the middle.
    pub(super) fn body(&self, tree: usize) -> Option<&Body> {
        self.posed.bodies.body(tree).filter(|_| self.takes(tree))
    }
}

/// The tangents of flights of t [s] from `start`, of the trees that are posed in the middle.
pub(super) fn flights(world: &World, posed: PosedInMiddle<'_>, start: &State, t: f64) -> Blocks {
    let model = &world.model;
    Blocks::new(model, |joint| {
        let (tree, n) = (model.bodies[joint.body].tree, joint.kind.nv());
        if !posed.bodies.on[tree] {
            return DMatrix::identity(2 * n, 2 * n);
        }
        if let Some(body) = posed.bodies.body(tree) {
            return flight(body, [&start.q[joint.idx_q..], &start.v[joint.idx_v..]], t);
        }
        let moved = moved(joint.kind, &start.v[joint.idx_v..joint.idx_v + n], t);
        let mut block = DMatrix::identity(2 * n, 2 * n);
        for (k, l) in (0..n).flat_map(|k| (0..n).map(move |l| (k, l))) {
            (block[(k, l)], block[(k, n + l)]) = (moved.by_q[k][l], moved.by_v[k][l]);
        }
        block
    })
}

/// The tangent of a flight of t [s] of a body from q and v, 12 × 12.
pub(super) fn flight(body: &Body, [q, v]: [&[f64]; 2], t: f64) -> DMatrix<f64> {
    let still = |x: &[f64]| x.iter().map(|x| Dual::<12>::constant(*x)).collect::<Vec<_>>();
    let mut position = still(&q[..7]);
    (0..3).for_each(|l| position[l].tangent[l] = 1.0);
    let R = Quat::new(q[3], q[4], q[5], q[6]);
    for l in 0..3 {
        let mut e = [0.0; 3];
        e[l] = 0.5;
        let turned = R * Quat::new(0.0, e[0], e[1], e[2]);
        turned.to_array().into_iter().enumerate().for_each(|(m, x)| position[3 + m].tangent[3 + l] = x);
    }
    let mut velocity = still(&v[..6]);
    velocity.iter_mut().enumerate().for_each(|(l, x)| x.tangent[6 + l] = 1.0);
    let [q_next, v_next] = body.flight([&position, &velocity], Dual::constant(t));
    let back = Quat { w: q_next[3].value, x: q_next[4].value, y: q_next[5].value, z: q_next[6].value };
    let back = back.conjugate();
    let mut out = DMatrix::zeros(12, 12);
    for m in 0..12 {
        let [w, x, y, z] = [3, 4, 5, 6].map(|k: usize| q_next[k].tangent[m]);
        let turn = back * Quat::new(w, x, y, z);
        for (l, x) in [turn.x, turn.y, turn.z].into_iter().enumerate() {
            out[(l, m)] = q_next[l].tangent[m];
            out[(3 + l, m)] = 2.0 * x;
        }
        (0..6).for_each(|l| out[(6 + l, m)] = v_next[l].tangent[m]);
    }
    out
}
