"""The interfaces that trainers expect: stable-baselines3's ``VecEnv`` and rsl_rl's, on the same environments.

Both begin the next episode in the step in which one ends; what was seen last before that, and whether an episode was cut
off or is over, is told as each of them asks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from .._sealed import sealed
from .environment import TaskVectorEnv
from .task import Task


def stable_baselines(task: Task, num_envs: int, **settings: Any) -> Any:
    """A ``stable_baselines3.common.vec_env.VecEnv``; ``settings`` are those of :class:`TaskVectorEnv`."""
    from stable_baselines3.common.vec_env import VecEnv

    environment = TaskVectorEnv(task, num_envs, autoreset=AutoresetMode.SAME_STEP, **settings)

    class StictionVecEnv(VecEnv):  # type: ignore[misc]
        """See :func:`stable_baselines`."""

        def __init__(self) -> None:
            self.environment = environment
            self._actions = np.zeros((num_envs, task.actions))
            super().__init__(num_envs, environment.single_observation_space, environment.single_action_space)

        def reset(self) -> Any:
            seeds = [s for s in self._seeds if s is not None]
            observation, _ = environment.reset(seed=seeds[0] if seeds else None)
            self._reset_seeds()
            return observation

        def step_async(self, actions: Any) -> None:
            self._actions = actions

        def step_wait(self) -> Any:
            observation, reward, terminated, truncated, info = environment.step(self._actions)
            done = terminated | truncated
            infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
            for i in np.flatnonzero(done):
                infos[i] = {
                    "terminal_observation": info["final_obs"][i],
                    "TimeLimit.truncated": bool(truncated[i]),
                    "episode": {"r": float(info["ended"]["r"][i]), "l": int(info["ended"]["l"][i]), "t": 0.0},
                }
            return observation, reward.astype(np.float32), done, infos

        def close(self) -> None:
            environment.close()

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(environment, attr_name)] * len(list(self._get_indices(indices)))

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            setattr(environment, attr_name, value)

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
            result = getattr(environment, method_name)(*args, **kwargs)
            return [result] * len(list(self._get_indices(indices)))

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * len(list(self._get_indices(indices)))

    return StictionVecEnv()


@sealed
class RslRl:
    """The ``VecEnv`` that rsl_rl trains on: torch tensors, ``episode_length_buf``, ``time_outs``.

    ``tensordict``: observations as a ``TensorDict`` with the group ``policy``, as rsl_rl asks from version 3 on; else as
    ``(observations, extras)``.
    """

    def __init__(
        self, task: Task, num_envs: int, *, device: str = "cpu", tensordict: bool = False, seed: int = 0, **settings: Any
    ) -> None:
        import torch

        self._torch, self._dicts = torch, tensordict
        self.environment = TaskVectorEnv(task, num_envs, autoreset=AutoresetMode.SAME_STEP, **settings)
        self.num_envs, self.num_actions, self.device = num_envs, task.actions, device
        self.num_obs = int(np.prod(self.environment.single_observation_space.shape or ()))
        self.num_privileged_obs = 0
        self.max_episode_length = self.environment.limit
        self.cfg: dict[str, Any] = {}
        self._seed = seed
        self.reset()

    @property
    def unwrapped(self) -> RslRl:
        """Itself."""
        return self

    @property
    def episode_length_buf(self) -> Any:
        """Control steps of the present episodes."""
        return self._torch.as_tensor(self.environment.ages, device=self.device)

    @episode_length_buf.setter
    def episode_length_buf(self, ages: Any) -> None:
        self.environment.ages[:] = ages.cpu().numpy()

    def _tensor(self, array: Any) -> Any:
        return self._torch.as_tensor(np.asarray(array, dtype=np.float32), device=self.device)

    def _observed(self) -> Any:
        if self._dicts:
            from tensordict import TensorDict

            return TensorDict({"policy": self._tensor(self._observation)}, batch_size=[self.num_envs])
        return self._tensor(self._observation)

    def get_observations(self) -> Any:
        """What is seen now."""
        return self._observed() if self._dicts else (self._observed(), {"observations": {}})

    def reset(self) -> Any:
        """Begins all episodes."""
        self._observation, _ = self.environment.reset(seed=self._seed)
        return self.get_observations()

    def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """A control step: observations, rewards, ends, and what more there is, ``time_outs`` among it."""
        array = actions.detach().cpu().numpy()
        self._observation, reward, terminated, truncated, info = self.environment.step(array)
        done = self._torch.as_tensor((terminated | truncated).astype(np.int64), device=self.device)
        extras: dict[str, Any] = {
            "time_outs": self._torch.as_tensor(truncated, device=self.device),
            "observations": {},
            "log": {name: float(np.mean(value)) for name, value in info["reward_terms"].items()},
        }
        return self._observed(), self._tensor(reward), done, extras

    def close(self) -> None:
        """Nothing is open."""

