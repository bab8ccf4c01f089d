"""Simulations against what can be computed by hand, and against themselves."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stiction
from stiction import Simulation

from shared import ARM


def sliding_box(friction: float = 0.3) -> stiction.Model:
    """A box on a plane, pushed off with 1 m/s."""
    scene = stiction.Scene("box", gravity=[0, 0, -9.81]).ground(friction=friction)
    box = {"size": [0.2, 0.2, 0.2], "mass": 1.0, "position": [0, 0, 0.1], "velocity": [1, 0, 0]}
    return scene.body("box", shape="box", friction=friction, **box).build()


def test_a_sliding_box_stops_where_coulomb_says() -> None:
    simulation = Simulation(sliding_box())
    worst = 0.0
    while simulation.time < 0.5:
        assert not simulation.step().flagged
        worst = max(worst, simulation.natural_map)
    assert worst < 2e-8
    assert abs(simulation.q[0] - 1 / (2 * 0.3 * 9.81)) <= 5e-4
    contacts = simulation.contacts
    assert np.allclose(contacts["force"].sum(axis=0), [0, 0, 9.81], atol=1e-6)
    assert set(contacts["bodies"].ravel()) == {-1, 0}
    assert (contacts["mode"] == 1).all() and np.allclose(contacts["frame"][:, 2], [0, 0, 1])


def test_a_falling_ball_keeps_its_energy_and_is_where_the_parabola_is() -> None:
    scene = stiction.Scene("ball", gravity=[0, 0, -10.0])
    model = scene.body("ball", shape="sphere", radius=0.1, mass=2.0, position=[0, 0, 3], velocity=[1, 0, 0]).build()
    simulation = Simulation(model, dt=0.01)
    before = simulation.energy
    assert before.potential == pytest.approx(60) and before.kinetic == pytest.approx(1)
    simulation.run(0.5)
    assert simulation.q[:3] == pytest.approx([0.5, 0, 3 - 1.25], abs=1e-12)
    assert simulation.energy.total == pytest.approx(before.total, abs=1e-12)
    assert simulation.link("ball").velocity == pytest.approx([1, 0, -5], abs=1e-12)
    assert simulation.body_velocities[0] == pytest.approx([0, 0, 0, 1, 0, -5], abs=1e-12)


def test_arrays_are_the_state_and_can_be_written(arm: stiction.Model) -> None:
    simulation = Simulation(arm)
    q, v, control = simulation.q, simulation.v, simulation.control
    elbow = arm.joints["elbow"]
    q[elbow.q] = 0.5
    control[0] = 1.0
    simulation.step()
    assert q is simulation.q and v is simulation.v
    assert q[elbow.q][0] == pytest.approx(0.5, abs=1e-4) and v[elbow.v][0] != 0
    assert simulation.efforts[0] == pytest.approx(1.0)
    simulation.state.q[elbow.q] = -0.3
    simulation.state.t = 7.0
    assert simulation.energy.total != pytest.approx(0)
    simulation.step()
    assert simulation.q[elbow.q][0] == pytest.approx(-0.3, abs=1e-2) and simulation.time == pytest.approx(7.001)
    simulation.q[arm.joints["shoulder"].q] = [1, 1, 0, 0]
    with pytest.raises(stiction.Error, match="quaternion of joint `shoulder` has norm 1.41"):
        simulation.step()


def test_a_force_moves_what_it_acts_on() -> None:
    scene = stiction.Scene("ball", gravity=[0, 0, 0])
    model = scene.body("ball", shape="sphere", radius=0.1, mass=2.0).build()
    simulation = Simulation(model, dt=0.01)
    for _ in range(100):
        simulation.apply_force("ball", [4, 0, 0])
        simulation.apply_moment("ball", [0, 0, 0.008])
        simulation.step()
    inertia = 0.4 * 2 * 0.01
    assert simulation.v == pytest.approx([2, 0, 0, 0, 0, 0.008 / inertia], abs=1e-9)
    simulation.step()
    assert simulation.v[0] == pytest.approx(2, abs=1e-9), "a force lasts one step"


def test_controllers_run_at_their_pace(quadruped: stiction.Model) -> None:
    simulation = Simulation(quadruped)
    calls = []

    def hold(sim: Simulation) -> Any:
        calls.append(sim.time)
        return quadruped.control0

    simulation.run(0.1, hold, every=0.02)
    assert np.allclose(calls, [0, 0.02, 0.04, 0.06, 0.08]) and simulation.time == pytest.approx(0.1)
    simulation.run(5.0, until=lambda sim: sim.time > 0.15)
    assert 0.15 < simulation.time < 0.152


def test_snapshots_and_pickles_go_on_bit_for_bit(quadruped: stiction.Model) -> None:
    simulation = Simulation(quadruped, "nsgs-accelerated", dt=0.002, baumgarte=0.3)
    simulation.v[0] = 0.4
    simulation.run(0.1)
    snapshot, other, fresh = simulation.snapshot(), pickle.loads(pickle.dumps(simulation)), simulation.copy()
    assert other.contact == "nsgs-accelerated" and other.dt == 0.002
    simulation.run(0.1)
    end = simulation.q.tobytes() + simulation.v.tobytes()
    for again in (other, fresh):
        again.run(0.1)
        assert again.q.tobytes() + again.v.tobytes() == end
    simulation.restore(pickle.loads(pickle.dumps(snapshot)))
    assert simulation.time == pytest.approx(0.1)
    simulation.run(0.1)
    assert simulation.q.tobytes() + simulation.v.tobytes() == end
    with pytest.raises(stiction.Error, match="taken of another"):
        Simulation(quadruped, dt=0.001).restore(snapshot)


def test_reset_goes_back_to_the_start(quadruped: stiction.Model) -> None:
    simulation = Simulation(quadruped)
    simulation.run(0.05)
    simulation.control[:] = 0
    simulation.reset()
    assert simulation.time == 0 and (simulation.q == quadruped.q0).all()
    assert (simulation.control == quadruped.control0).all()
    simulation.reset(q=quadruped.neutral(), v=np.ones(quadruped.nv))
    assert (simulation.q == quadruped.neutral()).all() and (simulation.v == 1).all()


def test_reset_goes_to_keyframes() -> None:
    key = '<keyframe><key name="up" qpos="1 0 0 0 0.4 1 0 2 1 0 0 0" ctrl="0.7"/></keyframe></mujoco>'
    model = stiction.loads(ARM.replace("</mujoco>", key))
    simulation = Simulation(model)
    simulation.reset("up")
    assert simulation.q[4] == 0.4 and simulation.q[7] == 2 and simulation.control[0] == 0.7
    with pytest.raises(stiction.UnknownName, match="no keyframe is called `down`"):
        simulation.reset("down")


def test_models_are_looked_up_by_name_and_by_index(arm: stiction.Model) -> None:
    assert (arm.nq, arm.nv, arm.nu) == (4 + 1 + 7, 3 + 1 + 6, 1)
    assert arm.joints.names == ["shoulder", "elbow", "box"]
    assert arm.joints["elbow"] is arm.joints[1] and arm.joints.index("box") == 2
    assert arm.joints["elbow"].kind == "hinge" and arm.joints["elbow"].q == slice(4, 5)
    assert arm.bodies["lower"].mass == pytest.approx(0.7) and arm.bodies["lower"].parent == 0
    assert arm.geometries["floor"].shape == {"kind": "plane"} and arm.geometries["floor"].body is None
    assert arm.sites["hand"].position == pytest.approx((0.3, 0, 0))
    with pytest.raises(stiction.UnknownName, match="no joint is called `elbo`.*did you mean `elbow`"):
        arm.joints["elbo"]
    with pytest.raises(IndexError):
        arm.joints[3]


def test_numbers_of_a_model_can_be_replaced(arm: stiction.Model) -> None:
    fields = arm.fields()
    mass = fields["mass"] * 2
    heavy = arm.replace(mass=mass, gravity=[0, 0, -1.62], friction=0.2, damping=fields["damping"] * 3)
    assert heavy.bodies["box"].mass == pytest.approx(4) and arm.bodies["box"].mass == pytest.approx(2)
    assert heavy.fields()["inertia"] == pytest.approx(fields["inertia"] * 2)
    assert heavy.gravity[2] == -1.62 and (heavy.fields()["friction"] == 0.2).all()
    again = pickle.loads(pickle.dumps(heavy))
    assert all((again.fields()[k] == v).all() for k, v in heavy.fields().items())
    with pytest.raises(stiction.Error, match="no quantity is called `mas`; there are: gravity, mass"):
        arm.replace(mas=1)
    with pytest.raises(stiction.Error, match="`mass` has the shape .2.; expected .3."):
        arm.replace(mass=[1, 2])
    with pytest.raises(stiction.Error, match="friction.*-1"):
        arm.replace(friction=-1)
    with pytest.raises(stiction.Error, match="inertia.0. is"):
        arm.replace(inertia=np.zeros((3, 3, 3)) + np.diag([1, 1, 5]))


def test_a_world_is_built_in_code_and_pickled() -> None:
    robot = '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="m.obj"/></geometry></collision></link></robot>'
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    scene = stiction.Scene("mine", gravity=(0, 0, -9.81), duration=2).ground(friction=0.5).stepper(dt=0.002)
    scene.fixed("wall", shape="box", size=[1, 1, 1], position=[5, 0, 0]).contact("nsgs", tolerance=1e-7)
    scene.model(text=robot, assets={"m.obj": mesh}, free_base=True, position=[0, 0, 1])
    scene.model(builtin="gripper", prefix="g_", position=[2, 0, 0])
    scene.body("ball", shape="sphere", radius=0.1, mass=1, position=[0, 2, 1], count=3, offset=[0, 0.3, 0])
    scene.force("ball0", direction=[1, 0, 0], magnitude=1.0)
    model = scene.build()
    assert model.dt == 0.002 and model.settings["contact"] == "nsgs" and model.duration == 2
    assert {"ball0", "ball2"} <= set(model.bodies.names)
    again = pickle.loads(pickle.dumps(model))
    assert again.bodies.names == model.bodies.names
    simulation = Simulation(again)
    simulation.run(0.1)
    assert simulation.v[again.joints["ball0"].v][0] == pytest.approx(0.1, rel=1e-6)
    with pytest.raises(stiction.Error, match="unknown field `siz`"):
        stiction.Scene().body("b", shape="box", siz=[1, 1, 1], mass=1).build()


def test_recordings_are_written_in_every_form(arm: stiction.Model, tmp_path: Path) -> None:
    simulation = Simulation(arm)
    with pytest.raises(stiction.Error, match="nothing is recorded"):
        simulation.replay()
    recording = simulation.record(100)
    simulation.run(0.1)
    arrays = recording.arrays()
    assert arrays["t"].shape == (101,) and arrays["q"].shape == (101, arm.nq)
    assert (arrays["q"][-1] == simulation.q).all() and np.nanmax(arrays["natural_map"]) < 1e-6
    for ending in ("html", "mcap", "npz", "parquet", "csv"):
        recording.save(tmp_path / f"run.{ending}")
        assert (tmp_path / f"run.{ending}").stat().st_size > 1000
    archive = np.load(tmp_path / "run.npz")
    about = json.loads(archive["about.json"]) if "about.json" in archive.files else {}
    assert recording.about == about and set(arrays) == {entry["name"] for entry in about["arrays"]}
    for name, array in arrays.items():
        assert array.dtype == archive[name].dtype and np.array_equal(array, archive[name], equal_nan=True), name
    assert archive["t"].shape == (101,) and archive["body_position"].shape == (101, len(arm.bodies), 3)
    offsets = archive["contact_offsets"]
    assert offsets.shape == (102,) and offsets[0] == 0 and (np.diff(offsets) >= 0).all()
    assert archive["contact_force"].shape == (offsets[-1], 3) and archive["contact_gap"].shape == (offsets[-1],)
    assert {entry["name"] for entry in about["arrays"]} <= set(archive.files)
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = parquet.read_table(tmp_path / "run.parquet")
    assert table.num_rows == 101 and set(table["status"].to_pylist()[1:]) <= {"converged", "rounding"}
    assert table["t [s]"].to_pylist() == arrays["t"].tolist()
    assert parquet.read_table(tmp_path / "run.contacts.parquet").num_rows == offsets[-1]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = recording.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 101
    assert frame["t [s]"].iloc[-1] == pytest.approx(0.1) and list(frame.columns) == table.column_names
    with pytest.raises(stiction.Error, match="run.txt: expected a name"):
        recording.save(tmp_path / "run.txt")


def test_recordings_hold_the_forces_of_contacts() -> None:
    simulation = Simulation(sliding_box())
    recording = simulation.record(100)
    simulation.run(0.05)
    arrays, about = recording.arrays(), recording.about
    weight = simulation.model.fields()["mass"].sum() * 9.81
    last = slice(arrays["contact_offsets"][-2], arrays["contact_offsets"][-1])
    up = arrays["contact_force"][last, 2] * np.where(arrays["contact_bodies"][last, 1] >= 0, 1.0, -1.0)
    assert up.sum() == pytest.approx(weight, rel=1e-6)
    assert arrays["effort"].shape == (len(arrays["t"]), 0) and len(arrays["remedy"]) == len(arrays["t"])
    assert about["status"][arrays["status"][-1]] in ("converged", "rounding")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = recording.to_pandas(contacts=True)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(arrays["contact_t"])
    assert set(frame["body a"]) | set(frame["body b"]) <= {*about["bodies"], "world"}


def test_written_models_say_the_same(arm: stiction.Model) -> None:
    again = stiction.loads(arm.to_mjcf(), complete=False)
    assert again.joints.names == arm.joints.names
    assert again.fields()["mass"] == pytest.approx(arm.fields()["mass"])


def test_statuses_of_steps_are_told() -> None:
    simulation = Simulation(sliding_box(), "nsgs", max_iterations=1, tolerance=1e-14)
    report = simulation.step()
    assert report.status == "not-converged" and report.flagged and report.failure is None
    assert report.contacts == 4 and report.iterations >= 1 and "not-converged" in repr(report)
    certificate = simulation.certificate
    assert certificate.natural_map > 1e-14 and certificate.worst in range(4)
    assert json.dumps(certificate.__dict__)
    assert math.isfinite(simulation.own_natural_map)


def test_pictures_show_what_is_there() -> None:
    scene = stiction.Scene("ball", gravity=[0, 0, 0])
    model = scene.body("ball", shape="sphere", radius=0.5, mass=1.0, position=[0, 0, 2]).build()
    simulation = Simulation(model)
    picture = simulation.picture(101, 81, eye=[5, 0, 2], target=[0, 0, 2], field_of_view=0.5)
    assert picture.rgb.shape == (81, 101, 3) and picture.depth[40, 50] == pytest.approx(4.5, abs=1e-3)
    # The ball is seen under asin(0.1); all else is nothing.
    wide = 2 * math.tan(math.asin(0.1)) * 40.5 / math.tan(0.25)
    assert (picture.segmentation[40] == 0).sum() == pytest.approx(wide, abs=2)
    assert picture.segmentation[0, 0] == -1 and np.isinf(picture.depth[0, 0])
    on = simulation.picture(101, 81, eye=[5, 0, 0], on="ball", axes=[[0, 1, 0], [0, 0, -1], [-1, 0, 0]], field_of_view=0.5)
    assert on.depth[40, 50] == pytest.approx(4.5, abs=1e-3)
    assert (simulation.picture().segmentation == 0).any()
    with pytest.raises(stiction.Error, match="a camera needs an eye and a target"):
        simulation.picture(eye=[0, 0, 0])
    with pytest.raises(stiction.Error, match="a picture of 0 × 480 pixels"):
        simulation.picture(0)


def test_effort_bounds_what_a_step_costs() -> None:
    """A dial of ``auto``: other solvers refuse it by name, and words that are none are told those there are."""
    for effort in ("fast", "balanced", "exact"):
        report = Simulation(sliding_box(), effort=effort).step()
        assert report.status == "converged" and report.bound_met is None
    with pytest.raises(stiction.Error, match="no parameter `effort`"):
        Simulation(sliding_box(), "nsgs", effort="fast")
    with pytest.raises(stiction.Error, match="fast, balanced, exact"):
        Simulation(sliding_box(), effort="quick")
    stiction.Batch(sliding_box(), 2, effort="fast").step()
