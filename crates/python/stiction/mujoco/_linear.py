"""MuJoCo's linear algebra by its names: matrices with a band, sparse matrices, quadratic programs in a box; derivatives of turns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._tables import Array
from ._math import mju_subQuat, rotation_of
from ._math import row as _row

# ----------------------------------------------------------------------- matrices with a band


def mju_bandDiag(i: int, ntotal: int, nband: int, ndense: int) -> int:
    """Where the diagonal element of a row stands in a matrix with a band and dense rows."""
    sparse = ntotal - ndense
    return i * nband + nband - 1 if i < sparse else sparse * nband + (i - sparse) * ntotal + i


def _rows(ntotal: int, nband: int, ndense: int) -> list[tuple[slice, slice]]:
    """Columns of every row up to the diagonal, and where they stand in the band."""
    out = []
    for i in range(ntotal):
        diagonal = mju_bandDiag(i, ntotal, nband, ndense)
        first = max(0, i - nband + 1) if i < ntotal - ndense else 0
        out.append((slice(first, i + 1), slice(diagonal - (i - first), diagonal + 1)))
    return out


def mju_dense2Band(res: Array, mat: ArrayLike, ntotal: int, nband: int, ndense: int) -> None:
    """A dense matrix as one with a band."""
    dense = np.asarray(mat, np.float64).reshape(ntotal, ntotal)
    for i, (columns, places) in enumerate(_rows(ntotal, nband, ndense)):
        res[places] = dense[i, columns]


def mju_band2Dense(res: Array, mat: ArrayLike, ntotal: int, nband: int, ndense: int, flg_sym: bool) -> None:
    """A matrix with a band as a dense one, with its upper triangle if ``flg_sym``."""
    out = np.zeros((ntotal, ntotal))
    for i, (columns, places) in enumerate(_rows(ntotal, nband, ndense)):
        out[i, columns] = _row(mat)[places]
    if flg_sym:
        out += np.tril(out, -1).T
    res[...] = out.reshape(res.shape)


def mju_bandMulMatVec(
    res: Array, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int, nvec: int, flg_sym: bool
) -> None:
    """A matrix with a band times ``nvec`` vectors, one after the other."""
    dense = np.zeros((ntotal, ntotal))
    mju_band2Dense(dense, mat, ntotal, nband, ndense, flg_sym)
    vectors = _row(vec).reshape(nvec, ntotal)
    res[...] = (vectors @ dense.T).reshape(res.shape)


def mju_cholFactorBand(mat: Array, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float) -> float:
    """The Cholesky factor of a matrix with a band, in its place. Returns the least of its diagonal; 0 if there is none."""
    dense = np.zeros((ntotal, ntotal))
    mju_band2Dense(dense, mat, ntotal, nband, ndense, True)
    dense += np.diag(diagadd + diagmul * np.diag(dense))
    try:
        factor = np.linalg.cholesky(dense)
    except np.linalg.LinAlgError:
        return 0.0
    mju_dense2Band(mat, factor, ntotal, nband, ndense)
    return float(np.diag(factor).min())


def mju_cholSolveBand(res: Array, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int) -> None:
    """Solves with the factor of :func:`mju_cholFactorBand`."""
    factor = np.zeros((ntotal, ntotal))
    mju_band2Dense(factor, mat, ntotal, nband, ndense, False)
    res[...] = np.linalg.solve(factor.T, np.linalg.solve(factor, _row(vec))).reshape(res.shape)


# ---------------------------------------------------------------------------- sparse matrices


def mju_dense2sparse(res: Array, mat: ArrayLike, rownnz: Any, rowadr: Any, colind: Any) -> int:
    """A dense matrix as a sparse one; 1 if there is not enough room."""
    dense = np.asarray(mat, np.float64)
    rows, columns = np.nonzero(dense)
    if len(rows) > min(np.size(res), np.size(colind)):
        return 1
    res[: len(rows)], colind[: len(rows)] = dense[rows, columns], columns
    rownnz[:] = np.count_nonzero(dense, axis=1)
    rowadr[:] = np.concatenate([[0], np.cumsum(rownnz)[:-1]])
    return 0


def mju_sparse2dense(res: Array, mat: ArrayLike, rownnz: ArrayLike, rowadr: ArrayLike, colind: ArrayLike) -> None:
    """A sparse matrix as a dense one."""
    values, columns = _row(mat), np.ravel(colind)
    res[...] = 0
    for i, (count, start) in enumerate(zip(np.ravel(rownnz), np.ravel(rowadr))):
        res[i, columns[start : start + count]] = values[start : start + count]


# -------------------------------------------------------------------------- quadratic programs


def mju_boxQP(
    res: Array, R: Array, index: Any, H: ArrayLike, g: ArrayLike, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> int:
    """Minimises xᵀHx/2 + xᵀg in a box, from ``res``, by projected Newton steps [Tassa2014].

    Returns how many coordinates are free, whose numbers go into ``index`` and the Cholesky factor of whose part of H into ``R``; −1 if
    H is not positive definite.
    """
    n = len(res)
    hessian, gradient = np.tril(np.asarray(H, np.float64)), _row(g)
    hessian = hessian + np.tril(hessian, -1).T
    least = np.full(n, -np.inf) if lower is None else _row(lower)
    most = np.full(n, np.inf) if upper is None else _row(upper)
    x = np.clip(np.asarray(res, np.float64), least, most)

    def value(y: Array) -> float:
        return float(y @ hessian @ y / 2 + y @ gradient)

    free, factor = np.zeros(0, np.int64), np.zeros((0, 0))
    for _ in range(100):
        slope = hessian @ x + gradient
        free = np.flatnonzero(~((x <= least) & (slope > 0) | (x >= most) & (slope < 0)))
        try:
            factor = np.linalg.cholesky(hessian[np.ix_(free, free)])
        except np.linalg.LinAlgError:
            return -1
        if not len(free) or np.linalg.norm(slope[free]) < 1e-10 * (1 + np.linalg.norm(gradient)):
            break
        step = np.zeros(n)
        step[free] = -np.linalg.solve(factor.T, np.linalg.solve(factor, slope[free]))
        share = 1.0
        while share > 1e-12:
            new = np.clip(x + share * step, least, most)
            if value(new) <= value(x) + 0.1 * float(slope @ (new - x)):
                break
            share /= 2
        if np.allclose(new, x, rtol=0, atol=1e-15):
            break
        x = new
    res[:] = x
    R.ravel()[: factor.size] = factor.ravel()
    if index is not None:
        index[: len(free)] = free
    return len(free)


# ------------------------------------------------------------------------ derivatives of turns


def _cross(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])


def mjd_subQuat(qa: ArrayLike, qb: ArrayLike, Da: Array | None, Db: Array | None) -> None:
    """Derivatives of :func:`mju_subQuat` by turns of both quaternions in their own axes."""
    turn = np.zeros(3)
    mju_subQuat(turn, *(np.asarray(_row(q)) for q in (qa, qb)))
    half = float(np.linalg.norm(turn)) / 2
    share = 1.0 if half < 1e-6 else half / np.tan(half)
    axis = turn / (2 * half) if half else np.zeros(3)
    by_a = share * np.eye(3) + (1 - share) * np.outer(axis, axis) + _cross(turn / 2)
    for into, derivative in ((Da, by_a), (Db, -by_a.T)):
        if into is not None:
            into[...] = derivative.reshape(into.shape)


def mjd_quatIntegrate(vel: ArrayLike, scale: float, Dquat: Array, Dvel: Array, Dscale: Array) -> None:
    """Derivatives of :func:`mju_quatIntegrate` by the quaternion, the velocity and the time."""
    v = _row(vel)
    turn = v * scale
    angle = float(np.linalg.norm(turn))
    quat = np.array([np.cos(angle / 2), *(turn * (0.5 if angle < 1e-12 else np.sin(angle / 2) / angle))])
    k = _cross(turn)
    if angle < 1e-4:
        right = np.eye(3) - k / 2 + k @ k / 6
    else:
        right = np.eye(3) - (1 - np.cos(angle)) / angle**2 * k + (angle - np.sin(angle)) / angle**3 * (k @ k)
    Dquat[...] = rotation_of(quat).T.reshape(Dquat.shape)
    Dvel[...] = right.reshape(Dvel.shape)
    Dscale[...] = v.reshape(Dscale.shape)


#: Names that this module offers.
NAMES = tuple(name for name in globals() if name.startswith(("mju_", "mjd_")) and name != "mju_subQuat")
