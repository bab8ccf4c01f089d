//! Friction that is another along an axis of a surface than across it: wood, skis, the rollers of a mecanum wheel.
//!
//! The admissible forces are the ellipse with half axes μ₁ λ_N along the axis and μ₂ λ_N across it, in the plane of
//! contact. Of a pair with two axes that of the surface with less friction along its own counts, as in Gazebo (0').

use stiction_dynamics::spatial::{Pose, Vec3};

/// The axis of a surface, and its friction across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Coulomb coefficient across the axis [–]; [`crate::Material::friction`] is that along it.
    pub across: f64,
    /// The axis, of unit length, in the axes of what it is fixed in.
    pub axis: Vec3,
    pub fixed_in: GrainFrame,
}

/// The frame that carries the axis of a [`Grain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrainFrame {
    /// The frame of the geometry.
    Geometry,
    /// The frame of a link (index into `model.links`) or, `None`, of the world.
    Link(Option<usize>),
}

/// The place of the two tangents of a contact in its plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tangents {
    /// By the normal alone, as MuJoCo lays them; along the axis of a capsule that lies on a plane.
    #[default]
    OfNormal,
    /// The first is as near as can be to the axis of one surface of the pair: that of geometry `side` of the
    /// pair, 0 or 1.
    Along { side: usize, grain: Grain },
}

impl Grain {
    /// In a world in which its model stands at `pose`, its links after `links` others.
    pub fn shifted(self, links: usize, pose: Pose) -> Self {
        match self.fixed_in {
            GrainFrame::Geometry => self,
            GrainFrame::Link(Some(l)) => Self { fixed_in: GrainFrame::Link(Some(l + links)), ..self },
            GrainFrame::Link(None) => Self { axis: pose.rotation.rotate(self.axis), ..self },
        }
    }

    /// Follows the links of an edited model; where that of its frame is gone, `None`.
    pub fn follow(self, link: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        match self.fixed_in {
            GrainFrame::Link(Some(l)) => Some(Self { fixed_in: GrainFrame::Link(Some(link(l)?)), ..self }),
            _ => Some(self),
        }
    }
}

impl Tangents {
    /// The tangents in a world in which the model of their axis stands elsewhere ([`Grain::shifted`]).
    pub fn shifted(self, links: usize, pose: Pose) -> Self {
        match self {
            Self::OfNormal => self,
            Self::Along { side, grain } => Self::Along { side, grain: grain.shifted(links, pose) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Material, Mixing, SLIPPERY};

    fn wood(along: f64, across: f64) -> Material {
        let grain = Grain { across, axis: Vec3::X, fixed_in: GrainFrame::Geometry };
        Material { friction: along, grain: Some(grain), mixing: Mixing::Smaller, ..Material::default() }
    }

    #[test]
    fn the_axis_is_that_of_the_slipperier_surface_and_coefficients_mix_each_for_itself() {
        let plain = |mu| Material { friction: mu, mixing: Mixing::Smaller, ..Material::default() };
        let pair = Material::pair(&plain(10.0), &wood(0.0, 1.0));
        assert_eq!((pair.sliding, pair.friction(), pair.stretch()), ([0.0, 1.0], 1.0, [SLIPPERY, 1.0]));
        assert!(matches!(pair.tangents, Tangents::Along { side: 1, .. }) && pair.is_directed());
        let pair = Material::pair(&wood(0.3, 0.6), &plain(0.5));
        assert_eq!((pair.sliding, pair.stretch()), ([0.3, 0.5], [0.6, 1.0]));
        let both = Material::pair(&wood(0.3, 0.6), &wood(0.2, 0.9));
        assert!(matches!(both.tangents, Tangents::Along { side: 1, .. }));
        assert_eq!(both.sliding, [0.2, 0.6]);
        assert!(!Material::pair(&plain(0.4), &plain(0.5)).is_directed());
    }

    #[test]
    fn a_new_coefficient_keeps_the_proportion() {
        let mut m = wood(0.5, 0.2);
        m.set_friction(1.0);
        assert_eq!((m.friction, m.across()), (1.0, 0.4));
        let mut pair = Material::pair(&wood(0.5, 0.2), &Material { friction: 9.0, ..Material::default() });
        pair.set_friction(1.0);
        assert_eq!(pair.sliding, [1.0, 0.4]);
    }
}
