//! Soles: flat faces of shapes, on which a contact set of a whole face can stand in for the cones of its corners.

use stiction_collision::Shape;
use stiction_dynamics::spatial::{Mat3, Pose, Vec3, vec3};

/// The outline of a sole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// A disc of this radius [m].
    Disc { radius: f64 },
    /// A rectangle with these half sides along the first two axes of the sole [m].
    Rectangle { half: [f64; 2] },
}

/// A flat face of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sole {
    pub outline: Outline,
    /// Two axes in the face and its outward normal, right-handed, in axes of the body.
    pub axes: [Vec3; 3],
}

impl Sole {
    /// A disc of `radius` [m] with the outward normal `down`.
    pub fn disc(radius: f64, down: Vec3) -> Self {
        let (a, b) = down.tangents();
        Self { outline: Outline::Disc { radius }, axes: [a, b, down] }
    }

    /// The face of `shape` whose outward normal is nearest to `direction`, both in axes of the shape, and its centre [m];
    /// `None` if the shape has no flat face that is a disc or a rectangle.
    pub fn of_shape(shape: &Shape, direction: Vec3) -> Option<(Self, Vec3)> {
        match shape {
            Shape::Box { half } => {
                let (d, half) = (direction.to_array(), half.to_array());
                let k = (0..3).max_by(|&i, &j| d[i].abs().total_cmp(&d[j].abs())).unwrap_or(2);
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let axis = |k: usize| [Vec3::X, Vec3::Y, Vec3::Z][k];
                // Turned over, the second axis turns with the normal.
                let sign = if d[k] < 0.0 { -1.0 } else { 1.0 };
                let outline = Outline::Rectangle { half: [half[i], half[j]] };
                let axes = [axis(i), axis(j) * sign, axis(k) * sign];
                Some((Self { outline, axes }, axis(k) * (sign * half[k])))
            }
            Shape::Cylinder { radius, half_length } => {
                let down = if direction.z < 0.0 { vec3(0.0, 0.0, -1.0) } else { Vec3::Z };
                Some((Self::disc(*radius, down), down * *half_length))
            }
            Shape::Cone { radius, half_height } => {
                let down = vec3(0.0, 0.0, -1.0);
                Some((Self::disc(*radius, down), down * *half_height))
            }
            _ => None,
        }
    }

    /// This sole of a shape that has the pose `X_BS` in its body.
    pub fn posed(&self, X_BS: &Pose) -> Self {
        Self { axes: self.axes.map(|axis| X_BS.rotation.rotate(axis)), ..*self }
    }

    /// How much farther along the unit vector `d` than its centre the sole reaches, at the attitude `R_WB` of its body [m].
    pub fn reach(&self, R_WB: &Mat3, d: Vec3) -> f64 {
        let [a, b, _] = self.axes.map(|axis| (*R_WB * axis).dot(d));
        match self.outline {
            Outline::Disc { radius } => radius * a.hypot(b),
            Outline::Rectangle { half } => a.abs() * half[0] + b.abs() * half[1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faces are found by direction, with their centres, right-handed axes, and the reach of their corners.
    #[test]
    fn faces_are_found_by_direction() {
        let brick = Shape::Box { half: vec3(0.1, 0.2, 0.3) };
        for (direction, centre, half) in [
            (vec3(0.2, -0.1, -0.9), vec3(0.0, 0.0, -0.3), [0.1, 0.2]),
            (vec3(0.9, -0.1, -0.2), vec3(0.1, 0.0, 0.0), [0.2, 0.3]),
            (vec3(0.0, -1.0, 0.0), vec3(0.0, -0.2, 0.0), [0.3, 0.1]),
        ] {
            let (sole, found) = Sole::of_shape(&brick, direction).unwrap();
            assert_eq!((found, sole.outline), (centre, Outline::Rectangle { half }));
            let [a, b, down] = sole.axes;
            assert!((a.cross(b) - down).norm() < 1e-15);
            let reach = sole.reach(&Mat3::IDENTITY, (a + b) * std::f64::consts::FRAC_1_SQRT_2);
            assert!((reach - (half[0] + half[1]) * std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-15);
        }
        let (sole, centre) =
            Sole::of_shape(&Shape::Cylinder { radius: 0.05, half_length: 0.2 }, vec3(0.0, 0.1, -1.0))
                .unwrap();
        assert_eq!((centre, sole.outline), (vec3(0.0, 0.0, -0.2), Outline::Disc { radius: 0.05 }));
        assert!(Sole::of_shape(&Shape::Sphere { radius: 0.1 }, Vec3::Z).is_none());
    }
}
