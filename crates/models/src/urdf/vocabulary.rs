//! The words of URDF and of its common extensions.

use crate::audit::{Row, Vocabulary};
use crate::xml::Element;
use stiction_world::Fate::{Kept, Unsupported, Used};
use stiction_world::ledger::SPEEDS_ARE_FREE;

const ELSEWHERE: &str = "meant for another program";

pub(crate) const VOCABULARY: Vocabulary = Vocabulary { rows: ROWS, key };

/// Names are ambiguous only where a drive names its joint.
fn key(element: Element<'_>) -> String {
    match (element.parent_name(), element.name()) {
        ("transmission", name) => format!("transmission/{name}"),
        ("gazebo", name) => format!("gazebo/{name}"),
        (_, name) => name.to_owned(),
    }
}

const ROWS: &[Row] = &[
    Row { elements: "robot", attributes: ". name", fate: Used, note: "" },
    Row { elements: "robot", attributes: "version", fate: Kept, note: "the version of the format" },
    Row { elements: "link", attributes: ". name", fate: Used, note: "" },
    Row { elements: "link", attributes: "type", fate: Kept, note: "a label" },
    Row { elements: "inertial", attributes: ".", fate: Used, note: "" },
    Row { elements: "origin", attributes: ". xyz rpy quat_xyzw", fate: Used, note: "" },
    Row { elements: "mass", attributes: ". value", fate: Used, note: "" },
    Row { elements: "inertia", attributes: ". ixx ixy ixz iyy iyz izz", fate: Used, note: "" },
    Row { elements: "visual collision", attributes: ". name", fate: Used, note: "" },
    Row { elements: "collision", attributes: "group", fate: Kept, note: "a label" },
    Row { elements: "geometry", attributes: ".", fate: Used, note: "" },
    Row { elements: "box", attributes: ". size", fate: Used, note: "" },
    Row { elements: "sphere", attributes: ". radius", fate: Used, note: "" },
    Row { elements: "cylinder capsule", attributes: ". radius length", fate: Used, note: "" },
    Row { elements: "mesh", attributes: ". filename scale", fate: Used, note: "" },
    Row {
        elements: "ellipsoid drake:ellipsoid drake:capsule",
        attributes: ". radii a b c radius length",
        fate: Used,
        note: "",
    },
    Row { elements: "material", attributes: ". name", fate: Used, note: "" },
    Row { elements: "color", attributes: ". rgba", fate: Used, note: "" },
    Row { elements: "texture", attributes: ". filename", fate: Kept, note: "textures are not drawn" },
    Row { elements: "joint drake:joint", attributes: ". name type", fate: Used, note: "" },
    Row { elements: "drake:screw_thread_pitch", attributes: ". value", fate: Used, note: "" },
    Row { elements: "parent child", attributes: ". link", fate: Used, note: "" },
    Row { elements: "axis", attributes: ". xyz", fate: Used, note: "" },
    Row { elements: "limit", attributes: ". lower upper effort", fate: Used, note: "" },
    Row { elements: "limit", attributes: "velocity", fate: Unsupported, note: SPEEDS_ARE_FREE },
    Row {
        elements: "limit",
        attributes: "acceleration deceleration jerk drake:acceleration drake:jerk",
        fate: Kept,
        note: "for planners; accelerations follow from the efforts",
    },
    Row { elements: "dynamics", attributes: ". damping friction", fate: Used, note: "" },
    Row { elements: "mimic", attributes: ". joint multiplier offset", fate: Used, note: "" },
    Row {
        elements: "safety_controller safety_controller/**",
        attributes: ". soft_lower_limit soft_upper_limit k_position k_velocity",
        fate: Kept,
        note: "a controller's business",
    },
    Row {
        elements: "calibration calibration/**",
        attributes: ". rising falling reference_position",
        fate: Kept,
        note: "a controller's business",
    },
    Row {
        elements: "transmission/mechanicalReduction mechanicalReduction drake:rotor_inertia drake:gear_ratio",
        attributes: ". value",
        fate: Kept,
        note: "counts with a drake:rotor_inertia",
    },
    Row {
        elements: "transmission transmission/**",
        attributes: ". name type",
        fate: Kept,
        note: "describes the drive; joints are driven directly",
    },
    Row { elements: "sensor sensor/**", attributes: ". *", fate: Kept, note: "sensors move nothing" },
    Row { elements: "verbose", attributes: ". *", fate: Kept, note: "a wish about messages" },
    Row {
        elements: "self_collision_checking self_collision_checking/**",
        attributes: ".",
        fate: Kept,
        note: "a planner's simplified shape",
    },
    Row { elements: "contact", attributes: ".", fate: Used, note: "" },
    Row { elements: "lateral_friction restitution", attributes: ". value", fate: Used, note: "" },
    Row { elements: "rolling_friction spinning_friction", attributes: ". value", fate: Used, note: "" },
    Row { elements: "stiffness damping", attributes: ". value", fate: Used, note: "" },
    Row {
        elements: "contact_cfm",
        attributes: ". value",
        fate: Unsupported,
        note: "surfaces yield by <stiffness> and <damping> alone",
    },
    Row {
        elements: "contact_erp friction_anchor",
        attributes: ". value",
        fate: Kept,
        note: "how another engine takes overlaps and slip out",
    },
    Row {
        elements: "inertia_scaling",
        attributes: ". value",
        fate: Unsupported,
        note: "the inertia is used as written",
    },
    Row {
        elements: "gazebo/mu1 gazebo/mu2 gazebo/fdir1 gazebo/selfCollide gazebo/gravity gazebo/turnGravityOff gazebo/static \
                   gazebo/springStiffness gazebo/springReference gazebo/kp gazebo/kd",
        attributes: ". value",
        fate: Used,
        note: "",
    },
    Row {
        elements: "gazebo/maxVel gazebo/minDepth gazebo/maxContacts gazebo/stopErp gazebo/fudgeFactor \
                   gazebo/implicitSpringDamper gazebo/cfmDamping",
        attributes: ". value",
        fate: Kept,
        note: "how another engine takes overlaps out; springs and dampers are always implicit",
    },
    Row {
        elements: "gazebo/stopCfm",
        attributes: ". value",
        fate: Unsupported,
        note: "limits are rigid under every law",
    },
    Row {
        elements: "gazebo/material gazebo/visual gazebo/visual/** gazebo/sensor gazebo/sensor/** sensor/** \
                   gazebo/laserRetro gazebo/light gazebo/light/**",
        attributes: ". *",
        fate: Kept,
        note: "changes the picture or measures, and moves nothing",
    },
    Row {
        elements: "gazebo/plugin gazebo/plugin/** plugin/**",
        attributes: ". *",
        fate: Kept,
        note: "plugins are not run",
    },
    Row {
        elements: "gazebo/provideFeedback gazebo/preserveFixedJoint gazebo/disableFixedJointLumping",
        attributes: ". value",
        fate: Kept,
        note: "forces can always be asked for, and fixed links stay known",
    },
    Row { elements: "gazebo", attributes: ". reference", fate: Kept, note: "without effect here" },
    Row {
        elements: "gazebo/**",
        attributes: ". *",
        fate: Unsupported,
        note: "what Gazebo makes of this beside links and joints is not simulated",
    },
    Row {
        elements: "ros2_control ros2_control/**",
        attributes: ". *",
        fate: Unsupported,
        note: "controllers are not run, and joints start at 0",
    },
    Row { elements: "noselfcollision", attributes: ". group1 group2 pairs", fate: Used, note: "" },
    Row { elements: "klampt klampt/**", attributes: ". *", fate: Kept, note: ELSEWHERE },
    Row {
        elements: "force_element force_element/**",
        attributes: ". name",
        fate: Unsupported,
        note: "springs beside the joints are not simulated yet",
    },
    Row {
        elements: "loop loop/** loop_joint loop_joint/**",
        attributes: ". name type",
        fate: Unsupported,
        note: "loops are not closed yet",
    },
    Row { elements: "frame", attributes: ". name link xyz rpy", fate: Kept, note: "a name for a place" },
    Row {
        elements: "drake:collision_filter_group drake:member drake:ignored_collision_filter_group \
                   drake:member_group",
        attributes: ". name link",
        fate: Used,
        note: "",
    },
    Row {
        elements: "drake:proximity_properties drake:mu_static drake:mu_dynamic drake:point_contact_stiffness \
                   drake:relaxation_time drake:hunt_crossley_dissipation drake:hydroelastic_modulus \
                   drake:mesh_resolution_hint",
        attributes: ". value",
        fate: Used,
        note: "",
    },
    Row {
        elements: "drake:compliant_hydroelastic drake:rigid_hydroelastic",
        attributes: ".",
        fate: Used,
        note: "",
    },
    Row {
        elements: "drake:proximity_properties/**",
        attributes: ". *",
        fate: Unsupported,
        note: "not simulated yet",
    },
    Row {
        elements: "drake:illustration_properties drake:illustration_properties/** \
                   drake:perception_properties drake:perception_properties/** drake:declare_convex \
                   drake:accepting_renderer drake:diffuse_map drake:controller_gains",
        attributes: ". *",
        fate: Kept,
        note: "for pictures and controllers",
    },
    Row {
        elements: "drake:linear_bushing_rpy drake:linear_bushing_rpy/** drake:ball_constraint \
                   drake:ball_constraint/** drake:linear_spring_damper drake:linear_spring_damper/** \
                   drake:tendon_constraint drake:tendon_constraint/**",
        attributes: ". *",
        fate: Unsupported,
        note: "not simulated yet",
    },
];
