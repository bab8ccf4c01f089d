//! Contacts that last while their bodies turn and slide.
//!
//! A body that touches goes through a step by half a flight, the impulses at the pose q_m between, and half a flight. With J of q_m and
//! v⁻, v⁺ the velocities before and after the impulses, the velocity at the contact at the end of the step is
//!
//! ```text
//!     c = J v⁺ + ½ h a,     a = (J v⁻ − w)/(t + ½ h)                                              (1)
//! ```
//!
//! to the second order: a is the rate at which the flight since the last step changed it, from w after the impulses of that step, t
//! before its end. Signorini's and Coulomb's laws hold for c, as in all steps: what sticks sticks, what is closed stays closed. An
//! error of w is gone in the next step. Where a contact slides its friction is that of the mean velocity,
//!
//! ```text
//!     c_T = J_T (v⁻ + v⁺)                                                                         (2)
//! ```
//!
//! and so is that against spinning and rolling. (1) would turn friction by the direction at the end, which is of
//! first order. Relaxed laws keep (1), as the size of c matters to them. Gaps are those of the start of the step,
//!
//! ```text
//!     φ₀ = φ(q_m) − ½ h J_N v⁻ + ⅛ h² a_N                                                         (3)
//! ```
//!
//! and are closed in two steps, the second of which takes away the speed of the first: φ₀/h + ½ c₀, with c₀ the normal velocity at the start,
//! is what is added to c_N.
//!
//! Where bodies go from one geometry to another, as over tiles, the new contact takes w of the one beside it.
//!
//! A contact that was not loaded in the last step has no w; its gap is to stay open to the end, φ(q_m) + ½ h J_N v⁺ ≥ 0. The
//! part ends where such a contact lands ([`PosedLanding`]).

use crate::block::{PosedLanding, RollingContact};
use crate::contact_point::ContactPoint;
use crate::laws::lasting::Lasting;
use crate::posed::Posed;
use crate::posing::{Posing, Rolling, Slip};
use crate::warm_start::{ContactMotion, WarmStart};
use stiction_dynamics::spatial::Vec3;

/// A contact takes the place of another of the same bodies that is so near, in ways that they go in the step [–]; at others they move
/// as rigid bodies.
const REACH: f64 = 4.0;
/// Largest gap at which it does [m].
pub const CLOSED: f64 = 1e-5;

/// Velocities that are added to J v_f in the rows of a contact that lasts.
#[derive(Clone, Copy)]
pub(crate) struct Roll {
    pub(crate) tangential: Vec3,
    pub(crate) normal: f64,
    pub(crate) turning: Vec3,
    /// Biases of φ₀, [`crate::stabilisation`].
    pub(crate) gap: f64,
    pub(crate) correction: f64,
}

/// (1) to (3) of contact `index`, whose columns of J are those of `block`; `None` if it was not loaded.
pub(crate) fn pose(
    p: &Posing<'_>,
    index: usize,
    c: &ContactPoint,
    block: usize,
    warm: &mut WarmStart,
    out: &mut Posed,
) -> Option<Roll> {
    if c.spring.is_some() {
        return None;
    }
    let motion = last_motion(p, c, warm);
    let lasts = motion.is_some();
    let before = out.jacobian.velocity(block, p.v);
    let before = if c.friction > 0.0 { before } else { Vec3::from([0.0, 0.0, before.x]) };
    let start = c.gap - 0.5 * p.params.h * before.z;
    let mut posed = RollingContact { block, lasts, start, ..RollingContact::default() };
    let Some(motion) = motion else {
        posed.landing = landing(p, c, (block, before.z), out);
        out.rolling.push(posed);
        return None;
    };
    let axes = c.axes();
    let along = |axes: &[Vec3; 3], w: Vec3| Vec3::from([axes[0].dot(w), axes[1].dot(w), axes[2].dot(w)]);
    let last = along(&axes, motion.velocity[0]);
    let lasts = p.params.lasting_contact(c.gap, c.face, Lasting { before, last, since: motion.since });
    let known = |r: Rolling<'_>| r.coulomb.then(|| r.slips.get(index).copied().unwrap_or_default());
    [posed.slid, posed.slides] = match p.rolling.and_then(known) {
        None => [false; 2],
        Some(Slip::Unknown) => p.params.slides(c.friction, &lasts),
        Some(known) => [true, known == Slip::Slides],
    };
    posed.slip = [before.x, before.y];
    posed.share = lasts.share;
    out.rolling.push(posed);
    let tangential = if posed.slides { before } else { lasts.turn };
    let turning = {
        let before = out.jacobian.turning(block, p.v);
        match posed.slides {
            true => before,
            false => (before - along(&c.turning_axes(), motion.velocity[1])) * lasts.share,
        }
    };
    Some(Roll {
        tangential: Vec3::from([tangential.x, tangential.y, 0.0]),
        normal: lasts.turn.z,
        turning: if c.friction > 0.0 { turning } else { Vec3::ZERO },
        gap: lasts.gap,
        correction: lasts.correction,
    })
}

/// How a contact that is new lands, whose gap grows at the rate `before`.
fn landing(
    p: &Posing<'_>,
    c: &ContactPoint,
    (block, before): (usize, f64),
    out: &Posed,
) -> Option<PosedLanding> {
    p.rolling?;
    let free = out.jacobian.velocity(block, p.free_velocity);
    let free = if c.friction > 0.0 { free.z } else { free.x };
    p.params.landing([c.gap - 0.5 * p.params.h * before, c.gap], before, free)
}

/// How the bodies of contact `c` went on from it, or from that whose place it takes: a near one, or another of the same face.
fn last_motion(p: &Posing<'_>, c: &ContactPoint, warm: &mut WarmStart) -> Option<ContactMotion> {
    if let Some(own) = warm.motion_of(c) {
        return Some(own);
    }
    if c.gap.abs() > CLOSED {
        return None;
    }
    let body = |g: usize| {
        let geometry = &p.world.geometries[g];
        p.world.mount(geometry.link, geometry.X_LG).0
    };
    let motion = warm.inherit(c, |pair| pair.map(body) == c.bodies)?;
    let way = |b: usize| {
        let body = &p.world.model.bodies[b];
        p.free_motions[b].linear_at(c.position - p.kin.reference[body.tree]).norm() * p.params.h
    };
    Some(motion.carried_to(c.position, c.bodies.into_iter().flatten().map(way).sum()))
}

impl ContactMotion {
    /// The motion of a contact at p that takes the place of this one, of bodies that go so far in the step [m].
    pub fn carried_to(mut self, p: Vec3, way: f64) -> Self {
        let away = p - self.point;
        if away.norm() > REACH * way {
            self.velocity[0] += self.velocity[1].cross(away);
        }
        self
    }
}
