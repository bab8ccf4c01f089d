//! Contacts that last: they bore a load in the last step of `moreau` and did not bounce off.
//!
//! Positions drift by what steps err by, and a contact that were asked for its gap would open for a step, in
//! which its bodies fall, whenever the drift has lifted it: one that lasts takes part whatever its gap is. By
//! the midpoint rule its rows J of the middle hold the mean velocity, as those of linkages that turn do,
//!
//! ```text
//!     ½ J (v + v⁺) = ½ J₀ v        J₀ of the start, where the right is what is left of errors                (1)
//! ```
//!
//! which is of the second order where the edge or the normal turns. J v⁺ = 0 would make v⁺ that of the middle
//! of the step, off by ½ h J̇ v.

use super::super::method::Shared;
use super::super::rows::Rows;
use super::super::search::velocities_into;
use super::Theta;
use super::laws::ThetaLaw;
use stiction_assembly::{ContactMotion, ContactPoint, WarmStart};
use stiction_dynamics::spatial::Vec3;

/// A contact that lasts is found again within this many times the way of its bodies in a step [–].
const AWAY: f64 = 2.0;

/// Contacts of the last step that go on.
#[derive(Default)]
pub(super) struct Lasting(Vec<([usize; 2], u32, Vec3)>);

impl Lasting {
    /// Finds the contacts whose motion `warm` remembers.
    pub(super) fn find(&mut self, warm: &WarmStart) {
        self.0.clear();
        let known = warm.contacts().filter_map(|(g, feature, _, motion)| Some((g, feature, motion?.point)));
        self.0.extend(known);
    }

    /// Whether `c` is one of them, whose bodies go that far in a step [m].
    pub(super) fn has(&self, c: &ContactPoint, way: f64) -> bool {
        let first = self.0.partition_point(|l| l.0 < c.geometries);
        let mut of_pair = self.0[first..].iter().take_while(|l| l.0 == c.geometries);
        of_pair.any(|l| l.1 == c.feature && (l.2 - c.position).norm() <= AWAY * way)
    }
}

impl<L: ThetaLaw> Theta<L> {
    /// Commits the step of h [s] to the warm starts, and which of its contacts last. Those that bounce off by
    /// no more than what counts as touching do.
    pub(super) fn remember(&mut self, h: f64, at: &mut Shared) {
        let (along, rule) = (&mut self.room.along, self.rule);
        let Shared { params, points, rows: Rows { posed, impulses, .. }, v, warm, .. } = at;
        velocities_into(posed, v, along);
        let touch = params.canon.moreau.touch;
        let lasts = |c: usize, steps: u32| {
            let normal = posed.normal_row(c);
            let opens = h * (along[normal] + posed.blocks[c].bias.turn);
            (rule.lasts && impulses[normal] > 0.0 && opens <= touch).then(|| ContactMotion {
                point: points[c].position,
                velocity: [Vec3::ZERO; 2],
                since: 0.0,
                steps,
            })
        };
        warm.commit(points, posed.problem.cones(), impulses, lasts);
    }
}
