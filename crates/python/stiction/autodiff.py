"""Rollouts as differentiable functions of PyTorch and of JAX, and derivatives of many steps at once.

``torch_rollout`` and ``jax_rollout`` lead a simulation from (q, v) through N steps and answer with the states after each. Gradients go back by the adjoint of every
step (:meth:`stiction.Simulation.rollout_vjp`), which is exact where steps are smooth. PyTorch and JAX are imported when they are first asked for.

Configurations hold quaternions: gradients by q are those along the unit sphere, as coordinates of q.
"""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from ._stiction import Error

if TYPE_CHECKING:
    from ._linearization import Linearization
    from ._simulation import Simulation
    from ._tables import Array

__all__ = ["jax_rollout", "linearize_many", "tangent_map", "torch_rollout"]


def _module(name: str, package: str) -> Any:
    """A module of others, or an error that says how to come by it."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ImportError(f"{name} is not installed, and this function needs it: pip install {package}") from missing


def tangent_map(simulation: Simulation, q: Any) -> Array:
    """∂(q ⊕ ε)/∂ε at ε = 0 (nq, nv): how the coordinates of q move along those of v."""
    model = simulation.model
    q = np.asarray(q, dtype=np.float64)
    out = np.zeros((model.nq, model.nv))
    for joint in model.joints:
        at, to = np.arange(model.nq)[joint.q], np.arange(model.nv)[joint.v]
        if joint.kind in ("ball", "free"):
            w, x, y, z = q[at[-4:]]
            turn = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
            out[np.ix_(at[-4:], to[-3:])] = 0.5 * np.array(turn)
        if joint.kind == "free":
            out[at[:3], to[:3]] = 1.0
        elif joint.kind != "ball":
            out[at, to] = 1.0
    return out


def _roll(simulation: Simulation, q: Array, v: Array, controls: Array) -> tuple[Array, Array]:
    """The states after N steps from (q, v); the simulation is as before."""
    model = simulation.model
    if q.shape != (model.nq,) or v.shape != (model.nv,) or controls.ndim != 2 or controls.shape[1] != model.nu:
        raise Error(
            f"q, v and controls have the shapes {q.shape}, {v.shape} and {controls.shape};"
            f" expected ({model.nq},), ({model.nv},) and (N, {model.nu})"
        )
    before = simulation.snapshot()
    try:
        simulation.set_state(q, v)
        states = np.empty((len(controls), model.nq)), np.empty((len(controls), model.nv))
        for k, control in enumerate(controls):
            simulation.control[:] = control
            simulation.advance(None, 1)
            states[0][k], states[1][k] = simulation.q, simulation.v
        return states
    finally:
        simulation.restore(before)


def _pull(
    simulation: Simulation, start: tuple[Array, Array], controls: Array, states: Array, by: tuple[Array, Array], every: int | None
) -> tuple[Array, Array, Array]:
    """Gradients by q, v and controls of what has the gradients ``by`` by the states of a rollout."""
    nv = simulation.model.nv
    along = [tangent_map(simulation, q).T @ g for q, g in zip(states, by[0])]
    gradients = np.concatenate([np.array(along).reshape(len(states), nv), by[1]], axis=1)
    before = simulation.snapshot()
    try:
        simulation.set_state(*start)
        found = simulation.rollout_vjp(controls, gradients, every)
    finally:
        simulation.restore(before)
    T = tangent_map(simulation, start[0])
    return T @ np.linalg.solve(T.T @ T, found.start[:nv]), found.start[nv:], found.controls


def torch_rollout(simulation: Simulation, q: Any, v: Any, controls: Any, every: int | None = None) -> tuple[Any, Any]:
    """States after N steps as tensors, q (N, nq) and v (N, nv), that PyTorch differentiates by ``q`` (nq), ``v`` (nv) and ``controls`` (N, nu).

    Contacts start cold, and the simulation stays as it is. There is a checkpoint every ``every`` steps of the way back (√N by default). Raises ImportError where PyTorch is not
    installed, StepFailed where a step fails, and on the way back Error where a step has no derivative.
    """
    torch = _module("torch", "torch")

    def numbers(x: Any) -> Array:
        return np.array(x.detach().cpu().numpy(), dtype=np.float64)

    class Rollout(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, q: Any, v: Any, controls: Any) -> Any:
            q_all, v_all = _roll(simulation, numbers(q), numbers(v), numbers(controls))
            ctx.save_for_backward(q, v, controls)
            ctx.states = q_all
            return (torch.as_tensor(q_all).to(q), torch.as_tensor(v_all).to(v))

        @staticmethod
        def backward(ctx: Any, by_q: Any, by_v: Any) -> Any:
            q, v, controls = ctx.saved_tensors
            start, by = (numbers(q), numbers(v)), (numbers(by_q), numbers(by_v))
            found = _pull(simulation, start, numbers(controls), ctx.states, by, every)
            return tuple(torch.as_tensor(g).to(x) for g, x in zip(found, (q, v, controls)))

    given = (torch.as_tensor(x) for x in (q, v, controls))
    states: tuple[Any, Any] = Rollout.apply(*given)
    return states


def jax_rollout(simulation: Simulation, every: int | None = None) -> Callable[[Any, Any, Any], tuple[Any, Any]]:
    """A function of q (nq), v (nv) and controls (N, nu) to the states after N steps, q (N, nq) and v (N, nv), which JAX differentiates, compiles and maps.

    The simulation is called back from compiled code, one rollout at a time; it stays as it is. Numbers have the precision of what is given: say
    ``jax.config.update("jax_enable_x64", True)`` for doubles. Raises ImportError where JAX is not installed.
    """
    jax = _module("jax", "jax")

    def back(function: Callable[..., Any], shapes: Any, *given: Any) -> Any:
        def called(*x: Any) -> Any:
            out = function(*(np.array(a, dtype=np.float64) for a in x))
            return tuple(np.asarray(a, dtype=shape.dtype) for a, shape in zip(out, shapes))

        return jax.pure_callback(called, shapes, *given, vmap_method="sequential")

    def states(q: Any, v: Any, controls: Any) -> Any:
        n = controls.shape[0]
        shapes = tuple(jax.ShapeDtypeStruct((n, *x.shape), x.dtype) for x in (q, v))
        return back(lambda *x: _roll(simulation, *x), shapes, q, v, controls)

    def forward(q: Any, v: Any, controls: Any) -> Any:
        found = states(q, v, controls)
        return found, (q, v, controls, found[0])

    def backward(kept: Any, by: Any) -> Any:
        q, v, controls, reached = kept
        shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in (q, v, controls))

        def pull(q: Array, v: Array, controls: Array, reached: Array, by_q: Array, by_v: Array) -> Any:
            return _pull(simulation, (q, v), controls, reached, (by_q, by_v), every)

        return back(pull, shapes, q, v, controls, reached, *by)

    rollout = jax.custom_vjp(states)
    rollout.defvjp(forward, backward)

    def differentiable(q: Any, v: Any, controls: Any) -> tuple[Any, Any]:
        given = (jax.numpy.asarray(x) for x in (q, v, controls))
        found: tuple[Any, Any] = rollout(*given)
        return found

    return differentiable


def linearize_many(
    simulation: Simulation, q: Any, v: Any, controls: Any, threads: int = 1
) -> list[Linearization | Error]:
    """The derivatives of N steps, from each of the states ``q`` (N, nq), ``v`` (N, nv) under ``controls`` (N, nu), on so many threads.

    In the place of a step that has no derivative stands the Error that says why. Contacts start cold; the simulation stays as it is.
    """
    q, v, u = (np.asarray(x, dtype=np.float64) for x in (q, v, controls))
    model = simulation.model
    expected = [(len(q), model.nq), (len(q), model.nv), (len(q), model.nu)]
    for name, x, shape in zip(("q", "v", "controls"), (q, v, u), expected):
        if x.shape != shape:
            raise Error(f"{name} have the shape {x.shape}; expected {shape}")
    if threads < 1:
        raise Error(f"threads is {threads}; expected at least 1")

    def part(rows: Sequence[int]) -> list[Linearization | Error]:
        own = simulation.copy()
        out: list[Linearization | Error] = []
        for k in rows:
            own.set_state(q[k], v[k])
            own.control[:] = u[k]
            try:
                out.append(own.linearize())
            except Error as why:
                out.append(why)
        return out

    shares = [range(i, len(q), threads) for i in range(min(threads, max(1, len(q))))]
    with ThreadPoolExecutor(len(shares)) as pool:
        parts = list(pool.map(part, shares))
    return [parts[k % len(shares)][k // len(shares)] for k in range(len(q))]
