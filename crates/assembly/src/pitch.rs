//! The pitch point of a contact.

use stiction_collision::Shape;

/// The pitch point of two shapes, as a share of their gap from midway towards B: (1) of [`crate::contact_points`].
pub(crate) fn pitch(a: &Shape, b: &Shape) -> f64 {
    match (round(a), round(b)) {
        (Some(a), Some(b)) => 0.5 * (a - b) / (a + b),
        (Some(_), None) => -0.5,
        (None, Some(_)) => 0.5,
        (None, None) => 0.0,
    }
}

/// The radius on which a shape rolls that is round wherever it touches [m].
fn round(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => Some(*radius),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::pitch;
    use stiction_collision::Shape;
    use stiction_dynamics::spatial::vec3;

    /// The arms, radius and share of the gap, are as the radii; on flats they are the radius.
    #[test]
    fn arms_are_as_the_radii() {
        let ball = |radius| Shape::Sphere { radius };
        let gap = -0.01;
        for (a, b) in [(0.1, 0.1), (0.1, 0.3), (0.5, 0.02)] {
            let share = pitch(&ball(a), &ball(b));
            let arms = [a + (0.5 + share) * gap, b + (0.5 - share) * gap];
            assert!((arms[0] / arms[1] - a / b).abs() < 1e-12 * a / b);
        }
        let slab = Shape::Box { half: vec3(1.0, 1.0, 0.1) };
        for flat in [&Shape::Plane, &slab] {
            assert_eq!(
                [pitch(&ball(0.1), flat), pitch(flat, &ball(0.1)), pitch(flat, flat)],
                [-0.5, 0.5, 0.0]
            );
        }
    }
}
