"""What loading warns of: each kind of note once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ._stiction import Error

if TYPE_CHECKING:
    from ._model import Model


class NotSimulated(UserWarning):
    """A file names something that would change the motion, and nothing simulates it."""


class UnknownWord(UserWarning):
    """A file holds a word that its format does not have, or not where it stands: probably a typing error."""


class DoubtfulFile(UserWarning):
    """Something in a file was read and looks wrong, or was taken otherwise than it may have been meant."""


#: What each word for ``warn`` warns of.
WARNINGS: dict[str, tuple[type[UserWarning], ...]] = {
    "all": (NotSimulated, UnknownWord, DoubtfulFile),
    "unknown": (UnknownWord,),
    "none": (),
}

_HEADS = {
    NotSimulated: "is simulated without what its file says here (model.not_simulated)",
    UnknownWord: "is simulated without words that its format does not have there (model.unknown)",
    DoubtfulFile: "looks wrong here (model.notes)",
}

_OF_TOPICS = {"not-simulated": NotSimulated, "unknown": UnknownWord}

#: Kinds of notes that a warning names; of each kind the first.
MOST_KINDS = 12


def checked(warn: str) -> str:
    """A word for what loading warns of."""
    if warn not in WARNINGS:
        raise Error(f"warn is {warn!r}; expected one of {', '.join(WARNINGS)}")
    return warn


def tell(model: Model, kinds: Sequence[type[UserWarning]], but: str | None = None) -> None:
    """Warns who called the caller of the caller, once for each of ``kinds``, of what is in notes; not of notes with ``but``."""
    notes = [(topic, note) for topic, note in model._world.warned() if but is None or but not in note]
    for kind in kinds:
        of_kind = model._words([note for topic, note in notes if _OF_TOPICS.get(topic, DoubtfulFile) is kind])
        if of_kind:
            text = "\n  ".join(folded(of_kind))
            warnings.warn(f"`{model.name}` {_HEADS[kind]}:\n  {text}", kind, stacklevel=4)


def folded(notes: Sequence[str]) -> list[str]:
    """Notes of which those that differ in places, names and numbers alone are one line."""
    kinds: dict[str, list[str]] = {}
    for note in notes:
        said = note.partition(": ")[2]
        kinds.setdefault(re.sub(r"`[^`]*`|[-+.\d]+(e[-+]?\d+)?", "…", said), []).append(note)
    lines = [same[0] if len(same) == 1 else f"{same[0]} (and {len(same) - 1} more like it)" for same in kinds.values()]
    return lines if len(lines) <= MOST_KINDS else [*lines[:MOST_KINDS], f"… and {len(lines) - MOST_KINDS} more kinds of notes"]
