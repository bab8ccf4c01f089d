"""Many copies of one robot in MuJoCo's rollout: steps per second of processor time, on inputs that ours reads too.

    python mujoco_rollout.py inputs MODEL FILE --n N --steps S [--dt H]
    python mujoco_rollout.py run MODEL FILE [--dt H] [--threads T]

`inputs` writes FILE: little-endian doubles n, steps, nq, nv, nu, then configurations (n x nq), velocities (n x nv) and
controls (steps x n x nu). Every robot starts in the first key of the model with joint velocities of 0.1 rad/s (normal),
and has targets that differ from the key's by 0.02 rad (normal) anew in every step. `run` prints one JSON object; only the
rollout is timed.
"""

import argparse
import json
import time

import mujoco
import numpy as np
from mujoco import rollout


def loaded(args):
    model = mujoco.MjModel.from_xml_path(args.model)
    if args.dt:
        model.opt.timestep = args.dt
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return model


def write_inputs(args):
    model = loaded(args)
    random = np.random.default_rng(0)
    q = np.tile(model.key_qpos[0], (args.n, 1))
    v = np.tile(model.key_qvel[0], (args.n, 1)) + 0.1 * random.standard_normal((args.n, model.nv))
    control = model.key_ctrl[0] + 0.02 * random.standard_normal((args.steps, args.n, model.nu))
    sizes = [args.n, args.steps, model.nq, model.nv, model.nu]
    np.concatenate([np.array(sizes, dtype="<f8"), q.ravel(), v.ravel(), control.ravel()]).astype("<f8").tofile(args.file)


def run(args):
    model = loaded(args)
    data = np.fromfile(args.file, dtype="<f8")
    n, steps, nq, nv, nu = (int(x) for x in data[:5])
    q, v, control = np.split(data[5:], [n * nq, n * nq + n * nv])
    q, v, control = q.reshape(n, nq), v.reshape(n, nv), control.reshape(steps, n, nu).transpose(1, 0, 2)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros((n, mujoco.mj_stateSize(model, full)))
    one = mujoco.MjData(model)
    for i in range(n):
        one.qpos[:], one.qvel[:] = q[i], v[i]
        mujoco.mj_getState(model, one, state[i], full)
    control = np.ascontiguousarray(control)
    datas = [mujoco.MjData(model) for _ in range(args.threads)]
    with rollout.Rollout(nthread=args.threads if args.threads > 1 else 0) as engine:
        engine.rollout(model, datas, state, control[:, :5], nstep=5)
        wall, cpu = time.perf_counter(), time.process_time()
        end, _ = engine.rollout(model, datas, state, control, nstep=steps)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    # A robot that diverged was set back to t = 0.
    diverged = float(np.mean(end[:, -1, 0] < (steps - 0.5) * model.opt.timestep))
    total = n * steps
    record = {"n": n, "steps": steps, "wall_s": wall, "cpu_s": cpu, "steps_per_s": total / wall}
    record |= {"steps_per_cpu_s": total / cpu, "diverged": diverged, "height": float(end[0, -1, 3])}
    print(json.dumps(record))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["inputs", "run"])
    parser.add_argument("model")
    parser.add_argument("file")
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--dt", type=float)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    write_inputs(args) if args.what == "inputs" else run(args)


if __name__ == "__main__":
    main()
