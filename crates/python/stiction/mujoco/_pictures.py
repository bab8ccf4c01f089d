"""``Renderer`` and what goes with it, on pictures that need no graphics card."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._simulation import Picture
from .._stiction import Error
from . import _enums
from ._data import MjData
from ._guard import Guarded, NotOffered
from ._model import MjModel

#: Field of view of a free camera [degrees], MuJoCo's default.
_FREE_FOVY = 45.0


class MjvCamera(Guarded):
    """Where a picture is taken from: a camera of the file, or a place about a point (``lookat``, a body that it follows)."""

    _called = "MjvCamera"
    _settable = frozenset({"type", "fixedcamid", "trackbodyid", "distance", "azimuth", "elevation"})

    def __init__(self) -> None:
        self._put(
            type=_enums.mjtCamera["mjCAMERA_FREE"], fixedcamid=-1, trackbodyid=-1, lookat=np.zeros(3), distance=2.0,
            azimuth=90.0, elevation=-45.0,
        )


class _Unchanged(Guarded):
    """Settings that pictures have one value of: others are refused."""

    def __init__(self, called: str, **values: Any) -> None:
        self._put(_called=called, **values)

    def __setattr__(self, name: str, value: Any) -> None:
        held = getattr(self, name)
        if not np.array_equal(held, value):
            raise NotOffered(f"stiction.mujoco does not offer {self._called}.{name} = {value}; it stays {held}")


class MjvOption(_Unchanged):
    """What is drawn. Pictures show shapes and nothing else: flags are those of MuJoCo's defaults that mean this, and stay."""

    def __init__(self) -> None:
        flags = np.zeros(len([f for f in _enums.mjtVisFlag if f.name.startswith("mjVIS_")]), np.uint8)
        groups = np.array([1, 1, 1, 0, 0, 0], np.uint8)
        flags.flags.writeable = groups.flags.writeable = False
        super().__init__("MjvOption", frame=0, label=0, bvh_depth=1, flags=flags, geomgroup=groups, sitegroup=groups)


class MjvPerturb(_Unchanged):
    """Nothing is pulled at in a picture."""

    def __init__(self) -> None:
        super().__init__("MjvPerturb", select=0, active=0, active2=0)


class MjvScene(_Unchanged):
    """Shapes of a model; further ones cannot be added."""

    def __init__(self, model: MjModel | None = None, maxgeom: int = 1000) -> None:
        super().__init__("MjvScene", maxgeom=maxgeom, ngeom=0 if model is None else model.ngeom)


class MjvFigure(Guarded):
    """Refused when it is used: figures are drawn by other libraries."""

    _called = "MjvFigure"


def _refused(name: str) -> type[Any]:
    def refuse(self: Any, *given: Any, **named: Any) -> None:
        raise NotOffered(f"stiction.mujoco does not offer {name}")

    return type(name, (), {"__init__": refuse, "__doc__": "Refused: nothing here has one."})


MjWarningStat, MjTimerStat, MjSolverStat, MjStatistic, MjLROpt = (
    _refused(name) for name in ("MjWarningStat", "MjTimerStat", "MjSolverStat", "MjStatistic", "MjLROpt")
)


class MjrRect(Guarded):
    """A rectangle of pixels."""

    _called = "MjrRect"
    _settable = frozenset({"left", "bottom", "width", "height"})

    def __init__(self, left: int, bottom: int, width: int, height: int) -> None:
        self._put(left=left, bottom=bottom, width=width, height=height)


class MjrContext:
    """Refused: there is no graphics card to have a context of."""

    def __init__(self, *given: Any) -> None:
        raise NotOffered("stiction.mujoco does not offer MjrContext; Renderer needs none")


class Renderer:
    """Pictures of a state: colour, depth or segmentation, from a camera of the file or from anywhere."""

    def __init__(self, model: MjModel, height: int = 240, width: int = 320, max_geom: int = 10000, font_scale: Any = None) -> None:
        largest = model.vis.global_
        for what, asked, most in (("width", width, largest.offwidth), ("height", height, largest.offheight)):
            if not 0 < asked <= most:
                raise ValueError(f"{what} is {asked}; expected 1 to {most}, which model.vis.global_.off{what} says")
        self._model, self._height, self._width = model, height, width
        self._mode = "rgb"
        self._picture: Picture | None = None
        self._closed = False

    @property
    def model(self) -> MjModel:
        """Of what."""
        return self._model

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return self._height

    @property
    def width(self) -> int:
        """Columns of pixels."""
        return self._width

    @property
    def scene(self) -> MjvScene:
        """The shapes that are shown, which cannot be added to."""
        return MjvScene(self._model)

    def enable_depth_rendering(self) -> None:
        """Pictures are depths along the axis of the camera [m]."""
        self._mode = "depth"

    def disable_depth_rendering(self) -> None:
        """Pictures are colours."""
        self._mode = "rgb"

    def enable_segmentation_rendering(self) -> None:
        """Pictures are numbers and kinds of objects (height, width, 2); −1 where nothing is."""
        self._mode = "segmentation"

    def disable_segmentation_rendering(self) -> None:
        """Pictures are colours."""
        self._mode = "rgb"

    def update_scene(
        self, data: MjData, camera: int | str | MjvCamera = -1, scene_option: MjvOption | None = None
    ) -> None:
        """Takes the picture that :meth:`render` gives: of the present state, from a camera by name or number, from a
        :class:`MjvCamera`, or with −1 from where all can be seen."""
        if self._closed:
            raise RuntimeError("update_scene cannot be called after close")
        if scene_option is not None and not isinstance(scene_option, MjvOption):
            raise TypeError(f"scene_option is {type(scene_option).__name__}; expected MjvOption")
        simulation, size = data._current(), (self._width, self._height)
        if isinstance(camera, MjvCamera):
            self._picture = _from(camera, data, size)
        elif isinstance(camera, str):
            self._picture = simulation.render(camera, *size)
        elif camera == -1:
            self._picture = simulation.picture(*size, field_of_view=float(np.radians(_FREE_FOVY)))
        elif 0 <= camera < self._model.ncam:
            self._picture = simulation.render(int(camera), *size)
        else:
            raise ValueError(f"camera is {camera}; expected a name, −1, or a number below {self._model.ncam}")

    def render(self, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The picture that :meth:`update_scene` took, into ``out`` if that is given."""
        if self._closed:
            raise RuntimeError("render cannot be called after close")
        if self._picture is None:
            raise RuntimeError("there is no picture yet: call update_scene first")
        found: NDArray[Any] = self._coloured(self._picture)
        if self._mode == "depth":
            found = self._picture.depth
        elif self._mode == "segmentation":
            found = self._objects(self._picture.segmentation)
        if out is None:
            return found
        if out.shape != found.shape:
            raise ValueError(f"out has the shape {out.shape}; expected {found.shape}")
        out[...] = found
        return out

    def _coloured(self, picture: Picture) -> NDArray[np.uint8]:
        """The colours, of geoms in those that the model has now; how light a pixel is stays."""
        model = self._model
        changed = np.flatnonzero((model.geom_rgba != model._rgba_loaded).any(axis=1))
        if not len(changed):
            return picture.rgb
        ids = self._objects(picture.segmentation)[..., 0]
        rgb: NDArray[np.uint8] = picture.rgb.copy()
        for geom in changed:
            pixels = ids == geom
            light = rgb[pixels].max(axis=1, keepdims=True) / max(int(rgb[pixels].max(initial=1)), 1)
            rgb[pixels] = np.clip(255 * light * model.geom_rgba[geom, :3], 0, 255).astype(np.uint8)
        return rgb

    def _objects(self, segmentation: NDArray[np.int32]) -> NDArray[np.int32]:
        model = self._model
        drawn = [i for i, g in enumerate(model._geoms) if not g["touches"] and g["shape"]["kind"] != "nothing"]
        numbers = np.array([*model._geom_of, *drawn, -1], np.int32)
        ids = numbers[np.clip(segmentation, -1, len(numbers) - 2)]
        return np.stack([ids, np.where(ids < 0, -1, int(_enums.mjtObj["mjOBJ_GEOM"]))], axis=-1).astype(np.int32)

    def close(self) -> None:
        """The end of it."""
        self._closed = True

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()


def _from(camera: MjvCamera, data: MjData, size: tuple[int, int]) -> Picture:
    """A picture from an ``MjvCamera``."""
    simulation = data._current()
    kinds = _enums.mjtCamera
    if int(camera.type) == kinds["mjCAMERA_FIXED"]:
        return simulation.render(int(camera.fixedcamid), *size)
    if int(camera.type) == kinds["mjCAMERA_USER"]:
        raise NotOffered("stiction.mujoco does not offer cameras of mjCAMERA_USER")
    lookat = np.array(camera.lookat)
    if int(camera.type) == kinds["mjCAMERA_TRACKING"]:
        if not 0 <= camera.trackbodyid < data.model.nbody:
            raise Error(f"trackbodyid is {camera.trackbodyid}; expected a number below {data.model.nbody}")
        lookat = data.subtree_com[camera.trackbodyid].copy()
    azimuth, elevation = np.radians(camera.azimuth), np.radians(camera.elevation)
    ahead = np.array(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
    )
    right = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
    axes = np.array([right, np.cross(ahead, right), ahead])
    eye = lookat - camera.distance * ahead
    return simulation.picture(*size, eye=eye, axes=axes, field_of_view=float(np.radians(_FREE_FOVY)))
