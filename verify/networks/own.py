"""The user's own methods, networks, data sets and streams, from a file or registered by a script, also in worker processes.

A file may define `METHODS`, `DATA`, `MODELS` and `STREAMS`, each a dictionary by name (docs/networks.md). Results are stored
with a digest of the file and of the modules that it imports, so a changed method is trained again.
"""

from __future__ import annotations

import hashlib
import inspect
import site
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from verify.engine.records.files import fingerprint
from verify.engine.work.errors import UsageError
from verify.networks import methods
from verify.networks.data import catalogue, deals
from verify.networks.data.loaders import by_name
from verify.networks.training import models

REGISTRIES: Mapping[str, tuple[dict[str, Any], Mapping[str, Any]]] = {
    "METHODS": (methods.METHODS, methods.BUILT_IN),
    "MODELS": (models.MODELS, models.BUILT_IN),
    "LOADERS": (by_name.LOADERS, by_name.BUILT_IN),
    "RECIPES": (catalogue.RECIPES, catalogue.BUILT_IN),
    "DEALS": (deals.DEALS, deals.BUILT_IN),
}
"""Name of a registry -> its current entries, and the entries of the toolkit."""

NAMES = ("METHODS", "DATA", "MODELS", "STREAMS")
"""Names that a user's file may define."""

_TOOLKIT = Path(__file__).resolve().parents[2]
_INSTALLED = tuple(
    Path(place).resolve()
    for place in {*sysconfig.get_paths().values(), *site.getsitepackages(), site.getusersitepackages()}
    if place != sysconfig.get_paths()["scripts"]
)


@dataclass(frozen=True)
class Own:
    """The user's own additions to the toolkit, in the form in which they are sent to workers.

    Attributes
    ----------
    files : tuple of str
        Files that workers run themselves.
    entries : tuple of (registry, name, entry)
        Entries registered by a script, which are sent by value.
    source : str
        Digest of the source of all of them; empty without any.
    """

    files: tuple[str, ...] = ()
    entries: tuple[tuple[str, str, Any], ...] = ()
    source: str = ""


_SENT: list[str] = []
"""In a worker process: the digest that was sent with the user's additions."""


def registered(files: tuple[Path, ...] = ()) -> Own:
    """Run some files, and return all additions of the user.

    Raises
    ------
    UsageError
        If a file is missing, fails, or defines none of `NAMES`.
    """
    by_script = _own_entries()
    for file in files:
        _run(file.resolve())
    for registry, name, _ in _own_entries():
        if name in REGISTRIES[registry][1]:
            print(f"networks: your {name} replaces that of the toolkit", file=sys.stderr, flush=True)
    return Own(tuple(str(file.resolve()) for file in files), by_script, source())


def install(own: Own) -> None:
    """Register the entries of `own` in this process; does nothing if they are already registered."""
    for registry, name, entry in own.entries:
        REGISTRIES[registry][0].setdefault(name, entry)
        if REGISTRIES[registry][0][name] is REGISTRIES[registry][1].get(name):
            REGISTRIES[registry][0][name] = entry
    for file in own.files:
        _run(Path(file))
    _SENT[:] = [own.source]


def versions(*used: str) -> dict[str, str]:
    """Versions of everything that the result of a run depends on, with the source of the user's additions.

    Parameters
    ----------
    used : str
        Names of the method, network, stream and deal of the run; without names, all additions count.
    """
    found = dict(fingerprint("algorithms", "nqm", "verify/networks"))
    names = {name for _, name, _ in _own_entries()}
    if not names or (used and not names & set(used)):
        return found
    return {**found, "own": _SENT[0] if _SENT else source()}


def source() -> str:
    """Digest of the source of all additions: their files, and all imported modules outside of installed packages."""
    entries = _own_entries()
    if not entries:
        return ""
    found = hashlib.sha256()
    functions = [function for _, _, entry in entries for function in _functions(entry)]
    for path in sorted({*_modules(), *filter(None, map(_file_of, functions))}):
        found.update(str(path.name).encode() + path.read_bytes())
    for registry, name, entry in sorted(entries, key=lambda one: one[:2]):
        numbers = (getattr(entry, "numbers", None), getattr(entry, "fixed", None))
        found.update(repr((registry, name, [dict(part) for part in numbers if part])).encode())
    for function in functions:
        if _file_of(function) is None:
            found.update(b"".join(_code(function)))
    return found.hexdigest()[:16]


# ------------------------------------------------------------------------------------------------- registries


def _own_entries() -> tuple[tuple[str, str, Any], ...]:
    return tuple(
        (registry, name, entry)
        for registry, (known, built_in) in REGISTRIES.items()
        for name, entry in known.items()
        if built_in.get(name) is not entry
    )


@lru_cache
def _run(file: Path) -> None:
    """Run a file once in this process, and register what it defines."""
    module = _module_of(file)
    tables = {name: getattr(module, name, {}) for name in NAMES}
    before = len(_own_entries())
    for name, table in tables.items():
        if not isinstance(table, dict) or not all(isinstance(key, str) for key in table):
            raise UsageError(f"`{name}` of {file} must be a dictionary by name, got {type(table).__name__}.")
    # A file may import METHODS of the toolkit and add entries to it; then only the added entries are its own.
    for name, entry in _new(tables["METHODS"], methods.METHODS):
        methods.METHODS[name] = methods.as_method(name, entry)
    for name, entry in _new(tables["MODELS"], models.MODELS):
        if not callable(entry):
            raise UsageError(
                f"`MODELS` of {file} must hold functions (image, n_classes) -> network, got {entry!r} for {name}."
            )
        models.MODELS[name] = entry
    for name, entry in _new(tables["DATA"], by_name.LOADERS):
        by_name.LOADERS[name] = by_name.as_loader(name, entry)
        catalogue.RECIPES.setdefault(name, catalogue.Recipe((name,)))
    for name, entry in _new(tables["STREAMS"], catalogue.RECIPES):
        catalogue.RECIPES[name] = catalogue.as_recipe(name, entry)
    if len(_own_entries()) == before and not any(tables.values()):
        raise UsageError(
            f"{file} must define at least one of {', '.join(NAMES)}, each a dictionary, got none."
        )


def _new(table: Mapping[str, Any], known: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, entry) for name, entry in table.items() if known.get(name) is not entry]


def _module_of(file: Path) -> ModuleType:
    if not file.is_file():
        raise UsageError(f"`--with` must name a Python file, got {file}, which does not exist.")
    name = f"_own_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"`--with` must name a Python file, as in mine.py, got {file}.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    if (
        str(file.parent) not in sys.path
    ):  # as for `python mine.py`, so that the file can import its neighbours
        sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        line = next((frame.lineno for frame in _frames(error) if frame.filename == str(file)), 0)
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{file}, line {line}: {type(error).__name__}: {reason}") from error
    return module


def located(error: Exception) -> Exception:
    """An error of the user's own code as a UsageError with its file and line; every other error, and ValueError, as it is."""
    frames = traceback.extract_tb(error.__traceback__)
    own = next((frame for frame in reversed(frames) if _is_own(frame.filename)), None)
    if own is None or isinstance(error, ValueError | MemoryError):
        return error
    reason = str(error).partition("\n")[0]
    return UsageError(f"{own.filename}, line {own.lineno}: {type(error).__name__}: {reason}")


def _frames(error: BaseException) -> list[Any]:
    if isinstance(error, SyntaxError):
        return [error]
    return list(reversed(traceback.extract_tb(error.__traceback__)))


# ----------------------------------------------------------------------------------------------------- source


def _modules() -> Iterator[Path]:
    """Files of all modules of this process that belong neither to the toolkit nor to an installation."""
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        path = _path_elsewhere(name) if isinstance(name, str) and name.endswith(".py") else None
        if path is not None and path.is_file():
            yield path


@cache
def _path_elsewhere(name: str) -> Path | None:
    """The path of a file, unless it belongs to the toolkit or to an installation; remembered, as every run asks it of
    thousands of modules.
    """
    path = Path(name).resolve()
    return None if _ours(path) or any(path.is_relative_to(place) for place in _INSTALLED) else path


def _is_own(file: str) -> bool:
    """Whether a file belongs neither to the toolkit nor to an installation."""
    path = _path_elsewhere(file)
    return path is not None and path.is_file()


def _ours(path: Path) -> bool:
    parts = ("bounds", "nqm", "algorithms", "verify", "figures")
    return any(path.is_relative_to(_TOOLKIT / part) for part in parts)


def _functions(entry: Any) -> Iterator[Callable[..., Any]]:
    """Functions and classes that an entry of a registry consists of."""
    for part in (entry, *(getattr(entry, name, None) for name in ("make", "read", "tasks", "order"))):
        if inspect.isfunction(part) or inspect.isclass(part) or inspect.ismethod(part):
            yield part


def _file_of(function: Callable[..., Any]) -> Path | None:
    """The file that defines a function; None for functions of the toolkit or without a file."""
    try:
        path = Path(inspect.getfile(function)).resolve()
    except (OSError, TypeError):
        return None
    return path if path.is_file() and not _ours(path) else None


def _compiled(code: CodeType) -> Iterator[bytes]:
    """Yield instructions, names and constants of compiled code, including nested functions."""
    yield code.co_code
    yield repr((code.co_names, code.co_varnames)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _compiled(constant)
        else:
            yield repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant).encode()


def _code(function: Any) -> Iterator[bytes]:
    """Yield the compiled code of a function without a source file, and of the functions that it refers to."""
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        yield from _compiled(code)
        for cell in function.__closure__ or ():
            yield from _code(cell.cell_contents)
    elif inspect.isclass(function):
        for part in vars(function).values():
            yield from _code(part)
    elif not callable(function):
        yield repr(function).encode()
