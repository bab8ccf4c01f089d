//! Keys of scalar rows: which constraint of the world a row is of. What a kind of row is stands in [`crate::rows`].

use crate::forces::ImplicitForce;
use serde::{Deserialize, Serialize};

/// Constraint that a scalar row is of; stable from step to step. Rows of a problem are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RowKey {
    Limit(LimitRow),
    DryFriction(DryFrictionRow),
    PrescribedRate(PrescribedRateRow),
    Coupling(CouplingRow),
    Loop(LoopRow),
    ImplicitForce(ImplicitForce),
    TendonLimit(TendonLimitRow),
    TendonFriction(TendonFrictionRow),
}

/// A limit of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LimitRow {
    pub joint: usize,
    /// 0 is the lower limit, 1 the upper.
    pub side: usize,
}

/// Dry friction of a dof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DryFrictionRow {
    pub dof: usize,
}

/// Prescribed rate of a dof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PrescribedRateRow {
    pub dof: usize,
}

/// A coupling of `world.couplings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CouplingRow {
    pub index: usize,
}

/// Row of `world.loops[index]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoopRow {
    pub index: usize,
    /// 0 to 2 are positions, 3 to 5 rotations.
    pub row: usize,
}

/// Limit of a tendon, (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TendonLimitRow {
    pub tendon: usize,
    /// 0 is the lower limit, 1 the upper.
    pub side: usize,
}

/// Dry friction of a tendon, (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TendonFrictionRow {
    pub tendon: usize,
}
