"""The user's own file of theorems: read, executed, and checked before anything is judged.

The file is executed statement by statement, so an error in one claim does not affect the others. Each error is reported in
one line with the file, the line or the statement, the rule and the value.
"""

from __future__ import annotations
import __future__ as features

import ast
import re
import sys
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from types import ModuleType
from typing import Any

from bounds.catalogue import papers, statement
from verify.engine.model.claim import Claim
from verify.engine.records.files import path_of
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import OutOfTime, at_most

SECONDS = 300.0
"""Limit in seconds for executing a file, unless another is given."""
NAME = 255
"""Limit on characters of a file name."""
DOCUMENTS = {".tex": "verify.latex.theorems", ".md": "verify.latex.theorems"}
"""Readers of documents by the ending of the file name; each has `theorems(path)`."""
LONGEST = 400
"""Limit on printed characters of an error."""


@dataclass(frozen=True)
class Theorems:
    """The contents of a user's own file: claims that can be judged, and one line for each error."""

    claims: tuple[Claim, ...]
    mistakes: tuple[str, ...]


@cache
def theorems_in(path: Path, seconds: float = SECONDS) -> Theorems:
    """Claims of a user's own file. A Python file is executed and must define `CLAIMS`; a document is parsed.

    Raises
    ------
    UsageError
        If the file cannot be read, takes too long, or has no valid claim; one line for each reason.
    """
    if path.suffix in DOCUMENTS:
        try:
            with at_most(seconds):
                claims, mistakes = import_module(DOCUMENTS[path.suffix]).theorems(path)
        except OutOfTime:
            raise UsageError(f"{path}: takes longer than {seconds:g} s; --timeout gives more") from None
        return _named_well(path, claims, mistakes)
    module, mistakes = _executed(path, seconds)
    found = getattr(module, "CLAIMS", None)
    if found is None:
        missing = f"{path} must define `CLAIMS`, a sequence of `verify.Claim` (or `notes.claims`)"
        raise UsageError("\n".join(mistakes or [missing]))
    if not isinstance(found, Iterable) or isinstance(found, str):
        raise UsageError(f"{path}: `CLAIMS` must be a sequence of `verify.Claim`, got {_value_text(found)}")
    stated = tuple(found)
    if not stated and not mistakes:
        raise UsageError(f"{path}: `CLAIMS` is empty, so there is nothing to judge")
    mistakes += [
        f"{path}: `CLAIMS[{place}]` must be a `verify.Claim`, got {_value_text(claim)}"
        for place, claim in enumerate(stated)
        if not isinstance(claim, Claim)
    ]
    return _named_well(path, [claim for claim in stated if isinstance(claim, Claim)], mistakes)


def _named_well(path: Path, claims: list[Claim], mistakes: list[str]) -> Theorems:
    """Claims with valid ids, and one line for each error.

    Raises
    ------
    UsageError
        If no claim is left.
    """
    ids = Counter(claim.statement.id for claim in claims)
    files = Counter(map(_file, ids))
    wrong = {claim.statement.id: said for claim in claims if (said := _misnamed(claim, ids, files, path))}
    mistakes += wrong.values()
    claims = [claim for claim in claims if claim.statement.id not in wrong]
    if not claims:
        raise UsageError("\n".join(mistakes))
    return Theorems(tuple(claims), tuple(mistakes))


def claim_in(path: Path, id: str, seconds: float = SECONDS) -> Claim:
    """The claim of a user's own file with this id.

    Raises
    ------
    UsageError
        If there is none.
    """
    claims = theorems_in(path, seconds).claims
    for claim in claims:
        if claim.statement.id == id:
            return claim
    known = ", ".join(claim.statement.id for claim in claims)
    raise UsageError(f"{path} has no statement {id!r}; it has {known}")


def error_line(error: BaseException) -> str:
    """An error as one line."""
    text = " ".join(str(error).split())
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return text if isinstance(error, UsageError) else f"{type(error).__name__}: {text}".rstrip(": ")


def place_of(path: Path, line: str) -> str:
    """The place "file, line"; the file alone if no line is known."""
    return f"{path}:{line}" if line else str(path)


def _file(id: str) -> str:
    """The file name of a statement's record, as on file systems that ignore case."""
    return path_of(Path(), id).name.casefold()


def _misnamed(claim: Claim, ids: Counter[str], files: Counter[str], path: Path) -> str:
    """The error in an id of a file, or in the ids that its claim names; empty if there is none."""
    id, place = claim.statement.id, place_of(path, claim.statement.source.lines)
    if id.partition(".")[0] in papers():
        return f"{place}: `id` must not begin like one of the catalogue, got {id!r}; take another key"
    if ids[id] > 1:
        return f"{place}: `id` must be unique, got {id!r} {ids[id]} times"
    if len(_file(id)) > NAME:
        return f"{place}: `id` must have at most {NAME - len('.json')} characters, got {len(id)}"
    if files[_file(id)] > 1:
        return f"{place}: `id` must differ from others by more than capitals and / for __, got {id!r}"
    named = (*claim.statement.uses, *claim.statement.assumes)
    unknown = [other for other in named if other not in ids and not _in_catalogue(other)]
    rule = "`uses` and `assumes` must name statements of the file or of the catalogue"
    return f"{place}: {id}: {rule}, got {', '.join(unknown)}" if unknown else ""


def _in_catalogue(id: str) -> bool:
    try:
        return id.partition(".")[0] in papers() and bool(statement(id))
    except KeyError:
        return False


def _executed(path: Path, seconds: float) -> tuple[ModuleType, list[str]]:
    """The module, and its errors. Errors that only follow from an earlier one are not reported."""
    tree = _parsed(path)
    module = ModuleType(f"theorem_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look up their module
    mistakes: list[str] = []
    lost: set[str] = set()
    line = 1
    try:
        with at_most(seconds):
            for part in tree.body:
                line = part.lineno
                try:
                    exec(_compiled(part, path, _future(tree)), vars(module))
                except (Exception, SystemExit) as error:
                    if not (isinstance(error, NameError) and {error.name, "*"} & lost):
                        mistakes.append(f"{_place(path, error, line)}: {error_line(error)}{_remedy(error)}")
                    lost |= _bound(part)
    except OutOfTime:
        raise UsageError(f"{path}:{line}: takes longer than {seconds:g} s; --timeout gives more") from None
    return module, mistakes


def _parsed(path: Path) -> ast.Module:
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    if path.suffix != ".py":
        raise UsageError(f"{path} is no theorem file; its name must end in .py, .tex or .md")
    try:
        return ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        text = (
            f": {error.text.strip()}{_advice_on_reserved_word(error.text)}"
            if error.text
            else "; a file is Python in UTF-8"
        )
        raise UsageError(f"{path}:{error.lineno or 1}: {error.msg}{text}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{path}:1: {error_line(error)}; a file is Python in UTF-8") from error


def _advice_on_reserved_word(line: str) -> str:
    """The remedy if a line assigns to a reserved word of Python, such as lambda."""
    names, sign, _ = line.partition("=")
    words = [word for word in re.split(r"\W+", names) if iskeyword(word)] if sign else []
    return f"; `{words[0]}` is a reserved word of Python, take another name" if words else ""


def _compiled(part: ast.stmt, path: Path, flags: int) -> Any:
    return compile(ast.Module([part], []), str(path), "exec", flags=flags, dont_inherit=True)


def _future(tree: ast.Module) -> int:
    """Compiler flags of the file's `__future__` imports."""
    imports = [part for part in tree.body if isinstance(part, ast.ImportFrom) and part.module == "__future__"]
    return sum(getattr(features, alias.name).compiler_flag for part in imports for alias in part.names)


def _bound(part: ast.stmt) -> set[str]:
    """Names that a statement would have bound; `*` if they are unknown."""
    found = set()
    for node in ast.walk(part):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found


def _place(path: Path, error: BaseException, line: int) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{path}:{next((frame.lineno for frame in reversed(frames) if frame.filename == str(path)), line)}"


REMEDIES = (
    (
        r"truth value of Relational",
        "claim `a < b < c` as notes.chain(id, (a, '<', b, '<', c)), write it as two relations in conditions, sp.Max(a, b) for "
        "max(a, b), and no `if`, `and`, `or`, `not` of relations",
    ),
    (
        r"loop of ufunc .* no callable (\w+) method",
        r"NumPy's functions take numbers only; write sp.\1 for symbols (import sympy as sp)",
    ),
    (
        r"Cannot convert expression to float",
        "functions of `math` take numbers only; write sp.sqrt, sp.exp or sp.log for symbols",
    ),
    (r"unsupported operand type\(s\) for \^", "write a power as a**2"),
    (
        r"'function' object has no attribute '(shapes|name)'",
        "call the family of losses, as in worlds.convex()",
    ),
    (r"run\(\) missing .* 'family'", "write run(method, worlds.convex())"),
    (r"claim\(\) missing .* 'relation'", "write notes.claim('name', relation, condition, ...)"),
    (r"'Symbol' object cannot be interpreted as an integer", "write a sum as sp.Sum(term, (i, 1, n))"),
    (r"did not evaluate to a bool", "write each bound of an interval as a condition: 0 <= a, a <= 1"),
    (
        r"'Notes' object has no attribute",
        "symbols are defined by notes.real, positive, nonnegative, count and index",
    ),
    (
        r"'Symbol' object has no attribute",
        "a symbol is a number: write abs(a), sp.sqrt(a), sp.exp(a); norms of vectors are read from LaTeX files",
    ),
    (r"^'list' object is not callable", "`notes.claims` is a list: write it without ()"),
)
"""Messages of Python, NumPy and SymPy for common beginners' mistakes, each with its remedy."""
MODULES = {"sp": "sympy", "np": "numpy", "sympy": "sympy", "math": "math"}
"""Modules by the names under which theorem files use them."""
PUBLIC = ("verify", "verify.quantities")
"""Modules from which theorem files import names."""


def _remedy(error: BaseException) -> str:
    """The remedy for an error whose message does not state it."""
    if isinstance(error, NameError) and error.name:
        return _missing_import(error.name)
    for pattern, advice in REMEDIES:
        if found := re.search(pattern, str(error)):
            return f"; {found.expand(advice)}"
    return ""


def _missing_import(name: str) -> str:
    """The import that an undefined name needs, or the ways to define a symbol."""
    if name in MODULES:
        return f"; write `import {MODULES[name]}" + ("`" if MODULES[name] == name else f" as {name}`")
    for home in PUBLIC:
        if hasattr(import_module(home), name):
            return f"; write `from {home} import {name}`"
    return f"; define it, as in {name} = notes.real({name!r}), or check its spelling"


def _value_text(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
