"""Objects that take no attribute which they do not have: a misspelt name is refused, with the nearest that there is."""

from __future__ import annotations

import difflib
import functools
from typing import Any, TypeVar

from ._stiction import Error

Class = TypeVar("Class", bound="type[Any]")


class UnknownAttribute(Error, AttributeError):
    """An attribute that an object does not have was set; the message names the nearest that it has."""


def take_known(self: Any, name: str, value: Any) -> None:
    """Sets an attribute that the object has; of other names those with an underscore, and all while it is made."""
    known = name.startswith("_") or name in self.__dict__ or not self.__dict__.get("_sealed", False)
    if not (known or hasattr(type(self), name)):
        offered = sorted(n for n in dir(self) if not n.startswith("_"))
        near = difflib.get_close_matches(name, offered, n=1)
        guess = f"; did you mean `{near[0]}`?" if near else f"; there are: {', '.join(offered)}"
        raise UnknownAttribute(f"a `{type(self).__name__}` has no attribute `{name}`{guess}")
    object.__setattr__(self, name, value)


def seal(made: Any, of: type[Any]) -> None:
    """From now on an object of the class ``of`` itself takes known attributes alone; a class that a user derives is theirs."""
    if type(made) is of:
        made.__dict__["_sealed"] = True


def sealed(cls: Class) -> Class:
    """A class whose instances take known attributes alone once they are made."""
    begin = cls.__init__

    @functools.wraps(begin)
    def init(self: Any, *args: Any, **keywords: Any) -> None:
        begin(self, *args, **keywords)
        seal(self, cls)

    cls.__init__ = init
    cls.__setattr__ = take_known  # type: ignore[assignment]
    return cls
