//! Which elements of SDF may stand in which, of versions 1.4 to 1.12 together.

use crate::audit::Inside;

const fn inside(around: &'static str, elements: &'static str) -> Inside {
    Inside { around, elements }
}

pub(super) const PLACES: &[Inside] = &[
    inside("sdf gazebo", "world model actor light"),
    inside(
        "world",
        "model include frame joint gravity magnetic_field physics plugin light scene gui road actor population state audio \
         atmosphere spherical_coordinates wind",
    ),
    inside(
        "model",
        "model include frame link joint pose static self_collide allow_auto_disable enable_wind gripper plugin \
         drake:joint drake:linear_bushing_rpy drake:ball_constraint drake:collision_filter_group",
    ),
    inside("model include", "model_state"),
    inside("include", "name uri pose static placement_frame plugin namespace"),
    inside(
        "link",
        "pose frame inertial collision visual sensor gravity self_collide kinematic must_be_base_link enable_wind \
         velocity_decay audio_sink audio_source battery light projector particle_emitter velocity acceleration wrench",
    ),
    inside("velocity_decay", "linear angular"),
    inside("inertial", "pose frame mass inertia density auto_inertia_params fluid_added_mass"),
    inside("inertia", "ixx iyy izz ixy ixz iyz"),
    inside(
        "collision",
        "pose frame geometry surface density auto_inertia_params laser_retro max_contacts drake:proximity_properties",
    ),
    inside(
        "visual",
        "pose frame geometry material transparency cast_shadows laser_retro visibility_flags meta plugin \
         drake:illustration_properties drake:perception_properties",
    ),
    inside(
        "geometry visual/geometry",
        "empty box capsule cone cylinder ellipsoid heightmap image mesh plane polyline sphere",
    ),
    inside("frame world/frame", "pose"),
    inside("box plane", "size"),
    inside("plane", "normal"),
    inside("sphere capsule cone cylinder", "radius"),
    inside("capsule cone cylinder", "length"),
    inside("ellipsoid", "radii"),
    inside("mesh", "uri scale submesh convex_decomposition"),
    inside("submesh", "name center"),
    inside("convex_decomposition", "max_convex_hulls voxel_resolution"),
    inside("heightmap", "uri size pos texture blend sampling use_terrain_paging"),
    inside(
        "visual/material",
        "ambient diffuse specular emissive shininess lighting double_sided render_order script shader pbr",
    ),
    inside(
        "joint world/joint",
        "parent child pose frame axis axis2 gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch physics \
         sensor angle drake:rotor_inertia drake:gear_ratio",
    ),
    inside("axis axis2", "xyz use_parent_model_frame dynamics limit mimic initial_position"),
    inside("dynamics", "damping friction spring_stiffness spring_reference"),
    inside("limit", "lower upper effort velocity stiffness dissipation"),
    inside("mimic", "multiplier offset reference"),
    inside("joint/physics", "ode simbody provide_feedback"),
    inside("joint/physics/simbody", "must_be_loop_joint"),
    inside(
        "joint/physics/ode",
        "bounce cfm cfm_damping erp fudge_factor implicit_spring_damper limit max_force provide_feedback suspension velocity",
    ),
    inside("ode/limit ode/suspension", "cfm erp"),
    inside(
        "physics",
        "max_step_size real_time_factor real_time_update_rate max_contacts gravity magnetic_field ode bullet dart simbody",
    ),
    inside("physics/ode physics/bullet", "solver constraints"),
    inside("physics/dart", "solver collision_detector"),
    inside("dart/solver", "solver_type"),
    inside("ode/solver bullet/solver", "type min_step_size iters sor"),
    inside(
        "ode/solver",
        "island_threads precon_iters friction_model use_dynamic_moi_rescaling thread_position_correction",
    ),
    inside("ode/constraints bullet/constraints", "cfm erp contact_surface_layer"),
    inside("ode/constraints", "contact_max_correcting_vel"),
    inside("bullet/constraints", "split_impulse split_impulse_penetration_threshold"),
    inside("physics/simbody", "accuracy max_transient_velocity min_step_size contact"),
    inside(
        "simbody/contact",
        "dissipation dynamic_friction override_impact_capture_velocity override_stiction_transition_velocity \
         plastic_coef_restitution plastic_impact_velocity static_friction stiffness viscous_friction",
    ),
    inside("surface", "bounce friction contact soft_contact"),
    inside("bounce", "restitution_coefficient threshold"),
    inside("friction", "ode bullet torsional"),
    inside("friction/ode", "mu mu2 fdir1 slip1 slip2"),
    inside("friction/bullet", "friction friction2 fdir1 rolling_friction"),
    inside("torsional", "coefficient use_patch_radius patch_radius surface_radius ode"),
    inside("torsional/ode", "slip"),
    inside(
        "surface/contact",
        "ode bullet category_bitmask collide_bitmask collide_without_contact collide_without_contact_bitmask \
         elastic_modulus poissons_ratio",
    ),
    inside("contact/ode", "kp kd max_vel min_depth soft_cfm soft_erp"),
    inside("contact/bullet", "kp kd soft_cfm soft_erp split_impulse split_impulse_penetration_threshold"),
    inside(
        "sensor",
        "pose frame plugin always_on update_rate visualize topic frame_id enable_metrics air_pressure air_speed altimeter \
         camera contact force_torque gps imu lidar logical_camera magnetometer navsat ray rfid rfidtag sonar transceiver",
    ),
    inside("sensor/contact", "collision topic"),
    inside("sensor/force_torque", "frame measure_direction force torque"),
    inside("imu/angular_velocity imu/linear_acceleration force_torque/force force_torque/torque", "x y z"),
    inside(
        "angular_velocity/x angular_velocity/y angular_velocity/z linear_acceleration/x linear_acceleration/y \
         linear_acceleration/z force/x force/y force/z torque/x torque/y torque/z sensor/imu sensor/camera",
        "noise",
    ),
    inside(
        "sensor/imu",
        "topic angular_velocity linear_acceleration enable_orientation orientation_reference_frame",
    ),
    inside(
        "sensor/camera",
        "pose frame horizontal_fov image clip lens distortion depth_camera save box_type segmentation_type trigger_topic \
         triggered camera_info_topic optical_frame_id visibility_mask",
    ),
    inside("camera/image", "width height format anti_aliasing"),
    inside("plugin", "joint_name initial_velocity use_force_commands"),
    inside(
        "drake:proximity_properties",
        "drake:mu_static drake:mu_dynamic drake:point_contact_stiffness drake:relaxation_time \
         drake:hunt_crossley_dissipation drake:compliant_hydroelastic drake:rigid_hydroelastic drake:hydroelastic_modulus \
         drake:mesh_resolution_hint",
    ),
    inside(
        "drake:collision_filter_group",
        "drake:member drake:member_group drake:ignored_collision_filter_group",
    ),
];
