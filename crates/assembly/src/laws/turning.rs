//! Rows of a contact that resists turning, beyond its third.
//!
//! ```text
//!     λ_i μ_i/μ = moment about n, t₁, t₂ in turn,   c_i = (μ_i/μ) axis·ω                              (1)
//! ```
//!
//! with μ_i [m] torque over normal force against spinning about n and rolling about t₁ and t₂: spins are divided by the
//! length μ_i/μ, moments are multiplied.

use stiction_dynamics::Real;
use stiction_dynamics::spatial::Vec3;

/// The axes of (1) times their lengths [m], of a contact with the frame (t₁, t₂, n) and friction μ > 0; zero where μ_i is.
#[inline(always)]
pub fn turning_axes<T: Real>(turning: [T; 3], [t1, t2, n]: [Vec3<T>; 3], friction: T) -> [Vec3<T>; 3] {
    let [spin, roll, other] = turning;
    [n * (spin / friction), t1 * (roll / friction), t2 * (other / friction)]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Dice, Law, hold};
    use super::*;
    use stiction_dynamics::spatial::vec3;

    struct Frames;

    impl Law<13, 9> for Frames {
        const SINGLE: f64 = 1e-6;

        fn draw(dice: &mut Dice) -> [f64; 13] {
            let mut x = [0.0; 13];
            x[..3].iter_mut().for_each(|x| *x = dice.share());
            x[3..12].iter_mut().for_each(|x| *x = dice.one());
            x[12] = dice.decades(1e-2, 2.0);
            x
        }

        #[inline(always)]
        fn evaluate<T: Real>(x: [T; 13]) -> [T; 9] {
            let frame = [vec3(x[3], x[4], x[5]), vec3(x[6], x[7], x[8]), vec3(x[9], x[10], x[11])];
            let [a, b, c] = turning_axes([x[0], x[1], x[2]], frame, x[12]);
            [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
        }

        fn sizes(x: &[f64; 13]) -> [f64; 9] {
            [1.0 / x[12]; 9]
        }
    }

    #[test]
    fn turning_is_one_law() {
        hold::<Frames, _, _>();
    }
}
