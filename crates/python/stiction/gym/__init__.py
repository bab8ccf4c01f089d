"""Gymnasium environments, registered where this module is imported, by ``import gymnasium, stiction`` too: after that
``gymnasium.make("stiction/Quadruped-v0")``, ``gymnasium.make_vec("stiction/Quadruped-v0", 64)``; or, in one,
``gymnasium.make("stiction.gym:stiction/Quadruped-v0")``.

The tasks here take ``contact``, ``stepper``, ``dt``, ``effort`` and further settings of a simulation, ``randomiser`` and
``threads``; without ``contact`` and ``stepper`` they are stepped by a batch. Gymnasium's own MuJoCo environments are ``stiction/Ant-v5`` and so
on; see :mod:`stiction.gym.of_mujoco`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

from . import of_mujoco
from .environment import TaskEnv, TaskVectorEnv
from .fleet import Fleet, Lanes, Row, fleet
from .task import Scratch, Task
from .tasks import CartPole, Grasp, Humanoid, Legged, legged, quadruped

__all__ = [
    "CartPole",
    "Fleet",
    "Grasp",
    "Humanoid",
    "Lanes",
    "Legged",
    "Row",
    "Scratch",
    "Task",
    "TaskEnv",
    "TaskVectorEnv",
    "fleet",
    "legged",
    "quadruped",
    "register",
]

#: The tasks by the name of their environment.
TASKS: dict[str, Callable[..., Task]] = {
    "Quadruped-v0": quadruped,
    "Legged-v0": legged,
    "HumanoidRun-v0": Humanoid,
    "Grasp-v0": Grasp,
    "CartPole-v0": CartPole,
}

#: Keywords of tasks, which are not for the simulation.
_OF_TASKS = ("file", "command")


def _parts(name: str, settings: dict[str, Any]) -> tuple[Task, dict[str, Any]]:
    task = {key: settings.pop(key) for key in _OF_TASKS if key in settings}
    return TASKS[name](**task), settings


def make(name: str, **settings: Any) -> TaskEnv:
    """The environment of a task of :data:`TASKS`."""
    task, settings = _parts(name, settings)
    return TaskEnv(task, **settings)


def make_vector(name: str, num_envs: int = 1, **settings: Any) -> TaskVectorEnv:
    """Many environments of a task."""
    task, settings = _parts(name, settings)
    return TaskVectorEnv(task, num_envs, **settings)


def register() -> None:
    """Registers the environments; ``import stiction.gym`` calls it."""
    for name in TASKS:
        if f"stiction/{name}" not in gymnasium.registry:
            gymnasium.register(
                f"stiction/{name}",
                entry_point=lambda name=name, **settings: make(name, **settings),
                vector_entry_point=lambda num_envs=1, name=name, **settings: make_vector(
                    name, num_envs, **settings
                ),
            )
    limits = {"Hopper-v5": 1000, "Reacher-v5": 50}
    for name in of_mujoco.NAMES:
        if f"stiction/{name}" not in gymnasium.registry:
            gymnasium.register(
                f"stiction/{name}",
                entry_point=lambda name=name, **settings: of_mujoco.make(name, **settings),
                max_episode_steps=limits.get(name, 1000),
            )


register()
