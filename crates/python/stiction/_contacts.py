"""Records of contacts."""

from __future__ import annotations

import numpy as np

#: A contact of the last step. ``frame`` holds two tangents and the normal, from A to B, as rows; ``force``, ``moment`` and
#: ``slip`` are on B, in the world. Index −1: the world. ``mode``: 0 open, 1 sticks, 2 slides.
CONTACT = np.dtype(
    [
        ("bodies", "i4", 2),
        ("geometries", "i4", 2),
        ("feature", "u4"),
        ("mode", "i4"),
        ("position", "f8", 3),
        ("frame", "f8", (3, 3)),
        ("gap", "f8"),
        ("friction", "f8"),
        ("force", "f8", 3),
        ("moment", "f8", 3),
        ("slip", "f8", 3),
    ]
)

#: A contact whose impulse may be corrected; numbers along ``axes`` (t₁, t₂, n).
CORRECTABLE = np.dtype(
    [
        ("bodies", "i4", 2),
        ("geometries", "i4", 2),
        ("position", "f8", 3),
        ("axes", "f8", (3, 3)),
        ("gap", "f8"),
        ("friction", "f8"),
        ("velocity_before", "f8", 3),
        ("inverse_inertia", "f8", (3, 3)),
        ("impulse", "f8", 3),
    ]
)
