//! A body in a plane, the surfaces around it, and the numbers of both.

use super::body::PlanarBody;
use super::correction::Admission;
use serde::{Deserialize, Serialize};

/// A half-plane that the body stays out of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Unit normal, out of the surface.
    pub normal: [f64; 2],
    /// Points p on the surface have n · p = offset [m].
    pub offset: f64,
    /// Coefficient of friction at impacts.
    pub friction: f64,
    /// Coefficient of friction of contacts that last: sliding, rocking, lying.
    pub sliding: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
}

impl Surface {
    /// Level ground at the height `z`.
    pub fn floor(z: f64, friction: f64, restitution: f64) -> Self {
        Self { normal: [0.0, 1.0], offset: z, friction, sliding: friction, restitution }
    }

    /// Tangent: the normal turned clockwise, so that it points right on a floor.
    pub(crate) fn tangent(&self) -> [f64; 2] {
        [self.normal[1], -self.normal[0]]
    }
}

/// A body, its surroundings, and how they are stepped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanarWorld {
    pub body: PlanarBody,
    pub surfaces: Vec<Surface>,
    /// Gravity in (x, z) [m/s²].
    pub gravity: [f64; 2],
    /// Drag of the centre of mass and of the rotation [1/s]: v̇ = g − c v.
    pub drag: [f64; 2],
    /// Points that approach more slowly than this do not bounce [m/s].
    pub rest_speed: f64,
    /// Step while something touches for longer than an instant [s].
    pub lasting_step: f64,
    /// Demands on corrected impulses.
    pub admission: Admission,
}

/// A number of a planar world that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} is {value}, which should be {wanted}")]
pub struct PlanarWorldError {
    what: &'static str,
    value: f64,
    wanted: &'static str,
}

impl PlanarWorld {
    /// A world without drag, with steps of 1 ms where contacts last.
    pub fn new(body: PlanarBody, surfaces: Vec<Surface>) -> Self {
        Self {
            body,
            surfaces,
            gravity: [0.0, -9.81],
            drag: [0.0; 2],
            rest_speed: 0.03,
            lasting_step: 1e-3,
            admission: Admission::default(),
        }
    }

    /// # Errors
    ///
    /// If a number is not finite, or outside of where it has a meaning.
    pub fn check(&self) -> Result<(), PlanarWorldError> {
        let at_least_zero = |what, value: f64| {
            if value.is_finite() && value >= 0.0 {
                return Ok(());
            }
            Err(PlanarWorldError { what, value, wanted: "finite and at least 0" })
        };
        let positive = |what, value: f64| {
            if value.is_finite() && value > 0.0 {
                return Ok(());
            }
            Err(PlanarWorldError { what, value, wanted: "finite and above 0" })
        };
        let finite = |what, value: f64| {
            if value.is_finite() {
                return Ok(());
            }
            Err(PlanarWorldError { what, value, wanted: "finite" })
        };
        positive("the mass", self.body.mass)?;
        positive("the radius of gyration", self.body.gyration)?;
        positive("the step of lasting contacts", self.lasting_step)?;
        positive("the number of vertices", self.body.vertices.len() as f64)?;
        at_least_zero("the speed that does not bounce", self.rest_speed)?;
        for x in self.body.vertices.iter().flatten() {
            finite("a coordinate of a vertex", *x)?;
        }
        for (g, c) in self.gravity.iter().zip(self.drag) {
            finite("gravity", *g)?;
            at_least_zero("a drag", c)?;
        }
        for s in &self.surfaces {
            at_least_zero("a coefficient of friction", s.friction)?;
            at_least_zero("a coefficient of sliding friction", s.sliding)?;
            at_least_zero("a coefficient of restitution", s.restitution)?;
            finite("the offset of a surface", s.offset)?;
            let length = s.normal[0].hypot(s.normal[1]);
            if (length - 1.0).abs() > 1e-9 || length.is_nan() {
                return Err(PlanarWorldError { what: "the length of a normal", value: length, wanted: "1" });
            }
        }
        Ok(())
    }

    /// Kinetic and potential energy of a state [J].
    pub fn energy(&self, state: &super::PlanarState) -> f64 {
        let height = self.gravity[0] * state.q[0] + self.gravity[1] * state.q[1];
        self.body.kinetic_energy(state.v) - self.body.mass * height
    }
}
