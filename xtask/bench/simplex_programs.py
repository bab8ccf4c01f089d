"""Time other solvers on quadratic programs over simplices, beside the active-set method of `stiction-nmdp`.

    cargo run --release -p stiction-nmdp --example simplex_programs programs.json
    python simplex_programs.py programs.json

min 1/2 x'Hx + c'x with x >= 0 and, in every group, sum x <= 1. Solvers that are installed are timed: ProxQP (proxsuite,
dense, warm started with its previous result) and qpOASES (qpoases, hot started). Prints microseconds of wall time a program and
how far the minima differ from those that the file states, ours.
"""

import json
import sys
import time

import numpy as np


def proxqp(programs, A, n):
    import proxsuite

    qp = proxsuite.proxqp.dense.QP(n, 0, A.shape[0])
    low, high = np.concatenate([np.zeros(n), np.full(A.shape[0] - n, -1e20)]), np.concatenate([np.full(n, 1e20), np.ones(A.shape[0] - n)])
    qp.settings.eps_abs, qp.settings.eps_rel = 1e-9, 0.0
    qp.settings.initial_guess = proxsuite.proxqp.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT
    qp.init(programs[0][0], programs[0][1], None, None, A, low, high)
    qp.solve()

    def solve(H, c):
        qp.update(H=H, g=c)
        qp.solve()
        return qp.results.x

    return solve


def qpoases(programs, A, n):
    import qpoases

    groups = np.ascontiguousarray(A[n:])
    qp, options = qpoases.PySQProblem(n, len(groups)), qpoases.PyOptions()
    options.setToMPC()
    options.printLevel = qpoases.PyPrintLevel.NONE
    qp.setOptions(options)
    lower, upper = np.zeros(n), np.full(n, 1e20)
    below, above = np.full(len(groups), -1e20), np.ones(len(groups))
    qp.init(programs[0][0], programs[0][1], groups, lower, upper, below, above, np.array([1000]))
    out = np.zeros(n)

    def solve(H, c):
        qp.hotstart(H, c, groups, lower, upper, below, above, np.array([1000]))
        qp.getPrimalSolution(out)
        return out

    return solve


def main():
    text = json.load(open(sys.argv[1]))
    n, group = len(text["programs"][0]["c"]), text["group"]
    programs = [(np.array(p["H"]).reshape(n, n), np.array(p["c"])) for p in text["programs"]]
    sums = np.kron(np.eye(n // group), np.ones(group))
    A = np.vstack([np.eye(n), sums])
    value = lambda H, c, x: 0.5 * x @ H @ x + c @ x
    reference = [p["minimum"] for p in text["programs"]]
    for name, make in [("ProxQP", proxqp), ("qpOASES", qpoases)]:
        try:
            solve = make(programs, A, n)
        except ImportError as error:
            print(f"{name}: not installed ({error})")
            continue
        values, repeats = [value(H, c, solve(H, c).copy()) for H, c in programs], 20
        start = time.perf_counter()
        for _ in range(repeats):
            for H, c in programs:
                solve(H, c)
        micro = 1e6 * (time.perf_counter() - start) / (repeats * len(programs))
        worst = max(abs(a - b) for a, b in zip(values, reference))
        print(f"{name}: {micro:.2f} us a program; minima differ by at most {worst:.1e}")


if __name__ == "__main__":
    main()
