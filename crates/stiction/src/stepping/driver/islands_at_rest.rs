//! Which trees are at rest, which islands they make, and which of these sleep: (1) of [`super::sleep`].

use crate::params::Sleep;
use crate::report::StepReport;
use crate::stepping::integrate::bound_trees;
use crate::stepping::memory::Memory;
use std::ops::Range;
use stiction_assembly::warm_start::Key;
use stiction_assembly::{ContactPoint, Jacobian, WarmStart};
use stiction_collision::Shape;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{JointKind, append_range};
use stiction_world::World;

/// (1) [m/s]
const SLOW: f64 = 1e-7;
/// (1) [s]
const TIME: f64 = 0.05;
/// (1), at least [steps].
const STEPS: u32 = 5;

/// The island of what is awake.
pub(crate) const AWAKE: usize = usize::MAX;

/// A contact of what sleeps, and what it does in every step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SleepingContact {
    pub(crate) contact: ContactPoint,
    /// Index among the contacts of the step in which it fell asleep.
    pub(super) place: usize,
    /// Impulse on B and its moment about the point, in W [N·s, N·m·s].
    pub(crate) wrench: [Vec3; 2],
}

/// Islands at rest, and those that sleep.
pub(crate) struct IslandsAtRest {
    /// Something may sleep.
    pub(crate) on: bool,
    pub(super) enough: u32,
    pub(super) gravity: Vec3,
    /// Per tree: it may sleep.
    pub(super) may: Vec<bool>,
    /// Per dof: its tree, and the distance at which it moves something [m]; 1 of a translation.
    pub(super) tree_of: Vec<usize>,
    arms: Vec<f64>,
    /// Per geometry; `None`: the world's.
    pub(super) tree_of_geometry: Vec<Option<usize>>,
    /// Per tree: steps in which (1) held, and the island it sleeps with, called by its first tree.
    pub(crate) calm: Vec<u32>,
    pub(crate) island: Vec<usize>,
    /// Contacts of sleeping bodies, in the order of [`ContactPoint::geometries`].
    pub(crate) contacts: Vec<SleepingContact>,
    pub(super) memory: WarmStart,
    /// Warm starts of what woke last, until they are lent.
    pub(super) woken_memory: WarmStart,
    /// Coordinates and dofs of what sleeps.
    pub(super) q: Vec<Range<usize>>,
    pub(super) v: Vec<Range<usize>>,
    /// Bodies that sleep, and all.
    bodies: [usize; 2],
    /// Deepest overlap of sleeping bodies [m].
    penetration: f64,
    /// Islands that fell asleep in the last step: their contacts are in its problem too.
    pub(crate) fell: Vec<usize>,
    /// Times that something fell asleep or woke.
    pub(crate) changes: u64,
    // Of a step, per tree.
    fast: Vec<bool>,
    pub(super) root: Vec<usize>,
    pub(super) stays: Vec<bool>,
    pub(super) moves: Vec<bool>,
    pub(super) wakes: Vec<bool>,
}

impl IslandsAtRest {
    pub(super) fn new(world: &World, sleep: Sleep, dt: f64) -> Self {
        let model = &world.model;
        let trees = model.trees;
        let tree_of: Vec<_> = model.dofs.iter().map(|d| model.bodies[d.body].tree).collect();
        let (mut may, mut reach) = (vec![false; trees], vec![0.0; trees]);
        let mut flat = vec![false; trees];
        let mut of_body = vec![0.0_f64; model.bodies.len()];
        let mut tree_of_geometry = Vec::with_capacity(world.geometries.len());
        for g in &world.geometries {
            let (body, X_BG) = world.mount(g.link, g.X_LG);
            tree_of_geometry.push(body.map(|b| model.bodies[b].tree));
            let Some(b) = body else { continue };
            may[model.bodies[b].tree] = true;
            flat[model.bodies[b].tree] |= matches!(g.shape, Shape::Plane);
            of_body[b] = of_body[b].max(X_BG.translation.norm() + g.shape.bounding_radius());
        }
        for (body, own) in model.bodies.iter().zip(&of_body) {
            reach[body.tree] += own + body.parent.map_or(0.0, |_| body.X_PB.translation.norm());
        }
        let driven = world.actuators.iter().flat_map(|a| &a.transmission).map(|t| tree_of[t.0]);
        bound_trees(world).into_iter().chain(driven).for_each(|t| may[t] = false);
        may.iter_mut().zip(&flat).for_each(|(may, flat)| *may &= !flat);
        let mut arms = vec![1.0; model.nv()];
        for joint in &model.joints {
            let turns = match joint.kind {
                JointKind::Slide => 0..0,
                JointKind::Free => joint.idx_v + 3..joint.idx_v + 6,
                JointKind::Hinge | JointKind::Screw | JointKind::Ball => {
                    joint.idx_v..joint.idx_v + joint.kind.nv()
                }
            };
            arms[turns].fill(reach[model.bodies[joint.body].tree]);
        }
        let on = match sleep {
            Sleep::Off => false,
            Sleep::On => true,
            Sleep::Auto => model.joints.iter().all(|j| j.kind == JointKind::Free),
        };
        Self {
            on: on && may.contains(&true),
            enough: ((TIME / dt).ceil() as u32).max(STEPS),
            gravity: model.gravity,
            may,
            tree_of,
            arms,
            tree_of_geometry,
            calm: vec![0; trees],
            island: vec![AWAKE; trees],
            contacts: Vec::new(),
            memory: WarmStart::default(),
            woken_memory: WarmStart::default(),
            q: Vec::new(),
            v: Vec::new(),
            bodies: [0, model.bodies.len()],
            penetration: 0.0,
            fell: Vec::with_capacity(trees),
            changes: 0,
            fast: vec![false; trees],
            root: vec![0; trees],
            stays: vec![false; trees],
            moves: vec![false; trees],
            wakes: vec![false; trees],
        }
    }

    pub(super) fn sleeps(&self, tree: usize) -> bool {
        self.island[tree] != AWAKE
    }

    pub(super) fn any(&self) -> bool {
        self.bodies[0] > 0
    }

    pub(super) fn all(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }

    /// Adds sleeping bodies, and the contacts and deepest overlap of those that slept during the step, to a
    /// report without them.
    pub(super) fn add_to(&self, report: &mut StepReport) {
        let steady = if self.fell.is_empty() { self.contacts.len() } else { self.steady().count() };
        report.asleep = self.bodies[0];
        report.contacts += steady;
        report.penetration = report.penetration.max(self.penetration);
    }

    /// Contacts of what slept during the last step.
    pub(crate) fn steady(&self) -> impl Iterator<Item = &SleepingContact> {
        let new = |c: &SleepingContact| self.fell.contains(&self.island_of(&c.contact));
        self.contacts.iter().filter(move |c| self.fell.is_empty() || !new(c))
    }

    /// The island of a contact.
    pub(super) fn island_of(&self, c: &ContactPoint) -> usize {
        let islands =
            c.geometries.into_iter().filter_map(|g| self.tree_of_geometry[g]).map(|t| self.island[t]);
        islands.min().unwrap_or(AWAKE)
    }

    /// Wakes the islands of which a tree is marked; true if there are any.
    pub(super) fn wake(&mut self, world: &World) -> bool {
        if !self.wakes.contains(&true) {
            return false;
        }
        let mut any = false;
        for t in 0..self.island.len() {
            let island = self.island[t];
            if std::mem::take(&mut self.wakes[t]) && island != AWAKE {
                any = true;
                for (of, calm) in self.island.iter_mut().zip(&mut self.calm).filter(|x| *x.0 == island) {
                    (*of, *calm) = (AWAKE, 0);
                }
            }
        }
        if any {
            let mut contacts = std::mem::take(&mut self.contacts);
            contacts.retain(|c| self.island_of(&c.contact) != AWAKE);
            let mut memory = std::mem::take(&mut self.memory);
            let mut woken_memory = std::mem::take(&mut self.woken_memory);
            let woken = |key| !self.sleeps_at(world, key);
            memory.lend(&mut woken_memory, woken);
            memory.drop_those(woken);
            (self.contacts, self.memory, self.woken_memory) = (contacts, memory, woken_memory);
            self.list(world);
        }
        any
    }

    /// The islands that have been at rest for long enough and did not move in this step fall asleep.
    pub(super) fn let_fall_asleep(&mut self) {
        for t in 0..self.island.len() {
            let root = self.root[t];
            if self.island[t] == AWAKE && self.stays[root] && !self.moves[root] {
                self.island[t] = root;
                if t == root {
                    self.fell.push(root);
                }
            }
        }
    }

    /// Whether these numbers of a memory can be: as many as trees, and only what may sleep sleeps.
    pub(super) fn may_sleep(&self, asleep_with: &[Option<usize>], steps: &[u32]) -> bool {
        let n = self.may.len();
        let fine = |t: usize| {
            let Some(island) = asleep_with[t] else { return true };
            self.on && self.may[t] && island < n && asleep_with[island] == Some(island)
        };
        [asleep_with.len(), steps.len()] == [n, n]
            && (0..n).all(fine)
            && steps.iter().all(|c| *c <= self.enough)
    }

    /// (1) of what is awake, of which `held` says whether something holds it; true if some tree has it for
    /// long enough.
    pub(super) fn count(&mut self, v: &[f64], held: impl Fn(usize) -> bool) -> bool {
        self.fast.fill(false);
        for (dof, v) in v.iter().enumerate() {
            let slow = (v * self.arms[dof]).abs() <= SLOW;
            if !slow {
                self.fast[self.tree_of[dof]] = true;
            }
        }
        let mut any = false;
        for t in 0..self.calm.len() {
            if self.island[t] == AWAKE {
                let calm = self.may[t] && !self.fast[t] && held(t);
                self.calm[t] = if calm { (self.calm[t] + 1).min(self.enough) } else { 0 };
                any |= self.calm[t] == self.enough;
            }
        }
        any
    }

    /// Islands of what is awake: `root` is their first tree, and there `stays` says that (1) holds for all of
    /// it, `moves` that it had a velocity `v`.
    pub(super) fn join(&mut self, rows: &Jacobian, v: &[f64]) {
        let Self { root, stays, moves, .. } = self;
        root.iter_mut().enumerate().for_each(|(t, r)| *r = t);
        for block in 0..rows.len() {
            let mut trees = rows.trees_of(block);
            if let (Some(a), Some(b)) = (trees.next(), trees.next()) {
                let (a, b) = (first(root, a), first(root, b));
                root[a.max(b)] = a.min(b);
            }
        }
        stays.fill(true);
        moves.fill(false);
        for t in 0..self.calm.len() {
            let r = first(root, t);
            root[t] = r;
            stays[r] &= self.calm[t] == self.enough;
        }
        for dof in (0..v.len()).filter(|&d| v[d] != 0.0) {
            moves[root[self.tree_of[dof]]] = true;
        }
    }

    /// Lists what sleeps.
    pub(super) fn list(&mut self, world: &World) {
        let (model, Self { q, v, island, .. }) = (&world.model, &mut *self);
        for ranges in [&mut *q, v] {
            ranges.clear();
            ranges.reserve(model.joints.len());
        }
        for joint in model.joints.iter().filter(|j| island[model.bodies[j.body].tree] != AWAKE) {
            append_range(q, joint.idx_q..joint.idx_q + joint.kind.nq());
            append_range(v, joint.idx_v..joint.idx_v + joint.kind.nv());
        }
        self.bodies[0] = model.bodies.iter().filter(|b| island[b.tree] != AWAKE).count();
        self.penetration = self.contacts.iter().fold(0.0, |d, c| d.max(-c.contact.gap));
    }

    /// Whether something sleeps that a warm start belongs to.
    pub(super) fn sleeps_at(&self, world: &World, key: Key) -> bool {
        let sleeps = |g: usize| self.tree_of_geometry[g].is_some_and(|t| self.sleeps(t));
        match key {
            Key::Contact(geometries) => geometries.into_iter().any(sleeps),
            Key::Row(key) => key.kind().acts_on(world, &|tree| self.sleeps(tree)),
        }
    }

    /// Who sleeps and who is at rest, and the warm starts of what sleeps, into `out`.
    pub(super) fn memory_into(&self, out: &mut Memory) {
        self.memory.lend(&mut out.warm_starts, |_| true);
        out.steps_at_rest.clone_from(&self.calm);
        out.asleep_with.clear();
        out.asleep_with.extend(self.island.iter().map(|&i| (i != AWAKE).then_some(i)));
    }

    /// Nothing sleeps, nor is anything at rest.
    pub(super) fn forget(&mut self) {
        self.island.fill(AWAKE);
        self.calm.fill(0);
        self.contacts.clear();
        self.memory.clear();
        self.woken_memory.clear();
        self.q.clear();
        self.v.clear();
        self.bodies[0] = 0;
        self.penetration = 0.0;
        self.fell.clear();
    }
}

/// The first tree of the island of `t`.
fn first(root: &mut [usize], mut t: usize) -> usize {
    while root[t] != t {
        root[t] = root[root[t]];
        t = root[t];
    }
    t
}
