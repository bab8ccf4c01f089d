//! Angular momentum of what floats.
//!
//! Impulses between bodies that nothing else holds leave the angular momentum L of all of them about their centre of mass as it
//! was. A step takes contact points and axes where they are at its start, and moves bodies by more than one velocity: of L
//! this loses a share that vanishes with h. It is given back by turning all bodies together,
//!
//! ```text
//!     ω' = I_c⁻¹ (L − L⁺),   v⁺ ← v⁺ + ω' × (p − p_c)                                   (1)
//! ```
//!
//! the least change of the velocities that does so. It moves no contact: the velocities between bodies, and with them the
//! certificate, stay as they are. It changes the energy, by as little as L was off. So islands in which something bounces
//! elastically, e = 1, keep their energy instead and are left alone, as are bodies that only fly, and those that the world, an
//! outer force or a servo holds.

use crate::input::Input;
use crate::state::State;
use crate::stepping::integrate::bound_trees;
use stiction_assembly::{ContactPoint, Posed};
use stiction_dynamics::spatial::{Quat, Sym3, Vec3, vec3};
use stiction_dynamics::{JointKind, Kinematics, Velocities};
use stiction_models::World;

/// Who may float, and room for (1).
pub(super) struct AngularMomentum {
    /// Per tree: where its free root has its coordinates and velocities, if it may float.
    roots: Vec<Option<[usize; 2]>>,
    any: bool,
    /// Per tree the island it is in, by its first tree; whether that is touched, and whether something else holds it.
    island: Vec<usize>,
    touched: Vec<bool>,
    anchored: Vec<bool>,
    /// Islands as they were at the start of the step.
    before: Vec<(usize, Whole)>,
    kin: Kinematics,
    vel: Velocities,
}

/// Centre, angular momentum about it and inertia about it of an island.
struct Whole {
    centre: Vec3,
    angular: Vec3,
    inertia: Sym3,
}

impl AngularMomentum {
    pub(super) fn new(world: &World) -> Self {
        let model = &world.model;
        let bound = bound_trees(world);
        let mut roots = vec![None; model.trees];
        for joint in model.joints.iter().filter(|j| j.kind == JointKind::Free) {
            let body = &model.bodies[model.dofs[joint.idx_v].body];
            let still = model.dofs[joint.idx_v..joint.idx_v + 6].iter();
            let plain = still.clone().all(|d| d.damping == 0.0 && d.armature == 0.0 && d.friction == 0.0);
            if plain && body.parent.is_none() && !bound.contains(&body.tree) {
                roots[body.tree] = Some([joint.idx_q, joint.idx_v]);
            }
        }
        Self {
            any: roots.iter().any(Option::is_some),
            island: vec![0; model.trees],
            touched: vec![false; model.trees],
            anchored: vec![false; model.trees],
            before: Vec::with_capacity(model.trees),
            kin: Kinematics::new(model),
            vel: Velocities::new(model),
            roots,
        }
    }

    /// Gives `v` (v⁺ at `q`, of a step from `state`) the angular momentum that floating islands had (1).
    pub(super) fn keep(
        &mut self,
        world: &World,
        (state, kin, input): (&State, &Kinematics, &Input),
        (posed, impulses, points): (&Posed, &[f64], &[ContactPoint]),
        (q, v): (&[f64], &mut [f64]),
    ) {
        if !self.any || points.is_empty() || !self.find_islands(world, input, (posed, impulses, points)) {
            return;
        }
        let model = &world.model;
        self.vel.update(model, kin, &state.v);
        let floats = |s: &Self, t: usize| s.island[t] == t && s.touched[t] && !s.anchored[t];
        let mut islands = std::mem::take(&mut self.before);
        islands.clear();
        islands.extend((0..model.trees).filter(|&t| floats(self, t)).map(|t| (t, self.whole(world, kin, t))));
        self.kin.update(model, q);
        self.vel.update(model, &self.kin, v);
        for (first, before) in &islands {
            let first = *first;
            let after = self.whole(world, &self.kin, first);
            let Some(inverse) = after.inertia.to_mat3().inverse() else { continue };
            let turn = inverse * (before.angular - after.angular);
            for tree in (0..model.trees).filter(|&t| self.island[t] == first) {
                let Some([at, i]) = self.roots[tree] else { continue };
                let p = vec3(q[at], q[at + 1], q[at + 2]);
                let R = Quat::new(q[at + 3], q[at + 4], q[at + 5], q[at + 6]);
                let (linear, angular) = (turn.cross(p - after.centre), R.conjugate().rotate(turn));
                let more = linear.to_array().into_iter().chain(angular.to_array());
                v[i..i + 6].iter_mut().zip(more).for_each(|(v, more)| *v += more);
            }
        }
        self.before = islands;
    }

    /// Joins the trees that impulses join; true if some island floats and is touched.
    fn find_islands(
        &mut self,
        world: &World,
        input: &Input,
        (posed, impulses, points): (&Posed, &[f64], &[ContactPoint]),
    ) -> bool {
        let model = &world.model;
        let Self { roots, island, touched, anchored, .. } = self;
        for (tree, root) in roots.iter().enumerate() {
            let pushed =
                root.is_none_or(|[_, i]| input.generalized.iter().skip(i).take(6).any(|f| *f != 0.0));
            (island[tree], touched[tree], anchored[tree]) = (tree, false, pushed);
        }
        let top = |island: &[usize], mut t: usize| {
            while island[t] != t {
                t = island[t];
            }
            t
        };
        for (block, contact) in posed.contacts(points) {
            if impulses[posed.problem.range(block)].iter().all(|l| *l == 0.0) {
                continue;
            }
            let trees = contact.bodies.map(|b| b.map(|b| top(island, model.bodies[b].tree)));
            if contact.restitution >= 1.0 {
                trees.iter().flatten().for_each(|&t| anchored[t] = true);
            }
            match trees {
                [Some(a), Some(b)] => {
                    let (first, other) = (a.min(b), a.max(b));
                    island[other] = first;
                    touched[first] = true;
                    anchored[first] |= anchored[other];
                }
                [Some(t), None] | [None, Some(t)] => anchored[t] = true,
                [None, None] => {}
            }
        }
        for tree in 0..model.trees {
            island[tree] = top(island, tree);
        }
        (0..model.trees).any(|t| island[t] == t && touched[t] && !anchored[t])
    }

    /// The bodies of an island at `kin`, with the velocities at hand.
    fn whole(&self, world: &World, kin: &Kinematics, island: usize) -> Whole {
        let bodies = || {
            let all = world.model.bodies.iter().enumerate();
            all.filter(|(_, body)| self.island[body.tree] == island).map(|(b, body)| {
                let (I, at) = (kin.I[b], kin.reference[body.tree]);
                (b, I, at)
            })
        };
        let (mut mass, mut moment, mut linear) = (0.0, Vec3::ZERO, Vec3::ZERO);
        for (b, I, at) in bodies() {
            mass += I.mass;
            moment += I.first + at * I.mass;
            linear += (I * self.vel.V[b]).linear;
        }
        let centre = moment * (1.0 / mass);
        let (mut angular, mut inertia) = (Vec3::ZERO, Sym3::ZERO);
        for (b, I, at) in bodies() {
            let h = I * self.vel.V[b];
            angular += h.angular + (at - centre).cross(h.linear);
            let com = I.first * (1.0 / I.mass);
            inertia = inertia + I.second - Sym3::point_mass(com, I.mass)
                + Sym3::point_mass(at + com - centre, I.mass);
        }
        Whole { centre, angular, inertia }
    }
}
