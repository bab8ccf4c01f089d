"""A spec in another: elements change their home, and get names, classes and references with a prefix and a suffix."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _enums
from . import poses
from .words import OF_BODIES, OF_SPECS, REFERENCES, words

if TYPE_CHECKING:
    from .spec import MjSpec
    from .tree import MjsBody, MjsFrame, MjsSite

#: Kinds that come along where what they speak of comes.
_SPEAKING = ("tuple", "pair", "exclude", "tendon", "equality", "actuator", "sensor")
#: Options of which the smaller, or the larger, of two is right for both.
_LEAST = ("timestep", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "sleep_tolerance")
_MOST = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints")


def references(e: Any) -> Iterable[tuple[str, str]]:
    """Kind and name of what an element speaks of."""
    for name, kind in REFERENCES.get(e._kind, {}).items():
        value = e.__dict__[name]
        names = [value] if isinstance(value, str) else list(value)
        for i, word in enumerate(names):
            if not word:
                continue
            of = kind
            if kind[0] == ":":
                number = e.__dict__[kind[1:]]
                number = number[i] if not isinstance(number, int) else number
                of = words("mjtTrn" if kind == ":trntype" else "mjtObj").get(int(number), "")
            yield {"jointinparent": "joint", "cranksite": "site", "xbody": "body"}.get(of, of), word
    if e._kind == "tendon":
        for w in e._path:
            if w._name:
                yield "joint" if w._is("JOINT") else "site" if w._is("SITE") else "geom", w._name
            if w._side:
                yield "site", w._side


def _renamed(e: Any, rename: Callable[[str, str], str]) -> None:
    """Gives an element, and what it speaks of, other names."""
    if e._name:
        e._name = rename(e._kind, e._name)
    said = list(references(e))
    at = 0
    for name in REFERENCES.get(e._kind, {}):
        value = e.__dict__[name]
        if isinstance(value, str):
            if value:
                e.__dict__[name] = rename(*said[at])
                at += 1
        else:
            filled = []
            for word in value:
                filled.append(rename(*said[at]) if word else word)
                at += bool(word)
            value.fill(filled)
    if e._kind == "tendon":
        for w in e._path:
            if w._name:
                w._name, at = rename(*said[at]), at + 1
            if w._side:
                w._side, at = rename(*said[at]), at + 1


def frame_at(site: MjsSite) -> MjsFrame:
    """A new frame at the place of a site."""
    made: MjsFrame = site._body._add("frame", None, {"pos": site.pos, "quat": site.quat})
    made.alt._take(site.alt)
    made._frame = site._frame
    return made


def _ready(to: MjSpec, element: Any) -> tuple[MjSpec, Any, bool]:
    """The spec that an element comes from, and the element: copies, if the spec stays as it is or is the same."""
    child: MjSpec = element._owner
    own = child._top is to
    if not (to._deep or own):
        return child, element, False
    memo: dict[int, Any] = {}
    child = (child._top if own else child)._copied(memo)
    return child, memo[id(element)], own


def attach_body(parent: MjsBody, frame: Any, body: MjsBody, prefix: str, suffix: str) -> MjsBody:
    """Attaches a body of another spec."""
    to = parent._owner._top
    child, body, own = _ready(to, body)
    tree = {"body": [body, *body._below("body")], **{kind: list(body._below(kind)) for kind in (*OF_BODIES, "frame")}}
    finish = _adopt(to, child, tree, prefix, suffix, own)
    body._body, body._frame = parent, frame
    parent._children["body"].append(body)
    finish()
    return body


def attach_frame(parent: MjsBody, outer: Any, frame: MjsFrame, prefix: str, suffix: str) -> MjsFrame:
    """Attaches a frame of another spec, and what stands in it."""
    to = parent._owner._top
    child, frame, own = _ready(to, frame)
    of = frame._body

    def inside(e: Any) -> bool:
        at = e._frame
        while at is not None and at is not frame:
            at = at._frame
        return at is frame

    held = {kind: [e for e in of._children[kind] if inside(e)] for kind in ("body", "frame", *OF_BODIES)}
    held["frame"] = [frame, *held["frame"]]
    _move(to, child, held, parent, prefix, suffix, own)
    frame._frame = outer
    return frame


def attach_spec(to: MjSpec, child: MjSpec, parent: MjsBody, outer: Any, prefix: str | None, suffix: str | None) -> MjsFrame:
    """Attaches all that stands in the world of another spec; returns the frame that holds it."""
    if child.parent is not None and not to._deep:
        raise ValueError("Error: Child spec is already attached by reference; enable deep copy to attach a spec more than once.")
    for name in child.assets:
        if not to.override_assets and _asset_name(name, prefix, suffix) in to.assets:
            raise ValueError(f"Asset {name} already exists in parent spec.")
    original = child
    if to._deep or child is to:
        child = child._copied({})
    made: MjsFrame = parent._add("frame", None, {})
    made._frame = outer
    world = child.worldbody
    held = {kind: list(world._children[kind]) for kind in ("body", "frame", *OF_BODIES)}
    # A frame without a name of its own holds what stood in the world.
    try:
        _move(to, child, held, parent, prefix or "", suffix or "", original is to)
    except ValueError:
        parent._children["frame"].remove(made)
        raise
    for of in held.values():
        for e in of:
            if e._frame is None:
                e._frame = made
    for name, content in child.assets.items():
        to.assets[_asset_name(name, prefix, suffix)] = content
    if not to._deep:
        original.parent = to
    return made


def _asset_name(name: str, prefix: str | None, suffix: str | None) -> str:
    """The name of a file of a child, as MuJoCo makes it: without a prefix a slash stands in its place."""
    folder, _, last = name.rpartition("/")
    path = PurePosixPath(last)
    begin = "/" if prefix is None else prefix
    return (folder + "/" if folder else "") + begin + path.stem + (suffix or "") + path.suffix


def _move(to: MjSpec, child: MjSpec, held: dict[str, list[Any]], parent: MjsBody, prefix: str, suffix: str, own: bool) -> None:
    """Attaches elements of a body to another."""
    tree = {kind: list(of) for kind, of in held.items()}
    for body in held["body"]:
        for kind in ("body", *OF_BODIES, "frame"):
            tree[kind] += body._below(kind)
    finish = _adopt(to, child, tree, prefix, suffix, own)
    for kind, of in held.items():
        for e in of:
            e._body = parent
        parent._children[kind].extend(of)
    finish()


def _adopt(
    to: MjSpec, child: MjSpec, tree: dict[str, list[Any]], prefix: str, suffix: str, own: bool
) -> Callable[[], None]:
    """Takes elements and what speaks of them into a spec: checks first, so that nothing changes where it raises.

    Returns what is to be done when they stand in the tree: keyframes then have the numbers of all elements.
    """
    settle, warned = _conflicts(to, child)
    moved = [e for of in tree.values() for e in of]
    there = {(e._kind, e._name) for e in moved if e._name} | {("body", "world")}
    coming: list[Any] = []
    for kind in OF_SPECS:
        if kind == "key" or (own and kind not in _SPEAKING):
            continue
        for e in child._lists[kind]:
            if id(e) in child._gone or (kind in _SPEAKING and not all(said in there or _asset(said) for said in references(e))):
                continue
            coming.append(e)
            there.add((kind, e._name))

    def rename(kind: str, name: str) -> str:
        stays = (kind, name) in (("body", "world"), ("default", "main")) or (own and _asset((kind, name)))
        return name if stays else prefix + name + suffix

    for kind in {e._kind for e in (*moved, *coming)}:
        names = {e._name for e in to._all(kind) if e._name}
        for e in (*moved, *coming):
            if e._kind == kind and e._name and rename(kind, e._name) in names:
                raise ValueError(f"Error: repeated name '{rename(kind, e._name)}' in {kind}")
    keys = [(key, key_values(to, key)) for key in to._lists["key"]]
    theirs = [] if own else [(key, key_values(child, key)) for key in child._lists["key"]]
    settle()
    if not (prefix or own):
        warned.append("Attaching a spec with an empty prefix may prevent the model from being saved correctly.")
    to._warnings += warned
    classes = {id(d): d for d in child.default._below()} if own else _classes(to, child, prefix, suffix)
    for e in (*moved, *coming):
        _renamed(e, rename)
        e._owner = to
        if e._class is not None:
            e._class = to._class_like(e._class) if own else to.default if e._class._parent is None else classes.get(id(e._class), to.default)
    for e in coming:
        to._lists[e._kind].append(e)
        child._gone.add(id(e))
    for plugin in child._plugins:
        to._plugins.setdefault(plugin)

    def finish() -> None:
        for key, values in theirs:
            if values is not None:
                made = type(key)(to)
                made._name, made.time = rename("key", key._name) if key._name else "", key.time
                to._lists["key"].append(made)
                keys.append((made, values))
        for key, values in keys:
            if values is not None:
                _fill(to, key, values)
        to._changed(names=True)

    return finish


def _asset(said: tuple[str, str]) -> bool:
    return said[0] in ("material", "mesh", "texture", "hfield", "default", "plugin")


def _classes(to: MjSpec, child: MjSpec, prefix: str, suffix: str) -> dict[int, Any]:
    """Copies of the classes of a spec, below the main one of another."""
    out: dict[int, Any] = {}

    def copied(of: Any, above: Any) -> None:
        name = prefix + of.name + suffix
        known = to.find_default(name)
        if known is None:
            known = type(of)(to, name, above)
            above._children.append(known)
            for kind, element in of._elements.items():
                known._elements[kind]._take(element)
        out[id(of)] = known
        for below in of._children:
            copied(below, known)

    copied(child.default, to.default)
    return out


# -------------------------------------------------------------------- keyframes


def sizes_of(joint: Any) -> tuple[int, int]:
    """How many coordinates and velocities a joint has."""
    return {0: (7, 6), 1: (4, 3)}.get(int(joint.type), (1, 1))


def key_values(spec: MjSpec, key: Any) -> dict[tuple[str, int], list[float]] | None:
    """Numbers of a keyframe by the field and the element; None where there are not as many as the spec has."""
    values: dict[tuple[str, int], list[float]] = {}
    for field, of in parts(spec).items():
        numbers = list(key.__dict__[field])
        if not numbers:
            continue
        if len(numbers) != sum(n for _, n in of):
            return None
        at = 0
        for e, n in of:
            values[field, id(e)] = numbers[at : at + n]
            at += n
    return values


def _fill(spec: MjSpec, key: Any, values: dict[tuple[str, int], list[float]]) -> None:
    """Gives a keyframe the numbers of all elements; those that it says nothing of are as they are at the start."""
    said = {field for field, _ in values}
    for field, of in parts(spec).items():
        if field in said:
            key.__dict__[field].fill([x for e, n in of for x in values.get((field, id(e)), _start(e, field, n))])


def _start(e: Any, field: str, n: int) -> list[float]:
    if field == "mpos" or (field == "qpos" and n == 7):
        of = e if field == "mpos" else e._body
        return [*of.pos, *poses.orientation_of(of)][:n]
    if n == 4:
        return list(poses.orientation_of(e)) if field == "mquat" else [1.0, 0.0, 0.0, 0.0]
    if field == "qpos":
        degrees = e.compiler.degree and int(e.type) == _enums.mjtJoint["mjJNT_HINGE"]
        return [float(np.radians(e.ref)) if degrees else float(e.ref)]
    return [0.0] * n


def parts(spec: MjSpec) -> dict[str, list[tuple[Any, int]]]:
    """Elements whose numbers are in the fields of a keyframe, and how many each has."""
    joints = list(spec._all("joint"))
    mocap = [b for b in spec._all("body") if b.mocap]
    return {
        "qpos": [(j, sizes_of(j)[0]) for j in joints], "qvel": [(j, sizes_of(j)[1]) for j in joints],
        "ctrl": [(a, 1) for a in spec._lists["actuator"]], "mpos": [(b, 3) for b in mocap], "mquat": [(b, 4) for b in mocap],
    }


# -------------------------------------------------------------------- conflicts


def _said(value: Any) -> str:
    return " ".join(f"{float(x):.6g}" for x in np.ravel(value))


def _conflicts(to: MjSpec, child: MjSpec) -> tuple[Callable[[], None], list[str]]:
    """Options that differ, by the policy of the spec that takes: what settles them, and what is warned of. Raises where none does."""
    from .._options import MjOption

    policy = words("mjtConflict").get(int(to.compiler.conflict), "warning")
    usual, mine, theirs = MjOption(), to.option, child.option
    lines: list[str] = []
    errors: list[str] = []
    new: dict[str, Any] = {}
    for name in [*_LEAST, *_MOST, *(n for n in mine._told() if n not in (*_LEAST, *_MOST))]:
        a, b, default = getattr(mine, name), getattr(theirs, name), getattr(usual, name)
        if np.array_equal(b, default) or np.array_equal(a, b):
            continue
        if name in ("disableflags", "enableflags", "disableactuator"):
            added = int(b) & ~int(a)
            if policy == "merge" and added:
                new[name] = int(a) | added
                lines += [f"flag '{word}': added from child" for word in _flags(name, added)]
            continue
        is_default = np.array_equal(a, default)
        said = f"{name}: parent has {_said(a)}{' (default)' if is_default else ''}, child has {_said(b)}"
        if policy == "merge" and (is_default or name in _LEAST or name in _MOST):
            new[name] = copy.copy(b) if is_default else min(a, b) if name in _LEAST else max(a, b)
            way = "adopting child value" if is_default else f"taking the {'minimum' if name in _LEAST else 'maximum'}"
            lines.append(f"{said}, {way}")
        elif policy != "warning" and not is_default:
            errors.append(said)
        else:
            lines.append(f"{said}, keeping parent value")
    named = [of._called or of.modelname for of in (child, to)]
    said_of = [f"'{name}'" if name != "MuJoCo Model" else "" for name in named]
    about = f"when attaching {said_of[0]}" + (f" to {said_of[1]}" if said_of[1] else "") if said_of[0] else "on attach"
    head = f"Attach conflict {about}, policy is '{policy}'\n"
    if errors:
        raise ValueError("Error: " + head + "\n".join(errors))

    def settle() -> None:
        for name, value in new.items():
            setattr(mine, name, value)

    return settle, [head + "\n".join(lines)] if lines else []


def _flags(name: str, bits: int) -> list[str]:
    of, begin = {"disableflags": ("mjtDisableBit", "mjDSBL_"), "enableflags": ("mjtEnableBit", "mjENBL_")}.get(name, ("", ""))
    if not of:
        return [str(i) for i in range(31) if bits >> i & 1]
    return [m.removeprefix(begin).capitalize() for m, v in getattr(_enums, of).__members__.items() if m.startswith(begin) and bits & int(v)]
