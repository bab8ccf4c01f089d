//! The blocks of a posed problem: what each belongs to, and its bias by cause.

use crate::forces::ImplicitForce;
use serde::{Deserialize, Serialize};
use stiction_models::World;

/// One block of a constraint problem: a contact, or a scalar row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub key: BlockKey,
    pub bias: Bias,
}

/// Why g of a block's normal row (or only row) is what it is: g = free + gap + s · restitution, with s in [0, 1] the share
/// of restitution that a step asks for. In its other rows g is J v_f. All in m/s, or rad/s of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bias {
    /// J v_f: the row's velocity without constraint impulses.
    pub free: f64,
    /// Of an open gap φ: φ/h, at most as fast as which it may close. Of a compliant row (spring, actuator with a limit): minus
    /// the velocity at which it exerts nothing.
    pub gap: f64,
    /// Of a contact that bounces: minus the velocity at which it parts, less J v_f.
    pub restitution: f64,
    /// Share of the step that is left after a bounce, `None` of what does not bounce [–].
    pub after_bounce: Option<f64>,
    /// Velocity, negated, at which the position error (overlap, error of a coupling or loop) is undone; it is no part of g:
    /// position errors are taken out of the positions alone.
    pub correction: f64,
}

impl Bias {
    /// g at the share `restitution` of the bounce [m/s].
    #[inline]
    pub fn total(&self, restitution: f64) -> f64 {
        self.free + self.offset(restitution)
    }

    /// g − J v_f at the share `restitution` of the bounce [m/s].
    #[inline]
    pub fn offset(&self, restitution: f64) -> f64 {
        self.gap + restitution * self.restitution
    }
}

/// Which constraint a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKey {
    /// Index into the contact points the rows were posed with.
    Contact(usize),
    Row(RowKey),
}

/// Which constraint a scalar row is; stable from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RowKey {
    /// Side 0 is the lower limit.
    Limit { joint: usize, side: usize },
    DryFriction { dof: usize },
    Coupling { index: usize },
    /// Row of `world.loops[index]`: 0 to 2 positions, 3 to 5 rotations.
    Loop { index: usize, row: usize },
    ImplicitForce(ImplicitForce),
    TendonLimit { tendon: usize, side: usize },
    TendonFriction { tendon: usize },
}

impl RowKey {
    /// The constraint, for a message.
    pub fn words(self, world: &World) -> String {
        let model = &world.model;
        let tendon = |t: usize| &world.tendons[t].name;
        match self {
            Self::Limit { joint, .. } => format!("the limit of joint `{}`", model.joints[joint].name),
            Self::DryFriction { dof } => {
                format!("the dry friction of joint `{}`", model.joints[model.dofs[dof].joint].name)
            }
            Self::Coupling { index } => format!("the coupling `{}`", world.couplings[index].name),
            Self::Loop { index, .. } => format!("the loop `{}`", world.loops[index].name),
            Self::ImplicitForce(ImplicitForce::Actuator(a)) => {
                format!("the actuator `{}`", world.actuators[a].name)
            }
            Self::ImplicitForce(ImplicitForce::Tendon(t)) => format!("the tendon `{}`", tendon(t)),
            Self::TendonLimit { tendon: t, .. } => format!("the limit of tendon `{}`", tendon(t)),
            Self::TendonFriction { tendon: t } => format!("the dry friction of tendon `{}`", tendon(t)),
        }
    }
}
