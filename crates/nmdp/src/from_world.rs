//! The contact sites of a world: where its geometries can touch fixed planes, and which of its joints resist.
//!
//! | shape | sites |
//! |---|---|
//! | ball | its centre, with its radius |
//! | capsule | the two centres of its ends, with its radius |
//! | box | its eight corners |
//! | cylinder | eight points on each rim |
//! | cone | its apex, and eight points on its rim |
//! | ellipsoid | 26 points on it |
//! | convex polyhedron, mesh | its vertices |
//!
//! A geometry with another set than the cone has one more site, the centre of its sole, in place of the points that are on it.
//! Sites are fixed in their bodies and known beforehand, as the method asks. What it has no word for is refused: loops,
//! couplings, tendons, carried weight, contacts that bounce or resist turning, and fixed geometries that are no planes.

use crate::contact_sets::{ContactSite, NoSet};
use crate::params::NmdpParams;
use crate::set_kind::SetKind;
use crate::sites::{BodySite, DofSite, Resistance, Sites};
use crate::sole::Sole;
use crate::wrench_set::WrenchSet;
use crate::wrench_set::cone::Ground;
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use stiction_assembly::contact_points::friction;
use stiction_assembly::rows::{self, kind::Feature};
use stiction_assembly::{ContactFinder, RowKey};
use stiction_collision::{Shape, ShapeError};
use stiction_dynamics::JointStop;
use stiction_dynamics::spatial::{Pose, Vec3, vec3};
use stiction_world::World;

/// A world that these steppers do not take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UnsupportedWorld {
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("NMDP steppers do not support the {what} `{name}`; the stepper time-stepping does")]
    Part { what: &'static str, name: String },
    #[error(
        "NMDP steppers know contacts with fixed planes alone; `{name}` is a fixed {shape} that `{other}` can touch"
    )]
    Ground { name: String, shape: &'static str, other: String },
    #[error("NMDP steppers know no contacts that {what}, as those of `{name}` with `{other}` do")]
    Contact { what: &'static str, name: String, other: String },
    #[error("`{geometry}` is a {shape}, which has no contact set `{set}`; {has} have")]
    Set { geometry: String, shape: &'static str, set: &'static str, has: &'static str },
    #[error("`{geometry}` is a disc of {found} m; the learned contact set is one of {learned} m")]
    Radius { geometry: String, learned: f64, found: f64 },
    #[error("nmdp.sets: there is no geometry or link `{name}` that touches a plane; there are: {available}")]
    UnknownPart { name: String, available: String },
    #[error("the joint `{joint}` has a limited angle; NMDP steppers know limits of hinges and slides alone")]
    BallLimit { joint: String },
}

/// The sites of a world.
#[derive(Debug)]
pub struct WorldSites {
    /// Per site of a body.
    pub contacts: Vec<ContactSite>,
    pub sites: Sites,
    /// Two geometries of different bodies may touch.
    pub bodies_may_meet: bool,
}

/// Makes the set of a contact; mostly [`ContactSets::make`](crate::contact_sets::ContactSets::make).
pub type MakeSet<'a> = dyn Fn(&ContactSite) -> Result<Box<dyn WrenchSet>, NoSet> + 'a;

impl WorldSites {
    /// The sites of `world`, with the set that `make` gives each.
    pub fn new(world: &World, params: &NmdpParams, make: &MakeSet<'_>) -> Result<Self, UnsupportedWorld> {
        refuse(world)?;
        let finder = ContactFinder::new(world, false)?;
        let mounts: Vec<_> = world.geometries.iter().map(|g| world.mount(g.link, g.X_LG)).collect();
        let mut contacts = Vec::new();
        let mut bodies_may_meet = false;
        for (g, &(body, X_BG)) in mounts.iter().enumerate() {
            let Some(body) = body else { continue };
            for (other, &(fixed, X_WP)) in mounts.iter().enumerate() {
                if other == g || !finder.collision().may_meet(g, other) {
                    continue;
                }
                if fixed.is_some() {
                    bodies_may_meet = true;
                    continue;
                }
                let (geometry, plane) = (&world.geometries[g], &world.geometries[other]);
                if !matches!(plane.shape, Shape::Plane) {
                    let (name, other) = (plane.name.clone(), geometry.name.clone());
                    return Err(UnsupportedWorld::Ground { name, shape: plane.shape.name(), other });
                }
                let surface = finder.surface_of(g.min(other), g.max(other));
                let (mu, turning) = friction(&surface);
                let not = |what| {
                    let (name, other) = (geometry.name.clone(), plane.name.clone());
                    Err(UnsupportedWorld::Contact { what, name, other })
                };
                if finder.meets_by_pressure(g, other) {
                    return not("press over an area (hydroelastic)");
                }
                if surface.restitution > 0.0 {
                    return not("bounce");
                }
                if turning != [0.0; 3] {
                    return not("resist spinning or rolling");
                }
                if surface.is_directed() {
                    return not("slide more easily along one axis");
                }
                let normal = X_WP.rotation.rotate(Vec3::Z);
                let offset = normal.dot(X_WP.translation) + surface.margin;
                let ground = Ground { normal, offset };
                let point = ContactSite {
                    geometry: g,
                    plane: other,
                    feature: 0,
                    body,
                    p_BS: Vec3::ZERO,
                    radius: 0.0,
                    ground,
                    friction: mu,
                    set: SetKind::Cone,
                    sole: None,
                };
                add_sites(world, params, point, &X_BG, &mut contacts)?;
            }
        }
        check_names(world, params, &contacts)?;
        let site = |c: &ContactSite| {
            let set = make(c).map_err(|no| match no {
                NoSet::Shape => no_set(world, c.geometry, c.set),
                NoSet::Radius { learned, found } => UnsupportedWorld::Radius {
                    geometry: world.geometries[c.geometry].name.clone(),
                    learned,
                    found,
                },
            })?;
            Ok(BodySite { body: c.body, p_BS: c.p_BS, set })
        };
        let bodies = contacts.iter().map(site).collect::<Result<_, UnsupportedWorld>>()?;
        Ok(Self { sites: Sites::new(bodies, joints(world, params)?), contacts, bodies_may_meet })
    }
}

/// Sites of the geometry of `point` on its plane.
fn add_sites(
    world: &World,
    params: &NmdpParams,
    point: ContactSite,
    X_BG: &Pose,
    out: &mut Vec<ContactSite>,
) -> Result<(), UnsupportedWorld> {
    let geometry = &world.geometries[point.geometry];
    let of_name = |name: &str| params.sets.get(name).copied();
    let of_link = || geometry.link.and_then(|link| of_name(&world.model.links[link].name));
    let set = of_name(&geometry.name).or_else(of_link).unwrap_or(params.set);
    let mut on_sole: Box<dyn Fn(Vec3) -> bool> = Box::new(|_| false);
    let points = points_of(&geometry.shape);
    if set != SetKind::Cone {
        let [x, y, z] = params.sole;
        let found = Sole::of_shape(&geometry.shape, vec3(x, y, z));
        let (sole, centre) = found.ok_or_else(|| no_set(world, point.geometry, set))?;
        let (down, height) = (sole.axes[2], centre.dot(sole.axes[2]));
        on_sole = Box::new(move |p| down.dot(p) > height * (1.0 - 1e-9));
        let (p_BS, sole) = (X_BG.transform(centre), Some(sole.posed(X_BG)));
        out.push(ContactSite { feature: points.len() as u32, p_BS, set, sole, ..point });
    }
    for (feature, (p, radius)) in points.into_iter().enumerate().filter(|(_, (p, _))| !on_sole(*p)) {
        out.push(ContactSite { feature: feature as u32, p_BS: X_BG.transform(p), radius, ..point });
    }
    Ok(())
}

fn no_set(world: &World, geometry: usize, set: SetKind) -> UnsupportedWorld {
    let geometry = &world.geometries[geometry];
    let (name, shape) = (geometry.name.clone(), geometry.shape.name());
    UnsupportedWorld::Set { geometry: name, shape, set: set.name(), has: set.shapes() }
}

/// Every name of `nmdp.sets` is of a geometry, or of the link of one, that has a site.
fn check_names(world: &World, params: &NmdpParams, contacts: &[ContactSite]) -> Result<(), UnsupportedWorld> {
    let names = |c: &ContactSite| {
        let geometry = &world.geometries[c.geometry];
        let link = geometry.link.map(|link| world.model.links[link].name.clone());
        std::iter::once(geometry.name.clone()).chain(link)
    };
    let known: BTreeSet<String> = contacts.iter().flat_map(names).collect();
    match params.sets.keys().find(|name| !known.contains(*name)) {
        Some(name) => {
            let available = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(UnsupportedWorld::UnknownPart { name: name.clone(), available })
        }
        None => Ok(()),
    }
}

/// Parts that the method has no word for.
fn refuse(world: &World) -> Result<(), UnsupportedWorld> {
    let part = |what, name: &str| Err(UnsupportedWorld::Part { what, name: name.to_owned() });
    let known = |key: &RowKey| match key.kind().feature() {
        Feature::Limits | Feature::DryFriction | Feature::Actuators => true,
        Feature::Couplings | Feature::Loops | Feature::Tendons => false,
    };
    if let Some(key) = rows::standing(world).iter().find(|key| !known(key)) {
        return part(key.kind().sort(), key.kind().name(world));
    }
    if let Some((link, _)) = world.gravity_compensation.iter().find(|(_, share)| *share != 0.0) {
        return part("carried weight of link", &world.model.links[*link].name);
    }
    Ok(())
}

/// Limits and dry friction.
fn joints(world: &World, params: &NmdpParams) -> Result<Vec<DofSite>, UnsupportedWorld> {
    if let Some(joint) = world.model.limited_ball() {
        return Err(UnsupportedWorld::BallLimit { joint: joint.name.clone() });
    }
    let stop =
        |end: JointStop| DofSite { dof: end.dof, resistance: Resistance::Stop { end, growth: params.stop } };
    let mut out: Vec<DofSite> = world.model.stops().map(stop).collect();
    for (dof, friction) in world.model.dofs.iter().map(|d| d.friction).enumerate() {
        if friction > 0.0 {
            out.push(DofSite { dof, resistance: Resistance::DryFriction { effort: friction } });
        }
    }
    Ok(out)
}

/// Points of a shape in its frame, with the radii of the balls about them [m].
pub fn points_of(shape: &Shape) -> Vec<(Vec3, f64)> {
    let circle = |radius: f64, z: f64| {
        (0..8).map(move |k| {
            let angle = TAU * f64::from(k) / 8.0;
            (vec3(radius * angle.cos(), radius * angle.sin(), z), 0.0)
        })
    };
    match shape {
        Shape::Plane => Vec::new(),
        Shape::Sphere { radius } => vec![(Vec3::ZERO, *radius)],
        Shape::Capsule { radius, half_length } => {
            [-half_length, *half_length].map(|z| (Vec3::Z * z, *radius)).to_vec()
        }
        Shape::Box { half } => {
            corners().map(|s| (vec3(s.x * half.x, s.y * half.y, s.z * half.z), 0.0)).collect()
        }
        Shape::Cylinder { radius, half_length } => {
            circle(*radius, -half_length).chain(circle(*radius, *half_length)).collect()
        }
        Shape::Cone { radius, half_height } => {
            circle(*radius, -half_height).chain([(Vec3::Z * *half_height, 0.0)]).collect()
        }
        Shape::Ellipsoid { radii } => {
            let grid = (0..27).filter(|k| *k != 13).map(|k| vec3(third(k), third(k / 3), third(k / 9)));
            grid.map(|d| {
                let d = d * (1.0 / d.norm());
                (vec3(d.x * radii.x, d.y * radii.y, d.z * radii.z), 0.0)
            })
            .collect()
        }
        Shape::Convex(mesh) => mesh.vertices().iter().map(|p| (*p, 0.0)).collect(),
        Shape::Mesh(mesh) => mesh.vertices().iter().map(|p| (*p, 0.0)).collect(),
        Shape::HeightField(_) => Vec::new(),
    }
}

/// −1, 0 or 1 by the last digit to base three.
fn third(k: i32) -> f64 {
    f64::from(k % 3 - 1)
}

fn corners() -> impl Iterator<Item = Vec3> {
    let sign = |bit: u32, k: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    (0..8).map(move |k| vec3(sign(0, k), sign(1, k), sign(2, k)))
}
