//! Which elements of URDF, and of its common extensions, may stand in which.

use crate::audit::Inside;

const fn inside(around: &'static str, elements: &'static str) -> Inside {
    Inside { around, elements }
}

pub(super) const PLACES: &[Inside] = &[
    inside(
        "robot",
        "link joint material transmission gazebo sensor frame loop loop_joint force_element klampt ros2_control drake:joint \
         drake:collision_filter_group drake:linear_bushing_rpy drake:ball_constraint drake:linear_spring_damper \
         drake:tendon_constraint",
    ),
    inside("link", "inertial visual collision contact self_collision_checking"),
    inside("inertial", "origin mass inertia"),
    inside("visual collision", "origin geometry material verbose"),
    inside("collision", "contact_coefficients drake:proximity_properties"),
    inside("visual", "drake:illustration_properties drake:perception_properties drake:accepting_renderer"),
    inside(
        "geometry",
        "box cylinder sphere capsule ellipsoid mesh drake:capsule drake:ellipsoid drake:declare_convex",
    ),
    inside("mesh", "drake:declare_convex"),
    inside("material", "color texture drake:diffuse_map"),
    inside(
        "contact",
        "lateral_friction rolling_friction spinning_friction restitution stiffness damping contact_cfm contact_erp \
         friction_anchor inertia_scaling",
    ),
    inside(
        "joint drake:joint",
        "origin parent child axis limit dynamics mimic safety_controller calibration drake:screw_thread_pitch",
    ),
    inside(
        "transmission",
        "type joint actuator mechanicalReduction hardwareInterface compensator simulated_reduction leftActuator \
         rightActuator flexJoint rollJoint gap_joint passive_joint use_simulated_gripper_joint",
    ),
    inside("transmission/joint", "hardwareInterface role offset mechanicalReduction"),
    inside(
        "transmission/actuator",
        "hardwareInterface mechanicalReduction role motorTorqueConstant drake:rotor_inertia drake:gear_ratio \
         drake:controller_gains",
    ),
    inside(
        "gazebo",
        "mu1 mu2 fdir1 selfCollide gravity turnGravityOff static springStiffness springReference kp kd maxVel minDepth \
         maxContacts stopErp fudgeFactor implicitSpringDamper cfmDamping stopCfm material visual sensor laserRetro light \
         plugin provideFeedback preserveFixedJoint disableFixedJointLumping",
    ),
    inside("klampt", "noselfcollision"),
    inside(
        "drake:collision_filter_group",
        "drake:member drake:member_group drake:ignored_collision_filter_group",
    ),
    inside(
        "drake:proximity_properties",
        "drake:mu_static drake:mu_dynamic drake:point_contact_stiffness drake:relaxation_time \
         drake:hunt_crossley_dissipation drake:hydroelastic_modulus drake:mesh_resolution_hint \
         drake:compliant_hydroelastic drake:rigid_hydroelastic",
    ),
];
