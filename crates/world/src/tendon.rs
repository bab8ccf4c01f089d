//! Tendons: lengths that several joints share, and what acts along them.
//!
//! ```text
//!     fixed      l = Σ c q                                                                      (1)
//!     spatial    l = Σ over branches of the way through sites and around geometries, divided by
//!                the divisor of the last pulley; kept, not simulated yet                        (2)
//!     effort     −k (l − a) below the slack range [a, b], −k (l − b) above it, −d l̇            (3)
//! ```
//!
//! Efforts [N] where lengths are metres, [N·m] where they are angles.

use stiction_collision::Shape;
use stiction_dynamics::spatial::Pose;

/// A tendon: a path between sites, or a weighted sum of joint coordinates.
#[derive(Clone, Debug)]
pub struct Tendon {
    pub name: String,
    pub path: TendonPath,
    /// k of (3).
    pub stiffness: f64,
    /// d of (3).
    pub damping: f64,
    /// Lengths at which the spring is slack; `None`: those of the neutral configuration, of a spatial tendon.
    pub slack: Option<[f64; 2]>,
    /// Dry friction: the tendon holds up to this effort.
    pub friction: f64,
    /// Range of the length.
    pub limit: Option<[f64; 2]>,
    /// Range of the sum of all actuator efforts along it; not kept to yet.
    pub effort_limit: Option<[f64; 2]>,
    /// Inertia that is felt along it [kg]; not simulated yet.
    pub armature: f64,
}

/// How a tendon runs.
#[derive(Clone, Debug)]
pub enum TendonPath {
    /// (dof, coefficient) of (1).
    Fixed(Vec<(usize, f64)>),
    /// In order.
    Spatial(Vec<Waypoint>),
}

/// A thing a spatial tendon passes.
#[derive(Clone, Debug)]
pub enum Waypoint {
    /// Index into `Extras::sites`.
    Site(usize),
    /// Around a sphere or cylinder, on the side of a site (an index) if one is given.
    Around { link: Option<usize>, X_LG: Pose, shape: Shape, side: Option<usize> },
    /// Pulley: the path starts anew, and its length counts 1/divisor from here on.
    Pulley { divisor: f64 },
}

impl Tendon {
    /// The coefficients of (1); none for a spatial tendon.
    pub fn terms(&self) -> &[(usize, f64)] {
        match &self.path {
            TendonPath::Fixed(terms) => terms,
            TendonPath::Spatial(_) => &[],
        }
    }

    /// Renumbers what it names for a world in which that many come before; it stands at `pose`.
    pub fn shift(&mut self, links: usize, dofs: usize, sites: usize, pose: Pose) {
        match &mut self.path {
            TendonPath::Fixed(terms) => terms.iter_mut().for_each(|(dof, _)| *dof += dofs),
            TendonPath::Spatial(way) => {
                for point in way {
                    match point {
                        Waypoint::Site(site) => *site += sites,
                        Waypoint::Around { link, X_LG, side, .. } => {
                            if link.is_none() {
                                *X_LG = pose * *X_LG;
                            }
                            *link = link.map(|l| l + links);
                            *side = side.map(|s| s + sites);
                        }
                        Waypoint::Pulley { .. } => {}
                    }
                }
            }
        }
    }

    /// How far the length l is out of the slack range: negative below it.
    pub fn stretch(&self, length: f64) -> f64 {
        let [low, high] = self.slack.unwrap_or([length; 2]);
        (length - high).max(0.0) + (length - low).min(0.0)
    }
}
