"""Run one of our scenes in MuJoCo: time per step, and how far its contact forces are from the exact law.

    python mujoco_scenes.py SCENE [--dt H] [--duration T] [--xml FILE] [--residual]

Elliptic cones, Newton's method, default tolerance and default contact parameters: what a user gets who
asks for the accurate cone. The scene is simulated from its first state; only the stepping loop is timed,
in CPU time of its thread and by the wall clock. Prints one JSON object.

With --residual a second, untimed run judges every step by the law that MuJoCo's model relaxes:

    K_mu  contains  lambda  _|_  u + Gamma(u)  in  K*_mu,       Gamma(u) = (0, 0, mu |u_T|)          (1)
    e_i = | lambda_i - P_K(lambda_i - rho_i (u_i + Gamma(u_i))) | / rho_i,    rho_i = 1/|G_ii|      (2)

lambda = h f [N s] from the contact forces, u = J v+ [m/s] with the Jacobian of the step and the velocity
after it, G = J M^-1 J^T [1/kg], |G_ii| its largest singular value; a step's residual is the 2-norm over its
contacts, as in our certificate. Of contacts that also spin and roll, moments are divided by mu_i/mu and
spins times that, and u_T is all but the normal. No gap enters: MuJoCo's contacts touch (dist <= 0) whenever
they exist. MuJoCo is a compliant engine and does not aim at (1); the number says how far its answer is from
rigid contact, not that its solver failed.
"""

import argparse
import json
import time

import mujoco
import numpy as np

CUBE = 0.1  # half edge [m]; every cube weighs 1 kg


def free_cubes(heights, friction, velocity=(0.0, 0.0, 0.0)):
    """MJCF of 1 kg cubes over the plane z = 0, and their first velocities."""
    bodies = "".join(
        f'<body pos="0 0 {z}"><freejoint/><geom type="box" size="{CUBE} {CUBE} {CUBE}" mass="1"/></body>'
        for z in heights
    )
    text = f"""<mujoco>
      <option gravity="0 0 -9.81"/>
      <default><geom condim="3" friction="{friction} 0 0"/></default>
      <worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody>
    </mujoco>"""
    return text, [*velocity, 0.0, 0.0, 0.0] * len(heights)


SCENES = {
    # A column of ten cubes at rest.
    "stack": lambda: free_cubes([CUBE * (2 * k + 1) for k in range(10)], friction=0.5),
    # One cube set off at 1 m/s along x; it stops after 0.34 s.
    "cube-slide": lambda: free_cubes([CUBE], friction=0.3, velocity=(1.0, 0.0, 0.0)),
}


def load(scene, xml, dt):
    """The model and a function that returns it in its first state."""
    if xml:
        model = mujoco.MjModel.from_xml_path(xml)
        velocity = None
    elif scene in SCENES:
        text, velocity = SCENES[scene]()
        model = mujoco.MjModel.from_xml_string(text)
    else:
        raise SystemExit(f"scene `{scene}` needs --xml FILE; built in are {', '.join(SCENES)}")
    model.opt.timestep = dt
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON

    def start():
        data = mujoco.MjData(model)
        if model.nkey:  # a robot stands in its first keyframe, its actuators hold it there
            mujoco.mj_resetDataKeyframe(model, data, 0)
        if velocity is not None:
            data.qvel[:] = velocity
        return data

    return model, start


def energy(model, data):
    """Kinetic and potential energy [J] of the state in `data`, which is left alone."""
    probe = mujoco.MjData(model)
    probe.qpos[:], probe.qvel[:] = data.qpos, data.qvel
    mujoco.mj_forward(model, probe)
    mujoco.mj_energyPos(model, probe)
    mujoco.mj_energyVel(model, probe)
    return float(sum(probe.energy))


def timed(model, start, steps):
    """CPU and wall time of `steps` steps, and the last state. One short run warms the caches."""
    mujoco.mj_step(model, start(), nstep=min(steps, 100))
    data = start()
    first = energy(model, data)
    wall, cpu = time.perf_counter(), time.thread_time()
    mujoco.mj_step(model, data, nstep=steps)
    cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
    return data, {
        "cpu_s": cpu,
        "wall_s": wall,
        "steps_per_s": steps / cpu,
        "final": {"q": data.qpos.tolist(), "v": data.qvel.tolist()},
        "energy": {"start": first, "end": energy(model, data)},
    }


def project(x, mu):
    """Nearest point of K_mu; normal last."""
    t = np.linalg.norm(x[:-1])
    if t <= mu * x[-1]:
        return x
    if mu * t <= -x[-1]:
        return np.zeros(len(x))
    a = (mu * t + x[-1]) / (1.0 + mu * mu)
    return np.append(mu * a / t * x[:-1], a)


def judged(model, start, steps):
    """Residuals of (1) over a run: the worst step and, of the natural map, the median step."""
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data, h = start(), model.opt.timestep
    natural, primal, dual, complementarity, iterations = [], [], [], [], []
    depth = 0.0
    for _ in range(steps):
        mujoco.mj_step(model, data)
        iterations.append(int(max(data.solver_niter[: max(1, data.nisland)])))
        # Jacobian, forces and M^-1 of this step stay in `data`; qvel is already the velocity after it.
        jacobian = np.array(data.efc_J).reshape(-1, model.nv)
        squares, worst = 0.0, np.zeros(3)
        for contact in data.contact:
            depth = max(depth, -contact.dist)
            row = contact.efc_address
            if row < 0 or contact.dim == 1:
                continue
            normal_last = [*range(row + 1, row + contact.dim), row]
            mu = contact.friction[0]
            arms = np.append(contact.friction[: contact.dim - 1] / mu, 1.0)  # the ellipsoid is round so
            j = arms[:, None] * jacobian[normal_last]
            half = np.zeros_like(j)
            mujoco.mj_solveM(model, data, half, j)
            g = j @ half.T
            impulse = h * np.array(data.efc_force)[normal_last] / arms
            u = j @ data.qvel
            corrected = u.copy()
            corrected[-1] += mu * np.linalg.norm(u[:-1])
            rho = 1.0 / np.linalg.norm(g, 2)
            map_ = np.linalg.norm(impulse - project(impulse - rho * corrected, mu)) / rho
            off_cone = np.linalg.norm(impulse - project(impulse, mu)) / h
            off_dual = np.linalg.norm(project(-corrected, mu))  # distance to K*: Moreau
            squares += map_ * map_
            worst = np.maximum(worst, [off_cone, off_dual, abs(impulse @ corrected) / h])
        natural.append(float(np.sqrt(squares)))
        for series, value in zip((primal, dual, complementarity), worst):
            series.append(float(value))
    return {
        "penetration_max": float(depth),
        "residual": {
            "natural_map": max(natural),
            "natural_map_median": float(np.median(natural)),
            "eps_p": max(primal),
            "eps_d": max(dual),
            "eps_c": max(complementarity),
        },
        "solver": {"iterations_mean": float(np.mean(iterations)), "iterations_max": max(iterations)},
    }


def main():
    parser = argparse.ArgumentParser(description="One scene in MuJoCo, timed and judged.")
    parser.add_argument("scene")
    parser.add_argument("--dt", type=float, default=0.001, help="time step [s]")
    parser.add_argument("--duration", type=float, default=2.0, help="simulated time [s]")
    parser.add_argument("--xml", help="MJCF file of a scene that is not built in")
    parser.add_argument("--residual", action="store_true", help="judge the contact forces in a second run")
    args = parser.parse_args()

    steps = round(args.duration / args.dt)
    model, start = load(args.scene, args.xml, args.dt)
    data, row = timed(model, start, steps)
    row = {"scene": args.scene, "engine": f"mujoco {mujoco.__version__}", "dt": args.dt, "steps": steps, **row}
    if args.residual:
        row |= judged(model, start, steps)
    row["contacts_end"] = int(data.ncon)
    print(json.dumps(row))


if __name__ == "__main__":
    main()
