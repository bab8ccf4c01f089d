"""Robot simulation with contacts you can trust: exact frictional contact, certified at every step.

>>> import stiction
>>> simulation = stiction.Simulation(stiction.load("quadruped"))
>>> report = simulation.run(1.0)
>>> simulation.certificate.natural_map < 1e-6  # m/s; zero: the exact contact law
True
"""

import sys as _sys

from . import dynamics, laboratory, learn
from ._batch import STATUS, Batch, BatchReports, LinkStates
from ._linearization import Linearization, Parameter, RolloutGradient
from ._model import Model, Scene, builtin_models, builtin_scenes, load, loads
from ._recording import Recording
from ._sealed import UnknownAttribute
from ._contacts import CONTACT, CORRECTABLE
from ._simulation import (
    Certificate,
    Energy,
    LinkState,
    Picture,
    Simulation,
    Snapshot,
    State,
)
from ._stiction import ContactProblem, Error, InternalError, StepFailed, StepReport, __version__
from ._tables import (
    Actuator,
    Body,
    Camera,
    Coupling,
    Geometry,
    Joint,
    Keyframe,
    LedgerEntry,
    Link,
    Loop,
    Sensor,
    Site,
    Surface,
    Table,
    Tendon,
    UnknownName,
)
from ._told import DoubtfulFile, NotSimulated, UnknownWord
from ._viewer import Viewer
from .laboratory import certify, compare, friction_problem, solve, solvers, steppers

__all__ = [
    "CONTACT",
    "CORRECTABLE",
    "STATUS",
    "Actuator",
    "Batch",
    "BatchReports",
    "Body",
    "Camera",
    "Certificate",
    "ContactProblem",
    "Coupling",
    "DoubtfulFile",
    "Energy",
    "Error",
    "Geometry",
    "InternalError",
    "Joint",
    "Keyframe",
    "LedgerEntry",
    "Linearization",
    "Link",
    "LinkState",
    "LinkStates",
    "Loop",
    "Model",
    "NotSimulated",
    "Parameter",
    "Picture",
    "Recording",
    "RolloutGradient",
    "Scene",
    "Sensor",
    "Simulation",
    "Site",
    "Snapshot",
    "State",
    "StepFailed",
    "StepReport",
    "Surface",
    "Table",
    "Tendon",
    "UnknownAttribute",
    "UnknownName",
    "UnknownWord",
    "Viewer",
    "__version__",
    "builtin_models",
    "builtin_scenes",
    "certify",
    "compare",
    "dynamics",
    "friction_problem",
    "laboratory",
    "learn",
    "load",
    "loads",
    "solve",
    "solvers",
    "steppers",
]

if hasattr(_sys.modules.get("gymnasium"), "make"):
    # ``import gymnasium, stiction`` registers the environments.
    from . import gym as gym
