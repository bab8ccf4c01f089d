//! The words of SDF 1.4 to 1.12, and what becomes of those the reader leaves untouched.

use crate::audit::{Row, Vocabulary};
use crate::xml::Element;
use stiction_world::Fate::{self, Kept, Unsupported, Used};
use stiction_world::ledger::SPEEDS_ARE_FREE;

pub(crate) const VOCABULARY: Vocabulary = Vocabulary { rows: ROWS, key };

/// Names that mean different things in different places go with their parents'.
fn key(element: Element<'_>) -> String {
    let (around, name) = (element.parent_name(), element.name());
    match (around, name) {
        ("link", "gravity") | ("ode" | "bullet" | "dart" | "simbody" | "physics", _) => {
            format!("{around}/{name}")
        }
        ("joint", "physics") | ("world", "light" | "joint" | "frame") => format!("{around}/{name}"),
        ("surface", "contact") | ("sensor" | "visual" | "material", _) => format!("{around}/{name}"),
        ("heightmap", "pos" | "texture" | "blend" | "sampling" | "use_terrain_paging") => {
            format!("{around}/{name}")
        }
        ("plugin", "joint_name" | "initial_velocity" | "use_force_commands") => format!("{around}/{name}"),
        ("contact", "ode" | "bullet") | ("limit", "stiffness" | "dissipation" | "velocity") => {
            format!("{around}/{name}")
        }
        ("friction", "ode" | "bullet") | ("torsional", "ode") => format!("{around}/{name}"),
        _ => name.to_owned(),
    }
}

const PICTURE: &str = "changes the picture, not the motion";
const ELSEWHERE: &str = "meant for another program";
const HARD_STOPS: &str = "limits are rigid under every law";
const SOLVER: &str = "stiction has its own solvers and steppers; choose them at the simulation";
const SENSORS: &str = "sensors move nothing";
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
    row("frame world/frame", ". name attached_to", Used, ""),
    row("include", ". merge", Used, ""),
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
    row("image image/**", ". *", Unsupported, "does not touch yet"),
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
    row(
        "joint/physics joint/physics/** physics/ode physics/ode/** physics/bullet physics/bullet/**",
        ". *",
        Kept,
        SOLVER,
    ),
    row("physics/dart physics/dart/** physics/simbody physics/simbody/**", ". *", Kept, SOLVER),
    row("physics/provide_feedback", ".", Kept, "forces at joints can always be asked for"),
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
    row("laser_retro max_contacts", ".", Kept, "without effect here"),
    row("visual", "cast_shadows", Kept, PICTURE),
    row("material/diffuse material/ambient", ".", Used, ""),
    row(
        "material/** material/specular material/emissive material/script material/shader material/pbr",
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
    row("visual/transparency visual/material visual/geometry visual/pose", ". *", Used, ""),
    row("visual/cast_shadows visual/laser_retro visual/visibility_flags visual/meta", ". *", Kept, PICTURE),
    row("visual/meta/**", ". *", Kept, PICTURE),
    row("visual/plugin visual/plugin/**", ". *", Kept, ELSEWHERE),
    row("kinematic", ".", Unsupported, "links are moved by forces only"),
    row("velocity_decay velocity_decay/**", ".", Unsupported, "links do not slow down by themselves"),
    row("enable_wind wind wind/**", ". *", Unsupported, "no wind blows"),
    row("must_be_base_link", ".", Kept, "links without a joint above them are bases"),
    row("allow_auto_disable", ".", Kept, "bodies at rest are simulated as well"),
    row("sensor sensor/**", ". *", Kept, SENSORS),
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
