"""Gymnasium's own MuJoCo environments, stepped by stiction: ``gymnasium.make("stiction/Ant-v5", contact="auto")``.

Their classes, observations and rewards are Gymnasium's, unchanged, and so are their MJCF files; only what steps is ours.
Gymnasium imports MuJoCo with them, so that must be installed. Nothing is drawn.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from .. import mujoco
from .._stiction import Error

#: Environments by name, and the module and class of Gymnasium.
NAMES = {
    "Ant-v5": ("ant_v5", "AntEnv"),
    "HalfCheetah-v5": ("half_cheetah_v5", "HalfCheetahEnv"),
    "Hopper-v5": ("hopper_v5", "HopperEnv"),
    "Humanoid-v5": ("humanoid_v5", "HumanoidEnv"),
    "HumanoidStandup-v5": ("humanoidstandup_v5", "HumanoidStandupEnv"),
    "InvertedDoublePendulum-v5": ("inverted_double_pendulum_v5", "InvertedDoublePendulumEnv"),
    "InvertedPendulum-v5": ("inverted_pendulum_v5", "InvertedPendulumEnv"),
    "Reacher-v5": ("reacher_v5", "ReacherEnv"),
    "Swimmer-v5": ("swimmer_v5", "SwimmerEnv"),
    "Walker2d-v5": ("walker2d_v5", "Walker2dEnv"),
}


class _Stepped:
    """What of Gymnasium's ``MujocoEnv`` names MuJoCo."""

    contact = "auto"
    model: Any
    data: Any
    fullpath: str

    def _initialize_simulation(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model = mujoco.MjModel.from_xml_path(self.fullpath)
        model.contact = self.contact
        return model, mujoco.MjData(model)

    def set_state(self, qpos: Any, qvel: Any) -> None:
        """Sets the state."""
        self.data.set_state(normalised(self.model, qpos), qvel, self.data.time)

    def _step_mujoco_simulation(self, ctrl: Any, n_frames: int) -> None:
        self.data.ctrl[:] = ctrl
        mujoco.mj_step(self.model, self.data, nstep=n_frames)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begins an episode."""
        gymnasium.Env.reset(self, seed=seed)  # type: ignore[arg-type]
        mujoco.mj_resetData(self.model, self.data)
        return self.reset_model(), self._get_reset_info()  # type: ignore[attr-defined]


def normalised(model: mujoco.MjModel, qpos: Any) -> Any:
    """Their resets add noise to quaternions, which MuJoCo makes unit in its next step."""
    q = np.array(qpos, dtype=np.float64)
    mujoco.mj_normalizeQuat(model, q)
    return q


def make(name: str, contact: str = "auto", **settings: Any) -> gymnasium.Env[Any, Any]:
    """One of :data:`NAMES`."""
    import importlib

    if settings.pop("render_mode", None) is not None:
        raise Error(f"stiction/{name} draws nothing; record its simulation, environment.unwrapped.data.simulation")
    module, kind = NAMES[name]
    try:
        base = getattr(importlib.import_module(f"gymnasium.envs.mujoco.{module}"), kind)
    except (ImportError, gymnasium.error.DependencyNotInstalled) as missing:
        raise Error(
            f"stiction/{name} is Gymnasium's own environment, which imports MuJoCo and imageio ({missing}); "
            "pip install 'stiction[mujoco]' brings both"
        ) from missing
    made = type(f"Stiction{kind}", (_Stepped, base), {"contact": contact})
    # A number, so that their renderer, which is thrown away, does not look cameras up by name.
    environment: gymnasium.Env[Any, Any] = made(**{"camera_id": 0, **settings})
    environment.unwrapped.mujoco_renderer = None  # type: ignore[attr-defined]
    return environment
