"""Meshes, and the shapes that are made by their names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .. import _enums
from .._guard import NotOffered
from .element import WithClass

_ICOSAHEDRON = """
    0 11 5  0 5 1  0 1 7  0 7 10  0 10 11  1 5 9  5 11 4  11 10 2  10 7 6  7 1 8  3 9 4  3 4 2  3 2 6  3 6 8  3 8 9  4 9 5  2 4 11
    6 2 10  8 6 7  9 8 1
"""


class MjsMesh(WithClass):
    """A mesh: of a file, of vertices, or a shape."""

    _kind = "mesh"

    def _hold(self, vertices: Iterable[Sequence[float]], faces: Iterable[Sequence[int]] = ()) -> None:
        self.uservert = np.array(list(vertices), np.float64).ravel()
        self.userface = np.array(list(faces), np.int64).ravel()

    def make_cone(self, nedge: int, radius: float) -> None:
        """A frustum with ``nedge`` sides and a bottom of radius 1, between z = −1 and 1; a pyramid without a radius of the top."""
        if nedge < 3 or radius < 0:
            raise ValueError(f"nedge is {nedge}, radius {radius}; expected 3 sides or more and a radius that is not negative")
        angles = [2 * math.pi * i / nedge for i in range(nedge)]
        rings = [[(r * math.cos(a), r * math.sin(a), z) for a in angles] for r, z in ((1.0, -1.0), (radius, 1.0))]
        self._hold([*rings[0], *(rings[1] if radius > 0 else [(0.0, 0.0, 1.0)])])

    def make_sphere(self, subdivision: int) -> None:
        """An icosahedron, every face of which is cut into four so many times."""
        if not 0 <= subdivision <= 4:
            raise ValueError(f"subdivision is {subdivision}; expected 0 to 4")
        golden = (1 + math.sqrt(5)) / 2
        corners = [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)]
        points = [(a, b, 0.0) for a, b in corners] + [(0.0, a, b) for a, b in corners] + [(b, 0.0, a) for a, b in corners]
        vertices = [np.array(p) / math.hypot(1, golden) for p in points]
        faces = np.array(_ICOSAHEDRON.split(), int).reshape(-1, 3).tolist()
        for _ in range(subdivision):
            cut: dict[tuple[int, int], int] = {}
            vertices = [v.astype(np.float32).astype(np.float64) for v in vertices]
            finer = []
            for a, b, c in faces:
                middles = []
                for i, j in ((a, b), (b, c), (c, a)):
                    key = (min(i, j), max(i, j))
                    if key not in cut:
                        cut[key] = len(vertices)
                        middle = vertices[i] + vertices[j]
                        vertices.append(middle / np.linalg.norm(middle))
                    middles.append(cut[key])
                ab, bc, ca = middles
                finer += [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            faces = finer
        self._hold([v.tolist() for v in vertices], faces)

    def make_hemisphere(self, resolution: int) -> None:
        """The upper half of a sphere, in rows of squares from the pole down, with a cap."""
        if not 0 <= resolution <= 10:
            raise ValueError(f"resolution is {resolution}; expected 0 to 10")
        pole = np.array([0.0, 0.0, 1.0])
        equator = [np.array(p, float) for p in ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))]
        vertices = [pole.tolist()]
        for row in range(resolution + 1):
            down = (row + 1) / (resolution + 1)
            corners = [pole + (e - pole) * down for e in equator]
            for side in range(4):
                for i in range(row + 1):
                    p = corners[side] + (corners[(side + 1) % 4] - corners[side]) * (i / (row + 1))
                    vertices.append((p / np.linalg.norm(p)).tolist())
        faces = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]]
        for row in range(resolution):
            start, count = 2 * row * (row + 1) + 1, 4 * (row + 1)
            below, more = start + count, count + 4
            for side in range(4):
                for i in range(row + 2):
                    v, w = i + (row + 1) * side, i + (row + 2) * side
                    a, b = start + v % count, start + (v + 1) % count
                    c, d = below + w % more, below + (w + 1) % more
                    faces.append([a, c, d])
                    if i < row + 1:
                        faces.append([a, d, b])
        start, count = 2 * resolution * (resolution + 1) + 1, 4 * (resolution + 1)
        faces += [[start + i, len(vertices), start + (i + 1) % count] for i in range(count)]
        self._hold([*vertices, (0.0, 0.0, 0.0)], faces)

    def make_supersphere(self, resolution: int, e: float, n: float) -> None:
        """A superellipsoid of the exponents ``e`` around its axis and ``n`` along it."""
        if resolution < 3 or e < 0 or n < 0:
            raise ValueError(f"resolution is {resolution}, e {e}, n {n}; expected 3 or more, and exponents that are not negative")
        vertices = [(0.0, 0.0, -1.0)]
        for i in range(1, resolution):
            v = -math.pi / 2 + i * math.pi / resolution
            for j in range(resolution):
                u = -math.pi + j * 2 * math.pi / resolution
                ring = _power(math.cos(v), n)
                vertices.append((ring * _power(math.cos(u), e), ring * _power(math.sin(u), e), _power(math.sin(v), n)))
        top, last = len(vertices), 1 + (resolution - 2) * resolution
        faces = [[0, 1 + (j + 1) % resolution, 1 + j] for j in range(resolution)]
        for i in range(resolution - 2):
            for j in range(resolution):
                a, b = 1 + i * resolution + j, 1 + i * resolution + (j + 1) % resolution
                faces += [[a, b, a + resolution], [b, b + resolution, a + resolution]]
        faces += [[last + j, last + (j + 1) % resolution, top] for j in range(resolution)]
        self._hold([*vertices, (0.0, 0.0, 1.0)], faces)

    def make_supertorus(self, resolution: int, radius: float, s: float, t: float) -> None:
        """A ring of radius 1 whose section has a radius; ``s`` and ``t`` are the exponents of the section and of the ring."""
        if resolution < 3 or not 0 < radius <= 1 or s <= 0 or t <= 0:
            raise ValueError(f"resolution is {resolution}, radius {radius}, s {s}, t {t}; expected 3 or more, a radius in (0, 1], exponents > 0")
        vertices, faces, n = [], [], resolution
        for i in range(n):
            for j in range(n):
                u, v = 2 * math.pi * i / n, 2 * math.pi * j / n
                ring = 1 + radius * _power(math.cos(v), s)
                vertices.append((ring * _power(math.cos(u), t), ring * _power(math.sin(u), t), radius * _power(math.sin(v), s)))
                a, b = i * n + j, ((i + 1) % n) * n + j
                c, d = ((i + 1) % n) * n + (j + 1) % n, i * n + (j + 1) % n
                faces += [[a, b, d], [b, c, d]]
        self._hold(vertices, faces)

    def make_plate(self, resolution: Sequence[int] = (0, 0)) -> None:
        """The middles of the cells of a square at z = −1: a surface without inside."""
        nx, ny = (int(n) for n in resolution)
        _cells(nx, ny)
        vertices = [(-1 + (i + 0.5) * 2 / nx, -1 + (j + 0.5) * 2 / ny, -1.0) for i in range(nx) for j in range(ny)]
        faces = []
        for i in range(1, nx):
            for j in range(1, ny):
                a, b = (i - 1) * ny + j - 1, i * ny + j - 1
                faces += [[a, b, a + 1], [b + 1, a + 1, b]]
        self._hold(vertices, faces)
        self.inertia = _enums.mjtMeshInertia["mjMESH_INERTIA_SHELL"]

    def make_wedge(self, resolution: Sequence[int] = (0, 0), fov: Sequence[float] = (0.0, 0.0), gamma: float = 0) -> None:
        """The middles of the cells of a part of a sphere about −z, ``fov`` degrees to each side."""
        if gamma:
            raise NotOffered("stiction.mujoco does not offer MjsMesh.make_wedge with gamma: cells are of one size here")
        nx, ny = (int(n) for n in resolution)
        _cells(nx, ny)
        if min(fov) <= 0:
            raise ValueError(f"fov is {list(fov)}; expected two angles > 0 [deg]")
        wide, high = (math.radians(a) for a in fov)
        vertices = []
        for i in range(nx):
            for j in range(ny):
                u, v = wide * (-1 + (i + 0.5) * 2 / nx), high * (-1 + (j + 0.5) * 2 / ny)
                vertices.append((math.sin(u) * math.cos(v), math.sin(v), -math.cos(u) * math.cos(v)))
        self._hold(vertices)

    def __getattr__(self, name: str) -> Any:
        if name in ("make_box", "make_cylinder", "make_disc", "make_ellipsoid", "make_grid", "make_square"):
            raise NotOffered(f"stiction.mujoco does not offer MjsMesh.{name}: it is a shape of flexible bodies")
        return super().__getattr__(name)


def _cells(nx: int, ny: int) -> None:
    if nx < 1 or ny < 1:
        raise ValueError(f"resolution is [{nx}, {ny}]; expected two numbers > 0")


def _power(x: float, exponent: float) -> float:
    return math.copysign(abs(x) ** exponent, x)
