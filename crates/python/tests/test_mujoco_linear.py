"""Linear algebra, rays and derivatives under MuJoCo's names, beside MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stiction.mujoco as ours


@pytest.fixture
def theirs() -> Any:
    found = pytest.importorskip("mujoco", reason="mujoco is not installed")
    if found.mj_version() < 4000000:
        pytest.skip("the signatures are of MuJoCo 4")
    return found


def test_matrices_with_a_band(theirs: Any) -> None:
    rng, (n, band, rows) = np.random.default_rng(0), (7, 3, 2)
    dense = 8 * np.eye(n)
    for i in range(n):
        for j in range(i):
            if i >= n - rows or i - j < band:
                dense[i, j] = dense[j, i] = rng.normal()
    size = band * (n - rows) + rows * n
    vec, found = rng.normal(size=(n, 1)), []
    for of in (theirs, ours):
        mat, back, product, solved = np.zeros(size), np.zeros((n, n)), np.zeros((n, 1)), np.zeros(n)
        of.mju_dense2Band(mat, dense, n, band, rows)
        of.mju_band2Dense(back, mat, n, band, rows, 1)
        of.mju_bandMulMatVec(product, mat, vec, n, band, rows, 1, 1)
        least = of.mju_cholFactorBand(mat, n, band, rows, 0.1, 0.2)
        of.mju_cholSolveBand(solved, mat, vec.ravel(), n, band, rows)
        found.append((back, product, mat, solved, np.array([least, of.mju_bandDiag(6, n, band, rows)])))
    for a, b in zip(*found):
        assert np.allclose(a, b)
    assert np.array_equal(found[1][0], dense)


def test_programs_in_a_box(theirs: Any) -> None:
    rng, n = np.random.default_rng(1), 6
    for _ in range(50):
        a = rng.normal(size=(n, n))
        given = (a @ a.T + 0.1 * np.eye(n), rng.normal(size=n) * 3, -rng.uniform(0.1, 1, n), rng.uniform(0.1, 1, n))
        found = []
        for of in (theirs, ours):
            x, r, index = np.zeros(n), np.zeros((n, n + 7)), np.zeros(n, np.int32)
            rank = of.mju_boxQP(x, r, index, *given)
            found.append((rank, x, index[:rank], np.tril(r.ravel()[: rank * rank].reshape(rank, rank))))
        for one, other in zip(*found):
            assert np.allclose(one, other, atol=1e-6)
    assert ours.mju_boxQP(np.zeros(2), np.zeros((2, 9)), None, -np.eye(2), np.ones(2)) == -1


def test_rays_meet_shapes_where_mujocos_do(theirs: Any) -> None:
    rng = np.random.default_rng(2)
    for _ in range(600):
        shape, mat, quat = int(rng.choice([0, 2, 3, 4, 5, 6])), np.empty(9), rng.normal(size=4)
        theirs.mju_quat2Mat(mat, quat / np.linalg.norm(quat))
        given = (rng.normal(size=3) * 0.3, mat, rng.uniform(0.2, 1, 3), rng.normal(size=3) * rng.choice([0.2, 2]), rng.normal(size=3), shape)
        a, b = np.zeros(3), np.zeros(3)
        assert theirs.mju_rayGeom(*given, a) == pytest.approx(ours.mju_rayGeom(*given, b)) and np.allclose(a, b)
    with pytest.raises(ours.NotOffered, match="MESH"):
        ours.mju_rayGeom(np.zeros(3), np.eye(3), np.ones(3), np.ones(3), -np.ones(3), ours.mjtGeom.mjGEOM_MESH)


def test_derivatives_of_turns_and_momenta(theirs: Any) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b, v = (rng.normal(size=k) for k in (4, 4, 3))
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        found = []
        for of in (theirs, ours):
            out = [np.empty((3, 3)), np.empty((3, 3)), np.empty(9), np.empty(9), np.empty(3)]
            of.mjd_subQuat(a, b, *out[:2])
            of.mjd_quatIntegrate(v, 0.7, *out[2:])
            found.append(np.concatenate([x.ravel() for x in out]))
        assert np.allclose(*found)
    text = """<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size=".1 .2 .3" type="box"/><body pos=".3 0 0" euler="10 20 30">
    <joint axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .3 .1 0"/></body></body></worldbody></mujoco>"""
    matrices = []
    for of in (theirs, ours):
        model = of.MjModel.from_xml_string(text)
        data, mat, forces = of.MjData(model), np.zeros((3, model.nv)), [np.zeros((model.nv, model.nv)) for _ in range(3)]
        data.qvel[:] = np.arange(model.nv) * 0.3
        of.mj_forward(model, data)
        of.mj_angmomMat(model, data, mat, 1)
        of.mjd_inverseFD(model, data, 1e-6, 0, *forces, None, None, None, None)
        matrices.append(np.vstack([mat, *forces]))
    assert np.allclose(*matrices, atol=1e-5)


def test_sparse_matrices_and_texts(tmp_path: Path) -> None:
    mat = np.array([[0.0, 1, 0], [2, 0, 3]])
    values, counts, starts, columns, back = np.zeros(3), np.zeros(2, np.int32), np.zeros(2, np.int32), np.zeros(3, np.int32), np.zeros((2, 3))
    assert ours.mju_dense2sparse(values, mat, counts, starts, columns) == 0
    ours.mju_sparse2dense(back, values, counts, starts, columns)
    assert np.array_equal(back, mat) and ours.mju_dense2sparse(values[:2], mat, counts, starts, columns) == 1
    with pytest.raises(ours.FatalError, match="exactly 3 characters"):
        ours.mju_euler2Quat(np.zeros(4), np.zeros(3), "xy")
    (tmp_path / "inner.xml").write_text('<mujoco><asset><mesh file="a.stl"/></asset></mujoco>')
    (tmp_path / "all.xml").write_text('<mujoco><compiler meshdir="m"/><asset><mesh file="b.stl"/></asset><include file="inner.xml"/></mujoco>')
    found = ours.mju_getXMLDependencies(str(tmp_path / "all.xml"))
    assert [Path(f).name for f in found] == ["all.xml", "b.stl", "inner.xml", "a.stl"] and "/m/b.stl" in found[1]


def test_what_never_moves_has_frames_and_planes_their_sizes() -> None:
    model = ours.MjModel.from_xml_string(
        """<mujoco><default><default class="wide"><geom type="plane" size="3 4 .1"/></default></default>
        <worldbody><geom class="wide"/><geom size="1" pos="0 0 2"/></worldbody></mujoco>"""
    )
    data = ours.MjData(model)
    ours.mj_forward(model, data)
    assert data.geom_xpos[1] == pytest.approx([0, 0, 2]) and model.geom_size[0] == pytest.approx([3, 4, 0.1])
    normal, hit = np.zeros(3), np.zeros(1, np.int32)
    assert ours.mj_ray(model, data, [0, 0, 9], [0, 0, -1], None, 1, -1, hit, normal) == pytest.approx(6)
    assert hit[0] == 1 and normal == pytest.approx([0, 0, 1])
    assert ours.mj_ray(model, data, [0, 0, 9], [0, 0, -1], [0, 1, 1, 1, 1, 1], 1, -1, hit) == -1


def test_meshes_have_as_many_vertices_as_mujocos(theirs: Any) -> None:
    cube = "\n".join([f"v {x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] + ["f 1 2 4 3", "f 5 7 8", "f 1 5 6 2", "f 3 4 8 7"])
    text = """<mujoco><asset><mesh name="a" file="cube.obj"/><mesh name="b" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
    </asset><worldbody><geom type="mesh" mesh="a"/></worldbody></mujoco>"""
    a, b = (of.MjModel.from_xml_string(text, {"cube.obj": cube.encode()}) for of in (theirs, ours))
    for field in ("mesh_vertnum", "mesh_vertadr", "mesh_facenum", "mesh_faceadr", "nmeshvert", "nmeshface"):
        assert np.array_equal(getattr(a, field), getattr(b, field)), field
