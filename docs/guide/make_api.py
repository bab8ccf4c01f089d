"""Writes the page of the Python API, docs/guide/src/api.md, from the docstrings of the installed package.

`python docs/guide/make_api.py` writes it; the tests of the package compare it.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import stiction
import stiction.autodiff
import stiction.control

PAGE = Path(__file__).parent / "src" / "api.md"
MODULES = [stiction, stiction.autodiff, stiction.control, stiction.dynamics, stiction.laboratory, stiction.learn]


def public(module: Any) -> list[str]:
    """Names that a module offers, in the order of the alphabet."""
    named = getattr(module, "__all__", None)
    if named is None:
        named = [n for n, x in vars(module).items() if getattr(x, "__module__", None) == module.__name__]
    return sorted(n for n in named if not n.startswith("_"))


def signature(name: str, thing: Any) -> str:
    """The name with its parameters, without types, which the stubs state."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return name
    bare = [p.replace(annotation=p.empty) for p in parameters if p.name not in ("self", "cls")]
    if any(" at 0x" in str(p) for p in bare):
        bare = [p.replace(default=p.empty) for p in bare]
    return f"{name}{inspect.Signature(bare)}"


def told(thing: Any) -> str:
    """The docstring; a data class that has none of its own, and what inherits, say nothing."""
    own = vars(thing).get("__doc__") if isinstance(thing, type) else getattr(thing, "__doc__", None)
    text = inspect.cleandoc(own or "")
    return "" if isinstance(thing, type) and text.startswith(f"{thing.__name__}(") else text


def entry(name: str, thing: Any) -> list[str]:
    """A section of one class or function."""
    lines = [f"### `{signature(name, thing)}`", "", told(thing), ""]
    if not isinstance(thing, type):
        return lines
    for member, value in sorted(vars(thing).items()):
        if member.startswith("_"):
            continue
        if isinstance(value, property):
            lines.append(f"- `{member}`: {first(value)}")
        elif callable(value) or isinstance(value, (classmethod, staticmethod)):
            lines.append(f"- `{signature(member, getattr(thing, member))}`: {first(getattr(thing, member))}")
        elif inspect.isdatadescriptor(value):
            lines.append(f"- `{member}`: {first(value)}")
    return [*lines, ""]


def first(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(inspect.cleandoc(getattr(thing, "__doc__", None) or "").split("\n\n")[0].split())


def page() -> str:
    """The whole page."""
    lines = ["# Python API", "", "Made from the docstrings; `python docs/guide/make_api.py` writes it again.", ""]
    seen: set[int] = set()
    for module in MODULES:
        lines += [f"## `{module.__name__}`", "", inspect.cleandoc(module.__doc__ or "").split("\n\n")[0], ""]
        for name in public(module):
            thing = getattr(module, name)
            if id(thing) not in seen and (inspect.isclass(thing) or inspect.isroutine(thing)):
                seen.add(id(thing))
                lines += entry(name, thing)
    text = "\n".join(line.rstrip() for line in lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
