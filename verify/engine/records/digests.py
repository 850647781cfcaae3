"""Digests of a claim: of its question, and of the code that computes the quantities of its scenes.

*asked* covers data: the relation, the conditions, the premises, the checks and their arguments. *computed* covers data and
code: the scene, and every definition of the toolkit that its functions reach, each by its syntax tree
(`verify.engine.records.definitions`). So a digest changes with an algorithm that the scene runs and not with other algorithms, and
with a formula that the scene uses and not with other formulas of the same file. Descriptions (fields with the metadata
`bounds.statement.WORDS`) do not count.
"""

from __future__ import annotations

import dis
import functools
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from importlib import import_module
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import sympy as sp

from bounds.symbols import assumptions_of
from verify.engine.model.claim import Claim
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.instance import sides
from verify.engine.model.scene import Scene, quantities
from verify.engine.records.definitions import class_digest, digest_of, function_digest

OURS = ("bounds", "nqm", "algorithms", "verify")
"""Packages whose code enters digests; for other packages only names do."""
ENGINE = "verify.engine."
_PLAIN_DATA = (ENGINE, "bounds.statement")
"""Modules whose classes are data: only their contents count."""
KERNEL = (quantities, sides, symbolic_values)
"""The code that evaluates the quantities of any scene and both sides of any relation."""
_PLAIN = (bool, int, float, complex, str, bytes, Fraction, range)
_LATER = ("LOAD_ATTR", "LOAD_METHOD")


def digest_of_question(claim: Claim) -> str:
    """Digest of the question of a claim and the arguments of its checks; scenes and code do not count."""
    return _digest_and_code(claim)[0]


def computed(claim: Claim) -> str:
    """Digest of the scenes of a claim, and of all code that computes their quantities."""
    roots = [claim.scene, *_digest_and_code(claim)[1]]
    return digest_of(_computed(KERNEL), *sorted({_computed((root,)) for root in roots if root is not None}))


def digests_of_relations(claim: Claim) -> tuple[str, list[str]]:
    """Digests of the relation of a claim, and of each of its premises, to find the statements that supply premises."""
    return _Asked().value(claim.statement.relation), [_Asked().value(premise) for premise in claim.premises]


def _digest_and_code(claim: Claim) -> tuple[str, list[Any]]:
    """Digest of the question, and the scenes and functions of papers that occur in it."""
    reader = _Asked()
    parts = (
        *(claim.statement.relation, claim.conditions, claim.premises, claim.baseline, claim.facts),
        *(claim.induction, claim.through, claim.means, claim.checks),
    )
    used = (claim.lemmas,) if claim.lemmas else ()
    return digest_of(*map(reader.value, (*parts, *used))), reader.roots


@cache
def _computed(roots: tuple[Any, ...]) -> str:
    """Digest of values, and of all definitions that they reach."""
    reader = _Computed()
    values = [reader.value(root) for root in roots]
    return digest_of(
        *values, *sorted(_definition(place, one)[0] for place, one in reader.reachable_definitions().items())
    )


class _Reader:
    """Digests of values by their contents, not by their identity."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def value(self, one: Any) -> str:
        """Digest of a value."""
        if one is None or isinstance(one, _PLAIN):
            return f"{type(one).__name__} {one!r}"
        if isinstance(one, sp.Basic):
            return _expression(one)
        if id(one) in self._open:  # a definition that contains itself
            return digest_of("itself")
        self._open.add(id(one))
        try:
            return digest_of(*self._parts(one))
        finally:
            self._open.discard(id(one))

    def _parts(self, one: Any) -> Iterator[str]:
        if isinstance(one, Mapping):
            yield "mapping"
            yield from sorted(digest_of(self.value(key), self.value(value)) for key, value in one.items())
        elif isinstance(one, AbstractSet):
            yield "set"
            yield from sorted(map(self.value, one))
        elif isinstance(one, np.ndarray):
            yield from (str(one.shape), *map(self.value, one.ravel().tolist()))
        elif isinstance(one, Sequence):
            yield from ("sequence", *map(self.value, one))
        elif isinstance(one, type):
            yield self._class(one)
        elif isinstance(one, functools.partial):
            yield from map(self.value, ("partial", one.func, one.args, one.keywords))
        elif isinstance(one, MethodType):
            yield from (self.value(one.__self__), self.value(one.__func__))
        elif hasattr(one, "__wrapped__"):
            yield self.value(one.__wrapped__)
        elif isinstance(one, FunctionType):
            yield self._function(one)
        elif isinstance(one, Enum):
            yield from (_name(type(one)), one.name)
        elif type(one).__module__.split(".")[0] in OURS:
            yield self._class(type(one))
            yield from (digest_of(name, self.value(value)) for name, value in _contents(one))
        else:
            yield _foreign(one)

    def _class(self, one: type) -> str:
        return digest_of("class", _name(one))

    def _function(self, one: FunctionType) -> str:
        """Digest of a function: its name, the values that it closes over, and its defaults."""
        return digest_of("function", _name(one), *self._inside(one))

    def _inside(self, one: FunctionType) -> Iterator[str]:
        cells = [cell.cell_contents for cell in one.__closure__ or () if not _empty(cell)]
        yield from map(self.value, (*cells, one.__defaults__, one.__kwdefaults__))


class _Asked(_Reader):
    """Reads a question, and collects its scenes and functions of papers, which belong to *computed*."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Any] = []

    def value(self, one: Any) -> str:
        if isinstance(one, Scene):
            self.roots.append(one)
            return digest_of("scene")
        return super().value(one)

    def _function(self, one: FunctionType) -> str:
        if not one.__module__.startswith(ENGINE):
            self.roots.append(one)
            return digest_of("function")
        return super()._function(one)


class _Computed(_Reader):
    """Reads values, and gathers the definitions that they reach."""

    def __init__(self) -> None:
        super().__init__()
        self.codes: dict[Any, Any] = {}

    def value(self, one: Any) -> str:
        """Digest of a value; scenes and facts, which many claims share, are read once."""
        if not is_dataclass(one) or isinstance(one, type):
            return super().value(one)
        if id(one) not in _READ:
            reader = _Computed()
            _READ[id(one)] = one, digest_of("itself"), {}  # while it is being read
            _READ[id(one)] = one, _Reader.value(reader, one), reader.codes
        _, digest, codes = _READ[id(one)]
        self.codes |= codes
        return digest

    def _class(self, one: type) -> str:
        if _is_ours(one) and not one.__module__.startswith(_PLAIN_DATA):
            self.codes.setdefault(one, one)
        return super()._class(one)

    def _function(self, one: FunctionType) -> str:
        if _is_ours(one):
            self.codes.setdefault(_place(one), one)
            return digest_of("function", function_digest(one.__code__), *self._inside(one))
        return digest_of("function", _name(one))

    def reachable_definitions(self) -> Mapping[Any, Any]:
        """All definitions that the values read so far reach, directly or through others."""
        found: dict[Any, Any] = {}
        waiting = dict(self.codes)
        while waiting:
            place, one = waiting.popitem()
            found[place] = one
            waiting |= {key: value for key, value in _definition(place, one)[1].items() if key not in found}
        return found


_READ: dict[int, tuple[Any, str, Mapping[Any, Any]]] = {}
_DEFINITIONS: dict[Any, tuple[str, Mapping[Any, Any]]] = {}


def _definition(place: Any, one: Any) -> tuple[str, Mapping[Any, Any]]:
    """Digest of one definition with the values that it reads from its module, and the definitions that these lead to."""
    if place not in _DEFINITIONS:
        reader = _Computed()
        if isinstance(one, type):
            texts = list(_of_class(one, reader))
        else:
            code = one.__code__
            texts = [function_digest(code), *_globals_of(code, one.__globals__, reader)]
        _DEFINITIONS[place] = digest_of(_name(one), *texts), reader.codes
    return _DEFINITIONS[place]


def _place(one: FunctionType) -> tuple[str, CodeType]:
    """The place of a definition: identical texts in two files are two definitions."""
    return one.__code__.co_filename, one.__code__


def _of_class(one: type, reader: _Computed) -> Iterator[str]:
    """Digests of the text of a class, of its base classes, and of the values that its functions read."""
    file = getattr(sys.modules.get(one.__module__), "__file__", None) or ""
    yield class_digest(one, file)
    yield from (reader.value(base) for base in one.__bases__)
    for name, held in vars(one).items():
        for function in _functions_in(held):
            if function.__code__.co_filename == file:
                yield from (name, *_globals_of(function.__code__, function.__globals__, reader))


def _functions_in(held: Any) -> Iterator[FunctionType]:
    if isinstance(held, property):
        yield from (f for f in (held.fget, held.fset) if isinstance(f, FunctionType))
    elif isinstance(held, staticmethod | classmethod):
        yield from _functions_in(held.__func__)
    elif isinstance(held, cached_property):
        yield from _functions_in(held.func)
    elif isinstance(held, FunctionType):
        yield held
    elif isinstance(getattr(held, "__wrapped__", None), FunctionType):
        yield held.__wrapped__


def _globals_of(code: CodeType, space: Mapping[str, Any], reader: _Computed) -> Iterator[str]:
    """Digests of the values that a function and its inner functions read from their module, or import."""
    for chain in sorted(set(_names_read(code))):
        yield from _chain_digests(chain, space, reader)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _globals_of(inner, space, reader)


def _names_read(code: CodeType) -> Iterator[tuple[str, ...]]:
    """Names that code reads from its module, each with the attributes that follow: ``("nqm", "fields", "sq")``.

    Names that the code itself imports begin with "import".
    """
    chain: tuple[str, ...] = ()
    module = ""
    for step in dis.get_instructions(code):
        if chain and step.opname in _LATER:
            chain = (*chain, str(step.argval))
            continue
        if chain:
            yield chain
        chain = (str(step.argval),) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") else ()
        if step.opname == "IMPORT_NAME":
            module = str(step.argval)
            yield ("import", module)
        elif step.opname == "IMPORT_FROM":
            yield ("import", module, str(step.argval))
    if chain:
        yield chain


def _chain_digests(chain: tuple[str, ...], space: Mapping[str, Any], reader: _Computed) -> Iterator[str]:
    """Digest of the value of a chain of names, up to the last name that is not an attribute of a value."""
    first, *later = chain
    if first == "import":
        if later[0].split(".")[0] not in OURS or len(later) == 1:
            yield digest_of(*chain)
            return
        one: Any = import_module(later[0])
        later = later[1:]
    elif first in space:
        one = space[first]
    else:
        yield digest_of("builtin", first)
        return
    while later and isinstance(one, ModuleType) and _is_ours(one):
        one = getattr(one, later.pop(0), None)
    if isinstance(one, ModuleType):
        yield digest_of("module", one.__name__, *later)
    elif isinstance(one, FunctionType) and _is_ours(one) and not one.__closure__:
        reader.codes.setdefault(_place(one), one)
        yield digest_of("function", one.__qualname__)
    else:
        yield reader.value(one)


def _contents(one: Any) -> Iterator[tuple[str, Any]]:
    """Contents of an object of one of the toolkit's classes."""
    if is_dataclass(one):
        for field in fields(one):
            held = getattr(one, field.name)
            if field.metadata.get("arguments"):  # a search: only the data that it is given counts
                held = getattr(held, "args", held)
            if not field.metadata.get("words"):
                yield field.name, held
    elif hasattr(one, "__dict__"):
        yield from sorted(vars(one).items())
    else:  # a class with slots
        names = {name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())}
        yield from ((name, getattr(one, name, None)) for name in sorted(names))


@cache
def _expression(one: sp.Basic) -> str:
    """Digest of an expression: its head, its symbols with their domains, its parts in their order."""
    if isinstance(one, sp.Symbol):
        said = sorted((name, str(value)) for name, value in assumptions_of(one).items())
        return digest_of("symbol", one.name, repr(said))
    if not one.args:
        return digest_of(type(one).__name__, str(one))
    parts = [_expression(part) if isinstance(part, sp.Basic) else digest_of(str(part)) for part in one.args]
    return digest_of(type(one).__name__, *parts)


def _foreign(one: Any) -> str:
    """Digest of a value of a library: of its printed form, without its memory address."""
    kind = f"{type(one).__module__}.{type(one).__qualname__}"
    return digest_of(kind, re.sub(r" at 0x\w+", "", str(getattr(one, "__name__", None) or repr(one))))


def _name(one: Any) -> str:
    return f"{one.__module__}.{one.__qualname__}"


def _is_ours(one: Any) -> bool:
    """Whether a definition, or a module, is the toolkit's own."""
    name = one.__name__ if isinstance(one, ModuleType) else one.__module__
    return str(name).split(".")[0] in OURS


def _empty(cell: Any) -> bool:
    try:
        return cell.cell_contents is None
    except ValueError:
        return True


__all__ = ["computed", "digest_of_question", "digests_of_relations"]
