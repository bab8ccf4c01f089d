//! Kinds of rows, one file each: which rows a world has, which act in a step, their Jacobian, their bias by cause, the set of
//! their impulses, and what the rest of the engine must know of them ([`kind`]). The formulas are laws ([`crate::laws`]).
//!
//! This file lists the kinds: their keys, the order in which they are posed, and the calls by key for lanes and derivatives.

pub mod contact;
pub mod coupling;
pub mod dry_friction;
pub mod implicit_force;
pub mod kind;
pub mod limit;
pub mod loop_closure;
pub mod prescribed_rate;
pub mod tendon;
#[cfg(test)]
mod tests;

use crate::forces::ImplicitForce;
use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::{
    CouplingRow, DryFrictionRow, LimitRow, LoopRow, PrescribedRateRow, RowKey, TendonFrictionRow,
    TendonLimitRow,
};
use crate::warm_start::WarmStart;
use kind::{At, LinearRow, RowKind, Terms};
use stiction_contact::Cone;
use stiction_dynamics::{JointKind, Real};
use stiction_world::World;

impl RowKey {
    /// The kind of the row.
    pub fn kind(&self) -> &dyn RowKind {
        match self {
            Self::Limit(row) => row,
            Self::DryFriction(row) => row,
            Self::PrescribedRate(row) => row,
            Self::Coupling(row) => row,
            Self::Loop(row) => row,
            Self::ImplicitForce(row) => row,
            Self::TendonLimit(row) => row,
            Self::TendonFriction(row) => row,
        }
    }

    /// Set of its impulse, between these bounds.
    pub fn cone(self, bounds: [f64; 2]) -> Cone {
        kind::cone(self.kind().set(), bounds)
    }
}

/// Pushes the rows of a step in the order of [`RowKey`]; couplings and loops are noted as bilateral.
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    limit::push(p, out, warm);
    if !p.params.is_instant() {
        kind::push_all::<DryFrictionRow>(p, out, warm);
    }
    kind::push_all::<PrescribedRateRow>(p, out, warm);
    let first = out.blocks.len();
    coupling::push(p, out, warm);
    loop_closure::push(p, out, warm);
    out.note_bilateral(first);
    if !p.params.is_instant() {
        implicit_force::push(p, out, warm);
    }
    kind::push_all::<TendonLimitRow>(p, out, warm);
    if !p.params.is_instant() {
        kind::push_all::<TendonFrictionRow>(p, out, warm);
    }
}

/// Keys of all rows that `world` has in every step, or can have.
pub fn standing(world: &World) -> Vec<RowKey> {
    let joints = &world.model.joints;
    let ball = |joint: &usize| joints[*joint].kind == JointKind::Ball && joints[*joint].limit.is_some();
    let balls = (0..joints.len()).filter(ball).map(|joint| LimitRow { joint, side: 1 }.key());
    let held = (0..world.loops.len()).filter(|&index| world.loops[index].active);
    let loops = held.map(|index| LoopRow { index, row: 0 }.key());
    let linear = linear(world).into_iter().filter(|key| key.kind().stands(world));
    linear.chain(balls).chain(loops).collect()
}

/// Keys of all rows that `world` can have with a constant direction, in the order in which they are posed.
pub fn linear(world: &World) -> Vec<RowKey> {
    fn of<K: LinearRow>(world: &World, keys: &mut Vec<RowKey>) {
        keys.extend(K::all(world).map(|row| row.key()));
    }
    let mut keys = Vec::new();
    of::<LimitRow>(world, &mut keys);
    of::<DryFrictionRow>(world, &mut keys);
    of::<PrescribedRateRow>(world, &mut keys);
    of::<CouplingRow>(world, &mut keys);
    of::<ImplicitForce>(world, &mut keys);
    of::<TendonLimitRow>(world, &mut keys);
    of::<TendonFrictionRow>(world, &mut keys);
    keys
}

/// Distance to a stop at q [m or rad]; `None` of other rows.
pub fn distance(world: &World, key: RowKey, q: &[f64], q_of_dof: &[usize]) -> Option<f64> {
    match key {
        RowKey::Limit(row) => limit::distance_at(world, row, q),
        RowKey::TendonLimit(row) => tendon::distance_at(world, row, q, q_of_dof),
        RowKey::DryFriction(_)
        | RowKey::PrescribedRate(_)
        | RowKey::Coupling(_)
        | RowKey::Loop(_)
        | RowKey::ImplicitForce(_)
        | RowKey::TendonFriction(_) => None,
    }
}

/// A task for a row of any kind with a constant direction.
pub trait LinearTask {
    type Output;

    fn run<K: LinearRow>(self, row: K) -> Self::Output;
}

/// Runs a task for the row of a key; `None` for a loop, whose direction turns.
#[inline(always)]
pub fn run_linear<R: LinearTask>(key: RowKey, task: R) -> Option<R::Output> {
    Some(match key {
        RowKey::Limit(row) => task.run(row),
        RowKey::DryFriction(row) => task.run(row),
        RowKey::PrescribedRate(row) => task.run(row),
        RowKey::Coupling(row) => task.run(row),
        RowKey::Loop(_) => return None,
        RowKey::ImplicitForce(row) => task.run(row),
        RowKey::TendonLimit(row) => task.run(row),
        RowKey::TendonFriction(row) => task.run(row),
    })
}

/// J of a row; empty for a loop.
pub fn terms(world: &World, key: RowKey) -> Terms<'_> {
    struct Of<'a>(&'a World);
    impl<'a> LinearTask for Of<'a> {
        type Output = Terms<'a>;

        fn run<K: LinearRow>(self, row: K) -> Terms<'a> {
            row.terms(self.0)
        }
    }
    run_linear(key, Of(world)).unwrap_or(Terms::sum(1.0, &[]))
}

/// A row at the numbers `at`; a loop is a row in no lane.
#[inline(always)]
pub fn row<T: Real>(world: &World, key: RowKey, at: &At<'_, T>) -> Row<T> {
    struct Of<'a, 'b, T: Real>(&'a World, &'a At<'b, T>);
    impl<T: Real> LinearTask for Of<'_, '_, T> {
        type Output = Row<T>;

        #[inline(always)]
        fn run<K: LinearRow>(self, row: K) -> Row<T> {
            row.row(self.0, self.1)
        }
    }
    run_linear(key, Of(world, at)).unwrap_or_else(|| Row::none(at.zero()))
}
