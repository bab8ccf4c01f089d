//! The exact law's problem at a step of an NMDP stepper, for the judge.
//!
//! ```text
//!     g = J v_f + biases of gaps,   v_f = v⁺ − M⁻¹ Jᵀ λ                              (1)
//! ```
//!
//! J and M are taken where the stepper took its forces: at q⁺, of `ne-mdp` at q; gaps are those at the start of the step; λ is
//! what contacts, stops and dry friction gave over the whole step. A sole is one point, at its centre of pressure; what it
//! resists of spinning is no part of λ, and stays in v_f. c = J v⁺ is then what the step ended with, and the
//! certificate says how far λ and c are from Signorini's and Coulomb's law. It need not be near: sets that are not saturated
//! push bodies off that slide, and all of them let bodies overlap.

use stiction_assembly::loops::Loops;
use stiction_assembly::{BlockKey, ContactPoint, Face, Posed, Posing, RowKey, RowParams, WarmStart};
use stiction_contact::Needs;
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_dynamics::{CrbaWorkspace, Factor, Kinematics, MassMatrix, crba_into, motions_into};
use stiction_models::World;
use stiction_nmdp::sites::Resistance;
use stiction_nmdp::{ContactSite, Nmdp};

/// Problem, impulses and contact points of the last step.
pub(super) struct Judged {
    contacts: Vec<ContactSite>,
    pub(super) posed: Posed,
    pub(super) impulses: Vec<f64>,
    pub(super) points: Vec<ContactPoint>,
    /// Impulse of every point on B, in W [N·s].
    forces: Vec<Vec3>,
    start: Kinematics,
    mass: MassMatrix,
    crba: CrbaWorkspace,
    factor: Factor,
    v_free: Vec<f64>,
    motions: Vec<Motion>,
    warm: WarmStart,
    loops: Loops,
    q_of_dof: Vec<usize>,
}

impl Judged {
    pub(super) fn new(world: &World, contacts: Vec<ContactSite>) -> Self {
        let model = &world.model;
        let mut q_of_dof = vec![0; model.nv()];
        for joint in &model.joints {
            for k in 0..joint.kind.nv() {
                q_of_dof[joint.idx_v + k] = joint.idx_q + k;
            }
        }
        Self {
            contacts,
            posed: Posed::new(model),
            impulses: Vec::new(),
            points: Vec::new(),
            forces: Vec::new(),
            start: Kinematics::new(model),
            mass: MassMatrix::new(model),
            crba: CrbaWorkspace::new(model),
            factor: Factor::new(model),
            v_free: vec![0.0; model.nv()],
            motions: vec![Motion::ZERO; model.bodies.len()],
            warm: WarmStart::default(),
            loops: Loops::new(world),
            q_of_dof,
        }
    }

    pub(super) fn clear(&mut self) {
        self.posed.clear();
        self.impulses.clear();
        self.points.clear();
    }

    /// (1), from the positions and velocities at the start and the velocities at the end.
    pub(super) fn pose(
        &mut self,
        world: &World,
        nmdp: &Nmdp,
        (q, v, v_next): (&[f64], &[f64], &[f64]),
        params: RowParams,
        needs: Needs,
    ) -> Result<(), String> {
        let model = &world.model;
        let kin = nmdp.kinematics();
        self.find_points(world, nmdp, q, params);
        crba_into(model, kin, &mut self.crba, &mut self.mass);
        self.factor.factor(&self.mass).map_err(|e| format!("the mass matrix: {e}"))?;
        self.find_free_velocity(world, nmdp, v_next);
        motions_into(model, kin, &self.v_free, &mut self.motions);
        let posing = Posing {
            world,
            kin,
            middle: None,
            rolling: None,
            q,
            v,
            free_velocity: &self.v_free,
            free_motions: &self.motions,
            params,
            implicit_forces: &[],
            q_of_dof: &self.q_of_dof,
            loops: &self.loops,
            compliance: None,
        };
        posing.pose_into(&self.points, &mut self.warm, &mut self.posed);
        self.posed.jacobian.factor_into(&self.factor, &mut self.posed.problem);
        if !needs.delassus_factor {
            self.posed.problem.form_blocks().map_err(|e| format!("the contact problem: {e}"))?;
        }
        self.find_impulses(world, nmdp);
        Ok(())
    }

    /// Points of sites that exerted anything, or were near the plane at the start.
    fn find_points(&mut self, world: &World, nmdp: &Nmdp, q: &[f64], params: RowParams) {
        self.start.update(&world.model, q);
        self.points.clear();
        self.forces.clear();
        let kin = nmdp.kinematics();
        for (site, impulse) in self.contacts.iter().zip(nmdp.impulses()) {
            let reach = |kin: &Kinematics| match &site.sole {
                Some(sole) => sole.reach(&kin.R_WB[site.body], site.ground.normal),
                None => site.radius,
            };
            let centre = self.start.X_WB[site.body].transform(site.p_BS);
            let gap = site.ground.gap(centre, reach(&self.start));
            if impulse.linear == Vec3::ZERO && gap > params.margin {
                continue;
            }
            let normal = site.ground.normal;
            let (t1, t2) = normal.tangents();
            let mut p = kin.X_WB[site.body].transform(site.p_BS) - normal * site.radius;
            let pressure = normal.dot(impulse.linear);
            if site.sole.is_some() && pressure > 0.0 {
                p += normal.cross(impulse.angular) * (1.0 / pressure);
            }
            // A is the geometry of the lower index.
            let plane_first = site.plane < site.geometry;
            let sign = if plane_first { 1.0 } else { -1.0 };
            let (mut geometries, mut bodies) = ([site.plane, site.geometry], [None, Some(site.body)]);
            if !plane_first {
                geometries.reverse();
                bodies.reverse();
            }
            self.points.push(ContactPoint {
                geometries,
                bodies,
                feature: site.feature,
                position: p,
                t1,
                t2: t2 * sign,
                n: normal * sign,
                gap,
                face: Face::of_one(gap),
                friction: site.friction,
                restitution: 0.0,
                bounce_depth: 0.0,
                stretch: [1.0; 2],
                turning: [0.0; 3],
                spring: None,
                patch: None,
                static_friction: None,
                redundant: false,
            });
            self.forces.push(impulse.linear * sign);
        }
    }

    /// v_f of (1).
    fn find_free_velocity(&mut self, world: &World, nmdp: &Nmdp, v_next: &[f64]) {
        let (model, kin) = (&world.model, nmdp.kinematics());
        self.v_free.fill(0.0);
        for (c, force) in self.points.iter().zip(&self.forces) {
            for (body, sign) in c.bodies.iter().zip([-1.0, 1.0]) {
                let Some(body) = *body else { continue };
                let arm = c.position - kin.reference[model.bodies[body].tree];
                for dof in model.chain(Some(body)) {
                    self.v_free[dof] -= sign * kin.S[dof].linear_at(arm).dot(*force);
                }
            }
        }
        for (site, impulse) in nmdp.sites().dofs.iter().zip(nmdp.dof_impulses()) {
            self.v_free[site.dof] -= impulse;
        }
        self.factor.solve_in_place(&mut self.v_free);
        for (v_free, v_next) in self.v_free.iter_mut().zip(v_next) {
            *v_free += v_next;
        }
    }

    /// λ in the rows of the problem.
    fn find_impulses(&mut self, world: &World, nmdp: &Nmdp) {
        let problem = &self.posed.problem;
        self.impulses.clear();
        self.impulses.resize(problem.rows(), 0.0);
        for (block, b) in self.posed.blocks.iter().enumerate() {
            let rows = &mut self.impulses[problem.range(block)];
            match b.key {
                BlockKey::Contact(c) => {
                    let (point, force) = (&self.points[c], self.forces[c]);
                    match rows {
                        [t1, t2, n] => {
                            (*t1, *t2) = (point.t1.dot(force), point.t2.dot(force));
                            *n = point.n.dot(force);
                        }
                        [n, ..] => *n = point.n.dot(force),
                        [] => {}
                    }
                }
                BlockKey::Row(key) => rows[0] = of_dof(world, nmdp, key),
            }
        }
    }
}

/// Impulse of a stop or of dry friction.
fn of_dof(world: &World, nmdp: &Nmdp, key: RowKey) -> f64 {
    let sites = nmdp.sites().dofs.iter().zip(nmdp.dof_impulses());
    let found = sites.filter(|(site, _)| match (key, site.resistance) {
        (RowKey::Limit { joint, side }, Resistance::Stop { coordinate, sign, .. }) => {
            world.model.joints[joint].idx_q == coordinate && (side == 0) == (sign > 0.0)
        }
        (RowKey::DryFriction { dof }, Resistance::DryFriction { .. }) => site.dof == dof,
        _ => false,
    });
    let total: f64 = found.map(|(_, impulse)| *impulse).sum();
    if matches!(key, RowKey::Limit { .. }) { total.abs() } else { total }
}
