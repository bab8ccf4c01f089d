//! The contact law in the plane: Signorini, Coulomb, and Newton's restitution.
//!
//! A contact has a tangent t, a normal n and the velocity u = (u_t, u_n) of the body's point. Its impulse λ obeys
//!
//!   (1)  0 ≤ λ_n ⟂ u_n⁺ + e u_n⁻ ≥ 0          Signorini with Newton's restitution
//!   (2)  |λ_t| ≤ μ λ_n,  λ_t = −μ λ_n sign(u_t⁺) where u_t⁺ ≠ 0          Coulomb
//!
//! with u⁺ = G λ + u_free and G = J M⁻¹ Jᵀ. One contact is solved by looking at its modes (open, stick, slip to the left
//! and to the right); several by sweeps over the contacts, as in nsgs. Two corners on one line share the tangential
//! impulse in no unique way; the motion is the same.

use super::correction::PlanarContact;

/// A point at which the body touches a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Indices of the surface in the world and of the vertex in the body.
    pub(crate) surface: usize,
    pub(crate) vertex: usize,
    /// Distance [m]; negative overlaps.
    pub(crate) gap: f64,
    /// From the centre of mass to the point, in world axes [m].
    pub(crate) r: [f64; 2],
    pub(crate) tangent: [f64; 2],
    pub(crate) normal: [f64; 2],
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// A velocity that is added to u_n in (1): e u_n⁻, or gap/h of a point that may still come nearer [m/s].
    pub(crate) bias: f64,
    /// λ = (λ_t, λ_n) [N·s].
    pub(crate) impulse: [f64; 2],
}

impl Touch {
    /// Lever of the tangent and of the normal about the centre of mass [m].
    pub(crate) fn levers(&self) -> [f64; 2] {
        let cross = |d: [f64; 2]| self.r[0] * d[1] - self.r[1] * d[0];
        [cross(self.tangent), cross(self.normal)]
    }

    /// G as (tt, tn, nn) [1/kg].
    pub(crate) fn inverse_inertia(&self, mass: f64, gyration: f64) -> [f64; 3] {
        let [a, b] = self.levers().map(|l| l / gyration);
        [1.0 + a * a, a * b, 1.0 + b * b].map(|g| g / mass)
    }

    /// u = (u_t, u_n) of a body that moves with `v` [m/s].
    pub(crate) fn velocity(&self, v: [f64; 3]) -> [f64; 2] {
        let p = [v[0] - v[2] * self.r[1], v[1] + v[2] * self.r[0]];
        let along = |d: [f64; 2]| p[0] * d[0] + p[1] * d[1];
        [along(self.tangent), along(self.normal)]
    }

    /// The contact as corrections are told of it; the body moves with `v` before the impact.
    pub(crate) fn told(&self, v: [f64; 3], mass: f64, gyration: f64) -> PlanarContact {
        let along = |d: [f64; 2]| v[0] * d[0] + v[1] * d[1];
        PlanarContact {
            surface: self.surface,
            mass,
            gyration,
            levers: self.levers(),
            velocity_before: self.velocity(v),
            spin_before: v[2],
            centre_before: [along(self.tangent), along(self.normal)],
            friction: self.friction,
            impulse: self.impulse,
        }
    }

    /// Changes the velocity `v` of the body by the impulse `p`.
    pub(crate) fn push(&self, p: [f64; 2], mass: f64, gyration: f64, v: &mut [f64; 3]) {
        let [a, b] = self.levers();
        v[0] += (p[0] * self.tangent[0] + p[1] * self.normal[0]) / mass;
        v[1] += (p[0] * self.tangent[1] + p[1] * self.normal[1]) / mass;
        v[2] += (p[0] * a + p[1] * b) / (mass * gyration * gyration);
    }
}

/// The impulse of one contact by (1) and (2): `g` is G as (tt, tn, nn), `free` is u_free with the bias in it.
pub fn point_impulse(g: [f64; 3], free: [f64; 2], friction: f64) -> [f64; 2] {
    let [tt, tn, nn] = g;
    let [bt, bn] = free;
    if bn >= 0.0 {
        return [0.0, 0.0];
    }
    let det = tt * nn - tn * tn;
    let stick = [(tn * bn - nn * bt) / det, (tn * bt - tt * bn) / det];
    if stick[1] >= 0.0 && stick[0].abs() <= friction * stick[1] {
        return stick;
    }
    // Slip against the direction of the sticking impulse first: where the answer is unique it is this one.
    let first = -stick[0].signum();
    let slip = |s: f64| {
        let den = nn - s * friction * tn;
        let normal = -bn / den;
        let slides = bt + (tn - s * friction * tt) * normal;
        (den > 0.0 && s * slides >= -1e-12 * (bt.abs() + bn.abs()))
            .then_some([-s * friction * normal, normal])
    };
    // With neither (a Painlevé case that jams) the sticking impulse is cut to the cone.
    slip(first).or_else(|| slip(-first)).unwrap_or_else(|| {
        let normal = stick[1].max(0.0);
        [stick[0].clamp(-friction * normal, friction * normal), normal]
    })
}

/// Sweeps of the law over several contacts.
const SWEEPS: usize = 200;
/// Change of a velocity that ends the sweeps, relative to the fastest contact.
const TOLERANCE: f64 = 1e-11;

/// Solves the contacts of a body that would move with `v`, which becomes v⁺; impulses are written into `touches`.
pub(crate) fn resolve(touches: &mut [Touch], mass: f64, gyration: f64, v: &mut [f64; 3]) {
    for touch in touches.iter_mut() {
        touch.impulse = [0.0; 2];
    }
    if let [touch] = touches {
        let [t, n] = touch.velocity(*v);
        touch.impulse =
            point_impulse(touch.inverse_inertia(mass, gyration), [t, n + touch.bias], touch.friction);
        touch.push(touch.impulse, mass, gyration, v);
        return;
    }
    let fastest = touches.iter().flat_map(|t| t.velocity(*v)).fold(1e-3_f64, |m, u| m.max(u.abs()));
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for touch in touches.iter_mut() {
            let g = touch.inverse_inertia(mass, gyration);
            let ([t, n], [lt, ln]) = (touch.velocity(*v), touch.impulse);
            let free = [t - g[0] * lt - g[1] * ln, n + touch.bias - g[1] * lt - g[2] * ln];
            let new = point_impulse(g, free, touch.friction);
            let step = [new[0] - lt, new[1] - ln];
            touch.push(step, mass, gyration, v);
            touch.impulse = new;
            change = change.max(step[0].abs() * g[0]).max(step[1].abs() * g[2]);
        }
        if change <= TOLERANCE * fastest {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random contacts: what is returned obeys Signorini and Coulomb, whichever mode it is in, and all modes occur.
    #[test]
    fn impulses_of_a_point_obey_the_law() {
        let mut random = stiction::random::Random::new(7);
        let mut modes = [0; 3];
        for _ in 0..20_000 {
            let (lt, ln) = (2.0 * random.signed(), 2.0 * random.signed());
            let g = [1.0 + lt * lt, lt * ln, 1.0 + ln * ln];
            let (free, mu) = ([random.signed(), random.signed()], 0.4 * random.unit());
            let [pt, pn] = point_impulse(g, free, mu);
            let u = [g[0] * pt + g[1] * pn + free[0], g[1] * pt + g[2] * pn + free[1]];
            assert!(pn >= 0.0 && u[1] >= -1e-12 && (pn * u[1]).abs() < 1e-12, "Signorini: {pn} {u:?}");
            assert!(pt.abs() <= mu * pn + 1e-12, "cone");
            assert!(
                (pt + mu * pn * u[0].signum()).abs() < 1e-9 || u[0].abs() < 1e-9,
                "Coulomb: {pt} {pn} {u:?}"
            );
            modes[if pn == 0.0 {
                0
            } else if u[0].abs() < 1e-9 {
                1
            } else {
                2
            }] += 1;
        }
        assert!(modes.iter().all(|&n| n > 1000), "{modes:?}");
    }
}
