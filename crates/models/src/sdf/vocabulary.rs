//! The words of SDF 1.4 to 1.12, and what becomes of those the reader leaves untouched.

use crate::audit::{AS_WITHOUT, Idle, Index, Row, Vocabulary, says_nothing};
use crate::xml::Element;
use std::sync::LazyLock;
use stiction_world::Fate::{self, Kept, Unsupported, Used};
use stiction_world::ledger::SPEEDS_ARE_FREE;

/// The vocabulary, ready to be asked.
pub(crate) static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(&VOCABULARY));

pub(crate) const VOCABULARY: Vocabulary =
    Vocabulary { rows: ROWS, places: super::places::PLACES, idle: IDLE };

const PICTURE: &str = "changes the picture, not the motion";
const ELSEWHERE: &str = "meant for another program";
const HARD_STOPS: &str = "limits are rigid under every law";
const SOLVER: &str = "stiction has its own solvers and steppers; choose them at the simulation";
const SENSORS: &str = "sensors move nothing";
const ON_REQUEST: &str = "sensors are read on request";
const EXACT: &str = "readings are exact: noise, bias and delay are the reader's";
const LENS: &str = "pictures are exact, and show all that is near or far";
const NOT_READ: &str = "sensors of this kind are not read yet";
const IMPLICIT: &str = "springs and dampers are always implicit";
const CONTROLLER: &str = "of Gazebo's `JointController`: joints at a prescribed rate";
const STILL: &str = "not simulated yet";

const fn row(elements: &'static str, attributes: &'static str, fate: Fate, note: &'static str) -> Row {
    Row { elements, attributes, fate, note }
}

const ROWS: &[Row] = &[
    row("sdf gazebo", ". version", Used, ""),
    row("world model link frame collision visual", ". name", Used, ""),
    row("model", "canonical_link placement_frame", Used, ""),
    row("model include", "namespace", Kept, "a label"),
    row("include/namespace", ".", Kept, "a label"),
    row("frame world/frame", ". name attached_to", Used, ""),
    row(
        "link/frame joint/frame inertial/frame collision/frame visual/frame sensor/frame link/frame/** joint/frame/** \
         inertial/frame/** collision/frame/** visual/frame/** sensor/frame/**",
        ". *",
        Kept,
        "a name for a place",
    ),
    row("include", ". merge", Used, ""),
    row("model_state model_state/**", ". *", Unsupported, "the world starts as its models say"),
    row("uri placement_frame name static self_collide", ".", Used, ""),
    row("pose", ". relative_to frame degrees rotation_format", Used, ""),
    row("gravity link/gravity", ".", Used, ""),
    row("inertial", ". auto", Used, ""),
    row("mass inertia ixx iyy izz ixy ixz iyz density", ".", Used, ""),
    row("auto_inertia_params auto_inertia_params/**", ". *", Kept, "inertia of shapes is exact"),
    row("fluid_added_mass fluid_added_mass/**", ".", Unsupported, "no fluid surrounds the links"),
    row("geometry box sphere cylinder capsule ellipsoid cone plane empty", ".", Used, ""),
    row("mesh", ". optimization", Used, ""),
    row("convex_decomposition max_convex_hulls voxel_resolution", ".", Used, ""),
    row("size radius radii length normal submesh center scale", ".", Used, ""),
    row("heightmap heightmap/pos", ".", Used, ""),
    row("heightmap/texture heightmap/texture/** heightmap/blend heightmap/blend/**", ".", Kept, PICTURE),
    row("heightmap/sampling heightmap/use_terrain_paging", ".", Kept, PICTURE),
    row("geometry/image geometry/image/**", ". *", Unsupported, "does not touch yet"),
    row("joint world/joint", ". name type", Used, ""),
    row("parent child axis axis2", ".", Used, ""),
    row("xyz", ". expressed_in", Used, ""),
    row("use_parent_model_frame", ".", Used, ""),
    row("initial_position", ".", Unsupported, "joints start at 0"),
    row(
        "polyline polyline/**",
        ".",
        Used,
        "one whose outline is not convex touches by its hull, and is told",
    ),
    row("limit lower upper effort", ".", Used, ""),
    row("limit/velocity", ".", Unsupported, SPEEDS_ARE_FREE),
    row("limit/stiffness limit/dissipation", ".", Unsupported, HARD_STOPS),
    row("dynamics damping friction spring_stiffness spring_reference", ".", Used, ""),
    row("mimic", ". joint axis", Used, ""),
    row("multiplier offset reference", ".", Used, ""),
    row("thread_pitch screw_thread_pitch gearbox_ratio gearbox_reference_body", ".", Used, ""),
    row("joint/physics joint/physics/ode joint/physics/simbody", ".", Kept, SOLVER),
    row("physics/ode physics/bullet physics/dart physics/simbody", ".", Kept, SOLVER),
    row("physics/simbody/must_be_loop_joint ode/erp limit/erp suspension/erp", ".", Kept, SOLVER),
    row(
        "physics/provide_feedback ode/provide_feedback",
        ".",
        Kept,
        "forces at joints can always be asked for",
    ),
    row("ode/implicit_spring_damper ode/cfm_damping", ".", Kept, IMPLICIT),
    row("ode/fudge_factor", ".", Kept, "of ODE's motor at its stops"),
    row("ode/max_force ode/velocity", ".", Unsupported, "ODE's motor is not run"),
    row("ode/limit ode/suspension", ".", Kept, "its parts are told one by one"),
    row(
        "ode/cfm limit/cfm suspension/cfm",
        ".",
        Unsupported,
        "joints and their limits are rigid under every law",
    ),
    row("ode/bounce", ".", Unsupported, "stops do not bounce"),
    row(
        "ode/solver ode/constraints bullet/solver bullet/constraints dart/solver dart/collision_detector solver/type \
         solver/min_step_size solver/island_threads solver/iters solver/precon_iters solver/sor solver/friction_model \
         solver/use_dynamic_moi_rescaling solver/thread_position_correction solver/solver_type constraints/cfm \
         constraints/erp constraints/contact_max_correcting_vel constraints/contact_surface_layer \
         constraints/split_impulse constraints/split_impulse_penetration_threshold simbody/accuracy \
         simbody/max_transient_velocity simbody/min_step_size simbody/contact contact/dissipation \
         contact/dynamic_friction contact/override_impact_capture_velocity \
         contact/override_stiction_transition_velocity contact/plastic_coef_restitution \
         contact/plastic_impact_velocity contact/static_friction contact/stiffness contact/viscous_friction",
        ".",
        Kept,
        SOLVER,
    ),
    row("physics", ". name default type", Kept, SOLVER),
    row("physics/max_step_size", ".", Used, ""),
    row("physics/gravity", ".", Used, ""),
    row("physics/magnetic_field", ".", Kept, SENSORS),
    row("physics/real_time_factor physics/real_time_update_rate physics/max_contacts", ".", Kept, SOLVER),
    row("surface bounce restitution_coefficient threshold surface/contact", ".", Used, ""),
    row(
        "friction friction/ode friction/bullet ode/mu ode/mu2 bullet/friction bullet/friction2",
        ".",
        Used,
        "",
    ),
    row("ode/fdir1 bullet/fdir1", ". gz:expressed_in ignition:expressed_in", Used, ""),
    row("ode/slip1 ode/slip2 ode/slip", ".", Unsupported, "friction does not slip below its limit"),
    row("bullet/rolling_friction", ".", Used, ""),
    row("torsional coefficient use_patch_radius patch_radius", ".", Used, ""),
    row("surface_radius torsional/ode", ".", Unsupported, "patches of contact do not grow with their load"),
    row("collide_bitmask category_bitmask", ".", Used, ""),
    row(
        "collide_without_contact collide_without_contact_bitmask",
        ".",
        Unsupported,
        "what meets also pushes",
    ),
    row("poissons_ratio elastic_modulus", ".", Unsupported, "surfaces yield by <kp> and <kd> alone"),
    row("contact/ode ode/kp ode/kd", ".", Used, ""),
    row("contact/bullet", ".", Kept, "its springs are told one by one"),
    row(
        "bullet/kp bullet/kd ode/soft_cfm bullet/soft_cfm",
        ".",
        Unsupported,
        "surfaces yield by <kp> and <kd> of <ode> alone",
    ),
    row(
        "ode/max_vel ode/min_depth ode/soft_erp bullet/soft_erp bullet/split_impulse \
         bullet/split_impulse_penetration_threshold",
        ".",
        Kept,
        "how other engines take overlaps out",
    ),
    row("soft_contact soft_contact/**", ".", Unsupported, "bodies are rigid"),
    row("laser_retro", ".", Kept, SENSORS),
    row("max_contacts", ".", Kept, "contact points are as many as are needed"),
    row("material/diffuse material/ambient", ".", Used, ""),
    row(
        "material/specular material/emissive material/script material/shader material/pbr",
        ". *",
        Kept,
        PICTURE,
    ),
    row(
        "material/lighting material/double_sided material/render_order material/shininess",
        ".",
        Kept,
        PICTURE,
    ),
    row("material/script/** material/pbr/** material/shader/**", ". *", Kept, PICTURE),
    row("visual/transparency visual/material visual/geometry", ".", Used, ""),
    row("visual/pose", ". relative_to frame degrees rotation_format", Used, ""),
    row("visual/cast_shadows visual/laser_retro visual/visibility_flags visual/meta", ". *", Kept, PICTURE),
    row("visual/meta/**", ". *", Kept, PICTURE),
    row("visual/plugin visual/plugin/**", ". *", Kept, ELSEWHERE),
    row("kinematic", ".", Unsupported, "links are moved by forces only"),
    row("velocity_decay", ".", Kept, "its parts are told one by one"),
    row(
        "velocity_decay/linear velocity_decay/angular",
        ".",
        Unsupported,
        "links do not slow down by themselves",
    ),
    row("enable_wind wind wind/**", ". *", Unsupported, "no wind blows"),
    row(
        "link/velocity link/acceleration link/wrench joint/angle",
        ". *",
        Unsupported,
        "the world starts as its models say",
    ),
    row("must_be_base_link", ".", Kept, "links without a joint above them are bases"),
    row("allow_auto_disable", ".", Kept, "bodies at rest are simulated as well"),
    row("sensor", ". name type", Used, ""),
    row("sensor/pose", ". relative_to frame degrees rotation_format", Used, ""),
    row("sensor/always_on sensor/update_rate sensor/visualize", ".", Kept, ON_REQUEST),
    row("sensor/topic sensor/frame_id sensor/enable_metrics", ".", Kept, ELSEWHERE),
    row(
        "imu/topic contact/topic camera/trigger_topic camera/camera_info_topic camera/triggered",
        ".",
        Kept,
        ELSEWHERE,
    ),
    row("camera/optical_frame_id camera/save camera/save/** camera/visibility_mask", ". *", Kept, ELSEWHERE),
    row("sensor/contact contact/collision", ".", Used, ""),
    row("sensor/force_torque force_torque/frame force_torque/measure_direction", ".", Used, ""),
    row("force_torque/force force_torque/torque", ".", Kept, "its parts are told one by one"),
    row("force/x force/y force/z torque/x torque/y torque/z", ".", Kept, "its parts are told one by one"),
    row(
        "sensor/imu imu/angular_velocity imu/linear_acceleration",
        ".",
        Kept,
        "its parts are told one by one",
    ),
    row(
        "angular_velocity/x angular_velocity/y angular_velocity/z",
        ".",
        Kept,
        "its parts are told one by one",
    ),
    row(
        "linear_acceleration/x linear_acceleration/y linear_acceleration/z",
        ".",
        Kept,
        "its parts are told one by one",
    ),
    row("noise noise/**", ". *", Unsupported, EXACT),
    row(
        "imu/orientation_reference_frame imu/orientation_reference_frame/**",
        ". *",
        Kept,
        "for orientations, which no IMU tells",
    ),
    row("imu/enable_orientation", ".", Kept, "for orientations, which no IMU tells"),
    row("sensor/camera", ".", Used, ""),
    row("sensor/camera", "name", Kept, "a label"),
    row("camera/horizontal_fov camera/image image/width image/height", ".", Used, ""),
    row(
        "camera/pose camera/frame camera/frame/**",
        ". *",
        Unsupported,
        "a camera looks from the pose of its sensor",
    ),
    row(
        "camera/clip camera/clip/** camera/lens camera/lens/** camera/distortion camera/distortion/** \
         camera/depth_camera camera/depth_camera/**",
        ".",
        Unsupported,
        LENS,
    ),
    row("image/format image/anti_aliasing camera/box_type camera/segmentation_type", ".", Kept, PICTURE),
    row(
        "sensor/air_pressure sensor/air_speed sensor/altimeter sensor/gps sensor/lidar sensor/logical_camera \
         sensor/magnetometer sensor/navsat sensor/ray sensor/rfid sensor/rfidtag sensor/sonar sensor/transceiver",
        ".",
        Unsupported,
        NOT_READ,
    ),
    row(
        "sensor/air_pressure/** sensor/air_speed/** sensor/altimeter/** sensor/gps/** sensor/lidar/** \
         sensor/logical_camera/** sensor/magnetometer/** sensor/navsat/** sensor/ray/** sensor/rfid/** \
         sensor/rfidtag/** sensor/sonar/** sensor/transceiver/**",
        ". *",
        Unsupported,
        NOT_READ,
    ),
    row("plugin/joint_name plugin/initial_velocity plugin/use_force_commands", ".", Used, CONTROLLER),
    row("plugin plugin/**", ". *", Kept, "plugins are not run, but Gazebo's `JointController` by velocity"),
    row("gripper gripper/**", ". *", Unsupported, "what a gripper holds is held by friction only"),
    row("projector projector/** particle_emitter particle_emitter/**", ". *", Kept, PICTURE),
    row(
        "light light/** world/light world/light/** scene scene/** gui gui/** road road/**",
        ". *",
        Kept,
        PICTURE,
    ),
    row("audio audio/** audio_sink audio_sink/** audio_source audio_source/**", ". *", Kept, ELSEWHERE),
    row("battery battery/**", ". *", Kept, ELSEWHERE),
    row("spherical_coordinates spherical_coordinates/** magnetic_field", ". *", Kept, SENSORS),
    row("atmosphere atmosphere/**", ". *", Kept, "no fluid surrounds the links"),
    row("actor actor/**", ". *", Kept, "actors follow scripts and touch nothing"),
    row("population population/**", ". *", Unsupported, STILL),
    row("state state/**", ". *", Unsupported, "the world starts as its models say"),
    row("drake:proximity_properties", ".", Used, ""),
    row("drake:mu_static drake:mu_dynamic", ".", Used, ""),
    row("drake:point_contact_stiffness drake:relaxation_time drake:hunt_crossley_dissipation", ".", Used, ""),
    row("drake:compliant_hydroelastic drake:rigid_hydroelastic", ".", Used, ""),
    row("drake:hydroelastic_modulus drake:mesh_resolution_hint", ".", Used, ""),
    row("drake:proximity_properties/**", ". *", Unsupported, STILL),
    row(
        "drake:illustration_properties drake:illustration_properties/** drake:perception_properties \
         drake:perception_properties/**",
        ". *",
        Kept,
        PICTURE,
    ),
    row("drake:rotor_inertia drake:gear_ratio", ".", Used, ""),
    row(
        "drake:collision_filter_group drake:member drake:member_group drake:ignored_collision_filter_group",
        ".",
        Used,
        "",
    ),
    row("drake:collision_filter_group", "name", Used, ""),
    row(
        "drake:joint drake:joint/** drake:linear_bushing_rpy drake:linear_bushing_rpy/**",
        ". *",
        Unsupported,
        STILL,
    ),
    row("drake:ball_constraint drake:ball_constraint/**", ". *", Unsupported, STILL),
];

/// Most elements around one that are looked at.
const MAX_DEPTH: usize = 50;

/// Whether an element is in a file of a version before that of frames.
fn old(element: Element<'_>) -> bool {
    let around = std::iter::successors(Some(element), |e| e.parent()).take(MAX_DEPTH);
    let root = around.into_iter().find(|e| e.name() == "sdf");
    root.is_some_and(|root| super::pose::version(root).is_ok_and(|version| version < super::pose::FRAMES))
}

/// Reasons for which a word that the reader takes elsewhere, or that is not simulated, has no effect.
const IDLE: &[Idle] = &[
    Idle {
        elements: "velocity_decay/linear velocity_decay/angular ode/max_force ode/velocity ode/cfm limit/cfm \
                   suspension/cfm ode/bounce ode/slip1 ode/slip2 ode/slip ode/soft_cfm bullet/soft_cfm \
                   initial_position enable_wind collide_without_contact kinematic",
        attributes: ".",
        when: says_nothing,
        note: AS_WITHOUT,
    },
    Idle {
        elements: "pose visual/pose sensor/pose",
        attributes: "relative_to frame",
        when: |pose, a| pose.peek(a).is_some_and(|a| a.value().trim().is_empty()),
        note: "names no frame",
    },
    Idle {
        elements: "material/ambient",
        attributes: ".",
        when: |ambient, _| ambient.parent().is_some_and(|m| m.children().any(|c| c.name() == "diffuse")),
        note: "counts where no <diffuse> is stated",
    },
    Idle {
        elements: "frame world/frame",
        attributes: ".",
        when: |frame, _| old(frame),
        note: "frames have names from version 1.7 on",
    },
    Idle {
        elements: "density",
        attributes: ".",
        when: |density, _| density.parent_name() == "inertial" || density.parent_name() == "collision",
        note: "counts where <inertial auto> is true",
    },
    Idle {
        elements: "axis axis2",
        attributes: ".",
        when: |axis, _| {
            axis.parent().and_then(|joint| joint.peek("type")).is_some_and(|t| t.value() == "fixed")
        },
        note: "a fixed joint does not move",
    },
];
