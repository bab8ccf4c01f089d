//! Parameters of a world by which steps are differentiated.

use stiction_dynamics::Model;

/// A number of the world that a step can be differentiated by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum Parameter {
    /// The coefficient of friction between two geometries [–], as it is after their surfaces were combined.
    Friction { geometries: [usize; 2] },
    /// A component of gravity in W [m/s²].
    Gravity { axis: usize },
    /// The mass of a body [kg], whose density changes alike everywhere: the centre of mass stays, the inertia grows with it.
    Mass { body: usize },
    /// One of the ten inertial parameters of a body, about its origin in its axes: mass [kg], first moment x, y, z [kg·m], second moment xx, xy, yy, xz, yz, zz
    /// [kg·m²], each for itself; of bodies that are joined to others.
    Inertial { body: usize, component: usize },
    /// The factor of an actuator's control [N or N·m per unit of the control].
    Gain { actuator: usize },
}

impl Parameter {
    /// The change of the inertial parameters of a body per unit of this, if it is one of them.
    pub(super) fn inertial(self, model: &Model) -> Option<(usize, [f64; 10])> {
        match self {
            Self::Mass { body } => {
                let inertia = &model.bodies[body].inertia;
                Some((body, inertia.parameters().map(|x| x / inertia.mass)))
            }
            Self::Inertial { body, component } => {
                Some((body, std::array::from_fn(|k| f64::from(u8::from(k == component)))))
            }
            _ => None,
        }
    }
}
