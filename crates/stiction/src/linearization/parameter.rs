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
    /// The mass of a body [kg], whose density changes alike everywhere: the centre of mass stays, the inertia
    /// grows with it.
    Mass { body: usize },
    /// One of the ten inertial parameters of a body, about its origin in its axes: mass [kg], first moment x,
    /// y, z [kg·m], second moment xx, xy, yy, xz, yz, zz [kg·m²], each for itself; of bodies that are joined
    /// to others.
    Inertial { body: usize, component: usize },
    /// The factor of an actuator's control [N or N·m per unit of the control].
    Gain { actuator: usize },
    /// The factor of the length in an actuator's law, minus the stiffness of a servo [N/m or N·m/rad].
    BiasLength { actuator: usize },
    /// The factor of the rate in an actuator's law, minus the damping of a servo [N·s/m or N·m·s/rad].
    BiasVelocity { actuator: usize },
    /// The stiffness of the spring of a joint [N/m or N·m/rad].
    JointStiffness { joint: usize },
    /// The damping of a dof [N·s/m or N·m·s/rad].
    JointDamping { dof: usize },
    /// The stiffness of the contact of two geometries, as it is after their surfaces were combined [N/m].
    ContactStiffness { geometries: [usize; 2] },
    /// The relaxation time of linear dissipation of the contact of two geometries, after their surfaces were
    /// combined [s].
    ContactRelaxation { geometries: [usize; 2] },
    /// Hunt and Crossley's dissipation of the contact of two geometries, after their surfaces were combined
    /// [s/m].
    ContactDissipation { geometries: [usize; 2] },
    /// One of the two numbers of MuJoCo's `solref` of the contact of two geometries, after their surfaces
    /// were combined: as a rule the time constant [s] and the damping ratio [–].
    ContactReference { geometries: [usize; 2], component: usize },
    /// Newton's coefficient of restitution between two geometries, after their surfaces were combined [–].
    Restitution { geometries: [usize; 2] },
    /// The place of a geometry along an axis of its link, or of the world where it has none [m]; masses stay
    /// where they are.
    Offset { geometry: usize, axis: usize },
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

    /// The geometries between which this is a number of their contact.
    pub(super) fn contact(self) -> Option<[usize; 2]> {
        match self {
            Self::Friction { geometries }
            | Self::ContactStiffness { geometries }
            | Self::ContactRelaxation { geometries }
            | Self::ContactDissipation { geometries }
            | Self::ContactReference { geometries, .. }
            | Self::Restitution { geometries } => Some(geometries),
            _ => None,
        }
    }

    /// Whether this is a number of the contact of these two.
    pub(super) fn is_of(self, [a, b]: [usize; 2]) -> bool {
        self.contact().is_some_and(|of| of == [a, b] || of == [b, a])
    }
}
