"""Environments: Gymnasium's own checks, reproducibility, autoreset, and what the tasks promise."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import stiction  # noqa: E402
import stiction.gym as sgym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from stiction.gym.fleet import mixed  # noqa: E402
from stiction.randomisation import Adaptive, Disturbance, Randomiser, Range, Size, Vary, variants  # noqa: E402

NAMES = [name for name in sgym.TASKS if name != "Legged-v0"]


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_finds_nothing_to_complain_of(name: str) -> None:
    environment = gymnasium.make(f"stiction/{name}", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of observations without bounds
        check_env(environment.unwrapped)


def rollout(name: str, seed: int, n: int = 3, steps: int = 12, **settings: Any) -> np.ndarray:
    """Observations and rewards of random actions."""
    environment = gymnasium.make_vec(f"stiction/{name}", n, **settings)
    observation, _ = environment.reset(seed=seed)
    dice, out = np.random.default_rng(5), [observation.ravel()]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = environment.step(dice.uniform(-1, 1, environment.action_space.shape))
        out += [observation.ravel(), reward, terminated, truncated]
    return np.concatenate(out)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_decides_everything_whatever_the_threads(name: str) -> None:
    first = rollout(name, 1)
    assert (first == rollout(name, 1, threads=2)).all()
    assert not (first == rollout(name, 2)).all()


def test_other_contact_models_drive_the_same_environment() -> None:
    exact = rollout("Quadruped-v0", 3, n=1, steps=3)
    # Lanes know no methods of higher order for robots with servos in the air.
    alone = rollout("Quadruped-v0", 3, n=1, steps=3, contact="auto", higher_order="passive")
    soft = rollout("Quadruped-v0", 3, n=1, steps=3, contact="mujoco")
    assert alone == pytest.approx(exact, abs=1e-9)
    assert not np.allclose(soft, exact, atol=2e-3)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episodes_follow_one_another(mode: AutoresetMode) -> None:
    environment = sgym.make_vector("CartPole-v0", 4, autoreset=mode)
    assert environment.metadata["autoreset_mode"] == mode
    begin, _ = environment.reset(seed=1)
    push = np.array([[1.0], [0.0], [1.0], [0.0]])
    was_done = np.zeros(4, bool)
    seen = 0
    for _ in range(60):
        observation, reward, terminated, truncated, info = environment.step(push)
        done = terminated | truncated
        fallen = np.abs(observation[:, 1]) > 0.2
        if mode == AutoresetMode.NEXT_STEP:
            assert (fallen == done).all()
            assert (reward[was_done] == 0).all() and not done[was_done].any()
            assert (np.abs(observation[was_done]) <= 0.051).all()
        elif mode == AutoresetMode.SAME_STEP and done.any():
            assert (np.abs(info["final_obs"][done, 1]) > 0.2).all() and (info["_final_obs"] == done).all()
            assert (np.abs(observation[done]) <= 0.051).all()
        elif mode == AutoresetMode.DISABLED and done.any():
            observation, _ = environment.reset(options={"reset_mask": done})
            assert (np.abs(observation[done]) <= 0.051).all()
        if done.any():
            assert (info["ended"]["r"][done] == info["ended"]["l"][done]).all(), "one for each step"
            assert (terminated == done).all()
        seen += int(done.sum())
        was_done = done
    assert seen >= 4
    assert begin.dtype == np.float32 and observation.dtype == np.float32


def test_time_limits_truncate_and_do_not_terminate() -> None:
    task = sgym.CartPole()
    task.limit = 5
    environment = sgym.TaskVectorEnv(task, 2)
    environment.reset(seed=1)
    ends = [environment.step(np.zeros((2, 1)))[2:4] for _ in range(6)]
    assert [bool(truncated.all()) for _, truncated in ends] == [False, False, False, False, True, False]
    assert not any(terminated.any() for terminated, _ in ends)


def test_a_standing_quadruped_is_rewarded_for_standing_and_over_when_it_tips() -> None:
    task = sgym.quadruped(command=np.zeros(3))
    environment = sgym.TaskVectorEnv(task, 4)
    environment.reset(seed=1)
    for _ in range(40):
        _, reward, terminated, _, info = environment.step(np.zeros((4, 12)))
    assert not terminated.any() and (reward > 0.8 * (1.5 + 0.75) * 0.02).all()
    assert reward == pytest.approx(np.sum(list(info["reward_terms"].values()), axis=0))
    tipped = environment.fleet.q[2].copy()
    tipped[2:7] = [0.3, np.cos(0.6), np.sin(0.6), 0, 0]
    environment.fleet.set_state(np.array([2]), tipped[None], np.zeros((1, 18)))
    assert environment.step(np.zeros((4, 12)))[2].tolist() == [False, False, True, False]


def test_randomisation_is_reproducible_logged_and_felt() -> None:
    vary = [
        Vary("friction", "set", "uniform", 0.3, 1.0),
        Vary("mass", "scale", "loguniform", 0.5, 2.0, per="element"),
        Vary("gravity", "add", "uniform", -0.1, 0.1, per="element", only=(2,)),
        Vary("gain", "scale", "normal", 0.9, 1.1),
    ]

    def make(model: Any, seed: int) -> Randomiser:
        disturbance = Disturbance(observation_noise=0.01, observation_bias=0.01, observation_delay=0.1, refresh=2,
                                  injection=0.05, action_noise=0.01, action_delay=0.1, latency=2,
                                  push_probability=0.2, push=1.0)
        return Randomiser(model, vary, seed=seed, disturbance=disturbance)

    runs = [rollout("Quadruped-v0", 1, randomiser=make) for _ in range(2)]
    assert (runs[0] == runs[1]).all() and not (runs[0] == rollout("Quadruped-v0", 1)).all()
    environment = sgym.make_vector("Quadruped-v0", 5, randomiser=make)
    environment.reset(seed=4)
    kept = environment.fleet.batch.parameters("friction", "mass", "gravity")  # type: ignore[attr-defined]
    drawn = environment.randomiser.drawn  # type: ignore[union-attr]
    base = environment.task.model.fields()
    for i in range(5):
        friction, mass, gravity, _ = drawn[i]
        assert kept["friction"][i] == pytest.approx(float(friction)) and 0.3 <= friction <= 1.0
        assert kept["mass"][i] == pytest.approx(base["mass"] * mass) and (0.5 <= mass).all() and (mass <= 2).all()
        assert kept["gravity"][i][:2] == pytest.approx([0, 0]) and kept["gravity"][i][2] == pytest.approx(-9.81 + gravity[2])
    assert len({float(d[0]) for d in drawn.values()}) == 5


def test_draws_have_their_distributions() -> None:
    model = sgym.CartPole().model
    for distribution, mean, low, high in (("uniform", 1.25, 0.5, 2.0), ("loguniform", 1.0, 0.5, 2.0), ("normal", 1.25, -1, 4)):
        vary = Vary("gain", "scale", distribution, 0.5, 2.0)
        drawn = np.concatenate([Randomiser(model, [vary], seed=s).draw(range(200))["gain"].ravel() for s in range(5)])
        assert low <= drawn.min() and drawn.max() <= high
        central = np.exp(np.log(drawn).mean()) if distribution == "loguniform" else drawn.mean()
        assert central == pytest.approx(mean, abs=0.05)
    with pytest.raises(ValueError, match="quantity is `masses`; there are: gravity, mass"):
        Vary("masses")
    with pytest.raises(ValueError, match="loguniform from 0"):
        Vary("mass", "scale", "loguniform", 0, 1)


def test_ranges_widen_as_performance_holds_and_narrow_where_it_does_not() -> None:
    model = sgym.CartPole().model
    vary = [Vary("gain", "scale", "uniform", 0.2, 1.8), Vary("damping", "scale", "loguniform", 0.1, 10)]
    adaptive = Adaptive(widen=10, narrow=5, probability=1.0, episodes=2, step=0.1)
    randomiser = Randomiser(model, vary, adaptive=adaptive, seed=1)
    assert randomiser.ranges["gain"] == pytest.approx((1, 1)) and randomiser.ranges["damping"] == pytest.approx((1, 1))
    for _ in range(40):
        randomiser.draw([0])
        # Who is strong copes with any gain; weak dampers only with what they know.
        assert randomiser._ends[0][0] in (0, 1)
        k = randomiser._ends[0][0]
        randomiser.performed(0, 20.0 if k == 0 else 1.0)
    low, high = randomiser.ranges["gain"]
    assert low < 0.7 and high > 1.3 and randomiser.ranges["damping"] == pytest.approx((1, 1))
    assert adaptive.log and {line["quantity"] for line in adaptive.log} <= {"gain", "damping"}
    within = [randomiser.draw([1])["gain"] for _ in range(30)]
    assert min(map(np.min, within)) >= low - 1e-9 and max(map(np.max, within)) <= high + 1e-9


def table_of_dextreme(hand: tuple[int, ...], grasped: tuple[int, ...]) -> tuple[list[Vary], list[Size], Disturbance]:
    """Domain randomisation of a hand that turns a cube, row by row with initial and discovered ranges: all 26 rows."""
    vary = [
        Vary("mass", "scale", "uniform", 0.4, 1.5, only=hand, initial=(0.4, 1.5)),
        Vary("friction", "scale", "uniform", 0.54, 1.58, only=hand, initial=(0.8, 1.2)),
        Vary("armature", "scale", "uniform", 0.31, 1.24, initial=(0.8, 1.02)),
        Vary("effort_limit", "scale", "uniform", 0.9, 2.49, initial=(0.9, 1.1)),
        Vary("gain", "scale", "loguniform", 0.3, 3.52, also=("bias_length",), initial=(0.3, 3.0)),
        Vary("bias_velocity", "scale", "loguniform", 0.43, 1.6, initial=(0.75, 1.5)),
        Vary("restitution", "add", "uniform", 0.0, 0.4, only=hand, initial=(0.0, 0.4)),
        Vary("mass", "scale", "uniform", 0.4, 1.6, only=grasped, initial=(0.4, 1.6)),
        Vary("friction", "scale", "uniform", 0.01, 1.6, only=grasped, initial=(0.3, 0.9)),
        Vary("restitution", "add", "uniform", 0.0, 0.4, only=grasped, initial=(0.0, 0.4)),
        Vary("gravity", "add", "normal", -1.0, 1.0, per="element"),
    ]
    sizes = [Size(0.95, 1.05, hand), Size(0.95, 1.05, grasped)]
    disturbance = Disturbance(
        observation_delay=Range(0.0, 0.47, initial=(0.0, 0.05)),
        refresh=Range(1.0, 6.0, initial=(1.0, 1.0)),
        observation_bias=Range(0.0, 0.12, initial=(0.0, 0.04)),
        observation_noise=Range(0.0, 0.14, initial=(0.0, 0.04)),
        injection=0.3,
        action_delay=Range(0.0, 0.31, initial=(0.0, 0.05)),
        latency=Range(0.0, 1.5, initial=(0.0, 0.0)),
        action_bias=Range(0.0, 0.32, initial=(0.0, 0.04)),
        action_noise=Range(0.0, 0.48, initial=(0.0, 0.04)),
        adversary=Range(0.0, 0.16, initial=(0.0, 0.0)),
        push_probability=0.05,
        push=0.2,
    )
    return vary, sizes, disturbance


def test_the_table_of_dextreme_can_be_written_down_and_run() -> None:
    model = sgym.make_vector("Quadruped-v0", 1).task.model
    vary, sizes, disturbance = table_of_dextreme((0, 1, 2), (3, 4))
    adaptive = Adaptive(widen=-1e9, narrow=-2e9, probability=1.0, episodes=1, step=0.5)
    randomiser = Randomiser(model, vary, disturbance=disturbance, adaptive=adaptive, seed=2)
    first = randomiser.ranges
    assert first["friction"] == pytest.approx((0.3, 0.9)) and first["latency"] == pytest.approx((0.0, 0.0))
    assert first["bias_velocity"] == pytest.approx((0.75, 1.5)) and first["observation_noise"] == pytest.approx((0.0, 0.04))
    base = model.fields()
    for _ in range(400):
        drawn = randomiser.draw([0])
        assert drawn["gain"][0] / base["gain"] == pytest.approx(drawn["bias_length"][0] / base["bias_length"])
        assert all(low - 1e-9 <= randomiser.disturbed[0][k] <= high + 1e-9 for k, (low, high) in randomiser.ranges.items() if k in disturbance.ranges)
        randomiser.performed(0, 0.0)
    # Everything performs well: every end but those of what is normal has moved out to the whole range.
    last = randomiser.ranges
    assert last["latency"] == pytest.approx((0.0, 1.5)) and last["refresh"] == pytest.approx((1.0, 6.0))
    assert last["armature"] == pytest.approx((0.31, 1.24)) and last["gravity"] == (-1.0, 1.0)
    runs = [
        rollout("Quadruped-v0", 1, sizes=sizes, randomiser=lambda model, seed: Randomiser(model, vary, disturbance=disturbance, seed=seed))
        for _ in range(2)
    ]
    assert (runs[0] == runs[1]).all()


def test_sizes_belong_to_environments() -> None:
    """Balls of sizes between 0.5 and 1.5 of their radius come to rest at their own heights, in lanes and alone."""
    scene = stiction.Scene("ball").ground(friction=0.8)
    model = scene.body("ball", shape="sphere", radius=0.1, mass=2.0, position=[0, 0, 0.16]).build()
    models, factors = variants(model, [Size(0.5, 1.5)], 4)
    assert sorted(factors[:, 0]) == pytest.approx([0.625, 0.875, 1.125, 1.375])
    base = model.fields()
    for resized, (factor,) in zip(models, factors):
        fields = pickle.loads(pickle.dumps(resized)).fields()
        assert fields["mass"] == pytest.approx(base["mass"]) and fields["inertia"] == pytest.approx(base["inertia"] * factor**2)
    for settings in ({}, {"contact": "auto"}):
        fleet = mixed(model, models, 6, **settings)
        assert fleet.model_of(5) is models[1]
        # The third of the second kind is twice as heavy.
        fleet.set_parameters(np.array([5]), mass=2 * base["mass"][None])
        fleet.set_state(np.array([1, 4]), np.tile(model.q0, (2, 1)) + [0, 0, 0.05, 0, 0, 0, 0], np.zeros((2, 6)))
        assert fleet.q[1, 2] == pytest.approx(0.21) and fleet.q[0, 2] == pytest.approx(0.16)
        fleet.step(np.zeros((6, 0)), int(2.0 / fleet.dt))
        assert fleet.q[:, 2] == pytest.approx(0.1 * factors[[0, 1, 2, 3, 0, 1], 0], abs=1e-6) and not fleet.failed.any()
    environment = sgym.make_vector("Quadruped-v0", 5, sizes=[Size()], variants=2)
    assert len(np.unique(environment.sizes)) == 2 and environment.fleet.n == 5
    with pytest.raises(ValueError, match="inertia cannot be drawn where sizes differ"):
        sgym.make_vector("Quadruped-v0", 2, sizes=[Size()], randomiser=lambda model, seed: Randomiser(model, [Vary("inertia")], seed=seed))
    with pytest.raises(ValueError, match="scaled by 0; expected a finite number > 0"):
        model.resized(0.0)


def test_disturbances_are_drawn_for_every_environment() -> None:
    kind = Disturbance(latency=Range(0.0, 1.5), observation_noise=Range(0.0, 1.0), adversary=Range(0.0, 0.5))
    disturbed = sgym.environment.Disturbed(kind, 2, 3, 1, seed=1)
    numbers = {0: {"latency": 0.0, "observation_noise": 0.0, "adversary": 0.0}, 1: {"latency": 0.25, "observation_noise": 1.0, "adversary": 0.0}}
    disturbed.begin(np.array([0, 1]), numbers)
    seen = disturbed.begun(np.ones((2, 3)), np.array([0, 1]))
    assert (seen[0] == 1).all() and (seen[1] != 1).all()
    # A quarter of a step late: a quarter of it is the action before.
    disturbed.action(np.array([[1.0], [1.0]]))
    assert disturbed.action(np.array([[2.0], [2.0]])).ravel() == pytest.approx([2.0, 1.75])
    numbers[0]["adversary"] = 0.5
    disturbed.begin(np.array([0]), numbers)
    arrived = disturbed.action(np.zeros((2, 1)))
    assert 0 < abs(arrived[0, 0]) <= 0.5 and arrived[1, 0] == pytest.approx(0.25 * 2.0)
    with pytest.raises(ValueError, match="adversary is .* expected a probability"):
        Disturbance(adversary=1.5)
    with pytest.raises(ValueError, match="begins from 0.0 to 2.0; expected one within 0.0 to 1.0"):
        Range(0.0, 1.0, initial=(0.0, 2.0))


KINDS: dict[str, dict[str, Any]] = {
    "refresh": {"refresh": 3},
    "refresh drawn": {"refresh": Range(1, 4)},
    "observation delay": {"observation_delay": 0.5},
    "latency": {"latency": 2},
    "latency drawn": {"latency": Range(0, 2)},
    "action delay": {"action_delay": 0.5},
    "observation noise": {"observation_noise": 0.1},
    "observation bias": {"observation_bias": 0.3},
    "action noise and bias": {"action_noise": 0.1, "action_bias": 0.1},
    "adversary": {"adversary": 0.5},
    "injection": {"injection": 0.3},
    "pushes": {"push_probability": 0.3, "push": Range(0.0, 0.2)},
    "all": {"refresh": 2, "latency": 2, "adversary": Range(0.0, 0.5), "observation_noise": 0.1, "injection": 0.1, "push_probability": 0.3, "push": 0.2},
}


def disturbed_run(environment: Any, seed: Any, absurd: int | None = None) -> np.ndarray:
    """What is seen in twelve control steps, pushed to the right from the third; row 1 gets no action at step ``absurd``, which ends its episode."""
    observation, _ = environment.reset(seed=seed)
    out = [observation]
    for k in range(12):
        action = np.full((environment.num_envs, 1), 0.3 if k >= 3 else 0.0)
        if k == absurd:
            action[1] = np.nan
        out.append(environment.step(action)[0])
    return np.array(out)


def disturbed_cart(kind: str, mode: str = "NextStep", n: int = 3) -> Any:
    return sgym.TaskVectorEnv(sgym.CartPole(), n, autoreset=mode, randomiser=lambda m, s: Randomiser(m, [], disturbance=Disturbance(**KINDS[kind]), seed=s))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_brings_back_every_disturbance(kind: str, mode: str) -> None:
    """Bit for bit: in the same environment, after other episodes, and in a new one; and it disturbs."""
    environment = disturbed_cart(kind, mode)
    first = disturbed_run(environment, 5)
    disturbed_run(environment, 6)
    environment.step(np.zeros((3, 1)))
    environment.reset()
    assert np.array_equal(first, disturbed_run(environment, 5))
    assert np.array_equal(first, disturbed_run(disturbed_cart(kind, mode), 5))
    assert not np.array_equal(first, disturbed_run(sgym.TaskVectorEnv(sgym.CartPole(), 3, autoreset=mode), 5))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "injection" not in KINDS[kind]])
def test_a_row_sees_the_same_whatever_becomes_of_the_others(kind: str, mode: str) -> None:
    """The end of the episode of row 1 changes nothing for rows 0 and 2."""
    seeds = [5, 6, 7]
    whole, ended = disturbed_run(disturbed_cart(kind, mode), seeds), disturbed_run(disturbed_cart(kind, mode), seeds, absurd=4)
    assert np.array_equal(whole[:, [0, 2]], ended[:, [0, 2]])
    assert not np.array_equal(whole[:, 1], ended[:, 1])


def test_observations_are_refreshed_from_the_start_of_each_episode() -> None:
    """A row that begins anew counts from there; a reset of others is no observation."""
    environment = disturbed_cart("refresh", "Disabled")
    environment.reset(seed=1)
    seen = [environment.step(np.full((3, 1), 0.3))[0] for _ in range(2)]
    again, _ = environment.reset(options={"reset_mask": np.array([False, True, False])})
    assert np.array_equal(again[[0, 2]], seen[-1][[0, 2]]) and not np.array_equal(again[1], seen[-1][1])
    changed = []
    for _ in range(6):
        before, again = again, environment.step(np.full((3, 1), 0.3))[0]
        changed.append((again != before).any(axis=1).tolist())
    assert [c[0] for c in changed] == [True, False, False, True, False, False]
    assert [c[1] for c in changed] == [False, False, True, False, False, True]


def test_a_push_is_an_impulse_over_its_control_step() -> None:
    """0.2 N·s in any direction: the cart and its pole gain what is along the rail."""
    environment = sgym.TaskVectorEnv(sgym.CartPole(), 6, randomiser=lambda m, s: Randomiser(m, [], disturbance=Disturbance(push_probability=1.0, push=0.2), seed=s))
    environment.reset(seed=2)
    environment.fleet.set_state(np.arange(6), np.zeros_like(environment.fleet.q), np.zeros_like(environment.fleet.v))
    environment.step(np.zeros((6, 1)))
    kept = environment._disturbed
    expected = sgym.environment.Disturbed(kept.kind, 6, 4, 1, kept.seed).pushes()
    assert np.linalg.norm(expected, axis=1) == pytest.approx(0.2) and len(np.unique(expected[:, 0])) == 6
    model = environment.task.model
    gained = [stiction.dynamics.momentum(model, q, v)[3] for q, v in zip(environment.fleet.q, environment.fleet.v)]
    assert gained == pytest.approx(expected[:, 0], abs=1e-3)


@pytest.mark.parametrize("name", ["CartPole-v0", "Grasp-v0"])
def test_wrappers_of_vectors_count_and_cut_episodes(name: str) -> None:
    """Row 204: a limit of make_vec, and Gymnasium's statistics beside ours."""
    vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.make_vec(f"stiction/{name}", 3, max_episode_steps=6))
    vector.reset(seed=1)
    lengths = []
    for _ in range(15):
        _, _, terminated, truncated, info = vector.step(np.zeros(vector.action_space.shape, np.float32))
        if "episode" in info:
            assert truncated.all() and not terminated.any()
            assert (info["episode"]["l"] == info["ended"]["l"]).all() and (info["_episode"] == info["_ended"]).all()
            assert info["episode"]["r"] == pytest.approx(info["ended"]["r"])
            lengths.append(info["episode"]["l"].tolist())
    assert lengths == [[6, 6, 6]] * 2
    vector = gymnasium.make_vec(f"stiction/{name}", 2, vectorization_mode="sync", max_episode_steps=4)
    vector.reset(seed=1)
    ends = [int(vector.step(np.zeros(vector.action_space.shape, np.float32))[3].sum()) for _ in range(5)]
    assert ends == [0, 0, 0, 2, 0]
    single = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make(f"stiction/{name}", max_episode_steps=3))
    single.reset(seed=1)
    infos = [single.step(np.zeros(single.action_space.shape, np.float32))[4] for _ in range(3)]
    assert infos[-1]["episode"]["l"] == 3
    for wrong in (0, 2.5, -1):
        with pytest.raises(ValueError, match=f"max_episode_steps is {wrong}; expected"):
            gymnasium.make_vec(f"stiction/{name}", 2, max_episode_steps=wrong)


@pytest.mark.parametrize("name", ["Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Walker2d-v5", "Humanoid-v5"])
def test_environments_of_mujoco_run_on_stiction(name: str) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    pytest.importorskip("imageio", reason="imageio, which Gymnasium's MuJoCo environments import, is not installed")
    theirs, mine = gymnasium.make(name), gymnasium.make(f"stiction/{name}")
    assert mine.observation_space == theirs.observation_space and mine.action_space == theirs.action_space
    expected, _ = theirs.reset(seed=1)
    found, _ = mine.reset(seed=1)
    # Noise makes their quaternions a little longer than one, which ours are not.
    assert found == pytest.approx(expected, abs=0.11)
    theirs.action_space.seed(0)
    for _ in range(5):
        observation, reward, terminated, truncated, _ = mine.step(theirs.action_space.sample())
        assert np.isfinite(observation).all() and np.isfinite(reward) and not truncated
        assert mine.unwrapped.data.simulation.natural_map < 1e-6
    assert mine.unwrapped.data.time == pytest.approx(5 * mine.unwrapped.dt)
    with pytest.raises(ValueError, match="draws nothing"):
        gymnasium.make(f"stiction/{name}", render_mode="rgb_array")


def test_stable_baselines_takes_the_environments() -> None:
    pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecMonitor

    from stiction.gym.adapters import stable_baselines

    environment = stable_baselines(sgym.CartPole(), 4)
    environment.seed(3)
    first = environment.reset()
    environment.seed(3)
    assert (first == environment.reset()).all() and first.shape == (4, 4)
    for _ in range(60):
        observation, reward, done, infos = environment.step(np.ones((4, 1)))
        for i in np.flatnonzero(done):
            assert abs(infos[i]["terminal_observation"][1]) > 0.2 and not infos[i]["TimeLimit.truncated"]
            assert abs(observation[i, 1]) < 0.06
    model = PPO("MlpPolicy", VecMonitor(environment), n_steps=32, batch_size=64, n_epochs=2, device="cpu", seed=1)
    model.learn(512)


def test_rsl_rl_takes_the_environments() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from stiction.gym.adapters import RslRl

    task = sgym.CartPole()
    task.limit = 30
    environment = RslRl(task, 3)
    observation, _ = environment.get_observations()
    assert observation.shape == (3, 4) and observation.dtype == torch.float32
    environment.episode_length_buf = torch.tensor([0, 28, 0])
    push = torch.tensor([[1.0], [0.0], [0.0]])
    ends = []
    for _ in range(30):
        observation, reward, done, extras = environment.step(push)
        ends.append((done.tolist(), extras["time_outs"].tolist()))
        assert reward.shape == done.shape == (3,) and set(extras["log"]) == {"up"}
    assert ends[1] == ([0, 1, 0], [False, True, False]), "number 1 had 2 control steps left"
    assert any(done[0] and not late[0] for done, late in ends), "number 0 falls, which is not being cut off"


def test_gymnasium_and_stiction_are_enough_to_make_an_environment() -> None:
    text = "import gymnasium, stiction; print(gymnasium.make('stiction/CartPole-v0').reset(seed=1)[0].shape)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("("), done.stderr
    alone = subprocess.run(
        [sys.executable, "-c", "import sys, stiction; print('gymnasium' in sys.modules)"], capture_output=True, text=True, check=False
    )
    assert alone.stdout.strip() == "False", alone.stderr
