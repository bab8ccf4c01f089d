"""Steps per CPU second beside MuJoCo's ``mj_step`` loop and ``mujoco.rollout``, same model, same step, both judged.

    python crates/python/benchmarks/beside_mujoco.py ROBOT.xml ...

Robots whose file has no ground get a plane. Ours is judged at every step by the natural map of the whole problem; of MuJoCo
the worst contact of every step is measured by the same formula, from its forces and the velocities after the step.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import mujoco
import mujoco.rollout
import numpy as np

import stiction

SECONDS = 1.0


def ours(model: stiction.Model, control: np.ndarray, dt: float) -> tuple[float, float, float]:
    """Steps per CPU second: a call a step, and a batch of 64; the worst natural map."""
    steps = round(SECONDS / dt)
    best, worst = 0.0, 0.0
    for _ in range(3):
        simulation = stiction.Simulation(model, dt=dt)
        start = process_time()
        for _ in range(steps):
            simulation.step(control)
        best = max(best, steps / (process_time() - start))
    simulation = stiction.Simulation(model, dt=dt)
    for _ in range(steps):
        simulation.step(control)
        worst = max(worst, simulation.natural_map)
    batch = stiction.Batch(model, 64, dt=dt)
    start = process_time()
    batch.step(np.tile(control, (64, 1)), steps)
    return best, 64 * steps / (process_time() - start), worst


def theirs(model: mujoco.MjModel, control: np.ndarray, dt: float) -> tuple[float, float]:
    """Steps per CPU second: mj_step in a loop, and rollouts of 64."""
    steps = round(SECONDS / dt)
    model.opt.timestep = dt
    best = 0.0
    for _ in range(3):
        data = mujoco.MjData(model)
        data.ctrl[:] = control
        start = process_time()
        for _ in range(steps):
            mujoco.mj_step(model, data)
        best = max(best, steps / (process_time() - start))
    data = mujoco.MjData(model)
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = process_time()
    with mujoco.rollout.Rollout(nthread=1) as rollout:
        rollout.rollout(model, data, np.tile(state, (64, 1)), np.tile(control, (64, steps, 1)))
    return best, 64 * steps / (process_time() - start)


def natural_map_of_mujoco(model: mujoco.MjModel, control: np.ndarray, dt: float) -> float:
    """The median over MuJoCo's steps with contacts of the natural map of their worst contact [m/s].

    Of a contact with force f and velocity c after the step: ‖λ − P_K(λ − ρ (c + Γ(c)))‖/ρ, λ = h f, ρ = the contact's own mass.
    """
    data = mujoco.MjData(model)
    data.ctrl[:] = control
    model.opt.timestep = dt
    measured = []
    for _ in range(round(SECONDS / dt)):
        mujoco.mj_step1(model, data)
        mujoco.mj_step2(model, data)
        v = data.qvel.copy()
        worst = 0.0
        for i in range(data.ncon):
            contact, force = data.contact[i], np.zeros(6)
            mujoco.mj_contactForce(model, data, i, force)
            frame = contact.frame.reshape(3, 3)[[1, 2, 0]]
            bodies = [model.geom_bodyid[g] for g in contact.geom]
            J = np.zeros((3, model.nv))
            for body, sign in zip(bodies, (-1, 1)):
                part = np.zeros((3, model.nv))
                mujoco.mj_jac(model, data, part, None, contact.pos, body)
                J += sign * part
            J = frame @ J
            c, impulse = J @ v, dt * force[[1, 2, 0]]
            M = np.zeros((model.nv, model.nv))
            mujoco.mj_fullM(model, data, M)
            rho = 1 / np.linalg.norm(J @ np.linalg.solve(M, J.T), 2)
            mu = contact.friction[0]
            c[2] += mu * np.hypot(c[0], c[1])
            worst = max(worst, float(np.linalg.norm(impulse - projected(impulse - rho * c, mu)) / rho))
        if data.ncon:
            measured.append(worst)
    return float(np.median(measured)) if measured else float("nan")


def projected(x: np.ndarray, mu: float) -> np.ndarray:
    """The nearest point of Coulomb's cone, of (t₁, t₂, n)."""
    t, n = np.hypot(x[0], x[1]), x[2]
    if t <= mu * n:
        return x
    if mu * t <= -n:
        return 0 * x
    p = (mu * t + n) / (1 + mu * mu)
    return np.array([x[0] / t * mu * p, x[1] / t * mu * p, p])


def main(paths: list[str]) -> None:
    """A line for each model."""
    print("| model | ours: a call a step | ours: batch of 64 | mj_step | mujoco.rollout | natural map: ours (worst) | MuJoCo (median) |")
    print("|---|---|---|---|---|---|---|")
    for path in paths:
        text = Path(path).read_text()
        if 'type="plane"' not in text:
            text = text.replace("</worldbody>", '<geom type="plane" size="20 20 .1" friction="0.8"/></worldbody>', 1)
        model = stiction.loads(text, complete=False)
        reference = mujoco.MjModel.from_xml_string(text)
        control = np.zeros(model.nu)
        if model.keyframes:
            key = model.keyframes[0]
            model = model.starting_at(key.q)
            reference.qpos0[:] = key.q
            control = np.array(key.control)
        dt = 0.002
        a, b, worst = ours(model, control, dt)
        c, d = theirs(reference, control, dt)
        name = path.rsplit("/", 1)[-1]
        median = natural_map_of_mujoco(reference, control, dt)
        print(f"| `{name}` | {a:,.0f}/s | {b:,.0f}/s | {c:,.0f}/s | {d:,.0f}/s | {worst:.0e} m/s | {median:.0e} m/s |")


if __name__ == "__main__":
    main(sys.argv[1:])
