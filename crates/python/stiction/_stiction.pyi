"""The part that is written in Rust: numbers over the border. What users call is in the Python files."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

Array = NDArray[np.float64]
_Hit = tuple[int, float, list[float], list[float]]

__version__: str
STATUS_WORDS: list[str]
QUANTITIES: list[str]
BUILTIN_SCENES: list[str]
BUILTIN_MODELS: list[str]

class Error(ValueError):
    """What was given cannot be used: the message names the place, the value and what was expected."""

class StepFailed(RuntimeError):
    """A step failed; the state is as it was before it. The message names the cause."""

class InternalError(RuntimeError):
    """An invariant of stiction is broken: a bug, which is worth a report. What raised it must not be used any more."""

class StepReport:
    """How one step went."""

    @property
    def status(self) -> str:
        """converged, rounding, gained-energy, not-converged or failed."""

    @property
    def failure(self) -> str | None:
        """Why the step failed."""

    @property
    def flagged(self) -> bool:
        """True unless the step converged, or to all that 64-bit impulses can tell."""

    @property
    def iterations(self) -> int:
        """Iterations of the contact solver."""

    @property
    def residual(self) -> float:
        """The solver's own stopping quantity [m/s]; for the truth ask for the certificate."""

    @property
    def contacts(self) -> int:
        """Contact points in the problem."""

    @property
    def penetration(self) -> float:
        """Deepest overlap at the start of the step [m]."""

    @property
    def energy_error(self) -> float:
        """Energy that trees of joints made in the step and nothing explains, less what they lost [J]."""

    @property
    def energy_in_motion(self) -> float:
        """Kinetic energy of these trees at the end of the step [J]."""

    @property
    def parts(self) -> int:
        """Parts it was solved in; 0 if it failed."""

    @property
    def remedy(self) -> str | None:
        """What was done because the problem had no good answer."""

    @property
    def bound_met(self) -> int | None:
        """Factorisations of the budget that an island of contacts met the end of."""

    @property
    def corrected(self) -> bool:
        """A contact correction changed impulses."""

    @property
    def asleep(self) -> int:
        """Bodies that sleep from now on."""

    @property
    def nmdp(self) -> dict[str, float] | None:
        """What NMDP steppers count and measure: ``outer`` iterations, ``smallest_part`` [s], ``pivot`` (the rank), ``reduction``,
        ``contraction``, ``descent`` [J] and more, as docs/implicit-steps.md tells; ``None`` of other steppers."""

class World:
    @staticmethod
    def find(name_or_path: str, options: str) -> World: ...
    @staticmethod
    def scene(sections: str) -> World: ...
    def replace(self, fields: Mapping[str, Array]) -> World: ...
    def placed(self, links: list[int], poses: ArrayLike, sites: list[int], in_links: ArrayLike) -> World: ...
    def resized(self, bodies: list[int], factor: float) -> World: ...
    def started_at(self, t: float, q: ArrayLike, v: ArrayLike) -> World: ...
    def fields(self) -> dict[str, Array]: ...
    def describe(self) -> str: ...
    def written(self, format: str, stem: str) -> tuple[str, list[tuple[str, str]], list[str]]: ...
    @property
    def name(self) -> str: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def q0(self) -> Array: ...
    @property
    def v0(self) -> Array: ...
    @property
    def control0(self) -> Array: ...
    def warned(self) -> list[tuple[str, str]]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def not_simulated(self) -> list[str]: ...
    @property
    def unknown(self) -> list[str]: ...
    def neutral(self) -> Array: ...
    def rnea(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: ArrayLike | None = None) -> Array: ...
    def aba(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None) -> Array: ...
    def crba(self, q: ArrayLike) -> Array: ...
    def inverse_mass(self, q: ArrayLike) -> Array: ...
    def bias(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def gravity_efforts(self, q: ArrayLike) -> Array: ...
    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def rnea_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> list[Array]: ...
    def aba_derivatives(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> list[Array]: ...
    def body_poses(self, q: ArrayLike) -> tuple[Array, Array]: ...
    def body_rotations(self, q: ArrayLike) -> Array: ...
    def body_velocities(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def frame_pose(self, q: ArrayLike, link: int) -> tuple[Array, Array]: ...
    def frame_velocity(self, q: ArrayLike, v: ArrayLike, link: int, axes: str) -> Array: ...
    def frame_acceleration(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, link: int, axes: str, classical: bool
    ) -> Array: ...
    def frame_jacobian(self, q: ArrayLike, link: int, axes: str) -> Array: ...
    def body_jacobian(self, q: ArrayLike, body: int) -> Array: ...
    def body_jacobian_rate(self, q: ArrayLike, v: ArrayLike, body: int) -> Array: ...
    def point_jacobian(self, q: ArrayLike, body: int, point: ArrayLike) -> Array: ...
    def point_jacobian_rate(self, q: ArrayLike, v: ArrayLike, body: int, point: ArrayLike) -> Array: ...
    def centroidal(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, Array, Array, Array]: ...
    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[float, float]: ...
    def integrate(self, q: ArrayLike, v: ArrayLike, h: float) -> Array: ...
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array: ...
    def normalized(self, q: ArrayLike) -> Array: ...
    def passive_efforts(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def held(self, q: ArrayLike) -> list[str]: ...
    def sensors_not_offered(self) -> dict[int, str]: ...
    def rays_first(
        self, q: ArrayLike, origin: ArrayLike, directions: list[list[float]], limit: float, exclude: list[int]
    ) -> list[_Hit | None]: ...
    def ray_all(
        self, q: ArrayLike, origin: ArrayLike, direction_: list[float], limit: float, exclude: list[int]
    ) -> list[_Hit]: ...
    def without(self, contacts: bool, limits: bool, clamping: bool) -> World: ...
    def adjusted(
        self,
        shaped: Sequence[int],
        shapes: ArrayLike,
        softness: ArrayLike | None = None,
        groups: Sequence[tuple[int, int]] | None = None,
        ranges: ArrayLike | None = None,
        controls: ArrayLike | None = None,
        moments: ArrayLike | None = None,
        coefficients: ArrayLike | None = None,
        held: Sequence[int] = (),
        poses: ArrayLike | None = None,
    ) -> World: ...
    def switched(self, holds: list[bool]) -> World: ...
    def surface(self, a: int, b: int) -> tuple[list[float], float, float, float, str, str, bool]: ...
    def geometry_distance(
        self, q: ArrayLike, a: int, b: int, limit: float
    ) -> tuple[float, list[float], list[float], list[float]] | None: ...
    def geometry_poses_at(self, q: ArrayLike) -> tuple[Array, Array]: ...
    def inverse_kinematics(
        self,
        q: ArrayLike,
        targets: Sequence[tuple[int, ArrayLike | None, ArrayLike | None]],
        posture: ArrayLike | None,
        position_tolerance: float,
        rotation_tolerance: float,
        iterations: int,
        restarts: int,
        seed: int,
    ) -> tuple[Array, dict[str, Any]]: ...

class Locomotion:
    def __init__(self, world: World, trunk: str, feet: list[str], home: ArrayLike, params: str) -> None: ...
    @staticmethod
    def defaults() -> str: ...
    @property
    def dofs(self) -> list[int]: ...
    def standing(self, t: float) -> list[bool]: ...
    def torques(
        self, t: float, state: tuple[ArrayLike, ArrayLike], command: list[float], ground: Any
    ) -> Array: ...

class Simulation:
    def __new__(cls, world: World, settings: str, solver: object | None = None) -> Self: ...
    def step(self, control: ArrayLike | None = None, steps: int = 1) -> StepReport:
        """Advances by ``steps`` time steps, fewer if one fails, and says how the last went. Ctrl-C ends it between two.

        ``control`` is one number for each actuator, kept from step to step. What was applied before, such as
        :meth:`apply_efforts`, acts in all of these steps and is gone afterwards.
        """

    def advance(self, control: ArrayLike | None = None, steps: int = 1) -> StepReport:
        """The same, but a step that fails raises StepFailed."""

    @property
    def q(self) -> Array:
        """Coordinates (nq); can be written."""

    @property
    def v(self) -> Array:
        """Velocities (nv); can be written."""

    @property
    def control(self) -> Array:
        """Controls (nu), kept from step to step; can be written."""

    time: float
    """Time [s]."""

    @property
    def dt(self) -> float:
        """Time step [s]."""

    @property
    def contact(self) -> str:
        """Name of the contact solver."""

    def apply_efforts(self, efforts: ArrayLike) -> None:
        """Adds generalized forces (nv) [N or N·m], for all steps of the next call of ``step``, ``advance`` or ``run``."""

    @property
    def natural_map(self) -> float:
        """The judge's natural map of the last step [m/s]: zero if and only if the exact law holds."""

    @property
    def own_natural_map(self) -> float:
        """The natural map of the last step by the solver's own law [m/s]."""

    @property
    def efforts(self) -> Array:
        """The effort of every actuator during the last step (nu) [N or N·m]."""

    @property
    def acceleration(self) -> Array:
        """Mean v̇ of the last step (nv)."""

    @property
    def problem(self) -> ContactProblem:
        """The contact problem of the last step, without what slept."""

    @property
    def impulses(self) -> Array:
        """The impulses of the last step, in the rows of its problem [N·s]."""

    def replay(self) -> str:
        """A page that plays the recording without a network."""

    def stop_recording(self) -> None:
        """Forgets the recording."""

    @property
    def _world(self) -> World: ...
    def _go_on(self, control: ArrayLike | None, steps: int, keep: bool) -> StepReport: ...
    def _drop_forces(self) -> None: ...
    def _set_state(self, t: float, q: ArrayLike, v: ArrayLike) -> None: ...
    def _apply_force(self, body: int, point: ArrayLike, force: ArrayLike) -> None: ...
    def _apply_moment(self, body: int, moment: ArrayLike) -> None: ...
    def _ilqr(
        self,
        controls: tuple[ArrayLike, int],
        states: tuple[ArrayLike, ArrayLike, ArrayLike],
        control: tuple[ArrayLike, ArrayLike],
        bounds: tuple[ArrayLike, ArrayLike],
        costs: tuple[Any, Any],
        settings: tuple[str, str],
        tell: Any,
    ) -> tuple[Array, Array, Array, Array, list[float], str]: ...
    def _linearize(self, parameters: str, smoothing: float) -> tuple[Array, Array, Array, Array, Array, Array, Array, str]: ...
    def _rollout_vjp(
        self, controls: ArrayLike, gradients: ArrayLike, every: int, parameters: str
    ) -> tuple[Array, Array, Array, str]: ...
    def _snapshot(self) -> bytes: ...
    def _restore(self, snapshot: bytes) -> None: ...
    def _correct_contacts(self, correction: object | None) -> None: ...
    def _contact_records(self, open: bool) -> bytearray: ...
    def _go_on_in(self, world: World, settings: str | None = None) -> None: ...
    def _set_efforts(self, efforts: ArrayLike) -> None: ...
    def _efforts_now(self) -> Array: ...
    def _forward(self) -> tuple[Array, bytearray, Array]: ...
    @property
    def _stepped(self) -> bool: ...
    def _certificate(self) -> dict[str, Any]: ...
    def _energy(self) -> tuple[float, float]: ...
    def _body_poses(self) -> tuple[Array, Array]: ...
    def _body_velocities(self) -> Array: ...
    def _geometry_poses(self) -> tuple[Array, Array]: ...
    def _link_state(self, link: int) -> tuple[Array, Array, Array]: ...
    def _sensors(self, indices: Sequence[int]) -> list[Array]: ...
    def _constraint_efforts(self) -> Array: ...
    @property
    def _q_before(self) -> Array | None: ...
    def _picture(
        self,
        width: int,
        height: int,
        field_of_view: float,
        eye: Sequence[float] | None = None,
        target: Sequence[float] | None = None,
        axes: Sequence[Sequence[float]] | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int32]]: ...
    def _open_page(self, host: str, port: int) -> LivePage: ...
    def _show(self) -> None: ...
    def _is_recording(self) -> bool: ...
    def _start_recording(self, frames_per_second: float, trajectory: bool) -> None: ...
    def _write_recording(self, path: str | os.PathLike[str]) -> None: ...
    def _write_trajectory(self, path: str | os.PathLike[str]) -> None: ...
    def _trajectory(self) -> dict[str, Any]: ...
    def _trajectory_about(self) -> str: ...
    def _trajectory_table(self, contacts: bool) -> dict[str, Any]: ...

class FrameView:
    def __new__(cls, world: World, memory: FrameView | None = None) -> Self: ...
    @property
    def values(self) -> Array: ...
    @property
    def roots(self) -> list[int]: ...
    def place(self, kind: str, i: int, position: ArrayLike, turn: ArrayLike) -> None: ...
    @property
    def moved(self) -> Array: ...
    @property
    def external(self) -> Array: ...
    def external_forces(self, simulation: Simulation, applied: ArrayLike) -> None: ...
    @property
    def motions(self) -> Array: ...
    def motions_of(self, simulation: Simulation, acceleration: ArrayLike, gravity: ArrayLike) -> None: ...
    def set_masses(self, masses: ArrayLike) -> None: ...
    def layout(self) -> list[tuple[str, int, int]]: ...
    def refresh(self, simulation: Simulation, again: bool = False) -> bool: ...

class LivePage:
    @property
    def url(self) -> str: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...

class Batch:
    def __new__(cls, world: World, n: int, settings: str) -> Self: ...
    def step(
        self, control: ArrayLike | None = None, steps: int = 1, strict: bool = False
    ) -> tuple[int, BaseException | None]: ...
    def __len__(self) -> int: ...
    @property
    def control(self) -> Array:
        """Controls (n, nu) of the next step, kept from step to step; can be written."""

    @property
    def dt(self) -> float:
        """Time step [s]."""

    def apply_efforts(self, efforts: ArrayLike) -> None:
        """Adds generalized forces (n, nv), for the next step only."""

    def apply_wrench(self, body: int, wrenches: ArrayLike) -> None: ...
    def failures(self) -> list[tuple[int, str]]:
        """Environments whose last step failed, and why."""

    def state(self, i: int) -> tuple[Array, Array]:
        """A copy of q and v of one environment."""

    @property
    def _q(self) -> Array: ...
    @property
    def _v(self) -> Array: ...
    @property
    def _world(self) -> World: ...
    def _pace(self) -> tuple[int, str | None]: ...
    def _set_states(self, ids: Sequence[int], q: ArrayLike, v: ArrayLike) -> None: ...
    def _set_parameters(self, ids: Sequence[int], values: Mapping[str, Array]) -> None: ...
    def _parameters(self, names: Sequence[str]) -> dict[str, Array]: ...
    def _reports(self) -> dict[str, Any]: ...
    def _link_states(self, link: int) -> Array: ...
    def _sensors(self, indices: Sequence[int], t: ArrayLike) -> Array: ...
    def _sensors_not_batched(self) -> list[tuple[int, str]]: ...

class ContactProblem:
    """A contact problem: find λ with c = (G + R) λ + g and K ∋ λ ⟂ c + Γ(c) ∈ K* for every block.

    ``cones`` has a row (kind, number, number) for each block: ("friction", μ, 0) with rows (t₁, t₂, n), ("free", 0, 0),
    ("non-negative", 0, 0), ("box", lower, upper), and ("spinning" or "rolling", μ, 0) with 4 or 6 rows. ``compliance`` is
    the diagonal of R.
    """

    def __new__(
        cls,
        G: ArrayLike,
        g: ArrayLike,
        cones: Sequence[tuple[str, float, float]],
        compliance: ArrayLike | None,
        time_step: float,
        name: str,
    ) -> Self: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> ContactProblem:
        """A problem file: our JSON, FCLIB, Siconos or ContactBench."""

    @staticmethod
    def read(bytes: bytes, file: str) -> ContactProblem:
        """The content of one, called ``file`` in messages."""

    def save(self, path: str | os.PathLike[str], impulses: ArrayLike | None = None) -> None:
        """Writes a problem file of the format that the name ends in; the impulses are kept as its answer."""

    def to_json(self) -> str:
        """The text of our own format."""

    def __len__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def rows(self) -> int:
        """Length of λ."""

    @property
    def time_step(self) -> float:
        """h [s]: turns impulses into forces."""

    @property
    def G(self) -> Array:
        """Delassus matrix (rows, rows) [1/kg]."""

    @property
    def g(self) -> Array:
        """Constraint velocity without impulses (rows) [m/s]."""

    @property
    def compliance(self) -> Array:
        """Diagonal of R (rows) [1/kg]."""

    @property
    def cones(self) -> list[tuple[str, float, float]]:
        """The set of every block."""

    @property
    def row_start(self) -> list[int]:
        """First row of every block, and after them the number of rows."""

    @property
    def reference(self) -> Array | None:
        """An answer that came with its file [N·s]."""

    def velocities(self, impulses: ArrayLike) -> Array:
        """c = (G + R) λ + g [m/s]."""

    def certify(self, impulses: ArrayLike) -> dict[str, Any]:
        """What the judge says by the exact law; see :func:`stiction.certify`."""

    def natural_map(self, impulses: ArrayLike, law: str) -> float:
        """The natural map of impulses by a law [m/s]."""

    def solve(
        self, solver: object, told: str, start: ArrayLike | None, iterates: bool
    ) -> tuple[Array, str, int, float, tuple[str, str], Array | None]:
        """See :func:`stiction.solve`."""

def solvers() -> list[tuple[str, str, str, str, list[tuple[str, str, str, str, str]]]]: ...
def steppers() -> list[tuple[str, str, str, str]]: ...

def parameter_names(world: World) -> list[str]: ...
def identify_parameters(
    world: World,
    files: Sequence[os.PathLike[str]],
    tables: Sequence[Sequence[tuple[str, Sequence[float]]]],
    parameters: Sequence[tuple[str, float, float]],
    from_data: bool,
    settings: str,
) -> str: ...
def propagate_belief(
    world: World,
    deviations: tuple[Sequence[float], Sequence[float]],
    impulse_deviation: float,
    residual: ContactResidual | None,
    how: tuple[int, int, float, float, int],
) -> str: ...
def dice(
    data: os.PathLike[str],
    train: str,
    test: str,
    models: Sequence[str],
    members_and_seed: tuple[int, int],
    out: os.PathLike[str] | None,
) -> str: ...
def shuffled(n: int, seed: int) -> list[int]: ...

class ContactResidual:
    @staticmethod
    def fit(rows: Sequence[float], impulses: Sequence[float], approach: float, seed: int) -> ContactResidual: ...
    @staticmethod
    def of(text: str) -> ContactResidual: ...
    def text(self) -> str: ...
    def correct(self, rows: Sequence[float]) -> list[float]: ...

class CmaEs:
    """Covariance matrix adaptation evolution strategy: the points of a generation are asked for, and their values told."""

    def __init__(self, start: Sequence[float], sigma: float, population: int, seed: int) -> None: ...
    def ask(self) -> list[list[float]]: ...
    def tell(self, values: Sequence[float]) -> None: ...
    @property
    def mean(self) -> list[float]: ...
    @property
    def best(self) -> tuple[list[float], float]: ...
    @property
    def sigma(self) -> float: ...
