"""What ``dir`` of the classes lists, for libraries that wrap them: their own fields, and those that dm_control asks for."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path
from typing import Any

from . import _fields
from ._data import MjData
from ._model import MjModel


def list_fields() -> None:
    """Lets ``dir(MjModel)`` and ``dir(MjData)`` list the fields of their instances."""
    model = MjModel.from_xml_string("<mujoco><worldbody/></mujoco>")
    asked = _fields_of_dm_control()
    instances: tuple[tuple[Any, str], ...] = ((model, "mjmodel"), (MjData(model), "mjdata"))
    for instance, struct in instances:
        own = {name for name in dir(instance) if not name.startswith("_")}
        kind: Any = type(instance)
        listed = {"mjmodel": (_fields.MODEL, _fields.MODEL_NUMBERS), "mjdata": (_fields.DATA, _fields.DATA_NUMBERS)}[struct]
        kind.missing = frozenset({*asked.get(struct, ()), *(name for names in listed for name in names)})
        kind.fields = tuple(own | kind.missing)


def _fields_of_dm_control() -> dict[str, Any]:
    """Fields by their struct, as a file of dm_control lists them; none where it is not installed."""
    found = importlib.util.find_spec("dm_control")
    if found is None or not found.submodule_search_locations:
        return {}
    sizes = Path(found.submodule_search_locations[0], "mujoco/wrapper/mjbindings/sizes.py")
    if not sizes.is_file():
        return {}
    return dict(runpy.run_path(str(sizes))["array_sizes"])
