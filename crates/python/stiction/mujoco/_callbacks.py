"""Functions of scripts that are called while something is computed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ._guard import NotOffered

Callback = Callable[..., Any] | None


class Callbacks:
    """Those that are set: MuJoCo has one of each kind, for all models."""

    control: Callback = None
    passive: Callback = None
    sensor: Callback = None
    time: Callback = None
    user_warning: Callback = None

    @property
    def act(self) -> bool:
        """Whether one of them may change a step."""
        return self.control is not None or self.passive is not None

    def now(self) -> float:
        """The time by which timers count [s]."""
        if self.time is None:
            return time.perf_counter()
        found = self.time()
        if not isinstance(found, (int, float)):
            raise TypeError("mjcb_time callback did not return a number")
        return float(found)


#: Those of this process.
callbacks = Callbacks()


def _checked(callback: Any) -> Callback:
    if callback is not None and not callable(callback):
        raise TypeError("callback is not an Optional[Callable]")
    return callback  # type: ignore[no-any-return]


def set_mjcb_control(callback: Any) -> None:
    """Sets what is called before every step, with model and state, to write ``d.ctrl``."""
    callbacks.control = _checked(callback)


def set_mjcb_passive(callback: Any) -> None:
    """Sets what is called before every step to change ``d.qfrc_passive``: what it adds acts in the step."""
    callbacks.passive = _checked(callback)


def set_mjcb_sensor(callback: Any) -> None:
    """Sets what writes the readings of sensors of the kind ``user``."""
    callbacks.sensor = _checked(callback)


def set_mjcb_time(callback: Any) -> None:
    """Sets the clock of timers."""
    callbacks.time = _checked(callback)


def set_mju_user_warning(callback: Any) -> None:
    """Sets what is told warnings."""
    callbacks.user_warning = _checked(callback)


def get_mjcb_control() -> Any:
    """What is called before every step."""
    return callbacks.control


def get_mjcb_passive() -> Any:
    """What changes passive efforts."""
    return callbacks.passive


def get_mjcb_sensor() -> Any:
    """What writes readings."""
    return callbacks.sensor


def get_mjcb_time() -> Any:
    """The clock of timers."""
    return callbacks.time


def get_mju_user_warning() -> Any:
    """What is told warnings."""
    return callbacks.user_warning


def _refused(name: str) -> tuple[Callable[[Any], None], Callable[[], None]]:
    def setter(callback: Any) -> None:
        if callback is not None:
            raise NotOffered(f"stiction.mujoco does not offer set_{name}")

    def getter() -> None:
        return None

    setter.__name__, getter.__name__ = f"set_{name}", f"get_{name}"
    setter.__doc__, getter.__doc__ = "Refused, but for None.", "None: there is no such callback."
    return setter, getter


for _name in ("mjcb_act_dyn", "mjcb_act_gain", "mjcb_act_bias", "mjcb_contactfilter", "mju_user_free", "mju_user_malloc"):
    globals()[f"set_{_name}"], globals()[f"get_{_name}"] = _refused(_name)

#: Names that this module offers.
NAMES = tuple(name for name in globals() if name.startswith(("set_mj", "get_mj")))
