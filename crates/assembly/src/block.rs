//! The blocks of a posed problem: what each belongs to, and its bias by cause.

pub use crate::laws::restitution::PosedLanding;
use crate::laws::row::Row;
use crate::row_key::RowKey;

/// One block of a constraint problem: a contact, or a scalar row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub key: BlockKey,
    pub bias: Bias,
}

/// Why g of a block's normal row (or only row) is what it is,
///
/// ```text
///     g = free + turn + gap + s₁ restitution + s₂ feedback,   with the shares s₁, s₂ of a [`Choice`].
/// ```
///
/// In its other rows g is J v_f, and what they turn by. All in m/s, or rad/s of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bias {
    /// J v_f: the row's velocity without constraint impulses.
    pub free: f64,
    /// Velocity by which the row turns in the step: of a contact that rolls, [`crate::rolling`], or J v where the mean of v and v⁺ obeys
    /// the row, [`crate::turning`].
    pub turn: f64,
    /// Of an open gap φ: φ/h, at most as fast as which it may close. Of a compliant row (spring, actuator with a limit): minus
    /// the velocity at which it exerts nothing.
    pub gap: f64,
    /// Of a contact that bounces: minus the velocity at which it parts, less J v_f.
    pub restitution: f64,
    /// Share of the step that is left after a bounce, `None` of what does not bounce [–].
    pub after_bounce: Option<f64>,
    /// Minus the velocity that undoes the error of a coupling or loop, and what the row was violated by if it turns.
    pub feedback: f64,
    /// Minus the velocity at which an overlap or a violated limit is undone; it is no part of g: these errors are taken out of
    /// the positions alone.
    pub correction: f64,
}

impl From<Row<f64>> for Bias {
    fn from(row: Row<f64>) -> Self {
        let Row { free, gap, feedback, correction, .. } = row;
        Self { free, gap, feedback, correction, ..Self::default() }
    }
}

impl Bias {
    /// g [m/s].
    #[inline]
    pub fn total(&self, choice: Choice) -> f64 {
        self.free + self.offset(choice)
    }

    /// g − J v_f [m/s].
    #[inline]
    pub fn offset(&self, choice: Choice) -> f64 {
        self.turn + self.gap + choice.restitution * self.restitution + choice.feedback * self.feedback
    }
}

/// Which shares of the biases g holds, 0 to 1 each [–].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    pub restitution: f64,
    /// Of the errors of couplings and loops; what is left out of g is taken out of the positions alone.
    pub feedback: f64,
}

/// All of both.
impl Default for Choice {
    fn default() -> Self {
        Self { restitution: 1.0, feedback: 1.0 }
    }
}

/// How a contact or stop was posed of trees that are posed in the middle of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RollingContact {
    pub block: usize,
    /// True if it had an impulse in the last step.
    pub lasts: bool,
    /// It slid at the start of the step.
    pub slid: bool,
    /// Friction is (2) of [`crate::rolling`].
    pub slides: bool,
    /// J_T v⁻ of a contact that lasts and has friction [m/s].
    pub slip: [f64; 2],
    /// Share ½ h/(t + ½ h) of (1) of [`crate::rolling`], of a contact that lasts [–].
    pub share: f64,
    /// Distance at the start of the step, of a contact [m].
    pub start: f64,
    /// It lands in this step, if it gets an impulse.
    pub landing: Option<PosedLanding>,
}

/// Which constraint a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKey {
    /// Index into the contact points the rows were posed with.
    Contact(usize),
    Row(RowKey),
}
