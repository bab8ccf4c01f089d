//! A rigid body that moves in a vertical plane, and where it is.

use serde::{Deserialize, Serialize};

/// A convex polygon with a mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanarBody {
    /// Corners from the centre of mass, in body axes [m].
    pub vertices: Vec<[f64; 2]>,
    /// Mass m [kg].
    pub mass: f64,
    /// Radius of gyration k [m]: the moment of inertia is m k².
    pub gyration: f64,
}

impl PlanarBody {
    /// A square of half side `half` whose corners are cut at 45 degrees; `taper` is what the cut takes of each side [m].
    pub fn square(half: f64, taper: f64, mass: f64, gyration: f64) -> Self {
        let short = half - taper;
        let mut vertices = Vec::with_capacity(8);
        for (sx, sz) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            if taper > 0.0 {
                vertices.push([sx * short, sz * half]);
                vertices.push([sx * half, sz * short]);
            } else {
                vertices.push([sx * half, sz * half]);
            }
        }
        Self { vertices, mass, gyration }
    }

    /// Kinetic energy at velocity `v` [J].
    pub fn kinetic_energy(&self, v: [f64; 3]) -> f64 {
        let k = self.gyration;
        0.5 * self.mass * (v[0] * v[0] + v[1] * v[1] + k * k * v[2] * v[2])
    }
}

/// Position and velocity in the plane: x to the right [m], z up [m], θ from x towards z [rad].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanarState {
    /// Centre of mass and angle (x, z, θ).
    pub q: [f64; 3],
    /// The rates of q [m/s, m/s, rad/s].
    pub v: [f64; 3],
}

impl PlanarState {
    /// A vector of the body in world axes.
    pub fn turned(&self, b: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = self.q[2].sin_cos();
        [b[0] * cos - b[1] * sin, b[0] * sin + b[1] * cos]
    }

    /// Velocity of the point of the body that is at `r` from the centre of mass, in world axes [m/s].
    pub fn velocity_at(&self, r: [f64; 2]) -> [f64; 2] {
        [self.v[0] - self.v[2] * r[1], self.v[1] + self.v[2] * r[0]]
    }
}
