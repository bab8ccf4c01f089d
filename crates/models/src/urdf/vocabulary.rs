//! The words of URDF and of its common extensions.

use crate::audit::{Idle, Index, Row, Vocabulary};
use std::sync::LazyLock;
use stiction_world::Fate::{self, Kept, Unsupported, Used};
use stiction_world::ledger::SPEEDS_ARE_FREE;

const DRIVE: &str = "describes the drive; joints are driven directly";
const NO_SENSORS: &str = "sensors of URDF are not read, and move nothing: stiction's own read any quantity";
const ELSEWHERE: &str = "meant for another program";

/// The vocabulary, ready to be asked.
pub(crate) static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(&VOCABULARY));

pub(crate) const VOCABULARY: Vocabulary =
    Vocabulary { rows: ROWS, places: super::places::PLACES, idle: IDLE };

const fn row(elements: &'static str, attributes: &'static str, fate: Fate, note: &'static str) -> Row {
    Row { elements, attributes, fate, note }
}

const ROWS: &[Row] = &[
    row("robot", ". name", Used, ""),
    row("robot", "version", Kept, "the version of the format"),
    row("link", ". name", Used, ""),
    row("link", "type", Kept, "a label"),
    row("inertial", ".", Used, ""),
    row("origin", ". xyz rpy quat_xyzw", Used, ""),
    row("mass", ". value", Used, ""),
    row("inertia", ". ixx ixy ixz iyy iyz izz", Used, ""),
    row("visual collision", ". name", Used, ""),
    row("collision", "group", Kept, "a label"),
    row("geometry", ".", Used, ""),
    row("box", ". size", Used, ""),
    row("sphere", ". radius", Used, ""),
    row("cylinder capsule", ". radius length", Used, ""),
    row("mesh", ". filename scale", Used, ""),
    row("ellipsoid drake:ellipsoid", ". radii a b c", Used, ""),
    row("drake:capsule", ". radius length", Used, ""),
    row("material", ". name", Used, ""),
    row("color", ". rgba", Used, ""),
    row("texture", ". filename", Kept, "textures are not drawn"),
    row("joint drake:joint", ". name type", Used, ""),
    row("drake:screw_thread_pitch", ". value", Used, ""),
    row("parent child", ". link", Used, ""),
    row("axis", ". xyz", Used, ""),
    row("limit", ". lower upper effort", Used, ""),
    row("limit", "velocity", Unsupported, SPEEDS_ARE_FREE),
    row(
        "limit",
        "acceleration deceleration jerk drake:acceleration drake:jerk",
        Kept,
        "for planners; accelerations follow from the efforts",
    ),
    row("dynamics", ". damping friction", Used, ""),
    row("mimic", ". joint multiplier offset", Used, ""),
    row(
        "safety_controller safety_controller/**",
        ". soft_lower_limit soft_upper_limit k_position k_velocity",
        Kept,
        "a controller's business",
    ),
    row("calibration calibration/**", ". rising falling reference_position", Kept, "a controller's business"),
    row("actuator/drake:rotor_inertia actuator/drake:gear_ratio", ". value", Used, ""),
    row("transmission transmission/joint transmission/actuator", ". name type", Kept, DRIVE),
    row(
        "transmission/mechanicalReduction actuator/mechanicalReduction",
        ".",
        Kept,
        "counts with a drake:rotor_inertia",
    ),
    row(
        "transmission/type transmission/hardwareInterface joint/hardwareInterface joint/role joint/offset \
         joint/mechanicalReduction actuator/hardwareInterface actuator/role actuator/motorTorqueConstant \
         transmission/compensator transmission/simulated_reduction",
        ".",
        Kept,
        DRIVE,
    ),
    row(
        "transmission/leftActuator transmission/rightActuator transmission/flexJoint transmission/rollJoint \
         transmission/gap_joint transmission/passive_joint transmission/use_simulated_gripper_joint",
        ". *",
        Kept,
        DRIVE,
    ),
    row("sensor sensor/**", ". *", Kept, NO_SENSORS),
    row("verbose", ". *", Kept, "a wish about messages"),
    row("self_collision_checking self_collision_checking/**", ".", Kept, "a planner's simplified shape"),
    row("contact", ".", Used, ""),
    row("lateral_friction restitution", ". value", Used, ""),
    row("rolling_friction spinning_friction", ". value", Used, ""),
    row("stiffness damping", ". value", Used, ""),
    row(
        "collision/contact_coefficients",
        ". mu kp kd",
        Unsupported,
        "surfaces are stated in <contact> or <gazebo>",
    ),
    row("contact_cfm", ". value", Unsupported, "surfaces yield by <stiffness> and <damping> alone"),
    row("contact_erp friction_anchor", ". value", Kept, "how another engine takes overlaps and slip out"),
    row("inertia_scaling", ". value", Unsupported, "the inertia is used as written"),
    row(
        "gazebo/mu1 gazebo/mu2 gazebo/fdir1 gazebo/selfCollide gazebo/gravity gazebo/turnGravityOff gazebo/static \
                   gazebo/springStiffness gazebo/springReference gazebo/kp gazebo/kd",
        ". value",
        Used,
        "",
    ),
    row(
        "gazebo/maxVel gazebo/minDepth gazebo/maxContacts gazebo/stopErp gazebo/fudgeFactor \
                   gazebo/implicitSpringDamper gazebo/cfmDamping",
        ". value",
        Kept,
        "how another engine takes overlaps out; springs and dampers are always implicit",
    ),
    row("gazebo/stopCfm", ". value", Unsupported, "limits are rigid under every law"),
    row(
        "gazebo/material gazebo/material/** gazebo/visual gazebo/visual/** gazebo/laserRetro gazebo/light gazebo/light/**",
        ". *",
        Kept,
        "changes the picture, and moves nothing",
    ),
    row("gazebo/sensor gazebo/sensor/**", ". *", Kept, NO_SENSORS),
    row("gazebo/plugin gazebo/plugin/** plugin/**", ". *", Kept, "plugins are not run"),
    row(
        "gazebo/provideFeedback gazebo/preserveFixedJoint gazebo/disableFixedJointLumping",
        ". value",
        Kept,
        "forces can always be asked for, and fixed links stay known",
    ),
    row("gazebo", ". reference", Kept, "what it says is told word by word"),
    row(
        "gazebo/**",
        ". *",
        Unsupported,
        "what Gazebo makes of this beside links and joints is not simulated",
    ),
    row("ros2_control ros2_control/**", ". *", Unsupported, "controllers are not run, and joints start at 0"),
    row("klampt/noselfcollision", ". group1 group2 pairs", Used, ""),
    row("klampt klampt/**", ". *", Kept, ELSEWHERE),
    row(
        "force_element force_element/**",
        ". name",
        Unsupported,
        "springs beside the joints are not simulated yet",
    ),
    row("loop loop/** loop_joint loop_joint/**", ". name type", Unsupported, "loops are not closed yet"),
    row("frame", ". name link xyz rpy", Kept, "a name for a place"),
    row(
        "drake:collision_filter_group drake:member drake:ignored_collision_filter_group \
                   drake:member_group",
        ". name link",
        Used,
        "",
    ),
    row(
        "drake:proximity_properties drake:mu_static drake:mu_dynamic drake:point_contact_stiffness \
                   drake:relaxation_time drake:hunt_crossley_dissipation drake:hydroelastic_modulus \
                   drake:mesh_resolution_hint",
        ". value",
        Used,
        "",
    ),
    row("drake:compliant_hydroelastic drake:rigid_hydroelastic", ".", Used, ""),
    row("drake:proximity_properties/**", ". *", Unsupported, "not simulated yet"),
    row(
        "drake:illustration_properties drake:illustration_properties/** \
                   drake:perception_properties drake:perception_properties/** drake:declare_convex \
                   drake:accepting_renderer drake:diffuse_map drake:controller_gains",
        ". *",
        Kept,
        "for pictures and controllers",
    ),
    row(
        "drake:linear_bushing_rpy drake:linear_bushing_rpy/** drake:ball_constraint \
                   drake:ball_constraint/** drake:linear_spring_damper drake:linear_spring_damper/** \
                   drake:tendon_constraint drake:tendon_constraint/**",
        ". *",
        Unsupported,
        "not simulated yet",
    ),
];

/// Reasons for which a word that the reader takes elsewhere has no effect.
const IDLE: &[Idle] = &[
    Idle {
        elements: "limit",
        attributes: "lower upper",
        when: |limit, _| {
            let kind = limit.parent().and_then(|joint| joint.peek("type"));
            kind.is_some_and(|kind| !matches!(kind.value(), "revolute" | "prismatic"))
        },
        note: "a joint of this type has no range",
    },
    Idle {
        elements: "material color",
        attributes: "*",
        when: |_, _| true,
        note: "a colour that nothing takes",
    },
];
