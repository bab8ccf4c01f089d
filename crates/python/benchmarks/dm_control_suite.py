"""Every task of ``dm_control.suite`` under our names: does it load and step, and what are its rewards beside MuJoCo's?

    python crates/python/benchmarks/dm_control_suite.py [--steps 50] [--mujoco-python PYTHON]

Prints a table. ``--mujoco-python``: an interpreter with dm_control and a MuJoCo that it knows, where this one's is too new. Each side runs in a process of its own, ours after ``stiction.mujoco.install()``; both begin in MuJoCo's
state and take the same random actions. Rewards part where contacts do, which are rigid here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from typing import Any


def run(steps: int, starts: dict[str, Any] | None) -> dict[str, Any]:
    """For every task the rewards of fixed actions and the state it began in, or why it did not run."""
    import numpy as np
    from dm_control import suite

    out: dict[str, Any] = {}
    for domain, task in suite.ALL_TASKS:
        name = f"{domain}.{task}"
        try:
            environment = suite.load(domain, task, task_kwargs={"random": 1})
            environment.reset()
            physics = environment.physics
            if starts is not None and "state" in starts.get(name, {}):
                with physics.reset_context():
                    # Without the activations, which are not simulated here.
                    physics.set_state(np.array(starts[name]["state"])[: len(physics.get_state())])
            begin = physics.get_state().tolist()
            spec, dice = environment.action_spec(), np.random.default_rng(2)
            rewards = [
                float(environment.step(dice.uniform(spec.minimum, spec.maximum)).reward or 0.0) for _ in range(steps)
            ]
            out[name] = {"state": begin, "rewards": rewards}
        except Exception as why:  # noqa: BLE001
            out[name] = {"why": f"{type(why).__name__}: {why}".splitlines()[0][:160]}
    return out


def side(python: str, ours: bool, steps: int, starts: dict[str, Any] | None) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [python, __file__, "--side", "stiction" if ours else "mujoco", "--steps", str(steps)]
    done = subprocess.run(command, input=json.dumps(starts), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """A line for each task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--mujoco-python", default=sys.executable)
    parser.add_argument("--side", choices=("stiction", "mujoco"))
    chosen = parser.parse_args()
    if chosen.side:
        warnings.simplefilter("ignore")
        if chosen.side == "stiction":
            import stiction.mujoco

            stiction.mujoco.install()
        print(json.dumps(run(chosen.steps, json.loads(sys.stdin.read() or "null"))))
        return
    theirs = side(chosen.mujoco_python, False, chosen.steps, None)
    ours = side(sys.executable, True, chosen.steps, theirs)
    print(f"| task | reward of {chosen.steps} steps, MuJoCo | stiction | largest difference of a step |")
    print("|---|---|---|---|")
    run_at_all = 0
    for name, expected in theirs.items():
        found = ours[name]
        if "why" in found or "why" in expected:
            print(f"| `{name}` | {expected.get('why', sum(expected.get('rewards', [])))} | {found.get('why', '')} | |")
            continue
        run_at_all += 1
        a, b = expected["rewards"], found["rewards"]
        apart = max(abs(x - y) for x, y in zip(a, b))
        print(f"| `{name}` | {sum(a):.3f} | {sum(b):.3f} | {apart:.1e} |")
    print(f"\n{run_at_all} of {len(theirs)} tasks load and step.")


if __name__ == "__main__":
    main()
