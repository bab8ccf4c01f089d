"""Looking at a simulation while a program steps it."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any

from ._sealed import sealed
from ._stiction import LivePage

if TYPE_CHECKING:
    from ._recording import Recording
    from ._simulation import Simulation

#: Variables of the environment where notebooks run on another machine than the browser, which then reaches no port here.
REMOTE = ("JUPYTERHUB_SERVICE_PREFIX", "COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE", "BINDER_SERVICE_HOST")


@sealed
class Viewer:
    """A page that shows a simulation; made by :meth:`Simulation.viewer`. It closes with this object, or by :meth:`close`.

    In a notebook it shows itself. Live, :attr:`url` is the address of a page on this machine, which shows every step as it
    is made, sixty times a second at most; stepping waits for nobody. Where no port can be reached, :attr:`url` is None and the
    page holds what was recorded when it was shown last.
    """

    def __init__(self, simulation: Simulation, live: bool | None, host: str, port: int, height: int) -> None:
        self._simulation = simulation
        self._height = height
        self._page: LivePage | None = None
        self._recording: Recording | None = None
        #: Why the page is not live; None if it is.
        self.not_live_because: str | None = "live=False" if live is False else None
        remote = next((name for name in REMOTE if name in os.environ), None)
        if live is None and remote is not None:
            self.not_live_because = f"{remote} is set: the browser is on another machine"
        if self.not_live_because is None:
            try:
                self._page = simulation._open_page(host, port)
            except OSError as refused:
                if live:
                    raise
                self.not_live_because = str(refused)
        if self._page is None:
            self._recording = simulation._recording_or_new()

    @property
    def url(self) -> str | None:
        """Where the live page is; None if it is not live."""
        return None if self._page is None else self._page.url

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._recording is None if self._page is None else self._page.closed

    def update(self) -> None:
        """Shows the present state, which steps do by themselves: for states that were set."""
        self._simulation._show()

    def close(self) -> None:
        """Frees the port. A recording that goes on is left alone."""
        if self._page is not None:
            self._page.close()
        self._recording = None

    def html(self) -> str:
        """What a notebook shows: the live page in a frame, or a page of the recording that needs no network."""
        style = f'width="100%" height="{self._height}" style="border:0"'
        if self.closed:
            return "<p>This viewer is closed.</p>"
        if self._recording is not None:
            return f'<iframe srcdoc="{escape(self._recording.html())}" {style}></iframe>'
        self.update()
        url = escape(str(self.url))
        return (
            f'<div><iframe src="{url}" {style}></iframe><a href="{url}" target="_blank">{url}</a>: '
            "if nothing is seen, the browser reaches no port of this machine; use viewer(live=False)</div>"
        )

    def _repr_html_(self) -> str:
        return self.html()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "closed" if self.closed else self.url or f"a recording, since {self.not_live_because}"
        return f"<stiction.Viewer: {where}>"
