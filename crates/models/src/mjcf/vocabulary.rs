//! The words of MJCF (MuJoCo 3 and 4), and what becomes of those the reader leaves untouched.

use crate::audit::{AS_WITHOUT, Idle, Index, Row, Vocabulary, says_nothing};
use std::sync::LazyLock;
use stiction_world::Fate::{self, Kept, Softness, Unsupported, Used};

/// The vocabulary, ready to be asked.
pub(crate) static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(&VOCABULARY));

pub(crate) const VOCABULARY: Vocabulary =
    Vocabulary { rows: ROWS, places: super::places::PLACES, idle: IDLE };

pub(super) const WELDED: &str = "held where it starts: stiction moves no bodies by hand yet";
pub(super) const STILL: &str = "surfaces do not move along themselves yet";
pub(super) const DRY: &str = "nothing sticks yet";
pub(super) const STATE_OF_ITS_OWN: &str = "actuators with a state of their own are not simulated yet";
pub(super) const NO_ORIENTATION: &str = "servos of orientation are not simulated yet";
const RIGID: &str = "read by the law `mujoco`; under the exact law contacts, limits and loops are rigid";
const RIGID_BUT_BY_HAND: &str = "read by the law `mujoco`, and under every law where one of the two bodies is moved by hand (`mocap`); other loops \
     are rigid under the exact law";
const RIGID_ALWAYS: &str = "couplings and tendons are rigid here under every law";
const SOLVER: &str = "stiction has its own solvers and steppers; choose them at the simulation";
const PICTURE: &str = "changes the picture, not the motion";
const LABEL: &str = "a label";
const FLUID: &str = "the fluid's forces are not simulated yet";
const FLEXIBLE: &str = "flexible bodies are not simulated yet";
const PLUGIN: &str = "plugins are not run";
const OTHERS: &str = "for other programs";
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
    row(
        "lengthrange",
        ". accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit",
        Kept,
        "how MuJoCo works out ranges of muscles",
    ),
    row("option", ". timestep gravity", Used, ""),
    row("option", "density viscosity wind", Unsupported, FLUID),
    row("option", "magnetic", Kept, "for magnetometers, which are not read yet"),
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
    row(
        "flag",
        "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd nativeccd refsafe sleep \
         speculative warmstart",
        Kept,
        SOLVER,
    ),
    row("flag", "sensor", Used, ""),
    row(
        "size",
        ". memory nconmax njmax nkey nstack nuserdata nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt \
         nuser_sensor nuser_site nuser_tendon",
        Kept,
        "memory is taken as needed",
    ),
    row("statistic", ". center extent meaninertia meanmass meansize", Kept, PICTURE),
    row("visual", ".", Kept, PICTURE),
    row(
        "visual/global",
        ". azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight offwidth orthographic \
         realtime treedepth",
        Kept,
        PICTURE,
    ),
    row("visual/quality", ". numquads numslices numstacks offsamples shadowsize", Kept, PICTURE),
    row("visual/headlight", ". active ambient diffuse specular", Kept, PICTURE),
    row(
        "visual/map",
        ". actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot torque zfar znear",
        Kept,
        PICTURE,
    ),
    row(
        "visual/scale",
        ". actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth forcewidth framelength \
         framewidth frustum jointlength jointwidth light selectpoint slidercrank",
        Kept,
        PICTURE,
    ),
    row(
        "visual/rgba",
        ". actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint contactforce \
         contactfriction contactgap contactpoint contacttorque crankbroken fog force frustum haze inertia joint light \
         rangefinder selectpoint slidercrank",
        Kept,
        PICTURE,
    ),
    row("custom", ".", Kept, OTHERS),
    row("numeric", ". name data size", Kept, OTHERS),
    row("text", ". name data", Kept, OTHERS),
    row("tuple", ". name", Kept, OTHERS),
    row("tuple/element", ". objtype objname prm", Kept, OTHERS),
    row("extension extension/**", ". *", Unsupported, PLUGIN),
    row("plugin plugin/**", ". *", Unsupported, PLUGIN),
    row("default", ". class", Used, ""),
    row("worldbody", ".", Used, ""),
    row("body", ". name childclass pos quat axisangle xyaxes zaxis euler gravcomp", Used, ""),
    row("body", "mocap", Unsupported, WELDED),
    row("body", "sleep simple fuse", Kept, SOLVER),
    row("body", "user", Kept, LABEL),
    row("frame", ". childclass pos quat axisangle xyaxes zaxis euler", Used, ""),
    row("frame", "name", Kept, "a name for <attach frame>"),
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
    row("geom", "surfacevel", Unsupported, STILL),
    row("geom", "adhesion", Unsupported, DRY),
    row("geom", "solmix solref solimp", Softness, RIGID),
    row("geom", "castshadow", Kept, PICTURE),
    row("geom", "fluidshape fluidcoef", Kept, FLUID),
    row("geom", "user", Kept, LABEL),
    row("site", ". name class type size fromto pos quat axisangle xyaxes zaxis euler", Used, ""),
    row("site", "group material mesh rgba", Kept, PICTURE),
    row("site camera", "user", Kept, LABEL),
    row("camera", ". name class mode pos quat axisangle xyaxes zaxis euler fovy resolution", Used, ""),
    row("camera", "target", Kept, "of cameras that turn by themselves, which are not offered"),
    row(
        "camera",
        "focal focalpixel principal principalpixel sensorsize orthographic projection",
        Unsupported,
        "pictures are taken through an upright lens of <camera fovy>",
    ),
    row("camera", "ipd output group", Kept, PICTURE),
    row(
        "light",
        ". active ambient attenuation bulbradius castshadow class cutoff diffuse dir directional exponent intensity mode \
         name pos range softness specular target texture type",
        Kept,
        PICTURE,
    ),
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
    row("mesh", "maxhullvert", Unsupported, "hulls keep all their vertices"),
    row("material", ". name class rgba", Used, ""),
    row(
        "material",
        "emission metallic reflectance roughness shininess specular texrepeat texture texuniform",
        Kept,
        PICTURE,
    ),
    row(
        "texture",
        ". builtin class colorspace content_type embed file fileback filedown filefront fileleft fileright fileup gridlayout \
         gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 type vflip width",
        Kept,
        PICTURE,
    ),
    row("layer", ". role texture", Kept, PICTURE),
    row("skin", ". face file group inflate material name rgba texcoord vertex", Kept, PICTURE),
    row("bone", ". bindpos bindquat body vertid vertweight", Kept, PICTURE),
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
    row("spatial/site", ". site", Unsupported, THROUGH_SITES),
    row("spatial/geom", ". geom sidesite", Unsupported, THROUGH_SITES),
    row("spatial/pulley", ". divisor", Unsupported, THROUGH_SITES),
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
        RIGID_BUT_BY_HAND,
    ),
    row("equality/joint equality/tendon", "solref solimp", Unsupported, RIGID_ALWAYS),
    row("actuator", ".", Used, ""),
    row("intvelocity cylinder muscle dcmotor pid", ".", Unsupported, STATE_OF_ITS_OWN),
    row("adhesion", ".", Unsupported, DRY),
    row("orientation", ".", Unsupported, NO_ORIENTATION),
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
    row(ACTUATORS, "cranklength slidersite cranksite", Unsupported, "slider-cranks are not simulated yet"),
    row(ACTUATORS, "site refsite body", Unsupported, "acts on a site or body: not simulated yet"),
    row("general", "actlimited actrange actdim dynprm actearly", Kept, STATE),
    row("general", "dyntype gaintype biastype gainprm biasprm", Used, ""),
    row("general", "input", Kept, "a label of the control: fixed and affine gains take one input"),
    row("general", "ffrange velrange", Unsupported, STATE),
    row("general position", "inheritrange", Used, ""),
    row("position", "kp kv dampratio timeconst", Used, ""),
    row("velocity damper", "kv", Used, ""),
    row("intvelocity", "actlimited actrange dampratio inheritrange kp kv", Unsupported, OTHER_KIND),
    row("cylinder", "area bias diameter timeconst", Unsupported, OTHER_KIND),
    row(
        "muscle",
        "force fpmax fvmax lmax lmin range scale tausmooth timeconst vmax",
        Unsupported,
        OTHER_KIND,
    ),
    row("adhesion", "gain", Unsupported, OTHER_KIND),
    row(
        "dcmotor",
        "cogging controller inductance input lugre motorconst nominal resistance",
        Unsupported,
        OTHER_KIND,
    ),
    row("dcmotor", "saturation thermal", Unsupported, OTHER_KIND),
    row(
        "pid",
        "dampratio ffrange imax inheritrange input ki kp kv posrange slewmax velrange",
        Unsupported,
        OTHER_KIND,
    ),
    row("orientation", "dampratio input kp kv", Unsupported, OTHER_KIND),
    row("sensor", ".", Used, ""),
    row(READ, ". name cutoff", Used, "a sensor, read on request"),
    row(OF_SITES, "site", Used, ""),
    row(OF_JOINTS, "joint", Used, ""),
    row("sensor/actuatorpos sensor/actuatorvel sensor/actuatorfrc", "actuator", Used, ""),
    row("sensor/tendonpos sensor/tendonvel", "tendon", Used, ""),
    row("sensor/subtreecom sensor/subtreelinvel sensor/subtreeangmom", "body", Used, ""),
    row(OF_FRAMES, "objtype objname reftype refname", Used, ""),
    row("sensor/framelinacc sensor/frameangacc", "objtype objname", Used, ""),
    row("sensor/rangefinder", "camera data", Unsupported, "a range is measured along the z axis of a site"),
    row(NOT_READ, ".", Unsupported, "sensors of this kind are not read yet"),
    row(
        NOT_READ,
        "name cutoff site joint actuator tendon body geom camera mesh objtype objname reftype refname body1 body2 geom1 \
         geom2 subtree1 subtree2 data num reduce enclosed datatype dim needstage",
        Unsupported,
        "of a sensor that is not read yet",
    ),
    row(READ, "delay interval", Unsupported, "readings are those of the moment"),
    row(READ, "nsample interp", Kept, "matters with a delay alone"),
    row(READ, "noise", Kept, "a label: MuJoCo adds none either"),
    row(READ, "user", Kept, LABEL),
    row(
        NOT_READ,
        "delay interval nsample interp noise user",
        Unsupported,
        "of a sensor that is not read yet",
    ),
    row("keyframe", ".", Used, ""),
    row("key", ". name qpos qvel ctrl", Used, ""),
    row("key", "time", Kept, "runs start at t = 0; MuJoCo's names have it"),
    row("key", "act", Kept, STATE),
    row("key", "plastic", Kept, FLEXIBLE),
    row("key", "mpos mquat", Unsupported, "bodies moved by hand stand where they start"),
];

pub(super) const THROUGH_SITES: &str = "tendons through sites are not simulated yet";

/// Sensors that the crate of sensors reads.
const READ: &str = "sensor/touch sensor/accelerometer sensor/velocimeter sensor/gyro sensor/force sensor/torque \
    sensor/rangefinder sensor/jointpos sensor/jointvel sensor/ballquat sensor/ballangvel sensor/jointactuatorfrc \
    sensor/actuatorpos sensor/actuatorvel sensor/actuatorfrc sensor/tendonpos sensor/tendonvel sensor/framepos \
    sensor/framequat sensor/framexaxis sensor/frameyaxis sensor/framezaxis sensor/framelinvel sensor/frameangvel \
    sensor/framelinacc sensor/frameangacc sensor/subtreecom sensor/subtreelinvel sensor/subtreeangmom sensor/clock \
    sensor/e_potential sensor/e_kinetic";
const OF_SITES: &str = "sensor/touch sensor/accelerometer sensor/velocimeter sensor/gyro sensor/force sensor/torque \
    sensor/rangefinder";
const OF_JOINTS: &str =
    "sensor/jointpos sensor/jointvel sensor/ballquat sensor/ballangvel sensor/jointactuatorfrc";
const OF_FRAMES: &str = "sensor/framepos sensor/framequat sensor/framexaxis sensor/frameyaxis sensor/framezaxis \
    sensor/framelinvel sensor/frameangvel";
const NOT_READ: &str = "sensor/magnetometer sensor/camprojection sensor/tendonactuatorfrc sensor/jointlimitpos \
    sensor/jointlimitvel sensor/jointlimitfrc sensor/tendonlimitpos sensor/tendonlimitvel sensor/tendonlimitfrc \
    sensor/insidesite sensor/distance sensor/normal sensor/fromto sensor/contact sensor/tactile sensor/user";
const OTHER_KIND: &str = "belongs to an actuator that is not simulated yet";

/// Reasons for which a word that the reader takes elsewhere has no effect.
const IDLE: &[Idle] = &[
    Idle {
        elements: "*",
        attributes: "*",
        when: |e, _| e.parent_name() == "default",
        note: "nothing takes it from its class",
    },
    Idle {
        elements: "mesh hfield material",
        attributes: "*",
        when: |_, _| true,
        note: "nothing that touches, weighs or is drawn takes it",
    },
    Idle { elements: "geom pair joint option", attributes: "*", when: says_nothing, note: AS_WITHOUT },
];

const ACTUATORS: &str =
    "general motor position velocity damper intvelocity cylinder muscle adhesion dcmotor pid orientation";
