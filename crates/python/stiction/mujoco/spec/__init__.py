"""``MjSpec``: models put together in code. Elements are objects whose fields a table lists; a compiled spec is an MJCF text that is read.

| module | what |
|---|---|
| ``words`` | the table: fields of every kind of element, their defaults, and their attributes in MJCF |
| ``fields`` | what a field may hold, and how it is set |
| ``element`` | what all elements have: fields, a name, a class of defaults |
| ``tree`` | bodies, frames, and what stands in them |
| ``parts``, ``actuators`` | what elements of some kinds do: classes of defaults, tendons, sensors, actuators |
| ``shapes`` | meshes that are made by their names |
| ``spec`` | the spec itself |
| ``parse``, ``values``, ``reader``, ``lists`` | MJCF in: elements, attributes, bodies, all else |
| ``writer``, ``sections``, ``written`` | MJCF out: elements, what depends on their types, text |
| ``poses`` | orientations, and frames in frames |
| ``attach`` | a spec in another |
| ``checks`` | what does not compile, in MuJoCo's words |
| ``compiled`` | models, and the elements that they were made of |
"""

from .parts import CLASSES
from .spec import MjSpec

globals().update(CLASSES)

#: Names of the classes.
NAMES = ("MjSpec", *CLASSES)

__all__ = ["CLASSES", "NAMES", "MjSpec"]
