"""How many vertices and faces the meshes of a model have, from its text and its files."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ._guard import NotOffered

#: Vertices and faces of a mesh.
Counts = tuple[int, int]


class Files:
    """The files that a text names: given ones, by their paths or their names, and those in its folder."""

    def __init__(self, given: Mapping[str, Any], folder: Path | None) -> None:
        self._given, self._folder = dict(given), folder

    def read(self, name: str, below: str) -> bytes | None:
        """The content of a file, which may lie in a folder below; None where there is none."""
        last = PurePosixPath(name).name
        for path, content in self._given.items():
            if path in (name, f"{below}/{name}") or PurePosixPath(path).name == last:
                return content.encode() if isinstance(content, str) else bytes(content)
        place = None if self._folder is None else self._folder / below / name
        return place.read_bytes() if place is not None and place.is_file() else None


def counts_of(attributes: Mapping[str, str], files: Files, folder: str) -> Counts:
    """Vertices and faces of a mesh by its attributes; −1 faces where these are of the hull. Raises for files that are not counted."""
    if "vertex" in attributes:
        return len(attributes["vertex"].split()) // 3, len(attributes["face"].split()) // 3 if "face" in attributes else -1
    name = attributes.get("file", "")
    content = files.read(name, folder)
    kind = PurePosixPath(name).suffix.lower()
    if content is None or kind not in _READERS:
        raise NotOffered(f"stiction.mujoco does not offer sizes of the mesh {attributes.get('name') or name!r}")
    return _READERS[kind](content)


def _obj(content: bytes) -> Counts:
    lines = [line.split() for line in content.decode(errors="replace").splitlines()]
    faces = sum(len(words) - 3 for words in lines if words and words[0] == "f")
    return sum(1 for words in lines if words and words[0] == "v"), faces or -1


def _stl(content: bytes) -> Counts:
    if content[:5] == b"solid" and b"facet" in content[:1000]:
        raise NotOffered("stiction.mujoco does not offer sizes of meshes of STL as text")
    (faces,) = struct.unpack_from("<I", content, 80)
    numbers = np.frombuffer(content, np.dtype([("skip", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")]), faces, 84)
    return len(np.unique(numbers["corners"].reshape(-1, 3), axis=0)), int(faces)


def _msh(content: bytes) -> Counts:
    vertices, _, _, faces = struct.unpack_from("<4i", content, 0)
    return vertices, faces


_READERS = {".obj": _obj, ".stl": _stl, ".msh": _msh}


def counted(m: Any, column: int) -> list[int]:
    """Vertices, or faces, of every mesh of a model."""
    if m.__dict__.get("_mesh_counts") is None:
        compiler = m._stated.compiler
        folder = compiler.get("meshdir", compiler.get("assetdir", ""))
        m._put(_mesh_counts=[counts_of(a, m._files, folder) for a in m._stated.of("mesh")])
    counts = [int(row[column]) for row in m._mesh_counts]
    if min(counts, default=0) < 0:
        raise NotOffered("stiction.mujoco does not offer faces of meshes that are vertices alone")
    return counts


def addresses(m: Any, column: int) -> Any:
    """Where the vertices, or the faces, of every mesh start."""
    return np.array([0, *np.cumsum(counted(m, column))[:-1]][: m.nmesh], np.int32)
