"""Angular momenta, derivatives of inverse dynamics, and the files of a model."""

from __future__ import annotations

import posixpath
from pathlib import Path

import numpy as np

from .._tables import Array
from ._checks import of
from ._data import MjData
from ._functions import mj_integratePos, mj_inverse, mj_jacBodyCom
from ._guard import NotOffered
from ._math import turned
from ._model import MjModel


def mj_angmomMat(m: MjModel, d: MjData, mat: Array, body: int) -> None:
    """The matrix (3, nv) that makes of velocities the angular momentum of all that hangs on a body, about its centre of mass."""
    of(m, d)
    hangs = np.zeros(m.nbody, bool)
    hangs[body] = True
    for b in range(body + 1, m.nbody):
        hangs[b] |= hangs[m.body_parentid[b]]
    on = np.flatnonzero(hangs)
    mass = float(m.body_mass[on].sum())
    centre = m.body_mass[on] @ d.xipos[on] / mass if mass > 0 else np.zeros(3)
    out, jacp, jacr = np.zeros((3, m.nv)), np.zeros((3, m.nv)), np.zeros((3, m.nv))
    for b in on.tolist():
        mj_jacBodyCom(m, d, jacp, jacr, b)
        axes = turned(d.ximat[b])
        out += axes @ np.diag(m.body_inertia[b]) @ axes.T @ jacr
        out += float(m.body_mass[b]) * np.cross(d.xipos[b] - centre, jacp, axisb=0).T
    mat[:] = out


def mjd_inverseFD(
    m: MjModel, d: MjData, eps: float, flg_actuation: int, DfDq: Array | None, DfDv: Array | None, DfDa: Array | None, DsDq: Array | None,
    DsDv: Array | None, DsDa: Array | None, DmDq: Array | None,
) -> None:
    """Derivatives of :func:`mj_inverse` by differences: of efforts, transposed as MuJoCo has them. Those of sensors and masses are refused."""
    of(m, d)
    if any(x is not None for x in (DsDq, DsDv, DsDa, DmDq)):
        raise NotOffered("stiction.mujoco does not offer mjd_inverseFD of sensors and of the mass matrix")
    q, v, a = d.qpos.copy(), d.qvel.copy(), d.qacc.copy()

    def efforts(q: Array, v: Array, a: Array) -> Array:
        d.qpos[:], d.qvel[:] = q, v
        d.qacc[:] = a
        mj_inverse(m, d)
        out = np.array(d.qfrc_inverse)
        return out - d.qfrc_actuator if flg_actuation else out

    try:
        middle = efforts(q, v, a) if any(x is not None for x in (DfDq, DfDv, DfDa)) else np.zeros(m.nv)
        for k, into in enumerate((DfDq, DfDv, DfDa)):
            for i in range(m.nv if into is not None else 0):
                nudge = np.zeros(m.nv)
                nudge[i] = eps
                moved = q.copy()
                mj_integratePos(m, moved, nudge, 1.0)
                given = ((moved, v, a), (q, v + nudge, a), (q, v, a + nudge))[k]
                into[i] = (efforts(*given) - middle) / eps  # type: ignore[index]
    finally:
        d.qpos[:], d.qvel[:] = q, v
        d.qacc[:] = a


def mju_getXMLDependencies(filename: str) -> list[str]:
    """The files that a model is made of: the text, those that it includes, meshes, height fields, textures, skins, other models."""
    from .spec.parse import Read, parse

    out: dict[str, None] = {}

    def read(path: str) -> None:
        if path in out:
            return
        out[path] = None
        try:
            root = parse(Path(path).read_bytes())
        except OSError:
            raise ValueError(f"ParseXML: Error opening file '{path}'") from None
        folders = {"mesh": "meshdir", "hfield": "meshdir", "skin": "meshdir", "texture": "texturedir"}
        stated: dict[str, str] = {}
        ahead = [root]
        while ahead:
            node = ahead.pop()
            if node.tag == "compiler":
                stated |= node.attributes
            ahead += [child for child in node.children if isinstance(child, Read)]
        ahead = [root]
        while ahead:
            node = ahead.pop()
            files = [text for name, text in node.attributes.items() if name == "file" or (node.tag == "texture" and name.startswith("file"))]
            for file in files:
                folder = stated.get(folders.get(node.tag, ""), stated.get("assetdir", "") if node.tag in folders else "")
                found = posixpath.join(posixpath.dirname(path), folder, file)
                if node.tag in ("include", "model") and file.endswith(".xml"):
                    read(found)
                elif node.tag in folders:
                    out[found] = None
            ahead += reversed([child for child in node.children if isinstance(child, Read)])

    read(str(filename))
    return list(out)


#: Names that this module offers.
NAMES = ("mj_angmomMat", "mjd_inverseFD", "mju_getXMLDependencies")
