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
from ._structs import MjvGeom, MjvGLCamera, MjvLight, Struct

#: What MuJoCo shows unless it is told otherwise.
_SHOWN = "TEXTURE TENDON RANGEFINDER PERTOBJ STATIC SKIN FLEXEDGE FLEXSKIN".split()
#: Field of view of a free camera [degrees], MuJoCo's default.
_FREE_FOVY = 45.0


class MjvCamera(Struct):
    """Where a picture is taken from: a camera of the file, or a place about a point (``lookat``, a body that it follows)."""

    _defaults = {
        "azimuth": 90.0, "distance": 2.0, "elevation": -45.0, "fixedcamid": -1, "lookat": np.zeros(3), "orthographic": 0,
        "trackbodyid": -1, "type": int(_enums.mjtCamera["mjCAMERA_FREE"]),
    }

    def __init__(self, model: MjModel | None = None) -> None:
        super().__init__()


def _groups() -> NDArray[np.uint8]:
    return np.array([1, 1, 1, 0, 0, 0], np.uint8)


class MjvOption(Struct):
    """What is drawn. Pictures show shapes and nothing else: options that say otherwise are refused where a picture is taken."""

    _defaults = {
        "actuatorgroup": _groups(), "bvh_depth": 1, "flags": np.zeros(31, np.uint8), "flex_layer": 0, "flexgroup": _groups(), "frame": 0,
        "geomgroup": _groups(), "jointgroup": _groups(), "label": 0, "sitegroup": _groups(), "skingroup": _groups(),
        "tendongroup": _groups(),
    }
    _defaults["flags"][[int(_enums.mjtVisFlag[f"mjVIS_{word}"]) for word in _SHOWN]] = 1

    def _check(self) -> None:
        """Raises where a picture would be another."""
        for name in ("geomgroup", "frame", "label"):
            if not np.array_equal(getattr(self, name), self._defaults[name]):
                raise NotOffered(f"stiction.mujoco does not offer pictures with MjvOption.{name} = {getattr(self, name)}")
        static = int(_enums.mjtVisFlag["mjVIS_STATIC"])
        for flag in np.flatnonzero((self.flags > self._defaults["flags"]) | (np.arange(len(self.flags)) == static) & (self.flags == 0)):
            raise NotOffered(f"stiction.mujoco does not offer pictures with {_enums.mjtVisFlag(int(flag)).name} = {self.flags[flag]}")


class MjvPerturb(Struct):
    """What is pulled at, which nothing here does."""

    _defaults = {
        "active": 0, "active2": 0, "flexselect": -1, "localmass": 0.0, "localpos": np.zeros(3), "refpos": np.zeros(3),
        "refquat": np.array([1.0, 0.0, 0.0, 0.0]), "refselpos": np.zeros(3), "scale": 1.0, "select": 0, "skinselect": -1,
    }


class MjvScene(Struct):
    """Shapes that a script lists. Nothing here draws them: pictures are those of :class:`Renderer`."""

    _defaults = {
        "enabletransform": 0, "flags": np.array([1, 0, 1, 0, 1, *[0] * 7], np.uint8), "framergb": np.zeros(3, np.float32),
        "framewidth": 0, "maxgeom": 0, "nflex": 0, "ngeom": 0, "nlight": 0, "nskin": 0, "rotate": np.array([1, 0, 0, 0], np.float32),
        "scale": 1.0, "status": 0, "stereo": 0, "translate": np.zeros(3, np.float32),
    }

    def __init__(self, model: MjModel | None = None, maxgeom: int = 1000) -> None:
        super().__init__()
        most = 0 if model is None else int(maxgeom)
        self._put(maxgeom=most, _all=tuple(MjvGeom() for _ in range(most)), camera=(MjvGLCamera(), MjvGLCamera()))
        self._put(lights=tuple(MjvLight() for _ in range(100)))

    @property
    def geoms(self) -> tuple[MjvGeom, ...]:
        """The shapes, of which ``ngeom`` count."""
        return self._all  # type: ignore[no-any-return]


class _ShownScene(MjvScene):
    """The shapes of a model, which are shown; further ones cannot be added."""

    _settable = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        raise NotOffered(f"stiction.mujoco does not offer to set MjvScene.{name} of what is shown")

    @property
    def geoms(self) -> tuple[MjvGeom, ...]:
        """Refused: the shapes that are shown are those of the model."""
        raise NotOffered("stiction.mujoco does not offer MjvScene.geoms of what is shown")


class MjvFigure(Struct):
    """A figure, which other libraries draw."""

    _defaults = {
        "figurergba": np.array([0, 0, 0, 1], np.float32), "flg_barplot": 0, "flg_extend": 1, "flg_legend": 1, "flg_selection": 0,
        "flg_symmetric": 0, "flg_ticklabel": np.ones(2, np.int32), "gridrgb": np.full(3, 0.4, np.float32),
        "gridsize": np.full(2, 2, np.int32), "gridwidth": 1.0, "highlight": np.zeros(2, np.int32), "highlightid": -1,
        "legendoffset": 0, "legendrgba": np.array([0, 0, 0, 0.3], np.float32), "linedata": np.zeros((100, 2002), np.float32),
        "linename": np.zeros(100, "S100"), "linepnt": np.zeros(100, np.int32), "linergb": np.zeros((100, 3), np.float32),
        "linewidth": 3.0, "minwidth": "XXX", "panergba": np.array([0, 0, 0, 1], np.float32),
        "range": np.array([[0, 1], [0, 1]], np.float32), "selection": 0.0, "subplot": 0, "textrgb": np.ones(3, np.float32),
        "title": "", "xaxisdata": np.zeros(2, np.float32), "xaxispixel": np.zeros(2, np.int32), "xformat": "%.0f", "xlabel": "",
        "yaxisdata": np.zeros(2, np.float32), "yaxispixel": np.zeros(2, np.int32), "yformat": "%.2g",
    }


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
        return _ShownScene(self._model, 0)

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
        if scene_option is not None:
            scene_option._check()
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


def mjv_defaultCamera(cam: MjvCamera) -> None:
    """Sets a camera to its defaults."""
    cam._put(**MjvCamera().__dict__)


def mjv_defaultFreeCamera(m: MjModel, cam: MjvCamera) -> None:
    """Sets a camera to look at the whole model, as its file says."""
    mjv_defaultCamera(cam)
    view = m.vis.global_
    cam.lookat[:] = m.stat.center
    cam.distance, cam.azimuth, cam.elevation, cam.orthographic = 1.5 * m.stat.extent, view.azimuth, view.elevation, view.orthographic


def mjv_defaultOption(opt: MjvOption) -> None:
    """Sets what is drawn to its defaults."""
    opt._put(**MjvOption().__dict__)


def mjv_defaultPerturb(pert: MjvPerturb) -> None:
    """Sets what is pulled at to its defaults."""
    pert._put(**MjvPerturb().__dict__)


#: Functions that this module offers.
NAMES = ("mjv_defaultCamera", "mjv_defaultFreeCamera", "mjv_defaultOption", "mjv_defaultPerturb")
