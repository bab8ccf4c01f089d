//! What a file describes, ready to simulate: model, geometries, materials, actuators.

use stiction_collision::Shape;
use stiction_dynamics::Model;
use stiction_dynamics::spatial::{Pose, Vec3};

use crate::closure::LoopClosure;
use crate::coupling::Coupling;
use crate::extras::{Equality, Extras};
use crate::ledger::Ledger;
use crate::surface::{ContactPair, Material};
use crate::tendon::Tendon;

/// Constant during a run; shared by all threads.
#[derive(Clone, Debug)]
pub struct World {
    pub name: String,
    pub model: Model,
    /// Geometries that can touch.
    pub geometries: Vec<Geometry>,
    /// Geometries that are only drawn.
    pub visuals: Vec<Visual>,
    /// Pairs of links whose own geometries never touch (indices into `model.links`); neighbours in the
    /// tree, where the format says so, are among them. Links carried by one body never touch.
    pub excluded: Vec<(usize, usize)>,
    /// Links that never touch the geometries of the world itself (`Geometry::link` `None`).
    pub excluded_from_world: Vec<usize>,
    /// Pairs that may touch in spite of that, under rules of their own.
    pub pairs: Vec<ContactPair>,
    pub actuators: Vec<Actuator>,
    /// Couplings of joint coordinates.
    pub couplings: Vec<Coupling>,
    /// Frames held together across the branches of the trees.
    pub loops: Vec<LoopClosure>,
    pub tendons: Vec<Tendon>,
    /// Links whose weight is partly carried: the share that is, 1 for all of it.
    pub gravity_compensation: Vec<(usize, f64)>,
    pub keyframes: Vec<Keyframe>,
    /// Parts of the file that no step uses yet.
    pub extras: Extras,
    /// Limits of drives, per dof; empty: no drive is limited.
    pub drive_limits: Vec<DriveLimit>,
    /// Time step the file asks for [s].
    pub time_step: Option<f64>,
    /// Ledger of everything that the reader used, kept or did not know.
    pub ledger: Ledger,
}

impl World {
    /// Everything that is held together and whether it holds, in the order of an MJCF file; of other files loops first.
    pub fn equalities(&self) -> Vec<Equality> {
        if !self.extras.equalities.is_empty() {
            return self.extras.equalities.clone();
        }
        let couplings = self.couplings.iter().map(|c| Equality::Coupling(c.clone(), true));
        (0..self.loops.len()).map(Equality::Loop).chain(couplings).collect()
    }

    /// This world, in which those of [`Self::equalities`] hold that `holds` names, one for each.
    pub fn switched(&self, holds: &[bool]) -> Self {
        let mut equalities = self.equalities();
        assert_eq!(holds.len(), equalities.len(), "one for each");
        let mut world = self.clone();
        world.couplings.clear();
        for (equality, holds) in equalities.iter_mut().zip(holds) {
            match equality {
                Equality::Loop(l) => world.loops[*l].active = *holds,
                Equality::Coupling(coupling, now) => {
                    *now = *holds;
                    world.couplings.extend(holds.then(|| coupling.clone()));
                }
            }
        }
        world.extras.equalities = equalities;
        world
    }

    /// A world of `model` alone: nothing to touch, draw or drive.
    pub fn new(name: impl Into<String>, model: Model) -> Self {
        Self {
            name: name.into(),
            model,
            geometries: Vec::new(),
            visuals: Vec::new(),
            excluded: Vec::new(),
            excluded_from_world: Vec::new(),
            pairs: Vec::new(),
            actuators: Vec::new(),
            couplings: Vec::new(),
            loops: Vec::new(),
            tendons: Vec::new(),
            gravity_compensation: Vec::new(),
            extras: Extras::default(),
            keyframes: Vec::new(),
            drive_limits: Vec::new(),
            time_step: None,
            ledger: Ledger::default(),
        }
    }
}

/// Limits of the drive of one dof: URDF `<limit effort velocity>`, MJCF `actuatorfrcrange`. The
/// reader states them; whoever drives the joint keeps to them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriveLimit {
    /// Range of the sum of all actuator efforts [N·m or N].
    pub effort: Option<[f64; 2]>,
    /// Largest speed [rad/s or m/s]; no step holds a joint to it.
    pub velocity: Option<f64>,
}

/// A shape that can touch others.
#[derive(Clone, Debug)]
pub struct Geometry {
    pub name: String,
    /// Index into `model.links`; `None`: the world.
    pub link: Option<usize>,
    /// Pose in the link (or world).
    pub X_LG: Pose,
    pub shape: Shape,
    pub material: Material,
    /// Pairs meet if (a.group & b.mask) | (b.group & a.mask) is not zero.
    pub group: u32,
    pub mask: u32,
    /// Swept against whatever it could pass through in a step, even where the stepper sweeps nothing else. No
    /// format can say so: readers leave it off.
    pub continuous: bool,
    pub rgba: [f32; 4],
}

/// A shape that is only drawn.
#[derive(Clone, Debug)]
pub struct Visual {
    pub link: Option<usize>,
    pub X_LV: Pose,
    pub drawing: Drawing,
    pub rgba: [f32; 4],
}

/// Shape of a drawing.
#[derive(Clone, Debug)]
pub enum Drawing {
    Shape(Shape),
    Mesh { vertices: Vec<Vec3>, triangles: Vec<[u32; 3]> },
}

/// An effort along a linear transmission: length l = Σ coefficient · q, velocity l̇ likewise in v;
/// generalized force coefficient · effort at each joint.
#[derive(Clone, Debug)]
pub struct Actuator {
    pub name: String,
    /// Transmission: pairs of a dof and its coefficient.
    pub transmission: Vec<(usize, f64)>,
    pub law: ActuatorLaw,
    /// Range of the effort [N or N·m].
    pub effort_limit: Option<[f64; 2]>,
    /// Range of the control.
    pub control_limit: Option<[f64; 2]>,
}

/// Effort from control u, length l and velocity l̇: `gain u + bias + bias_l l + bias_v l̇`.
///
/// A motor is (gain, 0, 0, 0); a position servo (kp, 0, −kp, −kv); a velocity servo (kv, 0, 0, −kv).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActuatorLaw {
    pub gain: f64,
    pub bias: f64,
    pub bias_length: f64,
    pub bias_velocity: f64,
}

/// A named state of the file.
#[derive(Clone, Debug)]
pub struct Keyframe {
    pub name: String,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub control: Vec<f64>,
}
