"""Gymnasium environments on a fleet: many at a time with autoreset, or one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .._sealed import sealed
from .._simulation import Simulation
from .._stiction import Error
from .._tables import Array
from .._viewer import Viewer
from ..randomisation import Disturbance, Randomiser, Range, Size
from ..randomisation import variants as resized
from .fleet import Fleet, fleet, mixed
from .task import Ids, Task

Observation = NDArray[np.float32]


@sealed
class Disturbed:
    """Observations late and noisy, actions too, and pushes: see :class:`stiction.randomisation.Disturbance`.

    ``seed`` decides everything. What a row draws when its episode begins comes from a generator of its own; what is drawn in
    every control step is of a length that no episode changes. So a row sees the same whatever becomes of the others.
    """

    #: Width of the random network of an adversary.
    HIDDEN = 8

    def __init__(self, kind: Disturbance, n: int, observations: int, actions: int, seed: int = 0) -> None:
        self.kind, self.n, self.seed = kind, n, seed
        self.bias, self.action_bias = np.zeros((n, observations)), np.zeros((n, actions))
        self.seen = np.zeros((n, observations))
        slots = int(np.ceil(kind.latency.high if isinstance(kind.latency, Range) else kind.latency)) + 3
        self.late = np.zeros((slots, n, actions))
        self.latency = np.zeros(n)
        #: Observations of each present episode, the first not counted, and episodes that were begun.
        self.age, self.episodes = np.zeros(n, int), np.zeros(n, int)
        #: A number for each environment.
        self.of: dict[str, Array] = {f.name: np.full(n, kind.number(f.name)) for f in fields(kind)}
        # One first layer for all, and a second for each environment.
        self.first = np.random.default_rng([seed, 0]).normal(size=(self.HIDDEN, observations)) / np.sqrt(max(observations, 1))
        self.second = np.zeros((n, actions, self.HIDDEN))
        #: Noise of the first observation, and shares that say whether it is another's and whose.
        self.first_noise, self.first_shares = np.zeros((n, observations)), np.ones((n, 2))
        self._of_steps = np.random.default_rng([seed, 1])

    def begin(self, ids: Ids, drawn: Mapping[int, Mapping[str, float]], own: Sequence[np.random.Generator] | None = None) -> None:
        """Episodes begin; ``drawn``: the numbers that these environments drew, by index and name; ``own``: generators, one for each row."""
        for name in self.kind.ranges:
            self.of[name][ids] = [drawn[int(i)][name] for i in ids]
        for i in (int(i) for i in ids):
            dice = np.random.default_rng([self.seed, 2, i, int(self.episodes[i])]) if own is None else own[i]
            self.episodes[i] += 1
            self.bias[i] = self.of["observation_bias"][i] * dice.normal(size=self.bias.shape[1])
            self.action_bias[i] = self.of["action_bias"][i] * dice.normal(size=self.action_bias.shape[1])
            latency = self.kind.latency
            self.latency[i] = self.of["latency"][i] if isinstance(latency, Range) else dice.integers(0, int(latency) + 1)
            self.second[i] = dice.normal(size=self.second.shape[1:]) / np.sqrt(self.HIDDEN)
            self.first_noise[i], self.first_shares[i] = dice.normal(size=self.bias.shape[1]), dice.uniform(size=2)
        self.late[:, ids] = 0.0

    def begun(self, true: Array, ids: Ids) -> Array:
        """What is seen where episodes have just begun; all others see what they saw."""
        noisy = true + self.bias + self.of["observation_noise"][:, None] * self.first_noise
        fresh = noisy[ids]
        other = self.first_shares[ids, 0] < self.of["injection"][ids]
        fresh[other] = noisy[(self.first_shares[ids, 1] * self.n).astype(int)[other]]
        self.seen[ids], self.age[ids] = fresh, 0
        return np.array(self.seen)

    def observation(self, true: Array) -> Array:
        """What is seen of what is true after a control step."""
        of, dice = self.of, self._of_steps
        noisy = true + self.bias
        if self.kind.acts("observation_noise"):
            noisy = noisy + of["observation_noise"][:, None] * dice.normal(size=true.shape)
        if self.kind.acts("injection"):
            other = dice.uniform(size=self.n) < of["injection"]
            noisy[other] = noisy[dice.permutation(self.n)[other]]
        self.age += 1
        stale = self.age % np.maximum(np.rint(of["refresh"]), 1) != 0
        if self.kind.acts("observation_delay"):
            stale |= dice.uniform(size=self.n) < of["observation_delay"]
        self.seen = np.where(stale[:, None], self.seen, noisy)
        return np.array(self.seen)

    def action(self, wanted: Array) -> Array:
        """What arrives of what was wanted."""
        of, dice = self.of, self._of_steps
        if self.kind.acts("adversary"):
            other = np.tanh(np.einsum("nah,nh->na", self.second, np.tanh(self.seen @ self.first.T)))
            wanted = wanted + of["adversary"][:, None] * (other - wanted)
        self.late = np.roll(self.late, 1, axis=0)
        self.late[0] = wanted
        by = self.latency
        if self.kind.acts("action_delay"):
            by = by + (dice.uniform(size=self.n) < of["action_delay"])
        whole = np.floor(by).astype(int)
        part = (by - whole)[:, None]
        rows = np.arange(self.n)
        arrived = (1 - part) * self.late[whole, rows] + part * self.late[whole + 1, rows] + self.action_bias
        if self.kind.acts("action_noise"):
            arrived = arrived + of["action_noise"][:, None] * dice.normal(size=arrived.shape)
        return np.asarray(arrived)

    def pushes(self) -> Array | None:
        """Impulses of this control step (n, 3), horizontal, 0 where there is none [N·s]; None: nobody is pushed ever."""
        if not (self.kind.acts("push_probability") and self.kind.acts("push")):
            return None
        size = (self._of_steps.uniform(size=self.n) < self.of["push_probability"]) * self.of["push"]
        angle = self._of_steps.uniform(0, 2 * np.pi, self.n)
        return np.stack([size * np.cos(angle), size * np.sin(angle), np.zeros(self.n)], axis=1)


@sealed
class TaskVectorEnv(VectorEnv[Observation, Observation, NDArray[Any]]):
    """A task in n environments side by side, stepped by a batch (by simulations where ``contact`` is given).

    ``autoreset``: next-step, same-step or disabled, as :class:`gymnasium.vector.AutoresetMode` says; where it is disabled,
    ``reset(options={"reset_mask": mask})`` resets some. ``max_episode_steps``: control steps after which an episode is cut off, instead of
    the task's. At the end of episodes ``info["ended"]`` has their returns ``r`` and lengths ``l``, and ``info["_ended"]`` says of which rows. ``randomiser`` makes a randomiser of the model and a seed. ``sizes`` of bodies differ from
    environment to environment, in so many ``variants``: see :class:`stiction.randomisation.Size`.
    Reproducible by the seed of :meth:`reset`, for any number of threads.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        task: Task | Callable[[], Task],
        num_envs: int = 1,
        *,
        autoreset: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        randomiser: Callable[[Any, int], Randomiser] | None = None,
        sizes: Sequence[Size] = (),
        variants: int = 8,
        threads: int = 1,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        self.task = task if isinstance(task, Task) else task()
        self.num_envs = num_envs
        if max_episode_steps is not None and not (isinstance(max_episode_steps, (int, np.integer)) and max_episode_steps >= 1):
            raise Error(f"max_episode_steps is {max_episode_steps}; expected a whole number of control steps >= 1")
        self._limit = max_episode_steps
        model = self.task.model
        #: Factors of the sizes of each environment.
        self.sizes: Array = np.zeros((num_envs, 0))
        if sizes:
            models, factors = resized(model, sizes, min(variants, num_envs))
            self.fleet: Fleet = mixed(model, models, num_envs, threads=threads, **settings)
            self.sizes = factors[np.arange(num_envs) % len(models)]
        else:
            self.fleet = fleet(model, num_envs, threads=threads, **settings)
        self.autoreset = AutoresetMode(autoreset) if not isinstance(autoreset, AutoresetMode) else autoreset
        self.metadata = {"autoreset_mode": self.autoreset, "render_modes": ["rgb_array", "human"], "render_fps": 50}
        if render_mode not in (None, "rgb_array", "human"):
            raise Error(f"render_mode is `{render_mode}`; there are: rgb_array, human")
        self.render_mode = render_mode
        #: Shows states: environments are stepped by a batch, which draws nothing.
        self._shown: Simulation | None = None
        self._viewer: Viewer | None = None
        self._disturbed: Disturbed | None = None
        #: A generator for each row, where a list of seeds was given.
        self._own_dice: list[np.random.Generator] | None = None
        self._make_randomiser = randomiser
        self.randomiser: Randomiser | None = None
        self._dice = np.random.default_rng()
        self._begin_with(None)
        size = self.task.observe(self.fleet, self._scratch).shape[1]
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.single_action_space = spaces.Box(-1.0, 1.0, (self.task.actions,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def limit(self) -> int:
        """Control steps after which an episode is cut off."""
        return self.task.limit if self._limit is None else self._limit

    def _begin_with(self, seed: int | None) -> None:
        n = self.num_envs
        if seed is not None:
            self._dice = np.random.default_rng(seed)
            self._disturbed = None
        self._scratch = self.task.scratch(n)
        self._age = np.zeros(n, int)
        self._returns = np.zeros(n)
        self._done = np.zeros(n, bool)
        if self._make_randomiser is not None and (self.randomiser is None or seed is not None):
            self.randomiser = self._make_randomiser(self.task.model, 0 if seed is None else seed)
            absolute = {"com", "inertia"} & {name for vary in self.randomiser.varies for name in vary.changes}
            if self.sizes.shape[1] and absolute:
                raise Error(f"{', '.join(sorted(absolute))} cannot be drawn where sizes differ: they are numbers of one size; vary `mass`")

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins episodes: all, or where ``options["reset_mask"]`` is true.

        A seed decides everything that follows. A list has one for each row, whose episodes then begin as it decides, from now
        on, whatever the others do; None leaves a row to chance.
        """
        mask = None if options is None else options.get("reset_mask")
        if isinstance(seed, (list, tuple)):
            if len(seed) != self.num_envs:
                raise Error(f"seed is a list of {len(seed)}; expected {self.num_envs}, one for each environment")
            self._own_dice = [np.random.default_rng(s) for s in seed]
            entropy = [s for s in seed if s is not None]
            seed = int(np.random.SeedSequence(entropy).generate_state(1)[0]) if len(entropy) == len(seed) else None
        elif seed is not None:
            self._own_dice = None
        if mask is None:
            self._begin_with(seed)
            ids = np.arange(self.num_envs)
        else:
            ids = np.flatnonzero(np.asarray(mask, bool))
        self._reset(ids)
        return self._observe_begun(ids), {}

    @property
    def ages(self) -> NDArray[Any]:
        """Control steps of the present episodes; can be written."""
        return self._age

    def _reset(self, ids: Ids) -> None:
        if len(ids) == 0:
            return
        if self.randomiser is not None:
            self.fleet.set_parameters(ids, **self.randomiser.draw(ids))
            if self._disturbed is None:
                seen = self.task.observe(self.fleet, self._scratch).shape[1]
                seed = int(self._dice.integers(2**63))
                self._disturbed = Disturbed(self.randomiser.disturbance, self.num_envs, seen, self.task.actions, seed)
            self._disturbed.begin(ids, self.randomiser.disturbed, self._own_dice)
        if self._own_dice is None:
            q, v = self.task.begin(ids, self._dice, self._scratch)
        else:
            begun = [self.task.begin(np.array([i]), self._own_dice[i], self._scratch) for i in ids]
            q, v = np.concatenate([b[0] for b in begun]), np.concatenate([b[1] for b in begun])
        self.fleet.set_state(ids, q, v)
        self._scratch.action[ids] = 0.0
        self._age[ids], self._returns[ids], self._done[ids] = 0, 0.0, False

    def _observe(self) -> Observation:
        """What is seen after a control step."""
        true = self.task.observe(self.fleet, self._scratch)
        return (true if self._disturbed is None else self._disturbed.observation(true)).astype(np.float32)

    def _observe_begun(self, ids: Ids) -> Observation:
        """What is seen where these episodes have just begun, with no step in between."""
        true = self.task.observe(self.fleet, self._scratch)
        return (true if self._disturbed is None else self._disturbed.begun(true, ids)).astype(np.float32)

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """A control step of all environments; see :class:`gymnasium.vector.VectorEnv`.

        An action that is not a number, and a step that fails, end the episode of their row: nothing is rewarded, the
        observation is that of the last state, and ``info["failure"]`` says why (an empty text for all others).
        """
        task, scratch = self.task, self._scratch
        n = self.num_envs
        given = np.asarray(actions, dtype=np.float64)
        if given.shape != (n, task.actions):
            raise Error(f"actions have the shape {given.shape}; expected {(n, task.actions)}")
        absurd = np.asarray(~np.isfinite(given).all(axis=1))
        action = np.clip(np.where(absurd[:, None], 0.0, given), -1, 1)
        begun = np.zeros(n, bool)
        if self.autoreset == AutoresetMode.NEXT_STEP and self._done.any():
            begun = self._done.copy()
        arrived = action if self._disturbed is None else self._disturbed.action(action)
        control = task.control(arrived)
        self._push()
        self.fleet.step(control, task.steps)
        terms = task.reward(self.fleet, action, control, scratch)
        reward = np.sum(list(terms.values()), axis=0)
        scratch.action[:] = action
        self._age += 1
        failure = self._failures(given, absurd)
        terminated = task.over(self.fleet, scratch) | (failure != "")
        reward = np.where(failure != "", 0.0, reward)
        truncated = (self._age >= self.limit) & ~terminated
        # Of an episode that was over before, nothing happened but that the next begins.
        reward = np.where(begun | self._done, 0.0, reward)
        terminated, truncated = terminated & ~begun, truncated & ~begun
        self._returns += reward
        task.after(self.fleet, self._dice, scratch)
        info: dict[str, Any] = {"reward_terms": terms}
        if (failure != "").any():
            info["failure"], info["_failure"] = failure, failure != ""
        done = terminated | truncated
        over = np.flatnonzero(done)
        if len(over):
            # Not "episode": that is the word of Gymnasium's wrapper RecordEpisodeStatistics.
            info["ended"] = {"r": np.where(done, self._returns, 0.0), "l": np.where(done, self._age, 0)}
            info["_ended"] = done
            if self.randomiser is not None:
                for i in over:
                    self.randomiser.performed(int(i), self._returns[i])
        if begun.any():
            self._reset(np.flatnonzero(begun))
        self._done = done & ~begun
        observation = self._observe()
        if begun.any():
            observation = self._observe_begun(np.flatnonzero(begun))
        if self.autoreset == AutoresetMode.SAME_STEP and len(over):
            info["final_obs"], info["_final_obs"] = observation.copy(), done
            self._reset(over)
            observation = self._observe_begun(over)
        if self.render_mode == "human":
            self.render()
        return observation, reward, terminated, truncated, info

    def _failures(self, given: Array, absurd: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Why the episode of a row ends that could not be stepped."""
        failure = np.full(self.num_envs, "", dtype=object)
        for i, why in self.fleet.failures():
            failure[i] = why
        for row in np.flatnonzero(absurd):
            failure[row] = f"the action is {given[row].tolist()}; expected finite numbers"
        return failure

    def render(self) -> Any:
        """Pictures of all environments; with "human" the first is shown on a live page, whose address is printed once."""
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return tuple(self._picture(i) for i in range(self.num_envs))
        simulation = self._shows(0)
        if self._viewer is None:
            self._viewer = simulation.viewer()
            print(f"stiction: {self._viewer.url or 'no port can be had'}", flush=True)
        self._viewer.update()
        return None

    def _shows(self, i: int) -> Simulation:
        """A simulation in the state of environment i."""
        model = self.fleet.model_of(i)
        if self._shown is None or self._shown.model is not model:
            self._shown = Simulation(model)
        self._shown.set_state(self.fleet.q[i], self.fleet.v[i], float(self._age[i] * self.task.steps * self.fleet.dt))
        return self._shown

    def _picture(self, i: int) -> NDArray[np.uint8]:
        return self._shows(i).picture(480, 360).rgb

    def _push(self) -> None:
        impulse = None if self._disturbed is None or not self.task.trunk else self._disturbed.pushes()
        if impulse is not None:
            force = impulse / (self.fleet.dt * self.task.steps)
            self.fleet.push(self.task.trunk, np.concatenate([np.zeros_like(force), force], axis=1))

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the live page."""
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None


@sealed
class TaskEnv(gymnasium.Env[Observation, NDArray[Any]]):
    """A task in one environment; see :class:`TaskVectorEnv`."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 50}

    def __init__(self, task: Task | Callable[[], Task], *, render_mode: str | None = None, **settings: Any) -> None:
        self.vector = TaskVectorEnv(task, 1, autoreset=AutoresetMode.DISABLED, render_mode=render_mode, **settings)
        self.task = self.vector.task
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space
        self.render_mode = render_mode

    def render(self) -> Any:
        """A picture of the present state, from beside what moves; with "human" it is shown on a live page."""
        shown = self.vector.render()
        return shown[0] if isinstance(shown, tuple) else None

    def close(self) -> None:
        """Closes the live page."""
        self.vector.close_extras()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        if seed is None and options is None:
            # A reset without a seed goes on with the same generator.
            observation, info = self.vector.reset()
        else:
            observation, info = self.vector.reset(seed=seed)
        return observation[0], info

    def step(self, action: NDArray[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """A control step."""
        if np.shape(action) != (self.task.actions,):
            raise Error(f"the action has the shape {np.shape(action)}; expected {(self.task.actions,)}")
        observation, reward, terminated, truncated, info = self.vector.step(np.asarray(action)[None])
        told: dict[str, Any] = {"reward_terms": {name: float(value[0]) for name, value in info["reward_terms"].items()}}
        if "failure" in info:
            told["failure"] = info["failure"][0]
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), told
