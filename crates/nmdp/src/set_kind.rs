//! The kinds of contact sets, by name; [`crate::contact_sets`] makes them.

use serde::{Deserialize, Serialize};

/// The kinds of contact sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetKind {
    /// A linearised friction cone at every point, as large as its depth allows.
    #[default]
    Cone,
    /// A flat face that resists spinning, of a box.
    Patch,
    /// The sole of a box, cylinder or cone in granular ground.
    Granular,
    /// The sole of a cylinder or cone by a file of radial basis functions.
    Learned,
}

impl SetKind {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cone => "cone",
            Self::Patch => "patch",
            Self::Granular => "granular",
            Self::Learned => "learned",
        }
    }

    /// The shapes that have such a set.
    pub fn shapes(self) -> &'static str {
        match self {
            Self::Cone => "all shapes",
            Self::Patch => "boxes",
            Self::Granular => "boxes, cylinders and cones",
            Self::Learned => "cylinders and cones",
        }
    }
}
