//! What compliant laws read of a world: materials of surfaces and joints, and MuJoCo's weights.
//!
//! MuJoCo scales the compliance of a row by what it moves, once, at the neutral configuration q₀:
//!
//! ```text
//!     ŵ(link) = ⅓ tr(J M(q₀)⁻¹ Jᵀ),   J of its centre of mass              [1/kg]             (1)
//!     ŵ'(link), the same of its rotation                                   [1/(kg·m²)]        (2)
//!     ŵ(contact) = ŵ(A) + ŵ(B),  times 1 + μ² for an edge of its pyramid                        (3)
//!     ŵ(joint) = the mean of (M(q₀)⁻¹)_ii over its dofs                                         (4)
//! ```
//!
//! The world weighs nothing. A link that slides in the world along its
//! own axes, and has nothing else on it, weighs one over its mass in (1) and (4), as in MuJoCo. Loops take (1), their
//! rotations (2), of both ends; couplings (4) of both joints. Other rows take the diagonal of G.

use crate::contact_point::ContactPoint;
use stiction_contact::{Law, Material, Softness};
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{
    Body, CrbaWorkspace, Factor, Joint, JointKind, Kinematics, MassMatrix, Model, crba_into,
};
use stiction_world as world;
use stiction_world::{PairSurface, World};

/// Smaller weights are none, as MuJoCo's `mjMINVAL`; likewise components of an axis [–].
const LEAST: f64 = 1e-15;

/// See the module. Constant during a run.
pub struct ComplianceParameters {
    /// Of every joint: its limits, its dry friction.
    joints: Vec<[Material; 2]>,
    /// Of every loop.
    loops: Vec<Material>,
    /// (1) and (2), of every link.
    links: Vec<[f64; 2]>,
    /// The link of every geometry.
    link_of: Vec<Option<usize>>,
    /// (4), of every dof.
    dofs: Vec<f64>,
}

impl ComplianceParameters {
    pub fn new(world: &World) -> Self {
        let mut joints = vec![[Material::default(); 2]; world.model.joints.len()];
        for j in &world.extras.joints {
            let margin = j.margin;
            joints[j.joint] = [&j.limit, &j.friction].map(|s| Material { margin, ..mujoco(s) });
        }
        let loops = world.loops.iter().map(|l| mujoco(&l.softness)).collect();
        let (links, dofs) = weights(world);
        let link_of = world.geometries.iter().map(|g| g.link).collect();
        Self { joints, loops, links, link_of, dofs }
    }

    /// Of the limit of joint j.
    pub fn limit(&self, j: usize) -> Material {
        self.joints[j][0]
    }

    /// Of the dry friction of joint j.
    pub fn friction(&self, j: usize) -> Material {
        self.joints[j][1]
    }

    /// Of loop i.
    pub fn closure(&self, i: usize) -> Material {
        self.loops[i]
    }

    /// The weight under `law` of a row between two links, which turns them against each other or moves them.
    pub fn of_links(&self, law: Law, links: [Option<usize>; 2], turns: bool) -> f64 {
        let weight = |l: Option<usize>| l.map_or(0.0, |l| self.links[l][usize::from(turns)]);
        if weighs(law) { weight(links[0]) + weight(links[1]) } else { 0.0 }
    }

    /// The weight under `law` of a row between two geometries.
    pub fn of_geometries(&self, law: Law, [a, b]: [usize; 2]) -> f64 {
        self.of_links(law, [self.link_of[a], self.link_of[b]], false)
    }

    /// The weight of a row on one dof under `law`.
    pub fn of_dof(&self, law: Law, dof: usize) -> f64 {
        if weighs(law) { self.dofs[dof] } else { 0.0 }
    }

    /// Completes what the problem knows of a contact.
    pub fn contact(&self, law: Law, c: &ContactPoint, surface: &PairSurface, out: &mut Softness) {
        out.material = material(surface);
        if let Some(part) = c.patch {
            let default = Material::default();
            out.material.stiffness = part.stiffness;
            out.material.dissipation = part.dissipation.unwrap_or(default.dissipation);
            out.material.relaxation = part.relaxation.unwrap_or(default.relaxation);
        }
        if weighs(law) {
            let edge = if law == Law::MujocoPyramidal { 1.0 + c.friction * c.friction } else { 1.0 };
            out.weight = edge * self.of_geometries(law, c.geometries); // (3)
        }
    }
}

/// True where the law scales by (1)–(4).
fn weighs(law: Law) -> bool {
    matches!(law, Law::Mujoco | Law::MujocoPyramidal)
}

fn mujoco(s: &world::Softness) -> Material {
    Material { solref: s.reference, solimp: s.impedance, impratio: s.impratio, ..Material::default() }
}

/// The gap of a contact is what is left beyond the margin, so that no margin remains.
fn material(surface: &PairSurface) -> Material {
    let (default, c) = (mujoco(&surface.softness), surface.compliance);
    Material {
        stiffness: c.stiffness.unwrap_or(default.stiffness),
        relaxation: c.relaxation.unwrap_or(default.relaxation),
        dissipation: c.dissipation.unwrap_or(default.dissipation),
        // MuJoCo's friction rows are those of the first tangent, ours of the rougher.
        impratio: default.impratio / surface.stretch()[0].powi(2),
        solref_friction: surface.friction_reference,
        ..default
    }
}

/// (1), (2) and (4); zeros where M(q₀) has no inverse.
fn weights(world: &World) -> (Vec<[f64; 2]>, Vec<f64>) {
    let model = &world.model;
    let (mut links, mut dofs) = (vec![[0.0; 2]; model.links.len()], vec![0.0; model.nv()]);
    let mut kin = Kinematics::new(model);
    kin.update(model, &model.neutral());
    let (mut crba, mut mass, mut factor) =
        (CrbaWorkspace::new(model), MassMatrix::new(model), Factor::new(model));
    crba_into(model, &kin, &mut crba, &mut mass);
    if factor.factor(&mass).is_err() {
        return (links, dofs);
    }
    // tr(x M⁻¹ xᵀ) for three rows along the chain of `tip`: by the halves of the factor, ‖D^-½ L⁻ᵀ x‖².
    let (unscaled, mut chain) = (vec![1.0; model.nv()], Vec::new());
    let mut trace = |tip: usize, row: &dyn Fn(usize) -> Vec3| -> f64 {
        chain.clear();
        chain.extend(factor.columns(tip).iter().map(|&dof| row(dof as usize)));
        factor.half_solve_packed_in_place(tip, &unscaled, &mut chain);
        let shares = chain.iter().zip(factor.columns(tip));
        shares.map(|(w, &dof)| w.dot(*w) * factor.inverse_diagonal()[dof as usize]).sum()
    };
    let sliders = sliders(model);
    for (link, weight) in model.links.iter().zip(&mut links) {
        let (Some(b), Some(tip)) = (link.body, model.chain(link.body).next()) else { continue };
        let X_WL = kin.X_WB[b] * link.X_BL;
        let r = X_WL.transform(link.inertia.com()) - kin.reference[model.bodies[b].tree];
        let moves = trace(tip, &|dof| kin.S[dof].linear_at(r)) / 3.0;
        let turns = trace(tip, &|dof| kin.S[dof].angular) / 3.0;
        *weight = match sliders[b] {
            true => [1.0 / link.inertia.mass, LEAST],
            false => [moves.max(LEAST), turns.max(LEAST)],
        };
    }
    for joint in &model.joints {
        let of_joint = joint.idx_v..joint.idx_v + joint.kind.nv();
        let body = model.dofs[joint.idx_v].body;
        if sliders[body] {
            of_joint.for_each(|d| dofs[d] = 1.0 / model.bodies[body].inertia.mass);
            continue;
        }
        // A free joint has two triples: translation, rotation.
        for part in of_joint.collect::<Vec<_>>().chunks(3) {
            let alone = |d: usize| move |dof: usize| if dof == d { Vec3::X } else { Vec3::ZERO };
            let mean = part.iter().map(|&d| trace(d, &alone(d))).sum::<f64>() / part.len() as f64;
            part.iter().for_each(|&d| dofs[d] = mean);
        }
    }
    (links, dofs)
}

/// The bodies that MuJoCo calls simple, with slides alone: one link on slides in the world, each along an axis of its frame,
/// which is that of its inertia, with nothing on it.
fn sliders(model: &Model) -> Vec<bool> {
    let (mut carries, mut links) = (vec![false; model.bodies.len()], vec![0; model.bodies.len()]);
    model.bodies.iter().filter_map(|b| b.parent).for_each(|parent| carries[parent] = true);
    model.links.iter().filter_map(|l| l.body).for_each(|body| links[body] += 1);
    let along = |axis: Vec3| axis.to_array().iter().filter(|x| x.abs() > LEAST).count() == 1;
    let slides = |j: &Joint| j.kind == JointKind::Slide && along(j.axis);
    let simple = |(i, b): (usize, &Body)| {
        let I = b.inertia.second;
        let alone = b.parent.is_none() && !carries[i] && links[i] == 1;
        let own_axes = b.inertia.first == Vec3::ZERO && [I.xy, I.xz, I.yz] == [0.0; 3];
        alone && own_axes && model.joints[b.joints.clone()].iter().all(slides)
    };
    model.bodies.iter().enumerate().map(simple).collect()
}
