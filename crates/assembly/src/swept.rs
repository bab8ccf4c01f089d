//! Fast bodies: what they meet on their way through a step.
//!
//! A contact that is open but may close within the step is told by the poses at the start. Its normal says nothing of what
//! passes by beside an edge. So a far contact, and a near one whose bodies move past each other by more than its gap, counts
//! only if the motion without contacts brings the two together (1).
//!
//! With continuous collision detection, which is on of itself, or where [`stiction_world::Geometry::continuous`] says so, two bodies
//! that move farther past each other in a step than they are thick have no far contacts at all. The step is solved without
//! these, the motion that results is swept [`stiction_collision::time_of_impact`], and the step ends where two such bodies first
//! meet (2): there the contact is an ordinary near one, and the rest of the step follows as a step of its own. The motion after
//! an impact is swept like the one before. Near contacts were part of the problem, at the points where the bodies touched at the
//! start. What swings in at others is stopped before its overlap is as deep as turns a normal (3), and again wherever that has grown by
//! a share, until it is as deep as the thinner one is thick: contacts alone hold what is deeper.
//!
//! A link goes on an arc. The axis of its joint, or the centre of mass of what flies, is its pivot: body-fixed, it has no acceleration
//! across ω,
//!
//! ```text
//!     c = o + a/ω²,   a that of the origin o across ω at constant rates of joints                         (4)
//! ```
//!
//! With A the spatial acceleration, A_b = A_p + V_p × V_b from a parent p to b; joints that share a body count as one.

use stiction_collision::{CollisionWorld, Manifold, ManifoldPoint, Moving, Shape, Way, time_of_impact};
use stiction_dynamics::spatial::{Motion, Pose, Quat, Vec3};
use stiction_dynamics::{JointKind, Model};
use stiction_world::Geometry;

/// Share of their thickness that two bodies may move past each other in a step unwatched, and (3) of the thinner one's that
/// they may overlap.
const UNWATCHED: f64 = 0.5;
/// Share of that overlap by which the next stop is deeper where contacts do not hold it, so that time goes on.
const DEEPER: f64 = 0.125;
/// Share of the motion of a step by which (1) errs on the safe side: turning bends it.
pub const BEND: f64 = 1e-3;
/// (2) stops at this distance, unless the slop is larger [m].
pub const TOUCH: f64 = 1e-6;
/// A pivot that goes so many times as far as the body is none: bounds about it would be so much coarser.
const WIDE: f64 = 8.0;

/// The first meeting of fast geometries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Share of the way that leads to it [–].
    pub share: f64,
    pub geometries: [usize; 2],
    /// The two move past each other by no more on the whole way [m].
    pub way: f64,
}

/// The ways of geometries through a step, and which of them are fast.
#[derive(Debug)]
pub struct Sweeper {
    /// Radius of a ball inside each geometry [m].
    thickness: Vec<f64>,
    /// Whether it asks to be swept; all that have a thickness are.
    asks: Vec<bool>,
    all: bool,
    /// A geometry that moves no farther is fast beside nothing [m].
    unwatched: Vec<f64>,
    any: bool,
    fast: Vec<bool>,
    /// Something may be fast in the next step.
    soon: bool,
    ways: Vec<Way>,
}

impl Sweeper {
    /// Sweeps all geometries that have a thickness, or those that ask for it. Some are `fixed` to the world.
    pub fn new(geometries: &[Geometry], fixed: impl Fn(usize) -> bool, all: bool) -> Self {
        let n = geometries.len();
        let mut sweeper = Self {
            thickness: geometries.iter().map(|g| inradius(&g.shape)).collect(),
            asks: geometries.iter().map(|g| g.continuous).collect(),
            all,
            unwatched: vec![f64::INFINITY; n],
            any: false,
            fast: vec![false; n],
            soon: true,
            ways: vec![Way::none(Pose::IDENTITY); n],
        };
        // Most geometries of a world are alike: one of each kind is enough, and a second beside itself.
        let kind = |g: &usize| (sweeper.thickness[*g], sweeper.asks[*g], fixed(*g));
        let mut kinds: Vec<usize> = (0..n).collect();
        kinds.sort_by(|a, b| kind(a).partial_cmp(&kind(b)).unwrap_or(std::cmp::Ordering::Equal));
        let others: Vec<usize> =
            (0..n).filter(|&k| k < 2 || kind(&kinds[k]) != kind(&kinds[k - 2])).map(|k| kinds[k]).collect();
        for g in 0..n {
            let share = |o: &usize| if fixed(*o) { 1.0 } else { 0.5 };
            let beside = others.iter().filter(|o| **o != g).map(|o| share(o) * sweeper.unwatched_of(g, *o));
            sweeper.unwatched[g] = beside.fold(f64::INFINITY, f64::min);
        }
        sweeper.any = sweeper.unwatched.iter().any(|u| u.is_finite());
        sweeper
    }

    /// How far two geometries may move past each other in a step unwatched; infinite where they cannot pass [m].
    fn unwatched_of(&self, a: usize, b: usize) -> f64 {
        let thick = self.thickness[a] + self.thickness[b];
        if self.asks[a] || self.asks[b] || thick > 0.0 { UNWATCHED * thick } else { f64::INFINITY }
    }

    /// Whether two geometries are swept where they are fast.
    fn watches(&self, a: usize, b: usize) -> bool {
        self.all || self.asks[a] || self.asks[b]
    }

    /// Whether all geometries are swept.
    pub fn watches_all(&self) -> bool {
        self.all
    }

    /// True when anything is swept.
    pub fn sweeps(&self) -> bool {
        self.any
    }

    /// True when something may be fast in the next step, or nothing is known of the last.
    pub fn may_be_fast(&self) -> bool {
        self.any && self.soon
    }

    /// A geometry that moves no farther in a step is fast beside nothing [m].
    pub fn unwatched(&self, g: usize) -> f64 {
        self.unwatched[g]
    }

    /// Before the speeds of a step are noted; `known` is false after a jump of the state.
    pub fn begin(&mut self, known: bool) {
        self.soon = !known;
    }

    /// Notes how far geometry `g` moves in a step at most, its `reach` [m]: what moves half as far as a fast body may be fast in
    /// the next step.
    pub fn look_out(&mut self, g: usize, reach: f64, margin: f64) {
        self.soon |= self.may_be(g, 2.0 * reach, margin);
    }

    fn may_be(&self, g: usize, reach: f64, margin: f64) -> bool {
        reach > self.unwatched[g].max(0.5 * margin)
    }

    /// True of two geometries that are swept when they move so far past each other in a step [m].
    pub fn is_fast(&self, [a, b]: [usize; 2], apart: f64, margin: f64) -> bool {
        self.watches(a, b) && apart > self.unwatched_of(a, b).max(margin)
    }

    /// True of two geometries that are not swept when they move so far past each other in a step [m] that the middle of it may be
    /// beyond what they meet.
    pub fn may_pass_by(&self, [a, b]: [usize; 2], apart: f64, margin: f64) -> bool {
        !self.watches(a, b) && apart > self.unwatched_of(a, b).max(margin)
    }

    /// How deep two geometries may overlap, for a step, before they bounce at e = 1 [m]: not so deep that their normal
    /// turns. Of surfaces the thickness does not count.
    pub fn bounce_depth(&self, geometries: [usize; 2]) -> f64 {
        let thick = geometries.map(|g| self.thickness[g]).into_iter().filter(|t| *t > 0.0);
        let thinner = thick.fold(f64::INFINITY, f64::min);
        if thinner.is_finite() { UNWATCHED * thinner } else { 0.0 }
    }

    /// (3): the overlap at which two that touch and overlap by so much are stopped next [m], by `least` deeper at least. None of those
    /// that are as deep in each other as the thinner is thick: contacts alone hold these.
    fn next_depth(&self, geometries: [usize; 2], overlap: f64, least: f64) -> Option<f64> {
        let deep = self.bounce_depth(geometries).max(least);
        (overlap < 2.0 / UNWATCHED * deep).then(|| deep.max(overlap + (DEEPER * deep).max(least)))
    }

    /// Geometry `g` starts here, with its pivot there.
    pub fn set_start(&mut self, g: usize, from: Pose, pivot: Vec3) {
        self.ways[g] = Way { from, to: from, pivot };
    }

    /// Geometry `g` is here after the step that was solved.
    pub fn set_end(&mut self, g: usize, pose: Pose) {
        self.ways[g].to = pose;
    }

    /// (2): where two geometries that are fast first meet on their ways, which are `part` of those of a step; contacts hold
    /// those of the manifolds `near` that are nearer than `held`. `touching` is the distance at which two geometries touch [m].
    pub fn first_impact(
        &mut self,
        collision: &mut CollisionWorld,
        (near, held): (&[Manifold], f64),
        touching: impl Fn(usize, usize) -> f64,
        (part, [margin, slop]): (f64, [f64; 2]),
        counts: impl Fn([usize; 2]) -> bool,
    ) -> Option<Impact> {
        for (g, collider) in collision.colliders().iter().enumerate() {
            let reach = Moving::new(&collider.shape, self.ways[g]).reach();
            self.fast[g] = self.may_be(g, reach / part, margin);
        }
        if !self.fast.contains(&true) {
            return None;
        }
        let touch = TOUCH.max(slop);
        let mut first: Option<Impact> = None;
        collision.sweep(&self.ways, &self.fast, |(a, moving_a), (b, moving_b), passes| {
            if !self.is_fast([a, b], moving_a.apart(moving_b) / part, margin) || !counts([a, b]) {
                return;
            }
            let known = &near[near.partition_point(|m| (m.a, m.b) < (a, b))..];
            let gaps = known.iter().take_while(|m| (m.a, m.b) == (a, b)).filter_map(Manifold::deepest);
            let rest = touching(a, b);
            let gap = gaps.reduce(f64::min).filter(|gap| *gap <= held + rest);
            // The side of a flush neighbour does not stop what lies on the other.
            let distance = match gap {
                Some(gap) => match self.next_depth([a, b], rest - gap, 3.0 * touch) {
                    Some(depth) => rest - depth,
                    None => return,
                },
                None => rest - if passes { 4.0 * touch } else { 0.0 },
            };
            // What is that near at the start does not meet in the step. The narrow phase leaves it out on purpose, as the sides of
            // flush neighbours, or its contacts hold it, at the gap of the union of these neighbours.
            if let Some(s) = time_of_impact(moving_a, moving_b, distance, touch).filter(|s| *s > 0.0) {
                let impact = Impact { share: s, geometries: [a, b], way: moving_a.apart(moving_b) };
                first = Some(first.filter(|f| f.share <= s).unwrap_or(impact));
            }
        });
        first
    }
}

/// True of an open contact that would close along its normal n, while the two move past each other by more than the gap: the normal of
/// the start may not be that of a meeting. `way` is that of a point of B beside A; they touch at the distance `rest` [m].
pub fn may_pass(points: &[ManifoldPoint], n: Vec3, rest: f64, way: impl Fn(Vec3) -> Vec3) -> bool {
    points.iter().all(|p| p.gap - rest > TOUCH)
        && points.iter().any(|p| {
            let (gap, way) = (p.gap - rest, way(p.position));
            let closes = way.dot(n);
            gap + closes < 0.0 && (way - n * closes).norm() > gap
        })
}

/// (1): true when shapes come within `margin` of the distance `rest` at which they touch [m].
pub fn will_meet(a: &Moving, b: &Moving, [rest, margin]: [f64; 2]) -> bool {
    let near = margin.max(TOUCH) + BEND * (a.reach() + b.reach());
    time_of_impact(a, b, rest + 0.5 * near, 0.5 * near).is_some()
}

/// How a shape goes on for the time h at the velocity V of its origin.
pub fn going_on(shape: &Shape, from: Pose, V: Motion, pivot: Vec3, h: f64) -> Moving<'_> {
    let (turned, arm) = (Quat::exp(V.angular * h), from.translation - pivot);
    let displacement = (V.linear - V.angular.cross(arm)) * h;
    let to = Pose::new((turned * from.rotation).renormalized(), pivot + displacement + turned.rotate(arm));
    Moving::new(shape, Way { from, to, pivot })
}

/// (4): the pivot in W of a geometry of body `b`, with its origin at `origin` and of the size `radius` [m]. By body, `V` is the velocity
/// about the reference point of the tree, `center` the centre of mass in W; `reference` is that point.
pub fn pivot(
    model: &Model,
    b: usize,
    V: &impl Fn(usize) -> Motion,
    center: &impl Fn(usize) -> Vec3,
    (reference, origin, radius): (Vec3, Vec3, f64),
) -> Vec3 {
    if flies(model, b) {
        return center(b);
    }
    let (V_b, r) = (V(b), origin - reference);
    let (w, v) = (V_b.angular, V_b.linear_at(r));
    let w2 = w.norm_squared();
    let a = acceleration(model, b, V, &|b| center(b) - reference).linear_at(r) + w.cross(v);
    let arm = (a - w * (w.dot(a) / w2)) * (1.0 / w2);
    let near = w2.sqrt() * arm.norm() <= WIDE * (v.norm() + w2.sqrt() * radius);
    if w2 > 0.0 && near { origin + arm } else { origin }
}

/// A of body b at constant rates of joints, free bodies by themselves; `center` is from the reference point.
fn acceleration(
    model: &Model,
    b: usize,
    V: &impl Fn(usize) -> Motion,
    center: &impl Fn(usize) -> Vec3,
) -> Motion {
    match model.bodies[b].parent {
        Some(p) => acceleration(model, p, V, center) + V(p).cross(V(b)),
        None if flies(model, b) => {
            let V = V(b);
            Motion::new(Vec3::ZERO, -V.angular.cross(V.linear_at(center(b))))
        }
        None => Motion::ZERO,
    }
}

/// True of what has a free joint.
fn flies(model: &Model, b: usize) -> bool {
    let joints = &model.bodies[b].joints;
    !joints.is_empty() && model.joints[joints.start].kind == JointKind::Free
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
