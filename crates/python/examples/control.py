"""Control through contact: Solo-12 walks by model predictive control, and a finger pushes a box to a pose by iterative LQR.

Run it with `python control.py`; it is made of cells, which notebooks and editors run one by one.
"""

# %% Solo-12 trots ahead, then turns: a velocity is commanded, joint torques come out.
import numpy as np

import stiction
from stiction.control import Locomotion, ilqr

robot = stiction.Scene("solo12").ground(friction=0.9).model(builtin="solo12", keyframe="home").build()
walking = stiction.Simulation(robot)
controller = Locomotion(robot, velocity=(0.5, 0.0))
walking.run(4.0, controller)
ahead = walking.q[0]
controller.velocity, controller.yaw_rate = (0.2, 0.0), 0.6
walking.run(2.0, controller)
yaw = 2 * np.arctan2(walking.q[6], walking.q[3])
print(f"{ahead:.2f} m ahead in 4 s, then {yaw:.2f} rad to the left in 2 s")
assert abs(ahead - 2.0) < 0.2 and abs(yaw - 1.2) < 0.2

# %% A finger pushes a box to a pose. Nothing says when it is to stick to the box and when to slide on it.
scene = stiction.Scene("push-box").model(builtin="push-box", keyframe="home").build()
pushing = stiction.Simulation(scene, dt=0.005, sleep="off", higher_order="passive", impact_instants=0, continuous=False)
target = pushing.q.copy()
target[:2] = 0.15, 0.03
target[3:7] = np.cos(0.3), 0, 0, np.sin(0.3)
at_end = np.zeros(2 * scene.nv)
at_end[[0, 1, 5]] = 4000, 4000, 60
at_end[scene.nv : scene.nv + 3] = 10
found = ilqr(
    pushing,
    np.tile([0.8, 0.0], (60, 1)),
    hold=4,
    target=(target, np.zeros(scene.nv)),
    end_weights=at_end,
    control_weights=1e-3,
    bounds=(-3.0, 3.0),
)
off = np.hypot(*(found.q[-1][:2] - target[:2]))
print(f"cost from {found.start_cost:.2f} to {found.cost:.4f} in {len(found.history)} iterations; {1e3 * off:.1f} mm off")
assert off < 2e-3

# %% The same with a cost of one's own: the box is to be fast as well. Derivatives are by tangent coordinates of (q, v).
n = 2 * scene.nv


def hurry(k: int, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> tuple[float, np.ndarray, None, np.ndarray]:
    """½ 0.01 (v_x − 0.2)² of the box."""
    l_x, l_xx = np.zeros(n), np.zeros((n, n))
    l_x[scene.nv], l_xx[scene.nv, scene.nv] = 0.01 * (v[0] - 0.2), 0.01
    return 0.005 * (v[0] - 0.2) ** 2, l_x, None, l_xx


faster = ilqr(
    pushing,
    found.controls,
    hold=4,
    target=(target, np.zeros(scene.nv)),
    end_weights=at_end,
    bounds=(-3.0, 3.0),
    running=hurry,
    gradient={"by": "relaxed", "smoothing": 1e-6},
    iterations=10,
)
print(f"with a cost in Python from {faster.start_cost:.4f} to {faster.cost:.4f}")
