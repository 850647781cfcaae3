"""Factors of polynomials, remembered: a search asks for the same ones often."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from flint import fmpq, fmpq_mpoly


@dataclass(frozen=True)
class _Named:
    """A polynomial that is known by its text and its number of variables, as polynomials have no hash."""

    text: str
    variables: int
    polynomial: fmpq_mpoly = field(compare=False)


@lru_cache(maxsize=2**14)
def _factored(named: _Named) -> tuple[fmpq, list[tuple[fmpq_mpoly, int]]]:
    lead, factors = named.polynomial.factor()
    return lead, factors


def factors_of(polynomial: fmpq_mpoly) -> tuple[fmpq, list[tuple[fmpq_mpoly, int]]]:
    """The constant and the factors of a polynomial with their powers."""
    return _factored(_Named(str(polynomial), polynomial.context().nvars(), polynomial))
