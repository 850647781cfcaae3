"""Records of a package: all of its dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import walk_packages


def records(package: str) -> Iterator[type]:
    """Dataclasses that the modules of a package define."""
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.name:
                yield value


def changeable(package: str) -> list[str]:
    """Dataclasses among them whose fields can be assigned."""
    return [
        f"{record.__module__}.{record.__name__}"
        for record in records(package)
        if not record.__dataclass_params__.frozen  # type: ignore[attr-defined]
    ]
