"""Read by the type checker: what a user writes has the types that are promised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import stiction
from stiction import dynamics


def program() -> NDArray[np.float64]:
    """A controller, a problem, a batch."""
    model: stiction.Model = stiction.load("quadruped", hold=True)
    simulation = stiction.Simulation(model, "auto", dt=0.002, baumgarte=0.1)
    joint: stiction.Joint = model.joints["FL_hip"]
    q: NDArray[np.float64] = simulation.q[joint.q]

    def controller(sim: stiction.Simulation) -> NDArray[np.float64]:
        return model.control0 * sim.time

    report = simulation.run(1.0, controller, every=0.02)
    if report is not None:
        status: str = report.status
        print(status)
    solution: stiction.laboratory.Solution = stiction.solve(simulation.problem, "nsgs", iterates=True)
    number: float = solution.certificate.natural_map
    batch = stiction.Batch(model, 8, threads=2)
    batch.step(np.zeros((8, model.nu)))
    tau: NDArray[np.float64] = dynamics.rnea(model, simulation.q, simulation.v, np.zeros(model.nv))
    return np.asarray(q * number + tau[:1] + batch.q[0, :1], dtype=np.float64)
