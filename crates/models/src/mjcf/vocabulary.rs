//! The words of MJCF (MuJoCo 3 and 4), and what becomes of those the reader leaves untouched.

use crate::audit::{Row, Vocabulary};
use crate::xml::Element;
use stiction_world::Fate::{self, Kept, Softness, Unsupported, Used};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary { rows: ROWS, key };

/// Some names mean different things in different sections.
fn key(element: Element<'_>) -> String {
    let (around, name) = (element.parent_name(), element.name());
    match (around, name) {
        ("equality" | "fixed" | "spatial" | "sensor" | "visual", _) => format!("{around}/{name}"),
        ("default", "equality" | "tendon") => format!("{around}/{name}"),
        _ => name.to_owned(),
    }
}

const RIGID: &str = "read by the law `mujoco`; under the exact law contacts, limits and loops are rigid";
const RIGID_ALWAYS: &str = "couplings and tendons are rigid here under every law";
const SOLVER: &str = "stiction has its own solvers and steppers; choose them at the simulation";
const PICTURE: &str = "changes the picture, not the motion";
const LABEL: &str = "a label";
const FLUID: &str = "the fluid's forces are not simulated yet";
const FLEXIBLE: &str = "flexible bodies are not simulated yet";
const NO_SENSORS: &str = "sensors move nothing; stiction's own read any quantity";
const PLUGIN: &str = "plugins are not run";
const STATE: &str = "for actuators with a state of their own, which are not simulated yet";
const SIGNAL: &str = "controls act at once and are not interpolated or delayed";

const fn row(elements: &'static str, attributes: &'static str, fate: Fate, note: &'static str) -> Row {
    Row { elements, attributes, fate, note }
}

const ROWS: &[Row] = &[
    row("mujoco", ". model", Used, ""),
    row("include", ". file", Used, ""),
    row(
        "compiler",
        ". autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle eulerseq \
         meshdir inertiafromgeom inertiagrouprange assetdir alignfree fitaabb exactmeshinertia",
        Used,
        "",
    ),
    row("compiler", "texturedir discardvisual", Kept, PICTURE),
    row("compiler", "fusestatic", Kept, "fixed bodies always join their carrier, and stay known as links"),
    row("compiler", "usethread saveinertial convexhull", Kept, "how MuJoCo compiles"),
    row(
        "compiler",
        "conflict",
        Unsupported,
        "options of attached models are not merged: those of the main file count",
    ),
    row("compiler", "passthrough savecanonical savecompiled", Kept, "how MuJoCo saves"),
    row("lengthrange", ". *", Kept, "how MuJoCo works out ranges of muscles"),
    row("option", ". timestep gravity", Used, ""),
    row("option", "density viscosity wind", Unsupported, FLUID),
    row("option", "magnetic", Kept, NO_SENSORS),
    row(
        "option",
        "o_margin o_solref o_solimp o_friction",
        Kept,
        "only where contact parameters are overridden",
    ),
    row(
        "option",
        "impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance integrator cone jacobian \
         solver iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints collision \
         apirate mpr_tolerance mpr_iterations",
        Kept,
        SOLVER,
    ),
    row("option", "actuatorgroupdisable", Unsupported, "no actuator is switched off"),
    row(
        "flag",
        ". constraint equality frictionloss limit contact spring damper gravity clampctrl filterparent actuation",
        Used,
        "",
    ),
    row("flag", "passive", Unsupported, "switch springs and dampers off one by one"),
    row("flag", "override", Unsupported, "contact parameters are not overridden"),
    row("flag", "*", Kept, SOLVER),
    row("size", ". *", Kept, "memory is taken as needed"),
    row("statistic", ". *", Kept, PICTURE),
    row("visual visual/**", ".", Kept, PICTURE),
    row("custom custom/**", ".", Kept, "for other programs"),
    row("extension extension/**", ".", Unsupported, PLUGIN),
    row("plugin plugin/**", ". *", Unsupported, PLUGIN),
    row("default", ". class", Used, ""),
    row("worldbody", ".", Used, ""),
    row("body", ". name childclass pos quat axisangle xyaxes zaxis euler gravcomp", Used, ""),
    row("body", "mocap", Unsupported, super::body::WELDED),
    row("body", "sleep simple fuse", Kept, SOLVER),
    row("body", "user", Kept, LABEL),
    row("frame", ". childclass pos quat axisangle xyaxes zaxis euler", Used, ""),
    row("frame", "name", Kept, LABEL),
    row("replicate", ". count offset euler sep childclass", Used, ""),
    row("inertial", ". pos quat mass diaginertia axisangle xyaxes zaxis euler fullinertia", Used, ""),
    row(
        "joint",
        ". name class type pos axis springdamper limited actuatorfrclimited stiffness range actuatorfrcrange \
         actuatorgravcomp ref springref armature damping frictionloss",
        Used,
        "",
    ),
    row("joint", "solreflimit solimplimit solreffriction solimpfriction margin", Softness, RIGID),
    row("joint freejoint", "group", Kept, PICTURE),
    row("joint", "user", Kept, LABEL),
    row("freejoint", ". name align", Used, ""),
    row(
        "geom",
        ". name class type contype conaffinity condim group priority size material friction mass density \
         shellinertia fromto pos quat axisangle xyaxes zaxis euler mesh hfield fitscale rgba \
         margin gap",
        Used,
        "",
    ),
    row("geom", "surfacevel", Unsupported, super::geom::STILL),
    row("geom", "adhesion", Unsupported, super::geom::DRY),
    row("geom", "solmix solref solimp", Softness, RIGID),
    row("geom", "castshadow", Kept, PICTURE),
    row("geom", "fluidshape fluidcoef", Kept, FLUID),
    row("geom", "user", Kept, LABEL),
    row("site", ". name pos size", Used, ""),
    row("site", "*", Kept, PICTURE),
    row("camera", ". name class mode pos quat axisangle xyaxes zaxis euler fovy resolution", Used, ""),
    row("camera light", ". *", Kept, PICTURE),
    row(
        "composite composite/**",
        ". *",
        Unsupported,
        "composites are not built yet: their bodies are missing",
    ),
    row("flexcomp flexcomp/** deformable deformable/**", ". *", Unsupported, FLEXIBLE),
    row("attach", ". model body frame prefix", Used, ""),
    row("model", ". name file", Used, ""),
    row("model", "content_type", Kept, "other models are MJCF files"),
    row("asset", ".", Used, ""),
    row("mesh", ". name class file vertex face refpos refquat scale inertia builtin params", Used, ""),
    row("mesh", "normal texcoord smoothnormal material", Kept, PICTURE),
    row("mesh", "content_type", Kept, "the ending of the file says its format"),
    row("mesh", "maxhullvert", Kept, "hulls keep all their vertices"),
    row("material", ". name class rgba", Used, ""),
    row("material", "*", Kept, PICTURE),
    row("texture layer", ". *", Kept, PICTURE),
    row("skin skin/**", ". *", Kept, PICTURE),
    row("hfield", ". name file nrow ncol size elevation content_type", Used, ""),
    row("contact", ".", Used, ""),
    row("exclude", ". name body1 body2", Used, ""),
    row("pair", ". name class geom1 geom2 condim friction margin gap adhesion", Used, ""),
    row("pair", "solref solreffriction solimp", Softness, RIGID),
    row("tendon", ".", Used, ""),
    row(
        "fixed spatial default/tendon",
        ". name class limited actuatorfrclimited range actuatorfrcrange frictionloss stiffness damping armature \
         springlength",
        Used,
        "",
    ),
    row(
        "fixed spatial default/tendon",
        "solreflimit solimplimit solreffriction solimpfriction margin",
        Unsupported,
        RIGID_ALWAYS,
    ),
    row("fixed spatial default/tendon", "group width material rgba", Kept, PICTURE),
    row("joint fixed spatial default/tendon", "springyield", Unsupported, "springs do not yield"),
    row("fixed spatial default/tendon", "user", Kept, LABEL),
    row("fixed/joint", ". joint coef", Used, ""),
    row(
        "spatial/site spatial/geom spatial/pulley",
        ". site geom sidesite divisor",
        Unsupported,
        THROUGH_SITES,
    ),
    row("equality", ".", Used, ""),
    row("equality/joint equality/tendon default/equality", ". name class active", Used, ""),
    row("equality/joint", "joint1 joint2 polycoef", Used, ""),
    row("equality/tendon", "tendon1 tendon2 polycoef", Used, ""),
    row("equality/connect equality/weld", ". name class active", Used, ""),
    row("equality/connect equality/weld", "body1 body2 anchor site1 site2 relpose torquescale", Used, ""),
    row(
        "equality/flex equality/flexvert equality/flexstrain",
        ". name class active flex cell",
        Unsupported,
        FLEXIBLE,
    ),
    row(
        "equality/connect equality/weld equality/flex equality/flexvert equality/flexstrain default/equality",
        "solref solimp",
        Softness,
        RIGID,
    ),
    row("equality/joint equality/tendon", "solref solimp", Unsupported, RIGID_ALWAYS),
    row("actuator", ".", Used, ""),
    row("intvelocity cylinder muscle dcmotor pid", ".", Unsupported, super::servo::STATE_OF_ITS_OWN),
    row("adhesion", ".", Unsupported, super::geom::DRY),
    row("orientation", ".", Unsupported, super::servo::NO_ORIENTATION),
    row(
        ACTUATORS,
        ". name class ctrlrange ctrllimited forcelimited forcerange gear damping armature",
        Used,
        "",
    ),
    row(ACTUATORS, "joint jointinparent tendon", Used, ""),
    row(ACTUATORS, "group", Kept, PICTURE),
    row(ACTUATORS, "user", Kept, LABEL),
    row(ACTUATORS, "delay", Unsupported, SIGNAL),
    row(ACTUATORS, "nsample interp", Kept, "matters with a delay alone"),
    row(ACTUATORS, "lengthrange", Kept, "for muscles, which are not simulated yet"),
    row(ACTUATORS, "actlimited actrange actdim dynprm actearly", Kept, STATE),
    row(ACTUATORS, "cranklength slidersite cranksite", Unsupported, "slider-cranks are not simulated yet"),
    row(ACTUATORS, "site refsite body", Unsupported, "acts on a site or body: not simulated yet"),
    row("general", "dyntype gaintype biastype gainprm biasprm", Used, ""),
    row("general", "input", Kept, "a label of the control: fixed and affine gains take one input"),
    row("position", "kp kv dampratio timeconst inheritrange", Used, ""),
    row("velocity damper", "kv", Used, ""),
    row(ACTUATORS, "*", Unsupported, "belongs to an actuator that is not simulated yet"),
    row("sensor sensor/**", ".", Kept, NO_SENSORS),
    row("keyframe", ".", Used, ""),
    row("key", ". name qpos qvel ctrl", Used, ""),
    row("key", "time", Kept, "runs start at t = 0"),
    row("key", "act", Kept, STATE),
    row("key", "plastic", Kept, FLEXIBLE),
    row("key", "mpos mquat", Unsupported, "bodies moved by hand stand where they start"),
];

pub(super) const THROUGH_SITES: &str = "tendons through sites are not simulated yet";

const ACTUATORS: &str =
    "general motor position velocity damper intvelocity cylinder muscle adhesion dcmotor pid orientation";
