"""MuJoCo's functions of vectors, quaternions (w, x, y, z) and poses, which write into their first argument."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._tables import Array
from ._guard import FatalError

#: Less than this is nothing.
mjMINVAL = 1e-15
mjPI = math.pi
mjMAXVAL = 1e10


def row(given: ArrayLike) -> Array:
    """Numbers of any shape, one after another."""
    return np.asarray(given, dtype=np.float64).ravel()


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """a b."""
    w, u, x, v = row(a)[0], row(a)[1:], row(b)[0], row(b)[1:]
    return np.concatenate([[w * x - u @ v], w * v + x * u + np.cross(u, v)])


def rotation_of(quat: ArrayLike) -> Array:
    """The matrix (3, 3) of a quaternion."""
    w, x, y, z = row(quat)
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def turned(mat: Any) -> Array:
    """A matrix (3, 3) of nine numbers."""
    return np.asarray(mat, dtype=np.float64).reshape(3, 3)


def quaternion_of(mat: ArrayLike) -> Array:
    """The unit quaternion of a rotation matrix, by a component that is large."""
    m = np.asarray(mat, dtype=np.float64).reshape(3, 3)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace > 0:
        q = np.array([1 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i = int(np.argmax(np.diag(m)))
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.zeros(4)
        q[0] = m[k, j] - m[j, k]
        q[1 + i] = 1 + m[i, i] - m[j, j] - m[k, k]
        q[1 + j], q[1 + k] = m[j, i] + m[i, j], m[k, i] + m[i, k]
    return np.asarray(q / np.linalg.norm(q), dtype=np.float64)


def mju_sym2dense(res: Array, mat: ArrayLike, rownnz: ArrayLike, rowadr: ArrayLike, colind: ArrayLike) -> None:
    """Writes a symmetric matrix of which the lower half is given row by row."""
    numbers, columns = row(mat), np.asarray(colind)
    out = np.zeros(res.shape)
    for i, (count, start) in enumerate(zip(np.asarray(rownnz), np.asarray(rowadr))):
        part = slice(int(start), int(start) + int(count))
        out[i, columns[part]] = out[columns[part], i] = numbers[part]
    res[:] = out


def mju_zero3(res: Array) -> None:
    """res = 0."""
    res[:] = 0


def mju_zero4(res: Array) -> None:
    """res = 0."""
    res[:] = 0


def mju_zero(res: Array) -> None:
    """res = 0."""
    res[:] = 0


def mju_unit4(res: Array) -> None:
    """res = (1, 0, 0, 0)."""
    res[:] = (1, 0, 0, 0)


def mju_copy(res: Array, vec: ArrayLike) -> None:
    """res = vec."""
    res[:] = vec


mju_copy3 = mju_copy4 = mju_copy


def mju_scl3(res: Array, vec: ArrayLike, scl: float) -> None:
    """res = vec scl."""
    res[:] = row(vec) * scl


mju_scl = mju_scl3


def mju_add3(res: Array, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 + vec2."""
    res[:] = row(vec1) + row(vec2)


mju_add = mju_add3


def mju_sub3(res: Array, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 − vec2."""
    res[:] = row(vec1) - row(vec2)


mju_sub = mju_sub3


def mju_addTo3(res: Array, vec: ArrayLike) -> None:
    """res += vec."""
    res += row(vec)


mju_addTo = mju_addTo3


def mju_subFrom3(res: Array, vec: ArrayLike) -> None:
    """res −= vec."""
    res -= row(vec)


mju_subFrom = mju_subFrom3


def mju_addToScl3(res: Array, vec: ArrayLike, scl: float) -> None:
    """res += vec scl."""
    res += row(vec) * scl


mju_addToScl = mju_addToScl3


def mju_addScl3(res: Array, vec1: ArrayLike, vec2: ArrayLike, scl: float) -> None:
    """res = vec1 + vec2 scl."""
    res[:] = row(vec1) + row(vec2) * scl


mju_addScl = mju_addScl3


def mju_dot3(vec1: ArrayLike, vec2: ArrayLike) -> float:
    """vec1 · vec2."""
    return float(row(vec1) @ row(vec2))


mju_dot = mju_dot3


def mju_dist3(pos1: ArrayLike, pos2: ArrayLike) -> float:
    """The distance of two points."""
    return float(np.linalg.norm(row(pos1) - row(pos2)))


def mju_cross(res: Array, a: ArrayLike, b: ArrayLike) -> None:
    """res = a × b."""
    res[:] = np.cross(row(a), row(b))


def mju_norm3(vec: ArrayLike) -> float:
    """Euclid's norm."""
    return float(np.linalg.norm(row(vec)))


mju_norm = mju_norm3


def _normalize(vec: Array, otherwise: tuple[float, ...]) -> float:
    length = float(np.linalg.norm(vec))
    if length < mjMINVAL:
        vec[:] = otherwise
    else:
        vec /= length
    return length


def mju_normalize3(vec: Array) -> float:
    """Gives a vector unit length, in place, and returns the length it had; (1, 0, 0) for none."""
    return _normalize(vec, (1, 0, 0))


def mju_normalize4(vec: Array) -> float:
    """Gives a quaternion unit length, in place, and returns the length it had; (1, 0, 0, 0) for none."""
    return _normalize(vec, (1, 0, 0, 0))


def mju_normalize(vec: Array) -> float:
    """The same for vectors of any length."""
    return _normalize(vec, (1, *[0] * (len(vec) - 1)))


def mju_mulMatVec3(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat vec."""
    res[:] = np.asarray(mat, float).reshape(3, 3) @ row(vec)


def mju_mulMatTVec3(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = matᵀ vec."""
    res[:] = np.asarray(mat, float).reshape(3, 3).T @ row(vec)


def mju_mulMatVec(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat vec."""
    res[:] = np.asarray(mat, float) @ row(vec)


def mju_mulMatTVec(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = matᵀ vec."""
    res[:] = np.asarray(mat, float).T @ row(vec)


def mju_mulMatMat(res: Array, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1 mat2."""
    res[:] = np.asarray(mat1, float) @ np.asarray(mat2, float)


def mju_mulMatTMat(res: Array, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1ᵀ mat2."""
    res[:] = np.asarray(mat1, float).T @ np.asarray(mat2, float)


def mju_mulMatMatT(res: Array, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1 mat2ᵀ."""
    res[:] = np.asarray(mat1, float) @ np.asarray(mat2, float).T


def mju_rotVecQuat(res: Array, vec: ArrayLike, quat: ArrayLike) -> None:
    """Turns a vector by a quaternion."""
    res[:] = rotation_of(quat) @ row(vec)


def mju_negQuat(res: Array, quat: ArrayLike) -> None:
    """The conjugate."""
    q = row(quat)
    res[:] = (q[0], -q[1], -q[2], -q[3])


def mju_mulQuat(res: Array, quat1: ArrayLike, quat2: ArrayLike) -> None:
    """res = quat1 quat2."""
    res[:] = quaternion_product(quat1, quat2)


def mju_mulQuatAxis(res: Array, quat: ArrayLike, axis: ArrayLike) -> None:
    """res = quat (0, axis)."""
    res[:] = quaternion_product(quat, np.concatenate([[0.0], row(axis)]))


def mju_axisAngle2Quat(res: Array, axis: ArrayLike, angle: float) -> None:
    """The turning by an angle about a unit axis."""
    res[0], res[1:] = math.cos(0.5 * angle), row(axis) * math.sin(0.5 * angle)


def mju_quat2Vel(res: Array, quat: ArrayLike, dt: float) -> None:
    """The angular velocity that makes the turning in ``dt`` seconds."""
    q = row(quat)
    length = float(np.linalg.norm(q[1:]))
    angle = 2 * math.atan2(length, float(q[0]))
    if angle > math.pi:
        angle -= 2 * math.pi
    res[:] = 0 if length < mjMINVAL else q[1:] * (angle / dt / length)


def mju_subQuat(res: Array, qa: ArrayLike, qb: ArrayLike) -> None:
    """The rotation vector, in the axes of ``qb``, that leads from ``qb`` to ``qa``."""
    b = row(qb)
    mju_quat2Vel(res, quaternion_product((b[0], -b[1], -b[2], -b[3]), qa), 1.0)


def mju_quat2Mat(res: Array, quat: ArrayLike) -> None:
    """The rotation matrix, by rows."""
    res[:] = rotation_of(quat).reshape(np.shape(res))


def mju_mat2Quat(quat: Array, mat: ArrayLike) -> None:
    """The quaternion of a rotation matrix."""
    quat[:] = quaternion_of(mat)


def mju_derivQuat(res: Array, quat: ArrayLike, vel: ArrayLike) -> None:
    """The rate of a quaternion whose body turns with ``vel``, in the world."""
    res[:] = 0.5 * quaternion_product(np.concatenate([[0.0], row(vel)]), quat)


def mju_quatIntegrate(quat: Array, vel: ArrayLike, scale: float) -> None:
    """Turns a quaternion with an angular velocity in its own axes for ``scale`` seconds, in place."""
    turn = np.zeros(4)
    axis = np.array(row(vel))
    angle = scale * mju_normalize3(axis)
    mju_axisAngle2Quat(turn, axis, angle)
    mju_normalize4(quat)
    quat[:] = quaternion_product(quat, turn)


def mju_quatZ2Vec(quat: Array, vec: ArrayLike) -> None:
    """The shortest turning of z onto a vector."""
    v = np.array(row(vec))
    if mju_normalize3(v) < mjMINVAL:
        quat[:] = (1, 0, 0, 0)
        return
    axis = np.cross([0.0, 0.0, 1.0], v)
    length = float(np.linalg.norm(axis))
    if length < 1e-10:
        quat[:] = (1, 0, 0, 0) if v[2] > 0 else (0, 1, 0, 0)
        return
    mju_axisAngle2Quat(quat, axis / length, math.atan2(length, float(v[2])))


def mju_euler2Quat(quat: Array, euler: ArrayLike, seq: str) -> None:
    """The turning by three angles [rad] about the axes of ``seq``: xyz moving with the body, XYZ fixed."""
    if len(seq) != 3:
        raise FatalError("mju_euler2Quat: seq must contain exactly 3 characters")
    for i, letter in enumerate(seq):
        if letter not in "xyzXYZ":
            raise FatalError(f"mju_euler2Quat: seq[{i}] is '{letter}', should be one of x, y, z, X, Y, Z")
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for angle, axis in zip(row(euler), seq):
        turn = np.zeros(4)
        mju_axisAngle2Quat(turn, np.eye(3)["xyz".index(axis.lower())], float(angle))
        q = quaternion_product(q, turn) if axis.islower() else quaternion_product(turn, q)
    quat[:] = q


def mju_mulPose(
    posres: Array, quatres: Array, pos1: ArrayLike, quat1: ArrayLike, pos2: ArrayLike, quat2: ArrayLike
) -> None:
    """One pose in another."""
    p, r = rotation_of(quat1) @ row(pos2) + row(pos1), quaternion_product(quat1, quat2)
    posres[:], quatres[:] = p, r
    mju_normalize4(quatres)


def mju_negPose(posres: Array, quatres: Array, pos: ArrayLike, quat: ArrayLike) -> None:
    """The inverse of a pose."""
    p = -rotation_of(quat).T @ row(pos)
    mju_negQuat(quatres, quat)
    posres[:] = p


def mju_trnVecPose(res: Array, pos: ArrayLike, quat: ArrayLike, vec: ArrayLike) -> None:
    """A point of a pose in the world."""
    res[:] = rotation_of(quat) @ row(vec) + row(pos)


def mju_transformSpatial(
    res: Array, vec: ArrayLike, flg_force: int, newpos: ArrayLike, oldpos: ArrayLike, rotnew2old: ArrayLike | None
) -> None:
    """A motion or a force, rotation or moment first, about another point and in other axes."""
    v, arm = np.array(row(vec)), row(newpos) - row(oldpos)
    if flg_force:
        v[:3] -= np.cross(arm, v[3:])
    else:
        v[3:] -= np.cross(arm, v[:3])
    if rotnew2old is not None:
        turn = np.asarray(rotnew2old, float).reshape(3, 3).T
        v[:3], v[3:] = turn @ v[:3], turn @ v[3:]
    res[:] = v


def mju_clip(x: float, min: float, max: float) -> float:
    """x between two ends."""
    return min if x < min else max if x > max else x


def mju_sign(x: float) -> float:
    """−1, 0 or 1."""
    return float(np.sign(x))


def mju_eye(mat: Array) -> None:
    """The identity."""
    mat[:] = np.eye(mat.shape[0])


def mju_transpose(res: Array, mat: ArrayLike) -> None:
    """res = matᵀ."""
    res[:] = np.asarray(mat, float).T


def mju_symmetrize(res: Array, mat: ArrayLike) -> None:
    """The symmetric part."""
    m = np.asarray(mat, float)
    res[:] = 0.5 * (m + m.T)


def mju_fill(res: Array, val: float) -> None:
    """All numbers one."""
    res[:] = val


def mju_mulVecMatVec(vec1: ArrayLike, mat: ArrayLike, vec2: ArrayLike) -> float:
    """vec1ᵀ mat vec2."""
    return float(row(vec1) @ np.asarray(mat, float) @ row(vec2))


#: How many numbers the results and arguments of functions have, in their order; None is no array.
_SIZES: dict[str, tuple[int | None, ...]] = {
    "mju_rotVecQuat": (3, 3, 4), "mju_negQuat": (4, 4), "mju_mulQuat": (4, 4, 4), "mju_quat2Mat": (9, 4), "mju_mat2Quat": (4, 9),
    "mju_subQuat": (3, 4, 4), "mju_quat2Vel": (3, 4, None), "mju_axisAngle2Quat": (4, 3, None), "mju_derivQuat": (4, 4, 3),
    "mju_quatIntegrate": (4, 3, None), "mju_quatZ2Vec": (4, 3), "mju_cross": (3, 3, 3), "mju_mulQuatAxis": (4, 4, 3),
    "mju_trnVecPose": (3, 3, 4, 3),
}


def _sized(name: str, sizes: tuple[int | None, ...]) -> Callable[..., Any]:
    """A function that refuses arrays of other sizes, and results of other kinds, instead of spreading numbers over them."""
    function = globals()[name]
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        for (what, value), size in zip(bound.arguments.items(), sizes):
            if size is not None and np.size(value) != size:
                raise TypeError(f"{name}: {what} has {np.size(value)} numbers; expected {size}")
        result = next(iter(bound.arguments.values()))
        if not isinstance(result, np.ndarray) or result.dtype != np.float64:
            raise TypeError(f"{name}: the result goes into an array of float64")
        return function(*given, **named)

    return checked


globals().update({name: _sized(name, sizes) for name, sizes in _SIZES.items()})
#: Names that this module offers.
NAMES = tuple(name for name in globals() if name.startswith(("mju_", "mjM", "mjP")))

