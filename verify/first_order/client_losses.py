"""The losses of clients that are arbitrary members of a class, for `verify.run`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from verify.engine.model.scene import Box
from verify.first_order.classes import Class
from verify.first_order.forms import number

ANY = "any"
"""Used instead of numbers of clients for a claim about every number of clients."""
Heterogeneity = Literal["optimum", "gradients", "none"]


@dataclass(frozen=True)
class Losses:
    """The losses of clients: arbitrary members of a class.

    Attributes
    ----------
    of : callable
        Returns the class for given constants, such as `smooth_strongly_convex` for L and mu.
    clients : sequence of int, or "any"
        Numbers of clients.
    heterogeneity : "optimum", "gradients" or "none"
        Meaning of `zeta2`. "optimum": the mean squared gradient of the clients at the optimum. "gradients": a bound on the
        mean squared distance of the clients' gradients from their mean, at the models of the server and the optimum. "none":
        all clients have a common minimiser, and `zeta2` is 0.
    noisy : bool
        Whether gradients have noise with a variance of at most `sigma2`.
    constants : mapping
        Numbers or ranges for the constants of the class.
    """

    of: Callable[..., Class]
    clients: Sequence[int] | Literal["any"]
    heterogeneity: Heterogeneity
    noisy: bool
    constants: Mapping[str, Any] = field(default_factory=dict)

    @property
    def convex(self) -> bool:
        """Whether all losses are convex, so that a stationary point of the mean loss is a minimiser."""
        curvature = self.widest.curvature
        return curvature is not None and bool(curvature[0] >= 0)

    @property
    def widest(self) -> Class:
        """The class with the largest L and the smallest mu of the ranges."""
        ends = {n: x.ends if isinstance(x, Box) else (number(x),) * 2 for n, x in self.constants.items()}
        return self.of(**{name: low if name == "mu" else high for name, (low, high) in ends.items()})


def losses(
    of: Callable[..., Class],
    clients: Sequence[int] | Literal["any"] = (1, 2),
    heterogeneity: Heterogeneity = "optimum",
    *,
    noisy: bool = False,
    **constants: Any,
) -> Losses:
    """Losses of clients that are arbitrary members of a class, for `verify.run`.

    Parameters
    ----------
    of : callable
        `smooth`, `smooth_convex`, `smooth_strongly_convex` or, for methods of subgradients, `lipschitz_convex`.
    clients : sequence of int, or "any"
        Numbers M of clients at which a claim is judged. "any": the claim is about every number of clients, and all clients
        take part in every round.
    heterogeneity : {"optimum", "gradients", "none"}
        Meaning of `zeta2`. "optimum": the mean squared gradient at the optimum. "gradients": a bound on the mean squared
        distance of the clients' gradients from their mean, at the optimum and at the models of the server. "none": all
        clients have a common minimiser, and `zeta2` is 0.
    noisy : bool
        Whether gradients have independent noise with mean 0 and a variance of at most `sigma2` for each client and step.
    **constants
        L (default 1) and mu, or G: numbers, or a `Box` for a parameter.

    Raises
    ------
    ValueError
        If the functions of the class are not smooth, a constant is unknown, or the numbers of clients are wrong.
    """
    known = inspect.signature(of).parameters
    constants = {**{name: 1 for name in ("L", "G") if name in known}, **constants}
    if constants.keys() - known.keys():
        raise ValueError(
            f"constants of {of.__name__} must be among {', '.join(known)}, got {', '.join(sorted(constants.keys() - known.keys()))}; remove or rename it"
        )
    if clients != ANY and not (clients and all(isinstance(m, int) and m > 0 for m in clients)):
        raise ValueError(
            f'`clients` must be whole numbers > 0 or "any", got {clients!r}; write for instance (1, 2)'
        )
    if heterogeneity not in get_args(Heterogeneity):
        raise ValueError(
            f"`heterogeneity` must be one of {', '.join(get_args(Heterogeneity))}, got {heterogeneity!r}; choose one of them"
        )
    found = Losses(of, clients, heterogeneity, noisy, constants)
    if not found.widest.valued or found.widest.curvature is None:
        raise ValueError(
            f"`of` must be a class of functions with curvatures, got {of.__name__}; use smooth_convex"
        )
    if heterogeneity == "none" and not found.convex:
        raise ValueError(
            f'`of` must be a class of convex functions if `heterogeneity` is "none", got {of.__name__}; use smooth_convex'
        )
    if clients == ANY and noisy:
        raise ValueError(
            '`clients` must be numbers if gradients are noisy, got "any"; use for instance (1, 2)'
        )
    return found
