//! A world some of whose bodies are larger or smaller.
//!
//! ```text
//!     lengths of a body about its origin        x' = s x                                (1)
//!     its mass, com, inertia about the origin   m' = m,   c' = s c,   I' = s² I         (2)
//! ```
//!
//! The mass stays, as it has a row of its own in domain randomisation. Travels of slides, rests and limits of tendons that run along joints, and
//! the state in which a world starts are numbers of their own and stay as well.

use crate::tendon::{TendonPath, Waypoint};
use crate::world::{Drawing, World};
use stiction_collision::ShapeError;
use stiction_dynamics::spatial::{Inertia, Pose};

/// Why bodies cannot be resized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResizeError {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("a body is scaled by {0}; expected a finite number > 0")]
    Factor(f64),
    #[error("tendon `{0}` passes a body that is scaled, and its rest and limits are lengths of the file")]
    Tendon(String),
}

impl World {
    /// The world with `bodies` (indices into `model.bodies`) `factor` times as large: shapes, where they stand, joints, frames. What hangs on a
    /// body by a joint moves with the joint, and keeps its size if it is none of them.
    ///
    /// # Errors
    ///
    /// If the factor is no finite positive number, a shape would have no size, or a spatial tendon passes what is scaled.
    pub fn resized(&self, bodies: &[usize], factor: f64) -> Result<World, ResizeError> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(ResizeError::Factor(factor));
        }
        let mut world = self.clone();
        let grows = |body: Option<usize>| body.is_some_and(|b| bodies.contains(&b));
        let links: Vec<bool> = self.model.links.iter().map(|l| grows(l.body)).collect();
        let on = |link: Option<usize>| link.is_some_and(|l| links[l]);
        for tendon in &self.tendons {
            let TendonPath::Spatial(way) = &tendon.path else { continue };
            let passes = |w: &Waypoint| match w {
                Waypoint::Site(site) => on(self.extras.sites[*site].link),
                Waypoint::Around { link, .. } => on(*link),
                Waypoint::Pulley { .. } => false,
            };
            if way.iter().any(passes) {
                return Err(ResizeError::Tendon(tendon.name.clone()));
            }
        }
        let model = &mut world.model;
        for (b, body) in model.bodies.iter_mut().enumerate() {
            if grows(body.parent) {
                stretch(&mut body.X_PB, factor);
            }
            if grows(Some(b)) {
                body.inertia = resized(&body.inertia, factor);
            }
        }
        model.joints.iter_mut().filter(|j| grows(Some(j.body))).for_each(|j| j.anchor = j.anchor * factor);
        for (link, _) in model.links.iter_mut().zip(&links).filter(|(_, grows)| **grows) {
            stretch(&mut link.X_BL, factor);
            link.inertia = resized(&link.inertia, factor);
        }
        for g in world.geometries.iter_mut().filter(|g| on(g.link)) {
            stretch(&mut g.X_LG, factor);
            g.shape = g.shape.scaled(factor)?;
        }
        for v in world.visuals.iter_mut().filter(|v| on(v.link)) {
            stretch(&mut v.X_LV, factor);
            match &mut v.drawing {
                Drawing::Shape(shape) => *shape = shape.scaled(factor)?,
                Drawing::Mesh { vertices, .. } => vertices.iter_mut().for_each(|p| *p = *p * factor),
            }
        }
        for drawn in world.extras.drawn.iter_mut().filter(|d| on(d.link)) {
            stretch(&mut drawn.X_LG, factor);
            drawn.shape = drawn.shape.as_ref().map(|s| s.scaled(factor)).transpose()?;
        }
        for site in world.extras.sites.iter_mut().filter(|s| on(s.link)) {
            stretch(&mut site.X_LS, factor);
            site.size = site.size.map(|s| s * factor);
        }
        world.extras.cameras.iter_mut().filter(|c| on(c.link)).for_each(|c| stretch(&mut c.X_LC, factor));
        let ends = world.loops.iter_mut().flat_map(|l| &mut l.ends);
        ends.filter(|(link, _)| on(*link)).for_each(|(_, X)| stretch(X, factor));
        Ok(world)
    }
}

fn stretch(pose: &mut Pose, factor: f64) {
    pose.translation = pose.translation * factor;
}

/// Inertia of the larger body, by (2).
fn resized(inertia: &Inertia, factor: f64) -> Inertia {
    let second = crate::inertia::scaled(inertia, factor * factor).second;
    Inertia { mass: inertia.mass, first: inertia.first * factor, second }
}
