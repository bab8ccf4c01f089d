//! Which measured impacts a law can explain at all: with any friction and restitution.
//!
//! [Fazeli2017] asked this of six classical laws and real impacts of an ellipse: with every admissible pair of parameters a law
//! reaches a set of velocities, and a measured impact is explained where the set comes near to it.

use super::correction::PlanarContact;
use super::law::point_impulse;

/// Friction and restitution that are tried, from 0 to 1 each.
const TRIED: u32 = 50;

/// The least distance of what Coulomb's friction and Newton's restitution reach, at any μ and ε of 0 … 1, from the measured
/// `change` of (v_t, v_n, ω) [m/s, m/s, rad/s]: ‖Δv_law − Δv‖ over ‖Δv‖, in the norm of kinetic energy [–].
pub fn least_miss(contact: &PlanarContact, change: [f64; 3]) -> f64 {
    let (m, k) = (contact.mass, contact.gyration);
    let norm = |[t, n, w]: [f64; 3]| (t * t + n * n + (k * w).powi(2)).sqrt();
    let of = |step: u32| f64::from(step) / f64::from(TRIED);
    let [t, n] = contact.velocity_before;
    let mut least = f64::INFINITY;
    for friction in (0..=TRIED).map(of) {
        for restitution in (0..=TRIED).map(of) {
            let free = [t, n + restitution * n.min(0.0)];
            let [pt, pn] = point_impulse(contact.inverse_inertia(), free, friction);
            let turn = (pt * contact.levers[0] + pn * contact.levers[1]) / (m * k * k);
            least = least.min(norm([pt / m - change[0], pn / m - change[1], turn - change[2]]));
        }
    }
    least / norm(change).max(f64::MIN_POSITIVE)
}

/// Share of `misses` of [`least_miss`] that are at most `tolerance` [–].
pub fn share_explained(misses: &[f64], tolerance: f64) -> f64 {
    misses.iter().filter(|miss| **miss <= tolerance).count() as f64 / misses.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact() -> PlanarContact {
        PlanarContact {
            surface: 0,
            mass: 0.04,
            gyration: 0.02,
            levers: [0.01, -0.013],
            velocity_before: [0.6, -1.1],
            spin_before: 3.0,
            centre_before: [0.5, -1.0],
            friction: 0.0,
            impulse: [0.0; 2],
        }
    }

    /// An impact of the law itself is explained; an impact that speeds the body up by more than e = 1, or that turns it without a
    /// force, is not.
    #[test]
    fn what_the_law_does_is_explained() {
        let c = contact();
        let [pt, pn] = point_impulse(c.inverse_inertia(), [0.6, -1.1 * 1.36], 0.22);
        let turn = (pt * c.levers[0] + pn * c.levers[1]) / (c.mass * c.gyration * c.gyration);
        let change = [pt / c.mass, pn / c.mass, turn];
        assert!(least_miss(&c, change) < 0.01, "{}", least_miss(&c, change));
        assert!(least_miss(&c, change.map(|x| 3.0 * x)) > 0.2);
        assert!(least_miss(&c, [0.0, 0.0, 30.0]) > 0.5);
        assert_eq!(share_explained(&[0.05, 0.15, 0.3, 0.1], 0.1), 0.5);
    }
}
