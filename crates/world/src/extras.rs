//! What a file says that no step uses yet: kept, so that nothing has to be read again.

use crate::coupling::Coupling;
use crate::surface::Softness;
use stiction_collision::Shape;
use stiction_dynamics::spatial::{Pose, Quat};

/// Parts of a file that are read and kept for later. Indices of links and joints are those of the world's model.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    pub sites: Vec<Site>,
    pub sensors: Vec<Sensor>,
    pub cameras: Vec<Camera>,
    /// Joints whose limits or dry friction the file softens.
    pub joints: Vec<JointSoftness>,
    pub custom: Vec<Custom>,
    pub user: Vec<UserData>,
    /// Links that are moved by hand (MJCF `mocap`).
    pub mocap: Vec<usize>,
    /// Shapes of MJCF that are only drawn, in the order of the file.
    pub drawn: Vec<Drawn>,
    /// Axes in which MJCF states the inertia of each link: those of the link's <inertial>, or of its only shape with a mass.
    pub inertial_axes: Vec<Option<Quat>>,
    /// Equalities of MJCF, in the order of the file.
    pub equalities: Vec<Equality>,
    /// Times of MJCF's keyframes [s].
    pub key_times: Vec<f64>,
}

/// Something that MJCF holds together.
#[derive(Clone, Debug)]
pub enum Equality {
    /// By its index among the loops.
    Loop(usize),
    /// With whether it holds; the world has those that do.
    Coupling(Coupling, bool),
}

/// A shape of a file that is only drawn, under its name.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Empty where the file gives none.
    pub name: String,
    /// `None`: the world.
    pub link: Option<usize>,
    pub X_LG: Pose,
    /// `None`: a mesh, or nothing that was read.
    pub shape: Option<Shape>,
    pub rgba: [f32; 4],
    /// How many geometries that touch stand before it in the file.
    pub before: usize,
}

/// A named frame on a link.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    /// `None`: the world.
    pub link: Option<usize>,
    pub X_LS: Pose,
    /// The file's word for its shape: sphere, capsule, ellipsoid, cylinder or box.
    pub shape: String,
    /// Sizes of the shape it is drawn as, in which touch sensors feel [m].
    pub size: [f64; 3],
}

/// A camera on a link.
#[derive(Clone, Debug)]
pub struct Camera {
    pub name: String,
    /// `None`: the world.
    pub link: Option<usize>,
    /// Pose in the link: x is to the right of the picture, y up, and it looks along −z.
    pub X_LC: Pose,
    /// Vertical [rad].
    pub field_of_view: f64,
    /// Width and height of its picture in pixels, where the file states them.
    pub resolution: Option<[u32; 2]>,
    /// Why no picture can be made as the file asks.
    pub obstacle: Option<String>,
}

/// Something that is measured.
#[derive(Clone, Debug)]
pub struct Sensor {
    pub name: String,
    /// The file's word, such as `accelerometer`.
    pub kind: String,
    /// Things that the sensor refers to: the file's attribute and the name it holds.
    pub of: Vec<(String, String)>,
    /// Readings are cut off at this magnitude; 0: not.
    pub cutoff: f64,
    /// Standard deviation of the noise.
    pub noise: f64,
    /// Why it cannot be read as the file states it.
    pub obstacle: Option<String>,
}

/// Entries of [`Sensor::of`] that hold a word and no name.
const WORDS: [&str; 3] = ["objtype", "reftype", "measure_direction"];

/// How MuJoCo softens what a joint's limits and dry friction do.
#[derive(Clone, Copy, Debug)]
pub struct JointSoftness {
    /// Index into `model.joints`.
    pub joint: usize,
    pub limit: Softness,
    pub friction: Softness,
    /// Distance from the limit at which it begins to act [rad or m].
    pub margin: f64,
}

/// Data for other programs.
#[derive(Clone, Debug)]
pub enum Custom {
    Numeric {
        name: String,
        data: Vec<f64>,
    },
    Text {
        name: String,
        data: String,
    },
    /// Kind, name and number of every member.
    Tuple {
        name: String,
        members: Vec<(String, String, f64)>,
    },
}

/// The attribute `user` of an element.
#[derive(Clone, Debug)]
pub struct UserData {
    pub element: String,
    pub name: String,
    pub data: Vec<f64>,
}

/// How many links, joints and geometries a world has.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub links: usize,
    pub joints: usize,
    pub geometries: usize,
}

impl Extras {
    /// Nothing is kept.
    pub fn is_empty(&self) -> bool {
        // What is only drawn is among the visuals too, and what is held among loops and couplings.
        let Self { sites, sensors, cameras, joints, custom, user, mocap, .. } = self;
        let data = custom.is_empty() && user.is_empty() && mocap.is_empty();
        data && sites.is_empty() && sensors.is_empty() && cameras.is_empty() && joints.is_empty()
    }

    /// Adds those of a world whose links, joints and geometries come behind `others`; it stands at `pose`, and its names get
    /// `prefix`.
    pub fn append(&mut self, part: Self, others: Counts, pose: Pose, prefix: &str) {
        let Counts { links, joints, geometries } = others;
        let named = |name: String| if prefix.is_empty() { name } else { format!("{prefix}{name}") };
        let placed = |(link, X): (Option<usize>, Pose)| match link {
            Some(l) => (Some(l + links), X),
            None => (None, pose * X),
        };
        self.sites.extend(part.sites.into_iter().map(|s| {
            let (link, X_LS) = placed((s.link, s.X_LS));
            Site { name: named(s.name), link, X_LS, ..s }
        }));
        self.cameras.extend(part.cameras.into_iter().map(|c| {
            let (link, X_LC) = placed((c.link, c.X_LC));
            Camera { name: named(c.name), link, X_LC, ..c }
        }));
        self.sensors.extend(part.sensors.into_iter().map(|s| {
            let word = |what: &str| WORDS.contains(&what);
            let of = s.of.into_iter().map(|(what, name)| match word(&what) {
                true => (what, name),
                false => (what, named(name)),
            });
            let of = of.collect();
            Sensor { name: named(s.name), of, ..s }
        }));
        self.joints.extend(part.joints.into_iter().map(|j| JointSoftness { joint: j.joint + joints, ..j }));
        self.custom.extend(part.custom);
        self.user.extend(part.user.into_iter().map(|u| UserData { name: named(u.name), ..u }));
        self.mocap.extend(part.mocap.into_iter().map(|l| l + links));
        self.drawn.extend(part.drawn.into_iter().map(|d| {
            let (link, X_LG) = placed((d.link, d.X_LG));
            Drawn { name: named(d.name), link, X_LG, before: d.before + geometries, ..d }
        }));
    }

    /// Renumbers links and joints; what stood on those that are gone stands in the world, or is gone.
    pub fn follow(&mut self, link: impl Fn(usize) -> Option<usize>, joint: impl Fn(usize) -> Option<usize>) {
        self.sites.iter_mut().for_each(|s| s.link = s.link.and_then(&link));
        self.cameras.iter_mut().for_each(|c| c.link = c.link.and_then(&link));
        let joints = std::mem::take(&mut self.joints).into_iter();
        let kept = joints.filter_map(|j| Some(JointSoftness { joint: joint(j.joint)?, ..j }));
        self.joints = kept.collect();
        self.mocap = self.mocap.iter().filter_map(|&l| link(l)).collect();
        self.drawn.iter_mut().for_each(|d| d.link = d.link.and_then(&link));
    }
}
