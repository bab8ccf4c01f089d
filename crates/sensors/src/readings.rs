//! From the sensors that a file states to what is read for each, or why it is not offered.

use crate::reading::{Frame, Kind, Reading};
use stiction::collision::Shape;
use stiction::dynamics::JointKind;
use stiction::dynamics::spatial::{Pose, Vec3, vec3};
use stiction::world::{Sensor, TendonPath, World};

/// A reading, or why it is not offered.
pub type Offered = Result<Reading, String>;

/// For every sensor of the file of `world` what it reads, or why it is not offered.
pub fn readings(world: &World) -> Vec<Offered> {
    let finder = Finder { world };
    let read = |sensor: &Sensor| match finder.kind(sensor) {
        Ok(kind) => Ok(Reading { kind, cutoff: sensor.cutoff }),
        Err(why) => Err(format!("sensor `{}` ({}): {why}", sensor.name, sensor.kind)),
    };
    world.extras.sensors.iter().map(read).collect()
}

/// Finds what sensors name.
struct Finder<'a> {
    world: &'a World,
}

impl Finder<'_> {
    fn kind(&self, sensor: &Sensor) -> Result<Kind, String> {
        let of = |what: &str| sensor.of.iter().find(|(w, _)| w == what).map(|(_, name)| &name[..]);
        let named = |what: &str| of(what).ok_or_else(|| format!("it names no `{what}`"));
        let site = || self.site(named("site")?);
        let joint = || {
            let name = named("joint")?;
            let joint = self.world.model.joints.iter().find(|j| j.name == name);
            joint.ok_or_else(|| format!("there is no joint `{name}`"))
        };
        let actuator = || {
            let name = named("actuator")?;
            let at = self.world.actuators.iter().position(|a| a.name == name);
            at.ok_or_else(|| format!("there is no actuator `{name}`"))
        };
        let lengths = |terms: &[(usize, f64)]| {
            let model = &self.world.model;
            let scalar = terms.iter().all(|(dof, _)| model.joints[model.dofs[*dof].joint].kind.is_scalar());
            if scalar { Ok(terms.to_vec()) } else { Err("it measures along a ball or free joint".to_owned()) }
        };
        let tendon = || {
            let name = named("tendon")?;
            let tendon = self.world.tendons.iter().find(|t| t.name == name);
            match tendon.ok_or_else(|| format!("there is no tendon `{name}`"))?.path {
                TendonPath::Fixed(ref terms) => lengths(terms),
                TendonPath::Spatial(_) => Err("spatial tendons are not simulated yet".to_owned()),
            }
        };
        let object = |turned: bool| self.object(of("objtype"), named("objname")?, turned);
        let reference = |turned: bool| match of("refname") {
            Some(name) => self.object(of("reftype"), name, turned),
            None => Ok(Frame::WORLD),
        };
        let axis = |axis: Vec3| Ok(Kind::Axis(object(true)?, reference(true)?, axis));
        let link = || match named("body")? {
            "world" => Ok(None),
            name => self.link_named(name).map(Some),
        };
        if let Some(why) = &sensor.obstacle {
            return Err(why.clone());
        }
        match &sensor.kind[..] {
            "imu" => Ok(Kind::Imu(site()?)),
            "force_torque" => match of("measure_direction") {
                // What the child does to the parent is minus what holds the child.
                Some("child_to_parent") => Ok(Kind::Wrench(site()?, -1.0)),
                Some("parent_to_child") => Ok(Kind::Wrench(site()?, 1.0)),
                other => Err(format!(
                    "measure_direction is `{}`; expected child_to_parent or parent_to_child",
                    other.unwrap_or("missing")
                )),
            },
            "contact" => Ok(Kind::Contact(self.collisions(sensor)?)),
            "accelerometer" => Ok(Kind::Accelerometer(site()?)),
            "velocimeter" => Ok(Kind::Velocimeter(site()?)),
            "gyro" => Ok(Kind::Gyro(site()?)),
            "force" => Ok(Kind::Force(site()?)),
            "torque" => Ok(Kind::Torque(site()?)),
            "touch" => {
                let name = named("site")?;
                let site = self.world.extras.sites.iter().find(|s| s.name == name);
                let shape = site.and_then(|s| volume(&s.shape, s.size));
                Ok(Kind::Touch(self.site(name)?, shape.ok_or("its site has no volume")?))
            }
            "rangefinder" => Ok(Kind::Range(site()?)),
            "jointpos" | "ballquat" => {
                let j = joint()?;
                Ok(Kind::Coordinates(j.idx_q..j.idx_q + j.kind.nq()))
            }
            "jointvel" | "ballangvel" => {
                let j = joint()?;
                Ok(Kind::Rates(j.idx_v..j.idx_v + j.kind.nv()))
            }
            "jointactuatorfrc" => match joint()? {
                j if matches!(j.kind, JointKind::Ball | JointKind::Free) => {
                    Err("its joint is not scalar".to_owned())
                }
                j => Ok(Kind::EffortOfDof(j.idx_v)),
            },
            "actuatorpos" => Ok(Kind::Length(lengths(&self.world.actuators[actuator()?].transmission)?)),
            "actuatorvel" => Ok(Kind::Rate(self.world.actuators[actuator()?].transmission.clone())),
            "actuatorfrc" => Ok(Kind::Effort(actuator()?)),
            "tendonpos" => Ok(Kind::Length(tendon()?)),
            "tendonvel" => Ok(Kind::Rate(tendon()?)),
            "framepos" => Ok(Kind::Position(object(false)?, reference(true)?)),
            "framequat" => Ok(Kind::Quaternion(object(true)?, reference(true)?)),
            "framexaxis" => axis(Vec3::X),
            "frameyaxis" => axis(Vec3::Y),
            "framezaxis" => axis(Vec3::Z),
            "framelinvel" => Ok(Kind::Velocity(object(false)?, reference(true)?)),
            "frameangvel" => Ok(Kind::AngularVelocity(object(false)?, reference(true)?)),
            "framelinacc" => Ok(Kind::Acceleration(object(false)?)),
            "frameangacc" => Ok(Kind::AngularAcceleration(object(false)?)),
            "subtreecom" => Ok(Kind::SubtreeCom(link()?)),
            "subtreelinvel" => Ok(Kind::SubtreeVelocity(link()?)),
            "subtreeangmom" => Ok(Kind::SubtreeMomentum(link()?)),
            "clock" => Ok(Kind::Clock),
            "e_potential" => Ok(Kind::Potential),
            "e_kinetic" => Ok(Kind::Kinetic),
            other => Err(format!("sensors of the kind `{other}` are not offered yet")),
        }
    }

    /// The geometries of the collisions that a contact sensor names; one may have several.
    fn collisions(&self, sensor: &Sensor) -> Result<Vec<usize>, String> {
        let mut all = Vec::new();
        for (_, name) in sensor.of.iter().filter(|(what, _)| what == "collision") {
            let part = |g: &str| {
                g.strip_prefix(&name[..]).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let before = all.len();
            let geometries = self.world.geometries.iter().enumerate();
            all.extend(geometries.filter(|(_, g)| part(&g.name)).map(|(i, _)| i));
            if all.len() == before {
                return Err(format!("no collision that can touch is called `{name}`"));
            }
        }
        if all.is_empty() { Err("it names no `collision`".to_owned()) } else { Ok(all) }
    }

    fn mounted(&self, link: Option<usize>, X_L: Pose) -> Frame {
        let (body, X_BF) = self.world.mount(link, X_L);
        Frame { body, link, X_BF }
    }

    fn site(&self, name: &str) -> Result<Frame, String> {
        let site = self.world.extras.sites.iter().find(|s| s.name == name);
        let site = site.ok_or_else(|| format!("there is no site `{name}`"))?;
        Ok(self.mounted(site.link, site.X_LS))
    }

    fn link_named(&self, name: &str) -> Result<usize, String> {
        self.world.model.link_named(name).ok_or_else(|| format!("there is no body `{name}`"))
    }

    /// A body is measured at its centre of mass, in its principal axes, where these count.
    fn object(&self, kind: Option<&str>, name: &str, turned: bool) -> Result<Frame, String> {
        match kind {
            Some("site") => self.site(name),
            Some("xbody") => Ok(self.mounted(Some(self.link_named(name)?), Pose::IDENTITY)),
            Some("body") if turned => {
                Err("principal axes of a body are not offered; name an `xbody`".to_owned())
            }
            Some("body") => {
                let link = self.link_named(name)?;
                let com = self.world.model.links[link].inertia.com();
                Ok(self.mounted(Some(link), Pose::from_translation(com)))
            }
            Some("geom") => {
                let geometry = self.world.geometries.iter().find(|g| g.name == name);
                let geometry =
                    geometry.ok_or_else(|| format!("no geometry that can touch is called `{name}`"))?;
                Ok(self.mounted(geometry.link, geometry.X_LG))
            }
            other => Err(format!("objects of the kind `{}` are not offered", other.unwrap_or("none"))),
        }
    }
}

/// The volume of a site.
fn volume(shape: &str, size: [f64; 3]) -> Option<Shape> {
    let [a, b, c] = size;
    match shape {
        "sphere" => Some(Shape::Sphere { radius: a }),
        "capsule" => Some(Shape::Capsule { radius: a, half_length: b }),
        "cylinder" => Some(Shape::Cylinder { radius: a, half_length: b }),
        "ellipsoid" => Some(Shape::Ellipsoid { radii: vec3(a, b, c) }),
        "box" => Some(Shape::Box { half: vec3(a, b, c) }),
        _ => None,
    }
}
