"""Step a world in MuJoCo: what a row of `cargo xtask bench scale` costs there.

    python mujoco_scale.py FILE.xml --dt H --settle STEPS --rest STEPS

Elliptic cones, Newton's method, default tolerance, from the first keyframe, nothing asleep. Progress goes to standard
error, one JSON object to standard output: CPU time per step [us] in each of the two windows, contacts at their ends, and
the most memory this process has held beyond what it held before the model was read [bytes].
"""

import argparse
import json
import resource
import sys
import time

import mujoco

# A window is stepped in so many pieces, after each of which there is a word.
PIECES = 20
# Room for contacts and factors [bytes]: by default it grows with the square of the bodies, up to more than there is. Only
# what is used of it is held.
ARENA = 1 << 33


def peak():
    """[bytes]; Linux tells kilobytes, macOS bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def window(model, data, name, steps):
    """CPU time per step of the next `steps`."""
    cpu, told, done = 0.0, time.monotonic(), 0
    for piece in range(PIECES):
        count = steps * (piece + 1) // PIECES - done
        if count == 0:
            continue
        before = time.thread_time()
        mujoco.mj_step(model, data, nstep=count)
        cpu += time.thread_time() - before
        done += count
        if time.monotonic() - told >= 5.0:
            told = time.monotonic()
            print(f"    MuJoCo: {name}, step {done} of {steps}", file=sys.stderr)
    return {"cpu_us": 1e6 * cpu / max(steps, 1), "contacts": int(data.ncon)}


def main():
    parser = argparse.ArgumentParser(description="A world in MuJoCo, timed.")
    parser.add_argument("file")
    parser.add_argument("--dt", type=float, required=True, help="time step [s]")
    parser.add_argument("--settle", type=int, required=True, help="steps of the first window")
    parser.add_argument("--rest", type=int, required=True, help="steps of the second")
    args = parser.parse_args()

    empty = peak()
    spec = mujoco.MjSpec.from_file(args.file)
    spec.memory = ARENA
    model = spec.compile()
    model.opt.timestep = args.dt
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    windows = {name: window(model, data, name, steps) for name, steps in
               [("settling", args.settle), ("resting", args.rest)]}
    print(json.dumps({"engine": f"mujoco {mujoco.__version__}", "peak_bytes": peak() - empty, **windows}))


main()
