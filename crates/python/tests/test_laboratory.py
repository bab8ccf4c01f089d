"""Contact problems, solvers in Python, corrections, comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stiction
from stiction import ContactProblem, Simulation, friction_problem

from shared import data


def point(slip: float = 2.0) -> ContactProblem:
    """A point of 1 kg that arrives with 1 m/s and slides with ``slip``, μ = 0.5; rows (t₁, t₂, n)."""
    return friction_problem(np.eye(3), [slip, 0, -1], [0.5], name="point")


def test_a_point_by_hand() -> None:
    for name in ("auto", "nsgs", "ncp-newton", "ncp-ipm"):
        answer = stiction.solve(point(), name, tolerance=1e-10)
        assert answer.status == "converged" and answer.law == "ncp" and answer.solver == name
        assert answer.impulses == pytest.approx([-0.5, 0, 1], abs=1e-9)
        assert answer.certificate.natural_map < 1e-9 and answer.own_natural_map < 1e-9
    relaxed = stiction.solve(point(), "ccp-pgs", tolerance=1e-10)
    assert relaxed.own_natural_map < 1e-9, "it solves its own law"
    assert relaxed.certificate.natural_map > 0.1 and relaxed.certificate.lift > 0.1, "which lifts what slides"
    sticks = stiction.solve(point(0.1), "nsgs")
    assert sticks.impulses == pytest.approx([-0.1, 0, 1], abs=1e-6)


def test_every_solver_is_listed_with_its_parameters_and_judged() -> None:
    table = stiction.solvers()
    assert table[0].name == "auto" and len(table) > 25
    assert any(p.name == "omega" for entry in table for p in entry.parameters)
    assert stiction.steppers()[0].name == "time-stepping"
    for entry in table:
        answer = stiction.solve(point(), entry.name)
        assert answer.law == entry.law
        assert np.isfinite(answer.certificate.natural_map), entry.name
        if entry.law == "ncp":
            assert answer.certificate.natural_map < 1e-5, entry.name


def test_iterates_lead_to_the_answer() -> None:
    problem = Simulation(stiction.load("stack"))
    problem.step()
    answer = stiction.solve(problem.problem, "nsgs", iterates=True, max_iterations=50)
    assert answer.iterates is not None and answer.iterates.shape == (answer.iterations + 1, problem.problem.rows)
    assert (answer.iterates[-1] == answer.impulses).all()
    first, last = [stiction.certify(problem.problem, x).natural_map for x in answer.iterates[[0, -1]]]
    assert last < first
    warm = stiction.solve(problem.problem, "nsgs", start=answer.impulses, max_iterations=50)
    assert warm.certificate.natural_map <= answer.certificate.natural_map * 1.001


def test_problems_of_all_kinds_of_rows() -> None:
    cones = [("friction", 0.5, 0.0), ("free", 0.0, 0.0), ("non-negative", 0.0, 0.0), ("box", -1.0, 2.0)]
    problem = ContactProblem(np.eye(6), [0, 0, -1, 3, -2, -5], cones, np.zeros(6), 0.01, "kinds")
    answer = stiction.solve(problem, "nsgs", tolerance=1e-12)
    assert answer.impulses == pytest.approx([0, 0, 1, -3, 2, 2], abs=1e-10)
    assert problem.velocities(answer.impulses) == pytest.approx([0, 0, 0, 0, 0, -3], abs=1e-10)
    assert problem.cones == cones and problem.row_start == [0, 3, 4, 5, 6] and len(problem) == 4
    spinning = ContactProblem(np.eye(4), [0, 0, -1, 0.3], [("spinning", 0.5, 0)], None, 1.0, "spin")
    assert stiction.solve(spinning, "auto").impulses == pytest.approx([0, 0, 1, -0.3], abs=1e-6)
    with pytest.raises(stiction.Error, match="takes no contacts that resist spinning or rolling"):
        stiction.solve(spinning, "ccp-pgs")
    with pytest.raises(stiction.Error, match="a cone is of kind `cone`; there are: free, non-negative"):
        ContactProblem(np.eye(1), [0], [("cone", 0, 0)], None, 1.0, "no")


def test_files_keep_problems(tmp_path: Path) -> None:
    simulation = Simulation(stiction.load("stack"))
    simulation.step(steps=10)
    problem = simulation.problem
    for ending in ("json", "hdf5", "dat", "npz"):
        problem.save(tmp_path / f"p.{ending}", simulation.impulses if ending in ("json", "hdf5") else None)
        again = ContactProblem.load(tmp_path / f"p.{ending}")
        assert again.G == pytest.approx(problem.G, abs=1e-15) and again.g == pytest.approx(problem.g, abs=1e-15)
        assert stiction.certify(again, simulation.impulses).natural_map == pytest.approx(simulation.natural_map)
        if ending in ("json", "hdf5"):
            assert again.reference is not None and again.reference == pytest.approx(simulation.impulses)
    with pytest.raises(stiction.Error, match="nothing.json"):
        ContactProblem.load(tmp_path / "nothing.json")


def test_files_of_others_are_read_and_solved() -> None:
    folder = data()
    files = sorted((folder / "fclib").rglob("*.hdf5"))[:3] if folder else []
    if not files:
        pytest.skip("FCLIB's problems: set STICTION_DATA to the folder that holds them")
    for file in files:
        answer = stiction.solve(ContactProblem.load(file), "auto")
        assert answer.certificate.natural_map < 1e-6, file


class GaussSeidel:
    """Contacts one after another, each by projecting a step along its own diagonal on its cone."""

    name = "my-gauss-seidel"
    tolerance = 1e-9

    def __init__(self, sweeps: int = 3000) -> None:
        self.sweeps, self.calls = sweeps, 0

    def solve(self, problem: ContactProblem, start: Any) -> Any:
        """The projected Gauss–Seidel of the exact law."""
        self.calls += 1
        G, g, x = problem.G, problem.g, start.copy()
        blocks = list(zip(problem.cones, problem.row_start[:-1], problem.row_start[1:], strict=True))
        for _ in range(self.sweeps):
            before = x.copy()
            for (kind, mu, _), i, j in blocks:
                assert kind == "friction"
                c = G[i:j] @ x + g[i:j]
                c[2] += mu * np.hypot(c[0], c[1])
                x[i:j] = projected(x[i:j] - c / np.linalg.norm(G[i:j, i:j], 2), mu)
            if np.abs(x - before).max() < 1e-14:
                break
        return x


def projected(x: Any, mu: float) -> Any:
    """The nearest point of Coulomb's cone."""
    t, n = np.hypot(x[0], x[1]), x[2]
    if t <= mu * n:
        return x
    if mu * t <= -n:
        return 0 * x
    p = (mu * t + n) / (1 + mu * mu)
    return np.array([x[0] / t * mu * p, x[1] / t * mu * p, p])


def sliding() -> stiction.Model:
    """A box on a plane, pushed off with 1 m/s."""
    scene = stiction.Scene("box", gravity=[0, 0, -9.81]).ground(friction=0.3)
    keys = {"size": [0.2, 0.2, 0.2], "mass": 1.0, "position": [0, 0, 0.1], "velocity": [1, 0, 0], "friction": 0.3}
    return scene.body("box", shape="box", **keys).build()


def test_a_solver_written_in_python_drives_a_simulation_and_is_judged() -> None:
    mine = GaussSeidel()
    simulation, reference = Simulation(sliding(), mine), Simulation(sliding())
    for _ in range(20):
        assert simulation.step().status in ("converged", "rounding")
        assert simulation.natural_map < 1e-8
        reference.step()
    assert mine.calls >= 20 and simulation.contact == "my-gauss-seidel"
    assert simulation.q == pytest.approx(reference.q, abs=1e-9)
    answer = stiction.solve(point(), mine)
    assert answer.status == "converged" and answer.impulses == pytest.approx([-0.5, 0, 1])
    lazy = Simulation(sliding(), GaussSeidel(sweeps=1))
    assert lazy.step().flagged and lazy.natural_map > 1e-9, "who stops early does not get away with it"


def test_what_a_solver_raises_comes_out_of_step() -> None:
    class Broken:
        def solve(self, problem: ContactProblem, start: Any) -> Any:
            raise ZeroDivisionError("mine")

    class Short:
        def solve(self, problem: ContactProblem, start: Any) -> Any:
            return [1.0]

    simulation = Simulation(sliding(), Broken())
    before = simulation.q.copy()
    with pytest.raises(ZeroDivisionError, match="mine"):
        simulation.step()
    assert (simulation.q == before).all()
    with pytest.raises(stiction.Error, match="the answer of solve has 1 numbers; expected 12"):
        Simulation(sliding(), Short()).step()
    with pytest.raises(stiction.Error, match="contact is 3; expected the name of a solver, or an object"):
        Simulation(sliding(), 3)
    other = Broken()
    other.law = "nobody's"  # type: ignore[attr-defined]
    with pytest.raises(stiction.Error, match="no contact law is called `nobody's`; there are: ccp"):
        Simulation(sliding(), other)


def test_corrections_change_impulses_and_the_certificate_tells() -> None:
    simulation, seen = Simulation(sliding()), []

    def halve_friction(contacts: Any) -> Any:
        seen.append(contacts)
        impulses = contacts["impulse"].copy()
        impulses[:, :2] *= 0.5
        return impulses

    simulation.correct_contacts(halve_friction)
    report = simulation.step()
    assert report.corrected and simulation.natural_map > 1e-4
    first = seen[0]
    assert len(first) == 4 and first["impulse"][:, 2].sum() == pytest.approx(9.81e-3)
    # A plane's friction is 0.3 and half of it is applied: v loses 0.15 g h in a step.
    assert simulation.v[0] == pytest.approx(1 - 0.15 * 9.81e-3, abs=1e-9)
    simulation.correct_contacts(lambda contacts: None)
    simulation.step()
    assert simulation.natural_map < 1e-7
    simulation.correct_contacts(lambda contacts: [[1, 2]])
    with pytest.raises(stiction.Error, match="the corrected impulses has the shape"):
        simulation.step()
    simulation.correct_contacts(None)
    assert not simulation.step().corrected


def test_solvers_are_compared_on_one_model() -> None:
    runs = stiction.compare(sliding(), ["auto", "ccp-pgs", "mujoco", GaussSeidel()], duration=0.05)
    by_name = {run.contact: run for run in runs}
    assert by_name["auto"].natural_map < 1e-7 and by_name["auto"].steps == 50 and by_name["auto"].failure is None
    assert by_name["ccp-pgs"].natural_map > 1e-3 > by_name["ccp-pgs"].own_natural_map
    assert by_name["my-gauss-seidel"].q == pytest.approx(by_name["auto"].q, abs=1e-7)
