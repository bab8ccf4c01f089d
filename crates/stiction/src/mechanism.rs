//! What a viewer shows of a model beside its shapes: inertias, joints and actuators, as plain data.
//!
//! The ellipsoid of a body is the solid one of uniform density with its mass and its moments I about the principal
//! axes through the centre of mass. Its semi-axes a obey
//!
//! ```text
//!     I_x = m (a_y² + a_z²) / 5   and round,  hence   a_x² = 5 (I_y + I_z − I_x) / (2 m)          (1)
//! ```

use serde::{Deserialize, Serialize};
use stiction_dynamics::spatial::Quat;
use stiction_dynamics::{Joint, JointKind};
use stiction_world::{Actuator, World, principal};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mechanism {
    /// One per body, or none at all.
    pub inertias: Vec<RecordedInertia>,
    pub joints: Vec<RecordedJoint>,
    pub actuators: Vec<RecordedActuator>,
}

/// Mass and ellipsoid (1) of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedInertia {
    /// [kg]
    pub mass: f64,
    /// Centre of mass in the body [m].
    pub com: [f64; 3],
    /// [m]
    pub semi_axes: [f64; 3],
    /// Principal axes in the body: unit quaternion (w, x, y, z).
    pub quaternion: [f64; 4],
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedJoint {
    pub name: String,
    /// The body it moves; axis and anchor are in its frame.
    pub body: usize,
    /// `hinge`, `slide`, `screw`, `ball` or `free`.
    pub kind: String,
    pub axis: [f64; 3],
    /// [m]
    pub anchor: [f64; 3],
    /// Range of the position of a hinge, slide or screw [rad or m].
    pub limit: Option<[f64; 2]>,
    /// Where its position stands in the positions of a frame; `None`: a ball or free joint.
    pub position: Option<usize>,
}

/// An actuator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedActuator {
    pub name: String,
    /// Range of the control, if it has one.
    pub range: Option<[f64; 2]>,
    /// Of the control.
    pub unit: String,
    /// Of the effort.
    pub effort_unit: String,
}

impl Mechanism {
    /// Of a world.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let model = &world.model;
        let mut scalars = 0;
        Self {
            inertias: model.bodies.iter().map(|body| inertia(&body.inertia)).collect(),
            joints: model.joints.iter().map(|j| joint(j, &mut scalars)).collect(),
            actuators: world.actuators.iter().map(|a| actuator(a, world)).collect(),
        }
    }
}

fn inertia(of: &stiction_dynamics::spatial::Inertia) -> RecordedInertia {
    let (moments, axes) = principal(&of.about_com());
    let sum = moments.x + moments.y + moments.z;
    let semi_axis =
        |i: f64| if of.mass > 0.0 { (2.5 * (sum - 2.0 * i) / of.mass).max(0.0).sqrt() } else { 0.0 }; // (1)
    let com = if of.mass > 0.0 { of.com().to_array() } else { [0.0; 3] };
    RecordedInertia {
        mass: of.mass,
        com,
        semi_axes: moments.to_array().map(semi_axis),
        quaternion: Quat::from_matrix(&axes).to_array(),
    }
}

fn joint(j: &Joint, scalars: &mut usize) -> RecordedJoint {
    let kind = match j.kind {
        JointKind::Hinge => "hinge",
        JointKind::Slide => "slide",
        JointKind::Screw => "screw",
        JointKind::Ball => "ball",
        JointKind::Free => "free",
    };
    let position = j.kind.is_scalar().then_some(*scalars);
    *scalars += usize::from(j.kind.is_scalar());
    RecordedJoint {
        name: j.name.clone(),
        body: j.body,
        kind: kind.to_owned(),
        axis: j.axis.to_array(),
        anchor: j.anchor.to_array(),
        limit: j.limit.filter(|_| j.kind.is_scalar()),
        position,
    }
}

/// A servo's control is the position or speed it seeks, a motor's the effort; units are those of the first joint.
fn actuator(a: &Actuator, world: &World) -> RecordedActuator {
    let slides = a
        .transmission
        .first()
        .is_some_and(|&(dof, _)| world.model.joints[world.model.dofs[dof].joint].kind == JointKind::Slide);
    let law = &a.law;
    let (position, speed, effort) = if slides { ("m", "m/s", "N") } else { ("rad", "rad/s", "N·m") };
    let same = |x: f64, y: f64| x != 0.0 && (x + y).abs() <= 1e-9 * x.abs();
    let unit = if same(law.gain, law.bias_length) {
        position
    } else if law.bias_length == 0.0 && same(law.gain, law.bias_velocity) {
        speed
    } else if (law.gain - 1.0).abs() < 1e-12 {
        effort
    } else {
        "–"
    };
    RecordedActuator {
        name: a.name.clone(),
        range: a.control_limit,
        unit: unit.to_owned(),
        effort_unit: effort.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_dynamics::spatial::{Inertia, Sym3, vec3};

    /// A solid ellipsoid of semi-axes 1, 2 and 3 m returns.
    #[test]
    fn a_uniform_ellipsoid_is_its_own() {
        let (a, m) = ([1.0_f64, 2.0, 3.0], 4.0);
        let moment = |i: usize, j: usize| m * (a[i] * a[i] + a[j] * a[j]) / 5.0;
        let sym = Sym3::diagonal(moment(1, 2), moment(0, 2), moment(0, 1));
        let got = inertia(&Inertia::new(m, vec3(0.1, 0.2, 0.3), sym));
        assert_eq!(got.mass, 4.0);
        got.semi_axes.iter().zip(a).for_each(|(x, y)| assert!((x - y).abs() < 1e-12, "{x} {y}"));
        got.com.iter().zip([0.1, 0.2, 0.3]).for_each(|(x, y)| assert!((x - y).abs() < 1e-12));
    }
}
