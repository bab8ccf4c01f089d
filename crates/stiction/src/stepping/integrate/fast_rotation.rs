//! Trees that turn farther in a step than the step can follow.
//!
//! What of b grows with v², C v = b(q, v) − b(q, 0), does no work: it turns energy from one part of the tree to another
//! as M changes. (2) of time stepping takes it at the start of the step, where a joint that turns by θ in a step makes
//! energy, little while θ ≪ 1, but far beyond it speeds are squared from step to step, until a number overflows. Where
//! a joint of a tree turns by more than [`FAR`], therefore, what the tree had when it came where it is,
//!
//! ```text
//!     T₀ = ½ vᵀM(q ⊖ h₀v) v,    p₀ its linear momentum                    (1)
//! ```
//!
//! with h₀ the length of the part of a step that led there, or else h, is compared to what it would have by
//! w = v − h M⁻¹C v. If ½ wᵀMw is more by a share of [`GAIN`], b is taken to be
//!
//! ```text
//!     b(q, 0) + M (v − v')/h,     v' = e p₀/m + s (w − e p/m)              (2)
//! ```
//!
//! with p the momentum of w, e what moves all bodies of a tree with a free root alike, of mass m (of other trees
//! there is neither), and s such that ½ v'ᵀMv' = T₀. Such trees move by [`super::Quadrature::Backward`], with M and b
//! of the start of the step, so that q ⊖ h₀v is where they were: velocity alone then changes neither energy nor
//! linear momentum from step to step. So move trees, too, that servos or springs turn by more than [`LOST`] by v⁺.
//! Where joints go means little at such speeds; that they do not run away does.
//!
//! Cost: a look at every angular velocity; some four times that of b in steps with trees so fast.

use std::ops::Range;
use stiction_assembly::forces::actuators::is_servo;
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{
    Factor, JointKind, Kinematics, MassMatrix, Model, RneaWorkspace, Velocities, bias_into, integrate_into,
};
use stiction_world::World;

/// A step follows a joint that turns no farther [rad].
pub(crate) const FAR: f64 = 0.2;
/// A joint that servos or springs turn so far by v⁺ leads nowhere by means of v and v⁺ [rad].
pub(crate) const LOST: f64 = 1.0;
/// Share of its energy that a tree may gain by C v in a step so long [–].
const GAIN: f64 = 0.01;

/// Where a joint turns, but of free bodies, which are in [`stiction_assembly::laws::gyroscopic`], and of bodies about one axis, whose b does
/// not depend on v.
pub(crate) fn turning(world: &World) -> Vec<usize> {
    let model = &world.model;
    let (mut bodies, mut dofs) = (vec![0; model.trees], vec![0; model.trees]);
    for body in &model.bodies {
        bodies[body.tree] += 1;
        dofs[body.tree] += body.dofs.len();
    }
    let turns = |&i: &usize| {
        let dof = &model.dofs[i];
        let (joint, tree) = (&model.joints[dof.joint], model.bodies[dof.body].tree);
        (bodies[tree] > 1 || dofs[tree] > 1 && joint.kind != JointKind::Free)
            && match joint.kind {
                JointKind::Hinge | JointKind::Screw | JointKind::Ball => true,
                JointKind::Slide => false,
                JointKind::Free => i >= joint.idx_v + 3,
            }
    };
    (0..model.nv()).filter(turns).collect()
}

/// Per tree, whether it has servos or springs, which may turn it far from one step to the next.
pub(crate) fn driven(world: &World) -> Vec<bool> {
    let model = &world.model;
    let mut driven = vec![false; model.trees];
    let of_servos = world.actuators.iter().filter(|a| is_servo(a)).flat_map(|a| &a.transmission);
    of_servos.for_each(|&(dof, _)| driven[model.bodies[model.dofs[dof].body].tree] = true);
    let springs = model.joints.iter().filter(|j| j.stiffness > 0.0);
    springs.for_each(|j| driven[model.bodies[j.body].tree] = true);
    driven
}

/// The trees of a world that turn farther in a step than it can follow.
pub(crate) struct FastRotation {
    turning: Vec<usize>,
    driven: Vec<bool>,
    /// Per tree: bodies, dofs, mass, and where its free root has its linear velocity.
    trees: Vec<Tree>,
    /// Per tree: it turns by more than [`FAR`] in this step, or did in the part that led to it.
    pub(crate) far: Vec<bool>,
    any: bool,
    /// h₀, where a part of a step goes on after another [s].
    pub(crate) came_in: Option<f64>,
    room: Option<Box<Room>>,
}

struct Tree {
    bodies: Vec<usize>,
    dofs: Vec<usize>,
    mass: f64,
    root: Option<Range<usize>>,
}

/// None where nothing turns.
struct Room {
    q: Vec<f64>,
    /// At q ⊖ h₀v.
    kin: Kinematics,
    vel: Velocities,
    /// C v and b(q, 0).
    moving: Vec<f64>,
    still: Vec<f64>,
    /// w, then v − v'.
    w: Vec<f64>,
    /// Twice T₀, and p₀, of every tree.
    before: Vec<(f64, Vec3)>,
}

/// The start of a step, as [`FastRotation::hold`] finds it.
pub(crate) struct Here<'a> {
    pub(crate) kin: &'a Kinematics,
    /// The mass matrix at `kin`.
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
    pub(crate) h: f64,
    pub(crate) mass: &'a MassMatrix,
}

impl FastRotation {
    pub(crate) fn new(world: &World) -> Self {
        let model = &world.model;
        let turning = turning(world);
        let room = (!turning.is_empty()).then(|| {
            let numbers = || vec![0.0; model.nv()];
            Box::new(Room {
                q: vec![0.0; model.nq],
                kin: Kinematics::new(model),
                vel: Velocities::new(model),
                moving: numbers(),
                still: numbers(),
                w: numbers(),
                before: vec![(0.0, Vec3::ZERO); model.trees],
            })
        });
        let trees =
            if room.is_some() { (0..model.trees).map(|t| Tree::new(model, t)).collect() } else { vec![] };
        let no_tree = vec![false; model.trees];
        Self { turning, driven: driven(world), trees, far: no_tree, any: false, came_in: None, room }
    }

    /// Trees that turn far in a step of h at these velocities, or did so on the way here.
    pub(crate) fn find(&mut self, model: &Model, v: &[f64], h: f64) {
        if std::mem::take(&mut self.any) {
            self.far.fill(false);
        }
        let Self { turning, far, any, came_in, .. } = self;
        for i in turned(turning, v, came_in.map_or(h, |came_in| h.max(came_in)), FAR) {
            far[model.bodies[model.dofs[i].body].tree] = true;
            *any = true;
        }
    }

    /// Counts among the trees that turn too far those with servos or springs of which a joint turns by more than
    /// [`LOST`] by the velocities at the end of a step of h [s], of the trees `on`; false if there are none.
    pub(crate) fn find_lost(&mut self, model: &Model, v_next: &[f64], h: f64, on: &[bool]) -> bool {
        let Self { turning, far, driven, .. } = self;
        let mut lost = false;
        for dof in turned(turning, v_next, h, LOST) {
            let tree = model.bodies[model.dofs[dof].body].tree;
            if on[tree] && driven[tree] {
                (far[tree], lost) = (true, true);
            }
        }
        lost
    }

    /// Puts (2) in place of `bias`, b(q, v), of trees that ask for it.
    pub(crate) fn hold(
        &mut self,
        model: &Model,
        here: &Here<'_>,
        (rnea, factor): (&mut RneaWorkspace, &mut Factor),
        bias: &mut [f64],
    ) {
        let Self { trees, far, any, came_in, room, .. } = self;
        let &Here { kin, q, v, h, mass } = here;
        let (true, Some(room)) = (*any, room) else { return };
        if factor.factor(mass).is_err() {
            return; // said by who solves for the free velocity
        }
        let Room { q: q_before, kin: kin_before, vel, moving, still, w, before } = &mut **room;
        integrate_into(model, q, v, -came_in.unwrap_or(h), q_before);
        kin_before.update(model, q_before);
        vel.update(model, kin_before, v);
        for (tree, before) in trees.iter().zip(&mut *before) {
            *before = tree.measure(model, kin_before, vel, v); // (1)
        }
        w.fill(0.0);
        vel.update(model, kin, w);
        bias_into(model, kin, vel, rnea, still);
        moving.iter_mut().zip(&*bias).zip(&*still).for_each(|((x, b), s)| *x = b - s);
        w.copy_from_slice(moving);
        factor.solve_in_place(w);
        w.iter_mut().zip(v).for_each(|(w, v)| *w = v - h * *w);
        vel.update(model, kin, w);
        for (tree, (before, &far)) in trees.iter().zip(before.iter().zip(&*far)) {
            let after = tree.measure(model, kin, vel, w);
            let gains = far && (after.0.is_nan() || after.0 > (1.0 + GAIN) * before.0);
            tree.hold(gains.then_some([*before, after]), v, w);
        }
        mass.mul_into(w, moving);
        for tree in trees.iter().filter(|t| t.dofs.iter().any(|&i| w[i] != 0.0)) {
            tree.dofs.iter().for_each(|&i| bias[i] = still[i] + moving[i] / h); // (2)
        }
    }
}

fn turned(turning: &[usize], v: &[f64], h: f64, far: f64) -> impl Iterator<Item = usize> {
    turning.iter().copied().filter(move |&i| (h * v[i]).abs() > far)
}

impl Tree {
    fn new(model: &Model, tree: usize) -> Self {
        let of_tree = |b: &usize| model.bodies[*b].tree == tree;
        let bodies: Vec<_> = (0..model.bodies.len()).filter(of_tree).collect();
        let free = |b: usize| {
            let joint = &model.joints[model.bodies[b].joints.start];
            (joint.kind == JointKind::Free).then(|| joint.idx_v..joint.idx_v + 3)
        };
        Self {
            dofs: (0..model.nv()).filter(|&i| of_tree(&model.dofs[i].body)).collect(),
            mass: bodies.iter().map(|&b| model.bodies[b].inertia.mass).sum(),
            root: bodies.first().and_then(|&b| free(b)),
            bodies,
        }
    }

    /// Twice its kinetic energy, and its linear momentum.
    fn measure(&self, model: &Model, kin: &Kinematics, vel: &Velocities, v: &[f64]) -> (f64, Vec3) {
        let (mut twice, mut momentum) = (0.0, Vec3::ZERO);
        for &b in &self.bodies {
            let of_body = kin.I[b] * vel.V[b];
            twice += vel.V[b].dot(of_body);
            momentum += of_body.linear;
        }
        twice += self.dofs.iter().map(|&i| model.dofs[i].armature * v[i] * v[i]).sum::<f64>();
        (twice, momentum)
    }

    /// v − v' in place of w, given what there was and what w has; zero if nothing is to be held.
    fn hold(&self, known: Option<[(f64, Vec3); 2]>, v: &[f64], w: &mut [f64]) {
        let Some([(before, p_before), (after, p)]) = known else {
            self.dofs.iter().for_each(|&i| w[i] = 0.0);
            return;
        };
        let drift = |p: Vec3| if self.root.is_some() { p * (1.0 / self.mass) } else { Vec3::ZERO };
        let (from, to) = (drift(p), drift(p_before));
        let (own, wanted) = (after - from.dot(p), (before - to.dot(p_before)).max(0.0));
        let share = match own <= wanted {
            true => 1.0,
            false if own.is_finite() => (wanted / own).sqrt(),
            false => 0.0,
        };
        self.root.iter().flat_map(Clone::clone).zip(from.to_array()).for_each(|(i, x)| w[i] -= x);
        self.dofs.iter().for_each(|&i| w[i] *= share);
        self.root.iter().flat_map(Clone::clone).zip(to.to_array()).for_each(|(i, x)| w[i] += x);
        self.dofs.iter().for_each(|&i| w[i] = v[i] - w[i]);
    }
}
