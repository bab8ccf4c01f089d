//! Contact points of as many environments as there are lanes.
//!
//! Every pair of geometries is tried in all lanes at once, with ever finer bounds: balls around both, then rounded
//! segments, then the faces of boxes. What remains near in some lane gets its contact points in lanes where a sphere or
//! a capsule meets a plane of the world, otherwise lane by lane from [`stiction_collision::collide`]. Which points
//! count is decided as in [`stiction_assembly::contact_points`].

use super::memory::Memory;
use super::plan::{Ends, Kind, Pair, Plan};
use super::slot::{Slot, one};
use stiction_assembly::laws::coplanar::{Face, Plane};
use stiction_assembly::swept::{TOUCH, going_on, may_pass, pivot, will_meet};
use stiction_collision::{Manifold, ManifoldPoint, SPAN, collide, plane_feature};
use stiction_dynamics::spatial::{Motion, Pose, Quat, Vec3};
use stiction_dynamics::{Kinematics, Real, Velocities};

/// See the module.
pub(super) struct Touch<T> {
    pub(super) slots: Vec<Slot<T>>,
    /// Per geometry: origin in W, its distance for contacts, and its velocity.
    origin: Vec<Vec3<T>>,
    margin: Vec<T>,
    velocity: Vec<Motion<T>>,
    /// 1 where a geometry may be beyond what it meets in the middle of the step.
    pub(super) passes: T,
    /// Per pair, 1 where its geometries are within reach of each other.
    met: Vec<T>,
    manifold: Manifold,
    /// Scratch of faces.
    lead: Vec<T>,
}

impl<T: Real> Touch<T> {
    pub(super) fn new(kind: T, plan: &Plan) -> Self {
        let fixed = |p: &super::plan::Place| p.X_BG.translation.cast(kind);
        Self {
            slots: Vec::new(),
            origin: plan.places.iter().map(fixed).collect(),
            margin: plan.places.iter().map(|p| kind.like(p.reach)).collect(),
            velocity: vec![Motion::zero(kind); plan.places.len()],
            passes: kind.zero(),
            met: vec![kind; plan.pairs.len()],
            manifold: Manifold::new(0, 1),
            lead: Vec::new(),
        }
    }

    /// All contact points that could close within the step, and those nearer than the margin, in the `sound`
    /// lanes; `vel` holds the velocities that bodies would have without contacts.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        plan: &Plan,
        memory: &Memory,
        kin: &Kinematics<T>,
        vel: &Velocities<T>,
        sound: T,
    ) {
        self.slots.clear();
        self.met.iter_mut().for_each(|met| *met = sound.zero());
        self.place(plan, kin, vel);
        for (index, pair) in plan.pairs.iter().enumerate() {
            match pair.kind {
                Kind::Plane { plane, normal, origin, ends } => {
                    let g = pair.geometries[1 - plane];
                    let (n, o) = (normal.cast(sound), origin.cast(sound));
                    let height = n.dot(self.origin[g] - o);
                    let limit = self.reach(pair) + sound.like(plan.places[g].radius);
                    let mut low = height.less(limit);
                    if !T::any(low) {
                        continue;
                    }
                    if let Some([middle, half]) = plan.places[g].boxed {
                        let axes = axes_of(plan, kin, g, sound);
                        let height = height + n.dot(along(&axes, middle)) - extent(&axes, half, n);
                        low = height.less(self.reach(pair));
                        if !T::any(low) {
                            continue;
                        }
                    }
                    let segment = match ends {
                        Ends::One { radius } => Some([0.0, radius]),
                        Ends::Two { radius, half_length } => Some([half_length, radius]),
                        Ends::Other => None,
                    };
                    if let Some(segment) = segment {
                        self.ends(plan, (kin, vel), index, sound, [g, plane], segment);
                    } else {
                        self.one_by_one((plan, memory), (kin, vel), index, sound.truth(low) * sound);
                    }
                }
                Kind::Bounded => {
                    let near = self.near(plan, kin, pair);
                    if T::any(near) {
                        self.one_by_one((plan, memory), (kin, vel), index, sound.truth(near) * sound);
                    }
                }
            }
        }
        let bodies = |slot: &Slot<T>| plan.pairs[slot.pair].bodies;
        for run in self.slots.chunk_by_mut(|p, q| bodies(p) == bodies(q)) {
            if run.len() > 1 {
                flatten(plan, run, &mut self.lead);
            }
        }
    }

    /// 1 where something meets two geometries with a seam between them: lanes judge every pair alone.
    #[inline(always)]
    pub(super) fn crosses(&self, plan: &Plan, kind: T) -> T {
        plan.seams.iter().fold(kind.zero(), |crosses, &[a, b]| crosses.max(self.met[a].min(self.met[b])))
    }

    /// Origins, velocities and margins of what moves.
    #[inline(always)]
    fn place(&mut self, plan: &Plan, kin: &Kinematics<T>, vel: &Velocities<T>) {
        self.passes = self.passes.zero();
        for (g, place) in plan.places.iter().enumerate() {
            let Some(b) = place.body else { continue };
            let (X, V) = (&kin.X_WB[b], vel.V[b]);
            let h = X.translation.x.like(plan.h());
            let p = X.translation + kin.R_WB[b] * place.X_BG.translation.cast(h);
            let linear = V.linear_at(p - kin.reference[kin.tree_of(b)]);
            // No point of the geometry is faster than its origin plus spin times radius.
            let speed = linear.norm() + V.angular.norm() * h.like(place.radius);
            self.origin[g] = p;
            self.velocity[g] = Motion::new(V.angular, linear);
            self.margin[g] = h.like(place.reach) + h * speed;
            self.passes = self.passes.max(h.truth(h.like(place.unwatched).less(h * speed)));
        }
    }

    #[inline(always)]
    fn reach(&self, pair: &Pair) -> T {
        self.margin[pair.geometries[0]] + self.margin[pair.geometries[1]]
    }

    /// The end or ends of a rounded segment over a plane. `[geometry, plane]`: the latter among the two.
    #[inline(always)]
    fn ends(
        &mut self,
        plan: &Plan,
        (kin, vel): (&Kinematics<T>, &Velocities<T>),
        index: usize,
        sound: T,
        [g, plane]: [usize; 2],
        [half_length, radius]: [f64; 2],
    ) {
        let pair = &plan.pairs[index];
        let Kind::Plane { normal, origin, .. } = pair.kind else { return };
        let r = sound.like(radius);
        let (n, o) = (normal.cast(sound), origin.cast(sound));
        let two = half_length > 0.0;
        let center = self.origin[g];
        let half = if two { self.axis(plan, kin, g) * sound.like(half_length) } else { Vec3::zero(sound) };
        // The first end is the one at −z.
        let points = [center - half, center + half];
        let gaps = [n.dot(points[0] - o) - r, n.dot(points[1] - o) - r];
        let count = if two { 2 } else { 1 };
        let (deepest, reach) = (gaps[0].min(gaps[count - 1]), self.reach(pair));
        let rest = sound.like(pair.rest);
        let open = (rest + sound.like(TOUCH)).less(deepest);
        let within = T::select(T::not(reach.less(deepest)), sound, sound.zero());
        let mut counts = T::select(open, sound.zero(), within);
        let open = within - counts;
        let place = |k: usize| points[k] - n * (r + sound.like(0.5) * gaps[k]);
        for lane in (0..T::LANES).filter(|l| open.lane(*l) > 0.0) {
            let at = [0, count - 1].map(|k| ManifoldPoint {
                position: one(place(k), lane),
                gap: gaps[k].lane(lane),
                feature: 0,
            });
            let first = usize::from(at[0].gap > reach.lane(lane));
            let last = usize::from(count == 2 && at[1].gap <= reach.lane(lane)) + 1;
            let n = normal * if plane == 0 { 1.0 } else { -1.0 };
            if self.counts(plan, (kin, vel), pair, (&at[first..last], n), lane) {
                counts = counts.with_lane(lane, 1.0);
            }
        }
        let (t1, t2) = normal.tangents();
        let mut frame = [t1.cast(sound), t2.cast(sound), n];
        if plane == 1 {
            let (t1, t2) = (-normal).tangents();
            frame = [t1.cast(sound), t2.cast(sound), -n];
        }
        let pitch = sound.like(pair.pitch);
        // As the narrow phase has it.
        let feature = |k: usize| plane_feature(k).rotate_left(16 * plane as u32);
        for (k, full) in gaps.into_iter().enumerate().take(count) {
            let within = T::not(reach.less(full));
            self.met[index] = self.met[index].max(sound.truth(within));
            let active = T::select(within, counts, sound.zero());
            let gap = full - rest;
            if T::any(active.mask()) {
                self.slots.push(Slot {
                    pair: index,
                    ordinal: k,
                    feature: [feature(k); super::WIDEST],
                    active,
                    position: place(k) + frame[2] * (pitch * gap),
                    frame,
                    gap,
                    face: Face::of_one(gap),
                });
            }
        }
    }

    /// The z axis of geometry g, in W.
    #[inline(always)]
    fn axis(&self, plan: &Plan, kin: &Kinematics<T>, g: usize) -> Vec3<T> {
        let place = &plan.places[g];
        let (kind, z) = (self.margin[g], place.X_BG.rotation.rotate(Vec3::Z));
        match place.body {
            Some(b) => kin.R_WB[b] * z.cast(kind),
            None => z.cast(kind),
        }
    }

    /// Where two bounded shapes may be within reach of each other.
    #[inline(always)]
    fn near(&self, plan: &Plan, kin: &Kinematics<T>, pair: &Pair) -> T::Mask {
        let ([a, b], reach) = (pair.geometries, self.reach(pair));
        let places = [&plan.places[a], &plan.places[b]];
        let d = self.origin[b] - self.origin[a];
        let limit = reach + reach.like(places[0].radius + places[1].radius);
        let mut near = d.norm_squared().less(limit * limit);
        if !T::any(near) {
            return near;
        }
        // Rounded segments.
        let [[l_a, r_a], [l_b, r_b]] = [places[0].rounded, places[1].rounded];
        if l_a > 0.0 || l_b > 0.0 {
            let (x, y) = (self.half_segment(plan, kin, a), self.half_segment(plan, kin, b));
            let limit = reach + reach.like(r_a + r_b);
            near = T::both(near, segments(x, y, d).less(limit * limit));
            if !T::any(near) {
                return near;
            }
        }
        for (this, other) in [(a, b), (b, a)] {
            near = T::both(near, self.near_box(plan, kin, this, other, reach));
        }
        near
    }

    #[inline(always)]
    fn half_segment(&self, plan: &Plan, kin: &Kinematics<T>, g: usize) -> Vec3<T> {
        let length = plan.places[g].rounded[0];
        if length > 0.0 {
            self.axis(plan, kin, g) * self.margin[g].like(length)
        } else {
            Vec3::zero(self.margin[g])
        }
    }

    /// Not beyond a face of the box about g, if there is one.
    #[inline(always)]
    fn near_box(&self, plan: &Plan, kin: &Kinematics<T>, g: usize, other: usize, reach: T) -> T::Mask {
        let mut near = reach.zero().less(reach.one());
        let Some([middle, half]) = plan.places[g].boxed else { return near };
        let axes = axes_of(plan, kin, g, reach);
        let mut theirs = None;
        if let Some([middle, half]) = plan.places[other].boxed {
            theirs = Some((axes_of(plan, kin, other, reach), middle, half));
        }
        let mut d = self.origin[other] - self.origin[g] - along(&axes, middle);
        let mut segment = Vec3::zero(reach);
        match &theirs {
            Some((axes, middle, _)) => d += along(axes, *middle),
            None => segment = self.half_segment(plan, kin, other),
        }
        for (axis, half) in axes.iter().zip(half.to_array()) {
            let extent = match &theirs {
                Some((theirs, _, half)) => extent(theirs, *half, *axis),
                None => axis.dot(segment).abs() + reach.like(plan.places[other].rounded[1]),
            };
            near = T::both(near, (axis.dot(d).abs() - extent).less(reach + reach.like(half)));
        }
        near
    }

    /// Whether the contact of a pair counts in one lane, its points and its normal being known.
    fn counts(
        &self,
        plan: &Plan,
        (kin, vel): (&Kinematics<T>, &Velocities<T>),
        pair: &Pair,
        (points, n): (&[ManifoldPoint], Vec3),
        lane: usize,
    ) -> bool {
        let stepper = &plan.settings.stepper;
        let near = points.iter().any(|p| p.gap <= pair.rest + stepper.margin);
        let of = |g: usize, p: Vec3| motion(self.velocity[g], lane).linear_at(p - one(self.origin[g], lane));
        let [a, b] = pair.geometries;
        let passes = may_pass(points, n, pair.rest, |p| (of(b, p) - of(a, p)) * stepper.dt);
        if near && !passes {
            return true;
        }
        let [a, b] = [a, b].map(|g| {
            let (pose, V) = (pose(plan, kin, g, lane), motion(self.velocity[g], lane));
            let pivot = pivot_of(plan, (kin, vel), (g, pose.translation), lane);
            going_on(&plan.world.geometries[g].shape, pose, V, pivot, stepper.dt)
        });
        will_meet(&a, &b, [pair.rest, if passes { 0.0 } else { stepper.margin }])
    }

    /// The contact points of a pair from the narrow phase, in the lanes in which `near` is 1.
    #[inline(never)]
    fn one_by_one(
        &mut self,
        (plan, memory): (&Plan, &Memory),
        (kin, vel): (&Kinematics<T>, &Velocities<T>),
        index: usize,
        near: T,
    ) {
        let (pair, first) = (&plan.pairs[index], self.slots.len());
        let [a, b] = pair.geometries;
        let shapes = [a, b].map(|g| &plan.world.geometries[g].shape);
        let reach = self.reach(pair);
        for lane in 0..T::LANES {
            if near.lane(lane) == 0.0 {
                continue;
            }
            let poses = [a, b].map(|g| pose(plan, kin, g, lane));
            let margin = reach.lane(lane);
            collide(shapes[0], &poses[0], shapes[1], &poses[1], margin, &mut self.manifold);
            if self.manifold.points().is_empty() {
                continue;
            }
            self.met[index] = self.met[index].with_lane(lane, 1.0);
            let found = (self.manifold.points(), self.manifold.normal);
            if !self.counts(plan, (kin, vel), pair, found, lane) {
                continue;
            }
            let n = self.manifold.normal;
            let (t1, t2) = n.tangents();
            let counts =
                |(k, point): &(usize, &ManifoldPoint)| *k < SPAN || memory.bore(index, point.feature, lane);
            let points = self.manifold.points().iter().enumerate().filter(counts);
            for (k, (_, point)) in points.enumerate() {
                if self.slots.len() == first + k {
                    self.slots.push(Slot {
                        pair: index,
                        ordinal: k,
                        feature: [u32::MAX; super::WIDEST],
                        active: near.zero(),
                        position: Vec3::zero(near),
                        frame: [Vec3::X.cast(near), Vec3::Y.cast(near), Vec3::Z.cast(near)],
                        gap: near.zero(),
                        face: Face::of_one(near.zero()),
                    });
                }
                let slot = &mut self.slots[first + k];
                slot.feature[lane] = point.feature;
                slot.active = slot.active.with_lane(lane, 1.0);
                let gap = point.gap - pair.rest;
                slot.gap = slot.gap.with_lane(lane, gap);
                slot.face.deepest = slot.gap;
                put(&mut slot.position, lane, point.position + n * (pair.pitch * gap));
                for (axis, value) in slot.frame.iter_mut().zip([t1, t2, n]) {
                    put(axis, lane, value);
                }
            }
        }
    }
}

/// [`stiction_assembly::coplanar::flatten`] of points of the same two bodies. `lead` is scratch: 1 in the lanes in which a point is of
/// no face yet and does not yield.
#[inline(always)]
fn flatten<T: Real>(plan: &Plan, slots: &mut [Slot<T>], lead: &mut Vec<T>) {
    let rigid = |s: &Slot<T>| plan.pairs[s.pair].spring.is_none();
    lead.clear();
    lead.extend(slots.iter().map(|s| if rigid(s) { s.active } else { s.active.zero() }));
    let coarseness = slots[0].gap.like(plan.coarser());
    for first in 0..slots.len() {
        let (one, mine) = (slots[first].point(), lead[first]);
        if !T::any(mine.mask()) {
            continue;
        }
        let mut plane = Plane::new(&one);
        for (slot, lead) in slots[first..].iter().zip(&lead[first..]) {
            let slot = slot.point();
            plane.deepen(&slot, T::both((mine * *lead).mask(), slot.is_of_face_of(&one, coarseness)));
        }
        for (slot, lead) in slots[first..].iter().zip(&lead[first..]) {
            let slot = slot.point();
            let face = T::both((mine * *lead).mask(), slot.is_of_face_of(&one, coarseness));
            plane.widen(&slot, face, coarseness);
        }
        for (slot, lead) in slots[first..].iter_mut().zip(&mut lead[first..]) {
            let point = slot.point();
            let face = T::both((mine * *lead).mask(), point.is_of_face_of(&one, coarseness));
            slot.position = plane.flattened(&point, face);
            slot.face.deepest = T::select(face, plane.face.deepest, slot.face.deepest);
            slot.face.spread = T::select(face, plane.face.spread, slot.face.spread);
            *lead = T::select(face, lead.zero(), *lead);
        }
    }
}

/// Squared distance of two segments with the half vectors a and b, the middle of the second at d from that of the
/// first.
#[inline(always)]
fn segments<T: Real>(a: Vec3<T>, b: Vec3<T>, d: Vec3<T>) -> T {
    let one = d.x.one();
    let tiny = d.x.like(1e-30);
    let (aa, bb, ab) = (a.norm_squared().max(tiny), b.norm_squared().max(tiny), a.dot(b));
    let (ad, bd) = (a.dot(d), b.dot(d));
    // Least of |d + t b − s a|² over the square: s first, then t, then s again.
    let det = (aa * bb - ab * ab).max(tiny);
    let s = ((ad * bb - bd * ab) / det).min(one).max(-one);
    let t = ((s * ab - bd) / bb).min(one).max(-one);
    let s = ((ad + t * ab) / aa).min(one).max(-one);
    (d + b * t - a * s).norm_squared()
}

fn motion<T: Real>(V: Motion<T>, lane: usize) -> Motion {
    Motion::new(one(V.angular, lane), one(V.linear, lane))
}

/// The pivot of geometry g in one lane.
fn pivot_of<T: Real>(
    plan: &Plan,
    (kin, vel): (&Kinematics<T>, &Velocities<T>),
    (g, origin): (usize, Vec3),
    lane: usize,
) -> Vec3 {
    let Some(b) = plan.places[g].body else { return origin };
    let reference = one(kin.reference[kin.tree_of(b)], lane);
    let center = |b: usize| reference + one(kin.I[b].first, lane) * (1.0 / kin.I[b].mass.lane(lane));
    let V = |b: usize| motion(vel.V[b], lane);
    pivot(&plan.world.model, b, &V, &center, (reference, origin, plan.places[g].radius))
}

#[inline(always)]
fn put<T: Real>(x: &mut Vec3<T>, lane: usize, value: Vec3) {
    x.x = x.x.with_lane(lane, value.x);
    x.y = x.y.with_lane(lane, value.y);
    x.z = x.z.with_lane(lane, value.z);
}

/// The axes of geometry g, in W.
#[inline(always)]
fn axes_of<T: Real>(plan: &Plan, kin: &Kinematics<T>, g: usize, kind: T) -> [Vec3<T>; 3] {
    let place = &plan.places[g];
    let mut axes = [Vec3::zero(kind); 3];
    for (axis, unit) in axes.iter_mut().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
        let unit = place.X_BG.rotation.rotate(unit).cast(kind);
        *axis = match place.body {
            Some(b) => kin.R_WB[b] * unit,
            None => unit,
        };
    }
    axes
}

/// x given along them.
#[inline(always)]
fn along<T: Real>(axes: &[Vec3<T>; 3], x: Vec3) -> Vec3<T> {
    let kind = axes[0].x;
    axes[0] * kind.like(x.x) + axes[1] * kind.like(x.y) + axes[2] * kind.like(x.z)
}

/// How far a box with these axes and half sides reaches from its middle along n.
#[inline(always)]
fn extent<T: Real>(axes: &[Vec3<T>; 3], half: Vec3, n: Vec3<T>) -> T {
    let mut sum = n.x.zero();
    for (axis, half) in axes.iter().zip(half.to_array()) {
        sum += axis.dot(n).abs() * sum.like(half);
    }
    sum
}

/// Of geometry g in one lane.
fn pose<T: Real>(plan: &Plan, kin: &Kinematics<T>, g: usize, lane: usize) -> Pose {
    let place = &plan.places[g];
    let Some(b) = place.body else { return place.X_BG };
    let X = &kin.X_WB[b];
    let r = X.rotation;
    let rotation = Quat::new(r.w.lane(lane), r.x.lane(lane), r.y.lane(lane), r.z.lane(lane));
    Pose::new(rotation.renormalized(), one(X.translation, lane)) * place.X_BG
}
