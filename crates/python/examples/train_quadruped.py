"""Trains the quadruped to walk: proximal policy optimisation on a batch, on CPU torch, in one file.

    pip install '.[gym]' torch
    python crates/python/examples/train_quadruped.py --out out/walk [--minutes 40] [--envs 512]

Writes ``policy.npz`` (weights and the normalisation of observations), ``curve.csv`` (a line for each iteration) and
``walk.html``, a replay. The loss and its coefficients are those of Schulman et al. 2017, with advantages by GAE; masses,
friction, gains and pushes are randomised. ``gap.py`` beside this file runs the policy under every contact model.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import stiction
import stiction.gym as sgym
from stiction.gym.task import Scratch
from stiction.randomisation import Disturbance, Randomiser, Vary

HORIZON, EPOCHS, MINIBATCHES = 24, 4, 4
DISCOUNT, TRACE, CLIP, ENTROPY = 0.98, 0.95, 0.2, 0.004


def randomiser(model: stiction.Model, seed: int) -> Randomiser:
    """What differs from environment to environment."""
    return Randomiser(
        model,
        [
            Vary("friction", "set", "uniform", 0.5, 1.1),
            Vary("mass", "scale", "uniform", 0.9, 1.15),
            Vary("gain", "scale", "uniform", 0.95, 1.05),
        ],
        disturbance=Disturbance(observation_noise=0.01, push_probability=0.004, push=4.0),
        seed=seed,
    )


class Policy(nn.Module):
    """Means of actions, their spread, and the value of a state."""

    def __init__(self, observations: int, actions: int) -> None:
        super().__init__()

        def net(out: int, gain: float) -> nn.Sequential:
            layers: list[nn.Module] = []
            sizes = [observations, 128, 128]
            for a, b in zip(sizes, sizes[1:]):
                layers += [nn.Linear(a, b), nn.ELU()]
            last = nn.Linear(sizes[-1], out)
            nn.init.orthogonal_(last.weight, gain)
            nn.init.zeros_(last.bias)
            return nn.Sequential(*layers, last)

        self.actor, self.critic = net(actions, 0.01), net(1, 1.0)
        self.log_std = nn.Parameter(torch.full((actions,), -1.0))

    def forward(self, x: torch.Tensor) -> tuple[torch.distributions.Normal, torch.Tensor]:
        return torch.distributions.Normal(self.actor(x), self.log_std.exp()), self.critic(x).squeeze(-1)


class Normaliser:
    """Running mean and variance of observations."""

    def __init__(self, size: int) -> None:
        self.mean, self.var, self.count = np.zeros(size), np.ones(size), 1e-4

    def update(self, x: np.ndarray) -> None:
        n, mean, var = len(x), x.mean(axis=0), x.var(axis=0)
        total, delta = self.count + n, mean - self.mean
        self.mean = self.mean + delta * n / total
        self.var = (self.var * self.count + var * n + delta**2 * self.count * n / total) / total
        self.count = total

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.clip((x - self.mean) / np.sqrt(self.var + 1e-8), -10, 10).astype(np.float32)


def save(path: Path, policy: Policy, normaliser: Normaliser) -> None:
    """Weights as plain arrays, for whoever runs the policy without torch."""
    weights = {f"actor.{k}": v.detach().numpy() for k, v in policy.actor.state_dict().items()}
    np.savez(path, mean=normaliser.mean, var=normaliser.var, **weights)


def load(path: Path, policy: Policy, normaliser: Normaliser) -> None:
    """Goes on with saved actions; values are learnt anew."""
    saved = np.load(path)
    weights = {k[6:]: torch.from_numpy(saved[k]) for k in saved.files if k.startswith("actor.")}
    policy.actor.load_state_dict(weights)
    normaliser.mean, normaliser.var, normaliser.count = saved["mean"], saved["var"], 1e6
    with torch.no_grad():
        policy.log_std.fill_(-1.5)


def train(out: Path, minutes: float, n: int, seed: int, threads: int, start: Path | None) -> None:
    """Until the time is over."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    environment = sgym.make_vector("Quadruped-v0", n, autoreset="SameStep", randomiser=randomiser, threads=threads)
    size, actions = environment.single_observation_space.shape[0], environment.single_action_space.shape[0]
    policy, normaliser = Policy(size, actions), Normaliser(size)
    optimiser = torch.optim.Adam(policy.parameters(), lr=1e-3)
    rate = 1e-3
    raw, _ = environment.reset(seed=seed)
    if start is None:
        normaliser.update(raw)
    else:
        load(start, policy, normaliser)
    begin, iteration, returns, lengths = time.time(), 0, [0.0], [0.0]
    simulated = learnt = 0.0
    with open(out / "curve.csv", "w", newline="") as file:
        log = csv.writer(file)
        log.writerow(["minutes", "steps", "return", "length", "velocity", "kl", "std", "simulating_s", "learning_s"])
        while time.time() - begin < 60 * minutes:
            clock = time.time()
            store: dict[str, list[np.ndarray]] = {k: [] for k in ("x", "a", "logp", "r", "v", "done", "last", "vel")}
            for _ in range(HORIZON):
                x = normaliser(raw)
                with torch.no_grad():
                    spread, value = policy(torch.from_numpy(x))
                    action = spread.sample()
                    logp = spread.log_prob(action).sum(-1)
                raw, reward, terminated, truncated, info = environment.step(action.numpy())
                # An episode that is cut off is worth what its last state is worth.
                reward = np.asarray(reward, np.float32)
                if truncated.any():
                    with torch.no_grad():
                        rest = policy(torch.from_numpy(normaliser(info["final_obs"][truncated])))[1].numpy()
                    reward[truncated] += DISCOUNT * rest
                done = terminated | truncated
                if done.any():
                    returns = (returns + info["ended"]["r"][done].tolist())[-200:]
                    lengths = (lengths + info["ended"]["l"][done].tolist())[-200:]
                items = (x, action.numpy(), logp.numpy(), reward, value.numpy(), done.astype(np.float32), raw)
                for key, item in zip(("x", "a", "logp", "r", "v", "done", "last"), items):
                    store[key].append(item)
                store["vel"].append(info["reward_terms"]["velocity"])
            normaliser.update(np.concatenate(store["last"]))
            simulated += time.time() - clock
            clock = time.time()
            with torch.no_grad():
                after = policy(torch.from_numpy(normaliser(raw)))[1].numpy()
            r, v, done_ = np.stack(store["r"]), np.stack(store["v"]), np.stack(store["done"])
            advantage, carried = np.zeros_like(r), np.zeros(n, np.float32)
            for t in reversed(range(HORIZON)):
                ahead = after if t == HORIZON - 1 else v[t + 1]
                delta = r[t] + DISCOUNT * ahead * (1 - done_[t]) - v[t]
                carried = delta + DISCOUNT * TRACE * (1 - done_[t]) * carried
                advantage[t] = carried
            flat = {k: torch.from_numpy(np.concatenate(store[k])) for k in ("x", "a", "logp")}
            adv = torch.from_numpy(advantage.ravel())
            target = torch.from_numpy((advantage + v).ravel())
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            kl = 0.0
            for _ in range(EPOCHS):
                for batch in torch.randperm(len(adv)).chunk(MINIBATCHES):
                    spread, value = policy(flat["x"][batch])
                    ratio = (spread.log_prob(flat["a"][batch]).sum(-1) - flat["logp"][batch]).exp()
                    gain = torch.min(ratio * adv[batch], ratio.clamp(1 - CLIP, 1 + CLIP) * adv[batch]).mean()
                    error = ((value - target[batch]) ** 2).mean()
                    loss = -gain + 0.5 * error - ENTROPY * spread.entropy().sum(-1).mean()
                    optimiser.zero_grad()
                    loss.backward()  # type: ignore[no-untyped-call]
                    nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
                    optimiser.step()
                    kl = float(((ratio - 1) - ratio.log()).mean().detach())
            # Steps as long as the policy may change by.
            rate = float(np.clip(rate / 1.5 if kl > 0.02 else rate * 1.5 if kl < 0.005 else rate, 1e-5, 2e-3))
            for group in optimiser.param_groups:
                group["lr"] = rate
            with torch.no_grad():
                policy.log_std.clamp_(-2.5, 0.0)
            learnt += time.time() - clock
            iteration += 1
            line: list[Any] = [(time.time() - begin) / 60, iteration * HORIZON * n, np.mean(returns), np.mean(lengths),
                               np.mean(store["vel"]) / (1.5 * 0.02), kl, float(policy.log_std.exp().mean()), simulated, learnt]
            log.writerow([f"{float(x):.5g}" for x in line])
            if iteration % 20 == 0:
                file.flush()
                save(out / "policy.npz", policy, normaliser)
                print(" ".join(f"{float(x):9.4g}" for x in line), flush=True)
    save(out / "policy.npz", policy, normaliser)
    replay(out)


def act(weights: Any, observation: np.ndarray) -> np.ndarray:
    """The mean action of a saved policy, without torch."""
    x = np.clip((observation - weights["mean"]) / np.sqrt(weights["var"] + 1e-8), -10, 10)
    for layer in (0, 2, 4):
        x = x @ weights[f"actor.{layer}.weight"].T + weights[f"actor.{layer}.bias"]
        if layer < 4:
            x = np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
    return np.asarray(x)


def replay(out: Path, command: tuple[float, float, float] = (0.6, 0.0, 0.0), seconds: float = 8.0) -> float:
    """Records a walk under the trained policy; returns how far it went [m]."""
    weights = np.load(out / "policy.npz")
    task = sgym.quadruped(command=np.array(command))
    fleet = sgym.Row(task.model, 1)
    scratch: Scratch = task.scratch(1)
    q, v = task.begin(np.array([0]), np.random.default_rng(0), scratch)
    fleet.set_state(np.array([0]), q, v)
    recording = fleet.simulations[0].record(50, trajectory=False)
    start = fleet.q[0, :2].copy()
    for _ in range(round(seconds / (task.steps * fleet.dt))):
        action = np.clip(act(weights, task.observe(fleet, scratch)), -1, 1)
        fleet.step(task.control(action), task.steps)
        scratch.action[:] = action
    recording.save(out / "walk.html")
    return float(np.linalg.norm(fleet.q[0, :2] - start))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/walk"))
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="of the batch")
    parser.add_argument("--start", type=Path, help="a policy.npz to go on with")
    chosen = parser.parse_args()
    train(chosen.out, chosen.minutes, chosen.envs, chosen.seed, chosen.threads, chosen.start)
    print(f"walked {replay(chosen.out):.2f} m in 8 s; asked for 4.8 m")
