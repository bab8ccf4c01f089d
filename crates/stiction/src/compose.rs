//! Putting a world together: ground, single bodies, whole robots at chosen poses.

use crate::State;
use stiction_collision::{Shape, ShapeError};
use stiction_dynamics::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use stiction_dynamics::{JointKind, JointSpec, Model, ModelBuilder, ModelError};
use stiction_world::{Actuator, Counts, Coupling, DriveLimit, Geometry, Material, World};

/// A free rigid body of one shape.
#[derive(Clone, Debug)]
pub struct FreeBody {
    pub name: String,
    pub shape: Shape,
    /// [kg]; the inertia is that of the homogeneous solid.
    pub mass: f64,
    pub material: Material,
    pub pose: Pose,
    /// Of the origin, world axes [m/s].
    pub velocity: Vec3,
    /// Body axes [rad/s].
    pub angular_velocity: Vec3,
    /// See [`Geometry::continuous`].
    pub continuous: bool,
    pub rgba: [f32; 4],
}

impl FreeBody {
    /// At rest, with the default material and no colour.
    pub fn new(name: impl Into<String>, shape: Shape, mass: f64, pose: Pose) -> Self {
        Self {
            name: name.into(),
            shape,
            mass,
            material: Material::default(),
            pose,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            continuous: false,
            rgba: UNCOLOURED,
        }
    }
}

/// The grey of a geometry nobody coloured.
pub const UNCOLOURED: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

/// Why a body cannot be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ComposeError {
    #[error("body `{name}`: {source}")]
    Shape { name: String, source: ShapeError },
    #[error("body `{name}`: mass is {mass}; expected a finite number > 0 [kg]")]
    Mass { name: String, mass: f64 },
    #[error("body `{name}`: a plane is infinite and cannot move; use it as ground or give a box")]
    MovingPlane { name: String },
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Collects parts into one [`World`] and the state they start in.
pub struct Composer {
    world: World,
    state: State,
}

impl Composer {
    /// An empty world; `gravity` in world axes [m/s²].
    pub fn new(name: impl Into<String>, gravity: Vec3) -> Result<Self, ComposeError> {
        let model = ModelBuilder::new().build(gravity)?;
        let state = State::neutral(&model);
        let world = World::new(name, model);
        Ok(Self { world, state })
    }

    /// A shape fixed to the world.
    pub fn fixed(
        &mut self,
        name: impl Into<String>,
        shape: Shape,
        pose: Pose,
        material: Material,
        rgba: [f32; 4],
    ) -> Result<(), ComposeError> {
        let name = name.into();
        shape.validate().map_err(|source| ComposeError::Shape { name: name.clone(), source })?;
        self.world.geometries.push(geometry(name, None, shape, pose, material, rgba));
        Ok(())
    }

    /// A free body. Returns its index in `model.bodies`.
    pub fn body(&mut self, body: FreeBody) -> Result<usize, ComposeError> {
        let FreeBody { name, shape, mass, material, pose, velocity, angular_velocity, continuous, rgba } =
            body;
        shape.validate().map_err(|source| ComposeError::Shape { name: name.clone(), source })?;
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(ComposeError::Mass { name, mass });
        }
        let unit = (shape.inertia(1.0)).ok_or_else(|| ComposeError::MovingPlane { name: name.clone() })?;
        let mut builder = ModelBuilder::new();
        let inertia = scaled(&unit, mass / unit.mass);
        let link = builder.link(name.clone(), None, pose, inertia);
        builder.joint(link, JointSpec::new(name.clone(), JointKind::Free, Vec3::Z));
        let model = builder.build(self.world.model.gravity)?;
        let mut state = State::neutral(&model);
        state.v[..3].copy_from_slice(&velocity.to_array());
        state.v[3..].copy_from_slice(&angular_velocity.to_array());
        let mut part = World::new(name.clone(), model);
        let solid = geometry(name, Some(0), shape, Pose::IDENTITY, material, rgba);
        part.geometries.push(Geometry { continuous, ..solid });
        let index = self.world.model.bodies.len();
        self.robot(part, &state, Pose::IDENTITY, "");
        Ok(index)
    }

    /// A whole world, moved by `pose`, starting in its own `state`. Names get `prefix`.
    pub fn robot(&mut self, part: World, state: &State, pose: Pose, prefix: &str) {
        let place = Place::behind(&self.world, pose, prefix);
        self.start(&part.model, state, &place);
        let whole = &mut self.world;
        place.add_model(part.model, &mut whole.model);
        whole.pairs.extend(part.pairs.into_iter().map(|mut p| {
            p.name = place.named(p.name);
            p.geometries = p.geometries.map(|g| g + place.geometries);
            p.surface.tangents = p.surface.tangents.shifted(place.links, pose);
            p
        }));
        whole.geometries.extend(part.geometries.into_iter().map(|g| place.geometry(g)));
        whole.visuals.extend(part.visuals.into_iter().map(|mut v| {
            if v.link.is_none() {
                v.X_LV = pose * v.X_LV;
            }
            v.link = v.link.map(|l| l + place.links);
            v
        }));
        let links = place.links;
        whole.excluded.extend(part.excluded.into_iter().map(|(a, b)| (a + links, b + links)));
        let excluded = part.excluded_from_world.into_iter().map(|l| l + links);
        whole.excluded_from_world.extend(excluded);
        if !part.drive_limits.is_empty() {
            whole.drive_limits.resize(place.dofs, DriveLimit::default());
            whole.drive_limits.extend(part.drive_limits);
        }
        whole.actuators.extend(part.actuators.into_iter().map(|a| place.actuator(a)));
        whole.couplings.extend(part.couplings.into_iter().map(|c| place.coupling(c)));
        whole.tendons.extend(part.tendons.into_iter().map(|mut t| {
            t.name = place.named(t.name);
            t.shift(links, place.dofs, place.sites, pose);
            t
        }));
        whole.loops.extend(part.loops.into_iter().map(|mut l| {
            l.name = place.named(l.name);
            l.shift(links, pose);
            l
        }));
        let compensation = part.gravity_compensation.into_iter().map(|(l, share)| (l + links, share));
        whole.gravity_compensation.extend(compensation);
        let (joints, geometries) = (place.joints, place.geometries);
        whole.extras.append(part.extras, Counts { links, joints, geometries }, pose, prefix);
        whole.ledger.append(part.ledger);
    }

    /// Appends the state that a world of `model` starts in.
    fn start(&mut self, model: &Model, state: &State, place: &Place<'_>) {
        self.state.v.extend_from_slice(&state.v);
        self.state.q.extend_from_slice(&state.q);
        for joint in model.joints.iter().filter(|j| j.kind == JointKind::Free) {
            move_pose(&mut self.state.q[place.nq + joint.idx_q..][..7], &place.pose);
            let v = &mut self.state.v[place.dofs + joint.idx_v..][..3];
            v.copy_from_slice(&place.pose.rotation.rotate(Vec3::from([v[0], v[1], v[2]])).to_array());
        }
    }

    /// The world and the state it starts in.
    pub fn finish(mut self) -> (World, State) {
        if !self.world.drive_limits.is_empty() {
            let nv = self.world.model.nv();
            self.world.drive_limits.resize(nv, DriveLimit::default());
        }
        (self.world, self.state)
    }
}

/// The place of a world in a whole: what comes before it there, its pose, and the prefix of its names.
struct Place<'a> {
    bodies: usize,
    joints: usize,
    dofs: usize,
    links: usize,
    geometries: usize,
    sites: usize,
    nq: usize,
    trees: usize,
    pose: Pose,
    prefix: &'a str,
}

impl<'a> Place<'a> {
    fn behind(whole: &World, pose: Pose, prefix: &'a str) -> Self {
        let model = &whole.model;
        Self {
            bodies: model.bodies.len(),
            joints: model.joints.len(),
            dofs: model.dofs.len(),
            links: model.links.len(),
            geometries: whole.geometries.len(),
            sites: whole.extras.sites.len(),
            nq: model.nq,
            trees: model.trees,
            pose,
            prefix,
        }
    }

    fn named(&self, name: String) -> String {
        if self.prefix.is_empty() { name } else { format!("{}{name}", self.prefix) }
    }

    fn add_model(&self, part: Model, whole: &mut Model) {
        let Self { bodies, joints, dofs, links, nq, trees, pose, .. } = *self;
        whole.bodies.extend(part.bodies.into_iter().map(|mut b| {
            if b.parent.is_none() {
                b.X_PB = pose * b.X_PB;
            }
            b.name = self.named(b.name);
            b.parent = b.parent.map(|p| p + bodies);
            b.joints = b.joints.start + joints..b.joints.end + joints;
            b.dofs = b.dofs.start + dofs..b.dofs.end + dofs;
            b.tree += trees;
            b
        }));
        whole.joints.extend(part.joints.into_iter().map(|mut j| {
            j.name = self.named(j.name);
            j.body += bodies;
            j.idx_q += nq;
            j.idx_v += dofs;
            j
        }));
        whole.dofs.extend(part.dofs.into_iter().map(|mut d| {
            d.body += bodies;
            d.joint += joints;
            d.parent = d.parent.map(|p| p + dofs);
            d
        }));
        whole.links.extend(part.links.into_iter().map(|mut l| {
            if l.body.is_none() {
                l.X_BL = pose * l.X_BL;
            }
            l.name = self.named(l.name);
            l.parent = l.parent.map(|p| p + links);
            l.body = l.body.map(|b| b + bodies);
            l
        }));
        whole.trees += part.trees;
        whole.nq += part.nq;
    }

    fn geometry(&self, mut g: Geometry) -> Geometry {
        if g.link.is_none() {
            g.X_LG = self.pose * g.X_LG;
        }
        g.name = self.named(g.name);
        g.link = g.link.map(|l| l + self.links);
        g.material.grain = g.material.grain.map(|grain| grain.shifted(self.links, self.pose));
        g
    }

    fn actuator(&self, mut a: Actuator) -> Actuator {
        a.name = self.named(a.name);
        a.transmission.iter_mut().for_each(|(dof, _)| *dof += self.dofs);
        a
    }

    fn coupling(&self, mut c: Coupling) -> Coupling {
        c.name = self.named(c.name);
        let bend = c.curve.iter_mut().flat_map(|curve| &mut curve.terms);
        c.terms.iter_mut().chain(bend).for_each(|(dof, _)| *dof += self.dofs);
        c
    }
}

fn geometry(
    name: String,
    link: Option<usize>,
    shape: Shape,
    X_LG: Pose,
    material: Material,
    rgba: [f32; 4],
) -> Geometry {
    Geometry { name, link, X_LG, shape, material, group: 1, mask: 1, continuous: false, rgba }
}

/// The same body made of a material `s` times as dense.
fn scaled(i: &Inertia, s: f64) -> Inertia {
    let c = i.about_com();
    let c = Sym3 { xx: c.xx * s, yy: c.yy * s, zz: c.zz * s, xy: c.xy * s, xz: c.xz * s, yz: c.yz * s };
    Inertia::new(i.mass * s, i.com(), c)
}

/// q = (position, quaternion) of a free joint, moved by `pose`.
fn move_pose(q: &mut [f64], pose: &Pose) {
    let here = Pose::new(Quat::new(q[3], q[4], q[5], q[6]), Vec3::from([q[0], q[1], q[2]]));
    let there = *pose * here;
    q[..3].copy_from_slice(&there.translation.to_array());
    q[3..].copy_from_slice(&there.rotation.to_array());
}
