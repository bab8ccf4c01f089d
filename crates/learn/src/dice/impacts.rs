//! Impacts isolated from measured trajectories: velocities before and after, from straight fits to frames of free flight.
//!
//! Between frames k and k + 1 a jump of velocity is looked for: free flights (gravity and drag known, position and velocity
//! fitted) to the `window` frames before and after, which meet in between. Kept are jumps where both fits are good, one
//! corner is at a surface at that time and approaches it.

use super::DiceParameters;
use crate::data::Trajectory;
use crate::planar::{PlanarContact, PlanarState, impact_of};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Conditions of a clean impact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Isolation {
    /// Frames before and after.
    pub window: usize,
    /// Root mean square of a good fit [m], angles as lengths by the radius of gyration.
    pub fit: f64,
    /// The corner that is hit is this near to the surface [m].
    pub near: f64,
    /// The next corner is farther from it than this [m].
    pub apart: f64,
    /// The corner approaches at least this fast [m/s].
    pub approach: f64,
    /// The moment about the corner that the force leaves over is no larger than this, in units of m |v_n| and the radius of
    /// gyration: with more of it, two impacts were taken for one.
    pub moment: f64,
}

impl Default for Isolation {
    fn default() -> Self {
        Self { window: 5, fit: 5e-4, near: 4e-3, apart: 6e-3, approach: 0.4, moment: 0.15 }
    }
}

/// An impact as it was measured.
#[derive(Clone, Debug)]
pub struct ObservedImpact {
    /// Number of the drop.
    pub drop: u32,
    /// Seconds after the first frame.
    pub time: f64,
    pub before: PlanarState,
    pub after: PlanarState,
    /// The contact as the law of the scene resolves it.
    pub contact: PlanarContact,
}

impl ObservedImpact {
    /// Change of velocity along the tangent and the normal of the surface [m/s], and of the rotation [rad/s].
    pub fn change(&self) -> [f64; 3] {
        let d: Vec<f64> = (0..3).map(|i| self.after.v[i] - self.before.v[i]).collect();
        // The floor's tangent points right; the wall at the left has its normal to the right and its tangent down.
        if self.contact.surface == 0 { [d[0], d[1], d[2]] } else { [-d[1], d[0], d[2]] }
    }

    /// The moment about the contact point that the change leaves over beside the force, in units of m |v_n| and the radius of
    /// gyration.
    pub fn moment(&self) -> f64 {
        let ([t, n, w], [a, b], k) = (self.change(), self.contact.levers, self.contact.gyration);
        (k * k * w - t * a - n * b) / (k * self.contact.velocity_before[1].abs())
    }

    /// Change of the velocity of the contact point (tangential, normal) [m/s].
    pub fn point_change(&self) -> [f64; 2] {
        let ([t, n, w], [a, b]) = (self.change(), self.contact.levers);
        [t + w * a, n + w * b]
    }
}

/// The clean impacts of a drop in the scene `parameters`.
pub fn isolate(drop: &Trajectory, parameters: &DiceParameters, rules: &Isolation) -> Vec<ObservedImpact> {
    let (world, w, n) = (parameters.world(), rules.window, drop.frames.len());
    let mut found: Vec<ObservedImpact> = Vec::new();
    for k in w.saturating_sub(1)..n.saturating_sub(w) {
        let at = (k as f64 + 0.5) * drop.dt;
        let (before, bad) = flight(drop, k + 1 - w, w, at, parameters);
        let (after, worse) = flight(drop, k + 1, w, at, parameters);
        if bad > rules.fit || worse > rules.fit {
            continue;
        }
        // The corner and surface nearest to touching half way between the frames, and the corner after it.
        let mut gaps: Vec<(f64, usize, usize)> = Vec::new();
        for (j, s) in world.surfaces.iter().enumerate() {
            for (i, vertex) in world.body.vertices.iter().enumerate() {
                let r = before.turned(*vertex);
                let p = [before.q[0] + r[0], before.q[1] + r[1]];
                gaps.push((s.normal[0] * p[0] + s.normal[1] * p[1] - s.offset, i, j));
            }
        }
        gaps.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        let Some(&(gap, vertex, surface)) = gaps.first() else { continue };
        let contact = impact_of(&world, &before, vertex, surface);
        // The gap at the frame's middle is undone by the approach within half a frame.
        let reach = rules.near + 0.5 * drop.dt * contact.velocity_before[1].abs();
        // The two vertices of a tapered corner are one.
        let same = |i: usize, j: usize| {
            let (a, b) = (world.body.vertices[i], world.body.vertices[vertex]);
            j == surface && (a[0] - b[0]).hypot(a[1] - b[1]) < 0.5 * parameters.half
        };
        let alone = gaps.iter().all(|g| same(g.1, g.2) || (g.0 - gap).abs() > rules.apart);
        let leaves = contact.velocity_before[1] < -rules.approach;
        let impact = ObservedImpact { drop: drop.id, time: at, before, after, contact };
        let one = impact.moment().abs() <= rules.moment;
        if gap.abs() < reach && alone && leaves && one && impact.point_change()[1] > rules.approach {
            match found.last_mut() {
                // Neighbouring frames tell of one impact: the one whose flights meet better is kept.
                Some(last) if at - last.time < 2.5 * drop.dt => {
                    if meeting(&impact) < meeting(last) {
                        *last = impact;
                    }
                }
                _ => found.push(impact),
            }
        }
    }
    found
}

/// How far apart the flights before and after are at the time of the impact [m].
fn meeting(impact: &ObservedImpact) -> f64 {
    let (a, b) = (impact.before.q, impact.after.q);
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The free flight through `count` frames from `first` on, at the time `at`, and how well it fits [m].
fn flight(
    drop: &Trajectory,
    first: usize,
    count: usize,
    at: f64,
    parameters: &DiceParameters,
) -> (PlanarState, f64) {
    let times: Vec<f64> = (0..count).map(|i| (first + i) as f64 * drop.dt - at).collect();
    let mean_speed = |c: usize| {
        let (a, b) = (drop.frames[first][c], drop.frames[first + count - 1][c]);
        (b - a) / ((count - 1) as f64 * drop.dt)
    };
    let (c, ca) = (parameters.linear_drag, parameters.angular_drag);
    let acceleration = [-c * mean_speed(0), -parameters.gravity - c * mean_speed(1), -ca * mean_speed(2)];
    let mut state = PlanarState::default();
    let mut error = 0.0;
    let a = DMatrix::from_fn(count, 2, |i, j| if j == 0 { 1.0 } else { times[i] });
    for (i, acceleration) in acceleration.into_iter().enumerate() {
        let parabola = |t: f64| 0.5 * acceleration * t * t;
        let y = DVector::from_fn(count, |k, _| drop.frames[first + k][i] - parabola(times[k]));
        let normal = a.tr_mul(&a);
        let Some(x) = normal.cholesky().map(|f| f.solve(&a.tr_mul(&y))) else {
            return (state, f64::INFINITY);
        };
        (state.q[i], state.v[i]) = (x[0], x[1]);
        let scale = if i == 2 { parameters.gyration } else { 1.0 };
        error += (scale * scale) * (&y - &a * x).norm_squared();
    }
    (state, (error / (3 * count) as f64).sqrt())
}
