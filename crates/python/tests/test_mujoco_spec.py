"""``MjSpec``: the table of fields beside MuJoCo's, and what elements, texts, attached and compiled specs are."""

from __future__ import annotations

import io
import textwrap
import warnings
from typing import Any

import numpy as np
import pytest
import stiction.mujoco as ours
from stiction.mujoco.spec import words

G, J = ours.mjtGeom, ours.mjtJoint

ARM = """<mujoco model="arm"><compiler angle="degree"/><default><geom rgba="1 0 0 1"/><default class="thin"><geom size=".02"/></default></default>
<asset><material name="steel"/></asset>
<worldbody><body name="arm"><joint name="j" axis="0 1 0" range="-90 90"/><geom type="capsule" class="thin" fromto="0 0 0 0 0 1" mass="1"
material="steel"/><site name="tip" pos="0 0 1"/></body></worldbody>
<actuator><position name="turn" joint="j" kp="3" kv=".5"/></actuator><sensor><jointpos name="angle" joint="j"/></sensor>
<keyframe><key name="up" qpos=".3" ctrl=".2"/></keyframe></mujoco>"""


def a_cart() -> Any:
    spec = ours.MjSpec()
    spec.worldbody.add_geom(name="floor", type=G.mjGEOM_PLANE, size=[1, 1, 0.1])
    body = spec.worldbody.add_body(name="cart", pos=[0, 0, 1])
    body.add_joint(name="x", type=J.mjJNT_SLIDE, axis=[1, 0, 0])
    body.add_geom(type=G.mjGEOM_BOX, size=[0.1, 0.2, 0.3], mass=2)
    spec.add_actuator(name="push", target="x", trntype=ours.mjtTrn.mjTRN_JOINT).set_to_motor()
    return spec


def test_the_table_of_fields_is_mujocos() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if theirs.mj_version() < 4000000:
        pytest.skip("the table is of MuJoCo 4")
    spec = theirs.MjSpec()
    body = spec.worldbody.add_body()
    made = {kind: getattr(spec, f"add_{kind}")() for kind in words.OF_SPECS} | {kind: getattr(body, f"add_{kind}")() for kind in words.OF_BODIES}
    made |= {"body": body, "frame": body.add_frame(), "orientation": body.alt, "compiler": spec.compiler}
    for kind, element in made.items():
        names = {n for n in dir(element) if not n.startswith("_") and not callable(getattr(element, n))}
        own = {"name", "id", "signature", "frame", "parent", "compiler", "classname", "path", "config", "LRopt"}
        assert names - own - {words.plural(k) for k in (*words.OF_BODIES, "body", "frame")} == set(words.FIELDS[kind]), kind
        for name, field in words.FIELDS[kind].items():
            if (kind, name) == ("body", "childclass"):
                continue
            value = getattr(element, name)
            if isinstance(field.default, np.ndarray):
                assert np.array_equal(value, field.default, equal_nan=True) and value.dtype == field.default.dtype, (kind, name)
            elif field.default is not None and field.kind != "c":
                assert value == field.default or (field.default != field.default and value != value), (kind, name)


def test_a_model_is_put_together_in_code() -> None:
    spec = a_cart()
    arm = ours.MjSpec.from_string(ARM)
    spec.copy_during_attach = True
    for side, y in (("left_", 0.5), ("right_", -0.5)):
        spec.attach(arm, prefix=side, frame=spec.body("cart").add_frame(pos=[0, y, 0]))
    model = spec.compile()
    assert model.nu == 3 and model.njnt == 3 and model.body("left_arm").mass == 1.0 and model.nmat == 2
    assert ours.MjData(model).body("right_arm").xpos == pytest.approx([0, -0.5, 1])
    assert model.actuator("left_turn").trnid[0] == model.joint("left_j").id
    assert model.joint("right_j").range == pytest.approx([-np.pi / 2, np.pi / 2])
    # Keyframes of the children have numbers for all that moves now.
    assert [k.name for k in spec.keys] == ["left_up", "right_up"]
    assert list(spec.keys[1].qpos) == [0, 0, 0.3] and model.key_ctrl[1] == pytest.approx([0, 0, 0.2])
    spec.body("cart").pos = [0, 0, 2]
    assert ours.MjData(spec.compile()).body("cart").xpos == pytest.approx([0, 0, 2])
    assert len(arm.bodies) == 2 and arm.bodies[1].name == "arm"


def test_what_is_attached_by_reference_is_held_by_both() -> None:
    spec, arm = a_cart(), ours.MjSpec.from_string(ARM)
    site = spec.body("cart").add_site(name="here", pos=[1, 0, 0], euler=[0, 0, 90])
    body = arm.body("arm")
    assert site.attach_body(body, prefix="a/") is body and body.name == "a/arm" and spec.body("a/arm") is body
    assert body.parent is spec.body("cart") and body.compiler is arm.compiler and body.frame.pos[0] == 1
    body.pos = [2, 0, 0]
    model = spec.compile()
    assert model.body("a/arm").pos == pytest.approx([1, 2, 0]) and model.nsensor == 1 and model.nu == 2
    assert spec.find_default("a/thin").geom.size[0] == 0.02
    other = ours.MjSpec.from_string(ARM)
    frame = spec.worldbody.add_frame()
    spec.attach(other, frame=frame, suffix="-b")
    assert other.parent is spec and spec.geom is not None
    with pytest.raises(ValueError, match="already attached by reference"):
        spec.attach(other, frame=frame, prefix="c")
    with pytest.raises(ValueError, match="Cannot delete element"):
        other.delete(other.bodies[1])
    with pytest.raises(ValueError, match="repeated name 'a/"):
        frame.attach_body(ours.MjSpec.from_string(ARM).body("arm"), prefix="a/")
    with pytest.raises(ValueError, match="Frame not found"):
        spec.attach(ours.MjSpec(), frame="nowhere")


def test_options_that_differ_are_settled_by_the_policy() -> None:
    def pair(policy: int) -> Any:
        parent, child = a_cart(), ours.MjSpec.from_string(ARM)
        parent.compiler.conflict = policy
        parent.option.timestep, child.option.timestep, child.option.integrator = 0.005, 0.001, 2
        return parent, lambda: parent.worldbody.add_frame().attach_body(child.body("arm"), "c_")

    parent, attach = pair(ours.mjtConflict.mjCONFLICT_MERGE)
    attach()
    with pytest.warns(UserWarning, match="taking the minimum"):
        assert parent.compile().opt.timestep == 0.001
    assert parent.option.integrator == 2
    parent, attach = pair(ours.mjtConflict.mjCONFLICT_ERROR)
    with pytest.raises(ValueError, match="timestep: parent has 0.005, child has 0.001"):
        attach()
    assert parent.option.timestep == 0.005 and parent.body("c_arm") is None
    parent, attach = pair(ours.mjtConflict.mjCONFLICT_WARNING)
    attach()
    with pytest.warns(UserWarning, match="keeping parent value"):
        assert parent.compile().opt.timestep == 0.005


def test_fields_take_what_they_hold_and_nothing_else() -> None:
    spec = ours.MjSpec()
    body = spec.worldbody.add_body(name="b", euler=[0, 0, 90])
    geom = body.add_geom(size=[0.1], type=G.mjGEOM_SPHERE, userdata=[1, 2])
    geom.pos[1], geom.userdata[0] = 3, 5
    assert list(geom.pos) == [0, 3, 0] and list(geom.userdata) == [5, 2] and geom.size.tolist() == [0.1, 0, 0]
    assert body.alt.type == ours.mjtOrientation.mjORIENTATION_EULER
    quat = ours.MjSpec.resolve_orientation(degree=True, sequence=spec.compiler.eulerseq, orientation=body.alt)
    assert quat == pytest.approx([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    for wrong, message in (
        (dict(pos=[0, 1]), "pos should be a list/array of size 3"), (dict(size=[]), "size should be a list/array of size 1 to 3"),
        (dict(euler=[0, 0, 0], zaxis=[0, 0, 1]), "Only one of"),
    ):
        with pytest.raises(ValueError, match=message):
            body.add_geom(**wrong)
    for wrong in (dict(pos="up"), dict(type="box"), dict(colour=1), dict(userdata="")):
        with pytest.raises(TypeError):
            body.add_geom(**wrong)
    with pytest.raises(AttributeError):
        geom.colour = 1
    with pytest.raises(ValueError, match="repeated name 'b' in body"):
        spec.worldbody.add_body(name="b")
    with pytest.raises(ours.NotOffered, match="make_flex"):
        body.make_flex(name="cloth")
    with pytest.raises(ours.NotOffered, match="fuse_static"):
        spec.fuse_static()


def test_defaults_and_lists() -> None:
    spec = ours.MjSpec()
    spec.default.geom.size[0] = 2
    small = spec.add_default("small", spec.default)
    small.geom.size[0] = 1
    body = spec.worldbody.add_body(name="b", childclass="small")
    first, second = body.add_geom(name="g1"), body.add_geom(spec.default, name="g2")
    assert (first.size[0], second.size[0], first.classname.name) == (1, 2, "small")
    assert body.first_geom() is first and body.next_geom(first) is second and body.next_geom(second) is None
    inner = body.add_body(name="c")
    inner.add_site(name="s")
    assert [b.name for b in spec.bodies] == ["world", "b", "c"] and spec.worldbody.find_child("c") is inner and inner.parent is body
    assert [s.name for s in spec.worldbody.find_all("site")] == ["s"] and body.find_all(ours.mjtObj.mjOBJ_BODY) == [inner]
    frame = inner.to_frame()
    assert spec.body("c") is None and spec.site("s").frame is frame and spec.site("s").parent is body
    spec.delete(small)
    assert spec.find_default("small") is None and first.classname is spec.default


def test_what_does_not_compile_is_said_as_mujoco_says_it() -> None:
    def fails(message: str, **geom: Any) -> None:
        spec = ours.MjSpec()
        spec.worldbody.add_geom(name="g", info="line 7", **geom)
        with pytest.raises(ValueError, match=message):
            spec.compile()

    fails("size 0 must be positive in geom\nElement name 'g', id 0, line 7")
    fails("must have valid meshid", type=G.mjGEOM_MESH)
    fails("material 'steel' not found in geom 0", size=[1], material="steel")
    spec = a_cart()
    spec.add_key(name="k", qpos=[1, 2])
    with pytest.raises(ValueError, match="invalid qpos size, expected 1, got 2"):
        spec.compile()
    spec.delete(spec.keys[0])
    spec.add_actuator(name="a", target="x")
    with pytest.raises(ValueError, match="invalid transmission type"):
        spec.compile()


def test_elements_are_bound_to_their_objects() -> None:
    spec = a_cart()
    model = spec.compile()
    data = ours.MjData(model)
    joint, body = spec.joint("x"), spec.body("cart")
    data.bind(joint).qpos = 0.25
    ours.mj_forward(model, data)
    assert data.bind(body).xpos == pytest.approx([0.25, 0, 1]) and model.bind([joint]).qposadr == [0] and model.bind([]).range == []
    assert data.bind(spec.bodies).xpos == pytest.approx([0, 0, 0, 0.25, 0, 1])
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        model.bind([joint]).colour
    spec.worldbody.add_body(name="next").add_geom(size=[0.1])
    with pytest.raises(ValueError, match="does not match"):
        model.bind(body)
    later, state = spec.recompile(model, data)
    assert later.nbody == 3 and state.qpos[0] == 0.25 and later.bind(spec.body("next")).id == 2


def test_deleting_a_body_deletes_what_speaks_of_it() -> None:
    spec = ours.MjSpec.from_string(ARM)
    spec.delete(spec.keys[0])
    spec.delete(spec.body("arm"))
    assert spec.actuators == spec.sensors == spec.joints == []
    assert spec.compile().nbody == 1


def test_texts_are_mujocos_and_come_back() -> None:
    expected = textwrap.dedent("""\
        <mujoco model="MuJoCo Model">
          <compiler angle="radian"/>

          <worldbody>
            <geom name="floor" size="1 1 0.1" type="plane"/>
            <body name="cart" pos="0 0 1">
              <joint name="x" type="slide" axis="1 0 0"/>
              <geom size="0.1 0.2 0.3" type="box" mass="2"/>
            </body>
          </worldbody>

          <actuator>
            <general name="push" joint="x"/>
          </actuator>
        </mujoco>
    """)
    assert a_cart().to_xml() == expected
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    for text in (ARM, expected):
        spec = theirs.MjSpec.from_string(text)
        spec.compile()
        if theirs.mj_version() >= 4000000:
            assert ours.MjSpec.from_string(text).to_xml() == spec.to_xml()
        assert np.allclose(ours.MjSpec.from_string(text).compile().body_mass, spec.compile().body_mass)


def test_files_zips_and_other_models(tmp_path: Any) -> None:
    cube = "\n".join(f"v {x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
    text = """<mujoco><compiler meshdir="parts"/><asset><mesh file="cube.obj"/><model name="arm" file="arm.xml"/></asset>
    <worldbody><replicate count="3" offset="2 0 0"><body name="box"><freejoint name="free"/><geom type="mesh" mesh="cube"/></body></replicate>
    <attach model="arm" body="arm" prefix="a_"/></worldbody><sensor><framepos name="p" objtype="body" objname="box"/></sensor></mujoco>"""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/cube.obj").write_text(cube)
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "all.xml").write_text(text)
    spec = ours.MjSpec.from_file(tmp_path / "all.xml")
    model = spec.compile()
    assert [b.name for b in spec.bodies] == ["world", "box0", "box1", "box2", "a_arm"] and model.nsensor == 4
    assert model.body("box2").pos == pytest.approx([4, 0, 0]) and model.mesh("cube").id == 0
    assert [s.objname for s in spec.sensors] == ["a_j", "box0", "box1", "box2"]
    made = io.BytesIO()
    packed = ours.MjSpec.from_string(
        '<mujoco model="m"><asset><mesh name="c" file="cube.obj"/></asset><worldbody><geom type="mesh" mesh="c"/></worldbody></mujoco>',
        assets={"cube.obj": cube},
    )
    packed.to_zip(made)
    assert ours.MjSpec.from_zip(made).compile().nmesh == 1
    with pytest.raises(ValueError, match="unrecognized attribute: 'sze'\nElement 'geom', line 2"):
        ours.MjSpec.from_string('<mujoco><worldbody>\n<geom sze="1"/></worldbody></mujoco>')
    with pytest.raises(ValueError, match="Error opening file 'none.xml'"):
        ours.MjSpec.from_string('<mujoco><include file="none.xml"/></mujoco>')


def test_what_is_not_simulated_compiles_with_a_warning() -> None:
    spec = a_cart()
    spec.add_actuator(name="muscle", target="x", trntype=0, ctrlrange=[0, 1]).set_to_muscle(tausmooth=0.1)
    with pytest.warns(UserWarning, match="not simulated"):
        spec.compile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a_cart().compile()


def test_shapes_of_meshes_are_mujocos() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    for name, given in (
        ("sphere", dict(subdivision=1)), ("hemisphere", dict(resolution=2)), ("supersphere", dict(resolution=5, e=2, n=0.5)),
        ("supertorus", dict(resolution=5, radius=0.3, s=1, t=2)), ("cone", dict(nedge=5, radius=0.5)), ("plate", dict(resolution=[3, 4])),
        ("wedge", dict(resolution=[3, 2], fov=[60, 40])),
    ):
        meshes = [of.MjSpec().add_mesh() for of in (theirs, ours)]
        for mesh in meshes:
            getattr(mesh, f"make_{name}")(**given)
        a, b = meshes
        assert np.allclose(list(a.uservert), list(b.uservert), atol=1e-6), name
        assert list(a.userface) == list(b.userface), name


def test_actuators_by_their_names_are_mujocos() -> None:
    theirs = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if theirs.mj_version() < 4000000:
        pytest.skip("the names are of MuJoCo 4")
    cases: list[tuple[str, dict[str, Any]]] = [
        ("motor", {}), ("position", dict(kp=2, kv=3, timeconst=0.1, inheritrange=True)), ("position", dict(kp=2, dampratio=1)),
        ("velocity", dict(kv=5)), ("intvelocity", dict(kp=2, dampratio=1)), ("damper", dict(kv=6)), ("adhesion", dict(gain=7)),
        ("cylinder", dict(timeconst=1, bias=2, area=3, diameter=0.5)), ("muscle", dict(tausmooth=0.1, force=5)), ("orientation", dict(kp=2, kv=1)),
        ("pid", dict(kp=2, kv=3, ki=0.5, imax=1.5, slewmax=4)), ("dcmotor", dict(motorconst=[0.05, 0.06], resistance=2, lugre=[1, 2, 3, 4, 5])),
        ("dcmotor", dict(motorconst=[0, 0], resistance=0, nominal=[12, 0.5, 300], thermal=[1, 2, 3, 4, 5, 6], cogging=[1, 2, 3])),
    ]
    for name, given in cases:
        made = [of.MjSpec().add_actuator(gainprm=range(10), biasprm=range(10), dynprm=range(10), dyntype=2) for of in (theirs, ours)]
        for actuator in made:
            getattr(actuator, f"set_to_{name}")(**given)
        a, b = made
        for field in words.FIELDS["actuator"]:
            if field not in ("userdata", "plugin"):
                assert np.allclose(getattr(a, field), getattr(b, field)) if field not in ("target", "refsite", "slidersite", "info") else True, (name, field)
