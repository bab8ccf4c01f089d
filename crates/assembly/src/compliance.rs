//! What compliant laws read of a world: materials of surfaces and joints, and MuJoCo's weights.
//!
//! MuJoCo scales the compliance of a row by what it moves, once, at the neutral configuration q₀:
//!
//! ```text
//!     ŵ(body) = ⅓ tr(J M(q₀)⁻¹ Jᵀ),   J of the centre of mass              [1/kg]             (1)
//!     ŵ(contact) = ŵ(A) + ŵ(B),  times 1 + μ² for an edge of its pyramid                        (2)
//!     ŵ(joint) = the mean of (M(q₀)⁻¹)_ii over its dofs                                         (3)
//! ```
//!
//! The world weighs nothing in (2). Links that are fixed to each other are one body here; MuJoCo takes (1) of
//! each. Rows that are neither contact, limit nor dry friction take the diagonal of G.

use crate::contact_point::ContactPoint;
use stiction_contact::{Law, Material, Softness};
use stiction_dynamics::spatial::Vec3;
use stiction_dynamics::{CrbaWorkspace, Factor, Kinematics, MassMatrix, crba_into};
use stiction_models::{self as models, PairSurface, World};

/// See the module. Constant during a run.
pub struct ComplianceParameters {
    /// Of every joint: its limits, its dry friction.
    joints: Vec<[Material; 2]>,
    /// Of every loop.
    loops: Vec<Material>,
    /// (1), of every body.
    bodies: Vec<f64>,
    /// (3), of every dof.
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
        let (bodies, dofs) = weights(world);
        Self { joints, loops, bodies, dofs }
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

    /// The weight of a row between two bodies under `law`.
    pub fn of_bodies(&self, law: Law, bodies: [Option<usize>; 2]) -> f64 {
        let weight = |b: Option<usize>| b.map_or(0.0, |b| self.bodies[b]);
        if weighs(law) { weight(bodies[0]) + weight(bodies[1]) } else { 0.0 }
    }

    /// The weight of a row on one dof under `law`.
    pub fn of_dof(&self, law: Law, dof: usize) -> f64 {
        if weighs(law) { self.dofs[dof] } else { 0.0 }
    }

    /// Completes what the problem knows of a contact.
    pub fn contact(&self, law: Law, c: &ContactPoint, surface: &PairSurface, out: &mut Softness) {
        out.material = material(surface);
        if weighs(law) {
            let edge = if law == Law::MujocoPyramidal { 1.0 + c.friction * c.friction } else { 1.0 };
            out.weight = edge * self.of_bodies(law, c.bodies); // (2)
        }
    }
}

/// True where the law scales by (1)–(3).
fn weighs(law: Law) -> bool {
    matches!(law, Law::Mujoco | Law::MujocoPyramidal)
}

fn mujoco(s: &models::Softness) -> Material {
    Material { solref: s.reference, solimp: s.impedance, impratio: s.impratio, ..Material::default() }
}

/// The gap of a contact is what is left beyond the margin, so that no margin remains.
fn material(surface: &PairSurface) -> Material {
    let (default, c) = (mujoco(&surface.softness), surface.compliance);
    Material {
        stiffness: c.stiffness.unwrap_or(default.stiffness),
        relaxation: c.relaxation.unwrap_or(default.relaxation),
        dissipation: c.dissipation.unwrap_or(default.dissipation),
        solref_friction: surface.friction_reference,
        ..default
    }
}

/// (1) and (3); zeros where M(q₀) has no inverse.
fn weights(world: &World) -> (Vec<f64>, Vec<f64>) {
    let model = &world.model;
    let (mut bodies, mut dofs) = (vec![0.0; model.bodies.len()], vec![0.0; model.nv()]);
    let mut kin = Kinematics::new(model);
    kin.update(model, &model.neutral());
    let (mut crba, mut mass, mut factor) =
        (CrbaWorkspace::new(model), MassMatrix::new(model), Factor::new(model));
    crba_into(model, &kin, &mut crba, &mut mass);
    if factor.factor(&mass).is_err() {
        return (bodies, dofs);
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
    for (b, weight) in bodies.iter_mut().enumerate() {
        let body = &model.bodies[b];
        let com = kin.X_WB[b].transform(body.inertia.com());
        let r = com - kin.reference[body.tree];
        if let Some(tip) = model.chain(Some(b)).next() {
            *weight = trace(tip, &|dof| kin.S[dof].linear_at(r)) / 3.0;
        }
    }
    for joint in &model.joints {
        let of_joint = joint.idx_v..joint.idx_v + joint.kind.nv();
        // A free joint has two triples: translation, rotation.
        for part in of_joint.collect::<Vec<_>>().chunks(3) {
            let alone = |d: usize| move |dof: usize| if dof == d { Vec3::X } else { Vec3::ZERO };
            let mean = part.iter().map(|&d| trace(d, &alone(d))).sum::<f64>() / part.len() as f64;
            part.iter().for_each(|&d| dofs[d] = mean);
        }
    }
    (bodies, dofs)
}
