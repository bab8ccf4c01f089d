"""Run an MJCF file in MotrixSim: processor time of its steps. Prints one JSON object.

    python motrix_scenes.py FILE.xml [--dt H] [--duration T]

MotrixSim is closed and computes in single precision, so that no
residual is measured here.
"""

import argparse
import json
import sys
import time

import motrixsim
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--dt", type=float, default=0.001)
parser.add_argument("--duration", type=float, default=2.0)
args = parser.parse_args()

model = motrixsim.load_model(args.file)
model.options.timestep = args.dt
if abs(model.options.timestep - args.dt) > 1e-6 * args.dt:
    sys.exit(f"{args.file} is stepped by {model.options.timestep} s, not by {args.dt} s")
steps = round(args.duration / args.dt)
data = motrixsim.SceneData(model)
model.step_n(data, min(steps, 100))
data = motrixsim.SceneData(model)
wall, cpu = time.perf_counter(), time.process_time()
model.step_n(data, steps)
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
finite = bool(np.isfinite(np.array(data.dof_pos)).all())
print(json.dumps({"steps": steps, "cpu_s": cpu, "wall_s": wall, "finite": finite}))
