"""What a simulation records while it is stepped."""

from __future__ import annotations

import json
import os
from html import escape
from typing import TYPE_CHECKING, Any, cast

from ._sealed import sealed
from ._stiction import Error

if TYPE_CHECKING:
    from ._simulation import Simulation


@sealed
class Recording:
    """What a simulation has recorded so far."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .html (a replay for any browser), .mcap, or the numbers of every step: .npz, .parquet, .csv."""
        kind = os.path.splitext(path)[1]
        if kind in (".npz", ".parquet", ".csv"):
            self._simulation._write_trajectory(path)
        elif kind in (".html", ".mcap"):
            self._simulation._write_recording(path)
        else:
            raise Error(f"{os.fspath(path)}: expected .html or .mcap, or .npz, .parquet or .csv for the numbers")

    def html(self) -> str:
        """The replay as a page."""
        return self._simulation.replay()

    def _repr_html_(self) -> str:
        """The replay in a cell of a notebook, where it stays when the notebook is exported."""
        page = escape(self.html())
        return f'<div><iframe srcdoc="{page}" width="100%" height="520" style="border:0"></iframe></div>'

    def arrays(self) -> dict[str, Any]:
        """The numbers of every step as arrays, by name: all those that an ``.npz`` of the run holds.

        Coordinates, energy, certificate, status and remedy of every step, efforts, poses and velocities of bodies, and the
        contacts with their forces. ``about`` says the shape, unit and meaning of each.
        """
        return self._simulation._trajectory()

    @property
    def about(self) -> dict[str, Any]:
        """What the arrays are (``about["arrays"]``), and the names that their indices and codes count in."""
        return cast("dict[str, Any]", json.loads(self._simulation._trajectory_about()))

    def to_pandas(self, *, contacts: bool = False) -> Any:
        """A row a step as a data frame of pandas, or a row a contact: the columns of ``.parquet`` and ``.csv``."""
        import pandas

        return pandas.DataFrame(self._simulation._trajectory_table(contacts))

    def to_polars(self, *, contacts: bool = False) -> Any:
        """The same of polars."""
        import polars

        return polars.DataFrame(self._simulation._trajectory_table(contacts))

    def stop(self) -> None:
        """Forgets it; steps are recorded no more."""
        self._simulation.stop_recording()
