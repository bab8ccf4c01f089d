//! Energy that a method of integration makes.
//!
//! The dense output u of a step joins y at both ends, and obeys the equation but for a defect r. With E the energy and P the powers of all causes,
//! ∇E · f = Σ P at every y. The works W that are integrated beside have a defect of their own, the last numbers of r:
//!
//! ```text
//!     r = u̇ − f(u)                                                                                 (1)
//!     E(u₁) − E(u₀) = Σ (W₁ − W₀) + ∫ (∇E · r − Σ r_W) dt                                           (2)
//! ```
//!
//! The integral is the work of the forces that would drive the motion along u, were it exact, beyond those that are there. f is asked for at u
//! itself: a cause that acts and is not among the works leaves (2) open. Kinks of f within a step are in both terms alike and cancel.

use super::{Dense, System};

/// Nodes and weights of Gauss' quadrature on 0 … 1, exact to degree 7.
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_9, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];
/// The way along r by which E is differenced, as a share of the step [–].
const NUDGE: f64 = 0.1;

/// The integral of (2) over the first `share` of a step [J]; the last `works` numbers of y are works.
pub(in super::super) fn energy_made(
    system: &mut dyn System,
    dense: &Dense,
    share: f64,
    works: usize,
) -> Result<f64, String> {
    let n = dense.size();
    let moves = n - works;
    let mut made = 0.0;
    let (mut u, mut defect, mut rate) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for [node, weight] in GAUSS {
        let s = node * share;
        dense.at(s, &mut u);
        dense.rate_at(s, &mut defect);
        system.rate(dense.t + s * dense.h, &u, &mut rate)?;
        defect.iter_mut().zip(&rate).for_each(|(r, f)| *r -= f);
        let off = NUDGE * dense.h;
        let [ahead, behind] = [off, -off].map(|off| {
            let there: Vec<f64> = u[..moves].iter().zip(&defect).map(|(u, r)| u + off * r).collect();
            system.energy(&there)
        });
        let of_works: f64 = defect[moves..].iter().sum();
        made += weight * share * dense.h * ((ahead - behind) / (2.0 * off) - of_works);
    }
    Ok(made)
}
