"""The tasks that come along."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._model import Model, Scene, load, loads
from .._sealed import sealed
from .._tables import Array
from .fleet import Fleet, Flags
from .task import Ids, Scratch, Task, turned_back


@sealed
class Legged(Task):
    """A robot on legs with position servos follows a commanded velocity of its trunk.

    Seen (9 + 3 + 3 nu): gravity, angular and linear velocity in the trunk; the command (forward, sideways [m/s], turning
    [rad/s]); joint angles from the home posture, joint velocities × 0.05, the last action. Action: targets of the servos,
    ``scale`` [rad] about home. Rewarded, per control step: 1.5 exp(−‖v_xy − v*_xy‖²/0.15) + 0.75 exp(−(ω_z − ω*_z)²/0.15)
    − v_z² − 0.05 ‖ω_xy‖² − 2 ‖g_xy‖² − 0.3 ‖q_j − home‖² − 2·10⁻⁴ ‖τ‖² − 0.02 ‖Δa‖², times the control step (without the
    term of the posture it learns to walk on three legs). Over where the trunk is lower
    than ``lowest`` or turned by more than 60°.
    """

    steps = 10
    limit = 1000
    scale = 0.4
    lowest = 0.18
    #: Ranges of the command.
    forward, sideways, turning = (-0.5, 1.0), (-0.3, 0.3), (-0.7, 0.7)
    #: Control steps after which there is a new command.
    renew = 250

    def __init__(self, model: Model, command: Array | None = None) -> None:
        super().__init__(model)
        base = next(j for j in model.joints if j.kind == "free")
        if base.q != slice(0, 7) or model.nq != model.nu + 7:
            raise ValueError(f"a legged robot: expected a free base and an actuator for every joint, found {model!r}")
        self.trunk = model.bodies[base.body].name
        #: Commands that do not change; None: drawn.
        self.command = command
        # The joint that each actuator drives, and how its control turns into an angle.
        self.dofs = np.array([a.transmission[0][0] for a in model.actuators])
        self.home = model.control0.copy()
        self.kp = np.array([a.gain for a in model.actuators])
        self.kd = np.array([-a.bias_velocity for a in model.actuators])
        limits = [a.control_limit or (None, None) for a in model.actuators]
        self.low = np.array([-np.inf if lo is None else lo for lo, _ in limits])
        self.high = np.array([np.inf if hi is None else hi for _, hi in limits])

    def scratch(self, n: int) -> Scratch:
        made = super().scratch(n)
        made.more = {"command": np.zeros((n, 3)), "before": np.zeros((n, self.actions)), "age": np.zeros(n)}
        return made

    def _commands(self, n: int, dice: np.random.Generator) -> Array:
        if self.command is not None:
            return np.tile(self.command, (n, 1))
        drawn = np.stack([dice.uniform(*r, n) for r in (self.forward, self.sideways, self.turning)], axis=1)
        drawn[dice.uniform(size=n) < 0.1] = 0.0
        return drawn

    def begin(self, ids: Ids, dice: np.random.Generator, scratch: Scratch) -> tuple[Array, Array]:
        n, model = len(ids), self.model
        q, v = np.tile(model.q0, (n, 1)), np.zeros((n, model.nv))
        q[:, 7:] += dice.uniform(-0.05, 0.05, (n, model.nu))
        q[:, 2] += dice.uniform(0.0, 0.02, n)
        v[:, :3] = dice.normal(0, 0.1, (n, 3))
        scratch.more["command"][ids] = self._commands(n, dice)
        scratch.more["age"][ids] = dice.integers(0, self.renew, n)
        scratch.more["before"][ids] = 0.0
        return q, v

    def control(self, action: Array) -> Array:
        return np.asarray(np.clip(self.home + self.scale * action, self.low, self.high), dtype=np.float64)

    def observe(self, fleet: Fleet, scratch: Scratch) -> Array:
        q, v = fleet.q, fleet.v
        r = q[:, 3:7]
        down = np.zeros((len(q), 3))
        down[:, 2] = -1
        return np.concatenate(
            [
                turned_back(r, down),
                0.25 * v[:, 3:6],
                turned_back(r, v[:, :3]),
                scratch.more["command"],
                q[:, 7:] - self.model.q0[7:],
                0.05 * v[:, 6:],
                scratch.action,
            ],
            axis=1,
        )

    def reward(self, fleet: Fleet, action: Array, control: Array, scratch: Scratch) -> dict[str, Array]:
        q, v, command = fleet.q, fleet.v, scratch.more["command"]
        r, h = q[:, 3:7], self.steps * fleet.dt
        local = turned_back(r, v[:, :3])
        down = np.zeros((len(q), 3))
        down[:, 2] = -1
        g = turned_back(r, down)
        angles = q[:, self.dofs + 1]
        effort = self.kp * (control - angles) - self.kd * v[:, self.dofs]
        change = action - scratch.more["before"]
        scratch.more["before"][:] = action
        return {
            "velocity": 1.5 * h * np.exp(-np.sum((local[:, :2] - command[:, :2]) ** 2, axis=1) / 0.15),
            "turning": 0.75 * h * np.exp(-((v[:, 5] - command[:, 2]) ** 2) / 0.15),
            "bouncing": -h * v[:, 2] ** 2,
            "rolling": -0.05 * h * np.sum(v[:, 3:5] ** 2, axis=1),
            "upright": -2.0 * h * np.sum(g[:, :2] ** 2, axis=1),
            "posture": -0.3 * h * np.sum((q[:, 7:] - self.model.q0[7:]) ** 2, axis=1),
            "effort": -2e-4 * h * np.sum(effort**2, axis=1),
            "smooth": -0.02 * h * np.sum(change**2, axis=1),
        }

    def over(self, fleet: Fleet, scratch: Scratch) -> Flags:
        q = fleet.q
        upright = 1 - 2 * (q[:, 4] ** 2 + q[:, 5] ** 2)
        return np.asarray((q[:, 2] < self.lowest) | (upright < 0.5) | fleet.failed)

    def after(self, fleet: Fleet, dice: np.random.Generator, scratch: Scratch) -> None:
        age = scratch.more["age"]
        age += 1
        old = np.flatnonzero(age >= self.renew)
        if len(old):
            scratch.more["command"][old] = self._commands(len(old), dice)
            age[old] = 0


def quadruped(**options: Any) -> Legged:
    """Our quadruped; see :class:`Legged`."""
    return Legged(load("quadruped"), **options)


def legged(file: str, **options: Any) -> Legged:
    """A robot of a file of yours, on a plane; joints that nothing drives get servos. See :class:`Legged`."""
    return Legged(load(file, free_base=True, hold={"frequency": 6.0}), **options)


@sealed
class Humanoid(Task):
    """Our humanoid of 25 motors runs along x and does not fall.

    Seen: height, orientation, velocities of the pelvis, angles and velocities of the joints. Action: the share of every
    motor's torque. Rewarded, per control step: 5 for being up, 1.25 v_x, −0.1 ‖a‖². Over where the pelvis is lower than
    0.6 m or higher than 1.5 m.
    """

    steps = 5
    limit = 1000
    trunk = "pelvis"

    def __init__(self) -> None:
        super().__init__(Scene("humanoid").ground().stepper(dt=0.002).model(builtin="humanoid", set_down=True,
                                                                          keyframe="neutral").build())

    def begin(self, ids: Ids, dice: np.random.Generator, scratch: Scratch) -> tuple[Array, Array]:
        n, model = len(ids), self.model
        q, v = np.tile(model.q0, (n, 1)), dice.normal(0, 0.01, (n, model.nv))
        q[:, 7:] += dice.uniform(-0.01, 0.01, (n, model.nq - 7))
        return q, v

    def control(self, action: Array) -> Array:
        return np.clip(action, -1, 1)

    def observe(self, fleet: Fleet, scratch: Scratch) -> Array:
        return np.concatenate([fleet.q[:, 2:], np.clip(fleet.v, -20, 20)], axis=1)

    def reward(self, fleet: Fleet, action: Array, control: Array, scratch: Scratch) -> dict[str, Array]:
        return {
            "up": np.where(self.over(fleet, scratch), 0.0, 5.0),
            "forward": 1.25 * fleet.v[:, 0],
            "effort": -0.1 * np.sum(control**2, axis=1),
        }

    def over(self, fleet: Fleet, scratch: Scratch) -> Flags:
        height = fleet.q[:, 2]
        return np.asarray((height < 0.6) | (height > 1.5) | fleet.failed)


CARTPOLE = """
<mujoco model="cartpole">
  <option timestep="0.005"/>
  <worldbody>
    <body name="cart" pos="0 0 1">
      <joint name="slide" type="slide" axis="1 0 0" range="-2.4 2.4" damping="0.05"/>
      <geom type="box" size="0.2 0.1 0.05" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size="0.03" mass="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slide" gear="10" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


@sealed
class CartPole(Task):
    """A cart on a rail keeps a pole upright.

    Seen: position, angle, and their rates. Action: the share of 10 N. Rewarded: 1 a control step. Over where the pole
    leans by more than 0.2 rad or the cart is at an end of its rail.
    """

    steps = 4
    limit = 500
    trunk = "cart"

    def __init__(self) -> None:
        super().__init__(loads(CARTPOLE, name="cartpole.xml", complete=False))

    def begin(self, ids: Ids, dice: np.random.Generator, scratch: Scratch) -> tuple[Array, Array]:
        start = dice.uniform(-0.05, 0.05, (len(ids), 4))
        return start[:, :2], start[:, 2:]

    def control(self, action: Array) -> Array:
        return np.clip(action, -1, 1)

    def observe(self, fleet: Fleet, scratch: Scratch) -> Array:
        return np.concatenate([fleet.q, fleet.v], axis=1)

    def reward(self, fleet: Fleet, action: Array, control: Array, scratch: Scratch) -> dict[str, Array]:
        return {"up": np.ones(fleet.n)}

    def over(self, fleet: Fleet, scratch: Scratch) -> Flags:
        return np.asarray((np.abs(fleet.q[:, 1]) > 0.2) | (np.abs(fleet.q[:, 0]) > 2.3) | fleet.failed)


@sealed
class Grasp(Task):
    """Two pads hold a box in the air by friction, pressing as little as they can.

    Seen: positions and velocities of the pads, position and velocity of the box. Action: the force of every pad, from 0 to
    30 N. Rewarded, per control step: 1 − 20 |z − z₀| while the box is held, −0.01 times the mean force. Over where the box
    is more than 0.2 m from where it began.
    """

    steps = 10
    limit = 250
    trunk = "object"
    force = 30.0

    def __init__(self) -> None:
        super().__init__(load("grasp"))
        self.at = self.model.joints["object"].q.start + 2

    def begin(self, ids: Ids, dice: np.random.Generator, scratch: Scratch) -> tuple[Array, Array]:
        n, model = len(ids), self.model
        q, v = np.tile(model.q0, (n, 1)), np.zeros((n, model.nv))
        v[:, self.model.joints["object"].v.start + 2] = dice.normal(0, 0.02, n)
        return q, v

    def control(self, action: Array) -> Array:
        return np.asarray(0.5 * self.force * (np.clip(action, -1, 1) + 1), dtype=np.float64)

    def observe(self, fleet: Fleet, scratch: Scratch) -> Array:
        return np.concatenate([fleet.q, fleet.v], axis=1)

    def _sunk(self, fleet: Fleet) -> Array:
        return np.asarray(np.abs(fleet.q[:, self.at] - self.model.q0[self.at]), dtype=np.float64)

    def reward(self, fleet: Fleet, action: Array, control: Array, scratch: Scratch) -> dict[str, Array]:
        return {"held": 1 - 20 * self._sunk(fleet), "gently": -0.01 * control.mean(axis=1)}

    def over(self, fleet: Fleet, scratch: Scratch) -> Flags:
        return np.asarray((self._sunk(fleet) > 0.2) | fleet.failed)
