"""Trees of bodies and of velocities, and which numbers of matrices over them are not zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._model import MjModel

Whole = NDArray[np.int32]


def chains(m: MjModel) -> list[list[int]]:
    """For every velocity those on the way from the root to it, itself the last."""
    out: list[list[int]] = []
    for dof, parent in enumerate(dof_parents(m)):
        out.append([*(out[parent] if parent >= 0 else []), dof])
    return out


def dof_parents(m: MjModel) -> Whole:
    """For every velocity the one before it on the way from the root; −1 where there is none."""
    out = np.full(m.nv, -1, np.int32)
    for body in range(1, m.nbody):
        first, number = int(m.body_dofadr[body]), int(m.body_dofnum[body])
        up = int(m.body_parentid[body])
        while up and not m.body_dofnum[up]:
            up = int(m.body_parentid[up])
        for k in range(number):
            above = int(m.body_dofadr[up] + m.body_dofnum[up] - 1) if up else -1
            out[first + k] = first + k - 1 if k else above
    return out


def _body_chain(m: MjModel, of_dofs: list[list[int]], body: int) -> list[int]:
    """Velocities that move a body, of those that move with every velocity."""
    while body and not m.body_dofnum[body]:
        body = int(m.body_parentid[body])
    return of_dofs[int(m.body_dofadr[body] + m.body_dofnum[body]) - 1] if body else []


def trees_of_bodies(m: MjModel) -> Whole:
    """Trees are counted by the bodies that the first velocities of a tree move."""
    out, trees = np.full(m.nbody, -1, np.int32), 0
    for body in range(1, m.nbody):
        above = out[m.body_parentid[body]]
        if above >= 0:
            out[body] = above
        elif m.body_dofnum[body]:
            out[body], trees = trees, trees + 1
    return out


def rows_of_both(m: MjModel) -> list[list[int]]:
    """Columns of the mass matrix that are not zero, on both sides of the diagonal."""
    lower = chains(m)
    return [sorted({*row, *(j for j in range(m.nv) if i in lower[j])}) for i, row in enumerate(lower)]


def rows_of_bodies(m: MjModel) -> list[list[int]]:
    """Velocities that move a body, or what hangs on it."""
    of_dofs = chains(m)
    own = [_body_chain(m, of_dofs, body) for body in range(m.nbody)]
    below: list[set[int]] = [set(row) for row in own]
    for body in range(m.nbody - 1, 0, -1):
        below[m.body_parentid[body]] |= below[body]
    return [sorted(row) for row in below]


def counts(rows: list[list[int]]) -> Whole:
    """How many numbers every row has."""
    return np.array([len(row) for row in rows], np.int32)


def starts(rows: list[list[int]]) -> Whole:
    """Where every row starts."""
    return np.array(np.cumsum([0, *(len(row) for row in rows)])[: len(rows)], np.int32)


def flat(rows: list[list[int]]) -> Whole:
    """Rows one after another."""
    return np.array([column for row in rows for column in row], np.int32)


def lower_in_both(m: MjModel) -> Whole:
    """Where the numbers of the lower half are among those of both."""
    both = rows_of_both(m)
    first = starts(both)
    return np.array([first[i] + both[i].index(j) for i, row in enumerate(chains(m)) for j in row], np.int32)


def both_in_lower(m: MjModel) -> Whole:
    """Where the numbers of both halves are among those of the lower."""
    lower = chains(m)
    first = starts(lower)
    places = [(max(i, j), min(i, j)) for i, row in enumerate(rows_of_both(m)) for j in row]
    return np.array([first[i] + lower[i].index(j) for i, j in places], np.int32)


def of_trees(m: MjModel, of: str) -> tuple[Whole, Whole]:
    """First and number of what belongs to each tree."""
    trees = trees_of_bodies(m) if of == "body" else m.dof_treeid
    of_tree = [np.flatnonzero(trees == t) for t in range(m.ntree)]
    return np.array([x[0] for x in of_tree], np.int32), np.array([len(x) for x in of_tree], np.int32)
