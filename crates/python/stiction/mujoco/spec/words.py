"""Fields of MuJoCo's elements: what each holds, its default, and its attribute in MJCF, in the order in which MuJoCo writes them.

A line is ``name kind default @attribute``; without an attribute it is called as the field, and ``@-`` has none of its own. Kinds:
``s`` text, ``f`` number, ``g`` number of single precision, ``i`` whole number, ``b`` truth, ``e`` a number of an enumeration, which follows
with its words; ``f3``, ``g4``, ``i2``: arrays of so many; ``v``: a list that may grow, of ``f``, ``g``, ``i``, ``s`` or of lists
(``vl``); ``z3``: a size, of which some may be left out; ``p3``: a coefficient and those of a polynomial; ``h3``: numbers, or one for all; ``o`` an orientation, ``u`` a
plugin, ``y`` bytes, ``c`` a fixed number of letters. A test holds the table to MuJoCo's where it is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_SOFT = "0.9 0.95 0.001 0.5 2"

_TABLES = {
    "body": """
        childclass s
        pos f3
        quat f4 1 0 0 0
        alt o @-
        mocap b 0
        gravcomp f 0
        sleep e mjtSleepPolicy 0
        userdata vf @user
        mass f 0 @-
        ipos f3 nan 0 0 @-
        iquat f4 1 0 0 0 @-
        inertia f3 @-
        ialt o @-
        fullinertia f6 nan 0 0 0 0 0 @-
        simple i 1 @-
        fuse i 1 @-
        explicitinertial b 0 @-
        plugin u @-
        info s @-
    """,
    "frame": """
        childclass s
        pos f3
        quat f4 1 0 0 0
        alt o @-
        scale h3 1 1 1
        scaling e mjtScaling 0
        massscale f 0
        info s @-
    """,
    "joint": f"""
        type e mjtJoint 3
        group i 0
        align e mjtAlignFree 2
        solref_limit f2 0.02 1 @solreflimit
        solimp_limit f5 {_SOFT} @solimplimit
        solref_friction f2 0.02 1 @solreffriction
        solimp_friction f5 {_SOFT} @solimpfriction
        stiffness p3
        springdamper f2
        range f2
        actfrcrange f2 @actuatorfrcrange
        actgravcomp b 0 @actuatorgravcomp
        margin f 0
        ref f 0
        springref f 0
        springyield f 0
        armature f 0
        damping p3
        frictionloss f 0
        pos f3
        axis f3 0 0 1
        limited e mjtLimited 2
        actfrclimited e mjtLimited 2 @actuatorfrclimited
        userdata vf @user
        info s @-
    """,
    "geom": f"""
        size z3
        fromto f6 nan 0 0 0 0 0
        pos f3
        quat f4 1 0 0 0
        alt o @-
        type e mjtGeom 2
        contype i 1
        conaffinity i 1
        condim i 3
        group i 0
        priority i 0
        friction f3 1 0.005 0.0001
        solmix f 1
        solref f2 0.02 1
        solimp f5 {_SOFT}
        margin f 0
        gap f 0
        surfacevel f6
        adhesion f 0
        rgba g4 0.5 0.5 0.5 1
        castshadow b 1
        fluid_coefs f5 0.5 0.25 1.5 1 1 @fluidcoef
        fluid_ellipsoid f 0 @-
        typeinertia e mjtGeomInertia 0 @-
        mass f nan
        density f 1000
        material s
        hfieldname s @hfield
        meshname s @mesh
        fitscale f 1
        userdata vf @user
        plugin u @-
        info s @-
    """,
    "site": """
        size z3 0.005 0.005 0.005
        fromto f6 nan 0 0 0 0 0
        pos f3
        quat f4 1 0 0 0
        alt o @-
        type e mjtGeom 2
        group i 0
        rgba g4 0.5 0.5 0.5 1
        material s
        meshname s @mesh
        userdata vf @user
        info s @-
    """,
    "camera": """
        targetbody s @target
        quat f4 1 0 0 0
        alt o @-
        proj e mjtProjection 0 @projection
        ipd f 0.068
        resolution i2 1 1
        sensor_size g2 @sensorsize
        focal_length g2 @focal
        focal_pixel g2 @focalpixel
        principal_length g2 @principal
        principal_pixel g2 @principalpixel
        intrinsic g4 @-
        output i 1 @-
        pos f3
        mode e mjtCamLight 0
        fovy f 45
        userdata vf @user
        info s @-
    """,
    "light": """
        targetbody s @target
        texture s
        castshadow b 1
        active b 1
        pos f3
        dir f3 0 0 -1
        bulbradius g 0.02
        intensity g 0
        range g 10
        attenuation g3 1 0 0
        cutoff g 45
        softness g 0.2
        exponent g 10
        ambient g3
        diffuse g3 0.7 0.7 0.7
        specular g3 0.3 0.3 0.3
        mode e mjtCamLight 0
        type e mjtLightType 0
        info s @-
    """,
    "mesh": """
        content_type s
        file s
        uservert vg @vertex
        usernormal vg @normal
        usertexcoord vg @texcoord
        userface vi @face
        userfacenormal vi @-
        userfacetexcoord vi @-
        usernode vf @-
        usertet vi @-
        refpos f3
        refquat f4 1 0 0 0
        scale f3 1 1 1
        smoothnormal b 0
        inertia e mjtMeshInertia 2
        maxhullvert i -1
        octree_maxdepth i 6
        needsdf b 0 @-
        material s
        plugin u @-
        info s @-
    """,
    "hfield": """
        content_type s
        file s
        size f4
        nrow i 0
        ncol i 0
        userdata vg @elevation
        info s @-
    """,
    "skin": """
        file s
        material s
        rgba g4 0.5 0.5 0.5 1
        inflate g 0
        group i 0
        vert vg @vertex
        texcoord vg
        face vi
        bodyname vs @-
        bindpos vg @-
        bindquat vg @-
        vertid vl @-
        vertweight vl @-
        info s @-
    """,
    "texture": """
        type e mjtTexture 1
        colorspace e mjtColorSpace 0
        embed e mjtEmbed 2
        content_type s
        file s
        gridsize i2 1 1
        gridlayout c ............
        cubefiles vs @-
        builtin e mjtBuiltin 0
        mark e mjtMark 0
        rgb1 f3 0.8 0.8 0.8
        rgb2 f3 0.5 0.5 0.5
        markrgb f3
        random f 0.01
        width i 0
        height i 0
        nchannel i 3
        hflip b 0
        vflip b 0
        data y @-
        info s @-
    """,
    "material": """
        textures vs @-
        texrepeat g2 1 1
        texuniform b 0
        emission g 0
        specular g 0.5
        shininess g 0.5
        reflectance g 0
        metallic g -1
        roughness g -1
        rgba g4 1 1 1 1
        info s @-
    """,
    "pair": f"""
        geomname1 s @geom1
        geomname2 s @geom2
        condim i 3
        friction f5 1 1 0.005 0.0001 0.0001
        solref f2 0.02 1
        solreffriction f2
        solimp f5 {_SOFT}
        gap f 0
        margin f 0
        adhesion f 0
        info s @-
    """,
    "exclude": """
        bodyname1 s @body1
        bodyname2 s @body2
        info s @-
    """,
    "equality": f"""
        type e mjtEq 0 @-
        objtype e mjtObj 0 @-
        name1 s @-
        name2 s @-
        data f12 0 1 0 0 0 0 0 0 0 0 1 0 @-
        active b 1
        solref f2 0.02 1
        solimp f5 {_SOFT}
        info s @-
    """,
    "tendon": f"""
        group i 0
        limited e mjtLimited 2
        actfrclimited e mjtLimited 2 @actuatorfrclimited
        range f2
        actfrcrange f2 @actuatorfrcrange
        solref_limit f2 0.02 1 @solreflimit
        solimp_limit f5 {_SOFT} @solimplimit
        solref_friction f2 0.02 1 @solreffriction
        solimp_friction f5 {_SOFT} @solimpfriction
        frictionloss f 0
        margin f 0
        stiffness p3
        springyield f 0
        damping p3
        armature f 0
        springlength f2 -1 -1
        material s
        width f 0.003
        rgba g4 0.5 0.5 0.5 1
        userdata vf @user
        info s @-
    """,
    "actuator": """
        type e mjtActuator 0 @-
        trntype e mjtTrn 1000 @-
        target s @-
        refsite s
        slidersite s
        group i 0
        ctrlrange f2
        ctrllimited e mjtLimited 2
        forcelimited e mjtLimited 2
        actlimited e mjtLimited 2
        forcerange f2
        actrange f2
        lengthrange f2
        gear f6 1 0 0 0 0 0
        cranklength f 0
        damping p3
        armature f 0
        actdim i -1
        dyntype e mjtDyn 0
        dynprm f10 1 0 0 0 0 0 0 0 0 0
        ctrlspec i 0 @-
        velrange f2
        ffrange f2
        gaintype e mjtGain 0
        biastype e mjtBias 0
        gainprm f10 1 0 0 0 0 0 0 0 0 0
        biasprm f10
        inheritrange f 0
        actearly b 0
        nsample i 0
        interp i 0 @-
        delay f 0
        userdata vf @user
        plugin u @-
        info s @-
    """,
    "sensor": """
        type e mjtSensor 0 @-
        objtype e mjtObj 0 @-
        objname s @-
        reftype e mjtObj 0 @-
        refname s @-
        intprm i3 @-
        datatype e mjtDataType 0 @-
        needstage e mjtStage 3 @-
        dim i 0 @-
        cutoff f 0
        noise f 0
        nsample i 0
        interp i 0 @-
        delay f 0
        interval f2
        userdata vf @user
        plugin u @-
        info s @-
    """,
    "numeric": """
        size i 0
        data vf
        info s @-
    """,
    "text": """
        data s
        info s @-
    """,
    "tuple": """
        objtype vi @-
        objname vs @-
        objprm vf @-
        info s @-
    """,
    "key": """
        time f 0
        qpos vf
        qvel vf
        act vf
        mpos vf
        mquat vf
        ctrl vf
        plastic vf
        info s @-
    """,
    "plugin": """
        plugin_name s @-
        active b 0 @-
        info s @-
    """,
    "flex": f"""
        contype i 1
        conaffinity i 1
        condim i 3
        priority i 0
        friction f3 1 0.005 0.0001
        solmix f 1
        solref f2 0.02 1
        solimp f5 {_SOFT}
        margin f 0
        gap f 0
        dim i 2
        radius f 0.005
        size f3
        flatskin b 0
        selfcollide e mjtFlexSelf 4
        passive i 0
        activelayers i 1
        group i 0
        edgestiffness f 0
        edgedamping f 0
        rgba g4 0.5 0.5 0.5 1
        material vs
        young f 0
        poisson f 0
        shear f 0
        damping f 0
        thickness f -1
        stressyield f2
        elastic2d i 0
        elastic3d i 0
        section e mjtFlexSection 0
        sectionsize f2
        cellcount i3 1 1 1
        order i 0
        nodebody vs
        vertbody vs
        node vf
        vert vf
        elem vi
        texcoord vg
        elemtexcoord vi
        info s @-
    """,
    "orientation": """
        type e mjtOrientation 0
        axisangle f4
        xyaxes f6
        zaxis f3
        euler f3
    """,
    "compiler": """
        autolimits b 1
        boundmass f 0
        boundinertia f 0
        settotalmass f -1
        balanceinertia b 0
        fitaabb b 0
        degree b 1 @-
        eulerseq c xyz
        meshdir s
        texturedir s
        discardvisual b 0
        usethread b 1
        fusestatic b 0
        inertiafromgeom e mjtInertiaFromGeom 2
        inertiagrouprange i2 0 5
        saveinertial b 0 @-
        savecompiled b 1 @-
        savecanonical b 1 @-
        alignfree b 0
        conflict e mjtConflict 0
        passthrough e mjtPassthrough 0
        authored i 0 @-
    """,
}

#: Words of enumerations that are not those of their names, in MJCF.
_OTHER_WORDS = {
    "mjtTrn": "joint jointinparent cranksite tendon site body site", "mjtLimited": "false true auto", "mjtAlignFree": "false true auto",
    "mjtEmbed": "false true auto", "mjtInertiaFromGeom": "false true auto", "mjtColorSpace": "auto linear sRGB",
    "mjtGeomInertia": "false true",
}
#: How the names of members of an enumeration begin.
_BEGIN = {
    "mjtJoint": "mjJNT_", "mjtProjection": "mjPROJ_", "mjtSensor": "mjSENS_", "mjtObj": "mjOBJ_", "mjtSleepPolicy": "mjSLEEP_",
    "mjtMeshInertia": "mjMESH_INERTIA_", "mjtLightType": "mjLIGHT_", "mjtTextureRole": "mjTEXROLE_",
}

#: Fields that name another element, and the kind of that; a colon stands before the field that says it.
REFERENCES: dict[str, dict[str, str]] = {
    "body": {"childclass": "default"}, "frame": {"childclass": "default"}, "geom": {"material": "material", "hfieldname": "hfield", "meshname": "mesh"},
    "site": {"material": "material", "meshname": "mesh"}, "camera": {"targetbody": "body"}, "light": {"targetbody": "body", "texture": "texture"},
    "mesh": {"material": "material"}, "skin": {"material": "material"}, "material": {"textures": "texture"},
    "pair": {"geomname1": "geom", "geomname2": "geom"}, "exclude": {"bodyname1": "body", "bodyname2": "body"},
    "equality": {"name1": ":objtype", "name2": ":objtype"}, "tendon": {"material": "material"},
    "actuator": {"target": ":trntype", "refsite": "site", "slidersite": "site"},
    "sensor": {"objname": ":objtype", "refname": ":reftype"}, "tuple": {"objname": ":objtype"},
}

#: Kinds that stand in bodies, in the order in which they are written, and those that stand in the spec.
OF_BODIES = ("joint", "geom", "site", "camera", "light")
OF_SPECS = (
    "texture", "material", "mesh", "skin", "hfield", "pair", "exclude", "tendon", "equality", "actuator", "sensor", "numeric", "text",
    "tuple", "key", "flex", "plugin",
)
#: Kinds with defaults.
WITH_DEFAULTS = (
    "joint", "geom", "site", "camera", "light", "flex", "mesh", "texture", "material", "pair", "equality", "tendon", "actuator",
)
#: Plurals that are not made by an s.
_PLURALS = {
    "body": "bodies", "mesh": "meshes", "equality": "equalities", "flex": "flexes",
}


def plural(kind: str) -> str:
    """The name of the list of a kind."""
    return _PLURALS.get(kind, kind + "s")


def class_name(kind: str) -> str:
    """The name of MuJoCo's class of a kind."""
    return "Mjs" + {"hfield": "HField"}.get(kind, kind.capitalize())


@dataclass(frozen=True)
class Field:
    """A field of a kind of element."""

    name: str
    kind: str
    default: Any
    #: Its attribute in MJCF; empty where it has none of its own.
    attribute: str
    enumeration: str = ""

    @property
    def count(self) -> int:
        """How many numbers it has; 0 if it is not an array."""
        return int(self.kind[1:]) if self.kind[1:].isdigit() else 0


def _field(line: str) -> Field:
    text, _, attribute = line.partition("@")
    name, kind, *rest = text.split()
    enumeration = rest.pop(0) if kind == "e" else ""
    attribute = {"": name, "-": ""}.get(attribute.strip(), attribute.strip())
    default: Any
    if kind[1:].isdigit():
        dtype = {"g": np.float32, "i": np.int32}.get(kind[0], np.float64)
        numbers = [float(x) for x in rest] or [0.0] * int(kind[1:])
        default = np.array(numbers, dtype)
    elif kind in ("f", "g"):
        default = float(np.float32(rest[0])) if kind == "g" else float(rest[0])
    elif kind in ("i", "b", "e"):
        default = bool(int(rest[0])) if kind == "b" else int(rest[0])
    else:
        default = {"s": "", "y": b"", "c": rest[0] if rest else ""}.get(kind)
    return Field(name, kind, default, attribute, enumeration)


#: Fields of every kind by their names, in the order of the table.
FIELDS: dict[str, dict[str, Field]] = {
    kind: {field.name: field for field in map(_field, text.strip().splitlines())} for kind, text in _TABLES.items()
}


def _words_of(enumeration: str) -> dict[int, str]:
    from .. import _enums

    members = getattr(_enums, enumeration).__members__
    if enumeration in _OTHER_WORDS:
        return dict(enumerate(_OTHER_WORDS[enumeration].split()))
    begin = _BEGIN.get(enumeration, "mj" + enumeration[3:].upper() + "_")
    return {int(number): name.removeprefix(begin).lower() for name, number in members.items()}


_known: dict[str, dict[int, str]] = {}


def words(enumeration: str) -> dict[int, str]:
    """The words of MJCF for the numbers of an enumeration."""
    if enumeration not in _known:
        _known[enumeration] = _words_of(enumeration)
    return _known[enumeration]


def number_of(enumeration: str, word: str) -> int | None:
    """The number of a word; None where there is none."""
    return next((n for n, w in words(enumeration).items() if w == word), None)
