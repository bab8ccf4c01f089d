"""``mujoco.viewer`` on the live page: ``launch_passive`` shows what a script steps, ``launch`` steps by itself."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from .._viewer import Viewer
from ._data import MjData
from ._functions import mj_step
from ._guard import Guarded, NotOffered
from ._model import MjModel
from ._pictures import MjvCamera, MjvOption, MjvPerturb

#: How often a page is shown something new, at most [s].
_PERIOD = 1.0 / 60.0


class _Fixed(MjvCamera):
    """A camera that stays."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise NotOffered(f"stiction.mujoco does not offer to set {name} of the view of a page")


class Handle(Guarded):
    """A page that shows a simulation: :attr:`url` in a browser. It shows steps by itself, and other states by :meth:`sync`.

    Who looks chooses the view in the page: ``cam`` and ``opt`` are those of MuJoCo's defaults, and cannot be set.
    """

    _called = "viewer"

    def __init__(self, model: MjModel, data: MjData, callback: Callable[[int], None] | None = None) -> None:
        option, perturb = MjvOption(), MjvPerturb()
        camera = _Fixed()
        camera.lookat.flags.writeable = False
        page: Viewer = data._current().viewer()
        self._put(_model=model, _data=data, _viewer=page, cam=camera, opt=option, perturb=perturb, m=model, d=data)
        if callback is not None:
            raise NotOffered("stiction.mujoco does not offer key_callback: keys are the page's own")

    @property
    def url(self) -> str | None:
        """Where the page is; None where no port could be had."""
        viewer: Viewer = self._viewer
        return viewer.url

    def sync(self, state_only: bool = False) -> None:
        """Shows the present state."""
        self._data._current()
        self._viewer.update()

    def is_running(self) -> bool:
        """Whether the page is open; who looks at it cannot end it."""
        return not self._viewer.closed

    def close(self) -> None:
        """Frees the port."""
        self._viewer.close()

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Nothing else touches the state: the page is shown copies."""
        yield

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()


def launch_passive(
    model: MjModel,
    data: MjData,
    *,
    key_callback: Callable[[int], None] | None = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
) -> Handle:
    """Opens a page that shows ``data`` while the script steps it, and prints its address. The panels are the page's own."""
    handle = Handle(model, data, key_callback)
    print(f"stiction.mujoco.viewer: {handle.url or 'no port can be had'}", flush=True)
    return handle


def launch(
    model: MjModel | None = None,
    data: MjData | None = None,
    *,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
    loader: Any = None,
    seconds: float = float("inf"),
) -> None:
    """Opens a page and steps in real time, until Ctrl-C or for ``seconds``."""
    if model is None:
        if loader is None:
            raise NotOffered("stiction.mujoco does not offer an empty viewer; give it a model")
        model, data = loader()
    data = MjData(model) if data is None else data
    with launch_passive(model, data) as handle, contextlib.suppress(KeyboardInterrupt):
        start, first = time.perf_counter(), data.time
        while handle.is_running() and data.time - first < seconds:
            behind = time.perf_counter() - start - (data.time - first)
            if behind > 0:
                # What cannot be caught up with is let go.
                mj_step(model, data, max(1, min(round(behind / model.opt.timestep), round(_PERIOD / model.opt.timestep) or 1)))
                if behind > 0.25:
                    start += behind
            else:
                time.sleep(min(_PERIOD, -behind + 1e-4))


def launch_from_path(path: str) -> None:
    """The same of a file."""
    launch(MjModel.from_xml_path(path))
