//! The sets impulses live in, and the four questions a solver may ask of one.
//!
//! ```text
//!     free          λ ∈ ℝ                       dual {0}          bilateral row
//!     non-negative  λ ≥ 0                       dual c ≥ 0        frictionless contact, joint limit
//!     box           lo ≤ λ ≤ hi                 (not a cone)      dry friction, effort limit
//!     friction      K_μ = {‖λ_T‖ ≤ μ λ_N}       K*_μ = {c_N ≥ μ‖c_T‖}   Coulomb contact
//!     patch         the same, λ_T with moments                          contact that also resists turning
//! ```
//!
//! A friction block holds (t₁, t₂, n), normal last. A patch holds (t₁, t₂, n, s) or (t₁, t₂, n, s, r₁, r₂): moments
//! about the normal and, where it resists rolling, about the tangents, divided by the lengths ℓ_i = μ_i/μ, and spins
//! times these lengths. The ellipsoid Σ (f_i/μ_i)² ≤ f_N² [Todorov2014] is a round cone then, in N·s and m/s, and
//! maximum dissipation over it turns all of the slip against all of the friction. De Saxcé's correction Γ(c) = (0, 0,
//! μ‖c_T‖) turns Signorini + Coulomb + maximum dissipation into K_μ ∋ λ ⟂ c + Γ(c) ∈ K*_μ [DeSaxce1998]. Impulses λ
//! [N·s], velocities c [m/s].

use stiction_dynamics::Real;
use stiction_dynamics::spatial::{Vec3, vec3};

/// The admissible set of one constraint block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cone {
    /// ℝ: a bilateral row.
    Free,
    /// [0, ∞).
    NonNegative,
    /// [lo, hi], with lo ≤ hi [N·s].
    Box { lo: f64, hi: f64 },
    /// Coulomb's cone with coefficient mu ≥ 0 [–].
    Friction { mu: f64 },
    /// Coulomb's cone of a contact that also resists spinning about its normal and, if it `rolls`, rolling.
    Patch { mu: f64, rolls: bool },
}

/// Rows of a block, at most.
pub const MAX_ROWS: usize = 6;

impl Cone {
    /// Rows of the block.
    #[inline]
    pub fn dim(&self) -> usize {
        match self {
            Cone::Free | Cone::NonNegative | Cone::Box { .. } => 1,
            Cone::Friction { .. } => 3,
            Cone::Patch { rolls: false, .. } => 4,
            Cone::Patch { rolls: true, .. } => MAX_ROWS,
        }
    }

    /// True for blocks that separate: 0 ≤ c_N ⟂ λ_N ≥ 0 in their row [`Self::normal`].
    #[inline]
    pub fn opens(&self) -> bool {
        matches!(self, Cone::NonNegative | Cone::Friction { .. } | Cone::Patch { .. })
    }

    /// The row of the normal, or the only one.
    #[inline]
    pub fn normal(&self) -> usize {
        match self {
            Cone::Friction { .. } | Cone::Patch { .. } => 2,
            Cone::Free | Cone::NonNegative | Cone::Box { .. } => 0,
        }
    }

    /// Coefficient of friction μ of a contact [–]; `None` of other blocks.
    #[inline]
    pub fn friction(&self) -> Option<f64> {
        match *self {
            Cone::Friction { mu } | Cone::Patch { mu, .. } => Some(mu),
            Cone::Free | Cone::NonNegative | Cone::Box { .. } => None,
        }
    }

    /// Rows of friction of a contact, and of a patch those of its moments; empty of other blocks.
    #[inline]
    pub fn tangential_rows(&self) -> &'static [usize] {
        match self {
            Cone::Free | Cone::NonNegative | Cone::Box { .. } => &[],
            Cone::Friction { .. } => &[0, 1],
            Cone::Patch { rolls: false, .. } => &[0, 1, 3],
            Cone::Patch { rolls: true, .. } => &[0, 1, 3, 4, 5],
        }
    }

    /// Nearest admissible impulse, in place.
    #[inline]
    pub fn project(&self, x: &mut [f64]) {
        match *self {
            Cone::Free => {}
            Cone::NonNegative => x[0] = if x[0] < 0.0 { 0.0 } else { x[0] },
            // Not `clamp`, which panics on sides that are no interval.
            Cone::Box { lo, hi } => {
                if x[0] < lo {
                    x[0] = lo;
                } else if x[0] > hi {
                    x[0] = hi;
                }
            }
            Cone::Friction { mu } => put(x, project_friction(get(x), mu)),
            Cone::Patch { mu, .. } => project_patch(x, mu),
        }
    }

    /// Nearest velocity of the dual cone, in place. A box is bounded, so any velocity answers it.
    #[inline]
    pub fn project_dual(&self, c: &mut [f64]) {
        match *self {
            Cone::Free => c[0] = 0.0,
            Cone::NonNegative => c[0] = if c[0] < 0.0 { 0.0 } else { c[0] },
            Cone::Box { .. } => {}
            Cone::Friction { mu } => put(c, project_friction_dual(get(c), mu)),
            Cone::Patch { mu, .. } => {
                // Moreau: P_K*(c) = c + P_K(−c).
                let mut back = [0.0; MAX_ROWS];
                let back = &mut back[..c.len()];
                back.iter_mut().zip(&*c).for_each(|(b, c)| *b = -c);
                project_patch(back, mu);
                c.iter_mut().zip(back).for_each(|(c, b)| *c += *b);
            }
        }
    }

    /// c + Γ(c), in place: adds μ‖c_T‖ to the normal velocity of a friction block.
    #[inline]
    pub fn add_correction(&self, c: &mut [f64]) {
        match *self {
            Cone::Friction { mu } => c[2] += mu * (c[0] * c[0] + c[1] * c[1]).sqrt(),
            Cone::Patch { mu, .. } => c[2] += mu * tangential(c),
            Cone::Free | Cone::NonNegative | Cone::Box { .. } => {}
        }
    }
}

/// The friction block as a vector (t₁, t₂, n).
#[inline]
pub fn get(x: &[f64]) -> Vec3 {
    vec3(x[0], x[1], x[2])
}

/// Writes the vector (t₁, t₂, n) back.
#[inline]
pub fn put(x: &mut [f64], v: Vec3) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

/// A square this much smaller has a smaller root whatever is rounded, as long as squares do not underflow [–].
const WITHIN: f64 = 1.0 - 1e-15;

/// Projection on K_μ.
///
/// With t = ‖x_T‖: inside if t ≤ μ x_N; in the polar cone (→ 0) if μ t ≤ −x_N; else on the
/// boundary ray, a = (μ t + x_N)/(1 + μ²), (μ a x_T/t, a). μ = 0 leaves the normal half-line.
#[inline(always)]
pub fn project_friction<T: Real>(x: Vec3<T>, mu: T) -> Vec3<T> {
    let (zero, one) = (mu.zero(), mu.one());
    let (square, radius) = (x.x * x.x + x.y * x.y, mu * x.z);
    let up = zero.at_most(x.z);
    // By more than rounding within: as below, without a root.
    if T::all(T::both(up, square.at_most(radius * radius * mu.like(WITHIN)))) {
        return x;
    }
    let t = square.sqrt();
    // Without friction, 0 <= 0 · x_N says nothing of the sign of x_N.
    let inside = T::both(t.at_most(radius), up);
    let polar = T::both(T::not(inside), (mu * t).at_most(-x.z));
    if T::all(polar) {
        return Vec3::zero(zero);
    }
    let a = (mu * t + x.z) / (one + mu * mu);
    let s = mu * a / t;
    let ray = vec3(s * x.x, s * x.y, a);
    Vec3::select(inside, x, Vec3::select(polar, Vec3::zero(zero), ray))
}

/// ‖x_T‖ of a friction block or patch: all but the normal.
#[inline(always)]
pub fn tangential<T: Real>(x: &[T]) -> T {
    let mut turning = x[0].zero();
    if let Some((first, rest)) = x[3..].split_first() {
        turning = *first * *first;
        for x in rest {
            turning += *x * *x;
        }
    }
    (x[0] * x[0] + x[1] * x[1] + turning).sqrt()
}

/// [`project_friction`] of a patch, in place.
pub fn project_patch(x: &mut [f64], mu: f64) {
    let (t, n) = (tangential(x), x[2]);
    if t <= mu * n && n >= 0.0 {
        return;
    }
    if mu * t <= -n {
        return x.fill(0.0);
    }
    let a = (mu * t + n) / (1.0 + mu * mu);
    x.iter_mut().for_each(|x| *x *= mu * a / t);
    x[2] = a;
}

/// Projection on the dual cone K*_μ = {c_N ≥ μ‖c_T‖}, by Moreau: P_K*(c) = c + P_K(−c).
#[inline]
pub fn project_friction_dual(c: Vec3, mu: f64) -> Vec3 {
    c + project_friction(-c, mu)
}

/// Γ(c): De Saxcé's correction of a friction block.
#[inline(always)]
pub fn de_saxce<T: Real>(c: Vec3<T>, mu: T) -> Vec3<T> {
    vec3(mu.zero(), mu.zero(), mu * (c.x * c.x + c.y * c.y).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors found to be inside the cone without taking a root are inside with one, at its edge to the last bits.
    #[test]
    fn roots_are_left_out_only_where_they_change_nothing() {
        for k in 0..2000 {
            let (mu, z) = (0.1 + 0.37 * f64::from(k % 7), (f64::from(k) * 0.2).exp2().recip());
            let angle = f64::from(k).sin() * 3.0;
            for ulps in -12..=12 {
                let t = mu * z * (1.0 + f64::from(ulps) * 0.5 * f64::EPSILON);
                let x = vec3(t * angle.cos(), t * angle.sin(), z);
                let (square, radius) = (x.x * x.x + x.y * x.y, mu * z);
                let within = square.sqrt() <= radius;
                assert!(within || square > radius * radius * WITHIN, "{x:?}");
                assert!(!within || project_friction(x, mu) == x, "{x:?}");
            }
        }
    }

    #[test]
    fn projection_has_its_three_cases() {
        let inside = vec3(0.3, 0.0, 1.0);
        assert_eq!(project_friction(inside, 0.5), inside);
        assert_eq!(project_friction(vec3(0.1, 0.0, -1.0), 0.5), Vec3::ZERO);
        // (2, 0, 0) at μ = 1: the nearest point of the 45° cone is (1, 0, 1).
        assert!((project_friction(vec3(2.0, 0.0, 0.0), 1.0) - vec3(1.0, 0.0, 1.0)).norm() < 1e-15);
        assert_eq!(project_friction(vec3(3.0, 4.0, 2.0), 0.0), vec3(0.0, 0.0, 2.0));
        assert_eq!(project_friction(vec3(0.0, 0.0, 2.0), 0.0), vec3(0.0, 0.0, 2.0));
        assert_eq!(project_friction(vec3(0.0, 0.0, -2.0), 0.0), Vec3::ZERO);
    }

    /// A patch that does not turn is a friction block; one that only spins is its own plane of it.
    #[test]
    fn patches_are_round_in_all_their_directions() {
        for x in [[0.3, 0.0, 1.0], [0.1, 0.0, -1.0], [2.0, 1.0, 0.5], [3.0, 4.0, 2.0], [0.0, 0.0, -2.0]] {
            let round = project_friction(get(&x), 0.7).to_array();
            for places in [[0, 1, 2], [3, 0, 2], [5, 4, 2]] {
                let (mut patch, mut expected) = ([0.0; 6], [0.0; 6]);
                for (k, place) in places.into_iter().enumerate() {
                    (patch[place], expected[place]) = (x[k], round[k]);
                }
                Cone::Patch { mu: 0.7, rolls: true }.project(&mut patch);
                assert!(patch.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-15), "{x:?} {patch:?}");
            }
        }
    }

    /// Moreau's decomposition: x = P_K(x) − P_K*(−x), with the two parts orthogonal.
    #[test]
    fn dual_projection_completes_the_primal_one() {
        for x in [vec3(1.0, -2.0, 0.4), vec3(0.1, 0.2, -3.0), vec3(0.0, 0.1, 2.0), vec3(0.0, 0.0, -1.0)] {
            let (p, d) = (project_friction(x, 0.7), project_friction_dual(-x, 0.7));
            assert!((p - d - x).norm() < 1e-15);
            assert!(p.dot(d).abs() < 1e-15);
        }
    }
}
