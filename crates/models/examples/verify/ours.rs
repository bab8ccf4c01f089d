//! Our numbers in the states of a reference, in its order of joints and links.

use crate::derivatives::{Moving, compare};
use crate::reference::{Reference, State, numbers};
use crate::worst::Worst;
use stiction_dynamics::spatial::{Motion, Vec3, vec3};
use stiction_dynamics::{
    AbaWorkspace, CrbaWorkspace, Kinematics, MassMatrix, RneaWorkspace, Velocities, aba_into, bias_into,
    body_jacobian_into, centre_of_mass, crba_into, kinetic_energy, momentum, potential_energy, rnea_into,
    spring_energy,
};
use stiction_world::{Tendon, World};

pub(crate) struct Ours<'w> {
    world: &'w World,
    /// Our dof for every dof of the reference.
    dofs: Vec<usize>,
    /// Place in our q where the coordinates of every joint of the reference start.
    coordinates: Vec<usize>,
    /// Our link for every link of the reference.
    links: Vec<usize>,
    /// Our body that every joint of the reference moves, without the world.
    bodies: Vec<usize>,
    mjcf: bool,
    kin: Kinematics,
    vel: Velocities,
    mass: MassMatrix,
}

/// Size that a derivative is compared with where it vanishes: for torques the largest inertia, for accelerations the
/// largest
/// acceleration.
fn floor(state: &State, what: &str) -> f64 {
    let largest = |numbers: Vec<f64>| numbers.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let scale = match what {
        "dtau_dq" | "dtau_dv" | "coriolis" => state.rows("M").map(|M| M.concat()),
        "da_dq" | "da_dv" => state.vector("acceleration"),
        _ => None,
    };
    scale.map_or(0.0, |s| 1e-3 * largest(s)).max(1e-300)
}

impl<'w> Ours<'w> {
    pub(crate) fn new(world: &'w World, reference: &Reference) -> Result<Self, String> {
        let model = &world.model;
        let (mut dofs, mut coordinates, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
        for name in &reference.joints {
            let joint = model.joint_named(name).ok_or_else(|| format!("the joint `{name}` is not ours"))?;
            let joint = &model.joints[joint];
            dofs.extend(joint.idx_v..joint.idx_v + joint.kind.nv());
            coordinates.push(joint.idx_q);
            bodies.push(joint.body);
        }
        if reference.joints.is_empty() {
            dofs.extend(0..model.nv());
            coordinates.push(0);
        }
        if dofs.len() != model.nv() {
            return Err(format!("{} dofs, ours are {}", dofs.len(), model.nv()));
        }
        let named =
            |name: &String| model.link_named(name).ok_or_else(|| format!("the link `{name}` is not ours"));
        let links = if reference.links.is_empty() {
            (0..model.links.len()).collect()
        } else {
            reference.links.iter().map(named).collect::<Result<_, _>>()?
        };
        let (kin, vel, mass) = (Kinematics::new(model), Velocities::new(model), MassMatrix::new(model));
        let mjcf = reference.base == "mjcf";
        Ok(Self { world, dofs, coordinates, links, bodies, mjcf, kin, vel, mass })
    }

    /// Compares everything that does not depend on a state.
    pub(crate) fn constants(&self, reference: &Reference, worst: &mut Worst) -> Result<(), String> {
        let model = &self.world.model;
        if let Some(mass) = reference.whole["mass"].as_f64() {
            worst.scalar("mass", model.moving_mass(), mass);
        }
        for (what, ours) in [("nq", model.nq), ("nv", model.nv())] {
            if reference.whole[what].as_u64().is_some_and(|theirs| theirs as usize != ours) {
                return Err(format!("{what} is {}, ours is {ours}", reference.whole[what]));
            }
        }
        if let Some(masses) = numbers(&reference.whole["masses"]) {
            if masses.len() != model.links.len() {
                return Err(format!("{} bodies, ours are {}", masses.len(), model.links.len()));
            }
            let ours: Vec<f64> = model.links.iter().map(|l| l.inertia.mass).collect();
            worst.vector("mass", &ours, &masses);
        }
        if let Some(neutral) = numbers(&reference.whole["neutral"]) {
            worst.vector_above("neutral", &model.neutral(), &neutral, 1.0);
        }
        Ok(())
    }

    /// Everything the reference knows of one state.
    pub(crate) fn at(&mut self, state: &State, worst: &mut Worst) -> Result<(), String> {
        let model = &self.world.model;
        let lacks = |what: &str| format!("a state lacks {what}");
        let mut q = model.neutral();
        match state.rows("q") {
            Some(joints) => {
                for (values, at) in joints.iter().zip(&self.coordinates) {
                    q[*at..at + values.len()].copy_from_slice(values);
                }
            }
            None => q = state.vector("q").ok_or_else(|| lacks("q"))?,
        }
        let v = self.inward(&state.vector("v").ok_or_else(|| lacks("v"))?);
        let a = self.inward(&state.vector("a").ok_or_else(|| lacks("a"))?);
        self.kin.update(model, &q);
        self.vel.update(model, &self.kin, &v);
        self.dynamics(state, &a, worst);
        self.energies(state, &q, &v, worst);
        self.frames(state, worst);
        self.derivatives(state, &v, &a, worst);
        Ok(())
    }

    fn derivatives(&self, state: &State, v: &[f64], a: &[f64], worst: &mut Worst) {
        let moving = Moving { model: &self.world.model, kin: &self.kin, vel: &self.vel, v };
        let mut ours = Vec::new();
        if state.rows("dtau_dq").is_some() {
            ours.extend(moving.of_inverse_dynamics(a));
        }
        if let Some(applied) = state.vector("applied") {
            ours.extend(moving.of_forward_dynamics(&self.inward(&applied)));
        }
        for (what, ours) in ours {
            if let Some(theirs) = state.rows(what) {
                compare(what, &ours, &theirs, (&self.dofs, floor(state, what)), worst);
            }
        }
        if let Some(link) = self.links.last() {
            let link = &self.world.model.links[*link];
            moving.rates((link.body, link.X_BL.translation), state, &self.dofs, worst);
        }
        moving.centroidal(state, &self.dofs, worst);
        moving.regressor(a, state, (&self.dofs, &self.bodies), worst);
    }

    fn dynamics(&mut self, state: &State, a: &[f64], worst: &mut Worst) {
        let (model, nv) = (&self.world.model, self.world.model.nv());
        let Self { kin, vel, mass, .. } = self;
        crba_into(model, kin, &mut CrbaWorkspace::new(model), mass);
        let mut workspace = RneaWorkspace::new(model);
        let (mut bias, mut gravity, mut torque) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]);
        bias_into(model, kin, vel, &mut workspace, &mut bias);
        bias_into(model, kin, &Velocities::new(model), &mut workspace, &mut gravity);
        rnea_into(model, kin, vel, a, &mut workspace, &mut torque);
        let dense = mass.to_dense();
        if let Some(M) = state.rows("M") {
            let ours: Vec<Vec<f64>> =
                self.dofs.iter().map(|i| self.dofs.iter().map(|j| dense[i * nv + j]).collect()).collect();
            worst.mass_matrix(&ours, &M);
            // Weightless free bodies have no bias at all: measured against their inertia.
            let floor = 1e-3 * M.iter().enumerate().map(|(i, row)| row[i]).fold(0.0, f64::max);
            for (what, ours) in [("bias", &bias), ("gravity", &gravity), ("torque", &torque)] {
                if let Some(theirs) = state.vector(what) {
                    worst.vector_above(what, &self.outward(ours), &theirs, floor);
                }
            }
        }
        if let (Some(applied), Some(theirs)) = (state.vector("applied"), state.vector("acceleration")) {
            let mut ours = vec![0.0; nv];
            let applied = self.inward(&applied);
            aba_into(model, &self.kin, &self.vel, &applied, &mut AbaWorkspace::new(model), &mut ours);
            worst.vector("acceleration", &self.outward(&ours), &theirs);
        }
    }

    fn energies(&self, state: &State, q: &[f64], v: &[f64], worst: &mut Worst) {
        let (model, kin, vel) = (&self.world.model, &self.kin, &self.vel);
        if let Some(theirs) = state.number("kinetic") {
            worst.scalar("kinetic", kinetic_energy(model, kin, vel, v), theirs);
        }
        if let Some(theirs) = state.number("potential") {
            // MuJoCo counts links fixed to the world, and springs; Pinocchio does not.
            let mut ours = potential_energy(model, kin);
            if self.mjcf {
                ours += model.fixed_potential_energy() + spring_energy(model, q) + self.tendon_energy(q);
            }
            // In joules: without weight and springs there is none at all.
            let floor = (1e-3 * model.total_mass() * model.gravity.norm()).max(1e-6);
            worst.vector_above("potential", &[ours], &[theirs], floor);
        }
        if let Some(theirs) = state.vector("com") {
            worst.vector_above("com", &centre_of_mass(model, kin).to_array(), &theirs, 1e-3);
        }
        if let Some(theirs) = state.vector("centroidal_momentum") {
            let p = momentum(model, kin, vel);
            let ours = [p.angular.to_array(), p.linear.to_array()].concat();
            worst.vector("momentum", &ours, &theirs);
        }
    }

    /// Energy of the springs of fixed tendons [J].
    fn tendon_energy(&self, q: &[f64]) -> f64 {
        let energy = |t: &Tendon| {
            let length: f64 = t.terms().iter().map(|&(dof, c)| c * q[self.coordinate(dof)]).sum();
            let [low, high] = t.slack.unwrap_or([0.0; 2]);
            0.5 * t.stiffness * (length - length.clamp(low, high)).powi(2)
        };
        self.world.tendons.iter().map(energy).sum()
    }

    /// Where the coordinate of a scalar dof is in q.
    fn coordinate(&self, dof: usize) -> usize {
        let joint = self.world.model.joints.iter().find(|j| j.idx_v == dof);
        joint.expect("tendons run over scalar joints").idx_q
    }

    /// Poses and velocities of links, the Jacobian of the last one.
    fn frames(&self, state: &State, worst: &mut Worst) {
        let (model, kin) = (&self.world.model, &self.kin);
        let pose_of = |link: usize| match model.links[link].body {
            Some(b) => kin.X_WB[b] * model.links[link].X_BL,
            None => model.links[link].X_BL,
        };
        if let Some(poses) = state.blocks("poses").filter(|p| p.len() == self.links.len()) {
            for (theirs, link) in poses.iter().zip(&self.links) {
                let X = pose_of(*link);
                let R = X.rotation.to_matrix();
                let p = X.translation.to_array();
                let ours: Vec<f64> =
                    (0..3).flat_map(|i| R.rows[i].to_array().into_iter().chain([p[i]])).collect();
                worst.vector("pose", &ours, theirs);
            }
        }
        for (theirs, link) in state.rows("velocities").unwrap_or_default().iter().zip(&self.links) {
            let V = match model.links[*link].body {
                Some(b) => self.vel.V[b],
                None => Motion::ZERO,
            };
            let offset = match model.links[*link].body {
                Some(b) => pose_of(*link).translation - kin.reference[model.bodies[b].tree],
                None => vec3(0.0, 0.0, 0.0),
            };
            let ours = [V.angular.to_array(), V.linear_at(offset).to_array()].concat();
            worst.vector_above("velocity", &ours, theirs, 1e-3);
        }
        if let (Some(theirs), Some(link)) = (state.rows("jacobian"), self.links.last()) {
            self.jacobian(*link, pose_of(*link).translation, &theirs, worst);
        }
    }

    fn jacobian(&self, link: usize, p_W: Vec3, theirs: &[Vec<f64>], worst: &mut Worst) {
        let (model, kin) = (&self.world.model, &self.kin);
        let Some(body) = model.links[link].body else { return };
        let mut J = vec![Motion::ZERO; model.nv()];
        body_jacobian_into(model, kin, Some(body), &mut J);
        let from_origin = p_W - kin.X_WB[body].translation;
        for (row, theirs) in theirs.iter().enumerate() {
            let entry = |i: &usize| match row {
                0..3 => J[*i].angular.to_array()[row],
                _ => J[*i].linear_at(from_origin).to_array()[row - 3],
            };
            let ours: Vec<f64> = self.dofs.iter().map(entry).collect();
            worst.vector_above("jacobian", &ours, theirs, 1.0);
        }
    }

    /// A vector of the reference in our order.
    fn inward(&self, theirs: &[f64]) -> Vec<f64> {
        let mut ours = vec![0.0; theirs.len()];
        for (x, at) in theirs.iter().zip(&self.dofs) {
            ours[*at] = *x;
        }
        ours
    }

    /// A vector of ours in the order of the reference.
    fn outward(&self, ours: &[f64]) -> Vec<f64> {
        self.dofs.iter().map(|i| ours[*i]).collect()
    }
}
