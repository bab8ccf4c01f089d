//! Rows of a contact point: u = velocity of B relative to A, along (t₁, t₂, n), then spin and roll.
//!
//! ```text
//!     rigid      g = J v_f + bias of its gap ([`crate::laws::gap`]) or bounce ([`crate::laws::restitution`])   (1)
//!     yields     g_N = J_N v_f + φ/T,   R = 1/(h k T)   ([`crate::laws::yielding`])                            (2)
//! ```
//!
//! Under the compliant laws their own numbers hold instead.

use crate::block::{Bias, BlockKey};
use crate::contact_point::ContactPoint;
use crate::jacobian::{Axes, End, Point};
use crate::laws::gap::GapBias;
use crate::laws::row_params::RowParams;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::rolling;
use crate::warm_start::WarmStart;
use stiction_contact::Cone;
use stiction_dynamics::spatial::{Vec3, vec3};

/// Pushes the rows of contact `index`; its cone.
#[inline(always)]
pub(crate) fn push(
    p: &Posing<'_>,
    index: usize,
    c: &ContactPoint,
    warm: &mut WarmStart,
    out: &mut Posed,
) -> Cone {
    let model = &p.world.model;
    let block = out.jacobian.len();
    let frictional = c.friction > 0.0;
    let ends = c.bodies.map(|b| {
        let body = &model.bodies[b?];
        Some(End { tip: body.dofs.end - 1, tree: body.tree })
    });
    let axes = Axes::new(if frictional { c.axes() } else { [c.n, Vec3::ZERO, Vec3::ZERO] });
    out.jacobian.push_points(model, &p.kin.S, &ends, |side, end| {
        let axes = if side == 0 { axes.reversed() } else { axes }; // u = v_B − v_A
        Point { arm: c.position - p.kin.reference[end.tree], axes }
    });
    let cone = c.cone();
    if let Cone::Patch { .. } = cone {
        let turns = c.turning_axes();
        out.jacobian.push_more(model, ends, |dof, on_a, on_b| {
            let spin = match (on_a, on_b) {
                (true, false) => -p.kin.S[dof].angular,
                (false, true) => p.kin.S[dof].angular,
                _ => return Vec3::ZERO,
            };
            vec3(turns[0].dot(spin), turns[1].dot(spin), turns[2].dot(spin))
        });
    }

    let mut u = match ends {
        [Some(a), Some(b)] if a.tree == b.tree => out.jacobian.velocity(block, p.free_velocity),
        _ => axes.along(free_velocity_at(p, c)),
    };
    let free = if frictional { u.z } else { u.x };
    let rolls = ends.into_iter().flatten().any(|end| p.rolling.is_some_and(|r| r.on[end.tree]));
    let roll = if rolls { rolling::pose(p, index, c, block, warm, out) } else { None };
    let before = || {
        let before = out.jacobian.velocity(block, p.v);
        if frictional { before.z } else { before.x }
    };
    let (bias, compliance) = match c.spring.filter(|_| p.compliance.is_none()) {
        Some(spring) => {
            let of_start = if rolls { 0.5 * p.params.h * before() } else { 0.0 };
            let row = spring.yielding(c.gap - of_start, p.params.h);
            (Bias { free, gap: row.bias, ..Bias::default() }, row.compliance)
        }
        None if rolls => {
            u += roll.map_or(Vec3::ZERO, |r| r.tangential);
            let bias = match roll {
                Some(r) => {
                    Bias { free, turn: r.normal, gap: r.gap, correction: r.correction, ..Bias::default() }
                }
                None => new(&p.params, c, free, before()),
            };
            (bias, 0.0)
        }
        None => (rigid(&p.params, c, free, before), 0.0),
    };
    let (key, gap) = (BlockKey::Contact(index), p.softness_gap(c.gap));
    if let Cone::Patch { .. } = cone {
        let more = out.jacobian.turning(block, p.free_velocity) + roll.map_or(Vec3::ZERO, |r| r.turning);
        out.push(key, cone, &mut [u.x, u.y, u.z, more.x, more.y, more.z][..cone.dim()], bias, gap);
    } else if frictional {
        out.push(key, cone, &mut u.to_array(), bias, gap);
    } else {
        out.push(key, cone, &mut [free], bias, gap);
    }
    let normal = out.problem.rows() - cone.dim() + cone.normal();
    out.problem.compliance[normal] = compliance;
    cone
}

/// The bias of a contact without an impulse in the last step, where the step is posed in its middle.
#[inline(always)]
fn new(params: &RowParams, c: &ContactPoint, free: f64, before: f64) -> Bias {
    let GapBias { gap, correction } = params.new_contact(c.gap, c.face, before);
    match params.rebound_within(c.restitution, before, c.gap) {
        Some(restitution) => Bias { free, restitution, ..Bias::default() },
        None => Bias { free, gap, correction, ..Bias::default() },
    }
}

/// The bias (1) of a rigid contact.
#[inline(always)]
fn rigid(params: &RowParams, c: &ContactPoint, free: f64, before: impl Fn() -> f64) -> Bias {
    if params.is_instant() {
        return match params.rebound(c.restitution, before()) {
            Some(restitution) => Bias { free, restitution, after_bounce: Some(1.0), ..Bias::default() },
            None => Bias { free, ..Bias::default() },
        };
    }
    let before = if c.restitution > 0.0 { before() } else { 0.0 };
    let bias = params.rigid_contact(c.gap, c.face, c.bouncing(), before, free);
    Bias {
        free,
        gap: bias.gap,
        restitution: bias.restitution,
        after_bounce: bias.bounces.then_some(bias.left),
        correction: bias.correction,
        ..Bias::default()
    }
}

/// The velocity of B relative to A at a contact, at v_f: what J v_f is along its axes.
#[inline(always)]
fn free_velocity_at(p: &Posing<'_>, c: &ContactPoint) -> Vec3 {
    let of = |body: Option<usize>| {
        let Some(b) = body else { return Vec3::ZERO };
        let reference = p.kin.reference[p.world.model.bodies[b].tree];
        p.free_motions[b].linear_at(c.position - reference)
    };
    of(c.bodies[1]) - of(c.bodies[0])
}
