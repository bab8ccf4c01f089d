"""Contact solvers of others on problem files.

    python rival_solvers.py pinocchio|siconos FILE...

Prints a JSON list: solver, file, and for every tolerance tried, loosest first, the time of the solve alone
(median, seconds) and the impulses in the order of the file. Rows of a file are (N, T1, T2); Pinocchio's are
(T1, T2, N). Only spatial problems without scalar blocks; a global problem is condensed first, untimed.
"""

import json
import multiprocessing
import os
import sys
import time

import numpy as np

TOLERANCES = [1e-8, 1e-10, 1e-12]
MAX_ITERATIONS = 10_000
REPEATS, ENOUGH, LONGEST = 15, 2e-3, 10.0


def matrix(m):
    if "dense" in m:
        return np.array(m["dense"], dtype=float).reshape(m["shape"])
    out = np.zeros(m["shape"])
    np.add.at(out, (m["i"], m["j"]), m["v"])
    return out


def problem(path):
    """W, q, mu, or None for what these solvers do not take."""
    with open(path) as file:
        p = json.load(file)
    if p.get("dim") != 3 or p.get("scalar"):
        return None
    if p["formulation"] == "local":
        w, q = matrix(p["W"]), np.array(p["q"], dtype=float)
    elif p["formulation"] == "global":
        mass, h = matrix(p["M"]), matrix(p["H"])
        y = np.linalg.solve(mass, np.column_stack([h, np.array(p["f"], dtype=float)]))
        w, q = h.T @ y[:, :-1], h.T @ y[:, -1] + np.array(p["w"], dtype=float)
    else:
        return None
    return w, q, np.array(p["mu"], dtype=float)


def timed(solve):
    """Median time of repeated solves, and the last answer."""
    times = []
    while len(times) < REPEATS and sum(times) < ENOUGH:
        seconds, answer = solve()
        times.append(seconds)
    return float(np.median(times)), answer


def tries(solve_at):
    """Tighter and tighter tolerances, in a process that is ended when one takes longer than LONGEST."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def work():
        # Siconos tells every failed factorisation.
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        for tolerance in TOLERANCES:
            theirs.send((tolerance, *timed(lambda: solve_at(tolerance))))

    process, out = context.Process(target=work), []
    process.start()
    for _ in TOLERANCES:
        if not ours.poll(2 * LONGEST):
            break
        tolerance, seconds, impulses = ours.recv()
        finite = np.all(np.isfinite(impulses))
        out.append({"tolerance": tolerance, "time_s": seconds, "impulses": list(impulses) if finite else None})
        if seconds > LONGEST:
            break
    process.kill()
    return out


def pinocchio(w, q, mu):
    import pinocchio as pin

    n = len(mu)
    order = (np.arange(3 * n).reshape(n, 3)[:, [1, 2, 0]]).ravel()
    g_matrix, g = w[np.ix_(order, order)], q[order]
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Identity())
    models, data = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for friction in mu:
        contact = pin.PointContactConstraintModel(model, 1, pin.SE3.Identity())
        contact.setFriction(float(friction))
        contact.setCompliance(np.zeros(3))
        constraint = pin.ConstraintModel(contact)
        models.append(constraint)
        data.append(constraint.createData())
    scale = max(np.linalg.norm(q), 1e-300)

    def solve_at(kind):
        def solve(tolerance):
            settings = pin.ADMMSolverSettings() if kind == "admm" else pin.PGSSolverSettings()
            settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance * scale
            settings.relative_feasibility_tol = settings.relative_complementarity_tol = 1e-14
            settings.max_iterations, settings.solve_ncp = MAX_ITERATIONS, True
            solver = (pin.ADMMConstraintSolver if kind == "admm" else pin.PGSConstraintSolver)()
            result = (pin.ADMMSolverResult if kind == "admm" else pin.PGSSolverResult)()
            delassus = pin.DelassusOperatorDense(g_matrix)
            start = time.perf_counter()
            solver.solve(delassus, g, models, data, settings, result)
            seconds = time.perf_counter() - start
            impulses = np.zeros(3 * n)
            impulses[order] = np.array(result.retrieveConstraintImpulses()).ravel()
            return seconds, impulses

        return solve

    yield "Pinocchio ADMM", solve_at("admm")
    if n <= 150:
        yield "Pinocchio PGS", solve_at("pgs")


def siconos(w, q, mu):
    import siconos.numerics as sn

    dense = np.asfortranarray(w)

    def solve_at(name):
        def solve(tolerance):
            contact_problem = sn.FrictionContactProblem(3, len(mu), dense, q.copy(), mu.copy())
            options = sn.SolverOptions(getattr(sn, name))
            options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = MAX_ITERATIONS
            options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
            reaction, velocity = np.zeros(len(q)), np.zeros(len(q))
            start = time.perf_counter()
            sn.fc3d_driver(contact_problem, reaction, velocity, options)
            return time.perf_counter() - start, reaction

        return solve

    yield "Siconos NSGS", solve_at("SICONOS_FRICTION_3D_NSGS")
    yield "Siconos ADMM", solve_at("SICONOS_FRICTION_3D_ADMM")
    yield "Siconos NSN-AC", solve_at("SICONOS_FRICTION_3D_NSN_AC")


def main():
    rival = {"pinocchio": pinocchio, "siconos": siconos}[sys.argv[1]]
    out = []
    for path in sys.argv[2:]:
        read = problem(path)
        if read is None:
            continue
        for solver, solve_at in rival(*read):
            print(solver, path, file=sys.stderr, flush=True)
            out.append({"solver": solver, "file": path, "tries": tries(solve_at)})
    # Libraries print to standard output as they like: the answer is the last line.
    print("\n" + json.dumps(out))


if __name__ == "__main__":
    main()
