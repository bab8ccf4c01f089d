//! Mechanisms made of random numbers: trees of bodies of any shape and joint, whose links are numbered across each other,
//! with limits, dry friction, springs, servos, couplings and loops, on surfaces that slide, spin, roll and yield.

use stiction::UNCOLOURED;
use stiction::collision::Shape;
use stiction::dynamics::spatial::{Inertia, Pose, Vec3, vec3};
use stiction::dynamics::{JointKind, JointSpec, Kinematics, ModelBuilder, ModelError};
use stiction::random::Random;
use stiction::world::{
    Actuator, ActuatorLaw, Coupling, Dimension, Geometry, Hold, LoopClosure, Material, World,
};

/// Name of such worlds.
pub(super) const NAME: &str = "mechanisms";
/// Density of every body [kg/m³].
const DENSITY: f64 = 1000.0;

/// One to three mechanisms of eight links each at most, above the ground.
pub(super) fn draw(random: &mut Random) -> Result<World, ModelError> {
    let mut b = ModelBuilder::new();
    let mut links: Vec<Link> = Vec::new();
    let count = 1 + random.below(3);
    for k in 0..count * (1 + random.below(8)) {
        let mechanism = if k < count { k } else { random.below(count) };
        let link = Link::draw(random, &links, mechanism);
        let name = format!("link {k}");
        let inertia = link.shape.inertia(DENSITY).unwrap_or(Inertia::ZERO);
        let at = b.link(name.clone(), link.parent, Pose::from_translation(link.place), inertia);
        if let Some(kind) = link.joint {
            b.joint(at, joint(random, name, kind));
        }
        links.push(link);
    }
    let mut world = World::new(NAME, b.build(vec3(0.0, 0.0, -9.81))?);
    let mut add = |link, shape| {
        let name = format!("geometry {}", world.geometries.len());
        let (X_LG, material, rgba) = (Pose::IDENTITY, surface(random), UNCOLOURED);
        let (group, mask, continuous) = (1, 1, false);
        world.geometries.push(Geometry { name, link, X_LG, shape, material, group, mask, continuous, rgba });
    };
    add(None, Shape::Plane);
    links.iter().enumerate().for_each(|(i, link)| add(Some(i), link.shape.clone()));
    world.excluded = links.iter().enumerate().filter_map(|(i, link)| Some((link.parent?, i))).collect();
    couple(&mut world, random);
    close(&mut world, random);
    drive(&mut world, random);
    Ok(world)
}

/// Parameters of a link before it is built.
struct Link {
    mechanism: usize,
    parent: Option<usize>,
    /// In the parent [m].
    place: Vec3,
    shape: Shape,
    /// None: fixed to the parent.
    joint: Option<JointKind>,
}

impl Link {
    /// On a link of the mechanism, mostly the last, beside whose shape its own is.
    fn draw(random: &mut Random, links: &[Self], mechanism: usize) -> Self {
        let mut size = || 0.02 + 0.1 * random.unit();
        let (radius, half) = (size(), vec3(size(), size(), size()));
        let shape = match random.below(4) {
            0 => Shape::Sphere { radius },
            1 => Shape::Box { half },
            2 => Shape::Capsule { radius: 0.5 * radius, half_length: half.z },
            _ => Shape::Cylinder { radius, half_length: half.z },
        };
        let mine: Vec<usize> = (0..links.len()).filter(|&i| links[i].mechanism == mechanism).collect();
        let last = mine.last().copied();
        let parent =
            if random.unit() < 0.7 || mine.is_empty() { last } else { Some(mine[random.below(mine.len())]) };
        let place = match parent {
            None => vec3(0.4 * mechanism as f64, 0.0, 0.5 * random.unit()),
            Some(p) => {
                let way = direction(random);
                way * (0.7 * (shape.bounding_radius() + links[p].shape.bounding_radius()))
            }
        };
        let joint = match (parent, random.unit()) {
            (None, u) if u < 0.6 => Some(JointKind::Free),
            (_, u) if u < 0.7 => Some(JointKind::Hinge),
            (_, u) if u < 0.83 => Some(JointKind::Slide),
            (_, u) if u < 0.93 => Some(JointKind::Ball),
            (_, u) if u < 0.97 => Some(JointKind::Screw),
            // What is fixed to the world moves nothing.
            (None, _) => Some(JointKind::Hinge),
            (Some(_), _) => None,
        };
        Self { mechanism, parent, place, shape, joint }
    }
}

fn direction(random: &mut Random) -> Vec3 {
    vec3(random.signed(), random.signed(), random.signed()).normalized().unwrap_or(Vec3::Z)
}

/// `least` times up to a thousand, in every third case; else nothing.
fn sometimes(random: &mut Random, least: f64) -> f64 {
    if random.unit() < 0.33 { least * 10.0_f64.powf(3.0 * random.unit()) } else { 0.0 }
}

fn joint(random: &mut Random, name: String, kind: JointKind) -> JointSpec {
    let mut spec = JointSpec::new(name, kind, direction(random));
    if kind == JointKind::Free {
        return spec;
    }
    if kind == JointKind::Screw {
        spec.pitch = 0.05 * random.signed();
    }
    if kind.nv() == 1 && random.unit() < 0.5 {
        let range = if kind == JointKind::Slide { 0.1 } else { 1.0 };
        spec.limit = Some([-range * random.unit(), range * random.unit()]);
    }
    spec.stiffness = if kind.nv() == 1 { sometimes(random, 0.1) } else { 0.0 };
    spec.damping = sometimes(random, 1e-3);
    spec.friction = sometimes(random, 1e-2);
    spec.armature = sometimes(random, 1e-5);
    spec
}

/// Surface of a link; friction against sliding and restitution are drawn with those of all worlds.
fn surface(random: &mut Random) -> Material {
    let dimension = match random.below(6) {
        0 => Dimension::Normal,
        1 => Dimension::Spinning,
        2 => Dimension::Rolling,
        _ => Dimension::Sliding,
    };
    let mut material = Material { dimension, ..Material::default() };
    (material.spinning, material.rolling) = (0.02 * random.unit(), 0.01 * random.unit());
    if random.unit() < 0.1 {
        material.compliance.stiffness = Some(10.0_f64.powf(3.0 + 2.0 * random.unit()));
        material.compliance.relaxation = Some(0.1 * random.unit());
    }
    material
}

/// Ties two joints of one dof together, in every third world.
fn couple(world: &mut World, random: &mut Random) {
    let model = &world.model;
    let single: Vec<usize> = model.joints.iter().filter(|j| j.kind.nv() == 1).map(|j| j.idx_v).collect();
    if single.len() < 2 || random.unit() > 0.33 {
        return;
    }
    let first = random.below(single.len());
    let second = (first + 1 + random.below(single.len() - 1)) % single.len();
    let terms = vec![(single[first], 1.0), (single[second], -2.0 * random.signed())];
    world.couplings.push(Coupling { name: "coupling".to_owned(), terms, offset: 0.0, curve: None });
}

/// Holds a link to another or to the world as they stand, in every third world.
fn close(world: &mut World, random: &mut Random) {
    if random.unit() > 0.33 {
        return;
    }
    let model = &world.model;
    let mut kin = Kinematics::new(model);
    kin.update(model, &model.neutral());
    let placed = |link: Option<usize>, X_L: Pose| {
        let (body, X) = world.mount(link, X_L);
        body.map_or(X, |b| kin.X_WB[b] * X)
    };
    let of = random.below(model.links.len());
    let to = random.below(model.links.len() + 1);
    let to = if to < model.links.len() && to != of { Some(to) } else { None };
    let X_LA = Pose::from_translation(direction(random) * 0.05);
    let X_WA = placed(Some(of), X_LA);
    let hold = match random.below(4) {
        0 => Hold::Point,
        1 => Hold::Frame,
        2 => Hold::Hinge,
        _ => Hold::Distance((X_WA.translation - placed(to, Pose::IDENTITY).translation).norm()),
    };
    let X_LB = match hold {
        Hold::Distance(_) => Pose::IDENTITY,
        _ => placed(to, Pose::IDENTITY).inverse() * X_WA,
    };
    let ends = [(Some(of), X_LA), (to, X_LB)];
    world.loops.push(LoopClosure::new("loop", ends, hold));
}

/// Servos on half of the joints of one dof, weak and strong.
fn drive(world: &mut World, random: &mut Random) {
    for joint in world.model.joints.iter().filter(|j| j.kind.nv() == 1) {
        if random.unit() < 0.5 {
            continue;
        }
        let gain = 10.0_f64.powf(4.0 * random.unit() - 1.0);
        let bias_velocity = -sometimes(random, 1e-3 * gain);
        let law = ActuatorLaw { gain, bias: 0.0, bias_length: -gain, bias_velocity };
        let most = gain * random.unit();
        world.actuators.push(Actuator {
            name: format!("servo of {}", joint.name),
            transmission: vec![(joint.idx_v, 1.0)],
            law,
            effort_limit: (random.unit() < 0.5).then_some([-most, most]),
            control_limit: None,
        });
    }
}
