"""Fields of MuJoCo's model and state: their names, kinds of numbers and sizes, as of version 4, so that each can be told or refused.

A name here does not say that it is offered. What has no rows is an array without rows; a test holds the table to MuJoCo's
where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Kinds of numbers, by their letters.
KINDS: dict[str, Any] = {
    "f": np.dtype(np.float64), "g": np.dtype(np.float32), "i": np.dtype(np.int32), "u": np.dtype(np.uint8), "b": np.dtype(bool),
    "n": np.dtype(np.uint64),
}

Field = tuple[str, tuple[str, ...]]


def _table(text: str) -> dict[str, Field]:
    """Kind and sizes by name, of lines as ``f nbody 3: body_pos body_ipos``; a line without a colon goes on."""
    out: dict[str, Field] = {}
    kind = ""
    sizes: tuple[str, ...] = ()
    for line in text.strip().splitlines():
        head, colon, names = line.rpartition(":")
        if colon:
            kind, *rest = head.split()
            sizes = tuple(rest)
        out.update({name: (kind, sizes) for name in names.split()})
    return out


def shape(field: Field, size: Callable[[str], int]) -> tuple[int, ...]:
    """Rows and columns of a field, of sizes by their names."""

    def number(word: str) -> int:
        name, times, factor = word.partition("*")
        return (int(name) if name.isdigit() else size(name)) * (int(factor) if times else 1)

    return tuple(number(word) for word in field[1])


#: Sizes and other whole numbers.
MODEL_NUMBERS = tuple(
    """
    nq nv nu nactuator nout na nbody nbvh nbvhstatic nbvhdynamic noct njnt ntree nM nB nC nD ngeom nsite ncam nlight nflex
    nflexnode nflexvert nflexedge nflexelem nflexelemdata nflexstiffness nflexbending nefm0dof nefm0L nefmCvert
    nflexelemedge nflexshelldata nflextexcoord nJfe nmesh nmeshvert nmeshnormal nmeshtexcoord nmeshface nmeshgraph nmeshpoly
    nmeshpolyvert nmeshpolymap nskin nskinvert nskintexvert nskinface nskinbone nskinbonevert nhfield nhfielddata ntex
    ntexdata nmat npair nexclude neq ntendon nJten nwrap nsensor nnumeric nnumericdata ntext ntextdata ntuple ntupledata
    nkey nmocap nplugin npluginattr nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator
    nuser_sensor nnames npaths nplastic nnames_map nJmom ngravcomp nemax njmax nconmax npolygonmax nmeshdegmax nuserdata
    nsensordata npluginstate nhistory narena nbuffer flg_gravcomp flg_surfacevel flg_adhesion signature
    """.split()
)

MODEL = _table(
    """
    f nq: qpos0 qpos_spring
    i nbody: body_parentid body_rootid body_weldid body_mocapid body_jntnum body_jntadr body_dofnum body_dofadr body_treeid
        body_geomnum body_geomadr body_plugin body_contype body_conaffinity body_bvhadr body_bvhnum name_bodyadr B_rownnz
        B_rowadr
    u nbody: body_simple body_sameframe
    f nbody 3: body_pos body_ipos body_inertia
    f nbody 4: body_quat body_iquat
    f nbody: body_mass body_subtreemass body_gravcomp body_margin
    f nbody 2: body_invweight0
    f nbody nuser_body: body_user
    i nbvh: bvh_depth bvh_nodeid
    i nbvh 2: bvh_child
    f nbvhstatic 6: bvh_aabb
    i noct: oct_depth
    i noct 8: oct_child
    f noct 6: oct_aabb
    f noct 8: oct_coeff
    i njnt: jnt_type jnt_qposadr jnt_dofadr jnt_bodyid jnt_actuatorid jnt_group jnt_plasticadr name_jntadr
    b njnt: jnt_limited jnt_actfrclimited jnt_actgravcomp
    f njnt 2: jnt_solref jnt_stiffnesspoly jnt_range jnt_actfrcrange
    f njnt 5: jnt_solimp
    f njnt 3: jnt_pos jnt_axis
    f njnt: jnt_stiffness jnt_springyield jnt_margin
    f njnt nuser_jnt: jnt_user
    i nv: dof_bodyid dof_jntid dof_parentid dof_treeid dof_Madr dof_simplenum M_rownnz M_rowadr D_rownnz D_rowadr D_diag
    f nv 2: dof_solref dof_dampingpoly
    f nv 5: dof_solimp
    f nv: dof_frictionloss dof_armature dof_damping dof_invweight0 dof_M0 dof_length
    i ntree: tree_bodyadr tree_bodynum tree_dofadr tree_dofnum tree_sleep_policy
    i ngeom: geom_type geom_contype geom_conaffinity geom_condim geom_bodyid geom_dataid geom_matid geom_group geom_priority
        geom_plugin name_geomadr
    u ngeom: geom_sameframe
    b ngeom: geom_castshadow
    f ngeom: geom_solmix geom_rbound geom_margin geom_gap geom_adhesion
    f ngeom 2: geom_solref
    f ngeom 5: geom_solimp
    f ngeom 3: geom_size geom_pos geom_friction
    f ngeom 6: geom_aabb geom_surfacevel
    f ngeom 4: geom_quat
    f ngeom 12: geom_fluid
    f ngeom nuser_geom: geom_user
    g ngeom 4: geom_rgba
    i nsite: site_type site_bodyid site_dataid site_matid site_group name_siteadr
    u nsite: site_sameframe
    f nsite 3: site_size site_pos
    f nsite 4: site_quat
    f nsite nuser_site: site_user
    g nsite 4: site_rgba
    i ncam: cam_mode cam_bodyid cam_targetbodyid cam_projection cam_output name_camadr
    f ncam 3: cam_pos cam_poscom0 cam_pos0
    f ncam 4: cam_quat
    f ncam 9: cam_mat0
    f ncam: cam_fovy cam_ipd
    i ncam 2: cam_resolution
    g ncam 2: cam_sensorsize
    g ncam 4: cam_intrinsic
    f ncam nuser_cam: cam_user
    i nlight: light_mode light_bodyid light_targetbodyid light_type light_texid name_lightadr
    b nlight: light_castshadow light_active
    g nlight: light_bulbradius light_intensity light_range light_cutoff light_softness light_exponent
    f nlight 3: light_pos light_dir light_poscom0 light_pos0 light_dir0
    g nlight 3: light_attenuation light_ambient light_diffuse light_specular
    i nflex: flex_contype flex_conaffinity flex_condim flex_priority flex_selfcollide flex_activelayers flex_passive
        flex_dim flex_group flex_interp flex_nodeadr flex_nodenum flex_vertadr flex_vertnum flex_edgeadr flex_edgenum
        flex_elemadr flex_elemnum flex_elemdataadr flex_stiffnessadr flex_elemedgeadr flex_bendingadr flex_plasticadr
        flex_plasticmode flex_shellnum flex_shelldataadr flex_texcoordadr flex_edgeequality flex_bvhadr flex_bvhnum
        name_flexadr
    f nflex: flex_solmix flex_margin flex_gap flex_radius flex_damping flex_edgestiffness flex_edgedamping
    f nflex 2: flex_solref flex_yield
    f nflex 5: flex_solimp
    f nflex 3: flex_friction flex_size
    i nflexelem: flex_matid flex_elemlayer
    i nflex 3: flex_cellnum
    i nflexnode: flex_nodebodyid
    i nflexvert: flex_vertbodyid flex_vertcell
    i nflexedge 2: flex_edge flex_edgeflap
    i nflexelemdata: flex_elem flex_elemtexcoord
    i nflexelemedge: flex_elemedge
    i nflexshelldata: flex_shell
    f nflexvert 3: flex_vert flex_vert0
    f nflexnode 3: flex_node flex_node0
    f nflexedge: flexedge_length0 flexedge_invweight0
    f nflexstiffness: flex_stiffness
    f nflexbending: flex_bending
    i nefm0dof: efm0_dofid efm0_L_rownnz efm0_L_rowadr
    i nefm0L: efm0_L_colind
    f nefm0L: efm0_L
    i nefmCvert: efmC_perm
    b nflex: flex_rigid flex_centered flex_flatskin
    b nflexedge: flexedge_rigid
    i nflexedge: flexedge_J_rownnz flexedge_J_rowadr
    i nJfe: flexedge_J_colind
    g nflex 4: flex_rgba
    g nflextexcoord 2: flex_texcoord
    i nmesh: mesh_vertadr mesh_vertnum mesh_faceadr mesh_facenum mesh_bvhadr mesh_bvhnum mesh_octadr mesh_octnum
        mesh_normaladr mesh_normalnum mesh_texcoordadr mesh_texcoordnum mesh_graphadr mesh_pathadr mesh_polynum mesh_polyadr
        name_meshadr
    i nmesh 27: mesh_extrema
    g nmeshvert 3: mesh_vert
    g nmeshnormal 3: mesh_normal
    g nmeshtexcoord 2: mesh_texcoord
    i nmeshface 3: mesh_face mesh_facenormal mesh_facetexcoord
    i nmeshgraph: mesh_graph
    f nmesh 3: mesh_scale mesh_pos
    f nmesh 4: mesh_quat
    f nmeshpoly 3: mesh_polynormal
    i nmeshpoly: mesh_polyvertadr mesh_polyvertnum
    i nmeshpolyvert: mesh_polyvert
    i nmeshvert: mesh_polymapadr mesh_polymapnum
    i nmeshpolymap: mesh_polymap
    i nskin: skin_matid skin_group skin_vertadr skin_vertnum skin_texcoordadr skin_faceadr skin_facenum skin_boneadr
        skin_bonenum skin_pathadr name_skinadr
    g nskin 4: skin_rgba
    g nskin: skin_inflate
    g nskinvert 3: skin_vert
    g nskintexvert 2: skin_texcoord
    i nskinface 3: skin_face
    i nskinbone: skin_bonevertadr skin_bonevertnum skin_bonebodyid
    g nskinbone 3: skin_bonebindpos
    g nskinbone 4: skin_bonebindquat
    i nskinbonevert: skin_bonevertid
    g nskinbonevert: skin_bonevertweight
    f nhfield 4: hfield_size
    i nhfield: hfield_nrow hfield_ncol hfield_adr hfield_pathadr name_hfieldadr
    g nhfielddata: hfield_data
    i ntex: tex_type tex_colorspace tex_height tex_width tex_nchannel tex_pathadr tex_contenttypeadr name_texadr
    n ntex: tex_adr
    u ntexdata: tex_data
    i nmat 10: mat_texid
    b nmat: mat_texuniform
    g nmat 2: mat_texrepeat
    g nmat: mat_emission mat_specular mat_shininess mat_reflectance mat_metallic mat_roughness
    g nmat 4: mat_rgba
    i npair: pair_dim pair_geom1 pair_geom2 pair_signature name_pairadr
    f npair 2: pair_solref pair_solreffriction
    f npair 5: pair_solimp pair_friction
    f npair: pair_margin pair_gap pair_adhesion
    i nexclude: exclude_signature name_excludeadr
    i neq: eq_type eq_obj1id eq_obj2id eq_objtype name_eqadr
    b neq: eq_active0
    f neq 2: eq_solref
    f neq 5: eq_solimp
    f neq 11: eq_data
    i ntendon: tendon_type tendon_adr tendon_num tendon_matid tendon_actuatorid tendon_group tendon_plasticadr
        tendon_treenum ten_J_rownnz ten_J_rowadr name_tendonadr
    i ntendon 2: tendon_treeid
    i nJten: ten_J_colind
    b ntendon: tendon_limited tendon_actfrclimited
    f ntendon: tendon_width tendon_margin tendon_stiffness tendon_damping tendon_armature tendon_frictionloss
        tendon_springyield tendon_length0 tendon_invweight0
    f ntendon 2: tendon_solref_lim tendon_solref_fri tendon_range tendon_actfrcrange tendon_stiffnesspoly tendon_dampingpoly
        tendon_lengthspring
    f ntendon 5: tendon_solimp_lim tendon_solimp_fri
    f ntendon nuser_tendon: tendon_user
    g ntendon 4: tendon_rgba
    i nwrap: wrap_type wrap_objid
    f nwrap: wrap_prm
    i nactuator: actuator_trntype actuator_dyntype actuator_gaintype actuator_biastype actuator_ctrladr actuator_ctrlnum
        actuator_ctrlspec actuator_outadr actuator_outnum actuator_actadr actuator_actnum actuator_historyadr actuator_group
        actuator_plugin name_actuatoradr
    i nactuator 2: actuator_trnid actuator_history
    f nactuator: actuator_cranklength actuator_delay actuator_damping actuator_armature
    f nactuator 10: actuator_dynprm actuator_gainprm actuator_biasprm
    b nactuator: actuator_actlimited actuator_actearly actuator_forcelimited
    f nactuator 2: actuator_actrange actuator_dampingpoly actuator_forcerange
    f nactuator nuser_actuator: actuator_user
    b nu: actuator_ctrllimited
    f nu 2: actuator_ctrlrange
    f nout 6: actuator_gear
    f nout: actuator_acc0 actuator_length0
    f nout 2: actuator_lengthrange
    i nsensor: sensor_type sensor_datatype sensor_needstage sensor_objtype sensor_objid sensor_reftype sensor_refid
        sensor_dim sensor_adr sensor_historyadr sensor_plugin name_sensoradr
    i nsensor 3: sensor_intprm
    f nsensor: sensor_cutoff sensor_noise sensor_delay
    i nsensor 2: sensor_history
    f nsensor 2: sensor_interval
    f nsensor nuser_sensor: sensor_user
    i nplugin: plugin plugin_stateadr plugin_statenum plugin_attradr name_pluginadr
    i nnumeric: numeric_adr numeric_size name_numericadr
    f nnumericdata: numeric_data
    i ntext: text_adr text_size name_textadr
    i ntuple: tuple_adr tuple_size name_tupleadr
    i ntupledata: tuple_objtype tuple_objid
    f ntupledata: tuple_objprm
    f nkey: key_time
    f nkey nq: key_qpos
    f nkey nv: key_qvel
    f nkey na: key_act
    f nkey nmocap*3: key_mpos
    f nkey nmocap*4: key_mquat
    f nkey nu: key_ctrl
    f nkey nplastic: key_plastic
    i nmat: name_matadr
    i nkey: name_keyadr
    i nnames_map: names_map
    i nB: B_colind
    i nC: M_colind mapM2M mapD2M
    i nD: D_colind mapM2D
    """
)

#: Sizes and other whole numbers.
DATA_NUMBERS = tuple(
    """
    narena nbuffer nplugin pstack pbase parena threadpool maxuse_stack maxuse_arena maxuse_con maxuse_efc ncon ne nf nl nefc
    nJ efm_active nefmK nefmcon nefmT nefmA nefmdof nefmL nY nA nisland nidof ntree_awake nbody_awake nparent_awake nv_awake
    flg_energypos flg_energyvel flg_subtreevel flg_rnepost signature
    """.split()
)

DATA = _table(
    """
    f nq: qpos
    f nv: qvel qacc_warmstart qfrc_applied qacc qLDiagInv qfrc_bias qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid
        qfrc_adhesion qfrc_passive qHDiagInv qfrc_actuator qfrc_smooth qacc_smooth qfrc_constraint qfrc_inverse efm_c
        efm_diag efm_ck efm_sdiag efm_ca
    f na: act act_dot
    f nhistory: history
    f nplastic: plastic
    f npluginstate: plugin_state
    f nu: ctrl
    f nbody 6: xfrc_applied cvel cacc cfrc_int cfrc_ext
    b neq: eq_active
    f nmocap 3: mocap_pos
    f nmocap 4: mocap_quat
    f nuserdata: userdata
    f nsensordata: sensordata
    i ntree: tree_asleep tree_awake tree_island map_itree2tree
    i nplugin: plugin
    n nplugin: plugin_data
    f nbody 3: xpos xipos subtree_com subtree_linvel subtree_angmom
    f nbody 4: xquat xiquat
    f nbody 9: xmat ximat
    f njnt 3: xanchor xaxis
    f ngeom 3: geom_xpos
    f ngeom 4: geom_xquat
    f ngeom 9: geom_xmat
    f nsite 3: site_xpos
    f nsite 4: site_xquat
    f nsite 9: site_xmat
    f ncam 3: cam_xpos
    f ncam 9: cam_xmat
    f nlight 3: light_xpos light_xdir
    f nv 6: cdof cdof_dot
    f nbody 10: cinert crb
    f nflexvert 3: flexvert_xpos
    f nflexelem 6: flexelem_aabb
    f nflexstiffness: flexelem_krot
    b nflex: flex_hessian_valid
    f nflexvert 6: flexvert_hessian
    f nflexedge 9: flexedge_hessian
    f nJfe: flexedge_J
    f nflexedge: flexedge_length flexedge_velocity
    f nbvhdynamic 6: bvh_aabb_dyn
    f nflexvert: flexvert_lambda
    i nflexvert: flexvert_conage
    i ntendon: ten_wrapadr ten_wrapnum tendon_efcadr efm_tid
    f nJten: ten_J
    f ntendon: ten_length ten_velocity efm_ts efm_tk
    i nwrap 2: wrap_obj
    f nwrap 6: wrap_xpos
    f nout: actuator_length actuator_velocity actuator_force
    i nout: moment_rownnz moment_rowadr
    i nJmom: moment_colind
    f nJmom: actuator_moment
    f nC: M qLD qH efm_fluid
    b nbvh: bvh_active
    i nbody: body_awake body_awake_ind parent_awake_ind
    i nv: dof_awake_ind dof_island map_dof2idof map_idof2dof efm_K_rownnz efm_K_rowadr
    f nD: qDeriv qLU
    i nefc: efc_type efc_id efc_J_rownnz efc_J_rowadr efc_J_rowsuper efc_island map_efc2iefc map_iefc2efc iefc_type iefc_id
        efc_Y_rownnz efc_Y_rowadr efc_AR_rownnz efc_AR_rowadr iefc_state efc_state
    i nJ: efc_J_colind
    f nJ: efc_J
    f nefc: efc_pos efc_margin efc_frictionloss efc_diagA efc_D efc_R iefc_frictionloss iefc_D iefc_R efc_vel efc_aref efc_b
        iefc_aref iefc_force efc_force
    f nefc 4: efc_KBIP
    i nisland: island_ntree island_itreeadr island_nv island_idofadr island_dofadr island_ne island_nf island_nefc
        island_iefcadr
    f nidof: ifrc_smooth iacc_smooth iacc ifrc_constraint
    i nY: efc_Y_colind
    f nY: efc_Y
    i nA: efc_AR_colind
    f nA: efc_AR
    i nactuator: efm_aid
    f nactuator: efm_as efm_ak
    i nefmK: efm_K_colind
    f nefmK: efm_K_val
    i nefmdof: efm_dofid
    i nefmcon: efm_con_ind
    f nefmcon: efm_con_val
    f nefmL: efm_L
    f nM: qM
    """
)
