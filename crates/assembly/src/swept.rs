//! Fast bodies: what they meet on their way through a step.
//!
//! A contact that is open but may close within the step is told by the poses at the start. Its normal says nothing of what
//! passes by beside an edge. So a far contact, and a near one whose bodies move past each other by more than its gap, counts
//! only if the motion without contacts brings the two together (1).
//!
//! With continuous collision detection, which is on of itself, or where [`stiction_models::Geometry::continuous`] says so, a body
//! that moves farther in a step than it and what it may meet are thick has no far contacts at all. Its step is solved without them, the motion
//! that results is swept against everything in its way [`stiction_collision::time_of_impact`], and the step ends where
//! it first meets something (2): there the contact is an ordinary near one, and the rest of the step follows as a step
//! of its own. The motion after an impact is swept like the one before.

use stiction_collision::{CollisionWorld, Manifold, Moving, Shape, time_of_impact};
use stiction_dynamics::spatial::{Motion, Pose, Quat};
use stiction_models::Geometry;

/// Share of its own thickness, and of that of the thinnest beside it, that a body may move in a step unwatched.
const UNWATCHED: f64 = 0.5;
/// Share of the motion of a step by which (1) errs on the safe side: turning bends it.
pub const BEND: f64 = 1e-3;
/// (2) stops at this distance, unless the slop is larger [m].
pub const TOUCH: f64 = 1e-6;

/// The poses geometries move to, and which of them are fast.
#[derive(Debug)]
pub struct Sweeper {
    /// Radius of a ball inside each geometry [m].
    thickness: Vec<f64>,
    /// How far each may move in a step unwatched; infinite where it is not swept at all [m].
    unwatched: Vec<f64>,
    any: bool,
    fast: Vec<bool>,
    /// Something may be fast in the next step.
    soon: bool,
    to: Vec<Pose>,
}

impl Sweeper {
    /// Of all geometries that have a thickness, or of those that ask for it.
    pub fn new(geometries: &[Geometry], all: bool) -> Self {
        let thickness: Vec<f64> = geometries.iter().map(|g| inradius(&g.shape)).collect();
        let (mut thinnest, mut second) = ((usize::MAX, f64::INFINITY), f64::INFINITY);
        for (g, t) in thickness.iter().enumerate() {
            if *t < thinnest.1 {
                (second, thinnest) = (thinnest.1, (g, *t));
            } else {
                second = second.min(*t);
            }
        }
        let thinnest_beside = |g: usize| if g == thinnest.0 { second } else { thinnest.1 };
        let may_move = |(g, geometry): (usize, &Geometry)| {
            let watched = geometry.continuous || all && thickness[g] > 0.0;
            if watched { UNWATCHED * (thickness[g] + thinnest_beside(g)) } else { f64::INFINITY }
        };
        let unwatched: Vec<f64> = geometries.iter().enumerate().map(may_move).collect();
        let (n, any) = (thickness.len(), unwatched.iter().any(|u| u.is_finite()));
        Self { thickness, unwatched, any, fast: vec![false; n], soon: true, to: vec![Pose::IDENTITY; n] }
    }

    /// True when anything is swept.
    pub fn sweeps(&self) -> bool {
        self.any
    }

    /// True when something may be fast in the next step, or nothing is known of the last.
    pub fn may_be_fast(&self) -> bool {
        self.any && self.soon
    }

    /// Before the speeds of a step are noted; `known` is false after a jump of the state.
    pub fn begin(&mut self, known: bool) {
        self.soon = !known;
    }

    /// Notes how far geometry `g` moves in a step at most, its `reach` [m]: what moves half as far as a fast body may be fast in
    /// the next step.
    pub fn look_out(&mut self, g: usize, reach: f64, margin: f64) {
        self.soon |= self.is_too_far(g, 2.0 * reach, margin);
    }

    /// Notes the same of a step in which fast bodies are swept, and whether that is fast.
    pub fn note(&mut self, g: usize, reach: f64, margin: f64) {
        self.fast[g] = self.is_too_far(g, reach, margin);
    }

    fn is_too_far(&self, g: usize, reach: f64, margin: f64) -> bool {
        reach > margin && reach > self.unwatched[g]
    }

    /// How deep two geometries may overlap, for a step, before they bounce at e = 1 [m]: not so deep that their normal
    /// turns. Of surfaces the thickness does not count.
    pub fn bounce_depth(&self, geometries: [usize; 2]) -> f64 {
        let thick = geometries.map(|g| self.thickness[g]).into_iter().filter(|t| *t > 0.0);
        let thinner = thick.fold(f64::INFINITY, f64::min);
        if thinner.is_finite() { UNWATCHED * thinner } else { 0.0 }
    }

    pub fn is_fast(&self, g: usize) -> bool {
        self.fast[g]
    }

    /// Where geometry `g` is after the step that was solved.
    pub fn set_end(&mut self, g: usize, pose: Pose) {
        self.to[g] = pose;
    }

    /// (2): the share of the step after which a fast geometry first meets another, on the way from
    /// the poses `from`, at which `near` are the manifolds. `touching` is the distance at which two
    /// geometries touch [m].
    pub fn first_impact(
        &mut self,
        collision: &mut CollisionWorld,
        from: &[Pose],
        near: &[Manifold],
        touching: impl Fn(usize, usize) -> f64,
        [margin, slop]: [f64; 2],
    ) -> Option<f64> {
        for (g, collider) in collision.colliders().iter().enumerate() {
            let reach = Moving::new(&collider.shape, from[g], self.to[g]).reach();
            self.fast[g] |= self.is_too_far(g, reach, margin);
        }
        if !self.fast.contains(&true) {
            return None;
        }
        let touch = TOUCH.max(slop);
        let mut first: Option<f64> = None;
        collision.sweep(from, &self.to, &self.fast, |(a, moving_a), (b, moving_b), passes| {
            let known = &near[near.partition_point(|m| (m.a, m.b) < (a, b))..];
            let gaps = known.iter().take_while(|m| (m.a, m.b) == (a, b)).filter_map(Manifold::deepest);
            let rest = touching(a, b);
            let gap = gaps.reduce(f64::min).filter(|gap| *gap <= margin + rest);
            // What already overlaps is held by its contacts; no instant of the step is the first at which it does.
            if gap.is_some_and(|gap| gap < rest - 3.0 * touch) {
                return;
            }
            // A near contact was part of the problem: it may close, but not go deeper.
            // Nor does the side of a flush neighbour stop what lies on the other.
            let depth = gap.map_or(if passes { 4.0 * touch } else { 0.0 }, |_| 3.0 * touch);
            let distance = gap.map_or(rest, |gap| gap.min(rest)) - depth;
            // What is that near at the start does not meet in the step. The narrow phase leaves it out on purpose, as the sides of
            // flush neighbours, or its contacts hold it, at the gap of the union of these neighbours.
            if let Some(s) = time_of_impact(moving_a, moving_b, distance, touch).filter(|s| *s > 0.0) {
                first = Some(first.map_or(s, |f| f.min(s)));
            }
        });
        first
    }
}

/// (1): true when shapes that go on at these velocities come within `margin` of the distance `rest` at which
/// they touch [m] in the time h.
pub fn will_meet(
    (a, X_WA, V_A): (&Shape, &Pose, Motion),
    (b, X_WB, V_B): (&Shape, &Pose, Motion),
    [rest, margin]: [f64; 2],
    h: f64,
) -> bool {
    let (a, b) = (moving(a, X_WA, V_A, h), moving(b, X_WB, V_B, h));
    let near = margin.max(TOUCH) + BEND * (a.reach() + b.reach());
    time_of_impact(&a, &b, rest + 0.5 * near, 0.5 * near).is_some()
}

/// At the velocity V of its origin for the time h.
fn moving<'a>(shape: &'a Shape, X_WG: &Pose, V: Motion, h: f64) -> Moving<'a> {
    let rotation = (Quat::exp(V.angular * h) * X_WG.rotation).renormalized();
    Moving::new(shape, *X_WG, Pose::new(rotation, X_WG.translation + V.linear * h))
}

/// The radius of some ball inside the shape [m]; zero where none is known.
fn inradius(shape: &Shape) -> f64 {
    match shape {
        Shape::Plane => f64::INFINITY,
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Box { half } => half.x.min(half.y).min(half.z),
        Shape::Cylinder { radius, half_length } => radius.min(*half_length),
        Shape::Ellipsoid { radii } => radii.x.min(radii.y).min(radii.z),
        Shape::Cone { radius, half_height } => 0.5 * radius.min(*half_height),
        Shape::HeightField(_) | Shape::Mesh(_) => 0.0,
        Shape::Convex(mesh) => {
            let over = |f: &stiction_collision::Face| f.offset - f.normal.dot(mesh.center());
            mesh.faces().iter().map(over).fold(f64::INFINITY, f64::min)
        }
    }
}
