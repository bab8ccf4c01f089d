"""The tasks of `stiction experiment trajectory-optimisation` in MuJoCo, with the gradients of `mjd_transitionFD`.

The experiment writes each task as NAME.json, and the world as NAME.xml, beside its figures. This program reads them and runs the same algorithm, iterative
LQR with bounds, on MuJoCo's own simulation of the same world:

    stiction experiment trajectory-optimisation --out tasks
    python trajectory_mujoco.py tasks

It needs `mujoco` and `numpy` and nothing of stiction. The costs that it prints are those of MuJoCo's trajectories; how far these end from the
target is in mm and rad.
"""

import json
import sys
import time
from pathlib import Path

try:
    import mujoco
    import numpy as np
except ImportError as missing:
    sys.exit(f"*** NOT RUN: {missing}. Install them: pip install mujoco numpy ***")

ITERATIONS, TOLERANCE, HALVINGS, ACCEPT, FACTOR = 150, 1e-6, 10, 1e-2, 2.0
FIRST, LEAST, MOST = 1e-3, 1e-6, 1e8
EPSILON = 1e-6


class Task:
    """A task and MuJoCo's simulation of it."""

    def __init__(self, path: Path) -> None:
        said = json.loads(path.read_text())
        self.name, self.hold = said["name"], said["hold"]
        self.model = mujoco.MjModel.from_xml_path(str(path.with_suffix(".xml")))
        self.model.opt.timestep = said["dt"]
        self.data = mujoco.MjData(self.model)
        self.start = (np.array(said["start"]["q"]), np.array(said["start"]["v"]))
        kinds = [(np.array(s["q"]), np.array(s["v"]), np.array(s["weights"])) for s in said["stages"]]
        self.stages = [kinds[i] for i in said["stage_of_knot"]]
        self.control, self.control_weights = np.array(said["control"]), np.array(said["control_weights"])
        self.bounds = np.array(said["lowest"]), np.array(said["highest"])
        self.seed = np.array(said["seed"])
        self.steps = 0

    def restart(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.start
        mujoco.mj_forward(self.model, self.data)

    def state(self):
        return self.data.qpos.copy(), self.data.qvel.copy()

    def advance(self, u, derivative: bool):
        n, nu = 2 * self.model.nv, self.model.nu
        self.data.ctrl[:] = u
        A, B = np.eye(n), np.zeros((n, nu))
        for _ in range(self.hold):
            if derivative:
                a, b = np.zeros((n, n)), np.zeros((n, nu))
                mujoco.mjd_transitionFD(self.model, self.data, EPSILON, True, a, b, None, None)
                A, B = a @ A, a @ B + b
            mujoco.mj_step(self.model, self.data)
            self.steps += 1
        return A, B

    def difference(self, x, y):
        out = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, out, 1.0, x[0], y[0])
        return np.concatenate([out, y[1] - x[1]])

    def value(self, k, x, u=None):
        q, v, w = self.stages[k]
        e = self.difference((q, v), x)
        cost = 0.5 * w @ (e * e)
        return cost if u is None else cost + 0.5 * self.control_weights @ (u - self.control) ** 2

    def expand(self, k, x):
        """Gradient and Gauss-Newton curvature by the state."""
        q, v, w = self.stages[k]
        e = self.difference((q, v), x)
        D = np.eye(len(e))
        for j in range(self.model.njnt):
            kind, i = self.model.jnt_type[j], self.model.jnt_dofadr[j]
            if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                i += 3 * (kind == mujoco.mjtJoint.mjJNT_FREE)
                D[i : i + 3, i : i + 3] = turn_derivative(e[i : i + 3])
        return D.T @ (w * e), D.T @ (w[:, None] * D)


def turn_derivative(e):
    theta = np.linalg.norm(e)
    X = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    small = theta < 1e-2
    c = 1 / 12 + theta**2 / 720 if small else 1 / theta**2 - (1 + np.cos(theta)) / (2 * theta * np.sin(theta))
    return np.eye(3) + 0.5 * X + c * X @ X


def box_qp(H, g, lo, hi):
    """Least of x H x / 2 + g x between bounds, and its free coordinates."""
    x = np.clip(np.zeros(len(g)), lo, hi)
    for _ in range(100):
        gradient = g + H @ x
        free = ~(((x <= lo) & (gradient > 0)) | ((x >= hi) & (gradient < 0)))
        if not free.any() or np.linalg.norm(gradient[free]) <= 1e-12 * np.linalg.norm(g):
            break
        search = np.zeros(len(g))
        search[free] = -np.linalg.solve(H[np.ix_(free, free)], gradient[free])
        slope, before, step = search @ gradient, 0.5 * x @ H @ x + g @ x, 1.0
        while True:
            y = np.clip(x + step * search, lo, hi)
            if 0.5 * y @ H @ y + g @ y - before <= 0.1 * step * slope or step < 1e-20:
                break
            step *= 0.6
        if np.array_equal(x, y):
            break
        x = y
    return x, free


def optimize(task: Task, iterations: int):
    """Costs after each iteration, controls, states and why it ended."""
    n, nu, N = 2 * task.model.nv, task.model.nu, len(task.seed)
    lo, hi = task.bounds

    def roll(policy):
        task.restart()
        X, U, cost = [task.state()], [], 0.0
        for k in range(N):
            u = np.clip(policy(k, X[-1]), lo, hi)
            cost += task.value(k, X[-1], u)
            task.advance(u, False)
            X.append(task.state())
            U.append(u)
        cost += task.value(N, X[-1])
        return X, U, cost if np.isfinite(cost) else np.inf

    X, U, cost = roll(lambda k, x: task.seed[k])
    costs, rho, growth, AB, end = [cost], FIRST, 1.0, None, "iteration limit"
    while len(costs) <= iterations:
        if AB is None:
            task.restart()
            AB = [task.advance(u, True) for u in U]
        Vx, V = task.expand(N, X[N])
        steps, gains, promised = [None] * N, [None] * N, np.zeros(2)
        for k in reversed(range(N)):
            A, B = AB[k]
            lx, lxx = task.expand(k, X[k])
            Qx, Qu = lx + A.T @ Vx, task.control_weights * (U[k] - task.control) + B.T @ Vx
            Qxx, Qux = lxx + A.T @ V @ A, B.T @ V @ A
            Quu = np.diag(task.control_weights) + B.T @ V @ B
            H, G = Quu + rho * B.T @ B, Qux + rho * B.T @ A
            step, free = box_qp(H, Qu, lo - U[k], hi - U[k])
            K = np.zeros((nu, n))
            if free.any():
                K[free] = -np.linalg.solve(H[np.ix_(free, free)], G[free])
            promised += [step @ Qu, 0.5 * step @ Quu @ step]
            Vx = Qx + K.T @ Quu @ step + K.T @ Qu + Qux.T @ step
            V = Qxx + K.T @ Quu @ K + K.T @ Qux + Qux.T @ K
            V = 0.5 * (V + V.T)
            steps[k], gains[k] = step, K
        small = lambda gain: gain <= TOLERANCE * max(abs(cost), 1e-12)
        before, taken = cost, False
        if not small(-promised.sum()):
            for alpha in 0.5 ** np.arange(HALVINGS):
                now = roll(lambda k, x: U[k] + alpha * steps[k] + gains[k] @ task.difference(X[k], x))
                if before - now[2] > ACCEPT * max(0.0, -(alpha * promised[0] + alpha**2 * promised[1])):
                    next_x, next_u, cost = now
                    taken = True
                    break
        costs.append(cost)
        if taken:
            X, U, AB = next_x, next_u, None
        if small(-promised.sum()) or (taken and small(before - cost)):
            end = "converged"
            break
        if taken:
            growth = min(1 / FACTOR, growth / FACTOR)
            rho = rho * growth if rho * growth >= LEAST else 0.0
        else:
            growth = max(FACTOR, growth * FACTOR)
            rho = max(LEAST, rho * growth)
            if rho > MOST:
                end = "stalled"
                break
    return costs, U, X, end


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/trajectory-optimisation")
    files = sorted(folder.glob("task-*.json"))
    if not files:
        sys.exit(f"no task-*.json in {folder}: run `stiction experiment trajectory-optimisation --out {folder}` first")
    print(f"MuJoCo {mujoco.__version__}, mjd_transitionFD")
    print("task        iterations            time [s]   first cost   final cost   off the place [mm]   off the turn [rad]   steps")
    for file in files:
        task = Task(file)
        begin = time.perf_counter()
        costs, _, X, end = optimize(task, ITERATIONS)
        seconds = time.perf_counter() - begin
        off = task.difference((task.stages[-1][0], task.stages[-1][1]), X[-1])
        print(
            f"{task.name:10}  {len(costs) - 1:4}, {end:16} {seconds:8.1f} {costs[0]:12.4f} {costs[-1]:12.4f}"
            f" {1e3 * np.linalg.norm(off[:3]):20.1f} {abs(off[5]):20.3f} {task.steps:7}"
        )


if __name__ == "__main__":
    main()
