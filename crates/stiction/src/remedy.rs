//! What a step did because its problem had no good answer.

use serde::{Deserialize, Serialize};

/// The measure taken in a step whose problem had no good answer at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// Contacts bounced with a share of their restitution: with all of it the impact would have made energy.
    LessRestitution,
    /// Errors of couplings and loops were taken out of the positions alone: nothing could move as they asked.
    WithoutFeedback,
    /// Nothing bounced: there was no velocity at which all contacts bounce.
    WithoutRestitution,
    /// Impulses that did not converge were scaled, so that they make no energy.
    EnergyGuard,
    /// The step was done again in parts.
    Halved,
    /// More bounced at instants of their own than [`crate::StepperParams::impact_instants`] allows; the rest did so at once.
    ImpactsAtOnce,
}

impl Remedy {
    /// All of them; their places are their codes in recordings, from 1.
    pub const ALL: [Self; 6] = [
        Self::LessRestitution,
        Self::WithoutFeedback,
        Self::WithoutRestitution,
        Self::EnergyGuard,
        Self::Halved,
        Self::ImpactsAtOnce,
    ];

    /// The name in files, tables and the viewer.
    pub fn name(self) -> &'static str {
        match self {
            Self::LessRestitution => "less-restitution",
            Self::WithoutFeedback => "without-feedback",
            Self::WithoutRestitution => "without-restitution",
            Self::EnergyGuard => "energy-guard",
            Self::Halved => "halved",
            Self::ImpactsAtOnce => "impacts-at-once",
        }
    }
}
