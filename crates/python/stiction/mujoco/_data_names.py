"""Objects of the data of MuJoCo's names by their names."""

from __future__ import annotations

from typing import Any, cast

from ._guard import Guarded, Named

#: What belongs to a body, a joint's velocities.
_OF_BODY = (
    "xpos", "xquat", "xmat", "xipos", "cvel", "cinert", "cfrc_ext", "subtree_com", "subtree_linvel", "subtree_angmom",
    "xfrc_applied",
)
_OF_DOF = (
    "qvel", "qacc", "qacc_smooth", "cdof", "qfrc_applied", "qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_inverse",
    "qfrc_passive", "qfrc_smooth",
)


class NamedData(Guarded):
    """The data, asked by names."""

    def _named(self, called: str, asked: str | int, found: tuple[int, str], fields: dict[str, tuple[str, Any]]) -> Named:
        known = self._known_names.get((called, found[0]))
        if known is None:
            known = Named(self, f"MjData.{called}({found[1]!r})", *found, fields)
        self._known_names[called, found[0]] = self._known_names[called, asked] = known
        return cast(Named, known)

    def body(self, name: str | int = "") -> Named:
        """A body by name or number."""
        if (known := self._known_names.get(("body", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_BODY", name)
        return self._named("body", name, found, {key: (key, found[0]) for key in _OF_BODY})

    def joint(self, name: str | int = "") -> Named:
        """A joint by name or number: its coordinates, velocities and efforts."""
        if (known := self._known_names.get(("joint", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_JOINT", name)
        joint = self._acting._base.joints[found[0]]
        fields: dict[str, tuple[str, Any]] = {"qpos": ("qpos", joint.q)}
        fields |= {key: (key, joint.v) for key in _OF_DOF} | {key: (key, found[0]) for key in ("xanchor", "xaxis")}
        return self._named("joint", name, found, fields)

    jnt = joint

    def geom(self, name: str | int = "") -> Named:
        """A geom by name or number."""
        if (known := self._known_names.get(("geom", name))) is not None:
            return cast(Named, known)
        return self._frame("geom", "mjOBJ_GEOM", name, "geom")

    def site(self, name: str | int = "") -> Named:
        """A site by name or number."""
        if (known := self._known_names.get(("site", name))) is not None:
            return cast(Named, known)
        return self._frame("site", "mjOBJ_SITE", name, "site")

    def camera(self, name: str | int = "") -> Named:
        """A camera by name or number."""
        if (known := self._known_names.get(("camera", name))) is not None:
            return cast(Named, known)
        return self._frame("camera", "mjOBJ_CAMERA", name, "cam")

    cam = camera

    def _frame(self, called: str, kind: str, name: str | int, prefix: str) -> Named:
        found = self._acting._found(kind, name)
        return self._named(called, name, found, {key: (f"{prefix}_{key}", found[0]) for key in ("xpos", "xmat")})

    def actuator(self, name: str | int = "") -> Named:
        """An actuator by name or number."""
        if (known := self._known_names.get(("actuator", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_ACTUATOR", name)
        only = slice(found[0], found[0] + 1)
        fields: dict[str, tuple[str, Any]] = {
            key: (f"actuator_{key}", only) for key in ("force", "length", "velocity")
        }
        return self._named("actuator", name, found, {"ctrl": ("ctrl", only), "moment": ("actuator_moment", found[0]), **fields})

    def sensor(self, name: str | int = "") -> Named:
        """A sensor by name or number: its reading."""
        if (known := self._known_names.get(("sensor", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_SENSOR", name)
        if self._acting._columns[found[0]].start < 0 or any(c.start < 0 for c in self._acting._columns):
            return self._named("sensor", name, found, {"data": ("_reading", found[0])})
        columns = self._acting._columns[found[0]]
        return self._named("sensor", name, found, {"data": ("sensordata", columns)})

    def tendon(self, name: str | int = "") -> Named:
        """A tendon by name or number: length and velocity."""
        if (known := self._known_names.get(("tendon", name))) is not None:
            return cast(Named, known)
        found = self._acting._found("mjOBJ_TENDON", name)
        only = slice(found[0], found[0] + 1)
        return self._named("tendon", name, found, {"length": ("ten_length", only), "velocity": ("ten_velocity", only)})

    def bind(self, elements: Any) -> Any:
        """The objects of elements of the spec of which the model was compiled."""
        from .spec import compiled

        return compiled.bind(self, self._acting, elements)

    @property
    def _address(self) -> int:
        return id(self)
