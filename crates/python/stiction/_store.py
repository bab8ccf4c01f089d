"""What outlives faults: files that are whole or not there, and digests of whatever Python holds."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import secrets
import stat
import types
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from ._stiction import Error

#: Version of manifests, as in Rust.
VERSION = 1

#: Begins the words for contents.
CONTENTS = "sha256:"

#: Objects within objects beyond which something is taken for a mistake.
DEEPEST = 200


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a whole file: ``path`` holds what it held before, or all of ``content``.

    The draft lies beside it until the disk has it, and is removed on an error. An `OSError` names the file.
    """
    place = Path(os.path.realpath(path))
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(place.stat().st_mode):
            place.write_bytes(content)
            return
    draft = place.with_name(f".{place.name[:60]}.{secrets.token_hex(6)}.part")
    try:
        with open(draft, "xb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        if place.exists():
            os.chmod(draft, stat.S_IMODE(place.stat().st_mode))
        os.replace(draft, place)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


def read(path: Path) -> bytes:
    """The bytes of a regular file."""
    # Looked at before it is opened: a pipe waits for its writer, and a device has no end.
    if not stat.S_ISREG(path.stat().st_mode):
        raise Error(f"{path}: not a regular file")
    return path.read_bytes()


def digest(value: Any) -> str:
    """SHA-256 of a value by its contents: numbers and arrays by their bytes, functions by name and source, other objects
    by what pickle would keep of them. What has no such contents is refused."""
    out = hashlib.sha256()
    _put(out.update, value, [])
    return CONTENTS + out.hexdigest()


def manifest(path: Path, kind: str, key: Mapping[str, Any]) -> str:
    """Writes what a folder holds results of, or refuses one that holds others; the digest of the key."""
    wanted = {"kind": kind, "key": dict(key), "store": VERSION}
    sum = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, (json.dumps({**wanted, "digest": sum}, indent=2) + "\n").encode())
        return sum
    there = read_manifest(path)
    if there["digest"] == sum:
        return sum
    names = [name for name in sorted({*there["key"], *key}) if there["key"].get(name) != key.get(name)]
    told = "; ".join(_differs(name, there["key"].get(name), key.get(name)) for name in names) or f"`{there['kind']}` there, `{kind}` now"
    raise Error(f"{path.parent} holds results of another sweep: {told}; choose another folder, or remove it")


def read_manifest(path: Path) -> dict[str, Any]:
    """What a folder says that it holds."""
    remedy = "choose another folder, or remove this one"
    try:
        there = json.loads(read(path))
        digest = there.pop("digest")
        fine = there["store"] == VERSION and isinstance(there["key"], dict)
    except FileNotFoundError:
        raise Error(f"{path}: it is gone, and with it what the folder holds results of; {remedy}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Error(f"{path}: it does not say what the folder holds results of ({error}); {remedy}") from None
    if not fine or hashlib.sha256(json.dumps(there, sort_keys=True).encode()).hexdigest() != digest:
        raise Error(f"{path}: damaged, or of another version; {remedy}")
    return {**there, "digest": digest}


def _differs(name: str, there: Any, now: Any) -> str:
    if all(isinstance(value, str) and value.startswith(CONTENTS) for value in (there, now)):
        return f"{name}: other contents"
    return f"{name}: {there!s:.80} there, {now!s:.80} now"


Put = Callable[[bytes], object]


def _put(put: Put, value: Any, within: list[int]) -> None:
    """Every kind has a letter and says its length, so that no two values have the same bytes."""

    def piece(letter: bytes, content: bytes) -> None:
        put(letter + str(len(content)).encode() + b":")
        put(content)

    def inner(values: Any) -> None:
        for v in values:
            _put(put, v, [*within, id(value)])

    kind = type(value)
    if id(value) in within and kind not in (int, float, str, bytes, bool, type(None)):
        piece(b"^", str(within.index(id(value))).encode())
        return
    if len(within) > DEEPEST:
        raise Error(f"a point holds objects within objects, more than {DEEPEST}; pass what is needed of them")
    if value is None or value is Ellipsis:
        piece(b"N", repr(value).encode())
    elif kind is bool or kind is int:
        piece(b"i" if kind is int else b"b", repr(value).encode())
    elif kind is float or kind is np.float64:
        piece(b"f", np.float64(value).tobytes())
    elif kind is complex:
        piece(b"c", np.complex128(value).tobytes())
    elif kind is str:
        piece(b"s", value.encode("utf-8", "surrogatepass"))
    elif kind in (bytes, bytearray):
        piece(b"y", bytes(value))
    elif kind in (list, tuple):
        piece(b"l" if kind is list else b"t", str(len(value)).encode())
        inner(value)
    elif kind is dict:
        piece(b"d", str(len(value)).encode())
        inner(item for pair in sorted(value.items(), key=lambda pair: digest(pair[0])) for item in pair)
    elif kind in (set, frozenset):
        piece(b"e" if kind is set else b"E", "".join(sorted(digest(item) for item in value)).encode())
    elif kind is np.ndarray:
        piece(b"a", f"{value.dtype.descr}{value.shape}".encode())
        if value.dtype.hasobject:
            inner(value.ravel().tolist())
        else:
            piece(b"y", np.ascontiguousarray(value).tobytes())
    elif isinstance(value, np.generic) and not value.dtype.hasobject:
        piece(b"g", f"{value.dtype.descr}".encode())
        piece(b"y", value.tobytes())
    elif isinstance(value, PurePath):
        piece(b"p", os.fspath(value).encode("utf-8", "surrogateescape"))
    elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
        piece(b"q", name_of(value).encode())
        bound = getattr(value, "__self__", None)
        if bound is not None and not isinstance(bound, types.ModuleType):
            inner([bound])
    elif isinstance(value, types.FunctionType):
        piece(b"F", name_of(value).encode())
        cells = [cell.cell_contents for cell in value.__closure__ or () if not _empty(cell)]
        inner([_source(value), value.__defaults__, value.__kwdefaults__, cells])
    elif isinstance(value, types.MethodType):
        piece(b"M", b"")
        inner([value.__func__, value.__self__])
    elif isinstance(value, types.CodeType):
        piece(b"C", value.co_code)
        inner([value.co_consts, value.co_names])
    else:
        piece(b"o", name_of(kind).encode())
        inner(_parts(value))


def _empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def _source(function: types.FunctionType) -> Any:
    """The text of a function, and where the text is not its own, as that of a lambda, its code."""
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        return function.__code__
    return [text, function.__code__] if function.__name__ == "<lambda>" else text


def _parts(value: Any) -> list[Any]:
    """What pickle would keep of an object."""
    try:
        parts = value.__reduce_ex__(4)
    except Exception as error:
        raise Error(
            f"a `{name_of(type(value))}` cannot be told from another one ({error}); pass numbers, texts, arrays or what "
            "can be pickled"
        ) from None
    if isinstance(parts, str):
        return [parts]
    return [list(part) if i in (3, 4) and part is not None else part for i, part in enumerate(parts)]


def name_of(value: Any) -> str:
    """Where something is defined, and what it is called there."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return f"{getattr(value, '__module__', None) or type(value).__module__}.{name}"
