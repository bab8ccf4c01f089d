//! The seam where a learner changes the impulse of an impact in the plane, and what an impulse must obey.

use serde::{Deserialize, Serialize};

/// An impact at one point, as the law resolved it. Coordinates are along the tangent and the normal of the contact.
#[derive(Clone, Copy, Debug)]
pub struct PlanarContact {
    /// Index of the surface in the world.
    pub surface: usize,
    /// Mass of the body [kg] and its radius of gyration [m].
    pub mass: f64,
    pub gyration: f64,
    /// Levers of tangent and normal about the centre of mass [m].
    pub levers: [f64; 2],
    /// Velocity of the point before the impact [m/s].
    pub velocity_before: [f64; 2],
    /// Angular velocity of the body before the impact [rad/s].
    pub spin_before: f64,
    /// Velocity of the centre of mass before the impact [m/s].
    pub centre_before: [f64; 2],
    /// Coefficient of friction of the law.
    pub friction: f64,
    /// Impulse of the law (tangential, normal) [N·s].
    pub impulse: [f64; 2],
}

/// An impulse on the body: a force impulse at the contact point, and a moment impulse about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanarImpulse {
    /// Along the tangent and the normal [N·s].
    pub point: [f64; 2],
    /// Counter-clockwise [N·m·s]; zero in the point form, free in the wrench form.
    pub moment: f64,
}

/// Changes the impulses of impacts between solving and applying them.
pub trait PlanarCorrection {
    /// The impulse to apply instead of `contact.impulse`; the world makes it admissible afterwards.
    fn correct(&mut self, contact: &PlanarContact) -> PlanarImpulse;
}

/// Demands on corrected impulses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admission {
    /// Coefficient of the cone that point impulses are put back into; without, the law's friction.
    pub cone: Option<f64>,
    /// The supervisory switch: impulses after which the point would slip more slowly than this stick [m/s]; 0 is never.
    /// A correction that is a continuous distribution never sticks by itself.
    pub stick_below: f64,
}

impl Default for Admission {
    fn default() -> Self {
        Self { cone: None, stick_below: 0.05 }
    }
}

/// Changes that made an impulse admissible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Admitted {
    /// It was outside of the friction cone, or pulled.
    pub put_into_cone: bool,
    /// It was made to stick.
    pub made_to_stick: bool,
    /// It made energy or led into the surface, and was drawn back towards the law's impulse.
    pub drawn_back: bool,
}

impl PlanarContact {
    /// Acceleration of (tangent, normal, rotation) by an impulse: M⁻¹ F in the axes of the contact.
    fn kick(&self, p: PlanarImpulse) -> [f64; 3] {
        let moment = p.point[0] * self.levers[0] + p.point[1] * self.levers[1] + p.moment;
        [p.point[0] / self.mass, p.point[1] / self.mass, moment / (self.mass * self.gyration * self.gyration)]
    }

    /// Velocity of the point after the impulse `p` [m/s].
    pub fn velocity_after(&self, p: PlanarImpulse) -> [f64; 2] {
        let [t, n, w] = self.kick(p);
        [self.velocity_before[0] + t + w * self.levers[0], self.velocity_before[1] + n + w * self.levers[1]]
    }

    /// Kinetic energy that the impulse `p` makes [J].
    pub fn energy_made(&self, p: PlanarImpulse) -> f64 {
        let k = self.kick(p);
        let v = [self.centre_before[0], self.centre_before[1], self.spin_before];
        let weight = [self.mass, self.mass, self.mass * self.gyration * self.gyration];
        (0..3).map(|i| weight[i] * k[i] * (v[i] + 0.5 * k[i])).sum()
    }

    /// G = J M⁻¹ Jᵀ as (tt, tn, nn) [1/kg].
    pub fn inverse_inertia(&self) -> [f64; 3] {
        let [a, b] = self.levers.map(|l| l / self.gyration);
        [1.0 + a * a, a * b, 1.0 + b * b].map(|g| g / self.mass)
    }

    /// The admissible impulse that takes the place of `wanted`: in the cone, sticking where it nearly sticks, and on the
    /// line towards the law's impulse as far from it as the point does not move into the surface and no energy is made.
    pub fn admit(&self, wanted: PlanarImpulse, rules: &Admission) -> (PlanarImpulse, Admitted) {
        let mut done = Admitted::default();
        let mu = rules.cone.unwrap_or(self.friction).max(self.friction);
        let mut p = wanted;
        p.point = into_cone(wanted.point, mu);
        // Rounding at the border of the cone is no change.
        let moved = (p.point[0] - wanted.point[0]).abs() + (p.point[1] - wanted.point[1]).abs();
        done.put_into_cone = moved > 1e-12 * (wanted.point[0].abs() + wanted.point[1].abs());
        let slip = self.velocity_after(p)[0];
        if slip != 0.0 && slip.abs() < rules.stick_below {
            let sticking = p.point[0] - slip / self.inverse_inertia()[0];
            if sticking.abs() <= mu * p.point[1] {
                p.point[0] = sticking;
                done.made_to_stick = true;
            }
        }
        let law = PlanarImpulse { point: self.impulse, moment: 0.0 };
        let share = self.admissible_share(law, p);
        if share < 1.0 {
            let mix = |a: f64, b: f64| a + share * (b - a);
            p = PlanarImpulse {
                point: [mix(law.point[0], p.point[0]), mix(law.point[1], p.point[1])],
                moment: mix(law.moment, p.moment),
            };
            done.drawn_back = true;
        }
        (p, done)
    }

    /// The largest s in [0, 1] for which law + s (p − law) neither moves into the surface nor makes energy. Both hold on a
    /// convex set, and at the law's impulse (whose own energy is allowed where restitution with friction makes some).
    fn admissible_share(&self, law: PlanarImpulse, p: PlanarImpulse) -> f64 {
        let (a, b) = (self.velocity_after(law)[1].max(0.0), self.velocity_after(p)[1]);
        let mut share = if b < 0.0 { a / (a - b) } else { 1.0 };
        let (start, end) = (self.energy_made(law), self.energy_made(p));
        let limit = start.max(0.0);
        if end > limit {
            // E(s) = start + (end − start − c) s + c s², c = ½ dᵀ M⁻¹ d.
            let difference = PlanarImpulse {
                point: [p.point[0] - law.point[0], p.point[1] - law.point[1]],
                moment: p.moment - law.moment,
            };
            let k = self.kick(difference);
            let i = self.gyration * self.gyration;
            let c = 0.5 * self.mass * (k[0] * k[0] + k[1] * k[1] + i * k[2] * k[2]);
            let (slope, room) = (end - start - c, limit - start);
            let root = 2.0 * room / (slope + (slope * slope + 4.0 * c * room).sqrt());
            if root.is_finite() {
                share = share.min(root.clamp(0.0, 1.0));
            } else {
                share = 0.0;
            }
        }
        share
    }
}

/// The point of the cone |p_t| ≤ μ p_n nearest to `p`.
pub fn into_cone(p: [f64; 2], mu: f64) -> [f64; 2] {
    let [t, n] = p;
    if t.abs() <= mu * n {
        return p;
    }
    let along = (mu * t.abs() + n) / (1.0 + mu * mu);
    if along <= 0.0 { [0.0, 0.0] } else { [mu * along * t.signum(), along] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planar::point_impulse;
    use stiction::random::Random;

    /// Whatever a learner asks for, what is applied is in the cone, does not enter the surface and makes no energy; what is
    /// admissible is not touched; the switch makes sticking impulses and nothing else.
    #[test]
    fn admitted_impulses_obey_the_law_of_bodies() {
        let (mut random, mut counts) = (Random::new(3), [0_usize; 4]);
        let rules = Admission { cone: Some(0.3), stick_below: 0.1 };
        for _ in 0..20_000 {
            let (mass, gyration) = (0.049, 0.0245);
            let levers = [0.03 + 0.01 * random.signed(), 0.04 * random.signed()];
            let centre = [random.signed(), random.signed() - 1.0];
            let spin_before = 20.0 * random.signed();
            let velocity_before = [centre[0] + spin_before * levers[0], centre[1] + spin_before * levers[1]];
            if velocity_before[1] >= -0.05 {
                continue;
            }
            let mut contact = PlanarContact {
                surface: 0,
                mass,
                gyration,
                levers,
                velocity_before,
                spin_before,
                centre_before: centre,
                friction: 0.1,
                impulse: [0.0; 2],
            };
            let bias = 0.4 * velocity_before[1];
            contact.impulse = point_impulse(
                contact.inverse_inertia(),
                [velocity_before[0], velocity_before[1] + bias],
                0.1,
            );
            let wanted = PlanarImpulse {
                point: [
                    contact.impulse[0] + 0.03 * random.signed(),
                    contact.impulse[1] + 0.05 * random.signed(),
                ],
                moment: if random.unit() < 0.5 { 0.0 } else { 3e-4 * random.signed() },
            };
            let (p, done) = contact.admit(wanted, &rules);
            let tiny = 1e-12;
            assert!(p.point[0].abs() <= 0.3 * p.point[1] + tiny, "{p:?}");
            assert!(contact.velocity_after(p)[1] >= -1e-9, "{p:?}");
            let allowed = contact.energy_made(PlanarImpulse { point: contact.impulse, moment: 0.0 }).max(0.0);
            assert!(contact.energy_made(p) <= allowed + tiny, "{p:?}");
            if done.made_to_stick && !done.drawn_back {
                assert!(contact.velocity_after(p)[0].abs() < 1e-12);
            }
            if done == Admitted::default() {
                assert_eq!(p, wanted);
                counts[0] += 1;
            }
            counts[1] += usize::from(done.put_into_cone);
            counts[2] += usize::from(done.made_to_stick);
            counts[3] += usize::from(done.drawn_back);
        }
        assert!(counts.iter().all(|&n| n > 300), "{counts:?}");
    }
}
