"""A published rate: a method, and a claim small <= large at every listed size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from verify import Notes, worst_case
from verify.engine.model.claim import Claim
from verify.first_order import Form, Problem

SMALL, LARGE = sp.symbols("small large", real=True)


@dataclass(frozen=True)
class Rate:
    """A published rate.

    Attributes
    ----------
    run : callable
        ``run(problem, **numbers)`` gives the small and the large side of the claim.
    source : str
    ranges : mapping
        Sizes and numbers, in the form of `worst_case`.
    tight : bool
        Whether every smaller large side is false; otherwise only the true rate is judged.
    pepit : tuple
        Example of PEPit and its arguments, if there is one, to compare with PEPit's own number.
    """

    name: str
    run: Callable[..., tuple[Form, Form]]
    source: str
    ranges: Mapping[str, Any] = field(default_factory=dict)
    tight: bool = True
    pepit: tuple[str, Mapping[str, Any]] | None = None

    def claim(self, share: sp.Rational) -> Claim:
        """The claim that the small side is at most this multiple of the large side."""

        def method(problem: Problem, **numbers: Any) -> dict[str, Form]:
            small, large = self.run(problem, **numbers)
            return {"small": small, "large": large}

        method.__signature__ = _signature(self.run)  # type: ignore[attr-defined]
        method.__name__ = self.run.__name__
        scene = worst_case(method, **self.ranges)
        id = f"{self.run.__name__}/{share}".replace("/", "-of-") if share != 1 else self.run.__name__
        return Notes("pepit").claim(id, sp.Le(SMALL, share * LARGE, evaluate=False), scene=scene)


RATES: list[Rate] = []


def rate(
    name: str,
    source: str,
    pepit: tuple[str, Mapping[str, Any]] | None = None,
    *,
    tight: bool = True,
    **ranges: Any,
) -> Callable[[Callable[..., tuple[Form, Form]]], Callable[..., tuple[Form, Form]]]:
    """Register a function as a published rate."""

    def collect(run: Callable[..., tuple[Form, Form]]) -> Callable[..., tuple[Form, Form]]:
        RATES.append(Rate(name, run, source, ranges, tight, pepit))
        return run

    return collect


def _signature(run: Callable[..., Any]) -> Any:
    import inspect

    return inspect.signature(run)
