//! From manifolds to contact points: the only translator between geometry and mechanics.
//!
//! Surfaces with a margin touch at that distance: the gap of a contact is what is left beyond it.
//!
//! What is rigid meets at the pitch point. Where two balls or capsules, of radii r_A and r_B, are a gap φ apart (or
//! overlap, φ < 0), forces on them at one point, so that momentum is kept, have arms that are not both their radii; but
//!
//! ```text
//!     p = p_A + φ n r_A/(r_A + r_B)                                       (1)
//! ```
//!
//! with p_A on the surface of A, leaves their ratio: they roll upon each other as they would without φ, and on other
//! shapes, taken as flat (r = ∞), on their own radius. Among those, and where contacts yield, p is midway.

use crate::contact_point::ContactPoint;
use crate::coplanar::flatten;
use crate::laws::coplanar::Face;
use crate::laws::yielding::Spring;
use crate::patches::{FoundPatch, PatchDetail, PatchPair, Patches};
use crate::pitch::pitch;
use crate::swept::{Impact, Sweeper, TOUCH, going_on, may_pass, pivot, will_meet};
use crate::tangents::Direction;
use std::collections::BTreeMap;
use stiction_collision::{CollisionWorld, Manifold, ManifoldPoint, Moving, SPAN, ShapeError};
use stiction_dynamics::spatial::{Motion, Pose, Vec3};
use stiction_dynamics::{Kinematics, difference_into, lanes, motions_into};
use stiction_world::{Dimension, Material, PairSurface, World};

/// MuJoCo's least coefficient of friction where a contact resists turning.
pub const LEAST: f64 = 1e-5;

/// Coefficient of friction, and those against spinning and rolling [m], of a pair.
pub fn friction(surface: &PairSurface) -> (f64, [f64; 3]) {
    let (mu, [roll, other]) = (surface.friction(), surface.rolling.map(|r| r.max(LEAST)));
    match surface.dimension {
        Dimension::Normal | Dimension::Sliding => (mu, [0.0; 3]),
        Dimension::Spinning => (mu.max(LEAST), [surface.spinning.max(LEAST), 0.0, 0.0]),
        Dimension::Rolling => (mu.max(LEAST), [surface.spinning.max(LEAST), roll, other]),
    }
}

/// Where shapes are, and how far ahead of them contacts are looked for.
pub struct ContactFinder {
    collision: CollisionWorld,
    /// Body and pose in it, of every geometry.
    mounts: Vec<(Option<usize>, Pose)>,
    materials: Vec<Material>,
    /// Pairs with rules of their own, the smaller index first.
    pairs: BTreeMap<(usize, usize), PairSurface>,
    /// Per geometry, how far ahead its margins reach [m].
    reaches: Vec<f64>,
    /// Farthest point of every geometry from its origin; infinite for planes.
    radii: Vec<f64>,
    poses: Vec<Pose>,
    margins: Vec<f64>,
    /// Of the origin of every geometry, in W.
    velocities: Vec<Motion>,
    /// Those that do not rest.
    awake: Vec<usize>,
    manifolds: Vec<Manifold>,
    /// Manifolds of [`Self::look_back`].
    began: Vec<Manifold>,
    /// Scratch of [`Self::find_elsewhere`]: poses, margins and manifolds of the step.
    kept: (Vec<Pose>, Vec<f64>, Vec<Manifold>),
    /// Scratch of faces.
    firsts: Vec<usize>,
    /// What the pairs of manifolds are to each other, as they were found last.
    meetings: Vec<Meeting>,
    patches: Patches,
    sweeper: Sweeper,
    /// Scratch of sweeps: what takes one configuration to another, and the motions of bodies.
    change: Vec<f64>,
    motions: Vec<Motion>,
}

/// What all points of a pair of geometries have in common.
#[derive(Clone, Copy)]
struct Meeting {
    geometries: [usize; 2],
    /// They touch at this distance [m].
    margin: f64,
    friction: f64,
    static_friction: Option<f64>,
    stretch: [f64; 2],
    direction: Direction,
    turning: [f64; 3],
    restitution: f64,
    bounce_depth: f64,
    spring: Option<Spring>,
    /// See [`pitch`].
    pitch: f64,
}

/// How far ahead contacts are looked for.
#[derive(Clone, Copy)]
pub struct Lookahead {
    /// Contacts nearer than this always count [m].
    pub margin: f64,
    /// The time ahead [s].
    pub h: f64,
    /// The step of which h may be a part [s], when fast bodies are swept instead of looked ahead for.
    pub continuous: Option<f64>,
    /// Contacts are looked for in the middle of a step: of fast bodies those count that touched at its start,
    /// [`ContactFinder::look_back`].
    pub middle: bool,
    /// The law lets nothing yield.
    pub rigid: bool,
    /// In how many points the law is given a patch of what meets by pressure.
    pub patches: PatchDetail,
}

impl ContactFinder {
    /// `sweep_all`: every geometry is swept, not only those that ask for it.
    pub fn new(world: &World, sweep_all: bool) -> Result<Self, ShapeError> {
        let collision = world.collision()?;
        let mounts: Vec<_> = world.geometries.iter().map(|g| world.mount(g.link, g.X_LG)).collect();
        let n = world.geometries.len();
        let mut reaches: Vec<f64> = world.geometries.iter().map(|g| g.material.margin).collect();
        let mut pairs = BTreeMap::new();
        for pair in &world.pairs {
            let [a, b] = pair.geometries;
            pairs.insert((a.min(b), a.max(b)), pair.surface);
            for g in [a, b] {
                reaches[g] = reaches[g].max(0.5 * pair.surface.margin);
            }
        }
        Ok(Self {
            collision,
            materials: world.geometries.iter().map(|g| g.material).collect(),
            radii: world.geometries.iter().map(|g| g.shape.bounding_radius()).collect(),
            poses: mounts.iter().map(|m| m.1).collect(),
            margins: vec![0.0; n],
            velocities: vec![Motion::ZERO; n],
            awake: (0..n).collect(),
            manifolds: Vec::new(),
            began: Vec::new(),
            kept: Default::default(),
            firsts: Vec::new(),
            meetings: Vec::new(),
            patches: Patches::new(world)?,
            sweeper: Sweeper::new(&world.geometries, |g| mounts[g].0.is_none(), sweep_all),
            change: vec![0.0; world.model.nv()],
            motions: vec![Motion::ZERO; world.model.bodies.len()],
            pairs,
            reaches,
            mounts,
        })
    }

    /// Takes the surfaces of a world that differs in their friction and restitution at most.
    pub fn take_surfaces(&mut self, world: &World) {
        self.meetings.clear();
        self.materials.iter_mut().zip(&world.geometries).for_each(|(m, g)| *m = g.material);
        for pair in &world.pairs {
            let [a, b] = pair.geometries;
            self.pairs.insert((a.min(b), a.max(b)), pair.surface);
        }
    }

    /// The geometries that `rest` stay from now on where they are, and so do their margins; contacts among them, and of
    /// them with the world, are not found.
    pub fn let_rest(&mut self, rest: impl Fn(usize) -> bool) {
        self.awake.clear();
        self.awake.extend((0..self.mounts.len()).filter(|&g| !rest(g)));
        self.collision.let_rest(rest, &self.poses, &self.margins);
    }

    /// True when anything is swept.
    pub fn sweeps(&self) -> bool {
        self.sweeper.sweeps()
    }

    /// True when the next step may have to be solved in parts.
    pub fn may_be_fast(&self) -> bool {
        self.sweeper.may_be_fast()
    }

    /// How far geometry `g` may move in a step without being fast beside any other [m].
    pub fn unwatched(&self, g: usize) -> f64 {
        self.sweeper.unwatched(g)
    }

    /// Forgets how fast things were, as after a jump of the state.
    pub fn forget_speeds(&mut self) {
        self.sweeper.begin(false);
    }

    /// Does something at other poses than those of the step, whose manifolds stay: [`Self::manifolds`], [`Self::placed`].
    fn elsewhere(&mut self, act: impl FnOnce(&mut Self)) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.0.clone_from(&self.poses);
        kept.1.clone_from(&self.margins);
        std::mem::swap(&mut kept.2, &mut self.manifolds);
        act(self);
        std::mem::swap(&mut kept.0, &mut self.poses);
        std::mem::swap(&mut kept.1, &mut self.margins);
        std::mem::swap(&mut kept.2, &mut self.manifolds);
        self.kept = kept;
    }

    /// Finds the points at other poses than those of the step, whose manifolds stay.
    pub fn find_elsewhere(
        &mut self,
        world: &World,
        kin: &Kinematics,
        V: &[Motion],
        ahead: Lookahead,
        out: &mut Vec<ContactPoint>,
    ) {
        self.elsewhere(|finder| finder.find(world, kin, V, ahead, out));
    }

    /// Looks at the start of a step that is posed in its middle, where `kin` is, at the rates v: fast geometries that touch there
    /// count in the middle. Marks in `passing` the trees that are not swept and may be beyond what they meet in the middle.
    pub fn look_back(
        &mut self,
        world: &World,
        kin: &Kinematics,
        v: &[f64],
        ahead: Lookahead,
        passing: &mut [bool],
    ) {
        // What is swept needs no look ahead.
        let all = self.sweeper.watches_all();
        let ahead = if all { Lookahead { h: 0.0, ..ahead } } else { ahead };
        self.elsewhere(|finder| {
            let mut V = std::mem::take(&mut finder.motions);
            motions_into(&world.model, kin, v, &mut V);
            finder.look_ahead(world, kin, &V, ahead);
            finder.collision.query(&finder.poses, &finder.margins, world.model.gravity, &mut finder.began);
            for m in finder.began.iter().filter(|_| !all) {
                let rest = finder.surface_of(m.a, m.b).margin;
                if finder.passes_by((world, kin, &V), m, rest, ahead) {
                    let bodies = [m.a, m.b].into_iter().filter_map(|g| finder.mounts[g].0);
                    bodies.for_each(|b| passing[world.model.bodies[b].tree] = true);
                }
            }
            finder.motions = V;
        });
    }

    /// Finds every contact point that could close within a step of length h, and those nearer
    /// than the margin. `V` holds the velocities that bodies would have without contacts, about the
    /// references of `kin`.
    pub fn find(
        &mut self,
        world: &World,
        kin: &Kinematics,
        V: &[Motion],
        ahead: Lookahead,
        out: &mut Vec<ContactPoint>,
    ) {
        lanes::plain(
            #[inline(always)]
            || self.look_ahead(world, kin, V, ahead),
        );
        self.collision.query(&self.poses, &self.margins, world.model.gravity, &mut self.manifolds);
        out.clear();
        self.find_meetings(world);
        self.patches.find(self.collision.near(), &self.poses);
        let mut patch = 0;
        for k in 0..self.manifolds.len() {
            let m = &self.manifolds[k];
            let pair = [m.a, m.b];
            let Meeting {
                margin,
                friction,
                static_friction,
                stretch,
                turning,
                restitution,
                bounce_depth,
                spring,
                ..
            } = self.meetings[k];
            if self.patches.takes(m.a, m.b) || !self.counts((world, kin, V), m, margin, ahead) {
                continue;
            }
            patch = self.push_patches(world, kin, (patch, Some(pair)), ahead.patches, out);
            let (m, meeting) = (&self.manifolds[k], &self.meetings[k]);
            let (t1, t2) = meeting.direction.tangents(kin, m.normal);
            let pitch = if ahead.rigid && spring.is_none() { meeting.pitch } else { 0.0 };
            for (k, p) in m.points().iter().enumerate() {
                let gap = p.gap - margin;
                out.push(ContactPoint {
                    geometries: [m.a, m.b],
                    bodies: [self.mounts[m.a].0, self.mounts[m.b].0],
                    feature: p.feature,
                    position: p.position + m.normal * (pitch * gap),
                    t1,
                    t2,
                    n: m.normal,
                    gap,
                    face: Face::of_one(gap),
                    friction,
                    static_friction,
                    stretch,
                    restitution,
                    bounce_depth,
                    turning,
                    spring,
                    patch: None,
                    redundant: k >= SPAN,
                });
            }
        }
        self.push_patches(world, kin, (patch, None), ahead.patches, out);
        if ahead.rigid {
            flatten(out, &mut self.firsts);
        }
    }

    /// Appends the points of the patches from number `from` on, of pairs before `end`; the number of the first one left.
    fn push_patches(
        &mut self,
        world: &World,
        kin: &Kinematics,
        (from, end): (usize, Option<[usize; 2]>),
        detail: PatchDetail,
        out: &mut Vec<ContactPoint>,
    ) -> usize {
        let mut number = from;
        while let Some(found) = self.patches.found().get(number) {
            let geometries = found.geometries;
            if end.is_some_and(|end| geometries >= end) {
                break;
            }
            let [a, b] = geometries;
            let surface = surface(&self.pairs, &self.materials, a, b);
            let pair = PatchPair {
                kin,
                geometries,
                bodies: geometries.map(|g| self.mounts[g].0),
                surface,
                direction: Direction::of(world, &self.mounts, geometries, &surface),
                materials: geometries.map(|g| &self.materials[g]),
                detail,
            };
            self.patches.push(number, &pair, out);
            number += 1;
        }
        number
    }

    /// The patches of pairs that meet by pressure, as they were found last.
    pub fn found_patches(&self) -> &[FoundPatch] {
        self.patches.found()
    }

    /// True of a pair that meets by pressure and not in points.
    pub fn meets_by_pressure(&self, a: usize, b: usize) -> bool {
        self.patches.takes(a, b)
    }

    /// True where some surface yields by pressure.
    pub fn has_pressure(&self) -> bool {
        self.patches.any()
    }

    /// What the geometries of every manifold are to each other: mostly the same as in the last step.
    fn find_meetings(&mut self, world: &World) {
        for (k, m) in self.manifolds.iter().enumerate() {
            let geometries = [m.a, m.b];
            if self.meetings.get(k).is_some_and(|known| known.geometries == geometries) {
                continue;
            }
            let surface = self.surface_of(m.a, m.b);
            let (friction, turning) = friction(&surface);
            let meeting = Meeting {
                geometries,
                margin: surface.margin,
                friction,
                static_friction: surface.static_friction,
                stretch: surface.stretch(),
                direction: Direction::of(world, &self.mounts, geometries, &surface),
                turning,
                restitution: surface.restitution,
                bounce_depth: self.bounce_depth_of(m.a, m.b),
                spring: Spring::stated(&surface.compliance),
                pitch: self.pitch_of(m.a, m.b),
            };
            self.meetings.truncate(k);
            self.meetings.push(meeting);
        }
    }

    /// Poses and velocities of the geometries, and how far ahead each looks.
    #[inline(always)]
    fn look_ahead(&mut self, world: &World, kin: &Kinematics, V: &[Motion], ahead: Lookahead) {
        self.sweeper.begin(true);
        for &g in &self.awake {
            let (body, X_BG) = &self.mounts[g];
            self.margins[g] = 0.5 * ahead.margin + self.reaches[g];
            let Some(b) = *body else { continue };
            let pose = kin.X_WB[b] * *X_BG;
            let r = pose.translation - kin.reference[world.model.bodies[b].tree];
            let velocity = Motion::new(V[b].angular, V[b].linear_at(r));
            // No point of the geometry is faster than its origin plus spin times radius.
            let speed = velocity.linear.norm() + velocity.angular.norm() * self.radii[g];
            self.poses[g] = pose;
            self.velocities[g] = velocity;
            self.sweeper.look_out(g, ahead.continuous.unwrap_or(ahead.h) * speed, ahead.margin);
            self.margins[g] += ahead.h * speed;
        }
    }

    /// What the two surfaces of a contact are to each other.
    pub fn surface(&self, contact: &ContactPoint) -> PairSurface {
        let [a, b] = contact.geometries;
        self.surface_of(a, b)
    }

    /// The same of the geometries a < b.
    pub fn surface_of(&self, a: usize, b: usize) -> PairSurface {
        surface(&self.pairs, &self.materials, a, b)
    }

    /// How deep two geometries may overlap, for a step, before they bounce at e = 1 [m].
    pub fn bounce_depth_of(&self, a: usize, b: usize) -> f64 {
        self.sweeper.bounce_depth([a, b])
    }

    /// See [`pitch`].
    pub fn pitch_of(&self, a: usize, b: usize) -> f64 {
        let colliders = self.collision.colliders();
        pitch(&colliders[a].shape, &colliders[b].shape)
    }

    /// Per geometry, how far ahead its margins reach [m].
    pub fn reaches(&self) -> &[f64] {
        &self.reaches
    }

    /// The manifolds that were found last, by the indices of their geometries.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    /// Where the geometries were then, and how far from each contacts were looked for [m].
    pub fn placed(&self) -> (&[Pose], &[f64]) {
        (&self.poses, &self.margins)
    }

    pub fn collision(&self) -> &CollisionWorld {
        &self.collision
    }

    /// Contacts within the margin count, far ones if the two will come so near; where the two may pass each other, either counts if
    /// they will meet. They touch at the distance `rest`.
    fn counts(
        &self,
        motion: (&World, &Kinematics, &[Motion]),
        m: &Manifold,
        rest: f64,
        ahead: Lookahead,
    ) -> bool {
        if ahead.middle && self.is_swept(m, ahead) {
            return self.touched([m.a, m.b], rest);
        }
        let near = m.deepest().is_some_and(|gap| gap <= rest + ahead.margin);
        let passes = may_pass(m.points(), m.normal, rest, |p| self.way_at(m, p, ahead.h));
        if near && !passes {
            return true;
        }
        let margin = if passes { 0.0 } else { ahead.margin };
        (near || !self.is_swept(m, ahead))
            && will_meet(&self.going(motion, m.a, ahead.h), &self.going(motion, m.b, ahead.h), [rest, margin])
    }

    /// True of two geometries that touched at the start of the step.
    fn touched(&self, pair: [usize; 2], rest: f64) -> bool {
        let from = self.began.partition_point(|m| [m.a, m.b] < pair);
        let of_pair = self.began[from..].iter().take_while(|m| [m.a, m.b] == pair);
        of_pair.filter_map(Manifold::deepest).any(|gap| gap <= rest + TOUCH)
    }

    /// True where the two are fast in the step.
    fn is_swept(&self, m: &Manifold, ahead: Lookahead) -> bool {
        let apart = |step: f64| step * self.speed_apart(m);
        ahead.continuous.is_some_and(|step| self.sweeper.is_fast([m.a, m.b], apart(step), ahead.margin))
    }

    /// True where the two are so fast, meet in the step, and are not swept.
    fn passes_by(
        &self,
        motion: (&World, &Kinematics, &[Motion]),
        m: &Manifold,
        rest: f64,
        ahead: Lookahead,
    ) -> bool {
        let pair = [m.a, m.b];
        if !self.sweeper.may_pass_by(pair, ahead.h * self.speed_apart(m), ahead.margin) {
            return false;
        }
        if m.deepest().is_none_or(|gap| gap > rest + TOUCH) {
            let [a, b] = pair.map(|g| self.going(motion, g, ahead.h));
            return will_meet(&a, &b, [rest, ahead.margin]);
        }
        let closes = |p: &ManifoldPoint| -self.way_at(m, p.position, ahead.h).dot(m.normal);
        m.points().iter().any(|p| self.sweeper.may_pass_by(pair, closes(p), ahead.margin))
    }

    /// How far a point p of B moves beside that of A in h [s], at their velocities.
    fn way_at(&self, m: &Manifold, p: Vec3, h: f64) -> Vec3 {
        let of = |g: usize| self.velocities[g].linear_at(p - self.poses[g].translation);
        (of(m.b) - of(m.a)) * h
    }

    /// No points of the two move past each other faster [m/s].
    fn speed_apart(&self, m: &Manifold) -> f64 {
        let [V, U] = [m.a, m.b].map(|g| self.velocities[g]);
        let spin = |g: usize, V: Motion| match V.angular.norm() {
            0.0 => 0.0,
            rate => rate * self.radii[g],
        };
        (V.linear - U.linear).norm() + spin(m.a, V) + spin(m.b, U)
    }

    /// How geometry `g` goes on.
    fn going(&self, motion: (&World, &Kinematics, &[Motion]), g: usize, h: f64) -> Moving<'_> {
        let pivot = self.pivot(motion, g, self.poses[g].translation);
        going_on(&self.collision.colliders()[g].shape, self.poses[g], self.velocities[g], pivot, h)
    }

    fn pivot(&self, (world, kin, V): (&World, &Kinematics, &[Motion]), g: usize, origin: Vec3) -> Vec3 {
        let Some(b) = self.mounts[g].0 else { return origin };
        let reference = |b: usize| kin.reference[world.model.bodies[b].tree];
        let center = |b: usize| reference(b) + kin.I[b].first * (1.0 / kin.I[b].mass);
        pivot(&world.model, b, &|b| V[b], &center, (reference(b), origin, self.radii[g]))
    }

    /// Where fast geometries first meet, if the bodies move from q to `q_next` in that part of a step, which was posed in its
    /// middle, or at its start. Only pairs for which `counts` is true do. `kin` is scratch, and at `q_next` afterwards.
    pub fn first_impact(
        &mut self,
        (world, kin): (&World, &mut Kinematics),
        [q, q_next]: [&[f64]; 2],
        (part, limits): (f64, [f64; 2]),
        middle: bool,
        counts: impl Fn([usize; 2]) -> bool,
    ) -> Option<Impact> {
        kin.update(&world.model, q);
        difference_into(&world.model, q, q_next, 1.0, &mut self.change);
        motions_into(&world.model, kin, &self.change, &mut self.motions);
        for g in 0..self.mounts.len() {
            let (body, X_BG) = self.mounts[g];
            let pose = body.map_or(X_BG, |b| kin.X_WB[b] * X_BG);
            let pivot = self.pivot((world, kin, &self.motions), g, pose.translation);
            self.sweeper.set_start(g, pose, pivot);
        }
        kin.update(&world.model, q_next);
        for (g, (body, X_BG)) in self.mounts.iter().enumerate() {
            self.sweeper.set_end(g, body.map_or(*X_BG, |b| kin.X_WB[b] * *X_BG));
        }
        let Self { collision, sweeper, manifolds, began, pairs, materials, .. } = self;
        let touching = |a, b| surface(pairs, materials, a, b).margin;
        let held = if middle { (&began[..], TOUCH) } else { (&manifolds[..], limits[0]) };
        sweeper.first_impact(collision, held, touching, (part, limits), counts)
    }
}

/// What holds between the geometries a < b.
fn surface(
    pairs: &BTreeMap<(usize, usize), PairSurface>,
    materials: &[Material],
    a: usize,
    b: usize,
) -> PairSurface {
    pairs.get(&(a, b)).copied().unwrap_or_else(|| Material::pair(&materials[a], &materials[b]))
}
