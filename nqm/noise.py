"""Gradient noise: additive, ``sigma * u``, where u has mean 0, covariance I/d and so E|u|^2 = 1.

`sigma` is the root of the whole variance, E|sigma*u|^2 = sigma^2, not of the variance per coordinate: it is
the sigma_L of the federated literature, whatever the dimension.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from nqm.arguments import of_one_kind, require_finite, require_nonnegative, set_parameters
from nqm.fields import Array, amax, power, to_exact
from nqm.known import Unbounded
from nqm.selection import select


@dataclass(frozen=True)
class Noise:
    """Additive noise ``sigma * u``; use `Gaussian`, `Rademacher`, `Sphere` or `Axis`.

    Parameters
    ----------
    sigma : float or (world..., K, M) array
        Root of E|noise|^2, >= 0; one number, or one for each task and client.
    """

    sigma: Array
    law: ClassVar[str]

    def __post_init__(self) -> None:
        set_parameters(self, of_one_kind({"sigma": self.sigma}))
        require_finite("sigma", self.sigma)
        require_nonnegative("sigma", self.sigma)
        if self.sigma.ndim == 1:
            shape = tuple(self.sigma.shape)
            raise ValueError(
                f"`sigma` must be one number or have axes (..., task, client), got shape {shape}."
            )

    def scale(self, task: int, clients: np.ndarray | None) -> Array:
        """sigma of the given clients, with an axis of length 1 for the coordinates."""
        return select(self.sigma, task, clients, 0)[..., None] if self.sigma.ndim else self.sigma

    @property
    def bound(self) -> Array:
        """Almost sure bound of |noise|, shaped as sigma: |u| = 1 for every law but the Gaussian."""
        return self.sigma


@dataclass(frozen=True)
class Gaussian(Noise):
    """u ~ N(0, I/d)."""

    law: ClassVar[str] = "gaussian"

    @property
    def bound(self) -> Array:
        """Almost sure bound of |noise|: none unless sigma is 0.

        Raises
        ------
        Unbounded
            If sigma is positive.
        """
        if bool((amax(self.sigma, tuple(range(self.sigma.ndim))) if self.sigma.ndim else self.sigma) > 0):
            raise Unbounded(
                "Gaussian noise has no almost sure bound, but this quantity needs one. Use `Rademacher`, "
                "`Sphere` or `Axis` noise, whose norm is sigma, with the same mean and covariance."
            )
        return self.sigma


@dataclass(frozen=True)
class Rademacher(Noise):
    """u = independent signs / sqrt(d)."""

    law: ClassVar[str] = "rademacher"


@dataclass(frozen=True)
class Sphere(Noise):
    """u uniform on the unit sphere."""

    law: ClassVar[str] = "sphere"


@dataclass(frozen=True)
class Axis(Noise):
    """u = one of the 2d signed unit vectors, equally likely: few outcomes, rational in every dimension."""

    law: ClassVar[str] = "axis"


def atoms(law: str, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes of u and their probabilities, for enumeration.

    Parameters
    ----------
    law : "rademacher", "axis", or, in one dimension, "sphere"
    dim : int

    Returns
    -------
    outcomes : (n_atoms, dim) object array of Fractions
    probabilities : (n_atoms,) object array of Fractions

    Raises
    ------
    ValueError
        If the law has infinitely many outcomes.
    Irrational
        For signs over sqrt(dim) if dim is no square; "axis" noise is rational in every dimension.
    """
    if law == "sphere" and dim == 1:
        law = "rademacher"  # the sphere of R^1 is {-1, 1}
    if law == "rademacher":
        signs = to_exact(list(itertools.product((-1, 1), repeat=dim)))
        outcomes = signs * power(Fraction(dim), Fraction(-1, 2))
    elif law == "axis":
        unit = to_exact(np.eye(dim))
        outcomes = np.concatenate([unit, -unit])
    else:
        raise ValueError(
            f"`law` must have finitely many outcomes to be enumerated, got {law!r} in dimension {dim}. Use "
            f"'rademacher' or 'axis', which have the same mean and covariance."
        )
    return outcomes, np.full(len(outcomes), Fraction(1, len(outcomes)), dtype=object)
