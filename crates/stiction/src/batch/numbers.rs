//! The numbers of a world that environments may have of their own, in lanes.

use super::Numbers64;
use super::lane::load;
use super::plan::Plan;
use stiction_dynamics::spatial::{Sym3, vec3};
use stiction_dynamics::{Model, Real};
use stiction_models::Actuator;

/// See the module.
pub(super) struct Numbers<T> {
    /// Gravity, inertias, armature, damping, dry friction and springs count; the rest is constant.
    pub(super) model: Model<T>,
    pub(super) servos: Vec<Servo<T>>,
    /// Per pair of the plan.
    pub(super) surfaces: Vec<Surface<T>>,
}

/// An actuator's law and limits; see [`stiction_assembly::forces::actuators`].
#[derive(Clone, Copy)]
pub(super) struct Servo<T> {
    pub(super) gain: T,
    pub(super) bias: T,
    pub(super) bias_length: T,
    pub(super) bias_velocity: T,
    pub(super) effort: [T; 2],
    pub(super) control: [T; 2],
}

/// What two surfaces are to each other.
#[derive(Clone, Copy)]
pub(super) struct Surface<T> {
    pub(super) friction: T,
    pub(super) restitution: T,
}

impl<T: Real> Numbers<T> {
    /// Those of the plan's own world in every lane.
    pub(super) fn new(kind: T, plan: &Plan) -> Self {
        let surface = |&[friction, restitution]: &[f64; 2]| Surface {
            friction: kind.like(friction),
            restitution: kind.like(restitution),
        };
        Self {
            model: plan.world.model.cast(kind),
            servos: plan.world.actuators.iter().map(|a| Servo::new(kind, a)).collect(),
            surfaces: plan.surfaces.iter().map(surface).collect(),
        }
    }
}

impl<T: Real> Numbers<T> {
    /// Those of one group, in the order of [`super::Fields::numbers`].
    #[inline(always)]
    pub(super) fn load(&mut self, kind: T, numbers: &[Numbers64]) {
        let mut at = 0;
        macro_rules! next {
            () => {{
                at += 1;
                load(kind, &numbers[at - 1])
            }};
        }
        let model = &mut self.model;
        model.gravity = vec3(next!(), next!(), next!());
        for body in &mut model.bodies {
            let I = &mut body.inertia;
            I.mass = next!();
            I.first = vec3(next!(), next!(), next!());
            let (xx, yy, zz) = (next!(), next!(), next!());
            I.second = Sym3 { xx, yy, zz, xy: next!(), xz: next!(), yz: next!() };
        }
        for dof in &mut model.dofs {
            (dof.armature, dof.damping, dof.friction) = (next!(), next!(), next!());
        }
        for joint in &mut model.joints {
            (joint.stiffness, joint.spring_rest) = (next!(), next!());
        }
        for servo in &mut self.servos {
            (servo.gain, servo.bias) = (next!(), next!());
            (servo.bias_length, servo.bias_velocity) = (next!(), next!());
            servo.effort = [next!(), next!()];
        }
        for surface in &mut self.surfaces {
            *surface = Surface { friction: next!(), restitution: next!() };
        }
    }
}

impl<T: Real> Servo<T> {
    fn new(kind: T, a: &Actuator) -> Self {
        let range =
            |r: Option<[f64; 2]>| r.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]).map(|x| kind.like(x));
        Self {
            gain: kind.like(a.law.gain),
            bias: kind.like(a.law.bias),
            bias_length: kind.like(a.law.bias_length),
            bias_velocity: kind.like(a.law.bias_velocity),
            effort: range(a.effort_limit),
            control: range(a.control_limit),
        }
    }
}
