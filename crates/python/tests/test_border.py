"""The border: every error an exception with its text, nothing lost, nothing leaked, threads and processes."""

from __future__ import annotations

import multiprocessing
import pickle
import resource
import threading
from typing import Any

import numpy as np
import pytest

import stiction


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: stiction.load("quadrupe"), "no scene is called `quadrupe`; did you mean `quadruped`"),
        (lambda: stiction.load("nowhere/robot.urdf"), "nowhere/robot.urdf: there is no such file"),
        (lambda: stiction.load("a.docx"), "no scene is called|expected a scene"),
        (lambda: stiction.loads("<robot name='a'><link name='b'/><joint name='c' type='hing'/></robot>", name="r.urdf"),
         "^r.urdf:1:.*<joint> `c` type=\"hing\": expected one of revolute"),
        (lambda: stiction.loads("[ground]\nfrictio = 1"), "scene.toml:2:1: unknown field `frictio`.*did you mean `friction`"),
        (lambda: stiction.loads("<mujoco/>", meshes="hul"), "unknown variant `hul`, expected one of `hull`"),
        (lambda: stiction.loads("<mujoco/>", assets={"../x": b""}), "asset `../x`: expected a path below"),
        (lambda: stiction.Simulation(stiction.load("ball"), "nsg"), "no contact solver is called `nsg` .did you mean `nsgs`"),
        (lambda: stiction.Simulation(stiction.load("ball"), contact_params={"omga": 1}), "there is no parameter `omga`"),
        (lambda: stiction.Simulation(stiction.load("ball"), dt=-1), "stepper parameter `dt` is -1; expected a step in"),
        (lambda: stiction.Simulation(stiction.load("ball"), stepper="rk4"), "there is no stepper `rk4`; there are: time-stepping"),
        (lambda: stiction.Simulation(stiction.load("ball"), slp=1), "unknown field `slp`, expected one of"),
        (lambda: stiction.Simulation(stiction.load("ball"), threads=0), "0 threads; expected 1 to"),
        (lambda: stiction.Simulation("ball"), "a simulation needs a model, not str"),  # type: ignore[arg-type]
        (lambda: stiction.Batch(stiction.load("ball"), 0), "batch setting `n` is 0"),
        (lambda: stiction.Batch(stiction.load("ball"), 2, precision="f16"), "no precision is called `f16`; there are: f64, f32"),
        (lambda: stiction.solve(stiction.friction_problem(np.eye(3), [0, 0, -1], [0.5]), "nsg"), "did you mean `nsgs`"),
        (lambda: stiction.friction_problem(np.eye(2), [0, 0, -1], [0.5]), r"G has the shape \[2, 2\]; expected \[3, 3\]"),
        (lambda: stiction.friction_problem(np.eye(3), [0, 0, np.nan], [0.5]), "g holds NaN; expected finite"),
        (lambda: stiction.friction_problem(np.eye(3), [0, 0, 1], [-1]), "coefficient of friction is -1"),
    ],
)
def test_what_cannot_be_used_says_so(make: Any, text: str) -> None:
    with pytest.raises(stiction.Error, match=text):
        make()


def test_lengths_types_and_indices_are_checked(arm: stiction.Model) -> None:
    simulation = stiction.Simulation(arm)
    with pytest.raises(stiction.Error, match="control has 2 numbers; expected 1, one for each actuator"):
        simulation.step([1, 2])
    with pytest.raises(stiction.Error, match="q has 3 numbers; expected 12"):
        simulation.set_state(q=[1, 2, 3])
    with pytest.raises(stiction.Error, match="steps is 0"):
        simulation.step(steps=0)
    with pytest.raises(stiction.UnknownName, match="no body is called `bx`"):
        simulation.apply_force("bx", [0, 0, 1])
    with pytest.raises(stiction.Error, match="force is .*nan.*|force is .*NaN"):
        simulation.apply_force("box", [0, 0, np.nan])
    with pytest.raises((TypeError, ValueError)):
        simulation.step("abc")
    simulation.q[0] = np.nan
    with pytest.raises(stiction.Error, match="q.0. .joint `shoulder`. is NaN; expected a finite number"):
        simulation.step()
    simulation.q[0] = 1.0
    simulation.step()
    assert isinstance(stiction.Error("x"), ValueError) and isinstance(stiction.StepFailed("x"), RuntimeError)


def test_a_step_without_numbers_fails_and_run_raises(arm: stiction.Model) -> None:
    simulation = stiction.Simulation(arm)
    before = simulation.q.copy()
    report = simulation.step([np.inf])
    assert report.status == "failed" and report.failure and (simulation.q == before).all()
    with pytest.raises(stiction.StepFailed):
        simulation.run(0.1)


def test_threads_step_side_by_side_and_not_the_same_one(quadruped: stiction.Model) -> None:
    simulations = [stiction.Simulation(quadruped) for _ in range(4)]
    alone = stiction.Simulation(quadruped)
    alone.step(steps=500)
    threads = [threading.Thread(target=s.step, kwargs={"steps": 500}) for s in simulations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((s.q == alone.q).all() for s in simulations)

    shared, refused = simulations[0], []
    go = threading.Event()

    def stepping() -> None:
        go.set()
        shared.step(steps=20_000)

    thread = threading.Thread(target=stepping)
    thread.start()
    go.wait()
    while thread.is_alive() and not refused:
        try:
            shared.step()
        except RuntimeError as error:
            refused.append(str(error))
    thread.join()
    assert refused and "in use: by another thread" in refused[0]
    shared.step()


def resident() -> int:
    """Kilobytes in use at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_nothing_leaks_over_many_lives(arm: stiction.Model) -> None:
    ball = stiction.load("ball")

    def live(lives: int) -> None:
        for _ in range(lives):
            simulation = stiction.Simulation(ball)
            simulation.step()
            _ = simulation.contacts_near(), simulation.state.q[0]

    def ask(times: int) -> None:
        for _ in range(times):
            stiction.dynamics.crba(arm, arm.q0)

    live(2_000), ask(5_000)
    before = resident()
    live(10_000), ask(90_000)
    assert resident() - before < 10_000, "kilobytes that 10⁵ objects left behind"


def test_models_and_problems_survive_pickling(quadruped: stiction.Model, tmp_path: Any) -> None:
    model = pickle.loads(pickle.dumps(quadruped))
    assert model.joints.names == quadruped.joints.names
    file = tmp_path / "scene.toml"
    file.write_text("[ground]\n[[body]]\nname='b'\nshape='sphere'\nradius=0.1\nmass=1\nposition=[0,0,1]\n")
    frozen = pickle.dumps(stiction.load(file))
    assert pickle.loads(frozen).bodies.names == ["b"]
    file.write_text(file.read_text().replace("0.1", "0.2"))
    with pytest.raises(stiction.Error, match="not there as it was when the model was loaded"):
        pickle.loads(frozen)
    simulation = stiction.Simulation(quadruped)
    simulation.step(steps=5)
    problem = pickle.loads(pickle.dumps(simulation.problem))
    assert (problem.G == simulation.problem.G).all() and problem.cones == simulation.problem.cones


def child(batch: stiction.Batch, queue: Any) -> None:
    """In a forked process."""
    try:
        batch.step()
        queue.put("stepped")
    except RuntimeError as error:
        queue.put(str(error))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_a_forked_process_is_told_to_make_its_own() -> None:
    batch = stiction.Batch(stiction.load("ball"), 200, threads=2)
    batch.step()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(batch, queue))
    process.start()
    said = queue.get(timeout=60)
    process.join()
    assert "made before the process forked" in said
    batch.step()
