//! Which elements of MJCF may stand in which.

use crate::audit::Inside;

const fn inside(around: &'static str, elements: &'static str) -> Inside {
    Inside { around, elements }
}

pub(super) const PLACES: &[Inside] = &[
    inside(
        "mujoco",
        "compiler option size statistic visual custom extension default worldbody asset contact tendon deformable \
         equality actuator sensor keyframe",
    ),
    inside("*", "include"),
    inside("compiler", "lengthrange"),
    inside("option", "flag"),
    inside("visual", "global quality headlight map scale rgba"),
    inside("custom", "numeric text tuple"),
    inside("tuple", "element"),
    inside("extension", "plugin"),
    inside("default", "default mesh texture material joint geom site camera light pair equality tendon"),
    inside("default actuator", ACTUATORS),
    inside("asset", "mesh hfield skin texture material model"),
    inside("material", "layer"),
    inside("skin", "bone"),
    inside(
        "worldbody body frame replicate",
        "body frame replicate geom site camera light attach composite flexcomp plugin",
    ),
    inside("body frame replicate", "inertial joint freejoint"),
    inside("geom mesh actuator sensor", "plugin"),
    inside("contact", "pair exclude"),
    inside("tendon", "fixed spatial"),
    inside("fixed", "joint"),
    inside("spatial", "site geom pulley"),
    inside("equality", "connect weld joint tendon flex flexvert flexstrain"),
    inside(
        "sensor",
        "touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos jointvel tendonpos \
         tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel jointlimitpos \
         jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat framexaxis frameyaxis \
         framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel subtreeangmom insidesite \
         distance normal fromto contact e_potential e_kinetic clock tactile user",
    ),
    inside("keyframe", "key"),
];

const ACTUATORS: &str =
    "general motor position velocity damper intvelocity cylinder muscle adhesion dcmotor pid orientation";
