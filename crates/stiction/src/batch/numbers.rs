//! The numbers of a world that environments may have of their own, in lanes.

use super::Numbers64;
use super::plan::Plan;
use stiction_assembly::forces::actuators;
use stiction_assembly::laws::actuator::AffineActuator;
use stiction_dynamics::spatial::{Sym3, vec3};
use stiction_dynamics::{Model, Real};

/// See the module.
pub(super) struct Numbers<T> {
    /// Gravity, inertias, armature, damping, dry friction and springs count; the rest is constant.
    pub(super) model: Model<T>,
    pub(super) actuators: Vec<AffineActuator<T>>,
    /// Per pair of the plan.
    pub(super) surfaces: Vec<Surface<T>>,
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
            actuators: plan.world.actuators.iter().map(|a| actuators::law(a).cast(kind)).collect(),
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
        for law in &mut self.actuators {
            (law.gain, law.bias) = (next!(), next!());
            (law.bias_length, law.bias_velocity) = (next!(), next!());
            law.effort_range = [next!(), next!()];
        }
        for surface in &mut self.surfaces {
            *surface = Surface { friction: next!(), restitution: next!() };
        }
    }
}

/// Puts a number per lane into its lane.
#[inline(always)]
pub(super) fn load<T: Real>(kind: T, numbers: &Numbers64) -> T {
    let mut x = kind;
    for (lane, number) in numbers.iter().enumerate().take(T::LANES) {
        x = x.with_lane(lane, *number);
    }
    x
}
