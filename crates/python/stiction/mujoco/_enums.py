"""The enumerations of MuJoCo, by the names and the numbers of version 4, so that scripts can say what they mean.

A name here does not say that its meaning is offered; a test holds the numbers to MuJoCo's where it is installed.
"""

from __future__ import annotations

from enum import IntEnum


def _enumeration(name: str, members: str) -> type[IntEnum]:
    """An enumeration of words, counted from 0; ``WORD=n`` goes on from n."""
    values: dict[str, int] = {}
    at = 0
    for word in members.split():
        key, _, given = word.partition("=")
        at = int(given) if given else at
        values[key] = at
        at += 1
    return IntEnum(name, values)  # type: ignore[return-value]


mjtObj = _enumeration(
    "mjtObj",
    """
    mjOBJ_UNKNOWN mjOBJ_BODY mjOBJ_XBODY mjOBJ_JOINT mjOBJ_DOF mjOBJ_GEOM mjOBJ_SITE mjOBJ_CAMERA mjOBJ_LIGHT
    mjOBJ_FLEX mjOBJ_MESH mjOBJ_SKIN mjOBJ_HFIELD mjOBJ_TEXTURE mjOBJ_MATERIAL mjOBJ_PAIR mjOBJ_EXCLUDE
    mjOBJ_EQUALITY mjOBJ_TENDON mjOBJ_ACTUATOR mjOBJ_SENSOR mjOBJ_NUMERIC mjOBJ_TEXT mjOBJ_TUPLE mjOBJ_KEY
    mjOBJ_PLUGIN mjNOBJECT mjOBJ_FRAME=100 mjOBJ_DEFAULT mjOBJ_MODEL
    """,
)
mjtJoint = _enumeration("mjtJoint", "mjJNT_FREE mjJNT_BALL mjJNT_SLIDE mjJNT_HINGE")
mjtGeom = _enumeration(
    "mjtGeom",
    """
    mjGEOM_PLANE mjGEOM_HFIELD mjGEOM_SPHERE mjGEOM_CAPSULE mjGEOM_ELLIPSOID mjGEOM_CYLINDER mjGEOM_BOX
    mjGEOM_MESH mjGEOM_SDF mjNGEOMTYPES mjGEOM_ARROW=100 mjGEOM_ARROW1 mjGEOM_ARROW2 mjGEOM_LINE mjGEOM_LINEBOX
    mjGEOM_FLEX mjGEOM_SKIN mjGEOM_LABEL mjGEOM_TRIANGLE mjGEOM_NONE=1001
    """,
)
mjtSensor = _enumeration(
    "mjtSensor",
    """
    mjSENS_TOUCH mjSENS_ACCELEROMETER mjSENS_VELOCIMETER mjSENS_GYRO mjSENS_FORCE mjSENS_TORQUE
    mjSENS_MAGNETOMETER mjSENS_RANGEFINDER mjSENS_CAMPROJECTION mjSENS_JOINTPOS mjSENS_JOINTVEL mjSENS_TENDONPOS
    mjSENS_TENDONVEL mjSENS_ACTUATORPOS mjSENS_ACTUATORVEL mjSENS_ACTUATORFRC mjSENS_JOINTACTFRC
    mjSENS_TENDONACTFRC mjSENS_BALLQUAT mjSENS_BALLANGVEL mjSENS_JOINTLIMITPOS mjSENS_JOINTLIMITVEL
    mjSENS_JOINTLIMITFRC mjSENS_TENDONLIMITPOS mjSENS_TENDONLIMITVEL mjSENS_TENDONLIMITFRC mjSENS_FRAMEPOS
    mjSENS_FRAMEQUAT mjSENS_FRAMEXAXIS mjSENS_FRAMEYAXIS mjSENS_FRAMEZAXIS mjSENS_FRAMELINVEL mjSENS_FRAMEANGVEL
    mjSENS_FRAMELINACC mjSENS_FRAMEANGACC mjSENS_SUBTREECOM mjSENS_SUBTREELINVEL mjSENS_SUBTREEANGMOM
    mjSENS_INSIDESITE mjSENS_GEOMDIST mjSENS_GEOMNORMAL mjSENS_GEOMFROMTO mjSENS_CONTACT mjSENS_E_POTENTIAL
    mjSENS_E_KINETIC mjSENS_CLOCK mjSENS_TACTILE mjSENS_PLUGIN mjSENS_USER
    """,
)
mjtState = _enumeration(
    "mjtState",
    """
    mjSTATE_TIME=1 mjSTATE_QPOS mjSTATE_QVEL=4 mjSTATE_ACT=8 mjSTATE_HISTORY=16 mjSTATE_WARMSTART=32
    mjSTATE_CTRL=64 mjSTATE_QFRC_APPLIED=128 mjSTATE_XFRC_APPLIED=256 mjSTATE_EQ_ACTIVE=512
    mjSTATE_MOCAP_POS=1024 mjSTATE_MOCAP_QUAT=2048 mjSTATE_USERDATA=4096 mjSTATE_PLUGIN=8192
    mjSTATE_PLASTIC=16384 mjNSTATE=15 mjSTATE_PHYSICS=16414 mjSTATE_FULLPHYSICS=24607 mjSTATE_USER=8128
    mjSTATE_INTEGRATION=32767
    """,
)
mjtDisableBit = _enumeration(
    "mjtDisableBit",
    """
    mjDSBL_CONSTRAINT=1 mjDSBL_EQUALITY mjDSBL_FRICTIONLOSS=4 mjDSBL_LIMIT=8 mjDSBL_CONTACT=16 mjDSBL_SPRING=32
    mjDSBL_DAMPER=64 mjDSBL_GRAVITY=128 mjDSBL_CLAMPCTRL=256 mjDSBL_WARMSTART=512 mjDSBL_FILTERPARENT=1024
    mjDSBL_ACTUATION=2048 mjDSBL_REFSAFE=4096 mjDSBL_SENSOR=8192 mjDSBL_MIDPHASE=16384 mjDSBL_EULERDAMP=32768
    mjDSBL_AUTORESET=65536 mjDSBL_NATIVECCD=131072 mjDSBL_ISLAND=262144 mjDSBL_MULTICCD=524288 mjNDISABLE=20
    """,
)
mjtEnableBit = _enumeration(
    "mjtEnableBit",
    """
    mjENBL_OVERRIDE=1 mjENBL_ENERGY mjENBL_FWDINV=4 mjENBL_INVDISCRETE=8 mjENBL_SLEEP=16 mjENBL_DIAGEXACT=32
    mjENBL_IPC=64 mjENBL_SPECULATIVE=128 mjNENABLE=8
    """,
)
mjtIntegrator = _enumeration("mjtIntegrator", "mjINT_EULER mjINT_RK4 mjINT_IMPLICIT mjINT_IMPLICITFAST mjINT_DISCRETE")
mjtCone = _enumeration("mjtCone", "mjCONE_PYRAMIDAL mjCONE_ELLIPTIC")
mjtSolver = _enumeration("mjtSolver", "mjSOL_PGS mjSOL_CG mjSOL_NEWTON")
mjtJacobian = _enumeration("mjtJacobian", "mjJAC_DENSE mjJAC_SPARSE mjJAC_AUTO")
mjtCamera = _enumeration("mjtCamera", "mjCAMERA_FREE mjCAMERA_TRACKING mjCAMERA_FIXED mjCAMERA_USER")
mjtCamLight = _enumeration(
    "mjtCamLight",
    """
    mjCAMLIGHT_FIXED mjCAMLIGHT_TRACK mjCAMLIGHT_TRACKCOM mjCAMLIGHT_TARGETBODY mjCAMLIGHT_TARGETBODYCOM
    """,
)
mjtVisFlag = _enumeration(
    "mjtVisFlag",
    """
    mjVIS_CONVEXHULL mjVIS_TEXTURE mjVIS_JOINT mjVIS_CAMERA mjVIS_ACTUATOR mjVIS_ACTIVATION mjVIS_LIGHT
    mjVIS_TENDON mjVIS_RANGEFINDER mjVIS_CONSTRAINT mjVIS_INERTIA mjVIS_SCLINERTIA mjVIS_PERTFORCE mjVIS_PERTOBJ
    mjVIS_CONTACTPOINT mjVIS_ISLAND mjVIS_CONTACTFORCE mjVIS_CONTACTSPLIT mjVIS_TRANSPARENT mjVIS_AUTOCONNECT
    mjVIS_COM mjVIS_SELECT mjVIS_STATIC mjVIS_SKIN mjVIS_FLEXVERT mjVIS_FLEXEDGE mjVIS_FLEXFACE mjVIS_FLEXSKIN
    mjVIS_BODYBVH mjVIS_MESHBVH mjVIS_SDFITER mjNVISFLAG
    """,
)
mjtRndFlag = _enumeration(
    "mjtRndFlag",
    """
    mjRND_SHADOW mjRND_WIREFRAME mjRND_REFLECTION mjRND_ADDITIVE mjRND_SKYBOX mjRND_FOG mjRND_HAZE mjRND_DEPTH
    mjRND_SEGMENT mjRND_IDCOLOR mjRND_CULL_FACE mjRND_POST_PROCESSING mjNRNDFLAG
    """,
)
mjtTrn = _enumeration(
    "mjtTrn",
    """
    mjTRN_JOINT mjTRN_JOINTINPARENT mjTRN_SLIDERCRANK mjTRN_TENDON mjTRN_SITE mjTRN_BODY mjTRN_SO3
    mjTRN_UNDEFINED=1000
    """,
)
mjtDyn = _enumeration(
    "mjtDyn",
    """
    mjDYN_NONE mjDYN_INTEGRATOR mjDYN_FILTER mjDYN_FILTEREXACT mjDYN_MUSCLE mjDYN_DCMOTOR mjDYN_PID mjDYN_USER
    """,
)
mjtGain = _enumeration(
    "mjtGain",
    """
    mjGAIN_FIXED mjGAIN_AFFINE mjGAIN_MUSCLE mjGAIN_DCMOTOR mjGAIN_SO3 mjGAIN_PID mjGAIN_USER
    """,
)
mjtBias = _enumeration("mjtBias", "mjBIAS_NONE mjBIAS_AFFINE mjBIAS_MUSCLE mjBIAS_DCMOTOR mjBIAS_SO3 mjBIAS_USER")
mjtEq = _enumeration(
    "mjtEq",
    """
    mjEQ_CONNECT mjEQ_WELD mjEQ_JOINT mjEQ_TENDON mjEQ_FLEX mjEQ_FLEXVERT mjEQ_FLEXSTRAIN mjEQ_DISTANCE
    """,
)
mjtWrap = _enumeration("mjtWrap", "mjWRAP_NONE mjWRAP_JOINT mjWRAP_PULLEY mjWRAP_SITE mjWRAP_SPHERE mjWRAP_CYLINDER")
mjtFrame = _enumeration(
    "mjtFrame",
    """
    mjFRAME_NONE mjFRAME_BODY mjFRAME_GEOM mjFRAME_SITE mjFRAME_CAMERA mjFRAME_LIGHT mjFRAME_CONTACT
    mjFRAME_WORLD mjNFRAME
    """,
)
mjtLabel = _enumeration(
    "mjtLabel",
    """
    mjLABEL_NONE mjLABEL_BODY mjLABEL_JOINT mjLABEL_GEOM mjLABEL_SITE mjLABEL_CAMERA mjLABEL_LIGHT
    mjLABEL_TENDON mjLABEL_ACTUATOR mjLABEL_CONSTRAINT mjLABEL_FLEX mjLABEL_SKIN mjLABEL_SELECTION
    mjLABEL_SELPNT mjLABEL_CONTACTPOINT mjLABEL_CONTACTFORCE mjLABEL_ISLAND mjNLABEL
    """,
)
mjtMouse = _enumeration(
    "mjtMouse",
    """
    mjMOUSE_NONE mjMOUSE_ROTATE_V mjMOUSE_ROTATE_H mjMOUSE_MOVE_V mjMOUSE_MOVE_H mjMOUSE_ZOOM mjMOUSE_MOVE_V_REL
    mjMOUSE_MOVE_H_REL mjMOUSE_TURN_V mjMOUSE_TURN_H
    """,
)
mjtCatBit = _enumeration("mjtCatBit", "mjCAT_STATIC=1 mjCAT_DYNAMIC mjCAT_DECOR=4 mjCAT_ALL=7")
mjtFramebuffer = _enumeration("mjtFramebuffer", "mjFB_WINDOW mjFB_OFFSCREEN")
mjtFontScale = _enumeration(
    "mjtFontScale",
    """
    mjFONTSCALE_50=50 mjFONTSCALE_100=100 mjFONTSCALE_150=150 mjFONTSCALE_200=200 mjFONTSCALE_250=250
    mjFONTSCALE_300=300
    """,
)
mjtGridPos = _enumeration(
    "mjtGridPos",
    """
    mjGRID_TOPLEFT mjGRID_TOPRIGHT mjGRID_BOTTOMLEFT mjGRID_BOTTOMRIGHT mjGRID_TOP mjGRID_BOTTOM mjGRID_LEFT
    mjGRID_RIGHT
    """,
)
mjtFont = _enumeration("mjtFont", "mjFONT_NORMAL mjFONT_SHADOW mjFONT_BIG")
mjtStereo = _enumeration("mjtStereo", "mjSTEREO_NONE mjSTEREO_QUADBUFFERED mjSTEREO_SIDEBYSIDE")
mjtPertBit = _enumeration("mjtPertBit", "mjPERT_TRANSLATE=1 mjPERT_ROTATE")
mjtWarning = _enumeration(
    "mjtWarning",
    """
    mjWARN_INERTIA mjWARN_CONTACTFULL mjWARN_CNSTRFULL mjWARN_BADQPOS mjWARN_BADQVEL mjWARN_BADQACC
    mjWARN_BADCTRL mjNWARNING
    """,
)
mjtTimer = _enumeration(
    "mjtTimer",
    """
    mjTIMER_STEP mjTIMER_FORWARD mjTIMER_INVERSE mjTIMER_POSITION mjTIMER_VELOCITY mjTIMER_ACTUATION
    mjTIMER_CONSTRAINT mjTIMER_ADVANCE mjTIMER_POS_KINEMATICS mjTIMER_POS_INERTIA mjTIMER_POS_COLLISION
    mjTIMER_POS_MAKE mjTIMER_POS_PROJECT mjTIMER_COL_BROAD mjTIMER_COL_NARROW mjNTIMER
    """,
)
mjtConstraint = _enumeration(
    "mjtConstraint",
    """
    mjCNSTR_EQUALITY mjCNSTR_FRICTION_DOF mjCNSTR_FRICTION_TENDON mjCNSTR_LIMIT_JOINT mjCNSTR_LIMIT_TENDON
    mjCNSTR_CONTACT_FRICTIONLESS mjCNSTR_CONTACT_PYRAMIDAL mjCNSTR_CONTACT_ELLIPTIC
    """,
)
mjtConstraintState = _enumeration(
    "mjtConstraintState",
    """
    mjCNSTRSTATE_SATISFIED mjCNSTRSTATE_QUADRATIC mjCNSTRSTATE_LINEARNEG mjCNSTRSTATE_LINEARPOS
    mjCNSTRSTATE_CONE
    """,
)
mjtLimited = _enumeration("mjtLimited", "mjLIMITED_FALSE mjLIMITED_TRUE mjLIMITED_AUTO")
mjtInertiaFromGeom = _enumeration(
    "mjtInertiaFromGeom",
    """
    mjINERTIAFROMGEOM_FALSE mjINERTIAFROMGEOM_TRUE mjINERTIAFROMGEOM_AUTO
    """,
)
mjtTexture = _enumeration("mjtTexture", "mjTEXTURE_2D mjTEXTURE_CUBE mjTEXTURE_SKYBOX")
mjtTextureRole = _enumeration(
    "mjtTextureRole",
    """
    mjTEXROLE_USER mjTEXROLE_RGB mjTEXROLE_OCCLUSION mjTEXROLE_ROUGHNESS mjTEXROLE_METALLIC mjTEXROLE_NORMAL
    mjTEXROLE_OPACITY mjTEXROLE_EMISSIVE mjTEXROLE_RGBA mjTEXROLE_ORM mjNTEXROLE
    """,
)
mjtLightType = _enumeration("mjtLightType", "mjLIGHT_SPOT mjLIGHT_DIRECTIONAL mjLIGHT_POINT mjLIGHT_IMAGE")
mjtButton = _enumeration("mjtButton", "mjBUTTON_NONE mjBUTTON_LEFT mjBUTTON_RIGHT mjBUTTON_MIDDLE")
mjtEvent = _enumeration(
    "mjtEvent",
    """
    mjEVENT_NONE mjEVENT_MOVE mjEVENT_PRESS mjEVENT_RELEASE mjEVENT_SCROLL mjEVENT_KEY mjEVENT_RESIZE
    mjEVENT_REDRAW mjEVENT_FILESDROP
    """,
)
mjtDataType = _enumeration("mjtDataType", "mjDATATYPE_REAL mjDATATYPE_POSITIVE mjDATATYPE_AXIS mjDATATYPE_QUATERNION")
mjtStage = _enumeration("mjtStage", "mjSTAGE_NONE mjSTAGE_POS mjSTAGE_VEL mjSTAGE_ACC")
mjtOrientation = _enumeration(
    "mjtOrientation",
    """
    mjORIENTATION_QUAT mjORIENTATION_AXISANGLE mjORIENTATION_XYAXES mjORIENTATION_ZAXIS mjORIENTATION_EULER
    """,
)
mjtBuiltin = _enumeration("mjtBuiltin", "mjBUILTIN_NONE mjBUILTIN_GRADIENT mjBUILTIN_CHECKER mjBUILTIN_FLAT")
mjtLRMode = _enumeration("mjtLRMode", "mjLRMODE_NONE mjLRMODE_MUSCLE mjLRMODE_MUSCLEUSER mjLRMODE_ALL")
mjtSameFrame = _enumeration(
    "mjtSameFrame",
    """
    mjSAMEFRAME_NONE mjSAMEFRAME_BODY mjSAMEFRAME_INERTIA mjSAMEFRAME_BODYROT mjSAMEFRAME_INERTIAROT
    """,
)
mjtTendon = _enumeration("mjtTendon", "mjTENDON_FIXED mjTENDON_SPATIAL")

mjtSleepPolicy = _enumeration(
    "mjtSleepPolicy",
    """
    mjSLEEP_AUTO mjSLEEP_AUTO_NEVER mjSLEEP_AUTO_ALLOWED mjSLEEP_NEVER mjSLEEP_ALLOWED mjSLEEP_INIT
    """,
)
mjtScaling = _enumeration("mjtScaling", "mjSCALING_SIMILAR mjSCALING_GEOMETRY")
mjtAlignFree = _enumeration("mjtAlignFree", "mjALIGNFREE_FALSE mjALIGNFREE_TRUE mjALIGNFREE_AUTO")
mjtGeomInertia = _enumeration("mjtGeomInertia", "mjINERTIA_VOLUME mjINERTIA_SHELL")
mjtProjection = _enumeration("mjtProjection", "mjPROJ_PERSPECTIVE mjPROJ_ORTHOGRAPHIC")
mjtMeshInertia = _enumeration(
    "mjtMeshInertia",
    """
    mjMESH_INERTIA_CONVEX mjMESH_INERTIA_EXACT mjMESH_INERTIA_LEGACY mjMESH_INERTIA_SHELL
    """,
)
mjtColorSpace = _enumeration("mjtColorSpace", "mjCOLORSPACE_AUTO mjCOLORSPACE_LINEAR mjCOLORSPACE_SRGB")
mjtEmbed = _enumeration("mjtEmbed", "mjEMBED_FALSE mjEMBED_TRUE mjEMBED_AUTO")
mjtMark = _enumeration("mjtMark", "mjMARK_NONE mjMARK_EDGE mjMARK_CROSS mjMARK_RANDOM")
mjtActuator = _enumeration(
    "mjtActuator",
    """
    mjACTUATOR_GENERAL mjACTUATOR_MOTOR mjACTUATOR_POSITION mjACTUATOR_VELOCITY mjACTUATOR_INTVELOCITY
    mjACTUATOR_DAMPER mjACTUATOR_CYLINDER mjACTUATOR_MUSCLE mjACTUATOR_ADHESION mjACTUATOR_PID
    mjACTUATOR_ORIENTATION mjACTUATOR_DCMOTOR
    """,
)
mjtFlexSelf = _enumeration("mjtFlexSelf", "mjFLEXSELF_NONE mjFLEXSELF_NARROW mjFLEXSELF_BVH mjFLEXSELF_SAP mjFLEXSELF_AUTO")
mjtFlexSection = _enumeration("mjtFlexSection", "mjFLEXSECTION_CIRCLE mjFLEXSECTION_BOX")
mjtConflict = _enumeration("mjtConflict", "mjCONFLICT_WARNING mjCONFLICT_MERGE mjCONFLICT_ERROR")
mjtPassthrough = _enumeration("mjtPassthrough", "mjPASSTHROUGH_NONE mjPASSTHROUGH_TEXTURES")
mjtCTimer = _enumeration(
    "mjtCTimer",
    """
    mjCTIMER_TOTAL mjCTIMER_ASSETS mjCTIMER_TEXTURE mjCTIMER_MESH_LOAD mjCTIMER_MESH_HULL mjCTIMER_MESH_POLYGON
    mjCTIMER_MESH_INERTIA mjCTIMER_MESH_BVH mjCTIMER_MESH_OCTREE mjNCTIMER
    """,
)
mjtRayDataField = _enumeration(
    "mjtRayDataField",
    """
    mjRAYDATA_DIST mjRAYDATA_DIR mjRAYDATA_ORIGIN mjRAYDATA_POINT mjRAYDATA_NORMAL mjRAYDATA_DEPTH mjNRAYDATA
    """,
)
mjtConDataField = _enumeration(
    "mjtConDataField",
    """
    mjCONDATA_FOUND mjCONDATA_FORCE mjCONDATA_TORQUE mjCONDATA_DIST mjCONDATA_POS mjCONDATA_NORMAL
    mjCONDATA_TANGENT mjCONDATA_LINVEL mjCONDATA_ANGVEL mjNCONDATA
    """,
)
mjtMeshBuiltin = _enumeration(
    "mjtMeshBuiltin",
    """
    mjMESH_BUILTIN_NONE mjMESH_BUILTIN_SPHERE mjMESH_BUILTIN_HEMISPHERE mjMESH_BUILTIN_CONE
    mjMESH_BUILTIN_SUPERSPHERE mjMESH_BUILTIN_SUPERTORUS mjMESH_BUILTIN_WEDGE mjMESH_BUILTIN_PLATE
    mjMESH_BUILTIN_GRID mjMESH_BUILTIN_BOX mjMESH_BUILTIN_CYLINDER mjMESH_BUILTIN_ELLIPSOID mjMESH_BUILTIN_SQUARE
    mjMESH_BUILTIN_DISC
    """,
)
mjtCamOutBit = _enumeration(
    "mjtCamOutBit",
    """
    mjCAMOUT_RGB=1 mjCAMOUT_DEPTH mjCAMOUT_DIST=4 mjCAMOUT_NORMAL=8 mjCAMOUT_SEG=16 mjNCAMOUT=5
    """,
)

#: Names of all of them.
NAMES = tuple(name for name in globals() if name.startswith("mjt"))
