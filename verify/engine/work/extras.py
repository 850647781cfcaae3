"""Packages that only some commands need, and the extra of `pyproject.toml` that installs each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

from verify.engine.work.messages import message

EXTRAS: Mapping[str, str] = {
    "torch": "networks",
    "sklearn": "networks",
    "matplotlib": "figures",
    "seaborn": "figures",
    "pygraphviz": "report",
    "PIL": "report",
    "PEPit": "pep",
    "cvxpy": "pep",
    "distributed": "dask",
    "submitit": "slurm",
    "marimo": "notebooks",
    "tensorboard": "tensorboard",
}
"""The extra that installs each package, by the name under which it is imported."""


def remedy(error: ImportError) -> str | None:
    """Advice for a package that is not installed; None if no extra installs it."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(package)
    if extra is None or find_spec(package) is not None:
        return None
    return f"this command needs the package {package}; install it by: pip install 'fcl-theory[{extra}]'"


@cache
def gradients() -> bool:
    """Whether searches can use gradients, which needs PyTorch; prints a note once if they cannot."""
    if find_spec("torch") is not None:
        return True
    message(
        "verify: searches go without gradients, as PyTorch is not installed; "
        "install it by: pip install 'fcl-theory[networks]'"
    )
    return False
