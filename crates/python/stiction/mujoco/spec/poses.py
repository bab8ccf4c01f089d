"""Poses of elements: orientations as quaternions, and frames within frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guard import NotOffered
from .element import MjsOrientation

Numbers = NDArray[np.float64]
Pose = tuple[Numbers, Numbers]


def product(a: Sequence[float] | Numbers, b: Sequence[float] | Numbers) -> Numbers:
    """The quaternion that turns by ``b`` and then by ``a``."""
    w, x, y, z = a
    W, X, Y, Z = b
    return np.array([w * W - x * X - y * Y - z * Z, w * X + x * W + y * Z - z * Y, w * Y - x * Z + y * W + z * X, w * Z + x * Y - y * X + z * W])


def turned(q: Numbers, v: Numbers) -> Numbers:
    """A vector turned by a quaternion of length 1."""
    twice = 2 * np.cross(q[1:], v)
    return np.asarray(v + q[0] * twice + np.cross(q[1:], twice))


def unit(v: Numbers) -> Numbers:
    """A vector of length 1; the first axis of its kind where it has none."""
    length = float(np.linalg.norm(v))
    if length < 1e-14:
        return np.array([1.0, 0, 0, 0]) if len(v) == 4 else np.array([0.0, 0, 1])
    return np.asarray(v / length) if abs(length - 1) > 1e-15 else np.asarray(v, np.float64)


def along(z: Numbers) -> Numbers:
    """The least turn that takes the z axis to a direction."""
    z = unit(z)
    axis = np.cross([0.0, 0, 1], z)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-14:
        return np.array([1.0, 0, 0, 0] if z[2] > 0 else [0.0, 1, 0, 0])
    angle = math.atan2(sine, float(z[2]))
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) / sine * axis)])


def of_axes(x: Numbers, y: Numbers) -> Numbers:
    """The quaternion of a frame by its x axis and a y axis, made perpendicular."""
    x = unit(x)
    y = unit(y - x * float(x @ y))
    m = np.column_stack([x, y, np.cross(x, y)])
    squares = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], *(1 + 2 * m[i, i] - np.trace(m) for i in range(3))])
    largest = int(np.argmax(squares))
    s = 2 * math.sqrt(squares[largest])
    differences = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    if largest == 0:
        return np.array([s / 4, *(differences / s)])
    i = largest - 1
    q = np.array([differences[i] / s, *((m[i] + m[:, i]) / s)])
    q[1 + i] = s / 4
    return q


def of_euler(angles: Iterable[float], sequence: Iterable[str]) -> Numbers:
    """The quaternion of three turns: about axes that turn along where letters are small, about fixed ones where they are large."""
    q = np.array([1.0, 0, 0, 0])
    for angle, letter in zip(angles, sequence):
        step = np.zeros(4)
        step[0], step["xyz".index(letter.lower()) + 1] = math.cos(angle / 2), math.sin(angle / 2)
        q = product(q, step) if letter.islower() else product(step, q)
    return q


def resolved(degree: bool, sequence: Iterable[str] | None, orientation: MjsOrientation) -> Numbers:
    """An orientation as a quaternion."""
    kind, scale = int(orientation.type), math.pi / 180 if degree else 1.0
    if kind == 1:
        axis, angle = unit(orientation.axisangle[:3]), float(orientation.axisangle[3]) * scale
        return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])
    if kind == 2:
        return of_axes(orientation.xyaxes[:3], orientation.xyaxes[3:])
    if kind == 3:
        return along(orientation.zaxis)
    if kind == 4:
        return of_euler(orientation.euler * scale, sequence or "xyz")
    return np.array([1.0, 0, 0, 0])


def orientation_of(element: Any, quat: str = "quat", alt: str = "alt") -> Numbers:
    """The orientation of an element in its frame, as a quaternion of length 1."""
    other = element.__dict__[alt]
    if int(other.type):
        return resolved(element.compiler.degree, element.compiler.eulerseq, other)
    return unit(element.__dict__[quat])


def frame_of(element: Any) -> Pose | None:
    """Where the frame of an element is in its body; None where it stands in the body itself."""
    frame = element._frame
    if frame is None:
        return None
    if not (np.array_equal(frame.scale, [1, 1, 1]) and not frame.massscale):
        raise NotOffered(f"stiction.mujoco does not offer MjsFrame.scale (frame {frame._name!r})")
    p, q = np.array(frame.pos), orientation_of(frame)
    outer = frame_of(frame)
    return (p, q) if outer is None else (outer[0] + turned(outer[1], p), product(outer[1], q))


def within_frame(element: Any, p: Numbers, q: Numbers) -> Pose:
    """A pose in the frame of an element as one in its body."""
    outer = frame_of(element)
    return (p, q) if outer is None else (outer[0] + turned(outer[1], p), product(outer[1], q))


def pose_of(element: Any, in_body: bool) -> Pose:
    """The pose of an element in its frame, or in its body."""
    p, q = np.array(element.pos), orientation_of(element)
    return within_frame(element, p, q) if in_body else (p, q)


def stretched(element: Any) -> tuple[Numbers, Numbers, float]:
    """Middle, orientation and half length of what ``fromto`` gives, in the frame of the element."""
    start, end = element.fromto[:3], element.fromto[3:]
    return (start + end) / 2, along(start - end), float(np.linalg.norm(start - end)) / 2
