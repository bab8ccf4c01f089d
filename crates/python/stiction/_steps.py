"""Times as whole numbers of time steps."""

from __future__ import annotations

from ._stiction import Error

#: By how much of a step a time may miss a whole number of them: what is left of writing it in decimals.
NEARLY = 1e-3


def whole_steps(what: str, seconds: float, dt: float) -> int:
    """How many time steps a time is; one that is no whole number of them is refused."""
    if not (seconds >= 0 and seconds / dt < 2**53):
        raise Error(f"{what} is {seconds}; expected a finite number >= 0 [s]")
    steps = seconds / dt
    whole = round(steps)
    if abs(steps - whole) <= NEARLY:
        return whole
    below, above = int(steps), int(steps) + 1
    near = [f"{n * dt:.9g}" for n in (below, above) if n > 0]
    fitting = [f"{seconds / n:.6g}" for n in (above, below) if n > 0]
    raise Error(
        f"{what} is {seconds} s, {steps:.6g} steps of {dt} s; expected a whole number of them: the nearest "
        f"{'are' if len(near) > 1 else 'is'} {' and '.join(near)} s, or make the simulation with dt={' or dt='.join(fitting)}"
    )
