"""Quadratic worlds from a short description or a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from bounds.checked_values import numbers, require_single
from nqm.noise import Rademacher
from nqm.quadratic import AnyQuadratic, DiagonalQuadratic, Quadratic
from verify.engine.records.files import read_json
from verify.engine.work.errors import UsageError

LARGEST = 512
"""Largest dimension; the covariances of a whole run must fit into memory."""


@dataclass(frozen=True)
class Description:
    """A random quadratic world. The loss of client m in task i is (x - c)'H(x - c)/2, with H and c drawn for each (m, i).

    Attributes
    ----------
    dim, clients, tasks : int
    mu, L : float
        Ends of the spectrum. The eigenvalues include both ends; the others are drawn log-uniformly between them.
    heterogeneity : float
        Standard deviation of a client's minimiser around that of its task.
    drift : float
        Standard deviation of a task's minimiser around the origin.
    noise : float
        sigma. The noise of a stochastic gradient has norm sigma and independent random signs.
    turned : int
        0: all Hessians are diagonal. 1: the Hessian of each client has random eigenvectors.
    seed : int
    """

    dim: int = 10
    clients: int = 8
    tasks: int = 3
    mu: float = 0.1
    L: float = 1.0
    heterogeneity: float = 0.5
    drift: float = 1.0
    noise: float = 0.5
    turned: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        require_single("a world", numbers("a world", asdict(self)), "one world has one number")
        for name, least in {"dim": 1, "clients": 1, "tasks": 1, "turned": 0, "seed": 0}.items():
            value = getattr(self, name)
            if value != int(value) or value < least:
                raise UsageError(f"`{name}` must be a whole number >= {least}, got {value}")
        if self.dim > LARGEST:
            raise UsageError(
                f"`dim` must be at most {LARGEST}, got {self.dim}: exact moments keep a dim x dim matrix per round"
            )
        if not 0 <= self.mu <= self.L or self.L <= 0:
            raise UsageError(f"the spectrum needs 0 <= mu <= L and L > 0, got mu = {self.mu}, L = {self.L}")
        for name in ("heterogeneity", "drift", "noise"):
            if getattr(self, name) < 0:
                raise UsageError(f"`{name}` must be >= 0, got {getattr(self, name)}")

    def world(self) -> AnyQuadratic:
        """The world. Equal descriptions give equal worlds."""
        rng = np.random.default_rng(int(self.seed))
        shape = (self.tasks, self.clients, self.dim)
        low = max(self.mu, 1e-12 * self.L)
        spectrum = np.exp(rng.uniform(np.log(low), np.log(self.L), shape))
        spectrum[..., 0], spectrum[..., -1] = (self.mu, self.L) if self.dim > 1 else (self.L, self.L)
        of_tasks = self.drift * rng.normal(size=(self.tasks, 1, self.dim)) / np.sqrt(self.dim)
        centre = of_tasks + self.heterogeneity * rng.normal(size=shape) / np.sqrt(self.dim)
        if not self.turned:
            return DiagonalQuadratic(rng.permuted(spectrum, axis=-1), centre, Rademacher(self.noise))
        axes = np.linalg.qr(rng.normal(size=(self.tasks, self.clients, self.dim, self.dim)))[0]
        hessian = (axes * spectrum[..., None, :]) @ axes.swapaxes(-1, -2)
        return Quadratic((hessian + hessian.swapaxes(-1, -2)) / 2, centre, Rademacher(self.noise))

    def record(self) -> dict[str, Any]:
        return asdict(self)


def described(settings: Mapping[str, float]) -> Description:
    """A description from settings by name; raises `UsageError` for unknown names."""
    known = {one.name: one.type for one in fields(Description)}
    for name in settings:
        if name not in known:
            raise UsageError(f"`{name}` is no setting of a world; it has {', '.join(known)}")
    given = {name: int(v) if v == int(v) else v for name, v in numbers("a world", settings).items()}
    return Description(**given)


def world_in(path: Path) -> tuple[AnyQuadratic, dict[str, Any]]:
    """A world from a JSON file: settings of a `Description`, or arrays ``hessian`` and ``centre`` and a number ``noise``.

    ``centre`` has the shape (tasks, clients, d); ``hessian`` (tasks, clients, d, d), or (tasks, clients, d) for
    diagonal matrices.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise UsageError(f"{path} must hold a JSON object, got {type(content).__name__}")
    if "hessian" not in content:
        found = described(content)
        return found.world(), found.record()
    try:
        hessian, centre = (np.array(content[name], dtype=float) for name in ("hessian", "centre"))
        noise = Rademacher(float(content.get("noise", 0.0)))
        kind = Quadratic if hessian.ndim == 4 else DiagonalQuadratic
        return kind(hessian, centre, noise), {"file": str(path)}
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path}: `hessian`, `centre` and `noise` must describe quadratics: {error}"
        ) from error
