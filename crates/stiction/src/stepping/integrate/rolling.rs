//! Free bodies that roll, slide and spin on what they touch: [`super::Quadrature::Rolling`].
//!
//! ```text
//!     (q_m, v⁻) = flight of h/2 from (q, v)                                                     (1)
//!     v⁺ = v⁻ + M⁻¹ (h f + Jᵀ λ),   M, f, J and gaps at q_m,   λ by the law at the end of the step   (2)
//!     (q⁺, v) = flight of h/2 from (q_m, v⁺)                                                    (3)
//! ```
//!
//! A flight keeps momenta and energy, (2) of [`super::ballistic`]; (2) gives nothing to what sticks and rolls. The scheme is position
//! Verlet, of second order; the law at the end is [`stiction_assembly::rolling`]. It is taken by free bodies whose contacts have all
//! lasted for some steps, with one another, and with what stands still, while up to [`FEW`] of those that touch move. If something new is hit in such a step it is
//! taken back and goes by v⁺ from its start.

use super::ballistic::{Body, flying_bodies};
use super::midpoint::NEAR;
use crate::params::HigherOrder;
use crate::state::{State, copy};
use stiction_assembly::{ContactMotion, ContactPoint, Posed, Rolling, RollingContact, WarmStart};
use stiction_dynamics::Kinematics;
use stiction_dynamics::spatial::Vec3;
use stiction_world::World;

/// Contacts have lasted after so many steps.
const LASTED: u32 = 3;
/// At most so many bodies that contacts join may move: in crowds something is hit in most steps.
const FEW: usize = 3;
/// Bodies that turn farther in a step do not roll by this rule [rad].
const FAR: f64 = 0.5;
/// A problem of so few contacts is solved to see what is hit.
const CHEAP: usize = 8;
/// Contacts that are new and approach no faster are left to the solve [m/s].
const APPROACH: f64 = 1e-9;
/// A contact of which less than this share of its slip is left, or whose slip turns round, sticks [–].
const STICKS: f64 = 1e-3;

/// The free bodies of a world, and who of them rolls in a step.
pub(crate) struct RollingBodies {
    bodies: Vec<Body>,
    /// Per tree, the index of its body; per geometry, its tree.
    body_of: Vec<Option<usize>>,
    tree_of: Vec<Option<usize>>,
    /// Per tree: it rolls in this step.
    pub(crate) on: Vec<bool>,
    any: bool,
    /// Per tree, the first of those that its contacts join it to.
    group: Vec<usize>,
    /// Per tree that is the first of its group, how many trees of the group move.
    size: Vec<usize>,
    sticks: Vec<bool>,
    coulomb: bool,
    /// State (1); trees that do not roll are at the start of the step.
    pub(crate) middle: State,
}

impl RollingBodies {
    pub(crate) fn new(world: &World, higher_order: HigherOrder) -> Self {
        let model = &world.model;
        let flying = flying_bodies(world, higher_order);
        let bodies: Vec<_> = flying.iter().map(|&b| Body::new(world, b)).collect();
        let tree = |body: Option<usize>| body.map(|b| model.bodies[b].tree);
        let mut body_of = vec![None; model.trees];
        bodies.iter().enumerate().for_each(|(i, b)| body_of[b.tree] = Some(i));
        Self {
            body_of,
            tree_of: world.geometries.iter().map(|g| tree(world.mount(g.link, g.X_LG).0)).collect(),
            on: vec![false; model.trees],
            any: false,
            group: vec![0; model.trees],
            size: vec![0; model.trees],
            sticks: Vec::new(),
            coulomb: true,
            middle: State::neutral(model),
            bodies,
        }
    }

    /// Finds who rolls in a step of h [s] from `state`, after the last step of `warm`, and (1); false if nobody does. The contact law is
    /// that of Coulomb, or a relaxed one.
    pub(crate) fn find(
        &mut self,
        state: &State,
        warm: &WarmStart,
        h: f64,
        (asleep, coulomb): (&[bool], bool),
    ) -> bool {
        self.give_up();
        self.coulomb = coulomb;
        self.sticks.clear();
        let moves = self.bodies.iter().any(|b| b.moves(&state.v, 0.5 * h) > NEAR);
        if !moves || !self.choose(state, warm, h, asleep) {
            return false;
        }
        copy(state, &mut self.middle);
        for body in self.bodies.iter().filter(|b| self.on[b.tree]) {
            body.fly(&mut self.middle.q, &mut self.middle.v, 0.5 * h);
        }
        true
    }

    fn choose(&mut self, state: &State, warm: &WarmStart, h: f64, asleep: &[bool]) -> bool {
        let Self { bodies, body_of, tree_of, on, group, size, .. } = self;
        group.iter_mut().enumerate().for_each(|(t, g)| *g = t);
        size.fill(0);
        for (geometries, _) in warm.loaded() {
            if let [Some(a), Some(b)] = geometries.map(|g| tree_of[g]) {
                let (a, b) = (root(group, a), root(group, b));
                group[a.max(b)] = a.min(b);
            }
        }
        // Who is touched and moves, and then who is in company that may not.
        let moves = |b: usize| bodies[b].moves(&state.v, 0.5 * h) > NEAR;
        for (geometries, _) in warm.loaded() {
            for tree in geometries.into_iter().filter_map(|g| tree_of[g]) {
                if body_of[tree].is_some_and(moves) {
                    on[root(group, tree)] = true;
                }
            }
        }
        let moving = (0..on.len()).filter(|t| body_of[*t].is_some_and(moves));
        moving.for_each(|tree| size[root(group, tree)] += 1);
        on.iter_mut().zip(&*size).for_each(|(on, n)| *on &= *n <= FEW);
        for (geometries, motion) in warm.loaded() {
            let lasts = motion.is_some_and(|m| m.steps >= LASTED);
            for tree in geometries.into_iter().filter_map(|g| tree_of[g]) {
                let rolls = |b: usize| bodies[b].turns(&state.v, h) < FAR;
                if !lasts || asleep[tree] || !body_of[tree].is_some_and(rolls) {
                    on[root(group, tree)] = false;
                }
            }
        }
        for tree in (0..on.len()).rev() {
            on[tree] = body_of[tree].is_some() && on[root(group, tree)];
        }
        self.any = on.contains(&true);
        self.any
    }

    /// Nobody rolls in this step.
    pub(crate) fn give_up(&mut self) {
        if self.any {
            self.on.fill(false);
            self.any = false;
        }
    }

    /// Whether a body rolls in this step.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// For the rows of the step.
    pub(crate) fn rows(&self) -> Option<Rolling<'_>> {
        self.any.then_some(Rolling { on: &self.on, sticks: &self.sticks, coulomb: self.coulomb })
    }

    /// `v`, written to `out` and zero where a tree rolls, if one does.
    pub(crate) fn still_or<'a>(&self, v: &'a [f64], out: &'a mut [f64]) -> &'a [f64] {
        if !self.any {
            return v;
        }
        out.copy_from_slice(v);
        for body in self.bodies.iter().filter(|b| self.on[b.tree]) {
            out[body.idx_v..body.idx_v + 6].fill(0.0);
        }
        out
    }

    /// True if contacts that slid stick: the step is to be solved again with that.
    pub(crate) fn sticks_now(&mut self, posed: &Posed, v_next: &[f64]) -> bool {
        let mut again = false;
        for contact in posed.rolling.iter().filter(|c| c.slides) {
            let ([x, y], after) = (contact.slip, posed.jacobian.velocity(contact.block, v_next));
            let slip = x * after.x + y * after.y;
            if slip < STICKS * (x * x + y * y) {
                self.sticks.resize(self.sticks.len().max(contact.block + 1), false);
                self.sticks[contact.block] = true;
                again = true;
            }
        }
        again
    }

    /// True if something new is likely to be hit in a problem that was posed and is dear to solve: it approaches without impulses.
    pub(crate) fn will_hit(&self, posed: &Posed) -> bool {
        let g = |c: &RollingContact| posed.problem.free_velocity[posed.normal_row(c.block)];
        posed.rolling.len() > CHEAP && posed.rolling.iter().any(|c| !c.lasts && g(c) < -APPROACH)
    }

    /// True if something new was hit.
    pub(crate) fn hits(&self, posed: &Posed, impulses: &[f64]) -> bool {
        let mut new = posed.rolling.iter().filter(|c| !c.lasts);
        new.any(|c| impulses[posed.problem.range(c.block)].iter().any(|x| *x != 0.0))
    }

    /// (3) from q_m, and what corrects positions by `correction` [m/s, rad/s], or nothing.
    pub(crate) fn advance(
        &self,
        middle: &State,
        correction: &[f64],
        h: f64,
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) {
        for body in self.bodies.iter().filter(|b| self.on[b.tree]) {
            body.start_from(&middle.q, q_next);
            body.fly(q_next, v_next, 0.5 * h);
            if !correction.is_empty() {
                body.push(q_next, correction, h);
            }
        }
    }

    /// How the bodies of a contact go on from a step of h [s] that led to `v_next`, `steps` being the number that it has lasted.
    pub(crate) fn motion(
        &self,
        (world, kin): (&World, &Kinematics),
        posed: &Posed,
        (block, contact): (usize, &ContactPoint),
        v_next: &[f64],
        (h, steps): (f64, u32),
    ) -> Option<ContactMotion> {
        if contact.spring.is_some() {
            return None;
        }
        let (mut rolls, mut moves) = (false, false);
        for b in contact.bodies.into_iter().flatten() {
            let tree = world.model.bodies[b].tree;
            moves |= self.bodies[self.body_of[tree]?].moves(v_next, h) > NEAR;
            rolls |= self.on[tree];
        }
        let since = if rolls { 0.5 * h } else { h };
        if !moves {
            return Some(ContactMotion { point: contact.position, velocity: [Vec3::ZERO; 2], since, steps });
        }
        let u = posed.jacobian.velocity(block, v_next);
        let [t1, t2, n] = contact.dual_axes();
        let linear = if contact.friction > 0.0 { t1 * u.x + t2 * u.y + n * u.z } else { n * u.x };
        let spin = |body: Option<usize>| {
            let Some(b) = body else { return Vec3::ZERO };
            let i = world.model.bodies[b].dofs.start + 3;
            kin.R_WB[b] * Vec3::from([v_next[i], v_next[i + 1], v_next[i + 2]])
        };
        let angular = spin(contact.bodies[1]) - spin(contact.bodies[0]);
        Some(ContactMotion { point: contact.position, velocity: [linear, angular], since, steps })
    }
}

/// The first tree of the group of `tree`.
fn root(group: &[usize], mut tree: usize) -> usize {
    while group[tree] != tree {
        tree = group[tree];
    }
    tree
}
