"""The algorithms of dynamics against their identities, and against Pinocchio and MuJoCo where these are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import stiction
from stiction import dynamics as dyn

from shared import ARM, data

Array = NDArray[np.float64]

#: A robot of seven hinges and slides on a moving base, whose joints turn and offset about everything.
CHAIN = """<robot name="chain">{links}{joints}</robot>"""


def chain() -> str:
    """The URDF of a branched robot."""
    dice = np.random.default_rng(3)
    links, joints = [], []
    for i in range(8):
        a, b, c = dice.uniform(0.01, 0.05, 3)
        x, y, z = dice.uniform(-0.1, 0.1, 3)
        links.append(
            f'<link name="l{i}"><inertial><origin xyz="{x} {y} {z}" rpy="{x} {y} {z}"/><mass value="{dice.uniform(0.5, 2)}"/>'
            f'<inertia ixx="{b + c}" iyy="{a + c}" izz="{a + b}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    for i, parent in enumerate([0, 1, 2, 0, 4, 4, 6]):
        kind = "prismatic" if i in (2, 5) else "revolute"
        x, y, z, r, p, w = dice.uniform(-0.5, 0.5, 6)
        axis = dice.normal(size=3)
        axis /= np.linalg.norm(axis)
        joints.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{parent}"/><child link="l{i + 1}"/>'
            f'<origin xyz="{x} {y} {z}" rpy="{r} {p} {w}"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
            '<limit lower="-3" upper="3" effort="100" velocity="100"/></joint>'
        )
    return CHAIN.format(links="".join(links), joints="".join(joints))


def somewhere(model: stiction.Model, seed: int) -> tuple[Array, Array, Array]:
    """A random configuration, velocity and third vector."""
    dice = np.random.default_rng(seed)
    q = dyn.integrate(model, model.neutral(), dice.normal(size=model.nv))
    return q, dice.normal(size=model.nv), dice.normal(size=model.nv)


@pytest.mark.parametrize("seed", range(3))
def test_algorithms_agree_with_each_other(arm: stiction.Model, seed: int) -> None:
    q, v, a = somewhere(arm, seed)
    M, nv = dyn.crba(arm, q), arm.nv
    tau = dyn.rnea(arm, q, v, a)
    assert tau == pytest.approx(M @ a + dyn.bias(arm, q, v), abs=1e-12)
    assert dyn.aba(arm, q, v, tau) == pytest.approx(a, abs=1e-9)
    assert dyn.bias(arm, q, v) == pytest.approx(dyn.coriolis(arm, q, v) @ v + dyn.gravity(arm, q), abs=1e-12)
    assert dyn.inverse_mass(arm, q) @ M == pytest.approx(np.eye(nv), abs=1e-9)
    kinetic, _ = dyn.energy(arm, q, v)
    assert kinetic == pytest.approx(0.5 * v @ M @ v)
    assert dyn.integrate(arm, q, dyn.difference(arm, q, dyn.integrate(arm, q, v, 0.3))) == pytest.approx(
        dyn.integrate(arm, q, v, 0.3), abs=1e-12
    )
    external = np.random.default_rng(seed).normal(size=(3, 6))
    by_jacobians = sum(dyn.body_jacobian(arm, q, b).T @ external[b] for b in range(3))
    assert tau - dyn.rnea(arm, q, v, a, external) == pytest.approx(by_jacobians, abs=1e-12)
    assert dyn.aba(arm, q, v, dyn.rnea(arm, q, v, a, external), external) == pytest.approx(a, abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_derivatives_are_those_of_finite_differences(arm: stiction.Model, seed: int) -> None:
    q, v, a = somewhere(arm, seed)
    h, eye = 1e-6, np.eye(arm.nv)

    def by_q(f: Any) -> Array:
        ends = [[f(dyn.integrate(arm, q, e, s * h)) for s in (1, -1)] for e in eye]
        return np.array([(p - m) / (2 * h) for p, m in ends]).T

    def by_v(f: Any) -> Array:
        return np.array([(f(v + h * e) - f(v - h * e)) / (2 * h) for e in eye]).T

    tau_q, tau_v, M = dyn.rnea_derivatives(arm, q, v, a)
    assert tau_q == pytest.approx(by_q(lambda x: dyn.rnea(arm, x, v, a)), abs=1e-6)
    assert tau_v == pytest.approx(by_v(lambda x: dyn.rnea(arm, q, x, a)), abs=1e-6)
    assert M == pytest.approx(dyn.crba(arm, q), abs=1e-12)
    a_q, a_v, a_tau = dyn.aba_derivatives(arm, q, v, a)
    scale = np.abs(a_q).max()
    assert a_q == pytest.approx(by_q(lambda x: dyn.aba(arm, x, v, a)), abs=1e-7 * scale)
    assert a_v == pytest.approx(by_v(lambda x: dyn.aba(arm, q, x, a)), abs=1e-7 * scale)
    assert a_tau == pytest.approx(dyn.inverse_mass(arm, q), abs=1e-9)
    point = np.array([0.2, 0.1, 1.2])
    body = arm.bodies.index("lower")
    velocity = dyn.point_jacobian(arm, q, body, point) @ v
    whole = dyn.body_velocities(arm, q, v)[body]
    origin = dyn.body_poses(arm, q)[0][body]
    assert velocity == pytest.approx(whole[3:] + np.cross(whole[:3], point - origin), abs=1e-12)
    rate = [(dyn.body_jacobian(arm, dyn.integrate(arm, q, v, s * h), body)) for s in (1, -1)]
    assert dyn.body_jacobian_rate(arm, q, v, body) == pytest.approx((rate[0] - rate[1]) / (2 * h), abs=1e-6)


def test_frames_momentum_rays_and_postures(arm: stiction.Model) -> None:
    q, v, _ = somewhere(arm, 5)
    for axes in ("aligned", "local", "world"):
        J = dyn.frame_jacobian(arm, q, "lower", axes)
        assert J @ v == pytest.approx(dyn.frame_velocity(arm, q, v, "lower", axes), abs=1e-12)
    with pytest.raises(stiction.Error, match="axes are called `body`; there are: aligned, local, world"):
        dyn.frame_jacobian(arm, q, 0, "body")
    c = dyn.centroidal(arm, q, v)
    assert c.momentum_matrix @ v == pytest.approx(dyn.momentum(arm, q, v), abs=1e-12)
    assert c.com_jacobian @ v == pytest.approx(dyn.momentum(arm, q, v)[3:] / 3.9, abs=1e-12)
    hit = dyn.ray(arm, arm.q0, [1, 0, 3], [0, 0, -2])
    assert hit and arm.geometries[hit.geometry].name == "box" and hit.distance == pytest.approx(2.8)
    assert hit.normal == pytest.approx([0, 0, 1]) and hit.point == pytest.approx([1, 0, 0.2])
    names = [arm.geometries[h.geometry].name for h in dyn.ray_all(arm, arm.q0, [1, 0, 3], [0, 0, -1])]
    assert names == ["box", "box", "floor"] or names == ["box", "box"] or names == ["box", "floor", "box"]
    through = dyn.ray(arm, arm.q0, [1, 0, 3], [0, 0, -1], exclude=["box"])
    assert through and arm.geometries[through.geometry].name == "floor"
    assert dyn.ray(arm, arm.q0, [1, 0, 3], [0, 0, 1]) is None
    apart = dyn.distance(arm, arm.q0, "box", "floor")
    assert apart and apart[0] == pytest.approx(0, abs=1e-12)
    within_reach = [0.24, 0.32, 1.5]
    solution, report = dyn.inverse_kinematics(arm, arm.q0, dyn.Target("lower", position=within_reach))
    assert report.status == "converged"
    assert dyn.frame_pose(arm, solution, "lower")[0] == pytest.approx(within_reach, abs=1e-8)


def test_pinocchio_says_the_same() -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    text = chain()
    ours = stiction.loads(text, free_base=True, complete=False)
    theirs = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    theirs.gravity.linear = np.array([0, 0, -9.81])
    its = theirs.createData()
    order = [theirs.joints[theirs.getJointId(j.name)].idx_v for j in ours.joints if j.kind != "free"]
    dice = np.random.default_rng(8)
    for _ in range(5):
        q, v, a = somewhere(ours, int(dice.integers(1000)))
        R = dyn.body_rotations(ours, q)[0]
        # Theirs: quaternion last number first; the base's velocity and its rate in axes of the base.
        q_p = np.zeros(theirs.nq)
        q_p[:3], q_p[3:7] = q[:3], [q[4], q[5], q[6], q[3]]
        T = np.zeros((theirs.nv, ours.nv))
        T[:3, :3], T[3:6, 3:6] = R.T, np.eye(3)
        for k, i in enumerate(order):
            q_p[i + 1], T[i, 6 + k] = q[7 + k], 1
        v_p = T @ v
        a_p = T @ a
        a_p[:3] -= np.cross(v_p[3:6], v_p[:3])  # the rate of what is measured in turning axes

        def near(x: Array, y: Array) -> bool:
            return bool(np.allclose(x, y, rtol=0, atol=1e-9 * max(1.0, np.abs(y).max())))

        tau = dyn.rnea(ours, q, v, a)
        assert near(tau, T.T @ pin.rnea(theirs, its, q_p, v_p, a_p))
        M = pin.crba(theirs, its, q_p)
        M = np.triu(M) + np.triu(M, 1).T
        assert near(dyn.crba(ours, q), T.T @ M @ T)
        accelerated = pin.aba(theirs, its, q_p, v_p, np.linalg.solve(T.T, tau))
        accelerated[:3] += np.cross(v_p[3:6], v_p[:3])
        assert near(T @ dyn.aba(ours, q, v, tau), accelerated)
        pin.computeJointJacobians(theirs, its, q_p)
        pin.updateFramePlacements(theirs, its)
        for link in ("l0", "l3", "l7"):
            J = pin.getFrameJacobian(theirs, its, theirs.getFrameId(link), pin.LOCAL_WORLD_ALIGNED)
            assert near(dyn.frame_jacobian(ours, q, link), np.vstack([J[3:], J[:3]]) @ T)
            placed = its.oMf[theirs.getFrameId(link)]
            assert near(dyn.frame_pose(ours, q, link)[0], placed.translation)
        pin.ccrba(theirs, its, q_p, v_p)
        c = dyn.centroidal(ours, q, v)
        assert near(c.momentum_matrix, np.vstack([its.Ag[3:], its.Ag[:3]]) @ T)
        assert near(c.com, its.com[0])
        pin.computeRNEADerivatives(theirs, its, q_p, v_p, a_p)
        # Where the base neither moves nor turns the two derivatives are about the same coordinates but for its axes.
        joints = slice(6, None)
        tau_v = dyn.rnea_derivatives(ours, q, v, a)[1]
        assert near(tau_v[joints, joints], (T.T @ its.dtau_dv @ T)[joints, joints])
        assert near(dyn.rnea_derivatives(ours, q, v, a)[0][joints, joints], (T.T @ its.dtau_dq @ T)[joints, joints])


def mjcf_models() -> list[str]:
    """MJCF files of others, if they are there."""
    folder = data()
    if folder is None:
        return []
    files = ["panda_mjcf/panda.xml", "a1_mjcf/a1.xml", "anymal_c_mjcf/anymal_c.xml", "cassie_mjcf/cassie.xml"]
    return [str(folder / "robots" / f) for f in files if (folder / "robots" / f).is_file()]


@pytest.mark.parametrize("path", ["arm", *mjcf_models()])
def test_mujoco_says_the_same(path: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    theirs = mujoco.MjModel.from_xml_string(ARM) if path == "arm" else mujoco.MjModel.from_xml_path(path)
    ours = stiction.loads(ARM, complete=False) if path == "arm" else stiction.load(path, complete=False)
    assert (ours.nq, ours.nv, ours.nu) == (theirs.nq, theirs.nv, theirs.nu)
    its = mujoco.MjData(theirs)
    q, v, _ = somewhere(ours, 1)
    its.qpos[:], its.qvel[:] = q, v
    mujoco.mj_forward(theirs, its)
    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, its, M)
    scale = np.abs(M).max()
    assert dyn.crba(ours, q) == pytest.approx(M, abs=1e-9 * scale)
    if not ours.tendons:
        assert dyn.bias(ours, q, v) == pytest.approx(its.qfrc_bias, abs=1e-9 * np.abs(its.qfrc_bias).max())
    for body in ours.bodies:
        there = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, body.name)
        assert dyn.body_poses(ours, q)[0][ours.bodies.index(body)] == pytest.approx(its.xpos[there], abs=1e-10)
        J = np.zeros((6, theirs.nv))
        mujoco.mj_jacBody(theirs, its, J[3:], J[:3], there)
        assert dyn.body_jacobian(ours, q, body.name) == pytest.approx(J, abs=1e-10)


def test_others_are_there_to_compare_with() -> None:
    if data() is None:
        pytest.skip("third-party models: set STICTION_DATA to the folder that holds them")
    assert mjcf_models()
