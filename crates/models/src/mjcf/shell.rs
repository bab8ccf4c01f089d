//! Inertia of surfaces: `<geom shellinertia="true"/>`.
//!
//! ```text
//!     sphere     A = 4πr²,             I = ⅔ m r²
//!     cylinder   A = 2πr·2l + 2·πr²;   side I_z = m r², I_x = m (r²/2 + l²/3); discs at ± l
//!     capsule    as the side of a cylinder, and two half spheres whose centres of mass are
//!                r/2 beyond ± l                                                                 (1)
//!     box        six plates
//!     ellipsoid  A: Thomsen's formula, p = 1.6075; I: the limit of a thin layer between
//!                similar ellipsoids half axes a and a + ε                                       (2)
//! ```
//!
//! All at 1 kg/m², about the centre.

use std::f64::consts::PI;
use stiction_dynamics::spatial::{Inertia, Sym3, Vec3};

/// The surface of a geom.
#[derive(Clone, Copy)]
pub(crate) enum Shell {
    Sphere(f64),
    /// Radius, half length.
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Box(Vec3),
    Ellipsoid(Vec3),
}

impl Shell {
    pub(crate) fn inertia(self) -> Inertia {
        let (mass, [x, y, z]) = match self {
            Self::Sphere(r) => {
                let m = 4.0 * PI * r * r;
                (m, [2.0 / 3.0 * m * r * r; 3])
            }
            Self::Capsule(r, l) => {
                let (balls, side) = (4.0 * PI * r * r, 4.0 * PI * r * l);
                let own = 2.0 / 3.0 * balls * r * r;
                let across = side * (r * r / 2.0 + l * l / 3.0) + own + balls * (l * l + l * r); // (1)
                (balls + side, [across, across, side * r * r + own])
            }
            Self::Cylinder(r, l) => {
                let (discs, side) = (2.0 * PI * r * r, 4.0 * PI * r * l);
                let across = side * (r * r / 2.0 + l * l / 3.0) + discs * (r * r / 4.0 + l * l);
                (discs + side, [across, across, side * r * r + discs * r * r / 2.0])
            }
            Self::Box(half) => cuboid(half.to_array()),
            Self::Ellipsoid(axes) => ellipsoid(axes.to_array()),
        };
        Inertia::new(mass, Vec3::ZERO, Sym3::diagonal(x, y, z))
    }
}

/// Plates at ± a_k, each with ∫ x_k² = m a_k² and ∫ x_i² = m a_i²/3 along its sides.
fn cuboid(a: [f64; 3]) -> (f64, [f64; 3]) {
    let mut squares = [0.0; 3];
    let mut mass = 0.0;
    for k in 0..3 {
        let plates = 8.0 * a[(k + 1) % 3] * a[(k + 2) % 3];
        mass += plates;
        for (i, square) in squares.iter_mut().enumerate() {
            *square += plates * a[i] * a[i] * if i == k { 1.0 } else { 1.0 / 3.0 };
        }
    }
    let [x, y, z] = squares;
    (mass, [y + z, x + z, x + y])
}

/// (2): with V = 4π/3 abc, ∫ x² dV = V a²/5, and the layer is the derivative along a, b, c together.
fn ellipsoid([a, b, c]: [f64; 3]) -> (f64, [f64; 3]) {
    const P: f64 = 1.6075;
    let mean = ((a * b).powf(P) + (b * c).powf(P) + (c * a).powf(P)) / 3.0;
    let area = 4.0 * PI * mean.powf(1.0 / P);
    let growth = 1.0 / a + 1.0 / b + 1.0 / c; // of the logarithm of the volume
    let square = |x: f64| area / growth * (growth * x * x + 2.0 * x) / 5.0;
    let [x, y, z] = [a, b, c].map(square);
    (area, [y + z, x + z, x + y])
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::vec3;

    fn moments(shell: Shell) -> [f64; 4] {
        let i = shell.inertia();
        [i.mass, i.second.xx, i.second.yy, i.second.zz]
    }

    fn near(a: [f64; 4], b: [f64; 4], tolerance: f64) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance * b)
    }

    /// A capsule without a side and an ellipsoid of equal axes are spheres; a cube by hand.
    #[test]
    fn limits_and_a_cube_by_hand() {
        let sphere = moments(Shell::Sphere(0.3));
        assert!(near(moments(Shell::Capsule(0.3, 0.0)), sphere, 1e-14));
        assert!(near(moments(Shell::Ellipsoid(vec3(0.3, 0.3, 0.3))), sphere, 1e-14));
        // Six plates of 4 m²: two give 8·(1/3 + 1/3) about the axis through them, four 16·(1 + 1/3).
        let i = 8.0 * 2.0 / 3.0 + 16.0 * 4.0 / 3.0;
        assert!(near(moments(Shell::Box(vec3(1.0, 1.0, 1.0))), [24.0, i, i, i], 1e-14));
    }
}
