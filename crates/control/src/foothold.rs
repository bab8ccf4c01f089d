//! Where feet land.
//!
//! A foot that lands T_land from now is put where its hip will be, half the way ahead that the hip makes while the foot
//! stands, and farther where the trunk is faster than it should be [Raibert1986; DiCarlo2018, eq. 32]:
//!
//! ```text
//!     p = p_hip + v T_land + v T_stance/2 + k (v − v_command)                        (1)
//! ```
//!
//! all of them along the ground. It lies no farther than `reach` from the hip at landing, and as high as the ground is there.

use stiction_dynamics::spatial::{Vec3, vec3};

/// The quantities of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foothold {
    /// Below the hip, now [m, in W]; its height is not read.
    pub hip: Vec3,
    /// v: velocity of the hip over the ground [m/s, in W].
    pub velocity: Vec3,
    /// v_command [m/s, in W].
    pub command: Vec3,
    /// T_land: time until the foot lands [s].
    pub until_landing: f64,
    /// T_stance [s].
    pub stance: f64,
    /// k [s].
    pub gain: f64,
    /// Farthest from the hip at landing [m].
    pub reach: f64,
}

/// (1), with z as the ground's `height` at (x, y) says [m, in W].
pub fn raibert(hold: &Foothold, height: impl Fn(f64, f64) -> f64) -> Vec3 {
    let flat = |v: Vec3| vec3(v.x, v.y, 0.0);
    let (v, command) = (flat(hold.velocity), flat(hold.command));
    let mut ahead = v * (0.5 * hold.stance) + (v - command) * hold.gain;
    let length = ahead.norm();
    if length > hold.reach {
        ahead = ahead * (hold.reach / length);
    }
    let p = flat(hold.hip) + v * hold.until_landing + ahead;
    vec3(p.x, p.y, height(p.x, p.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feet_land_symmetrically_about_the_hip_at_the_commanded_velocity() {
        let v = vec3(0.5, -0.1, 0.0);
        let hold = Foothold {
            hip: vec3(1.0, 2.0, 0.3),
            velocity: v,
            command: v,
            until_landing: 0.1,
            stance: 0.16,
            gain: 0.03,
            reach: 1.0,
        };
        let p = raibert(&hold, |x, y| x + y);
        // Landing before the hip by as much as it leaves behind it.
        let hip_when = |t: f64| vec3(1.0, 2.0, 0.0) + v * t;
        let middle = (hip_when(0.1) + hip_when(0.1 + 0.16)) * 0.5;
        assert!((vec3(p.x, p.y, 0.0) - middle).norm() < 1e-12);
        assert!((p.z - (p.x + p.y)).abs() < 1e-12);
        // Too fast: farther ahead; and never farther than the leg reaches.
        let fast = raibert(&Foothold { velocity: v * 2.0, ..hold }, |_, _| 0.0);
        assert!(fast.x > p.x);
        let short = raibert(&Foothold { reach: 0.01, ..hold }, |_, _| 0.0);
        assert!((vec3(short.x, short.y, 0.0) - hip_when(0.1)).norm() < 0.01 + 1e-12);
    }
}
