//! Numbers of a scene by name.
//!
//! | name | is |
//! |---|---|
//! | `BODY.mass` | mass, the inertia growing with it [kg] |
//! | `BODY.inertia` | mean of the moments about the centre of mass, their ratios kept [kg·m²] |
//! | `BODY.com.x` … `z` | centre of mass in the axes of the body [m] |
//! | `SURFACE.friction`, `SURFACE.restitution` | of a geometry, or of all geometries of a link |
//! | `SURFACE.stiffness`, `SURFACE.dissipation` | of its compliance [N/m, s/m] |
//! | `SURFACE.x` … `z` | position of a geometry that stands still [m] |
//! | `JOINT.damping`, `JOINT.dry_friction`, `JOINT.armature`, `JOINT.stiffness`, `JOINT.spring_rest` | of a joint |
//! | `ACTUATOR.gain`, `ACTUATOR.bias` | of its law |
//! | `start.JOINT.x` … `z`, `.vx` … `.vz`, `.wx` … `.wz`, `.q`, `.v` | where and how fast the case starts |
//! | `gravity` | acceleration along the direction that gravity has, down where it has none [m/s²] |
//! | `friction`, `restitution` | of all surfaces |
//! | `delay` | by which measurements are late [s] |
//!
//! Surfaces meet as their formats say, by the larger friction where none says otherwise: a surface that is not the one that
//! counts has no effect, and its distribution is its range.

use super::Case;
use stiction::dynamics::spatial::{Inertia, Sym3, Vec3, vec3};
use stiction::dynamics::{JointKind, Model};
use stiction::world::{Material, World};

/// A number of a scene that can be identified.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Mass(usize),
    Inertia(usize),
    Com(usize, usize),
    Surface(Vec<usize>, Surface),
    Place(usize, usize),
    Joint(usize, OfJoint),
    Gain(usize),
    Bias(usize),
    StartPosition(usize),
    StartVelocity(usize),
    Gravity,
    Delay,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Surface {
    Friction,
    Restitution,
    Stiffness,
    Dissipation,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum OfJoint {
    Damping,
    DryFriction,
    Armature,
    Stiffness,
    SpringRest,
}

/// A name that is none of the world's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    #[error("no parameter is called `{name}`")]
    Unknown { name: String },
    #[error("`{name}`: {what}")]
    Meaningless { name: String, what: &'static str },
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The names that a world has, for lists and guesses.
pub fn parameter_names(world: &World) -> Vec<String> {
    let mut names: Vec<String> = ["gravity", "friction", "restitution", "delay"].map(str::to_owned).to_vec();
    let mut add = |thing: &str, quantities: &[&str]| {
        names.extend(quantities.iter().filter(|_| !thing.is_empty()).map(|q| format!("{thing}.{q}")));
    };
    for body in &world.model.bodies {
        add(&body.name, &["mass", "inertia", "com.x", "com.y", "com.z"]);
    }
    for geometry in &world.geometries {
        add(&geometry.name, &["friction", "restitution", "stiffness", "dissipation"]);
        if geometry.link.is_none() {
            add(&geometry.name, &AXES);
        }
    }
    for joint in &world.model.joints {
        let start = format!("start.{}", joint.name);
        match joint.kind {
            JointKind::Free => add(&start, &["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"]),
            JointKind::Ball => add(&start, &["wx", "wy", "wz"]),
            _ => {
                add(&start, &["q", "v"]);
                add(&joint.name, &["damping", "dry_friction", "armature", "stiffness", "spring_rest"]);
            }
        }
    }
    for actuator in &world.actuators {
        add(&actuator.name, &["gain", "bias"]);
    }
    names
}

impl Parameter {
    /// The number called `name`.
    ///
    /// # Errors
    ///
    /// If the world has none of this name, or it means nothing there.
    pub fn find(name: &str, world: &World) -> Result<Self, ParameterError> {
        let unknown = || ParameterError::Unknown { name: name.to_owned() };
        let what = of_all(name, world)
            .or_else(|| name.strip_prefix("start.").and_then(|rest| of_start(rest, &world.model)))
            .or_else(|| of_body(name, &world.model))
            .or_else(|| of_surface(name, world))
            .or_else(|| of_joint(name, &world.model))
            .or_else(|| of_actuator(name, world))
            .ok_or_else(unknown)?;
        let meaningless = |what| Err(ParameterError::Meaningless { name: name.to_owned(), what });
        match what {
            What::Mass(b) | What::Inertia(b) if world.model.bodies[b].inertia.mass <= 0.0 => {
                meaningless("the body has no mass that could be another")
            }
            What::Joint(j, OfJoint::Stiffness | OfJoint::SpringRest)
                if !world.model.joints[j].kind.is_scalar() =>
            {
                meaningless("springs are of joints with one coordinate")
            }
            what => Ok(Self { name: name.to_owned(), what }),
        }
    }

    /// The value in a case.
    pub fn get(&self, case: &Case) -> f64 {
        let model = &case.world.model;
        match &self.what {
            What::Mass(b) => model.bodies[*b].inertia.mass,
            What::Inertia(b) => mean_moment(&model.bodies[*b].inertia),
            What::Com(b, axis) => model.bodies[*b].inertia.com().to_array()[*axis],
            What::Surface(of, which) => {
                of.first().map_or(f64::NAN, |g| surface(&case.world.geometries[*g].material, *which))
            }
            What::Place(g, axis) => case.world.geometries[*g].X_LG.translation.to_array()[*axis],
            What::Joint(j, which) => {
                let joint = &model.joints[*j];
                let dof = &model.dofs[joint.idx_v];
                match which {
                    OfJoint::Damping => dof.damping,
                    OfJoint::DryFriction => dof.friction,
                    OfJoint::Armature => dof.armature,
                    OfJoint::Stiffness => joint.stiffness,
                    OfJoint::SpringRest => joint.spring_rest,
                }
            }
            What::Gain(a) => case.world.actuators[*a].law.gain,
            What::Bias(a) => case.world.actuators[*a].law.bias,
            What::StartPosition(i) => case.state.q[*i],
            What::StartVelocity(i) => case.state.v[*i],
            What::Gravity => model.gravity.norm(),
            What::Delay => case.delay,
        }
    }

    /// Sets it.
    pub fn set(&self, case: &mut Case, x: f64) {
        let model = &mut case.world.model;
        match &self.what {
            What::Mass(b) => {
                let body = &mut model.bodies[*b];
                let (of, factor) = (body.inertia, x / body.inertia.mass);
                body.inertia = Inertia::new(x, of.com(), times(of.about_com(), factor));
            }
            What::Inertia(b) => {
                let body = &mut model.bodies[*b];
                let of = body.inertia;
                body.inertia = Inertia::new(of.mass, of.com(), times(of.about_com(), x / mean_moment(&of)));
            }
            What::Com(b, axis) => {
                let body = &mut model.bodies[*b];
                let of = body.inertia;
                body.inertia = Inertia::new(of.mass, moved(of.com(), *axis, x), of.about_com());
            }
            What::Surface(of, which) => {
                of.iter().for_each(|g| set_surface(&mut case.world.geometries[*g].material, *which, x));
                for pair in &mut case.world.pairs {
                    if *which == Surface::Friction && pair.geometries.iter().all(|g| of.contains(g)) {
                        pair.surface.sliding = [x; 2];
                    }
                }
            }
            What::Place(g, axis) => {
                let pose = &mut case.world.geometries[*g].X_LG;
                pose.translation = moved(pose.translation, *axis, x);
            }
            What::Joint(j, which) => {
                let joint = &mut model.joints[*j];
                let dofs = &mut model.dofs[joint.idx_v..joint.idx_v + joint.kind.nv()];
                match which {
                    OfJoint::Damping => dofs.iter_mut().for_each(|d| d.damping = x),
                    OfJoint::DryFriction => dofs.iter_mut().for_each(|d| d.friction = x),
                    OfJoint::Armature => dofs.iter_mut().for_each(|d| d.armature = x),
                    OfJoint::Stiffness => joint.stiffness = x,
                    OfJoint::SpringRest => joint.spring_rest = x,
                }
            }
            What::Gain(a) => case.world.actuators[*a].law.gain = x,
            What::Bias(a) => case.world.actuators[*a].law.bias = x,
            What::StartPosition(i) => case.state.q[*i] = x,
            What::StartVelocity(i) => case.state.v[*i] = x,
            What::Gravity => {
                let size = model.gravity.norm();
                let down = vec3(0.0, 0.0, -1.0);
                let along = if size > 0.0 { model.gravity * (1.0 / size) } else { down };
                model.gravity = along * x;
            }
            What::Delay => case.delay = x,
        }
    }
}

fn of_all(name: &str, world: &World) -> Option<What> {
    let all = || (0..world.geometries.len()).collect();
    match name {
        "gravity" => Some(What::Gravity),
        "delay" => Some(What::Delay),
        "friction" => Some(What::Surface(all(), Surface::Friction)),
        "restitution" => Some(What::Surface(all(), Surface::Restitution)),
        _ => None,
    }
}

fn axis_of(word: &str) -> Option<usize> {
    AXES.iter().position(|a| *a == word)
}

fn of_start(rest: &str, model: &Model) -> Option<What> {
    let (joint, word) = rest.rsplit_once('.')?;
    let joint = &model.joints[model.joint_named(joint)?];
    let (q, v) = (joint.idx_q, joint.idx_v);
    let axis = axis_of(word.get(word.len().checked_sub(1)?..)?);
    match (joint.kind, word, axis) {
        (JointKind::Free, "x" | "y" | "z", Some(i)) => Some(What::StartPosition(q + i)),
        (JointKind::Free, "vx" | "vy" | "vz", Some(i)) => Some(What::StartVelocity(v + i)),
        (JointKind::Free, "wx" | "wy" | "wz", Some(i)) => Some(What::StartVelocity(v + 3 + i)),
        (JointKind::Ball, "wx" | "wy" | "wz", Some(i)) => Some(What::StartVelocity(v + i)),
        (kind, "q", _) if kind.is_scalar() => Some(What::StartPosition(q)),
        (kind, "v", _) if kind.is_scalar() => Some(What::StartVelocity(v)),
        _ => None,
    }
}

fn of_body(name: &str, model: &Model) -> Option<What> {
    let body = |name: &str| model.bodies.iter().position(|b| b.name == name);
    let (thing, word) = name.rsplit_once('.')?;
    match (word, thing.strip_suffix(".com").and_then(body), axis_of(word)) {
        ("mass", ..) => body(thing).map(What::Mass),
        ("inertia", ..) => body(thing).map(What::Inertia),
        (_, Some(b), Some(axis)) => Some(What::Com(b, axis)),
        _ => None,
    }
}

fn of_surface(name: &str, world: &World) -> Option<What> {
    let (thing, word) = name.rsplit_once('.')?;
    let geometries = || {
        let link = world.model.link_named(thing);
        let of = |g: &stiction::world::Geometry| g.name == thing || (link.is_some() && g.link == link);
        let found: Vec<usize> = (0..world.geometries.len()).filter(|g| of(&world.geometries[*g])).collect();
        (!found.is_empty()).then_some(found)
    };
    let which = match word {
        "friction" => Surface::Friction,
        "restitution" => Surface::Restitution,
        "stiffness" => Surface::Stiffness,
        "dissipation" => Surface::Dissipation,
        _ => {
            let still = |g: &stiction::world::Geometry| g.name == thing && g.link.is_none();
            let place = world.geometries.iter().position(still)?;
            return Some(What::Place(place, axis_of(word)?));
        }
    };
    geometries().map(|of| What::Surface(of, which))
}

fn of_joint(name: &str, model: &Model) -> Option<What> {
    let (thing, word) = name.rsplit_once('.')?;
    let which = match word {
        "damping" => OfJoint::Damping,
        "dry_friction" => OfJoint::DryFriction,
        "armature" => OfJoint::Armature,
        "stiffness" => OfJoint::Stiffness,
        "spring_rest" => OfJoint::SpringRest,
        _ => return None,
    };
    model.joint_named(thing).map(|j| What::Joint(j, which))
}

fn of_actuator(name: &str, world: &World) -> Option<What> {
    let (thing, word) = name.rsplit_once('.')?;
    let place = world.actuators.iter().position(|a| a.name == thing)?;
    match word {
        "gain" => Some(What::Gain(place)),
        "bias" => Some(What::Bias(place)),
        _ => None,
    }
}

fn surface(of: &Material, which: Surface) -> f64 {
    match which {
        Surface::Friction => of.friction,
        Surface::Restitution => of.restitution,
        Surface::Stiffness => of.compliance.stiffness.unwrap_or(f64::INFINITY),
        Surface::Dissipation => of.compliance.dissipation.unwrap_or(0.0),
    }
}

fn set_surface(of: &mut Material, which: Surface, x: f64) {
    match which {
        Surface::Friction => of.friction = x,
        Surface::Restitution => of.restitution = x,
        Surface::Stiffness => of.compliance.stiffness = Some(x),
        Surface::Dissipation => of.compliance.dissipation = Some(x),
    }
}

fn mean_moment(of: &Inertia) -> f64 {
    let about = of.about_com();
    (about.xx + about.yy + about.zz) / 3.0
}

fn times(of: Sym3, factor: f64) -> Sym3 {
    let Sym3 { xx, yy, zz, xy, xz, yz } = of;
    let [xx, yy, zz, xy, xz, yz] = [xx, yy, zz, xy, xz, yz].map(|x| x * factor);
    Sym3 { xx, yy, zz, xy, xz, yz }
}

fn moved(v: Vec3, axis: usize, x: f64) -> Vec3 {
    let mut numbers = v.to_array();
    numbers[axis] = x;
    Vec3::from(numbers)
}

#[cfg(test)]
mod tests {
    use super::super::tests::ball;
    use super::*;

    /// Every name of a world can be found, and gives back what it was set to, others staying as they were.
    #[test]
    fn numbers_are_set_and_read_back() {
        let case = ball();
        let names = parameter_names(&case.world);
        assert!(names.len() > 20, "{names:?}");
        for name in &names {
            let parameter = Parameter::find(name, &case.world).unwrap();
            let mut other = case.clone();
            parameter.set(&mut other, 0.37);
            assert!((parameter.get(&other) - 0.37).abs() < 1e-15, "{name}");
            if name.ends_with(".mass") {
                let inertia = Parameter::find("ball.inertia", &case.world).unwrap();
                let ratio = inertia.get(&other) / inertia.get(&case);
                assert!((ratio - 0.37 / parameter.get(&case)).abs() < 1e-12);
            }
        }
        let error = Parameter::find("bal.mass", &case.world).unwrap_err();
        assert_eq!(error.to_string(), "no parameter is called `bal.mass`");
    }
}
