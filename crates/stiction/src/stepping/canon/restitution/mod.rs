//! Laws of restitution: how bodies part after the impulse of an impact, at fixed positions.
//!
//! With c⁻ and c⁺ velocities at the contacts, Λ the impulses, and e the coefficient of a contact,
//!
//! ```text
//!     Newton     K ∋ Λ ⟂ c̃ + Γ(c̃) ∈ K*,   c̃_N = c_N⁺ + e c_N⁻                                            (1)
//!     Poisson    compression: (1) with e = 0; expansion: normal impulses e Λ_N of it, friction by (3)      (2)
//!                min ½ λ_Tᵀ G_TT λ_T + λ_Tᵀ (c_T + G_TN λ_N),   ‖λ_T‖ ≤ μ λ_N                              (3)
//!     Stronge    dc/dλ_N = G_N + G_T dλ_T/dλ_N, friction by Coulomb's law all along;                        (4)
//!                the expansion ends where ∫ c_N dλ_N of it is −e² that of the compression
//! ```
//!
//! (1) is one complementarity problem and exact of all that touches. It may make energy where friction reverses the slip and normal and
//! tangent are coupled [Kane1985], and so may (2) [Stronge1990]: then the impact takes the largest share of all coefficients
//! that makes none. (4) is Routh's equation [Routh1860] of one contact ([`routh`]) and of several that of springs which are
//! compressed and relax while positions stand still ([`springs`]); it makes no energy of itself. Where G couples no normal with a
//! tangent, as at a ball, the three agree. Contacts of which none approaches as fast as bodies bounce are hit without restitution:
//! all laws then are (1) with e = 0.

mod contacts;
mod friction;
mod routh;
mod springs;
#[cfg(test)]
mod tests;

use super::bisection::bisect;
use super::ended::works_of_rows;
use super::rows::Rows;
use crate::canon_params::RestitutionLaw;
use contacts::Contacts;
use stiction_assembly::{Choice, ContactPoint};
use stiction_contact::{ContactSolver, SolveStatus};

/// Gain of energy that passes, of the kinetic energy of the impulses alone [–].
const SLACK: f64 = 1e-9;
/// Bisections of the share of restitution.
const BISECTIONS: u32 = 40;

/// The works of an impact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Works {
    /// Work of normal impulses and of friction [J].
    pub(super) normal: f64,
    pub(super) friction: f64,
    /// Work of the stops of joints, which do not bounce [J].
    pub(super) limits: f64,
    /// The share of all coefficients that was taken; 1: all of them [–].
    pub(super) share: f64,
}

/// Hits what was posed in `rows`, whose contacts are `points`: `v` jumps by M⁻¹ Jᵀ Λ. `increments` is the number of parts into which the
/// compression is divided under (4).
pub(super) fn hit(
    law: RestitutionLaw,
    (rows, points): (&mut Rows, &[ContactPoint]),
    solver: &mut dyn ContactSolver,
    increments: u32,
    v: &mut [f64],
) -> Result<Works, String> {
    let bounces = rows.posed.bounces();
    match law {
        _ if !bounces => at_once(rows, (solver, 0.0), v),
        RestitutionLaw::Newton => largest_share(v, |share, v| at_once(rows, (&mut *solver, share), v)),
        RestitutionLaw::Poisson => {
            let before = v.to_vec();
            let mut compressed = at_once(rows, (solver, 0.0), v)?;
            let contacts = Contacts::new(rows, points, v);
            let impulses = rows.impulses.clone();
            let expand = |share: f64| contacts.expand(&impulses, share);
            let whole = |(_, works): &(Vec<f64>, Works)| {
                let gained = compressed.normal + compressed.friction + works.normal + works.friction;
                gained <= SLACK * contacts.energy_of(&impulses)
            };
            let (mut share, mut expansion) = (1.0, expand(1.0));
            if !whole(&expansion) {
                [share, _] = bisect([0.0, 1.0], BISECTIONS, |share| Ok(whole(&expand(share))))?;
                expansion = expand(share);
            }
            let (more, works) = expansion;
            rows.impulses.iter_mut().zip(&more).for_each(|(all, more)| *all += more);
            v.copy_from_slice(&before);
            rows.add_impulses(v);
            compressed.normal += works.normal;
            compressed.friction += works.friction;
            Ok(Works { share, ..compressed })
        }
        RestitutionLaw::Stronge => {
            let contacts = Contacts::new(rows, points, v);
            let (impulses, works) = match contacts.touching.len() {
                1 => routh::hit(&contacts, increments)?,
                _ => springs::hit(&contacts, increments)?,
            };
            rows.impulses.copy_from_slice(&impulses);
            rows.add_impulses(v);
            Ok(works)
        }
    }
}

/// (1) with a share of the coefficients, and the works ½ (c⁻ + c⁺) Λ of its rows.
fn at_once(
    rows: &mut Rows,
    (solver, share): (&mut dyn ContactSolver, f64),
    v: &mut [f64],
) -> Result<Works, String> {
    let before = v.to_vec();
    rows.posed.choose(Choice { restitution: share, ..Choice::default() });
    rows.impulses.fill(0.0);
    let status = rows.solve(solver, v)?;
    if matches!(status, SolveStatus::IterationLimit | SolveStatus::Stalled) {
        return Err("the impulses of an impact were not found".to_owned());
    }
    let works = works_of_rows(&rows.posed, &rows.impulses, &before, v);
    Ok(Works { normal: works.normal, friction: works.friction, limits: works.limits, share: 1.0 })
}

/// The impact with the largest share of restitution that makes no energy.
fn largest_share(
    v: &mut [f64],
    mut impact: impl FnMut(f64, &mut [f64]) -> Result<Works, String>,
) -> Result<Works, String> {
    let before = v.to_vec();
    let mut take = |share: f64, v: &mut [f64]| {
        v.copy_from_slice(&before);
        impact(share, v)
    };
    let whole = take(1.0, v)?;
    let size = whole.normal.abs().max(whole.friction.abs());
    let makes = |w: &Works| w.normal + w.friction + w.limits > SLACK * size;
    if !makes(&whole) {
        return Ok(Works { share: 1.0, ..whole });
    }
    let [share, _] = bisect([0.0, 1.0], BISECTIONS, |share| Ok(!makes(&take(share, v)?)))?;
    Ok(Works { share, ..take(share, v)? })
}
