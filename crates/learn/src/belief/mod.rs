//! Beliefs over the state: mixtures of normal distributions, propagated from one contact event to the next [Fazeli2020, IV].
//!
//! [`Belief`] is over a planar body, whose impacts are exact in time; [`SceneBelief`] over the bodies of any scene, moved by the
//! engine.

mod planar;
mod scene;

pub use planar::{Belief, Component, Discarded, Particle, StochasticStep};
pub use scene::{
    ImpactDistribution, LawSpread, SceneBelief, SceneComponent, SceneParticle, ScenePropagation,
};
